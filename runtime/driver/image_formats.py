"""The image formats (5.3.1.1): what an element is in memory, and with which images and flags each format works.

One row a channel order, one a channel data type, one list of the pairs that are offered; all else derives from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...builtins.extensions import EXTENSIONS, FEATURES
from ..spec import codes
from ..spec.errors import CLError

if TYPE_CHECKING:
    from ..context.context import Context

Kind = Literal["unorm", "snorm", "int", "uint", "float"]


class ChannelOrder(NamedTuple):
    """`channels` are the components in memory, first to last: r, g, b, a, i(ntensity), l(uminance), d(epth) or x for none."""

    name: str
    code: int
    channels: str


class ChannelType(NamedTuple):
    """size    bytes of a channel, or of the whole element of a packed type
    kind    what a channel's bits mean
    bits    of a packed type, the channels' widths from the most significant one on, without unused ones
    """

    name: str
    code: int
    size: int
    kind: Kind
    bits: tuple[int, ...] = ()


ORDERS = {order.name: order for order in (
    ChannelOrder("R", 0x10B0, "r"), ChannelOrder("A", 0x10B1, "a"), ChannelOrder("RG", 0x10B2, "rg"), ChannelOrder("RA", 0x10B3, "ra"),
    ChannelOrder("RGB", 0x10B4, "rgb"), ChannelOrder("RGBA", 0x10B5, "rgba"), ChannelOrder("BGRA", 0x10B6, "bgra"),
    ChannelOrder("ARGB", 0x10B7, "argb"), ChannelOrder("INTENSITY", 0x10B8, "i"), ChannelOrder("LUMINANCE", 0x10B9, "l"),
    ChannelOrder("Rx", 0x10BA, "rx"), ChannelOrder("RGx", 0x10BB, "rgx"), ChannelOrder("RGBx", 0x10BC, "rgbx"),
    ChannelOrder("DEPTH", 0x10BD, "d"), ChannelOrder("sRGB", 0x10BF, "rgb"), ChannelOrder("sRGBx", 0x10C0, "rgbx"),
    ChannelOrder("sRGBA", 0x10C1, "rgba"), ChannelOrder("sBGRA", 0x10C2, "bgra"), ChannelOrder("ABGR", 0x10C3, "abgr"),
)}

TYPES = {type_.name: type_ for type_ in (
    ChannelType("SNORM_INT8", 0x10D0, 1, "snorm"), ChannelType("SNORM_INT16", 0x10D1, 2, "snorm"),
    ChannelType("UNORM_INT8", 0x10D2, 1, "unorm"), ChannelType("UNORM_INT16", 0x10D3, 2, "unorm"),
    ChannelType("UNORM_SHORT_565", 0x10D4, 2, "unorm", (5, 6, 5)), ChannelType("UNORM_SHORT_555", 0x10D5, 2, "unorm", (5, 5, 5)),
    ChannelType("UNORM_INT_101010", 0x10D6, 4, "unorm", (10, 10, 10)),
    ChannelType("SIGNED_INT8", 0x10D7, 1, "int"), ChannelType("SIGNED_INT16", 0x10D8, 2, "int"),
    ChannelType("SIGNED_INT32", 0x10D9, 4, "int"), ChannelType("UNSIGNED_INT8", 0x10DA, 1, "uint"),
    ChannelType("UNSIGNED_INT16", 0x10DB, 2, "uint"), ChannelType("UNSIGNED_INT32", 0x10DC, 4, "uint"),
    ChannelType("HALF_FLOAT", 0x10DD, 2, "float"), ChannelType("FLOAT", 0x10DE, 4, "float"),
    ChannelType("UNORM_INT_101010_2", 0x10E0, 4, "unorm", (10, 10, 10, 2)),
)}


@dataclass(frozen=True)
class ImageFormat:
    """cl_image_format, of an order and a type that go together."""

    order: ChannelOrder
    type: ChannelType

    def __str__(self) -> str:
        return f"CL_{self.order.name}, CL_{self.type.name}"

    @property
    def packed(self) -> bool:
        return bool(self.type.bits)

    @cached_property
    def channels(self) -> int:
        """Channels that lie in memory by themselves."""
        return 1 if self.packed else len(self.order.channels)

    @cached_property
    def element_size(self) -> int:
        return self.type.size * self.channels

    @property
    def is_integer(self) -> bool:
        """Read and written by read_imagei and read_imageui, without filters."""
        return self.type.kind in ("int", "uint")

    @property
    def is_srgb(self) -> bool:
        return self.order.name.startswith("s")

    @property
    def is_depth(self) -> bool:
        return self.order.name == "DEPTH"


_PLAIN = [name for name, type_ in TYPES.items() if not type_.bits]
_EIGHT_BITS = "UNORM_INT8 SNORM_INT8 SIGNED_INT8 UNSIGNED_INT8".split()
_GRAY = "UNORM_INT8 UNORM_INT16 SNORM_INT8 SNORM_INT16 HALF_FLOAT FLOAT".split()
# The types that go with each order (OpenCL 1.2, tables 5.6 and 5.7), in the order of the lists that programs get: the first ones
# are those that every device has.
_PAIRS = {
    "RGBA": [*_PLAIN, "UNORM_INT_101010_2"], "BGRA": _EIGHT_BITS, "R": _PLAIN, "RG": _PLAIN, "A": _PLAIN, "RA": _PLAIN, "Rx": _PLAIN,
    "RGBx": _PLAIN, "ARGB": _EIGHT_BITS, "ABGR": _EIGHT_BITS, "INTENSITY": _GRAY, "LUMINANCE": _GRAY, "DEPTH": ["UNORM_INT16", "FLOAT"],
    "sRGBA": ["UNORM_INT8"], "sBGRA": ["UNORM_INT8"], "sRGBx": ["UNORM_INT8"],
    "RGB": ["UNORM_SHORT_565", "UNORM_SHORT_555", "UNORM_INT_101010"],
}
FORMATS = tuple(ImageFormat(ORDERS[order], TYPES[type_]) for order, types in _PAIRS.items() for type_ in types)
_BY_CODES = {(each.order.code, each.type.code): each for each in FORMATS}
_ORDERS = {each.code: each for each in ORDERS.values()}
_TYPES = {each.code: each for each in TYPES.values()}

IMAGE_TYPES = (codes.MEM_OBJECT_IMAGE1D, codes.MEM_OBJECT_IMAGE1D_BUFFER, codes.MEM_OBJECT_IMAGE1D_ARRAY, codes.MEM_OBJECT_IMAGE2D,
               codes.MEM_OBJECT_IMAGE2D_ARRAY, codes.MEM_OBJECT_IMAGE3D)
_PLANES = (codes.MEM_OBJECT_IMAGE2D, codes.MEM_OBJECT_IMAGE2D_ARRAY)
_WRITES = codes.MEM_READ_WRITE | codes.MEM_WRITE_ONLY | codes.MEM_KERNEL_READ_AND_WRITE
_USAGE = codes.MEM_READ_WRITE | codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY | codes.MEM_KERNEL_READ_AND_WRITE

# Table 26: an image's order, and those of the images that it can be made from.
VIEWS = {
    "sBGRA": ("BGRA",), "BGRA": ("sBGRA",), "sRGBA": ("RGBA",), "RGBA": ("sRGBA",), "sRGB": ("RGB",), "RGB": ("sRGB",),
    "sRGBx": ("RGBx",), "RGBx": ("sRGBx",), "DEPTH": ("R",),
}


def works(image_type: int, flags: int, image_format: ImageFormat) -> bool:
    """Whether images of the type and format do all that the flags allow, on every driver: where hardware has no textures of a format,
    kernels compute what they read."""
    writes = bool(flags & _WRITES)
    if image_format.is_depth and (image_type not in _PLANES or not EXTENSIONS["cl_khr_depth_images"].offered):
        return False  # "Support for the CL_DEPTH image channel order is required only for 2D images and 2D image arrays."
    if image_format.is_srgb and (image_type == codes.MEM_OBJECT_IMAGE1D_BUFFER
                                 or (writes and not EXTENSIONS["cl_khr_srgb_image_writes"].offered)):
        return False
    if writes and image_type == codes.MEM_OBJECT_IMAGE3D and not FEATURES["__opencl_c_3d_image_writes"].offered:
        return False
    return not flags & codes.MEM_KERNEL_READ_AND_WRITE or FEATURES["__opencl_c_read_write_images"].offered


def find(routine: str, order: int, data_type: int) -> ImageFormat:
    """The format of two codes. CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "if values specified in image_format are not valid"; a pair of
    valid ones that nobody offers is CL_IMAGE_FORMAT_NOT_SUPPORTED."""
    found = _BY_CODES.get((order, data_type))
    if found is not None:
        return found
    if order not in _ORDERS or data_type not in _TYPES:
        raise CLError(routine, "INVALID_IMAGE_FORMAT_DESCRIPTOR", f"({order:#x}, {data_type:#x}) is not a channel order and data type")
    made = ImageFormat(_ORDERS[order], _TYPES[data_type])
    # "The number of bits per element [...] must be a power of two", and the packed types say which order they take.
    impossible = made.packed or made.channels == 3
    raise CLError(routine, "INVALID_IMAGE_FORMAT_DESCRIPTOR" if impossible else "IMAGE_FORMAT_NOT_SUPPORTED",
                  f"{made} do not go together: ask clGetSupportedImageFormats")


def supported_image_formats(context: Context, flags: int, image_type: int) -> Sequence[ImageFormat]:
    """clGetSupportedImageFormats: "a union of image formats supported by all devices in the context"."""
    routine = "clGetSupportedImageFormats"
    if image_type not in IMAGE_TYPES:
        raise CLError(routine, "INVALID_VALUE", f"{image_type:#x} is not an image type")
    usage = flags & _USAGE or codes.MEM_READ_WRITE
    known = _USAGE | codes.MEM_USE_HOST_PTR | codes.MEM_ALLOC_HOST_PTR | codes.MEM_COPY_HOST_PTR | codes.MEM_HOST_READ_ONLY | (
        codes.MEM_HOST_WRITE_ONLY | codes.MEM_HOST_NO_ACCESS)
    if flags & ~known or (usage & (usage - 1) and usage != codes.MEM_READ_WRITE | codes.MEM_KERNEL_READ_AND_WRITE):
        raise CLError(routine, "INVALID_VALUE", f"{flags:#x} is not a set of flags that go together")
    if not any(device.properties.images for device in context.devices):
        return []
    return [each for each in FORMATS if works(image_type, usage, each)]
