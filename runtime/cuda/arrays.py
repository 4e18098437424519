"""CUDA arrays, textures and surfaces: the driver API's calls that CuPy lacks, with their structures (cuda.h)."""

from __future__ import annotations

import ctypes
from typing import Any

from ..driver.image_argument import TextureState
from ..driver.image_formats import ImageFormat
from ..driver.interface import Linear
from .api import Cuda

# CUarray_format, by an OpenCL channel's kind and bytes.
_FORMATS = {("unorm", 1): 1, ("unorm", 2): 2, ("unorm", 4): 3, ("uint", 1): 1, ("uint", 2): 2, ("uint", 4): 3, ("snorm", 1): 8,
            ("snorm", 2): 9, ("int", 1): 8, ("int", 2): 9, ("int", 4): 10, ("float", 2): 0x10, ("float", 4): 0x20}
_LAYERED, _SURFACE = 1, 2  # CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_SURFACE_LDST
_ARRAY, _MIPMAPPED, _PITCHED = 0, 1, 3  # CUresourcetype
_READ_AS_INTEGER, _NORMALIZED, _SRGB = 1, 2, 0x10  # CU_TRSF_*
_ADDRESS_MODES = {"repeat": 0, "clamp_to_edge": 1, "mirrored_repeat": 2, "clamp": 3}  # CUaddress_mode
_NEAREST, _LINEAR = 0, 1  # CUfilter_mode
_MOST_LEVELS = 1000.0  # more than any image has


class _ArrayDescriptor(ctypes.Structure):
    """CUDA_ARRAY3D_DESCRIPTOR."""

    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t), ("format", ctypes.c_int),
                ("channels", ctypes.c_uint), ("flags", ctypes.c_uint)]


