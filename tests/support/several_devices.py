"""Contexts of several devices of one driver."""

import numpy as np
import pytest

from cl2cuda.runtime.commands import buffer as commands
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.host import host_devices
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

from .asynchronous_cuda import SeveralCuda
from .fake_driver import FakeDevice

N = 4096
PLATFORM = platforms.platforms()[0]


def devices_of(kind, count=2):
    if kind == "host":
        return [Device(PLATFORM, "host", each) for each in host_devices(count)]
    if kind == "fake":
        return [Device(PLATFORM, "fake", FakeDevice()) for _ in range(count)]
    if kind == "cuda":
        try:
            found = platforms.load_driver("cuda").devices()
        except DriverMissing:
            found = []
        if len(found) < count:
            pytest.skip(f"needs {count} GPUs")
        return [Device(PLATFORM, "cuda", each) for each in found[:count]]
    return SeveralCuda(count, peers=kind == "imagined cuda").devices_of(PLATFORM)


class Several:
    """A context of the devices, and a queue of each."""

    def __init__(self, devices):
        self.devices = devices
        self.context = Context(devices)
        self.queues = [CommandQueue(self.context, device) for device in devices]

    def buffer(self, data=None, flags=0, size=N):
        if data is None:
            return Buffer(self.context, flags, size)
        return Buffer(self.context, flags | codes.MEM_COPY_HOST_PTR, host=np.ascontiguousarray(data))

    def read(self, queue, buffer, wait_for=()):
        found = np.zeros(buffer.size, np.uint8)
        commands.enqueue_read_buffer(queue, buffer, True, 0, found, wait_for)
        return found

    def places(self, buffer):
        return [device in buffer.storage.places() for device in self.devices]


KINDS = ["host", "fake", "imagined cuda", "imagined cuda without peer access", "cuda"]


def random_bytes(seed=1, size=N):
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)
