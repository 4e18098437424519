"""Which images a kernel's argument takes (5.9.2, table 30): their type, their format's use, their access flags."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ...translator.ir.kernel_info import ArgInfo
from ..context.context import Context
from ..image.formats import works
from ..image.image import Image
from ..memory.memory_object import ONLY_READ, MemoryObject
from ..spec import codes

# What an argument is by its type's name: the type of image. A depth image's name has _depth in it.
_TYPES = {
    "image1d": codes.MEM_OBJECT_IMAGE1D, "image1d_buffer": codes.MEM_OBJECT_IMAGE1D_BUFFER,
    "image1d_array": codes.MEM_OBJECT_IMAGE1D_ARRAY, "image2d": codes.MEM_OBJECT_IMAGE2D,
    "image2d_array": codes.MEM_OBJECT_IMAGE2D_ARRAY, "image3d": codes.MEM_OBJECT_IMAGE3D,
}
# For each access qualifier the flags of images that it does not take, and the use that the format must be good for.
_REFUSED = {
    "read_only": (codes.MEM_WRITE_ONLY, codes.MEM_READ_ONLY), "write_only": (ONLY_READ, codes.MEM_WRITE_ONLY),
    "read_write": (ONLY_READ | codes.MEM_WRITE_ONLY, codes.MEM_KERNEL_READ_AND_WRITE),
}


class Refusal(NamedTuple):
    status: str
    reason: str


def is_sampled(arg: ArgInfo) -> bool:
    """Whether the kernel may read the image with samplers: not what it writes too."""
    return arg.access_qualifier not in ("write_only", "read_write")


def check_for(arg: ArgInfo) -> Callable[[Any, Context], Refusal | None]:
    """The check of a value for the argument: why it is refused, or None."""
    return _check_for(arg.image, arg.access_qualifier)


@functools.cache
def _check_for(image: str, qualifier: str) -> Callable[[Any, Context], Refusal | None]:
    image_type, depth = _TYPES[image.removesuffix("_t").removesuffix("_depth")], image.endswith("_depth_t")
    access = "read_only" if qualifier == "none" else qualifier
    refused, use = _REFUSED[access]

    def check(value: Any, context: Context) -> Refusal | None:
        if not isinstance(value, Image):
            # "for an argument declared to be a memory object when the specified arg_value is not a valid memory object"
            status = "INVALID_MEM_OBJECT" if isinstance(value, MemoryObject) else "INVALID_ARG_VALUE"
            return Refusal(status, f"takes an image, not {value!r}")
        if value.released:
            return Refusal("INVALID_MEM_OBJECT", "is given an image that has been released")
        if value.context is not context:
            return Refusal("INVALID_MEM_OBJECT", "is given an image of another context")
        if value.type != image_type:
            return Refusal("INVALID_ARG_VALUE", "is given an image of another type")
        # "[...] when the specified arg_value does not follow the rules described above for a depth memory object"
        if depth and not value.format.is_depth:
            return Refusal("INVALID_MEM_OBJECT", f"is given an image in {value.format}, which is no depth image")
        if value.flags & refused:
            return Refusal("INVALID_ARG_VALUE", f"is {access}, which the flags {value.flags:#x} of the image do not allow")
        if not works(image_type, use, value.format):
            return Refusal("INVALID_ARG_VALUE", f"is {access}, for which {value.format} is not supported")
        return None

    return check
