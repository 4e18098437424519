"""The rules of image formats (5.3.1.1, 5.3.2): with which images and flags each format works, and which a
program's codes name.

The table of the formats themselves is the driver's (`driver/image_formats`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ...builtins.extensions import EXTENSIONS, FEATURES
from ..context.context import Context
from ..driver.image_formats import FORMATS, ORDERS, TYPES, ImageFormat
from ..spec import codes
from ..spec.errors import CLError

_BY_CODES = {(each.order.code, each.type.code): each for each in FORMATS}
_ORDERS = {each.code: each for each in ORDERS.values()}
_TYPES = {each.code: each for each in TYPES.values()}

IMAGE_TYPES = (codes.MEM_OBJECT_IMAGE1D, codes.MEM_OBJECT_IMAGE1D_BUFFER, codes.MEM_OBJECT_IMAGE1D_ARRAY, codes.MEM_OBJECT_IMAGE2D,
               codes.MEM_OBJECT_IMAGE2D_ARRAY, codes.MEM_OBJECT_IMAGE3D)
_PLANES = (codes.MEM_OBJECT_IMAGE2D, codes.MEM_OBJECT_IMAGE2D_ARRAY)
_WRITES = codes.MEM_READ_WRITE | codes.MEM_WRITE_ONLY | codes.MEM_KERNEL_READ_AND_WRITE
USAGE = codes.MEM_READ_WRITE | codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY | codes.MEM_KERNEL_READ_AND_WRITE

# Table 26: an image's order, and those of the images that it can be made from.
VIEWS = {
    "sBGRA": ("BGRA",), "BGRA": ("sBGRA",), "sRGBA": ("RGBA",), "RGBA": ("sRGBA",), "sRGB": ("RGB",), "RGB": ("sRGB",),
    "sRGBx": ("RGBx",), "RGBx": ("sRGBx",), "DEPTH": ("R",),
}


def works(image_type: int, flags: int, image_format: ImageFormat) -> bool:
    """Whether images of the type and format do all that the flags allow, on every driver: where hardware has
    no textures of a format, kernels compute what they read."""
    writes = bool(flags & _WRITES)
    if image_format.is_depth and (image_type not in _PLANES or not EXTENSIONS["cl_khr_depth_images"].offered):
        return False  # "Support for the CL_DEPTH image channel order is required only for 2D images and 2D image arrays."
    if image_format.has_stencil and flags & (codes.MEM_WRITE_ONLY | codes.MEM_KERNEL_READ_AND_WRITE):
        return False  # They "only require read support, not write support".
    if image_format.is_srgb and (image_type == codes.MEM_OBJECT_IMAGE1D_BUFFER
                                 or (writes and not EXTENSIONS["cl_khr_srgb_image_writes"].offered)):
        return False
    if writes and image_type == codes.MEM_OBJECT_IMAGE3D and not FEATURES["__opencl_c_3d_image_writes"].offered:
        return False
    return not flags & codes.MEM_KERNEL_READ_AND_WRITE or FEATURES["__opencl_c_read_write_images"].offered


def find(routine: str, order: int, data_type: int) -> ImageFormat:
    """The format of two codes. CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "if values specified in image_format are
    not valid"; a pair of valid ones that nobody offers is CL_IMAGE_FORMAT_NOT_SUPPORTED."""
    found = _BY_CODES.get((order, data_type))
    if found is not None:
        return found
    if order not in _ORDERS or data_type not in _TYPES:
        raise CLError(routine, "INVALID_IMAGE_FORMAT_DESCRIPTOR", f"({order:#x}, {data_type:#x}) is not a channel order and data type")
    made = ImageFormat(_ORDERS[order], _TYPES[data_type])
    # "The number of bits per element [...] must be a power of two", and the packed types say which order they
    # take.
    impossible = made.packed or made.channels == 3
    raise CLError(routine, "INVALID_IMAGE_FORMAT_DESCRIPTOR" if impossible else "IMAGE_FORMAT_NOT_SUPPORTED",
                  f"{made} do not go together: ask clGetSupportedImageFormats")


def supported_image_formats(context: Context, flags: int, image_type: int) -> Sequence[ImageFormat]:
    """clGetSupportedImageFormats: "a union of image formats supported by all devices in the context"."""
    routine = "clGetSupportedImageFormats"
    if image_type not in IMAGE_TYPES:
        raise CLError(routine, "INVALID_VALUE", f"{image_type:#x} is not an image type")
    check_usage(routine, flags)
    if not any(device.properties.images for device in context.devices):
        return ()
    return _working(image_type, usage_of(flags))


@functools.cache
def _working(image_type: int, usage: int) -> Sequence[ImageFormat]:
    return tuple([each for each in FORMATS if works(image_type, usage, each)])


def usage_of(flags: int) -> int:
    """What kernels do with images of the flags."""
    return flags & USAGE or (codes.MEM_READ_ONLY if flags & codes.MEM_IMMUTABLE_EXT else codes.MEM_READ_WRITE)


def check_usage(routine: str, flags: int) -> None:
    """CL_INVALID_VALUE for flags that images are not asked for by. 0 is allowed."""
    usage = flags & USAGE
    known = USAGE | codes.MEM_USE_HOST_PTR | codes.MEM_ALLOC_HOST_PTR | codes.MEM_COPY_HOST_PTR | codes.MEM_HOST_READ_ONLY | (
        codes.MEM_HOST_WRITE_ONLY | codes.MEM_HOST_NO_ACCESS | codes.MEM_IMMUTABLE_EXT)
    if flags & ~known or (usage & (usage - 1) and usage != codes.MEM_READ_WRITE | codes.MEM_KERNEL_READ_AND_WRITE):
        raise CLError(routine, "INVALID_VALUE", f"{flags:#x} is not a set of flags that go together")
