"""Threads that run callables: an event's callbacks, and commands that would keep the application's own thread busy."""

from __future__ import annotations

import os
import queue as thread_queue
import sys
import threading
import weakref
from collections.abc import Callable

# An idle thread waits this long for more before it ends.
LINGER_SECONDS = 1.0


class _Here(threading.local):
    """Whether this thread is a worker."""

    is_worker = False


_HERE = _Here()


def on_worker() -> bool:
    """Whether this thread is one of those below: it must not wait for what they are to do."""
    return _HERE.is_worker


def _take(place: list[bool]) -> bool:
    """Whether this thread has it: one has."""
    try:
        return place.pop()
    except IndexError:
        return False


class Workers:
    """Runs callables on at most `size` threads of its own, which start when needed: one after the other where size is 1."""

    def __init__(self, size: int = 1, name: str = "cl2cuda callbacks"):
        self.size = size
        self.name = name
        self.begin()
        _ALL.add(self)

    def begin(self) -> None:
        """Without threads: after a fork they are the parent's, and so is what they were to do."""
        self._waiting: thread_queue.SimpleQueue[Callable[[], None]] = thread_queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._outstanding = 0  # calls that wait or run

    def put(self, call: Callable[[], None]) -> bool:
        """False where Python ends, and the call is dropped. RuntimeError where there is no thread for it, and none can be started."""
        if sys.is_finalizing():
            return False  # A thread that is started then never says that it has.
        with self._lock:
            self._outstanding += 1
            self._waiting.put(call)
            if self._threads < min(self.size, self._outstanding):
                try:
                    self._start_thread()
                except RuntimeError:
                    if not self._threads:  # Nobody can have taken it.
                        self._waiting.get()
                        self._outstanding -= 1
                        raise
            return True

    def _start_thread(self) -> None:
        """With the lock. Where the start is interrupted and the thread has not taken its place, another one has it."""
        place = [True]  # Whoever takes it first decides.
        thread = threading.Thread(target=self._run, args=(place,), name=self.name, daemon=True)
        self._threads += 1
        try:
            thread.start()
        except BaseException as error:
            if _take(place):
                self._threads -= 1
                if not isinstance(error, RuntimeError):
                    self._start_thread()
            raise

    def make(self, call: Callable[[], None]) -> None:
        """Puts the call, or makes it here where there is no thread for it."""
        try:
            taken = self.put(call)
        except RuntimeError:
            taken = False
        if not taken:
            call()

    def _run(self, place: list[bool]) -> None:
        if not _take(place):
            return
        _HERE.is_worker = True
        while self._run_one():
            pass

    def _run_one(self) -> bool:
        """False when the thread is to end. (The call is gone when this returns: an idle thread keeps nothing alive.)"""
        try:
            call = self._waiting.get(timeout=LINGER_SECONDS)
        except thread_queue.Empty:
            with self._lock:
                if not self._waiting.empty():
                    return True
                self._threads -= 1
                return False
        try:
            call()
        except BaseException:  # A callback's error has nobody to go to; the next callbacks must be called all the same.
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
        with self._lock:
            self._outstanding -= 1
        return True


_ALL: weakref.WeakSet[Workers] = weakref.WeakSet()


def _begin_all() -> None:
    for each in _ALL:
        each.begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_all)
