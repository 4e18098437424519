"""The image formats (5.3.1.1): what an element is in memory. With which images and flags each works is in
`image/formats`.

One row a channel order, one a channel data type, one list of the pairs that are offered; all else derives
from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

Kind = Literal["unorm", "snorm", "int", "uint", "float"]


class ChannelOrder(NamedTuple):
    """`channels` are the components in memory, first to last: r, g, b, a, i(ntensity), l(uminance), d(epth)
    or x for none."""

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
    ChannelOrder("DEPTH", 0x10BD, "d"), ChannelOrder("DEPTH_STENCIL", 0x10BE, "dx"),
    ChannelOrder("sRGB", 0x10BF, "rgb"), ChannelOrder("sRGBx", 0x10C0, "rgbx"),
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
    ChannelType("UNORM_INT24", 0x10DF, 4, "unorm", (24,)), ChannelType("UNORM_INT_101010_2", 0x10E0, 4, "unorm", (10, 10, 10, 2)),
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

    @cached_property
    def is_srgb(self) -> bool:
        return self.order.name.startswith("s")

    @cached_property
    def is_depth(self) -> bool:
        return self.order.name.startswith("DEPTH")

    @cached_property
    def has_stencil(self) -> bool:
        """Only images that are shared with OpenGL have one, which kernels do not see (5.3.13.1)."""
        return self.order.name == "DEPTH_STENCIL"


_PLAIN = [name for name, type_ in TYPES.items() if not type_.bits]
_EIGHT_BITS = "UNORM_INT8 SNORM_INT8 SIGNED_INT8 UNSIGNED_INT8".split()
_GRAY = "UNORM_INT8 UNORM_INT16 SNORM_INT8 SNORM_INT16 HALF_FLOAT FLOAT".split()
# The types that go with each order (OpenCL 1.2, tables 5.6 and 5.7), in the order of the lists that programs
# get: the first ones are those that every device has. No order with an x is among them: "CL_Rx: a two channel image format, where
# [...] the second channel is ignored" (5.3.1.1), while Khronos' conformance tests take one channel for it, and an alpha of 1 for the
# border of all of them, where 6.15.15.1 says 0. A program that reads such an image by the tests' size gets more than it has room for.
_PAIRS = {
    "RGBA": [*_PLAIN, "UNORM_INT_101010_2"], "BGRA": _EIGHT_BITS, "R": _PLAIN, "RG": _PLAIN, "A": _PLAIN, "RA": _PLAIN,
    "ARGB": _EIGHT_BITS, "ABGR": _EIGHT_BITS, "INTENSITY": _GRAY, "LUMINANCE": _GRAY, "DEPTH": ["UNORM_INT16", "FLOAT"],
    "sRGBA": ["UNORM_INT8"], "sBGRA": ["UNORM_INT8"],
    "RGB": ["UNORM_SHORT_565", "UNORM_SHORT_555", "UNORM_INT_101010"],
}
FORMATS = tuple(ImageFormat(ORDERS[order], TYPES[type_]) for order, types in _PAIRS.items() for type_ in types)
