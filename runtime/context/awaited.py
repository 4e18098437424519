"""Looks after what the application waits for without asking for anything: callbacks of memory objects that were released while commands
used them. Other things that were retired can wait until the next call."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Sized
from typing import Protocol

from ..process import ending
from ..process.workers import Workers

# How long it waits before it looks for the first time, and at most.
FIRST_SECONDS, MOST_SECONDS = 5e-3, 2e-2


class Reclaims(Protocol):
    @property
    def awaited(self) -> Sized: ...
    def reclaim(self, most: float) -> None: ...


_THREAD = Workers(1, "cl2cuda destructors")
_lock = threading.Lock()
_looked_after: list[Reclaims] = []


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
            _looked_after[:] = [each for each in _looked_after if each.awaited]
            if not _looked_after:
                return
