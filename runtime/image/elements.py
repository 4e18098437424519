"""The elements of an image: where they are now, in a storage of their own or in a buffer's, and the host memory for mapping them.

All kinds have `context`, `layout`, `mappings`, `acquire(device, stream, access)`, `host_side(level)` and `copies`.
"""

from __future__ import annotations

import math
import threading
from typing import Any, NamedTuple, overload

from ..context.context import Context
from ..context.snapshots import Snapshot
from ..devices.device import Device
from ..devices.transfer import Part
from ..driver.image_layout import ImageLayout
from ..driver.interface import DriverImage, ImagePart, Linear, Stream, Triple
from ..memory.buffer import Buffer
from ..memory.directory import Access
from ..memory.late import Late
from ..memory.mapping import BufferPart
from ..memory.replicated import Replicated
from ..memory.storage import BufferStorage, Shadow, Storage
from ..native import library as native
from ..process import ending
from .mapping import ImageMapping
from .region import Region

START: Triple = (0, 0, 0)


def extent_of(layout: ImageLayout, level: int) -> Triple:
    """A whole level as copies take it: (bytes, rows, planes)."""
    width, height, planes = layout.size(level)
    return width * layout.format.element_size, height, planes


class ImageStorage(Storage[DriverImage, ImageMapping]):
    """Elements of an image's own.

    rows      where they are in the shadow, of the first level
    """

    def __init__(self, context: Context, device: Device, layout: ImageLayout):
        super().__init__(context, device, layout.bytes)
        self.layout = layout
        self.rows: Linear | None = None
        self.memory = self._allocate(device)
        self.has_memory = True

    def _allocate(self, device: Device) -> DriverImage:
        return self.context.allocate(device.driver_device.create_image, self.layout)

    def _free(self, device: Device, memory: DriverImage) -> None:
        self.context.retire(self.context.freeing_device(device), memory.close, self.size)

    def have_memory(self) -> DriverImage:
        """The driver's image; of storage without memory yet, from here on."""
        return self.memory

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


class LateImageStorage(Late[DriverImage, ImageMapping], ImageStorage):
    """Elements in a context of one device that have memory from their first use on. `first` has what they are then, without gaps, if that
    was said."""

    routine, what = "clCreateImage", "an image"

    def __init__(self, context: Context, layout: ImageLayout, first: bytes | Snapshot = b""):
        Storage.__init__(self, context, context.devices[0], layout.bytes)  # ImageStorage would take the memory now
        self.layout = layout
        self.rows: Linear | None = None
        self._first = first

    @classmethod
    def in_memory(cls, context: Context, layout: ImageLayout, memory: DriverImage) -> LateImageStorage:
        storage = cls(context, layout)
        storage.memory, storage.has_memory = memory, True
        return storage

    def _taken(self) -> DriverImage:
        """One that earlier commands of the context's only queue may still use, which come before all that is done with this."""
        first, queue = self._first, self.context.only_queue()  # Another thread may have the first contents soon.
        image = self.context.take_image(self.layout.key, queue) if queue is not None else None
        if image is None:
            return self._filled()
        return self._begun(image, first, queue) if first else image

    def _free(self, device: Device, memory: DriverImage) -> None:
        if not self.context.pass_on(self.layout.key, memory, self.size):
            super()._free(device, memory)

    def _write_first(self, stream: Stream, memory: DriverImage, address: int) -> bool:
        write(stream, memory, self.layout, self.layout.tight(address))
        return False


class ElementsFromFirstUse:
    """The attribute `_elements` of an image that begins bare, as buffers do (`StorageFromFirstUse`)."""

    @overload
    def __get__(self, image: None, owner: type) -> ElementsFromFirstUse: ...
    @overload
    def __get__(self, image: Any, owner: type) -> Elements | None: ...

    def __get__(self, image: Any, owner: type) -> ElementsFromFirstUse | Elements | None:
        if image is None:
            return self
        if image.own_array is not None or not _begins_with(image, LateImageStorage(image.context, image.layout, image.first)):
            return _taken_over(image)
        image.first = b""
        elements: Elements | None = vars(image)["_elements"]
        return elements


