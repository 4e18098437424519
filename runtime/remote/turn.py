"""The right to change what a stream sends, which one thread has at a time.

Python's search for garbage may begin while a thread has it, and call the destructor of the very stream's queue there: that one waits for no
turn, but leaves a note, and who has the turn sees to that.
"""

from __future__ import annotations

import collections
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from ..driver.interface import DriverError
from ..process import collecting

# The number of a fence that is noted.
NOT_YET = sys.maxsize


class Turn:
    """`with turn: ...`, or `take_for`, which destructors may call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._noted: collections.deque[Callable[[], None]] = collections.deque()

    def __enter__(self) -> None:
        self._lock.acquire()
        try:
            self._make_noted()
        except BaseException:
            self._lock.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        self._make_noted_in_turn()

    def take_for(self, call: Callable[[], None]) -> None:
        if not collecting.is_under_way_here():
            with self:
                call()
            return
        self._noted.append(call)
        self._make_noted_in_turn()

    def _make_noted_in_turn(self) -> None:
        """Unless a thread has the turn: it comes here itself when it has given it back."""
        while self._noted and self._lock.acquire(blocking=False):
            try:
                self._make_noted()
            finally:
                self._lock.release()

    def _make_noted(self) -> None:
        while self._noted:
            with suppress(DriverError):  # Of a stream that is lost others will hear.
                self._noted.popleft()()
