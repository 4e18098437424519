"""Images and samplers: the objects, and the plain data that describes them. Their transfers are in `image_transfers`."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from ..runtime.native import library as native
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from .constants import MODULE
from .context import Context
from .errors import from_runtime, guarded, make_error
from .handles import Handle, core_of, stands_for, to_python
from .integers import Field, cast_each, cl_bitfield, cl_uint, size_t
from .later import image_descriptors, image_formats, image_kinds, images, samplers, supported_formats
from .memory import MemoryObject, MemoryObjectHolder, allocated, allocated_after

_MOST_KINDS = 256  # of images that a context remembers


@functools.cache
def _orders() -> dict[int, image_formats.ChannelOrder]:
    return {order.code: order for order in image_formats.ORDERS.values()}


@functools.cache
def _types() -> dict[int, image_formats.ChannelType]:
    return {type_.code: type_ for type_ in image_formats.TYPES.values()}


@native.know_slots
class ImageFormat:
    """cl_image_format."""

    __slots__ = ("_channel_data_type", "_channel_order")
    _channel_order: int
    _channel_data_type: int
    channel_order = Field(cl_uint)
    channel_data_type = Field(cl_uint)

    def __init__(self, channel_order: int, channel_type: int) -> None:
        self.channel_order, self.channel_data_type = channel_order, channel_type

    @property
    def channel_count(self) -> int:
        """Channels in memory, an x too."""
        return len(self._of(_orders(), self.channel_order).channels)

    @property
    def dtype_size(self) -> int:
        """Bytes of a channel, or of all of them in a packed type."""
        return self._of(_types(), self.channel_data_type).size

    @property
    def itemsize(self) -> int:
        """Bytes of a pixel."""
        return self.dtype_size if self._of(_types(), self.channel_data_type).bits else self.channel_count * self.dtype_size

    @staticmethod
    def _of(table: dict[int, Any], code: int) -> Any:
        try:
            return table[code]
        except KeyError:
            raise make_error("ImageFormat", "INVALID_VALUE", f"{code:#x} is not a channel order or data type") from None


@native.know_slots
class ImageDescriptor:
    """cl_image_desc."""

    __slots__ = ("_array_size", "_image_type", "_num_mip_levels", "_num_samples", "_pitches", "_shape", "buffer")
    image_type = Field(cl_uint)
    array_size = Field(size_t)
    num_mip_levels = Field(cl_uint)
    num_samples = Field(cl_uint)

    def __init__(self) -> None:
        self._image_type = self._array_size = self._num_mip_levels = self._num_samples = 0
        self._pitches: tuple[int, ...] | None = None
        self.buffer: MemoryObjectHolder | None = None
        self._shape: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @shape.setter
    def shape(self, shape: Iterable[int]) -> None:
        """(width, height, depth or images); of an array of 1D images (width, images)."""
        self._shape = sides = (*cast_each(size_t, shape, "shape"), 1, 1)[:3]
        self._array_size = sides[1 if self._image_type == codes.MEM_OBJECT_IMAGE1D_ARRAY else 2]

    @property
    def pitches(self) -> tuple[int, ...] | None:
        """(of a row, of a slice) in bytes."""
        return self._pitches

    @pitches.setter
    def pitches(self, pitches: Iterable[int] | None) -> None:
        self._pitches = None if pitches is None else cast_each(size_t, pitches, "pitches")

    def _to_runtime(self) -> image_descriptors.ImageDescriptor:
        width, height, depth = (*self._shape, 0, 0, 0)[:3]
        row_pitch, slice_pitch = (*(self._pitches or ()), 0, 0)[:2]
        memory = None if self.buffer is None else core_of(self.buffer, MemoryObjectHolder, "buffer")
        return image_descriptors.ImageDescriptor(self._image_type, width, height, depth, self._array_size, row_pitch, slice_pitch,
                                                 self._num_mip_levels, self._num_samples, memory)


def get_supported_image_formats(context: Context, flags: int, image_type: int) -> list[ImageFormat]:
    try:
        found = supported_formats.supported_image_formats(core_of(context, Context, "context"), cl_bitfield(flags, "flags"),
                                                          cl_uint(image_type, "image_type"))
    except CLError as failure:
        raise from_runtime(failure) from None
    return [_format_of(each) for each in found]


def _format_of(known: image_formats.ImageFormat) -> ImageFormat:
    """Of codes that need no look."""
    made = _new_format(ImageFormat)
    made._channel_order, made._channel_data_type = known.order.code, known.type.code
    return made


_new_format = ImageFormat.__new__


def _by_descriptor(desc: ImageDescriptor, hostbuf: Any = None) -> tuple[ImageDescriptor, Any]:
    return desc, hostbuf


def _by_shape(shape: Sequence[int] | None = None, pitches: Sequence[int] | None = None,
              hostbuf: Any = None) -> tuple[ImageDescriptor, Any]:
    """The descriptor of an image of OpenCL 1.1, which is 2D or 3D."""
    if shape is None:
        if hostbuf is None:
            raise make_error("Image", "INVALID_VALUE", "'shape' must be passed if 'hostbuf' is not given")
        shape = hostbuf.shape
    if hostbuf is None and pitches is not None:
        raise make_error("Image", "INVALID_VALUE", "'pitches' may only be given if 'hostbuf' is given")
    if len(shape) not in (2, 3):
        raise make_error("Image", "INVALID_VALUE", "invalid dimension")
    desc = ImageDescriptor()
    desc.image_type = codes.MEM_OBJECT_IMAGE2D if len(shape) == 2 else codes.MEM_OBJECT_IMAGE3D
    desc.shape, desc.pitches = shape, pitches
    return desc, hostbuf


def _plain(context: Any, flags: int, pair: tuple[int, int], desc: ImageDescriptor) -> images.Image:
    """An image of the runtime's of its own elements, without host memory: programs make many of few kinds."""
    kind = None if flags & codes.MEM_COPY_HOST_PTR else context.image_kinds.get(_kind_key(flags, pair, desc))
    if kind is not None:
        return images.Image.of_kind(context, kind)
    return _noted(allocated(lambda: images.Image(context, flags, pair, desc._to_runtime())), flags, pair, desc)


