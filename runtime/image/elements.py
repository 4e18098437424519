"""The elements of an image: where they are now, in a storage of their own or in a buffer's, and the host memory for mapping them.

Both kinds have `context`, `layout`, `mappings` (by host address), `on(device)`, `host_side(level)` and `copies`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..context.context import Context
from ..devices.device import Device
from ..driver.interface import CopyKind, DriverError, DriverImage, ImageLayout, ImagePart, Linear, Triple
from ..memory.buffer import Buffer
from ..process import host_memory

if TYPE_CHECKING:
    from ..commands.image_map import ImageMapping

START: Triple = (0, 0, 0)


def extent_of(layout: ImageLayout, level: int) -> Triple:
    """A whole level as copies take it: (bytes, rows, planes)."""
    width, height, planes = layout.size(level)
    return width * layout.format.element_size, height, planes


def copy_now(device: Device, kind: CopyKind, destination: Linear | ImagePart, source: Linear | ImagePart, region: Triple) -> None:
    """A copy outside every queue that has ended on return."""
    device.service_stream.copy_image(kind, destination, source, region)
    device.service_stream.synchronize()


class ImageStorage:
    """Elements of an image's own. They live on the device that used them last.

    shadow      host memory that mapped regions point into: the application's (USE_HOST_PTR), or the driver's, made on first use
    """

    def __init__(self, context: Context, device: Device, layout: ImageLayout):
        self.context = context
        self.layout = layout
        self.size = layout.bytes_before(layout.levels)
        self.device = device
        self.shadow: Linear | None = None
        self._shadow_of: Device | None = None
        self.mappings: dict[int, list[ImageMapping]] = {}
        self._image = self._create(device)

    def _create(self, device: Device) -> DriverImage:
        create = device.driver_device.create_image
        self.context.reclaim()
        try:
            return create(self.layout)
        except DriverError:
            self.context.reclaim_all()
        return create(self.layout)

    def on(self, device: Device) -> DriverImage:
        """The elements on the device, after moving them there through the host if they were elsewhere."""
        if device is not self.device:
            self._move_to(device)
        return self._image

    def _move_to(self, device: Device) -> None:
        for queue in self.context.queues(self.device):
            queue.settle()  # What is held back moves the elements again when its time comes.
        # `_staging` keeps the memory at `start`.
        _staging, start = host_memory.room(self.size)
        image = self._create(device)
        try:
            self._copy_to(device, image, start)
        except DriverError:
            self.context.retire(device, image.close)
            raise
        self._retire()
        self._image, self.device = image, device
        self.context.reclaim()

    def _copy_to(self, device: Device, image: DriverImage, start: int) -> None:
        """Through the process's memory from `start` on."""
        for level in range(self.layout.levels):
            host, region = self.layout.tight(start + self.layout.bytes_before(level), level), extent_of(self.layout, level)
            copy_now(self.device, "device_to_host", host, ImagePart(self._image, level, START), region)
            copy_now(device, "host_to_device", ImagePart(image, level, START), host, region)

    @property
    def copies(self) -> bool:
        """Mapped memory is a copy of the elements, not they themselves."""
        return self.shadow is not None or not (self.device.host_addressable and self.context.one_device)

    def host_side(self, level: int) -> Linear:
        """Where a level's elements are when they are mapped."""
        if not self.copies:
            rows = self._image.linear(level)
            assert rows is not None, "memory that the host reaches is no order of a hardware's own"
            return rows
        if self.shadow is None:
            self.shadow = self.layout.tight(self.device.driver_device.allocate_host(self.size))
            self._shadow_of = self.device
        if level == 0:
            return self.shadow
        return self.layout.tight(self.shadow.address + self.layout.bytes_before(level), level)

    def _retire(self) -> None:
        self.context.retire(self.device, self._image.close)

    def __del__(self) -> None:
        if hasattr(self, "_image"):
            self._retire()
            if self._shadow_of is not None and self.shadow is not None:
                address, driver = self.shadow.address, self._shadow_of.driver_device
                self.context.retire(self._shadow_of, lambda: driver.free_host(address))


class BufferElements:
    """Elements in a buffer: whatever becomes of the one's contents becomes of the other's."""

    shadow = None

    def __init__(self, buffer: Buffer, layout: ImageLayout, row_pitch: int):
        self.context = buffer.context
        self.layout = layout
        self.row_pitch = row_pitch
        self.size = row_pitch * layout.height
        self.buffer_storage = buffer.storage
        self.offset = buffer.offset
        self.mappings: dict[int, list[ImageMapping]] = {}
        self._image: DriverImage | None = None
        self._of: Device | None = None

    def _rows(self, address: int) -> Linear:
        return Linear(address + self.offset, self.row_pitch, self.row_pitch * self.layout.height)

    def on(self, device: Device) -> DriverImage:
        address = self.buffer_storage.move_to(device)
        if self._image is None or self._of is not device:
            self._retire()
            self._image, self._of = device.driver_device.create_image(self.layout, self._rows(address)), device
        return self._image

    @property
    def copies(self) -> bool:
        return self.buffer_storage.host_address() != self.buffer_storage.address

    def host_side(self, level: int) -> Linear:
        return self._rows(self.buffer_storage.host_address())

    def _retire(self) -> None:
        if self._image is not None and self._of is not None:
            self.context.retire(self._of, self._image.close)

    def __del__(self) -> None:
        if hasattr(self, "_of"):
            self._retire()


Elements = ImageStorage | BufferElements
