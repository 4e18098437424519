"""CUDA arrays, textures and surfaces: the driver API's calls that CuPy lacks, with their structures (cuda.h)."""

from __future__ import annotations

import ctypes
import struct
from typing import Any, NamedTuple

from ..driver.image_argument import TEXTURE_STATES, TextureState
from ..driver.image_formats import ImageFormat
from ..driver.image_layout import ImageLayout
from ..driver.interface import Linear
from ..native import library as native
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
# struct image_kind of runtime/native/image_arrays.h, but for the textures.
_NATIVE_KIND = struct.Struct(f"<4Q5IiiI{len(TEXTURE_STATES)}B6x")


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
        self._check = cuda.check_status
        self._create_texture = cuda.create_texture_address

    def _made(self, name: str, *arguments: Any) -> int:
        handle = ctypes.c_uint64()
        self._call(name, ctypes.byref(handle), *arguments)
        return handle.value

    def create(self, image_format: ImageFormat, dimensions: int, size: tuple[int, int, int], layers: int, levels: int) -> int:
        """An array, or for several levels a mipmapped one; `size` is (width, height, depth)."""
        width, height, depth = size
        kind, channels = _element(image_format)
        descriptor = _ArrayDescriptor(width, height if dimensions > 1 else 0, layers or (depth if dimensions > 2 else 0), kind, channels,
                                      _flags(layers))
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

    def array_textures(self, array: int, levels: int, view: ImageFormat, made: list[int]) -> list[int]:
        """For each of TEXTURE_STATES the texture of an image's elements in this format, 0 where there is none: kernels compute then what
        they read. All that were made are in `made`, also where one fails."""
        return self._textures(_Resource(_MIPMAPPED if levels > 1 else _ARRAY, array), levels, view, made)

    def memory_textures(self, address: int, pitch: int, size: tuple[int, int], view: ImageFormat, made: list[int]) -> list[int]:
        """The same of a 2D image in pitched memory."""
        kind, channels = _element(view)
        return self._textures(_Resource(_PITCHED, address, kind, channels, *size, pitch), 1, view, made)

    def _textures(self, resource: _Resource, levels: int, view: ImageFormat, made: list[int]) -> list[int]:
        textures = _known(view, levels > 1)
        found = self._texture_objects(resource, textures.descriptors, made)
        return [found[place - 1] if place else 0 for place in textures.places]

    def _texture_objects(self, resource: _Resource, descriptors: tuple[_Texture, ...], made: list[int]) -> list[int]:
        calls, before = native.calls(), len(made)
        if calls is not None and self._create_texture:
            status, textures = calls.textures(self._create_texture, ctypes.addressof(resource), tuple(map(ctypes.addressof, descriptors)))
            made += textures
            self._check(status)
        else:
            for descriptor in descriptors:
                made.append(self._made("cuTexObjectCreate", ctypes.byref(resource), ctypes.byref(descriptor), None))
        return made[before:]

    def destroy_texture(self, texture: int) -> None:
        self._call("cuTexObjectDestroy", ctypes.c_uint64(texture))


def native_kind(calls: int, layout: ImageLayout, flags: int) -> bytes:
    """What native code makes images by that are like one of the layout but for their sizes, and have these flags; `calls` is the address of
    its struct array_calls."""
    view, (kind, channels) = layout.format, _element(layout.format)
    textures = _known(view, False)
    colors = 0 if view.is_depth else view.order.code << 32 | view.type.code
    known = _NATIVE_KIND.pack(calls, view.element_size, flags, colors, layout.dimensions, bool(layout.layers), kind, channels,
                              _flags(layout.layers), view.order.code, view.type.code, len(textures.descriptors), *textures.places)
    room = ctypes.sizeof(_Texture) * len(TEXTURE_STATES)
    return known + b"".join(map(bytes, textures.descriptors)).ljust(room, b"\0")


class _Textures(NamedTuple):
    """What an image in a format has: `descriptors` nobody changes; `places` tell for each of TEXTURE_STATES which of them is its, from 1
    on, or 0."""

    descriptors: tuple[_Texture, ...]
    places: tuple[int, ...]


_known_textures: dict[tuple[int, int, bool], _Textures] = {}


def _known(view: ImageFormat, has_levels: bool) -> _Textures:
    key = view.order.code, view.type.code, has_levels
    textures = _known_textures.get(key)
    if textures is None:
        textures = _known_textures[key] = _textures_of(view, has_levels)
    return textures


def _textures_of(view: ImageFormat, has_levels: bool) -> _Textures:
    """Several states may have one: "the read_image{i|ui} calls support a nearest filter only"."""
    wanted = [each._replace(linear=each.linear and not view.is_integer) if has_texture(view, each) else None for each in TEXTURE_STATES]
    states = list(dict.fromkeys(state for state in wanted if state is not None))
    return _Textures(tuple(_texture_descriptor(view, has_levels, state) for state in states),
                     tuple(0 if state is None else states.index(state) + 1 for state in wanted))


def _texture_descriptor(view: ImageFormat, has_levels: bool, state: TextureState) -> _Texture:
    flags = (_READ_AS_INTEGER if view.is_integer else 0) | (_NORMALIZED if state.normalized else 0) | (_SRGB if view.is_srgb else 0)
    return _Texture((ctypes.c_int * 3)(*[_ADDRESS_MODES[state.address]] * 3), _LINEAR if state.linear else _NEAREST, flags,
                    level_filter=_LINEAR if has_levels and not view.is_integer else _NEAREST,
                    greatest_level=_MOST_LEVELS if has_levels else 0)


def has_texture(view: ImageFormat, state: TextureState) -> bool:
    """Hardware knows no packed formats; and the alpha that an order without one has in the image and on the border is the same
    there, but 0 on the border of the orders with an x. Its filter errs by a hundredth of the largest number among signed bytes, and as
    much among sRGB's, seen on an H200: more than Khronos' conformance tests let pass, where 8.2 names no bound."""
    by_hand = view.packed or ("x" in view.order.name and state.address == "clamp")
    return not by_hand and not (state.linear and (view.is_srgb or (view.type.kind, view.type.size) == ("snorm", 1)))


def _flags(layers: int) -> int:
    return _SURFACE | (_LAYERED if layers else 0)


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