def _kind_key(flags: int, pair: tuple[int, int], desc: ImageDescriptor) -> tuple[Any, ...]:
    """What a context knows the kind of an image by (runtime/native/images.c)."""
    return flags, *pair, desc._image_type, desc._shape, desc._array_size, desc._pitches, desc._num_mip_levels, desc._num_samples


def _sizes_key(flags: int, pair: tuple[int, int], desc: ImageDescriptor) -> tuple[Any, ...]:
    """What a context knows images of all sizes by, likewise."""
    return flags, *pair, desc._image_type, desc._num_mip_levels, desc._num_samples


def _noted(image: images.Image, flags: int, pair: tuple[int, int], desc: ImageDescriptor) -> images.Image:
    """The context knows its kind from then on, if others begin as it does, and others but for their sizes: code in C makes those with
    contents, too."""
    known = image.context.image_kinds
    for key, kind in ((_sizes_key(flags, pair, desc), image_kinds.sized_kind(image)), (_kind_key(flags, pair, desc), image.kind)):
        if kind is not None and len(known) < _MOST_KINDS:
            known[key] = kind
    return image


@stands_for("image.image.Image")
class Image(MemoryObject):
    """cl_mem of an image (5.3). Shapes, origins and regions are in pixels, x first; pitches in bytes."""

    def __init__(self, context: Context, flags: int, format: ImageFormat, *described: Any, **named: Any) -> None:
        """Called by PyOpenCL before 2024.3 only; later ones put their own in this one's place and call `_custom_init`."""
        Image._custom_init(self, context, flags, format, *described, **named)

    @staticmethod
    def _custom_init(h: Image, context: Context, flags: int, format: ImageFormat, *described: Any, **named: Any) -> None:
        """`(…, desc, hostbuf=None)`, or as before OpenCL 1.2 `(…, shape=None, pitches=None, hostbuf=None)`; `hostbuf` is host memory."""
        if len(described) == 2 and type(described[0]) is ImageDescriptor and not named:  # as PyOpenCL calls it
            desc, hostbuf = described
        else:
            by_descriptor = "desc" in named or (described and isinstance(described[0], ImageDescriptor))
            desc, hostbuf = (_by_descriptor if by_descriptor else _by_shape)(*described, **named)
        core = context._core if isinstance(context, Context) else core_of(context, Context, "context")
        if type(flags) is not int or flags >> 64:
            flags = cl_bitfield(flags, "flags")
        if hostbuf is not None and not flags & (codes.MEM_USE_HOST_PTR | codes.MEM_COPY_HOST_PTR):
            warnings.warn("'hostbuf' was passed, but no memory flags to make use of it.", UserWarning, stacklevel=3)
        if not isinstance(format, ImageFormat):
            raise TypeError(f"format must be a pyopencl.ImageFormat, not {type(format).__name__}")
        pair = (format._channel_order, format._channel_data_type)
        if hostbuf is None and desc.buffer is None:
            h._core = _plain(core, flags, pair, desc)
            return
        descriptor = desc._to_runtime()
        try:
            image = images.Image(core, flags, pair, descriptor, hostbuf)
        except CLError as failure:
            image = allocated_after(failure, lambda: images.Image(core, flags, pair, descriptor, hostbuf))
        h._core = _noted(image, flags, pair, desc) if flags & codes.MEM_COPY_HOST_PTR else image
        if flags & codes.MEM_USE_HOST_PTR:
            h._hostbuf = hostbuf

    @property
    def image(self) -> Image:
        """PyOpenCL's own tests ask for it, though its class does not have it."""
        return self

    @guarded
    def get_image_info(self, arg: int) -> Any:
        arg = cl_uint(arg, "arg")
        core = self._core
        answer = core.answers.get(arg)
        if answer is None:
            answer = core.get_image_info(arg)
            answer = ImageFormat(*answer) if arg == codes.IMAGE_FORMAT else to_python(answer)
            if arg in images.SAME_IN_KIND:
                core.answers[arg] = answer
        # A format may be changed by who has it.
        return ImageFormat(answer.channel_order, answer.channel_data_type) if arg == codes.IMAGE_FORMAT else answer

    _image_query_in_python = get_image_info


