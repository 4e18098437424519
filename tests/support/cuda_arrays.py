"""Images on a GPU made by hand through the CUDA driver API: arrays, a texture for each state of a sampler, a surface.

`CudaImage.argument` is what a kernel is given (image.cuh); `image_samples.Image` is the same for the host.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from support.image_model import CLAMP, CLAMP_TO_EDGE, LINEAR, MIRRORED_REPEAT, NORMALIZED, PACKED, REPEAT, Format
from support.image_samples import Argument, Image

_LAYERED, _SURFACE = 1, 2  # CUDA_ARRAY3D_*
_READ_AS_INTEGER, _NORMALIZED, _SRGB = 1, 2, 0x10  # CU_TRSF_*
_HOST, _DEVICE, _ARRAY = 1, 2, 3  # CUmemorytype
_ADDRESS_MODE = {REPEAT: 0, CLAMP_TO_EDGE: 1, MIRRORED_REPEAT: 2, CLAMP: 3}
_FORMAT = {"u1": 1, "u2": 2, "u4": 3, "i1": 8, "i2": 9, "i4": 10, "f2": 0x10, "f4": 0x20}
# The order of image_argument.textures.
TEXTURE_STATES = [
    *(NORMALIZED | mode for mode in (CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED_REPEAT)),
    *(LINEAR | mode for mode in (CLAMP_TO_EDGE, CLAMP)),
    *(LINEAR | NORMALIZED | mode for mode in (CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED_REPEAT)),
]


class ArrayDescriptor(ctypes.Structure):
    _fields_ = [("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t), ("format", ctypes.c_int),
                ("channels", ctypes.c_uint), ("flags", ctypes.c_uint)]  # fmt: skip


class ResourceDescriptor(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("array", ctypes.c_uint64), ("reserved", ctypes.c_int * 30), ("flags", ctypes.c_uint)]


class TextureDescriptor(ctypes.Structure):
    _fields_ = [("address_mode", ctypes.c_int * 3), ("filter", ctypes.c_int), ("flags", ctypes.c_uint), ("unused", ctypes.c_int * 5),
                ("border", ctypes.c_float * 4), ("reserved", ctypes.c_int * 12)]  # fmt: skip


def _side(name: str) -> list[tuple[str, Any]]:
    words = [(f"{name}_{field}", ctypes.c_size_t) for field in ("x", "y", "z", "level", "memory", "host", "device", "array", "reserved")]
    return [*words, (f"{name}_pitch", ctypes.c_size_t), (f"{name}_height", ctypes.c_size_t)]


class Copy(ctypes.Structure):
    """CUDA_MEMCPY3D, in words of 8 bytes: a memory type takes the first half of its own."""

    _fields_ = [*_side("source"), *_side("target"), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t), ("depth", ctypes.c_size_t)]


@cache
def _cuda() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def call(name: str, *arguments: Any) -> None:
    status = getattr(_cuda(), name)(*arguments)
    assert status == 0, f"{name}: CUDA error {status}"


class CudaImage:
    """Needs a current context."""

    def __init__(self, type_: str, format: Format, elements: np.ndarray):
        self.host = Image(type_, format, elements)
        self.argument = Argument.from_buffer_copy(self.host.argument)
        self.argument.data = self.argument.row_pitch = self.argument.slice_pitch = 0
        self.format, self.buffer, self.array = format, type_ == "image1d_buffer_t", 0
        if self.buffer:
            data = ctypes.c_uint64()
            call("cuMemAlloc_v2", ctypes.byref(data), ctypes.c_size_t(elements.nbytes))
            self.argument.data = data.value
        else:
            self._make_array(type_)
        self._copy(to_device=True)

    def _make_array(self, type_: str) -> None:
        a, layered = self.argument, "array" in type_
        base = self.format.element.base
        descriptor = ArrayDescriptor(
            a.width, a.height if "1d" not in type_ else 0, a.array_size if layered else a.depth if "3d" in type_ else 0,
            _FORMAT[base.str[1:]], self.host.elements.shape[-1], _SURFACE | _LAYERED * layered,
        )  # fmt: skip
        array = ctypes.c_uint64()
        call("cuArray3DCreate_v2", ctypes.byref(array), ctypes.byref(descriptor))
        self.array = array.value
        resource = ResourceDescriptor(array=self.array)
        self.argument.textures = (ctypes.c_uint64 * 10)(*(self._texture(resource, state) for state in TEXTURE_STATES))
        surface = ctypes.c_uint64()
        call("cuSurfObjectCreate", ctypes.byref(surface), ctypes.byref(resource))
        self.argument.surface = surface.value

    def _texture(self, resource: ResourceDescriptor, state: int) -> int:
        if self.format.type in PACKED or ("x" in self.format.order and state & 14 == CLAMP):
            return 0
        integers = self.format.kind != "f"
        flags = (_READ_AS_INTEGER if integers else 0) | (_NORMALIZED if state & NORMALIZED else 0) | (_SRGB if self.format.is_srgb else 0)
        mode = (ctypes.c_int * 3)(*[_ADDRESS_MODE[state & 14]] * 3)
        descriptor = TextureDescriptor(mode, bool(state & LINEAR) and not integers, flags)
        texture = ctypes.c_uint64()
        call("cuTexObjectCreate", ctypes.byref(texture), ctypes.byref(resource), ctypes.byref(descriptor), None)
        return texture.value

    def _copy(self, to_device: bool) -> None:
        elements, plain = self.host.elements, self.host.padded
        planes, rows, width = elements.shape[:3]
        here: dict[str, int] = {"memory": _HOST, "host": plain.ctypes.data, "pitch": plain.strides[1], "height": plain.shape[1]}
        pitch = width * self.argument.element_size
        if self.buffer:
            there: dict[str, int] = {"memory": _DEVICE, "device": self.argument.data, "pitch": pitch, "height": 1}
        else:
            there = {"memory": _ARRAY, "array": self.array}
        source, target = (here, there) if to_device else (there, here)
        copy = Copy(width=pitch, height=rows, depth=planes, **{f"source_{k}": v for k, v in source.items()},
                    **{f"target_{k}": v for k, v in target.items()})  # fmt: skip
        call("cuMemcpy3D_v2", ctypes.byref(copy))
        # The copy may return while the device still writes, and streams of cl2cuda do not wait for the default one.
        call("cuCtxSynchronize")

    def read(self) -> np.ndarray:
        """The elements as they are now, as `Image.elements`."""
        self._copy(to_device=False)
        return self.host.elements

    def close(self) -> None:
        for texture in filter(None, self.argument.textures):
            call("cuTexObjectDestroy", ctypes.c_uint64(texture))
        if self.array:
            call("cuSurfObjectDestroy", ctypes.c_uint64(self.argument.surface))
            call("cuArrayDestroy", ctypes.c_uint64(self.array))
