"""A lane: one stream of a command-queue, and how far its commands have come.

Commands of a lane run in order, so a command's place is a number, its *position*, and one mark of the driver tells for all
commands before it that they have ended. Marks are made only when someone asks.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import threading
from functools import cached_property
from typing import Any

from .crew import Crew
from .driver import DriverError


class Lane:
    """next_position  draws a command's number, counted from 1
    busy          commands may stand behind the last mark
    last          the number of the last command; out-of-order queues only, as the next one
    barrier       the last barrier of the queue that the stream is behind already
    """

    def __init__(self, stream: Any):
        self.stream = stream
        # A command is given to the stream, sets `busy`, then draws its number; a mark draws its number, clears `busy`, then is
        # given to the stream. So whatever other threads do, a mark stands behind every command with a lower number, and
        # while `busy` is not set the last mark stands behind everything.
        self.next_position = itertools.count(1).__next__
        self.busy = False
        self.last = 0
        self.barrier: Any = None
        self._mark_lock = threading.Lock()
        self._reached = 0
        self._last_mark: tuple[int, Any] = (0, None)
        self._kept: collections.deque[tuple[Any, Any]] = collections.deque()

    def has_reached(self, position: int) -> bool:
        return position <= self._reached

    def reach(self, position: int) -> None:
        self._reached = max(self._reached, position)

    def mark_behind(self, position: int) -> Any:
        """A mark at the position or later."""
        at, mark = self._last_mark
        return mark if at > position else self.current_mark()

    def current_mark(self) -> Any:
        """A mark behind every command given to the stream so far."""
        with self._mark_lock:
            mark = self._last_mark[1]
            if self.busy or mark is None:
                position = self.next_position()
                self.busy = False
                mark = self.stream.mark(False)
                self._last_mark = (position, mark)
            return mark

    @property
    def idle(self) -> bool:
        """No command can be running of those whose enqueuing has returned."""
        if not self.busy:
            at, mark = self._last_mark
            if mark is not None and at > self._reached:
                if not mark.done():
                    return False
                self.reach(at)
            return True
        number = self.next_position()
        if number != self._reached + 1:
            return False
        self.reach(number)  # Nobody drew a number since `synchronize`.
        return True

    @cached_property
    def watcher(self) -> Crew:
        """The thread that calls event callbacks: a lane's commands end in order, so one waits for them in order."""
        return Crew()

    def keep(self, mark: Any, what: Any) -> None:
        """Keeps something alive until the mark is reached."""
        self._drop_kept()
        self._kept.append((mark, what))

    def _drop_kept(self) -> None:
        while self._kept:
            try:
                mark, what = self._kept.popleft()
            except IndexError:  # Another thread was quicker.
                return
            if not mark.done():
                self._kept.appendleft((mark, what))
                return

    def synchronize(self) -> None:
        """Waits for all that was given to the stream."""
        # No mark is needed: all that was given to the stream before the number was drawn has ended after the wait. (`busy` is
        # left as it is: other threads may ask for marks meanwhile.)
        position = self.next_position()
        self.stream.synchronize()
        self.reach(position)
        self._drop_kept()

    def close(self) -> Any:
        """The commands go on; host memory that they use is waited for. Returns the mark of the end where any may still run."""
        end = None
        with contextlib.suppress(DriverError):  # A device that has failed runs no more commands.
            for mark, _ in self._kept:
                mark.wait()
            end = self.current_mark() if self.busy else None
        with contextlib.suppress(DriverError):
            self.stream.close()
        return end