def _begins_with(image: Any, elements: LateImageStorage) -> bool:
    """Whether the image has elements, these or those of another thread; False where code in C has taken its first contents meanwhile."""
    calls = native.calls()
    if calls is not None:
        return calls.begins_with(image, elements)
    vars(image).setdefault("_elements", elements)
    return True


def _taken_over(image: Any) -> Elements | None:
    """Those in the array that code in C has made for the image. Of threads that meet here one takes it."""
    context, layout, own = image.context, image.layout, image.own_array

    def storage_of(handles: tuple[int, ...]) -> LateImageStorage:
        images = context.devices[0].driver_device.native_images
        return LateImageStorage.in_memory(context, layout, images.adopted(layout, handles))

    with _taking_over:
        calls, known = native.calls(), vars(image)
        if calls is not None and own is not None and "_elements" not in known:
            known["_elements"] = calls.taken_over(own, storage_of)
            image.own_array = None
        return image._elements


_taking_over = threading.Lock()


class ReplicatedImage(Replicated[DriverImage, ImageMapping], ImageStorage):
    """Elements on each device that uses them. All of them have the same places."""

    def __init__(self, context: Context, device: Device, layout: ImageLayout):
        self.layout = layout
        self.rows: Linear | None = None
        Replicated.__init__(self, context, device, layout.bytes)

    def acquire(self, device: Device, stream: Stream, access: Access, start: int = 0, end: int | None = None) -> DriverImage:
        return super().acquire(device, stream, access)

    def _copy(self, stream: Stream, device: Device, memory: DriverImage, source: Device, there: DriverImage, start: int,
              end: int) -> None:
        peers = device.peer_copies(source)
        for level in range(self.layout.levels):
            region = extent_of(self.layout, level)
            here, of = ImagePart(memory, level, START), ImagePart(there, level, START)
            if peers is not None:
                peers.copy_image(stream, device.driver_device, here, source.driver_device, of, region)
            else:
                device.transfer_from(source).copy(stream, [_part(self.layout, level, here, of, region)])


def _part(layout: ImageLayout, level: int, here: ImagePart, there: ImagePart, region: Triple) -> Part:
    return Part(math.prod(region), lambda stream, host: stream.copy_image("device_to_host", layout.tight(host, level), there, region),
                lambda stream, host: stream.copy_image("host_to_device", here, layout.tight(host, level), region))


def image_storage(context: Context, device: Device, layout: ImageLayout) -> ImageStorage:
    return ImageStorage(context, device, layout) if context.one_device else ReplicatedImage(context, device, layout)


def write_now(storage: ImageStorage, rows: Linear) -> None:
    """The first level's first elements, from host memory, outside every queue: they are there on return."""
    storage.begin(lambda stream, image: write(stream, image, storage.layout, rows))


def write(stream: Stream, image: DriverImage, layout: ImageLayout, rows: Linear) -> None:
    """All of the first level."""
    stream.copy_image("host_to_device", ImagePart(image, 0, START), rows, extent_of(layout, 0))


def taken_for_first_use(context: Context, layout: ImageLayout, rows: Linear) -> LateImageStorage | None:
    """Elements that begin with the host's, which are copied now; None where they are to be written at once."""
    is_close = rows == layout.tight(rows.address) and not context.devices[0].host_addressable
    first = context.snapshots.copy_of(rows.address, layout.bytes) if is_close else None
    return None if first is None else LateImageStorage(context, layout, first)


class Spare(NamedTuple):
    """What the last image had of the driver's, and what kernels were given for it (`Image.arguments`)."""

    layout: ImageLayout
    image: DriverImage
    arguments: dict[Any, bytes]


