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

# How long it waits before it looks for the first time, and at most.
FIRST_SECONDS, MOST_SECONDS = 5e-3, 2e-2


class Reclaims(Protocol):
    @property
    def is_awaited(self) -> bool: ...
    def reclaim(self, most: float) -> None: ...


class _Looker:
    """A thread that hears of what is awaited, from when an application may wait for something, and looks after it until nothing is."""

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
                threading.Thread(target=self._look, name="cl2cuda: destructors", daemon=True).start()
                self._is_there = True

    def _look(self) -> None:
        while True:
            first = self.heard.get()
            if first.is_awaited:  # Mostly its command, or the release, has seen to it by now.
                self._look_after([first])

    def _look_after(self, awaited: list[Reclaims]) -> None:
        pause = FIRST_SECONDS
        while awaited:
            time.sleep(pause)
            pause = min(2 * pause, MOST_SECONDS)
            if ending.has_begun():
                return
            with contextlib.suppress(thread_queue.Empty):
                while True:
                    heard = self.heard.get_nowait()
                    if heard not in awaited:
                        awaited.append(heard)
            for reclaimer in awaited:
                with contextlib.suppress(Exception):  # Whoever asks for something is told.
                    reclaimer.reclaim(math.inf)
            awaited = [each for each in awaited if each.is_awaited]


_LOOKER = _Looker()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LOOKER.begin)


def expect() -> None:
    """What is said by `tell` is heard from here on. No finalizer may call it."""
    _LOOKER.start()


def tell(reclaimer: Reclaims, looker: _Looker = _LOOKER) -> None:
    """Something is awaited there, and perhaps nobody asks for anything again. Finalizers call it, which may run anywhere."""
    looker.heard.put(reclaimer)


def look_after(reclaimer: Reclaims) -> None:
    """As `tell`, also where nobody was told to `expect` anything, as after a fork. No finalizer may call it."""
    expect()
    tell(reclaimer)
