"""Where the contents of a memory object are valid: a directory of byte ranges, each with the places that have them.

It only knows ranges and places, not how contents get from one to another (`replicated`).
"""

from __future__ import annotations

import bisect
import enum
from collections.abc import Hashable
from typing import Generic, TypeVar


class Access(enum.Enum):
    """What a command does with a range of the contents."""

    READ = "reads it"
    WRITE = "may write some of it"
    OVERWRITE = "writes all of it, and needs nothing of what was there"


# Python 3.11 finds a module's names in a fraction of the time that an Enum's take.
READ, WRITE, OVERWRITE = Access

Place = TypeVar("Place", bound=Hashable)
Ready = TypeVar("Ready")


class Segment(Generic[Place, Ready]):
    """The bytes from `start` to before `end`. `valid` are the places that have them; the value is what has to be waited for
    before they are there, None for nothing. Without any place the contents are undefined."""

    __slots__ = ("end", "start", "valid")

    def __init__(self, start: int, end: int, valid: dict[Place, Ready | None]):
        self.start, self.end, self.valid = start, end, valid


class Directory(Generic[Place, Ready]):
    """The segments of `size` bytes, in order and without gaps. The caller sees to it that one thread works on it."""

    def __init__(self, size: int):
        self.size = size
        self._starts = [0]
        self._segments: list[Segment[Place, Ready]] = [Segment(0, size, {})]

    def cut(self, start: int, end: int) -> list[Segment[Place, Ready]]:
        """The segments of just this range, which are made by cutting those that reach beyond it."""
        first, last = self._cut_at(start), self._cut_at(end)
        return self._segments[first:last]

    def _cut_at(self, position: int) -> int:
        """The index of the segment that starts at the position, or behind the last."""
        if position >= self.size:
            return len(self._segments)
        index = bisect.bisect_right(self._starts, position) - 1
        segment = self._segments[index]
        if segment.start == position:
            return index
        self._segments.insert(index + 1, Segment(position, segment.end, dict(segment.valid)))
        self._starts.insert(index + 1, position)
        segment.end = position
        return index + 1

    def put(self, start: int, end: int, valid: dict[Place, Ready | None]) -> None:
        """From now on just these places have the range."""
        first, last = self._cut_at(start), self._cut_at(end)
        self._segments[first:last] = [Segment(start, end, valid)]
        self._starts[first:last] = [start]

    def join(self, start: int, end: int) -> None:
        """Joins segments in and beside the range that are alike."""
        first = max(bisect.bisect_right(self._starts, start) - 2, 0)
        last = min(bisect.bisect_left(self._starts, end) + 1, len(self._segments))
        joined = [self._segments[first]]
        for segment in self._segments[first + 1 : last]:
            if segment.valid == joined[-1].valid:
                joined[-1].end = segment.end
            else:
                joined.append(segment)
        self._segments[first:last] = joined
        self._starts[first:last] = [segment.start for segment in joined]

    def sole(self) -> Place | None:
        """The place that has everything, where no other has anything of it."""
        if len(self._segments) > 1 or len(self._segments[0].valid) != 1:
            return None
        return next(iter(self._segments[0].valid))

    def settled(self) -> frozenset[Place]:
        """The places that have everything, with nothing to wait for."""
        first, *others = self._segments
        places = {place for place, ready in first.valid.items() if ready is None}
        for segment in others:
            if not places:
                break
            places = {place for place in places if segment.valid.get(place, self) is None}
        return frozenset(places)

    def has_any(self, place: Place) -> bool:
        """Whether the place has some of the contents."""
        return any(place in segment.valid for segment in self._segments)

    def __len__(self) -> int:
        return len(self._segments)
