"""The share group: a context of ours, with a thread of its own, that shares the objects of the application's context.

OpenGL's calls are of the context that is current on the calling thread. OpenCL's may come from any thread, from ones that have no
context too, and a command that waits for an event runs on whichever thread completes it: so what is done to shared objects is done
on this thread, and the application's contexts are left alone.
"""

from __future__ import annotations

import queue as thread_queue
import threading
import weakref
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from .calls import ALL_BARRIER_BITS, PACK_ALIGNMENT, SYNC_GPU_COMMANDS_COMPLETE, TIMEOUT_IGNORED, UNPACK_ALIGNMENT, VERSION, Calls
from .library import GraphicsError

Result = TypeVar("Result")

# glCopyImageSubData, by which renderbuffers are read and written, is OpenGL's from 4.3 on, and glGetTextureSubImage, which
# never writes more than there is room for, from 4.5.
OLDEST = (4, 5)


class Binding(Protocol):
    """A context of ours under one of the window-system interfaces (`egl`, `glx`)."""

    shared: int

    def check(self) -> None: ...
    def address(self, name: str) -> int: ...
    def calling_thread_has_one(self) -> bool: ...
    def calling_thread_has_shared(self) -> bool: ...
    def enter(self) -> None: ...
    def leave(self) -> None: ...


class _Task:
    """A call for the thread, and what has become of it."""

    __slots__ = ("done", "error", "function", "result")

    def __init__(self, function: Callable[[], Any]):
        self.function = function
        self.done = threading.Event()
        self.result: Any = None
        self.error: BaseException | None = None


class _Tasks:
    """The calls for a thread; after `end` there are no more."""

    def __init__(self) -> None:
        self._queue: thread_queue.SimpleQueue[_Task | None] = thread_queue.SimpleQueue()
        self._lock = threading.Lock()
        self._ended = False

    def put(self, task: _Task) -> None:
        with self._lock:
            if self._ended:
                raise GraphicsError("the context that shares with OpenGL has ended")
            self._queue.put(task)

    def end(self) -> None:
        with self._lock:
            self._ended = True
            self._queue.put(None)

    def next(self) -> _Task | None:
        return self._queue.get()


class ShareGroup:
    """`gl` are the functions, to be called inside `run` only. `shared` is the application's context; 0 where there is none."""

    def __init__(self, binding: Binding):
        binding.check()
        self._binding = binding
        self.shared = binding.shared
        self.gl = Calls(binding.address)
        self._tasks = _Tasks()
        started = _Task(lambda: _begin(binding, self.gl))
        self._tasks.put(started)
        thread = threading.Thread(target=_work, args=(self._tasks, binding), name="cl2cuda OpenGL", daemon=True)
        thread.start()
        self._thread = thread
        # Also at the interpreter's exit: a context must not be current when its library ends.
        self._end = weakref.finalize(self, _stop, self._tasks, thread)
        started.done.wait()
        if started.error is not None:
            self._end()
            raise started.error

    def run(self, function: Callable[[], Result]) -> Result:
        """The function's result; it is called on the group's thread, where the group's context is current."""
        if threading.current_thread() is self._thread:
            return function()
        task = _Task(function)
        self._tasks.put(task)
        task.done.wait()
        if task.error is not None:
            raise task.error
        result: Result = task.result
        return result

    def calling_thread_has_shared(self) -> bool:
        """Whether the application's context is current on the calling thread."""
        return self._binding.calling_thread_has_shared()

    def finish_calling_thread(self) -> None:
        """Waits for what the calling thread has given to the context that is current there, if one is."""
        if self._binding.calling_thread_has_one():
            self.gl.Finish()

    def flush_calling_thread(self) -> None:
        """What the calling thread has given to the context that is current there, if one is, ends by itself."""
        if self._binding.calling_thread_has_one():
            self.gl.Flush()

    def order_calling_thread(self) -> None:
        """Later commands of the application's context, where it is current on the calling thread, come after what the group's context
        has been given, and read nothing that caches of that context may hold from before."""
        if not self._binding.calling_thread_has_shared():
            return
        fence = self.run(self._flushed_fence)
        self.gl.WaitSync(fence, 0, TIMEOUT_IGNORED)
        self.gl.DeleteSync(fence)  # It goes when the wait has ended.
        self.gl.MemoryBarrier(ALL_BARRIER_BITS)

    def _flushed_fence(self) -> int:
        fence: int = self.gl.FenceSync(SYNC_GPU_COMMANDS_COMPLETE, 0)
        self.gl.Flush()
        return fence


def _begin(binding: Binding, gl: Calls) -> None:
    binding.enter()
    text = (gl.GetString(VERSION) or b"").decode()
    numbers = tuple(int(part) for part in text.split(" ")[0].split(".")[:2] if part.isdecimal())
    if numbers < OLDEST:
        raise GraphicsError(f"the context has OpenGL {text or 'of no version'}, sharing needs 4.5", "INVALID_GL_SHAREGROUP_REFERENCE_KHR")
    gl.PixelStorei(PACK_ALIGNMENT, 1)
    gl.PixelStorei(UNPACK_ALIGNMENT, 1)


def _work(tasks: _Tasks, binding: Binding) -> None:
    """The thread: it must not know the group, which ends it."""
    while (task := tasks.next()) is not None:
        try:
            task.result = task.function()
        except BaseException as error:
            task.error = error
        task.done.set()
        del task
    binding.leave()


def _stop(tasks: _Tasks, thread: threading.Thread) -> None:
    tasks.end()
    if threading.current_thread() is not thread:
        thread.join(5)
