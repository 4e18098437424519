"""Which variant of a program a kernel's images ask for: the plain one takes those that hardware has textures and surfaces for, and those of
buffers, in the usual formats (builtins/library/cuda/image_access.cuh); the swapped one also reads and writes BGRA, and writes sRGB; the
general one takes all.

Looked at in the parameters, where arguments are written in place: at each launch, unless it is known that all ask for the same as before.
"""

from __future__ import annotations

import ctypes
import enum
from collections.abc import Callable
from typing import Literal, NamedTuple

from ...translator.ir.kernel_info import ImagePlace, KernelInfo
from ..driver.image_argument import ImageArgument
from ..driver.image_formats import ORDERS, TYPES

_PACKED = frozenset(each.code for each in TYPES.values() if each.bits)
_INTEGERS = frozenset(each.code for each in TYPES.values() if each.kind in ("int", "uint"))
_ORDERS = frozenset(ORDERS[name].code for name in ("R", "RG", "RGBA", "BGRA", "DEPTH", "sRGBA", "sBGRA"))
# Hardware converts what is read from sRGB, but not what is written.
_SWAPPED_TO_READ = frozenset(ORDERS[name].code for name in ("BGRA", "sBGRA"))
_SWAPPED_TO_WRITE = _SWAPPED_TO_READ | {ORDERS["sRGBA"].code}
_NEAREST = 4  # the first textures are those of the nearest filter, which is the only one for integers


class Wanted(enum.IntEnum):
    """Each takes all that those before it take."""

    PLAIN = 0
    SWAPPED = 1
    GENERAL = 2


class GivenImage(NamedTuple):
    """Where a kernel is given an image: in which parameter and how many bytes from its start; and what the usual code has of it: textures
    where it is only read, else a surface, and of the image of a buffer memory."""

    parameter: int
    offset: int
    use: Literal["textures", "surface", "memory"]


def images_of(kernel: KernelInfo) -> tuple[GivenImage, ...]:
    """Also those that an enqueued block has captured."""
    parameters = [arg for arg in kernel.args if arg.parameter]
    return tuple(GivenImage(number, each.offset, _use(each)) for number, arg in enumerate(parameters) for each in arg.images)


def _use(image: ImagePlace) -> Literal["textures", "surface", "memory"]:
    if "buffer" in image.type_name:
        return "memory"
    return "surface" if image.access in ("write_only", "read_write") else "textures"


def variant_for(images: tuple[GivenImage, ...], parameters: int) -> Callable[[], Wanted]:
    """What all of them together ask for, as they are in the parameters when it is called."""
    pointers = (ctypes.c_void_p * max((each.parameter + 1 for each in images), default=0)).from_address(parameters)

    def found(place: GivenImage) -> ImageArgument:
        return ImageArgument.from_address((pointers[place.parameter] or 0) + place.offset)

    return lambda: max((_wanted(found(place), place.use) for place in images), default=Wanted.PLAIN)


def _wanted(argument: ImageArgument, use: str) -> Wanted:
    order, data_type = argument.channel_order, argument.channel_data_type
    if use == "textures":
        usable = 0 not in argument.textures[: _NEAREST if data_type in _INTEGERS else None]
    else:
        usable = data_type not in _PACKED and (use == "memory" or argument.surface != 0)
    if order not in _ORDERS or not usable:
        return Wanted.GENERAL
    return Wanted.SWAPPED if order in (_SWAPPED_TO_READ if use == "textures" else _SWAPPED_TO_WRITE) else Wanted.PLAIN
