"""The memory under memory objects that are shared with OpenGL: between acquire and release it is the driver's `SharedObject`.

In a context of several devices, contents that were acquired on one are copied to others as every memory object's are, and come back
for the release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..context.context import Context
from ..devices.device import Device
from ..driver.device import SharedObject
from ..driver.image_layout import ImageLayout
from ..driver.interface import DriverError, DriverImage, Stream
from ..image.elements import ReplicatedImage
from ..image.mapping import ImageMapping
from ..memory.directory import WRITE, Access
from ..memory.mapping import Mapping
from ..memory.replicated import Replicated, ReplicatedBuffer
from ..memory.storage import Memory, Region
from ..process import ending


class GraphicsStorage(Replicated[Memory, Region]):
    """`make` has a device's driver make its shared object; `missing` is the status of a command that uses contents which are OpenGL's.

    _home     the device on which the contents were acquired; None while they are OpenGL's
    _shared   the shared object's memory there
    """

    _home: Device | None = None
    _shared: Memory | None = None

    def _begin(self, device: Device, make: Callable[[Device], SharedObject[Memory]], missing: str) -> None:
        self._make, self._missing = make, missing
        self._objects = {device: make(device)}
        self._shared = self._objects[device].memory

    def _use_known(self) -> None:
        """Where addresses never change, kernels are given the memory before it is acquired."""
        if self._shared is not None:
            self.memory = self._shared

    def _free(self, device: Device, memory: Memory) -> None:
        if memory != self._shared:
            super()._free(device, memory)

    def acquire(self, device: Device, stream: Stream, access: Access, start: int = 0, end: int | None = None) -> Memory:
        return self.memory if self._is_opengls() else super().acquire(device, stream, access, start, end)

    def sources(self, device: Device, stream: Stream, start: int, end: int) -> Iterator[tuple[Device, Memory, int, int]]:
        return iter([(device, self.memory, start, end)]) if self._is_opengls() else super().sources(device, stream, start, end)

    def on(self, device: Device) -> Memory:
        return self.memory if self._is_opengls() or self.context.fixed_addresses else super().on(device)

    def _is_opengls(self) -> bool:
        # Where addresses never change, what was given to a kernel is not looked at again: there is nothing to be gained by a check.
        if self._home is None and not self.context.fixed_addresses:
            raise DriverError("the memory object has not been acquired from OpenGL, or was released to it", self._missing)
        return self._home is None

    def acquires_in_order(self, device: Device) -> bool:
        """Whether to acquire it on the device now does something, which `SharedObject.ordered` holds for."""
        return self._home is None and device in self._objects and self._objects[device].ordered

    def releases_in_order(self) -> bool:
        """Whether to release it now does something, which `SharedObject.ordered` holds for."""
        return self._home is not None and self._objects[self._home].ordered

    def acquire_shared(self, stream: Stream, device: Device) -> None:
        """A command's work in a stream of the device; nothing where the contents are OpenCL's already."""
        if self._home is not None:
            return
        if device not in self._objects:
            self._objects[device] = self._make(device)
        shared = self._objects[device].acquire(stream)
        with self._lock:
            own = self._memories.pop(device, None)
            if own is not None:
                self._free(device, own)
            self._memories[device] = self._shared = shared
            self._directory.put(0, self.size, {device: None})
            self._writes.note(stream, 0, self.size)
            self._changed_on_device(0, self.size)
            self._update(0, self.size)
            self.device, self.memory, self._home = device, shared, device

    def release_shared(self, stream: Stream, device: Device) -> None:
        """A command's work in a stream of a device, which need not be the one that acquired; nothing where the contents are OpenGL's."""
        home = self._home
        if home is None:
            return
        if device is home:
            super().acquire(home, stream, WRITE)
            later = self._objects[home].release(stream)
        else:
            stream.synchronize()
            service = home.service_stream
            super().acquire(home, service, WRITE)
            later = self._objects[home].release(service)
            service.synchronize()
        with self._lock:
            self._memories.pop(home)
            self._directory.put(0, self.size, {})
            self._update(0, self.size)
            self._home = None
        if later is not None:
            self.context.retire(self.context.freeing_device(home), later)

    @ending.finalizer
    def __del__(self) -> None:
        super().__del__()
        for device, shared in self._objects.items() if self.has_memory else ():
            self.context.retire(self.context.freeing_device(device), shared.close)


class GraphicsBufferStorage(GraphicsStorage[int, Mapping], ReplicatedBuffer):
    def __init__(self, context: Context, size: int, make: Callable[[Device], SharedObject[int]], missing: str):
        self._begin(context.devices[0], make, missing)
        ReplicatedBuffer.__init__(self, context, size)
        self._use_known()


class GraphicsImageStorage(GraphicsStorage[DriverImage, ImageMapping], ReplicatedImage):
    """`end`, where there is one, is called when nothing uses the elements any more."""

    def __init__(self, context: Context, device: Device, layout: ImageLayout, make: Callable[[Device], SharedObject[DriverImage]],
                 missing: str, end: Callable[[], None] | None):
        self._end = end
        self._begin(device, make, missing)
        ReplicatedImage.__init__(self, context, device, layout)
        self._use_known()

    @ending.finalizer
    def __del__(self) -> None:
        super().__del__()
        if self.has_memory and self._end is not None:
            self.context.retire(self.context.freeing_device(self.device), self._end)
