"""CUDA's own start, cuInit, a device's primary context and NVRTC's start: a tenth of a second each and more, in which they need no
Python. Threads make these calls while Python imports what will use them."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
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


def end(meanwhile: Iterator[object] | None = None) -> None:
    """Waits for what `begin` has begun, and takes as many steps of `meanwhile` as there is time for."""
    if _thread is not None:
        _wait(_thread, meanwhile or iter(()))


def _wait(thread: threading.Thread, meanwhile: Iterator[object]) -> None:
    while thread.is_alive() and next(meanwhile, thread) is not thread:
        pass
    thread.join()


def _initialize() -> None:
    """The status is told to who calls CUDA next, too, and so is that there is no library."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(LIBRARY).cuInit(0)


@contextlib.contextmanager
def primary_context(library: Any, ordinal: int, meanwhile: Iterator[object]) -> Iterator[None]:
    """A device's primary context, which is made while as many steps of `meanwhile` are taken as there is time for, and kept here until
    the end of the block, when somebody else keeps it. What goes wrong CUDA tells who uses the device in the block."""
    device, kept = ctypes.c_int(), threading.Event()

    def make() -> None:
        with contextlib.suppress(AttributeError):
            if not (library.cuDeviceGet(ctypes.byref(device), ordinal)
                    or library.cuDevicePrimaryCtxRetain(ctypes.byref(ctypes.c_void_p()), device)):
                kept.set()

    thread = threading.Thread(target=make, name="cl2cuda: CUDA context", daemon=True)
    thread.start()
    _wait(thread, meanwhile)
    try:
        yield
    finally:
        if kept.is_set():
            library.cuDevicePrimaryCtxRelease_v2(device)


@contextlib.contextmanager
def beside(call: Callable[[], object]) -> Iterator[None]:
    """Makes the call on a thread, which has ended at the end of the block: a program that ends or forks afterwards does not do so in the
    middle of it. Whoever needs what the call was for makes it again and hears what is wrong."""

    def make() -> None:
        with contextlib.suppress(Exception):
            call()

    thread = threading.Thread(target=make, name="cl2cuda: NVRTC's start", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join()
