"""What a stream notes while a graph is captured from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..driver.interface import Stream


class Serial(Protocol):
    """What launches use one after the other, in whatever streams they are: a module with its one
    `ocl::launch`."""

    def come_after_last_use(self, stream: Stream) -> None: ...
    def note_use(self, stream: Stream) -> None: ...


class Capture:
    """`allocate` and `free` are the device's.

    keep      what the graph's copies use: it lives as long as the graph
    serial    what the graph uses that no other launch may use at the same time
    """

    def __init__(self, allocate: Callable[[int], int], free: Callable[[int], None]) -> None:
        self._allocate, self._free = allocate, free
        self.keep: list[object] = []
        self.serial: dict[Serial, None] = {}

    def another(self) -> Capture:
        return Capture(self._allocate, self._free)

    def room(self, size: int) -> int:
        """Device memory for one command of the graph, for as long as there is the graph: one that allocated
        it by itself could be launched only once."""
        address = self._allocate(size)
        self.keep.append(_Room(address, self._free))
        return address


class _Room:
    """A block of device memory, given back with the object."""

    def __init__(self, address: int, free: Callable[[int], None]):
        self._address, self._free = address, free

    def __del__(self) -> None:
        self._free(self._address)
