"""Looks after what the application waits for without asking for anything: callbacks of memory objects that were released while commands
used them. Other things that were retired can wait until the next call."""

from __future__ import annotations

import contextlib
import math
import os
import queue as thread_queue
import threading
import time
from typing import Protocol

from ..process import ending
from ..process.workers import Workers

# How long it waits before it looks for the first time, and at most.
FIRST_SECONDS, MOST_SECONDS = 5e-3, 2e-2


class Reclaims(Protocol):
    @property
    def is_awaited(self) -> bool: ...
    def reclaim(self, most: float) -> None: ...


_THREAD = Workers(1, "cl2cuda destructors")
_lock = threading.Lock()
_looked_after: list[Reclaims] = []


class _Listener:
    """A thread that hears of what is awaited, from when an application may wait for something."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Without a thread: after a fork it is the parent's."""
        self.heard: thread_queue.SimpleQueue[Reclaims] = thread_queue.SimpleQueue()
        self._is_there = False
        self._lock = threading.Lock()

    def start(self) -> None:
        with self._lock:
            if not self._is_there and not ending.has_begun():
                threading.Thread(target=self._listen, name="cl2cuda: awaited destructors", daemon=True).start()
                self._is_there = True

    def _listen(self) -> None:
        while True:
            reclaimer = self.heard.get()
            if reclaimer.is_awaited:  # Mostly its command, or the release, has seen to it by now.
                look_after(reclaimer)


_LISTENER = _Listener()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LISTENER.begin)


def expect() -> None:
    """What is said by `tell` is heard from here on. No finalizer may call it."""
    _LISTENER.start()


def tell(reclaimer: Reclaims, listener: _Listener = _LISTENER) -> None:
    """Something is awaited there, and perhaps nobody asks for anything again. Finalizers call it, which may run anywhere."""
    listener.heard.put(reclaimer)


def look_after(reclaimer: Reclaims) -> None:
    """Until nothing is awaited there. No finalizer may call it."""
    with _lock:
        if reclaimer in _looked_after:
            return
        _looked_after.append(reclaimer)
        if len(_looked_after) == 1:
            _THREAD.put(_look)


def _look() -> None:
    pause = FIRST_SECONDS
    while True:
        time.sleep(pause)
        pause = min(2 * pause, MOST_SECONDS)
        if ending.has_begun():
            return
        for reclaimer in list(_looked_after):
            with contextlib.suppress(Exception):  # Whoever asks for something is told.
                reclaimer.reclaim(math.inf)
        with _lock:
            _looked_after[:] = [each for each in _looked_after if each.is_awaited]
            if not _looked_after:
                return
