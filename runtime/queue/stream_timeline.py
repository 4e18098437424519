"""A lane: one stream of a command-queue, and how far its commands have come.

Commands of a lane run in order, so a command's place is a number, its *position*, and one mark of the driver tells for all
commands before it that they have ended. Marks are made only when someone asks; but where someone has asked for a command that
others were behind already, which a mark made then would wait for too, one is made every few commands for a while.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import sys
import threading
from functools import cached_property
from typing import Any

from ..driver.interface import DriverError
from ..process.workers import Crew

# How many commands may be waited for in vain, and for how many marks this is seen to after it was needed.
LATE = 4
MARKS_AHEAD = 64
MARKS_KEPT = 8
NEVER = sys.maxsize


class Lane:
    """next_position  draws a command's number, counted from 1
    busy          commands may stand behind the last mark
    reached       every command up to this number has ended
    mark_at       from this position on `mark_ahead` is to be called
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
        self.reached = 0
        # The last of them, each with its position.
        self._marks: tuple[tuple[int, Any], ...] = ((0, None),)
        self.mark_at = NEVER
        self._marks_ahead = 0
        self._kept: collections.deque[tuple[Any, Any]] = collections.deque()

    def has_reached(self, position: int) -> bool:
        return position <= self.reached

    def reach(self, position: int) -> None:
        self.reached = max(self.reached, position)

    def mark_behind(self, position: int) -> Any:
        """A mark at the position or later."""
        marks = self._marks
        if marks[-1][0] <= position:
            mark = self.current_mark()
            if self._marks[-1][0] > position + LATE:
                self._marks_ahead, self.mark_at = MARKS_AHEAD, self._marks[-1][0]
            return mark
        return next(mark for at, mark in marks if at > position)

    def current_mark(self) -> Any:
        """A mark behind every command given to the stream so far."""
        with self._mark_lock:
            mark = self._marks[-1][1]
            if self.busy or mark is None:
                position = self.next_position()
                self.busy = False
                mark = self.stream.mark(False)
                self._marks = (*self._marks[-MARKS_KEPT + 1 :], (position, mark))
            return mark

    def ended_soon(self, position: int) -> bool:
        """Whether the command at the position is the last one, and has ended after a short wait: no mark is needed then."""
        if self._marks[-1][0] > position or self.next_position() != position + 1 or not self.stream.ended_soon():
            return False
        self.reach(position + 1)  # which is the number drawn here: no command has it
        self._drop_kept()
        return True

    def mark_ahead(self, position: int) -> None:
        """After the command at the position: someone is likely to wait for it, or for one shortly before it, later on."""
        self._marks_ahead -= 1
        self.mark_at = position + LATE if self._marks_ahead > 0 else NEVER
        with contextlib.suppress(DriverError):  # Who waits will hear of it.
            self.current_mark()

    @property
    def idle(self) -> bool:
        """No command can be running of those whose enqueuing has returned."""
        if not self.busy:
            at, mark = self._marks[-1]
            if mark is not None and at > self.reached:
                if not mark.done():
                    return False
                self.reach(at)
            return True
        number = self.next_position()
        if number != self.reached + 1:
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
