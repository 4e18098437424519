"""Regions of memory objects that are mapped into host memory (5.2.4), and how they are listed: by the host's address, where several may be.
A buffer's list has those of its sub-buffers and of the images over it, too.

Threads may map and unmap the same memory at a time. What is not one step of the interpreter's is done by one after the other of Python's,
and code in C, which takes its steps at once (runtime/native), may come between.
"""

from __future__ import annotations

import collections.abc
import threading
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from ..driver.interface import Linear, Triple
from ..native import library as native
from ..spec import codes

WRITES = codes.MAP_WRITE | codes.MAP_WRITE_INVALIDATE_REGION

Region = TypeVar("Region")

_changing = threading.Lock()


def all_listed(mappings: collections.abc.Mapping[Any, Sequence[Region]]) -> list[Region]:
    return [one for group in list(mappings.values()) for one in list(group)]


def last_listed(mappings: dict[Any, list[Region]], place: Hashable) -> Region | None:
    """The region that an unmap is of: the place is the memory object's for the address (`MemoryObject.listed_at`)."""
    last = mappings.get(place, [])[-1:]
    return last[0] if last else None


def list_region(mappings: dict[Any, list[Region]], place: Hashable, region: Region) -> None:
    with _changing:
        while True:
            group = mappings.setdefault(place, [])
            group.append(region)
            if mappings.get(place) is group:  # Code in C has not just struck out what was there.
                return


def strike_out(mappings: dict[Any, list[Region]], place: Hashable) -> None:
    """One region less: of several at an address, of which nobody can tell which is meant, the one mapped last."""
    with _changing:
        group = mappings.get(place)
        if group:
            del group[-1:]
        if not group and mappings.get(place) is group is not None:
            del mappings[place]


class BufferPart(NamedTuple):
    """Rows of bytes in a buffer: `rows` count from its start, `size` is (bytes, rows, planes)."""

    rows: Linear
    size: Triple

    def overlaps(self, other: BufferPart) -> bool:
        few, many = sorted((self, other), key=lambda part: part.size[1] * part.size[2])
        return any(many._meets(start, start + few.size[0]) for start in few._starts())

    def _starts(self) -> collections.abc.Iterator[int]:
        (start, row, plane), (_, rows, planes) = self.rows, self.size
        return (start + y * row + z * plane for z in range(planes) for y in range(rows))

    def _meets(self, start: int, end: int) -> bool:
        """Whether any of the rows has bytes there. Of the planes that do, it is the first one's rows, or any row of the second."""
        (first, row, plane), (width, rows, planes) = self.rows, self.size
        place = first + plane * _first_behind(start, first + width + (rows - 1) * row, plane)
        while place < min(end, first + plane * planes):
            inside = place + row * _first_behind(start, place + width, row)
            if inside < min(end, place + row * rows):
                return True
            place += plane
        return False


def _first_behind(start: int, end: int, pitch: int) -> int:
    """The number of the first of some pieces that ends behind the start: the first piece's end, and each next one's a pitch later."""
    return max(0, (start - end) // pitch + 1)


class MappedRegion(Protocol):
    """`copy` says that the host's side is a copy; `in_buffer` where the region is in a buffer, None for one of an image's own elements."""

    @property
    def copy(self) -> bool: ...
    @property
    def writes(self) -> bool: ...
    @property
    def in_buffer(self) -> BufferPart | None: ...
    def overlaps(self, other: Any) -> bool: ...


class Mapping(NamedTuple):
    """A mapped region of a buffer, in bytes from the start of the whole buffer."""

    offset: int
    size: int
    flags: int
    copy: bool

    @property
    def writes(self) -> bool:
        return bool(self.flags & WRITES)

    @property
    def in_buffer(self) -> BufferPart:
        return BufferPart(Linear(self.offset, self.size, self.size), (self.size, 1, 1))

    def overlaps(self, other: MappedRegion) -> bool:
        if isinstance(other, Mapping):
            return self.offset < other.offset + other.size and other.offset < self.offset + self.size
        return other.in_buffer is not None and self.in_buffer.overlaps(other.in_buffer)


native.know("mapping", Mapping)
