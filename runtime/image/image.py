"""Image objects (5.3): creation of all kinds, and clGetImageInfo.

An image is a view of `elements`: its own, a buffer's, or another image's under another channel order. What an image of each type and
format may be is in `descriptor` and `formats`, its commands are `commands/image.py`'s and `commands/image_map.py`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

from ..context.context import Context
from ..context.snapshots import Snapshot
from ..devices.device import Device
from ..driver.image_formats import ImageFormat
from ..driver.image_layout import ImageLayout
from ..driver.interface import DriverError, DriverImage, ImagePart, Linear, Stream, Triple
from ..driver.reported import cl_error
from ..memory import late
from ..memory.buffer import Buffer
from ..memory.directory import WRITE, Access
from ..memory.memory_object import HOST_POINTER, MemoryObject, check_host_pointer, checked_flags, inherited_flags
from ..native import library as native
from ..process import last_process
from ..queue.command import HOST_DONE, ISSUED, Outcome
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from .descriptor import MOST_KNOWN, ROUTINE, ImageDescriptor, fits, host_rows, layout_of, no_pitches, rows_in_buffer, wrong_with_pitches
from .elements import (
    BufferElements,
    Elements,
    ElementsFromFirstUse,
    ImageStorage,
    LateImageStorage,
    image_storage,
    taken_for_first_use,
    write_now,
)
from .formats import VIEWS, find, usage_of, works
from .mapping import ImageMapping
from .region import Region

AnyImage = TypeVar("AnyImage", bound="Image")


# Types whose origins and regions count rows and planes as CUDA's arrays do.
_COUNTED_AS_ARRAYS = (codes.MEM_OBJECT_IMAGE1D, codes.MEM_OBJECT_IMAGE2D, codes.MEM_OBJECT_IMAGE2D_ARRAY, codes.MEM_OBJECT_IMAGE3D)


class ImageKind(NamedTuple):
    """What has been checked of an image of its own elements, whose host memory, if it had some, was copied: these attributes of it.
    Images of a kind have the same dictionary of answers."""

    flags: int
    format: ImageFormat
    descriptor: ImageDescriptor
    layout: ImageLayout
    type: int
    size: int
    answers: dict[int, Any]
    sizes: tuple[int, int, int, int]
    array_kind: bytes


class ArrayFacts(NamedTuple):
    """What code in C knows an image of one device by (struct array of runtime/native/boxes.h)."""

    array: int
    flags: int
    element_size: int
    sides: Triple
    rows: Linear
    has_planes: bool


@native.know_slots
class Image(MemoryObject):
    """cl_mem of an image. `image_format` is (channel order, channel data type); `host` any contiguous object with the elements of
    the first bytes on, its rows as the descriptor's pitches say.

    arguments     what kernels are given for it, by what they take it as: the memory of `arguments.py`
    known_array   code in C's, once a command has used the image, until it is released; False where commands are Python's
    first         of one that begins bare: its first contents, until it is used
    answers       what a face has answered to the queries of SAME_IN_KIND
    sizes         the descriptor's width, height, depth and images in an array. One that code in C has made of them has its descriptor and
                  layout from the first look at these on.
    array_kind    what code in C makes its array by at the first use, where it begins bare (struct image_kind of
                  runtime/native/image_arrays.h); else nothing
    own_array     that array, until Python asks for the elements

    Code in C makes images of known kinds, and releases them (runtime/native/images.c, objects.c).
    """

    # Where code in C finds them soonest: the fields of ImageKind, and what it makes beside.
    __slots__ = (*ImageKind._fields, "arguments", "context", "known_array", "own_array")
    host: Any = None
    parent: Any = None
    offset = 0
    _row_pitch = _slice_pitch = 0
    known_array: object
    own_array: Any
    array_kind: bytes
    first: bytes | Snapshot = b""
    _elements = ElementsFromFirstUse()

    def __init__(self, context: Context, flags: int, image_format: tuple[int, int], descriptor: ImageDescriptor, host: Any = None):
        last_process.note_image()
        self.context = context
        self.known_array = self.own_array = None
        self.array_kind = b""
        self.format = find(ROUTINE, *image_format)
        self.descriptor = descriptor
        self.sizes = descriptor.width, descriptor.height, descriptor.depth, descriptor.array_size
        self.type = descriptor.image_type
        self.layout = layout_of(descriptor, self.format)
        self.arguments: dict[Any, bytes] = {}
        self.answers: dict[int, Any] = {}
        if descriptor.mem_object is not None:
            self.parent = descriptor.mem_object
            self._row_pitch, self._slice_pitch = descriptor.row_pitch, descriptor.slice_pitch
            elements: Elements | None = self._shared_elements(flags, host)
            if context.one_device and isinstance(self.parent, Buffer) and isinstance(elements, BufferElements):
                self.arguments = elements.take_spare()
            self.host = self.parent.host
            self.uses_svm = self.parent.uses_svm
            self.live_in(self.parent)
        else:
            self.flags = checked_flags(ROUTINE, flags)
            check_host_pointer(ROUTINE, flags, host)
            if host is not None:
                self._row_pitch, self._slice_pitch = descriptor.row_pitch, descriptor.slice_pitch
                if flags & codes.MEM_USE_HOST_PTR:
                    self.host = host
            elements = self._own_elements(host)
        if elements is not None:
            self._elements = elements
            self.size = elements.size
        else:
            self.size = self.layout.bytes

    # Creation

    @classmethod
    def over(cls: type[AnyImage], context: Context, flags: int, image_format: ImageFormat, descriptor: ImageDescriptor,
             make: Callable[[ImageLayout, Device], Elements]) -> AnyImage:
        """An image over elements that `make` brings for the first device that can have it: of another API. The flags are checked
        already."""
        image = cls.__new__(cls)
        image.context, image.flags, image.format, image.descriptor = context, flags, image_format, descriptor
        image.type, image.parent, image.host, image.offset, image.arguments = descriptor.image_type, None, None, 0, {}
        image.known_array = image.own_array = None
        image.answers, image.array_kind = {}, b""
        image._row_pitch, image._slice_pitch = descriptor.row_pitch, descriptor.slice_pitch
        image.layout = layout_of(descriptor, image_format)
        image._elements = make(image.layout, image._home())
        image.size = image._elements.size
        return image

    @classmethod
    def of_kind(cls, context: Context, kind: ImageKind) -> Image:
        """An image that begins bare, of a kind that the context has had one of."""
        image = cls.__new__(cls)
        image.context = context
        (image.flags, image.format, image.descriptor, image.layout, image.type, image.size, image.answers, image.sizes,
         image.array_kind) = kind
        image.arguments, image.known_array, image.own_array = {}, None, None
        context.reclaim_much()
        return image

    def __getattr__(self, name: str) -> Any:
        if name not in ("descriptor", "layout"):
            raise AttributeError(f"an image has no attribute {name!r}")
        self.descriptor = ImageDescriptor(self.type, *self.sizes)
        self.layout = layout_of(self.descriptor, self.format)
        return self.descriptor if name == "descriptor" else self.layout

    @property
    def kind(self) -> ImageKind | None:
        """What `of_kind` makes others like this one of; None where that is not all there is to it, but for first contents that are kept
        for the first use."""
        if self.parent is not None or not self._begins_bare or (self.flags & HOST_POINTER and not self._keeps_contents):
            return None
        return ImageKind(self.flags, self.format, self.descriptor, self.layout, self.type, self.size, self.answers, self.sizes,
                         self.native_kind())

    def native_kind(self) -> bytes:
        """What code in C makes the arrays by of images that are like this one but for their sizes, at their first use (struct image_kind of
        runtime/native/image_arrays.h); nothing where Python makes them."""
        device = self.context.devices[0]
        images = device.driver_device.native_images
        if images is None or not self.context.one_device or not self.counts_as_array:
            return b""
        stream = device.service_stream.native()
        return images.kind(self.layout, self.flags, stream.handle) if stream else b""

    @property
    def _keeps_contents(self) -> bool:
        """It is to begin with memory of the host's at its first use: with all of its elements, without gaps."""
        elements = vars(self).get("_elements")
        return isinstance(elements, LateImageStorage) and elements.has_first

    @property
    def _begins_bare(self) -> bool:
        return self.context.one_device and self.layout.bytes <= late.LARGEST

    def _own_elements(self, host: Any) -> ImageStorage | None:
        """None where they come with the first use."""
        if self.type == codes.MEM_OBJECT_IMAGE1D_BUFFER:
            raise CLError(ROUTINE, "INVALID_IMAGE_DESCRIPTOR", "a 1D image buffer is made from a buffer: mem_object is NULL")
        rows = None
        if host is None:
            no_pitches(self.descriptor)
        elif self.layout.levels > 1:
            raise CLError(ROUTINE, "INVALID_VALUE", "a mipmapped image has no host pointer: neither USE_HOST_PTR nor COPY_HOST_PTR")
        else:
            rows = host_rows(self.descriptor, self.layout, host)
        home = self._home()
        if not self.flags & (HOST_POINTER & ~codes.MEM_COPY_HOST_PTR) and self._begins_bare:
            self.context.reclaim_much()
            if rows is None:
                return None
            late_storage = taken_for_first_use(self.context, self.layout, rows)
            if late_storage is not None:
                return late_storage
        try:
            storage = image_storage(self.context, home, self.layout)
            if rows is not None:
                write_now(storage, rows)
                if self.host is not None:
                    storage.share(self.host, rows)
            if self.flags & codes.MEM_ALLOC_HOST_PTR:
                storage.host_side(0)
        except DriverError as error:
            raise cl_error(ROUTINE, error) from error
        return storage

    def _home(self) -> Device:
        """The first device that can have the image, or the error that says why there is none."""
        failure: CLError | None = None
        for device in self.context.devices:
            try:
                self.check_device(ROUTINE, device)
                return device
            except CLError as error:
                failure = failure or error
        assert failure is not None, "a context has devices"
        raise failure

    def check_device(self, routine: str, device: Device) -> None:
        """The device supports images, such large ones, of this format."""
        limits = device.properties.images
        if limits is None:
            raise CLError(routine, "INVALID_OPERATION", "the device does not support images: ask CL_DEVICE_IMAGE_SUPPORT")
        if not fits(self.layout, self.type, limits):
            raise CLError(routine, "INVALID_IMAGE_SIZE", f"{self.layout.size()} elements are more than an image of the device may have")
        if not works(self.type, usage_of(self.flags), self.format):
            raise CLError(routine, "IMAGE_FORMAT_NOT_SUPPORTED",
                          f"the device has no images of this type and use in {self.format}: ask clGetSupportedImageFormats")

    def _shared_elements(self, flags: int, host: Any) -> Elements:
        parent = self.parent
        if not isinstance(parent, (Buffer, Image)) or parent.context is not self.context:
            raise CLError(ROUTINE, "INVALID_IMAGE_DESCRIPTOR", "mem_object is not a buffer or image of the context")
        if host is not None:
            raise CLError(ROUTINE, "INVALID_HOST_PTR", "an image made from another memory object has no host pointer of its own")
        if isinstance(parent, Buffer):
            made_so = (flags, parent.flags, parent.offset, parent.size, self.format, *self.descriptor[:-1])
            known = self.context.buffer_images.get(made_so)
            if known is not None:
                self.flags, rows, size = known
                return BufferElements(parent, parent.used_storage(), self.layout, rows, size)
        # "CL_INVALID_VALUE if CL_MEM_IMMUTABLE_EXT is not set in flags and mem_object was created with CL_MEM_IMMUTABLE_EXT"
        if parent.flags & codes.MEM_IMMUTABLE_EXT and not flags & codes.MEM_IMMUTABLE_EXT:
            raise CLError(ROUTINE, "INVALID_VALUE", "an image made from an immutable memory object is told to be one: CL_MEM_IMMUTABLE_EXT")
        self.flags = inherited_flags(ROUTINE, "image", parent.flags, flags)
        self._home()
        if isinstance(parent, Image):
            return self._over_image(parent)
        elements = self._over_buffer(parent)
        if len(self.context.buffer_images) < MOST_KNOWN:
            self.context.buffer_images[made_so] = self.flags, elements.rows, elements.size
        return elements

    def _over_buffer(self, buffer: Buffer) -> BufferElements:
        one_row = self.layout.dimensions == 1 and not self.layout.layers
        pitches = self.descriptor.row_pitch, self.descriptor.slice_pitch
        if one_row and pitches != (self.layout.tight(0).row_pitch, 0):  # which clCreateImage's table wants to be 0
            no_pitches(self.descriptor)
        rows = rows_in_buffer(self.descriptor, self.layout)
        self._check_alignment(buffer, rows)
        # "CL_INVALID_IMAGE_SIZE [...] if the cl_ext_image_from_buffer extension is supported and [...] the buffer passed in mem_object is
        # too small"
        needed = rows.slice_pitch * self.layout.size()[2]
        if needed > buffer.size:
            raise CLError(ROUTINE, "INVALID_IMAGE_SIZE",
                          f"{needed} bytes, in rows of {rows.row_pitch}, do not fit into the buffer's {buffer.size}")
        return BufferElements(buffer, buffer.used_storage(), self.layout, rows, needed)

    def _check_alignment(self, buffer: Buffer, rows: Linear) -> None:
        """CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "if an image is created from a buffer and the row pitch, or slice pitch, [...] or base
        address alignment do not follow the rules described for creating an image from a buffer"."""
        wrong = wrong_with_pitches(rows, self.layout)
        if wrong:
            raise CLError(ROUTINE, "INVALID_IMAGE_FORMAT_DESCRIPTOR", wrong)
        base = max(each.properties.images.base_align for each in self.context.devices if each.properties.images)
        if buffer.offset % base:
            raise CLError(ROUTINE, "INVALID_IMAGE_FORMAT_DESCRIPTOR",
                          f"the sub-buffer's origin {buffer.offset} is no multiple of {base} (CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT)")

    def _over_image(self, image: Image) -> Elements:
        """"All of the values specified in image_desc must match the image descriptor information associated with mem_object"."""
        if self.type != codes.MEM_OBJECT_IMAGE2D or image.type != codes.MEM_OBJECT_IMAGE2D:
            raise CLError(ROUTINE, "INVALID_IMAGE_DESCRIPTOR", "only a 2D image can be made from an image, and only from a 2D image")
        mine = (self.layout.width, self.layout.height, self.layout.levels)
        theirs = (image.layout.width, image.layout.height, image.layout.levels)
        pitches = (self.descriptor.row_pitch or image.row_pitch, self.descriptor.slice_pitch)
        if mine != theirs or pitches != (image.row_pitch, 0):
            raise CLError(ROUTINE, "INVALID_IMAGE_FORMAT_DESCRIPTOR", "the descriptor is not that of the image it is made from")
        if self.format.type != image.format.type or image.format.order.name not in VIEWS.get(self.format.order.name, ()):
            raise CLError(ROUTINE, "INVALID_IMAGE_FORMAT_DESCRIPTOR", f"{image.format} cannot be taken as {self.format} (table 26)")
        self._row_pitch = image.row_pitch
        return image.elements

    # Use

    @property
    def elements(self) -> Elements:
        """CLError INVALID_MEM_OBJECT after `release`."""
        if self._elements is None:
            raise CLError("clRetainMemObject", "INVALID_MEM_OBJECT", "the image has been released")
        return self._elements

    @property
    def released(self) -> bool:
        return vars(self).get("_elements", self) is None  # One that begins bare has none until they are asked for.

    def used_elements(self) -> Elements:
        """The elements for a command, which have their memory from here on, as a buffer's storage has."""
        elements = self.elements
        if not elements.has_memory:
            elements.have_memory()
        return elements

    def adopt(self, memory: DriverImage) -> None:
        """Of one that begins bare: its memory, which code in C has made, with its contents."""
        self._elements = LateImageStorage.in_memory(self.context, self.layout, memory)

    def disown(self) -> None:
        """Its memory is another object's."""
        self.elements.has_memory = False

    def place(self, access: Access) -> Callable[[Device, Stream], Any]:
        elements = self.used_elements()
        return lambda device, stream: elements.acquire(device, stream, access)

    def at(self, region: Region, access: Access) -> Callable[[Device, Stream], ImagePart]:
        """Where commands that do this with the region's elements find them on their device, also if the image is released before they
        run."""
        elements = self.used_elements()
        if self.known_array is None:
            self.known_array = self._known_array(elements)
        (x, y, z), size = region.offset, self.format.element_size
        return lambda device, stream: ImagePart(elements.acquire(device, stream, access), region.level, (x * size, y, z))

    def _known_array(self, elements: Elements) -> object:
        """What code in C has its commands by; False where they are Python's."""
        calls, facts = native.calls(), self.array_facts()
        return False if calls is None or facts is None else calls.known_array(self.context, self.format, elements, *facts)

    @property
    def counts_as_array(self) -> bool:
        """Whether origins and regions count its rows and planes as CUDA's arrays do, and its elements are those of one array."""
        return not self.format.has_stencil and self.type in _COUNTED_AS_ARRAYS and self.layout.levels == 1

    def array_facts(self) -> ArrayFacts | None:
        """Of an image that a command has used; None where commands are Python's."""
        elements, layout, device = self.used_elements(), self.layout, self.context.devices[0]
        if not self.context.one_device or not isinstance(elements, ImageStorage) or not self.counts_as_array:
            return None
        array, rows = elements.memory.array, elements.memory.linear(0) if device.host_addressable else None
        if not array and rows is None:
            return None
        return ArrayFacts(array, self.flags, self.format.element_size, layout.size(), rows or Linear(0, 0, 0), bool(self.slice_pitch))

    def host_side(self, region: Region) -> Linear:
        """Where the host finds them when they are mapped."""
        x, y, z = region.offset
        return self.elements.host_side(region.level).at((x * self.format.element_size, y, z))

    def argument(self, states: int) -> bytes:
        """What a kernel is given for the image, in a context of one device, which reads it in these states of samplers (`states_of`): 0 for
        one that does not sample it."""
        calls = native.calls() if self.array_kind else None
        own = None if calls is None else calls.own_argument(self, states)
        if own is not None:
            return own
        return self.elements.on(self.context.devices[0]).argument(self.format, states != 0)

    def keep_argument(self, taken_as: Hashable, argument: bytes) -> None:
        """What a kernel was given for it, until it is released; the next image of the same part of a buffer has it, too."""
        self.arguments[taken_as] = argument
        if isinstance(self.parent, Buffer) and isinstance(self._elements, BufferElements):
            self._elements.keep_argument(taken_as, argument)

    def argument_on(self, sampled: bool, access: Access) -> Callable[[Device, Stream], bytes]:
        """What gives what a kernel that does this with the image is given for it on the device, also if the image is released before it
        runs."""
        place, format_ = self.place(access), self.format

        def given(device: Device, stream: Stream) -> bytes:
            self.check_device("clEnqueueNDRangeKernel", device)
            return place(device, stream).argument(format_, sampled)

        return given

    def write_back(self, mapping: ImageMapping, address: int) -> Callable[[Stream, Device], Outcome]:
        place, size = self.at(mapping.region, WRITE), mapping.region.bytes_of(self.format)

        def run(stream: Stream, device: Device) -> Outcome:
            if not (mapping.copy and mapping.writes):
                return HOST_DONE
            stream.copy_image("host_to_device", place(device, stream), mapping.rows, size)
            return ISSUED

        return run

    # Queries

    @property
    def mappings(self) -> dict[Any, list[Any]]:
        return self.elements.mappings

    def listed_at(self, address: int) -> Hashable:
        elements = self.elements
        return elements.listed_at(address) if isinstance(elements, BufferElements) else address

    def mapping(self, region: Region, rows: Linear, flags: int) -> ImageMapping:
        """The region as mapped to these rows."""
        elements = self.elements
        return ImageMapping(region, rows, flags, elements.copies, elements.part(region) if isinstance(elements, BufferElements) else None)

    @property
    def height(self) -> int:
        """As CL_IMAGE_HEIGHT tells it: 0 where the image has no such dimension. So is the depth."""
        return self.layout.height if self.layout.dimensions > 1 else 0

    @property
    def depth(self) -> int:
        return self.layout.depth if self.layout.dimensions > 2 else 0

    @property
    def row_pitch(self) -> int:
        if not self._row_pitch:
            self._row_pitch = self.layout.tight(0).row_pitch
        return self._row_pitch

    @property
    def slice_pitch(self) -> int:
        """0 where the image has only one plane and can have no more."""
        if self.layout.layers or self.layout.dimensions == 3:
            return self._slice_pitch or self.row_pitch * self.layout.height
        return 0

    def get_image_info(self, param: int) -> Any:
        """clGetImageInfo."""
        return IMAGE_QUERIES.get(self, param)

    def release(self) -> None:
        """clReleaseMemObject: the elements go once other views of them are released and commands that use them have ended."""
        self.end_life()
        self._elements = self.parent = self.known_array = self.own_array = None
        self.first = b""
        self.arguments.clear()
        self.context.reclaim_much()


