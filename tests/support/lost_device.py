"""The driver in memory (fake_driver), with what makes it fail: a device that is lost, as a CUDA device is after a kernel's fault,
and memory that runs out where a test wants it to."""

from __future__ import annotations

import functools
from typing import Any

from support.fake_driver import FakeDevice, FakeFence, FakeFunction, FakeModule, FakeStream

from cl2cuda.runtime.driver.interface import DEFAULT_HINTS, DeviceLost, DriverError, StreamHints

REASON = "an illegal memory access was encountered"


def _guarded(cls: type, names: tuple[str, ...]) -> None:
    """Methods of these names fail once the device is lost."""
    for name in names:
        method = getattr(cls, name)

        @functools.wraps(method)
        def call(self: Any, *arguments: Any, method: Any = method, **more: Any) -> Any:
            getattr(self, "device", self).check_alive()
            return method(self, *arguments, **more)

        setattr(cls, name, call)


class LostFence(FakeFence):
    device: Any

    def __init__(self, stream: FakeStream):
        super().__init__(stream)
        self.device = stream.device


_guarded(LostFence, ("done", "wait", "time_ns"))


class LostStream(FakeStream):
    def fence(self, timing: bool) -> Any:
        fence = LostFence(self)
        self.add(lambda: setattr(fence, "at", 1))
        return fence

    def idle(self) -> bool:
        return not self.commands and not self.device.lost


_guarded(LostStream, ("copy", "copy_shared", "prefetch", "copy_rect", "copy_image", "fill_image", "fill", "fence", "after", "step",
                      "blocks_caller", "flush", "synchronize", "close"))


class LostFunction(FakeFunction):
    device: Any

    def prepare(self, *arguments: Any) -> Any:
        return functools.partial(self.launch, *arguments)


_guarded(LostFunction, ("prepare", "launch"))


class LostModule(FakeModule):
    def function(self, kernel: Any) -> LostFunction:
        function = LostFunction(self.device.bodies[kernel.name], 0)
        function.device = self.device
        return function


_guarded(LostModule, ("function", "unload"))


class LostDevice(FakeDevice):
    """lost          once True, every call of the driver fails
    left_on_host  the largest piece of page-locked memory that there is; None: as large as anyone wants
    """

    def __init__(self, **changes: Any):
        super().__init__(**changes)
        self.lost = False
        self.left_on_host: int | None = None

    def check_alive(self) -> None:
        if self.lost:
            raise DeviceLost(REASON)

    def open_stream(self, hints: StreamHints = DEFAULT_HINTS) -> LostStream:
        self.check_alive()
        return LostStream(self)

    def load(self, binary: bytes) -> LostModule:
        self.check_alive()
        return LostModule(self, super().load(binary).names)

    def allocate_host(self, size: int) -> int:
        if self.left_on_host is not None and size > self.left_on_host:
            raise DriverError("no page-locked memory", "MEM_OBJECT_ALLOCATION_FAILURE")
        return super().allocate_host(size)


_guarded(LostDevice, ("allocate", "free", "allocate_host", "free_host", "create_image", "register_host", "unregister_host"))
LostDevice.allocate_shared = LostDevice.allocate
LostDevice.free_shared = LostDevice.free
