"""What buffers and images are to contain from their first use on: little in bytes, more in page-locked memory.

The device reads that without a copy in between, and it costs no page faults: it is kept for the next ones, since drivers take long to
make it. `take` and `give` do each one thing with a built-in container at a time, so finalizers may call them anywhere.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable
from functools import partial

from ..devices.device import Device
from ..driver.interface import DriverError
from ..native import library as native
from ..process import ending, host_memory

# Bytes that are no more than this.
LITTLE = 64 << 10
# What one buffer, and all of a context, may have of memory that nobody else of the machine can have.
LARGEST = 4 << 20
MOST = 32 << 20
SMALLEST = 128 << 10

Retire = Callable[[Device, Callable[[], None]], None]


class Snapshot:
    """A piece of it, which goes back when nobody has this any more."""

    __slots__ = ("_owner", "_room", "address")

    def __init__(self, owner: Snapshots, address: int, room: int):
        self._owner = owner
        self._room = room
        self.address = address

    @ending.finalizer
    def __del__(self) -> None:
        self._owner.give(self.address, self._room)


class Snapshots:
    """The pieces of one context of one device, by their size. `end` hands those at rest to `retire`, and those that come later."""

    def __init__(self, device: Device, retire: Retire):
        self._device = device
        self._retire = retire
        self._resting: dict[int, deque[int]] = {}
        self._held = 0
        self._ended = False

    def copy_of(self, address: int, size: int) -> bytes | Snapshot | None:
        """What the host's memory has now; None where `take` has no room for it."""
        if size <= LITTLE:
            return ctypes.string_at(address, size)
        snapshot = self.take(size)
        if snapshot is not None:
            calls = native.calls()
            (ctypes.memmove if calls is None else calls.move)(snapshot.address, address, size)
        return snapshot

    def take(self, size: int) -> Snapshot | None:
        """Room for so many bytes; None where that is too much, not to be had, or no better than the device's own memory."""
        if size > LARGEST or self._device.host_addressable:
            return None
        room = max(SMALLEST, 1 << (size - 1).bit_length())
        resting = self._resting.setdefault(room, deque())
        try:
            address = resting.pop()
        except IndexError:
            if self._held + room > MOST:
                return None
            try:
                address = self._device.driver_device.allocate_host(room)
            except DriverError:
                return None
            self._held += room
        return Snapshot(self, address, room)

    def give(self, address: int, room: int) -> None:
        self._resting[room].append(address)
        if self._ended:
            self.end()

    def end(self) -> None:
        self._ended = True
        for resting in self._resting.values():
            while resting:
                self._retire(self._device, partial(self._device.driver_device.free_host, resting.pop()))


def address_of(first: bytes | Snapshot) -> int:
    """Where the contents are, as long as `first` lives."""
    return first.address if isinstance(first, Snapshot) else host_memory.extent("clCreateBuffer", first)[0]
