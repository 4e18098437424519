"""The names of features that cl2cuda does not have yet: images, samplers, pipes, OpenGL.

They exist, since PyOpenCL imports them; whoever calls one gets an error that says so. `ImageFormat` and `ImageDescriptor` are
plain data and work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from .constants import TABLE
from .context import Context
from .errors import not_supported
from .handles import Handle, core_of
from .memory import MemoryObject
from .platform import Platform

_ORDER, _TYPE = TABLE["channel_order"], TABLE["channel_type"]
_CHANNELS = {_ORDER[name]: count for count, names in (
    (1, "R A Rx INTENSITY LUMINANCE"), (2, "RG RA RGx"), (3, "RGB RGBx sRGB"), (4, "RGBA BGRA sRGBx sRGBA sBGRA ABGR"),
) for name in names.split()}
_BYTES = {_TYPE[name]: size for size, names in (
    (1, "SNORM_INT8 UNORM_INT8 SIGNED_INT8 UNSIGNED_INT8"),
    (2, "SNORM_INT16 UNORM_INT16 UNORM_SHORT_565 UNORM_SHORT_555 SIGNED_INT16 UNSIGNED_INT16 HALF_FLOAT"),
    (4, "UNORM_INT_101010 SIGNED_INT32 UNSIGNED_INT32 FLOAT UNORM_INT_101010_2"),
) for name in names.split()}
_PACKED = {_TYPE[name] for name in ("UNORM_SHORT_565", "UNORM_SHORT_555", "UNORM_INT_101010", "UNORM_INT_101010_2")}


class ImageFormat:
    """cl_image_format."""

    __slots__ = ("channel_data_type", "channel_order")

    def __init__(self, channel_order: int, channel_type: int) -> None:
        self.channel_order, self.channel_data_type = channel_order, channel_type

    @property
    def channel_count(self) -> int:
        return _CHANNELS[self.channel_order]

    @property
    def dtype_size(self) -> int:
        """Bytes of a channel, or of all of them in a packed type."""
        return _BYTES[self.channel_data_type]

    @property
    def itemsize(self) -> int:
        """Bytes of a pixel."""
        return self.dtype_size if self.channel_data_type in _PACKED else self.channel_count * self.dtype_size


class ImageDescriptor:
    """cl_image_desc."""

    __slots__ = ("_shape", "array_size", "buffer", "image_type", "num_mip_levels", "num_samples", "pitches")

    def __init__(self) -> None:
        self.image_type = self.array_size = self.num_mip_levels = self.num_samples = 0
        self.pitches: Any = None
        self.buffer: Any = None
        self._shape: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @shape.setter
    def shape(self, shape: Iterable[int]) -> None:
        self._shape = (*shape, 1, 1)[:3]
        self.array_size = self._shape[2]


def get_supported_image_formats(context: Context, flags: int, image_type: int) -> list[ImageFormat]:
    """None: images are not supported yet, as device_info.IMAGE_SUPPORT says too."""
    core_of(context, Context, "context")
    return []


class Image(MemoryObject):
    def __init__(self, context: Context, flags: int, format: ImageFormat, *args: Any, **kwargs: Any) -> None:
        raise not_supported("clCreateImage", "images are")

    @staticmethod
    def _custom_init(h: Image, context: Context, *args: Any, **kwargs: Any) -> NoReturn:
        raise not_supported("clCreateImage", "images are")

    def get_image_info(self, arg: int) -> NoReturn:
        raise not_supported("clGetImageInfo", "images are")


class Pipe(MemoryObject):
    def __init__(self, context: Context, flags: int, packet_size: int, max_packets: int, properties: Any = ()) -> None:
        raise not_supported("clCreatePipe", "pipes are")

    def get_pipe_info(self, arg: int) -> NoReturn:
        raise not_supported("clGetPipeInfo", "pipes are")


class Sampler(Handle):
    _invalid = "INVALID_SAMPLER"

    def __init__(self, context: Context, *args: Any) -> None:
        raise not_supported("clCreateSamplerWithProperties", "samplers are")


def have_gl() -> bool:
    return False


def get_gl_context_info_khr(properties: Any, param_name: int, platform: Platform | None = None) -> NoReturn:
    raise not_supported("clGetGLContextInfoKHR", "OpenGL sharing is")


def _refusal(name: str, routine: str, feature: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise not_supported(routine, feature)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"{routine}: {feature} not supported yet."
    return refuse


# Functions of PyOpenCL's by name: the OpenCL routine, and the feature that is missing.
_FUNCTIONS = {
    "_enqueue_read_image": ("clEnqueueReadImage", "images are"),
    "_enqueue_write_image": ("clEnqueueWriteImage", "images are"),
    "_enqueue_copy_image": ("clEnqueueCopyImage", "images are"),
    "_enqueue_copy_image_to_buffer": ("clEnqueueCopyImageToBuffer", "images are"),
    "_enqueue_copy_buffer_to_image": ("clEnqueueCopyBufferToImage", "images are"),
    "enqueue_fill_image": ("clEnqueueFillImage", "images are"),
    "enqueue_map_image": ("clEnqueueMapImage", "images are"),
}
FUNCTIONS = {name: _refusal(name, routine, feature) for name, (routine, feature) in _FUNCTIONS.items()}
