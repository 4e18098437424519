"""Code that a compiler is still at work on while the host goes on: what `DriverDevice.begin_compiling` gives.

The specification has clBuildProgram return when the build has completed. Programs notice that by what needs the code: a kernel's first
launch, and the program's binary. Those wait; what is wrong with a program the translator has said before.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from typing import Union

from .interface import DriverError


class UnfinishedCode:
    """`result` is what comes of it; `error` is what has gone wrong so far."""

    def __init__(self) -> None:
        self._code = b""
        self.error: BaseException | None = None
        self._has_ended = threading.Event()
        self._lock = threading.Lock()
        self._following: list[Callable[[], object]] = []
        with _changed:
            _under_way.add(self)

    def finish(self, make: Callable[[], bytes]) -> None:
        """For the compiler's thread: `make` gives the code, or raises what is wrong. It also makes what follows."""
        _here.makes = True
        try:
            try:
                self._code = make()
            except BaseException as error:
                self.error = error
            with self._lock:
                self._has_ended.set()
            for call in self._following:
                call()
        finally:
            _here.makes = False
            with _changed:
                _under_way.discard(self)
                _changed.notify_all()

    def then(self, call: Callable[[], object]) -> None:
        """Calls it once there is the code or an error: in the compiler's thread, or at once where that is past."""
        with self._lock:
            if not self._has_ended.is_set():
                self._following.append(call)
                return
        call()

    def lose(self) -> None:
        """In a forked process, whose parent's threads make it."""
        self.error = DriverError("the process was forked while the program was compiled, by a thread of its parent: build it again")
        self._lock = threading.Lock()
        self._has_ended = threading.Event()
        self._has_ended.set()

    @property
    def has_ended(self) -> bool:
        return self._has_ended.is_set()

    def result(self) -> bytes:
        """Waits for the code. Raises what the compiler has raised: BuildFailure, DriverError."""
        self._has_ended.wait()
        if self.error is not None:
            raise self.error
        return self._code


Code = Union[bytes, UnfinishedCode]


class _Here(threading.local):
    """Whether this thread is making code."""

    makes = False


_changed = threading.Condition()
_under_way: set[UnfinishedCode] = set()
_here = _Here()


def finished(code: Code) -> bytes:
    return code.result() if isinstance(code, UnfinishedCode) else code


def count() -> int:
    """How much is under way."""
    return len(_under_way)


def wait_for_all() -> None:
    """The process must not end in the middle of it, and one that is forked would wait for threads that it does not have. A thread that
    makes some waits for nothing: what it forks is a compiler. (Python starts that by vfork, of which a sanitizer makes a fork.)"""
    if not _here.makes:
        with _changed:
            _changed.wait_for(lambda: not _under_way)


def _forked() -> None:
    """What another thread has begun between that wait and the fork is lost, and so is who held the lock."""
    global _changed
    _changed = threading.Condition()
    for each in tuple(_under_way):
        each.lose()
    _under_way.clear()


atexit.register(wait_for_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=wait_for_all, after_in_child=_forked)
