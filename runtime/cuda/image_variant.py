"""Which variant of a program a kernel's images ask for: the plain one takes those that hardware has textures and surfaces for, in the
usual orders of channels (builtins/library/cuda/image_access.cuh), the swapped one also reads BGRA, the general one takes all.

Looked at in the parameters, where arguments are written in place: at each launch, unless it is known that all ask for the same as before.
"""

from __future__ import annotations

import ctypes
import enum
from collections.abc import Callable

from ...translator.ir.kernel_info import ArgInfo, KernelInfo
from ..driver.image_argument import ImageArgument
from ..driver.image_formats import ORDERS, TYPES

_PACKED = frozenset(each.code for each in TYPES.values() if each.bits)
_INTEGERS = frozenset(each.code for each in TYPES.values() if each.kind in ("int", "uint"))
_SWAPPED = frozenset(ORDERS[name].code for name in ("BGRA", "sBGRA"))
_ORDERS = frozenset(ORDERS[name].code for name in ("R", "RG", "RGBA", "BGRA", "DEPTH", "sRGBA", "sBGRA"))
_NEAREST = 4  # the first textures are those of the nearest filter, which is the only one for integers


class Wanted(enum.IntEnum):
    """Each takes all that those before it take."""

    PLAIN = 0
    SWAPPED = 1
    GENERAL = 2


def images_of(kernel: KernelInfo) -> tuple[tuple[int, bool], ...]:
    """The place among the parameters of each image that may be one or the other, and whether it is only read. The image of a
    buffer is plain memory in both variants."""
    places = [arg for arg in kernel.args if arg.parameter]
    return tuple((place, _is_sampled(arg)) for place, arg in enumerate(places) if arg.kind == "image" and "buffer" not in arg.type_name)


def _is_sampled(arg: ArgInfo) -> bool:
    return arg.access_qualifier not in ("write_only", "read_write")


def variant_for(images: tuple[tuple[int, bool], ...], parameters: int) -> Callable[[], Wanted]:
    """What all of them together ask for, as they are in the parameters when it is called."""
    pointers = (ctypes.c_void_p * max((place + 1 for place, _ in images), default=0)).from_address(parameters)
    found = [(ImageArgument.from_address(pointers[place] or 0), sampled) for place, sampled in images]
    return lambda: max((_wanted(argument, sampled) for argument, sampled in found), default=Wanted.PLAIN)


def _wanted(argument: ImageArgument, sampled: bool) -> Wanted:
    order, data_type = argument.channel_order, argument.channel_data_type
    if order not in _ORDERS:
        return Wanted.GENERAL
    if not sampled:
        return Wanted.PLAIN if argument.surface != 0 and data_type not in _PACKED else Wanted.GENERAL
    if 0 in argument.textures[: _NEAREST if data_type in _INTEGERS else None]:
        return Wanted.GENERAL
    return Wanted.SWAPPED if order in _SWAPPED else Wanted.PLAIN