class SpareImages:
    """Driver's images of a buffer's memory on its only device that nobody has, for the next ones that are like them: programs make an
    image of the same buffer again and again. They go with the memory."""

    MOST = 4
    _is_over = False  # Python's search for garbage finalizes what it has found in any order.

    def __init__(self, context: Context):
        self._context = context
        self._known: dict[tuple[int, Linear], Spare] = {}  # by the layout's identity

    @classmethod
    def of(cls, storage: BufferStorage) -> SpareImages:
        known = vars(storage)
        return known.get("spare_images") or known.setdefault("spare_images", cls(storage.context))

    def take(self, layout: ImageLayout, rows: Linear) -> Spare | None:
        return self._known.pop((id(layout), rows), None)

    def give(self, rows: Linear, spare: Spare) -> bool:
        """Whether it is kept: not where there is one like it, or there are enough."""
        return (not self._is_over and len(self._known) < self.MOST
                and self._known.setdefault((id(spare.layout), rows), spare) is spare)

    @ending.finalizer
    def __del__(self) -> None:
        self._is_over = True
        for spare in self._known.values():
            self._context.retire(self._context.freeing_device(self._context.devices[0]), spare.image.close)


class BufferElements:
    """Elements in a buffer, which has its memory by now: whatever becomes of the one's contents becomes of the other's."""

    has_memory = True

    def __init__(self, buffer: Buffer, storage: BufferStorage, layout: ImageLayout, rows: Linear, size: int):
        """In the buffer's storage, which has its memory; `rows` count from the buffer's start, and have so many bytes."""
        self.context = buffer.context
        self.layout = layout
        self.rows = rows
        self.size = size
        self.buffer_storage = storage
        self.offset = buffer.offset
        # Those of the buffer, and of whatever else is over it: what one has mapped for writing none of the others may map.
        self.mappings: dict[Any, list[Any]] = storage.mappings
        # For each device that has used them: where the buffer was then, and the image there.
        self._images: dict[Device, tuple[int, DriverImage]] = {}
        self._arguments: dict[Any, bytes] = {}

    def take_spare(self) -> dict[Any, bytes]:
        """What the last image like this one left, if there was one: what kernels are given for it."""
        (device,), address = self.context.devices, self.buffer_storage.memory
        spare = SpareImages.of(self.buffer_storage).take(self.layout, self._rows(address))
        if spare is None:
            return {}
        self._images[device], self._arguments = (address, spare.image), spare.arguments
        return spare.arguments.copy()

    def keep_argument(self, taken_as: Any, argument: bytes) -> None:
        self._arguments[taken_as] = argument

    def _rows(self, address: int) -> Linear:
        return self.rows._replace(address=address + self.offset)

    def acquire(self, device: Device, stream: Stream, access: Access) -> DriverImage:
        return self._at(device, self.buffer_storage.acquire(device, stream, access, self.offset, self.offset + self.size))

    def on(self, device: Device) -> DriverImage:
        return self._at(device, self.buffer_storage.on(device))

    def have_memory(self) -> None:
        """It has."""

    def _at(self, device: Device, address: int) -> DriverImage:
        known = self._images.get(device)
        if known is not None and known[0] == address:
            return known[1]
        made = device.driver_device.create_image(self.layout, self._rows(address))
        self._images[device] = address, made
        if known is not None:
            self._retire(device, known[1])
        return made

    @property
    def copies(self) -> bool:
        return self.buffer_storage.copies

    def host_side(self, level: int) -> Linear:
        return self._rows(self.buffer_storage.host_address())

    def listed_at(self, address: int) -> tuple[int, int]:
        """Where a region that is mapped there is listed: none of the buffer's, nor of another image's."""
        return id(self), address

    def part(self, region: Region) -> BufferPart:
        """Where the region is in the buffer."""
        (x, y, z), element = region.offset, self.layout.format.element_size
        return BufferPart(self._rows(0).at((x * element, y, z)), region.bytes_of(self.layout.format))

    def _retire(self, device: Device, image: DriverImage) -> None:
        self.context.retire(self.context.freeing_device(device), image.close)

    @ending.finalizer
    def __del__(self) -> None:
        for device, (address, image) in self._images.items():
            spare = Spare(self.layout, image, self._arguments)
            if not (self.context.one_device and SpareImages.of(self.buffer_storage).give(self._rows(address), spare)):
                self._retire(device, image)
        for place in list(self.mappings):  # What is mapped when the image goes is mapped no more.
            if isinstance(place, tuple) and place[0] == id(self):
                self.mappings.pop(place, None)


Elements = ImageStorage | BufferElements
