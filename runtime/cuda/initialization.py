"""CUDA's own start, cuInit: a tenth of a second and more, in which the NVIDIA driver needs no Python. A thread makes the call while
Python imports what will use CUDA."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading

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
