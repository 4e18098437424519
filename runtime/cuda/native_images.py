"""Images whose arrays, textures and surfaces native code makes (runtime/native/image_arrays.h): what it needs for that, and how they become
images of Python's."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable, Sequence

from ..driver.image_layout import ImageLayout
from ..driver.interface import DriverError
from ..spec import codes
from .arrays import native_kind
from .image import CudaImage, ImageDevice

# What native code has by its address, also for arrays that it keeps: for as long as the process.
_KNOWN: list[tuple[ctypes.Array[ctypes.c_uint64], ...]] = []
# What first contents are no larger than that native code copies to where CUDA reads them sooner.
MOST_CONTENTS = 256 << 10

_TAKING = threading.Lock()


class NativeImages:
    """Of one device. `functions` are the addresses of what struct array_calls has last."""

    def __init__(self, device: ImageDevice, functions: tuple[int, ...]):
        self._device = device
        self._contents = (ctypes.c_uint64 * 3)()  # struct first_contents
        self._calls = (ctypes.c_uint64 * (3 + len(functions)))(0, 0, ctypes.addressof(self._contents), *functions)
        _KNOWN.append((self._calls, self._contents))

    def kind(self, layout: ImageLayout, flags: int, stream: int) -> bytes:
        self._calls[0], self._calls[1] = self._device.context.handle, stream
        if flags & codes.MEM_COPY_HOST_PTR:
            self._take_page_locked()
        return native_kind(ctypes.addressof(self._calls), layout, flags)

    def _take_page_locked(self) -> None:
        """For the first contents of images, once. Without it they go there more slowly."""
        with _TAKING, contextlib.suppress(DriverError):
            if not self._contents[1]:
                self._contents[1] = self._device.allocate_host(MOST_CONTENTS)
                self._contents[2] = MOST_CONTENTS  # The size last, by which native code knows that it may.

    def adopted(self, layout: ImageLayout, handles: Sequence[int]) -> CudaImage:
        array, surface, *textures = handles
        return CudaImage.adopted(self._device, layout, array, surface, textures)

    def end(self, destroy: Callable[[], None]) -> None:
        context = self._device.context
        if not context.cuda.ended:
            with context.entered():
                destroy()
