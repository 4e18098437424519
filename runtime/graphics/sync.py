"""Events linked to fence sync objects of OpenGL (5.11.1.2, cl_khr_gl_event) and of EGL (5.11.1.1, cl_khr_egl_event).

Neither interface calls anyone when a fence is reached: one thread asks after all that somebody still wants to know of.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable

from ..context.context import Context
from ..driver.reported import reported
from ..opengl import calls, egl
from ..opengl.library import GraphicsError
from ..queue.event import GatedEvent
from ..spec import codes
from ..spec.errors import CLError
from ..spec.status import STATUS
from .source import group_of

# "can be used in the event_wait_list argument to clEnqueueAcquireGLObjects"
GL_TAKERS = frozenset(("clEnqueueAcquireGLObjects",))
# "may only be consumed by commands to acquire and release memory objects"
EGL_TAKERS = frozenset(("clEnqueueAcquireGLObjects", "clEnqueueReleaseGLObjects", "clEnqueueAcquireEGLObjectsKHR",
                        "clEnqueueReleaseEGLObjectsKHR"))

# Between two questions the thread sleeps, longer and longer, from the first number of seconds to the second.
SHORTEST, LONGEST = 20e-6, 2e-3


class LinkedEvent(GatedEvent):
    """cl_event that is complete when a fence of another API has been reached."""

    __slots__ = ("_signaled", "taken_by")
    ending = "the sync object that the event is linked to failed:"

    def __init__(self, context: Context, command_type: int, taken_by: frozenset[str], signaled: Callable[[], bool]):
        super().__init__(context, command_type)
        self.taken_by = taken_by
        self._signaled = signaled

    def look(self) -> bool:
        """Whether the event is complete; it becomes so here if the fence has been reached."""
        if self.shut:
            try:
                if not self._signaled():
                    return False
                status = codes.COMPLETE
            except GraphicsError as error:
                status = STATUS[error.status]
            self.open(status)
        return True


def event_from_gl_sync(context: Context, sync: int) -> LinkedEvent:
    """clCreateEventFromGLsyncKHR. The sync object must live until the event is complete. Raises CLError: INVALID_CONTEXT,
    INVALID_GL_OBJECT."""
    routine = "clCreateEventFromGLsyncKHR"
    group = group_of(routine, context, finish=False)
    gl = group.gl
    group.flush_calling_thread()  # Else nothing may ever come to the fence.
    if not group.run(lambda: gl.IsSync(sync)):
        raise CLError(routine, "INVALID_GL_OBJECT", f"{sync:#x} is no sync object of the share group")

    def signaled() -> bool:
        return bool(group.run(lambda: not gl.IsSync(sync) or gl.ClientWaitSync(sync, 0, 0) != calls.TIMEOUT_EXPIRED))

    event = LinkedEvent(context, codes.COMMAND_GL_FENCE_SYNC_OBJECT_KHR, GL_TAKERS, signaled)
    WATCHER.add(event)
    return event


def event_from_egl_sync(context: Context, sync: int, display: int) -> LinkedEvent:
    """clCreateEventFromEGLSyncKHR. Raises CLError: INVALID_CONTEXT, INVALID_EGL_OBJECT_KHR."""
    routine = "clCreateEventFromEGLSyncKHR"
    group = group_of(routine, context, finish=False)
    with reported(routine, "INVALID_EGL_OBJECT_KHR"):
        fence = egl.FenceSync(display, sync)
    group.flush_calling_thread()
    event = LinkedEvent(context, codes.COMMAND_EGL_FENCE_SYNC_OBJECT_KHR, EGL_TAKERS, fence.signaled)
    WATCHER.add(event)
    return event


class Watcher:
    """Opens events' gates when their fences have been reached; its thread is there while there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: list[weakref.ref[LinkedEvent]] = []
        self._running = False

    def add(self, event: LinkedEvent) -> None:
        if event.look():
            return
        with self._lock:
            self._watched.append(weakref.ref(event))
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="cl2cuda sync objects", daemon=True).start()

    def _run(self) -> None:
        pause, known = SHORTEST, 0
        while True:
            with self._lock:
                if not self._watched:
                    self._running = False
                    return
                watched = list(self._watched)
            done = [one for one in watched if _ended(one)]
            with self._lock:
                self._watched = [one for one in self._watched if one not in done]
            pause = SHORTEST if done or len(watched) != known else min(1.5 * pause, LONGEST)
            known = len(watched) - len(done)
            time.sleep(pause)


def _ended(reference: weakref.ref[LinkedEvent]) -> bool:
    """Whether nothing is left to be asked; an event that nobody knows any more wants no answer."""
    event = reference()
    return event is None or event.look()


WATCHER = Watcher()
