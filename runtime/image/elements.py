"""The elements of an image: where they are now, in a storage of their own or in a buffer's, and the host memory for mapping them.

Both kinds have `context`, `layout`, `mappings` (by host address), `on(device)`, `host_side(level)` and `copies`.
"""

from __future__ import annotations

from typing import Any, Literal

from ..context.context import Context
from ..devices.device import Device
from ..driver.interface import DriverImage, ImageLayout, ImagePart, Linear, Triple
from ..memory.buffer import Buffer
from ..memory.storage import Shadow, Storage, run_now
from .mapping import ImageMapping

START: Triple = (0, 0, 0)


def extent_of(layout: ImageLayout, level: int) -> Triple:
    """A whole level as copies take it: (bytes, rows, planes)."""
    width, height, planes = layout.size(level)
    return width * layout.format.element_size, height, planes


class ImageStorage(Storage[DriverImage, ImageMapping]):
    """Elements of an image's own. They live on the device that used them last.

    rows      where they are in the shadow, of the first level
    """

    def __init__(self, context: Context, device: Device, layout: ImageLayout):
        super().__init__(context, device, layout.bytes_before(layout.levels))
        self.layout = layout
        self.rows: Linear | None = None
        self.memory = self._allocate(device)
        self._has_memory = True

    def _allocate(self, device: Device) -> DriverImage:
        return self.context.allocate(device.driver_device.create_image, self.layout)

    def _free(self, device: Device, memory: DriverImage) -> None:
        self.context.retire(device, memory.close)

    def _copy_through(self, host: int, device: Device, memory: DriverImage) -> None:
        for level in range(self.layout.levels):
            rows = self.layout.tight(host + self.layout.bytes_before(level), level)
            copy_now("device_to_host", rows, self.device, self.memory, level)
            copy_now("host_to_device", rows, device, memory, level)

    def share(self, host: Any, rows: Linear) -> None:
        """Takes the application's own memory as the shadow (USE_HOST_PTR), and keeps it alive."""
        self.shadow, self.rows = Shadow(rows.address, self.device, owner=host), rows

    def host_side(self, level: int) -> Linear:
        """Where a level's elements are when they are mapped."""
        if not self.copies:
            there = self.memory.linear(level)
            assert there is not None, "memory that the host reaches is no order of a hardware's own"
            return there
        if self.rows is None:
            self.rows = self.layout.tight(self.make_shadow().address)
        if level == 0:
            return self.rows
        return self.layout.tight(self.rows.address + self.layout.bytes_before(level), level)


def copy_now(kind: Literal["device_to_host", "host_to_device"], rows: Linear, device: Device, image: DriverImage, level: int) -> None:
    """A level between host memory and an image on the device, outside every queue; it has ended on return."""
    part, region = ImagePart(image, level, START), extent_of(image.layout, level)
    destination, source = (rows, part) if kind == "device_to_host" else (part, rows)
    run_now(device, lambda stream: stream.copy_image(kind, destination, source, region))


class BufferElements:
    """Elements in a buffer: whatever becomes of the one's contents becomes of the other's."""

    _image: DriverImage | None = None
    _made_for: tuple[Device, int] | None = None  # where the buffer was then

    def __init__(self, buffer: Buffer, layout: ImageLayout, row_pitch: int):
        self.context = buffer.context
        self.layout = layout
        self.row_pitch = row_pitch
        self.size = row_pitch * layout.height
        self.buffer_storage = buffer.storage
        self.offset = buffer.offset
        self.mappings: dict[int, list[ImageMapping]] = {}

    def _rows(self, address: int) -> Linear:
        return Linear(address + self.offset, self.row_pitch, self.row_pitch * self.layout.height)

    def on(self, device: Device) -> DriverImage:
        address = self.buffer_storage.on(device)
        if self._image is None or self._made_for != (device, address):
            self._retire()
            self._image, self._made_for = device.driver_device.create_image(self.layout, self._rows(address)), (device, address)
        return self._image

    @property
    def copies(self) -> bool:
        return self.buffer_storage.copies

    def host_side(self, level: int) -> Linear:
        return self._rows(self.buffer_storage.host_address())

    def _retire(self) -> None:
        if self._image is not None and self._made_for is not None:
            self.context.retire(self._made_for[0], self._image.close)

    def __del__(self) -> None:
        self._retire()


Elements = ImageStorage | BufferElements
