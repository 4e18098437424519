"""What a kernel is given for an image: `image_argument` of builtins/library/shared/image.cuh, which both drivers fill."""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ...builtins.opaque import SAMPLER_BITS
from .image_formats import ImageFormat
from .image_layout import ImageLayout
from .interface import Linear

Address = Literal["clamp_to_edge", "clamp", "repeat", "mirrored_repeat"]


class TextureState(NamedTuple):
    """What a texture takes of a sampler."""

    normalized: bool
    address: Address
    linear: bool


_MODES: tuple[Address, ...] = ("clamp_to_edge", "clamp", "repeat", "mirrored_repeat")
# The order of `textures`, by `texture_for` of builtins/library/cuda/textures.cuh.
TEXTURE_STATES = (
    *(TextureState(True, mode, False) for mode in _MODES),
    *(TextureState(False, mode, True) for mode in _MODES[:2]),
    *(TextureState(True, mode, True) for mode in _MODES),
)

ALL_STATES = (1 << len(TEXTURE_STATES)) - 1  # a bit for each


def states_of(samplers: Sequence[int] | None) -> int:
    """Those in which a kernel may read images that has these samplers, or any. Reads without one have the first; integers, and what is
    computed for formats that hardware does not filter, the nearest filter's."""
    if samplers is None:
        return ALL_STATES
    states = 1
    for bits in samplers:
        for linear in {False, bool(bits & SAMPLER_BITS["CLK_FILTER_LINEAR"])}:
            states |= 1 << _state(bits, linear)
    return states


def _state(bits: int, linear: bool) -> int:
    """As `texture_for` has it."""
    address = bits >> 1 & 7
    if bits & SAMPLER_BITS["CLK_NORMALIZED_COORDS_TRUE"]:
        return (6 if linear else 0) + max(0, address - 1)
    return (4 if linear else 0) + (bits & 14 == SAMPLER_BITS["CLK_ADDRESS_CLAMP"])


class ImageArgument(ctypes.Structure):
    """Field by field as in image.cuh, which says what they hold."""

    _fields_ = [
        ("textures", ctypes.c_uint64 * len(TEXTURE_STATES)), ("surface", ctypes.c_uint64), ("data", ctypes.c_uint64),
        ("row_pitch", ctypes.c_uint64), ("slice_pitch", ctypes.c_uint64), ("width", ctypes.c_int), ("height", ctypes.c_int),
        ("depth", ctypes.c_int), ("array_size", ctypes.c_int), ("channel_order", ctypes.c_int), ("channel_data_type", ctypes.c_int),
        ("element_size", ctypes.c_int), ("mip_levels", ctypes.c_int), ("levels", ctypes.c_uint64),
    ]


# The same, which is packed more quickly.
_ARGUMENT = struct.Struct(f"<{len(TEXTURE_STATES)}Q4Q8iQ")
_NO_TEXTURES = (0,) * len(TEXTURE_STATES)


@functools.lru_cache(maxsize=256)
def asks_for(argument: bytes) -> tuple[object, ...]:
    """What a driver's choice of code may depend on: as long as each image's is as before, a plan that was made for them holds."""
    found = ImageArgument.from_buffer_copy(argument)
    return found.channel_order, found.channel_data_type, found.surface != 0, tuple(map(bool, found.textures))


def image_argument(layout: ImageLayout, view: ImageFormat, memory: Linear | None = None, textures: Sequence[int] = (),
                   surface: int = 0, levels: int = 0) -> bytes:
    return _ARGUMENT.pack(*(textures or _NO_TEXTURES), surface, *(memory or (0, 0, 0)), layout.width, layout.height, layout.depth,
                          layout.layers or 1, view.order.code, view.type.code, view.element_size, layout.levels, levels)
