"""CUDA's own start, cuInit, and a device's primary context: a tenth of a second each and more, in which the NVIDIA driver needs no
Python. A thread makes these calls while Python imports what will use them."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
from collections.abc import Iterator
from typing import Any

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"

_lock = threading.Lock()
_thread: threading.Thread | None = None


def begin() -> None:
    """The first call in a process starts the thread."""
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_initialize, name="cl2cuda: cuInit", daemon=True)
            _thread.start()


def end() -> None:
    """Waits for what `begin` has begun."""
    if _thread is not None:
        _thread.join()


def _initialize() -> None:
    """The status is told to who calls CUDA next, too, and so is that there is no library."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(LIBRARY).cuInit(0)


class PrimaryContext:
    """A device's primary context, kept from when it is made until `release`, when somebody else keeps it."""

    def __init__(self, library: Any, ordinal: int):
        self._library, self._ordinal, self._device = library, ordinal, ctypes.c_int()
        self._kept = False

    def make(self, meanwhile: Iterator[object]) -> None:
        """As many steps are taken meanwhile as there is time for. What goes wrong CUDA tells who uses the device next."""
        thread = threading.Thread(target=self._make, name="cl2cuda: CUDA context", daemon=True)
        thread.start()
        while thread.is_alive() and next(meanwhile, self) is not self:
            pass
        thread.join()

    def _make(self) -> None:
        with contextlib.suppress(AttributeError):
            if not self._library.cuDeviceGet(ctypes.byref(self._device), self._ordinal):
                self._kept = not self._library.cuDevicePrimaryCtxRetain(ctypes.byref(ctypes.c_void_p()), self._device)

    def release(self) -> None:
        if self._kept:
            self._library.cuDevicePrimaryCtxRelease_v2(self._device)
            self._kept = False