IMAGE_QUERIES = QueryTable[Image]("clGetImageInfo", (
    ("IMAGE_FORMAT", "image_format", lambda i: (i.format.order.code, i.format.type.code)),
    ("IMAGE_ELEMENT_SIZE", "size_t", lambda i: i.format.element_size),
    ("IMAGE_ROW_PITCH", "size_t", lambda i: i.row_pitch),
    ("IMAGE_SLICE_PITCH", "size_t", lambda i: i.slice_pitch),
    ("IMAGE_WIDTH", "size_t", lambda i: i.layout.width),
    ("IMAGE_HEIGHT", "size_t", lambda i: i.height),
    ("IMAGE_DEPTH", "size_t", lambda i: i.depth),
    ("IMAGE_ARRAY_SIZE", "size_t", lambda i: i.layout.layers),
    ("IMAGE_BUFFER", "object", lambda i: i.parent if isinstance(i.parent, Buffer) else None),
    ("IMAGE_NUM_MIP_LEVELS", "uint", lambda i: i.descriptor.num_mip_levels),
    ("IMAGE_NUM_SAMPLES", "uint", lambda i: 0),
))

# What two images of a kind answer alike, for as long as they live.
SAME_IN_KIND = frozenset((codes.IMAGE_FORMAT, codes.IMAGE_ELEMENT_SIZE, codes.IMAGE_WIDTH, codes.IMAGE_HEIGHT, codes.IMAGE_DEPTH,
                          codes.IMAGE_ARRAY_SIZE, codes.IMAGE_NUM_MIP_LEVELS, codes.IMAGE_NUM_SAMPLES))

native.know("image", Image)
native.know("image_fields", ImageKind._fields)
