"""The memory under memory objects that are shared with OpenGL: between acquire and release it is the driver's `SharedObject`.

In a context of several devices, contents that were acquired on one move to others as every memory object's do, and return for the
release.
"""

from __future__ import annotations

from collections.abc import Callable

from ..context.context import Context
from ..devices.device import Device
from ..driver.interface import DriverError, DriverImage, ImageLayout, SharedObject, Stream
from ..image.elements import ImageStorage
from ..image.mapping import ImageMapping
from ..memory.mapping import Mapping
from ..memory.storage import BufferStorage, Memory, Region, Storage


class GraphicsStorage(Storage[Memory, Region]):
    """`make` has a device's driver make its shared object; `missing` is the status of a command that uses contents which are OpenGL's.

    _home     the device on which the contents were acquired; None while they are OpenGL's
    _shared   the shared object's memory there
    """

    _home: Device | None = None
    _shared: Memory

    def _begin(self, device: Device, make: Callable[[Device], SharedObject[Memory]], missing: str) -> None:
        self._make, self._missing = make, missing
        self._objects = {device: make(device)}
        known = self._objects[device].memory
        if known is not None:
            self._shared = known

    def _allocate(self, device: Device) -> Memory:
        return self._shared if self._home in (None, device) else super()._allocate(device)

    def _free(self, device: Device, memory: Memory) -> None:
        if self._home not in (None, device):
            super()._free(device, memory)

    def on(self, device: Device) -> Memory:
        # Where addresses never change, what was given to a kernel is not looked at again: there is nothing to be gained by a check.
        if self._home is None and not self.context.fixed_addresses:
            raise DriverError("the memory object has not been acquired from OpenGL, or was released to it", self._missing)
        return super().on(device)

    def acquire(self, stream: Stream, device: Device) -> None:
        """A command's work in a stream of the device; nothing where the contents are OpenCL's already."""
        if self._home is not None:
            return
        if device not in self._objects:
            self._objects[device] = self._make(device)
        self._shared = self._objects[device].acquire(stream)
        self.device, self.memory, self._home = device, self._shared, device

    def release(self, stream: Stream, device: Device) -> None:
        """A command's work in a stream of a device, which need not be the one that acquired; nothing where the contents are OpenGL's."""
        home = self._home
        if home is None:
            return
        if device is home and self.device is home:
            later = self._objects[home].release(stream)
        else:
            stream.synchronize()
            self.on(home)
            later = self._objects[home].release(home.service_stream)
            home.service_stream.synchronize()
        self._home = None
        if later is not None:
            self.context.retire(home, later)

    def __del__(self) -> None:
        super().__del__()
        for device, shared in self._objects.items() if self._has_memory else ():
            self.context.retire(device, shared.close)


class GraphicsBufferStorage(GraphicsStorage[int, Mapping], BufferStorage):
    _shared = 0

    def __init__(self, context: Context, size: int, make: Callable[[Device], SharedObject[int]], missing: str):
        self._begin(context.devices[0], make, missing)
        super().__init__(context, size)


class GraphicsImageStorage(GraphicsStorage[DriverImage, ImageMapping], ImageStorage):
    """`end`, where there is one, is called when nothing uses the elements any more."""

    def __init__(self, context: Context, device: Device, layout: ImageLayout, make: Callable[[Device], SharedObject[DriverImage]],
                 missing: str, end: Callable[[], None] | None):
        self._end = end
        self._begin(device, make, missing)
        super().__init__(context, device, layout)

    def __del__(self) -> None:
        super().__del__()
        if self._has_memory and self._end is not None:
            self.context.retire(self.device, self._end)