class _Resource(ctypes.Structure):
    """CUDA_RESOURCE_DESC: an array's handle, or the address of pitched memory with what follows."""

    _fields_ = [("kind", ctypes.c_int), ("handle", ctypes.c_uint64), ("format", ctypes.c_int), ("channels", ctypes.c_uint),
                ("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("pitch", ctypes.c_size_t), ("reserved", ctypes.c_int * 22),
                ("flags", ctypes.c_uint)]


class _Texture(ctypes.Structure):
    """CUDA_TEXTURE_DESC."""

    _fields_ = [("address_mode", ctypes.c_int * 3), ("filter", ctypes.c_int), ("flags", ctypes.c_uint), ("anisotropy", ctypes.c_uint),
                ("level_filter", ctypes.c_int), ("level_bias", ctypes.c_float), ("least_level", ctypes.c_float),
                ("greatest_level", ctypes.c_float), ("border", ctypes.c_float * 4), ("reserved", ctypes.c_int * 12)]


class Arrays:
    """The calls, on the context that is current."""

    def __init__(self, cuda: Cuda):
        self._call = cuda.driver_call

    def _made(self, name: str, *arguments: Any) -> int:
        handle = ctypes.c_uint64()
        self._call(name, ctypes.byref(handle), *arguments)
        return handle.value

    def create(self, image_format: ImageFormat, dimensions: int, size: tuple[int, int, int], layers: int, levels: int) -> int:
        """An array, or for several levels a mipmapped one; `size` is (width, height, depth)."""
        width, height, depth = size
        kind, channels = _element(image_format)
        descriptor = _ArrayDescriptor(width, height if dimensions > 1 else 0, layers or (depth if dimensions > 2 else 0), kind, channels,
                                      _SURFACE | (_LAYERED if layers else 0))
        if levels > 1:
            return self._made("cuMipmappedArrayCreate", ctypes.byref(descriptor), ctypes.c_uint(levels))
        return self._made("cuArray3DCreate_v2", ctypes.byref(descriptor))

    def level(self, mipmapped: int, level: int) -> int:
        return self._made("cuMipmappedArrayGetLevel", ctypes.c_uint64(mipmapped), ctypes.c_uint(level))

    def destroy(self, array: int, levels: int) -> None:
        self._call("cuMipmappedArrayDestroy" if levels > 1 else "cuArrayDestroy", ctypes.c_uint64(array))

    def surface(self, array: int) -> int:
        return self._made("cuSurfObjectCreate", ctypes.byref(_Resource(_ARRAY, array)))

    def destroy_surface(self, surface: int) -> None:
        self._call("cuSurfObjectDestroy", ctypes.c_uint64(surface))

    def array_texture(self, array: int, levels: int, view: ImageFormat, state: TextureState) -> int:
        return self._texture(_Resource(_MIPMAPPED if levels > 1 else _ARRAY, array), levels, view, state)

    def memory_texture(self, address: int, pitch: int, size: tuple[int, int], view: ImageFormat, state: TextureState) -> int:
        """The texture of a 2D image in pitched memory."""
        kind, channels = _element(view)
        return self._texture(_Resource(_PITCHED, address, kind, channels, *size, pitch), 1, view, state)

    def _texture(self, resource: _Resource, levels: int, view: ImageFormat, state: TextureState) -> int:
        flags = (_READ_AS_INTEGER if view.is_integer else 0) | (_NORMALIZED if state.normalized else 0) | (_SRGB if view.is_srgb else 0)
        filtered = not view.is_integer  # "The read_image{i|ui} calls support a nearest filter only."
        texture = _Texture((ctypes.c_int * 3)(*[_ADDRESS_MODES[state.address]] * 3), _LINEAR if state.linear and filtered else _NEAREST,
                           flags, level_filter=_LINEAR if levels > 1 and filtered else _NEAREST,
                           greatest_level=_MOST_LEVELS if levels > 1 else 0)
        return self._made("cuTexObjectCreate", ctypes.byref(resource), ctypes.byref(texture), None)

    def destroy_texture(self, texture: int) -> None:
        self._call("cuTexObjectDestroy", ctypes.c_uint64(texture))


def has_texture(view: ImageFormat, state: TextureState) -> bool:
    """Hardware knows no packed formats; and the alpha that an order without one has in the image and on the border is the same
    there, but 0 on the border of the orders with an x. Its filter errs by a hundredth of the largest number among signed bytes, and as
    much among sRGB's, seen on an H200: more than Khronos' conformance tests let pass, where 8.2 names no bound."""
    by_hand = view.packed or ("x" in view.order.name and state.address == "clamp")
    return not by_hand and not (state.linear and (view.is_srgb or (view.type.kind, view.type.size) == ("snorm", 1)))


def _element(image_format: ImageFormat) -> tuple[int, int]:
    """CUarray_format and channels; a packed element is one integer."""
    return _FORMATS[image_format.type.kind, image_format.type.size], image_format.channels


_HOST, _DEVICE, _ARRAY_MEMORY = 1, 2, 3  # CUmemorytype


def _end(name: str) -> list[tuple[str, Any]]:
    words = ("x", "y", "z", "level", "memory", "host", "device", "array", "reserved", "pitch", "height")
    return [(f"{name}_{word}", ctypes.c_size_t) for word in words]


class Copy(ctypes.Structure):
    """CUDA_MEMCPY3D; `memory`, an enumeration, takes the first half of its word."""

    _fields_ = [*_end("source"), *_end("target"), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t)]


def linear_end(name: str, rows: Linear, on_host: bool) -> dict[str, int]:
    """One end of a copy; the slice pitch is a multiple of the row pitch, or there is one plane."""
    return {f"{name}_memory": _HOST if on_host else _DEVICE, f"{name}_host" if on_host else f"{name}_device": rows.address,
            f"{name}_pitch": rows.row_pitch, f"{name}_height": rows.slice_pitch // rows.row_pitch}


def array_end(name: str, array: int, offset: tuple[int, int, int]) -> dict[str, int]:
    x, y, z = offset
    return {f"{name}_memory": _ARRAY_MEMORY, f"{name}_array": array, f"{name}_x": x, f"{name}_y": y, f"{name}_z": z}
