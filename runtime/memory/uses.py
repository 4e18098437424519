"""Which commands have written contents, or read them on another device, so that copies between devices keep their order.

Commands of different queues are in no order but what events, or waiting for them, give them. Programs that leave an order out where
contents change devices have always found it there, as implementations move whole buffers: so a copy comes after the commands that
wrote what it copies, and what overwrites comes after the copies. To programs that say their order this adds nothing to wait for.
It is an order and no more: whether those commands have failed, or what came after them in their streams, is told by their own events.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable

from ..driver.interface import DriverError, Fence, Stream
from ..queue.stream_timeline import QueueStream, timeline_of

# From so many uses on those that have ended are forgotten.
MANY = 16


class Uses:
    """The last use of each range by each stream, by the command's position there. Threads that work on different ranges note uses at the
    same time."""

    def __init__(self) -> None:
        self._positions: dict[tuple[int, int, QueueStream], int] = {}
        self._lock = threading.Lock()  # between the look at a use and its end here, which a thread may note anew

    def __bool__(self) -> bool:
        return bool(self._positions)

    def note(self, stream: Stream, start: int, end: int) -> None:
        """The command that is about to be given to the stream uses the range."""
        timeline = None if stream.immediate else timeline_of(stream)
        if timeline is None:
            return
        if len(self._positions) >= MANY:
            self._forget((use, at) for use, at in list(self._positions.items()) if use[2].has_reached(at))
        # The command's own position is the next that this thread draws.
        position = timeline.next_position() + 1
        with self._lock:
            self._positions[start, end, timeline] = position

    def note_position(self, timeline: QueueStream, position: int, start: int, end: int) -> None:
        """The command at the position has used the range."""
        with self._lock:
            use = start, end, timeline
            self._positions[use] = max(position, self._positions.get(use, 0))

    def come_before(self, stream: Stream, start: int, end: int, *, shares_fences: bool = True) -> None:
        """What the stream gets from now on comes after the uses of the range in other streams."""
        ended = []
        for (first, last, timeline), position in list(self._positions.items()):
            if first >= end or last <= start:
                continue
            if timeline.stream is stream:  # Its own order sees to that; other streams need to come after it until it has ended.
                if timeline.has_reached(position):
                    ended.append(((first, last, timeline), position))
                continue
            fence = _pending(timeline, position)
            if fence is None:
                ended.append(((first, last, timeline), position))
            elif shares_fences:
                stream.after(fence, even_failed=True)
            else:
                with contextlib.suppress(DriverError):
                    timeline.wait_for(fence)
        self._forget(ended)

    def _forget(self, ended: Iterable[tuple[tuple[int, int, QueueStream], int]]) -> None:
        for use, position in ended:
            with self._lock:
                if self._positions.get(use) == position:  # no later one has been noted
                    del self._positions[use]


def _pending(timeline: QueueStream, position: int) -> Fence | None:
    """A fence behind the use, None where there is nothing to wait for."""
    if timeline.has_reached(position):
        return None
    try:
        fence = timeline.fence_behind(position)
        return None if fence.done() else fence
    except DriverError:  # It was reached, or the device is lost.
        return None
