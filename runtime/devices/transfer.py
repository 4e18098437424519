"""How contents get from one device to another where the driver has no peer copies between them: through the host.

Whatever the way, a copy is a command of the stream that it is given: what that stream had before comes first, and what it gets
afterwards finds the contents there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..driver.device import DriverDevice
from ..driver.interface import CommandFailed, DriverError, Fence, Stream

# A part of large contents: while one device fills a part of host memory, the other reads the one before.
PART = 4 << 20
# How many pieces of host memory a copy uses in turn.
SLOTS = 3


class Part(NamedTuple):
    """`down` copies `size` bytes from the source device to host memory at an address, `up` from there to the other device."""

    size: int
    down: Callable[[Stream, int], object]
    up: Callable[[Stream, int], object]


class Slot:
    """Host memory for one part. `last_use` is behind the last copy from it."""

    __slots__ = ("address", "last_use", "size")

    def __init__(self, address: int, size: int):
        self.address, self.size = address, size
        self.last_use: Fence | None = None


class HostTransfer:
    """Copies from one device to another through page-locked memory of the host, which is kept for the next ones.

    shares_fences   streams of the one can wait for fences of the other: their driver is the same
    """

    def __init__(self, source: DriverDevice, device: DriverDevice, shares_fences: bool):
        self._source, self._device, self._shares_fences = source, device, shares_fences
        self._lock = threading.Lock()
        self._slots: list[Slot] = []
        self._stream: Stream | None = None

    def copy(self, stream: Stream, parts: Sequence[Part]) -> None:
        """In order in `stream`, which is the second device's. The call waits for nothing where the devices share fences."""
        with self._lock:
            if self._stream is None:
                self._stream = self._source.open_stream()
            if self._shares_fences:
                self._copy_in_order(self._stream, stream, parts)
            else:
                self._copy_and_wait(self._stream, stream, parts)

    def _copy_in_order(self, source: Stream, stream: Stream, parts: Sequence[Part]) -> None:
        source.after(stream.fence(False))
        try:
            self._copy_by_turns(source, stream, parts)
        finally:
            source.end_command()

    def _copy_by_turns(self, source: Stream, stream: Stream, parts: Sequence[Part]) -> None:
        for number, part in enumerate(parts):
            slot = self._slot(number % SLOTS, part.size)
            if slot.last_use is not None:
                source.after(slot.last_use)
            part.down(source, slot.address)
            stream.after(source.fence(False))
            part.up(stream, slot.address)
            slot.last_use = stream.fence(False)

    def _copy_and_wait(self, source: Stream, stream: Stream, parts: Sequence[Part]) -> None:
        """Between drivers. What the command comes after has ended: a queue waits for events of other drivers' devices."""
        for part in parts:
            slot = self._slot(0, part.size)
            part.down(source, slot.address)
            try:
                source.synchronize()
            except CommandFailed as failure:  # which is not of the stream whose command needs the contents
                source.failure_noted(failure)
                raise DriverError(f"the contents could not be brought: {failure}", failure.status) from failure
            part.up(stream, slot.address)
            stream.synchronize()

    def _slot(self, number: int, size: int) -> Slot:
        if number == len(self._slots):
            self._slots.append(Slot(self._device.allocate_host(size), size))
        slot = self._slots[number]
        if slot.size < size:
            address = self._device.allocate_host(size)
            if slot.last_use is not None:
                slot.last_use.wait()
            self._device.free_host(slot.address)
            slot.address, slot.size, slot.last_use = address, size, None
        return slot
