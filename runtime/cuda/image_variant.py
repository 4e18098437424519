"""Which variant of a program a kernel's images ask for: the plain one takes those that hardware has textures and surfaces for, in the
usual orders of channels (builtins/cuda_image_access.cuh), the general one all.

Looked at in the parameters at each launch, since arguments are written in place.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from ...translator.kernel_info import ArgInfo, KernelInfo
from ..image_argument import ImageArgument
from ..image_formats import ORDERS, TYPES

_PACKED = frozenset(each.code for each in TYPES.values() if each.bits)
_INTEGERS = frozenset(each.code for each in TYPES.values() if each.kind in ("int", "uint"))
_ORDERS = frozenset(ORDERS[name].code for name in ("R", "RG", "RGBA", "BGRA", "DEPTH", "sRGBA", "sBGRA"))
_NEAREST = 4  # the first textures are those of the nearest filter, which is the only one for integers


def images_of(kernel: KernelInfo) -> tuple[tuple[int, bool], ...]:
    """Of each image that may be one or the other: its place among the parameters, whether it is only read. The image of a buffer is
    plain memory in both variants."""
    places = [arg for arg in kernel.args if arg.parameter]
    return tuple((place, _is_sampled(arg)) for place, arg in enumerate(places) if arg.kind == "image" and "buffer" not in arg.type_name)


def _is_sampled(arg: ArgInfo) -> bool:
    return arg.access_qualifier not in ("write_only", "read_write")


def all_plain(images: tuple[tuple[int, bool], ...], parameters: int) -> Callable[[], bool]:
    """Whether all of them are plain, as they are in the parameters when it is called."""
    pointers = (ctypes.c_void_p * (images[-1][0] + 1)).from_address(parameters)
    found = [(ImageArgument.from_address(pointers[place] or 0), sampled) for place, sampled in images]
    return lambda: all(_is_plain(argument, sampled) for argument, sampled in found)


def _is_plain(argument: ImageArgument, sampled: bool) -> bool:
    data_type = argument.channel_data_type
    if argument.channel_order not in _ORDERS:
        return False
    if sampled:
        return 0 not in argument.textures[: _NEAREST if data_type in _INTEGERS else None]
    return argument.surface != 0 and data_type not in _PACKED
