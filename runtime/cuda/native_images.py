"""Images whose arrays, textures and surfaces native code makes (runtime/native/image_arrays.h): what it needs for that, and how they become
images of Python's."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

from ..driver.image_layout import ImageLayout
from .arrays import native_kind
from .image import CudaImage, ImageDevice

# What native code has by its address, also for arrays that it keeps: for as long as the process.
_KNOWN: list[ctypes.Array[ctypes.c_uint64]] = []


class NativeImages:
    """Of one device. `functions` are the addresses of what struct array_calls has behind the context and the stream."""

    def __init__(self, device: ImageDevice, functions: tuple[int, ...]):
        self._device = device
        self._calls = (ctypes.c_uint64 * (2 + len(functions)))(0, 0, *functions)
        _KNOWN.append(self._calls)

    def kind(self, layout: ImageLayout, flags: int, stream: int) -> bytes:
        self._calls[0], self._calls[1] = self._device.context.handle, stream
        return native_kind(ctypes.addressof(self._calls), layout, flags)

    def adopted(self, layout: ImageLayout, array: int, surface: int, textures: Sequence[int]) -> CudaImage:
        return CudaImage.adopted(self._device, layout, array, surface, textures)

    def end(self, destroy: Callable[[], None]) -> None:
        context = self._device.context
        if not context.cuda.ended:
            with context.entered():
                destroy()
