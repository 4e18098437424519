"""What a worker holds for one client: the objects that its requests made, and how far its streams have come."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Sequence

from ..driver.device import DriverDevice, Function, Module
from ..driver.interface import DriverError, DriverImage, Fence
from .wire import Channel


class Gone(Exception):
    """The client has gone while a stream waited for it."""


class Progress:
    """How far a stream has come. `fences` are those that the driver was given and has not reached."""

    def __init__(self) -> None:
        self.recorded = 0
        self.fences: dict[int, Fence] = {}
        self.failed: dict[int, DriverError] = {}


class HeldDevice:
    """A device of the worker, and what one client has there."""

    def __init__(self, driver: DriverDevice):
        self.driver = driver
        self.allocated: set[int] = set()

    def allocate(self, size: int) -> int:
        address = self.driver.allocate(size)
        self.allocated.add(address)
        return address

    def free(self, addresses: Sequence[int]) -> None:
        for address in addresses:
            if address in self.allocated:
                self.allocated.discard(address)
                self.driver.free(address)


class Held:
    """Everything of one client. `changed` is notified when a stream has come to a fence, a gate opens, or the client goes."""

    _numbers = itertools.count(1)

    def __init__(self, devices: Sequence[DriverDevice]):
        self.number = next(self._numbers)
        self.devices = [HeldDevice(driver) for driver in devices]
        self.modules: dict[int, tuple[HeldDevice, Module]] = {}
        self.functions: dict[int, Function] = {}
        self.images: dict[int, DriverImage] = {}
        self.changed = threading.Condition()
        self.progress: dict[int, Progress] = {}
        self.gates: dict[int, str | None] = {}
        self.gone = False
        self.new_number = itertools.count(1).__next__
        self._channels: set[Channel] = set()
        self._running = 0

    # Connections

    def enter(self, channel: Channel) -> bool:
        """A connection of the client's begins; False when the client has gone."""
        with self.changed:
            if self.gone:
                return False
            self._channels.add(channel)
            self._running += 1
            return True

    def leave(self, channel: Channel) -> None:
        with self.changed:
            self._channels.discard(channel)
            self._running -= 1
            self.changed.notify_all()

    # The order between streams

    def progress_of(self, stream: int) -> Progress:
        with self.changed:
            return self.progress.setdefault(stream, Progress())

    def wait_for(self, stream: int, number: int) -> tuple[Fence | None, DriverError | None]:
        """Until the driver has been given the fence of a stream: the fence, None if it was reached; and the failure of what it
        stands behind."""
        with self.changed:
            progress = self.progress.setdefault(stream, Progress())
            self._wait_until(lambda: progress.recorded >= number)
            return progress.fences.get(number), progress.failed.get(number)

    def open_gate(self, gate: int, failure: str | None) -> None:
        with self.changed:
            self.gates[gate] = failure
            self.changed.notify_all()

    def wait_at(self, gate: int) -> str | None:
        """Until the client opens the gate; why what waits there is not to run."""
        with self.changed:
            self._wait_until(lambda: gate in self.gates)
            return self.gates.pop(gate)

    def _wait_until(self, true: object) -> None:
        assert callable(true)
        while not true():
            if self.gone:
                raise Gone
            self.changed.wait()

    # The end

    def give_back(self) -> None:
        """The client has gone: ends its streams, waits for what they run, and frees what they used."""
        with self.changed:
            self.gone = True
            channels = list(self._channels)
            self.changed.notify_all()
        for channel in channels:
            channel.cut()
        with self.changed:
            while self._running:
                self.changed.wait()
        for image in self.images.values():
            with contextlib.suppress(DriverError):
                image.close()
        for _, module in self.modules.values():
            with contextlib.suppress(DriverError):
                module.unload()
        for device in self.devices:
            with contextlib.suppress(DriverError):
                device.free(list(device.allocated))