@stands_for("memory.sampler.Sampler")
class Sampler(Handle):
    """cl_sampler (5.7). Errors: INVALID_VALUE, INVALID_OPERATION on a device without images."""

    _invalid = "INVALID_SAMPLER"

    def __init__(self, context: Context, *args: Any) -> None:
        """A sampler of a list of properties and their values, or of (normalized coordinates, addressing mode, filter mode)."""
        core = context._core if isinstance(context, Context) else core_of(context, Context, "context")
        if len(args) not in (1, 3):
            raise TypeError(f"a sampler is made of one list of properties or of three values, not of {len(args)}")
        try:
            if len(args) == 1:
                self._core = samplers.Sampler(core, cast_each(cl_bitfield, args[0], "properties"))
                return
            normalized, addressing, filtering = args
            if type(addressing) is not int or addressing >> 32:
                addressing = cl_uint(addressing, "addressing mode")
            if type(filtering) is not int or filtering >> 32:
                filtering = cl_uint(filtering, "filter mode")
            self._core = samplers.create_sampler(core, normalized, addressing, filtering)
        except CLError as failure:
            raise from_runtime(failure) from None


_calls = native.calls()
if _calls is not None:
    for _structure, _name, _kind in ((ImageFormat, "channel_order", "number"), (ImageFormat, "channel_data_type", "number"),
                                     (ImageDescriptor, "image_type", "number"), (ImageDescriptor, "array_size", "number"),
                                     (ImageDescriptor, "num_mip_levels", "number"), (ImageDescriptor, "num_samples", "number"),
                                     (ImageDescriptor, "shape", "shape"), (ImageDescriptor, "pitches", "pitches")):
        setattr(_structure, _name, _calls.structure_attribute(vars(_structure)[_name], f"_{_name}", _kind))
    # What needs no look at anything but the object itself.
    _answers = {codes.IMAGE_ROW_PITCH: "row_pitch", codes.IMAGE_SLICE_PITCH: "slice_pitch"}
    Image.get_image_info = _calls.image_queries(Image, _answers)  # type: ignore[method-assign]
    Image._custom_init = _calls.image_maker(  # type: ignore[method-assign]
        Image._custom_init, ImageDescriptor, ImageFormat, MODULE)
