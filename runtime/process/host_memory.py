"""Addresses of the host's memory: of objects with the buffer protocol, and memoryviews of plain addresses."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from ..driver.interface import DriverError
from ..spec.errors import CLError

# PyBUF_ANY_CONTIGUOUS (with the strides it needs) and PyBUF_WRITABLE of CPython's object.h.
_CONTIGUOUS = 0x0080 | 0x0010 | 0x0008
_WRITABLE = 0x0001


class _PyBuffer(ctypes.Structure):
    """Py_buffer, the same in every CPython from 3.3 on."""

    _fields_ = [
        ("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p),
    ]


_get = ctypes.pythonapi.PyObject_GetBuffer
_get.argtypes = [ctypes.py_object, ctypes.POINTER(_PyBuffer), ctypes.c_int]
_get.restype = ctypes.c_int
_from_buffer = ctypes.c_char.from_buffer
_release = ctypes.pythonapi.PyBuffer_Release
_release.argtypes = [ctypes.POINTER(_PyBuffer)]
_release.restype = None


def extent(routine: str, host: Any, *, writable: bool = False) -> tuple[int, int]:
    """(address, bytes) of a contiguous object. The caller keeps the object, and with it the memory, alive."""
    try:
        # The quick way, for what is writable and in C order.
        return ctypes.addressof(_from_buffer(host)), memoryview(host).nbytes
    except (BufferError, TypeError, ValueError):
        pass
    buffer = _PyBuffer()
    try:
        _get(host, ctypes.byref(buffer), _CONTIGUOUS | (_WRITABLE if writable else 0))
    except (BufferError, TypeError, ValueError) as error:
        need = "contiguous, writable memory" if writable else "contiguous memory"
        raise CLError(routine, "INVALID_VALUE", f"the host side needs an object that offers {need}: {error}") from error
    address, size = buffer.buf or 0, buffer.len
    _release(ctypes.byref(buffer))
    return address, size


@functools.lru_cache(256)
def _bytes_type(size: int) -> type[ctypes.Array[ctypes.c_ubyte]]:
    """ctypes takes long to make a type, and forgets it with the last use."""
    return ctypes.c_ubyte * size


_make = bytearray


def room(size: int) -> tuple[memoryview, int]:
    """Memory of the process for contents on their way between devices, and its address."""
    try:
        memory = memoryview(_make(size))
    except MemoryError as error:
        raise DriverError(f"the process has no {size} bytes of memory left", "OUT_OF_HOST_MEMORY") from error
    return memory, ctypes.addressof(_from_buffer(memory))


def view(address: int, size: int, owner: object) -> memoryview:
    """A writable view of raw memory that keeps the memory's owner alive."""
    array = _bytes_type(size).from_address(address)
    array.owner = owner  # type: ignore[attr-defined]  # ctypes objects take attributes
    bytes_there = memoryview(array)
    return bytes_there.cast("B") if size else bytes_there  # which has no elements that a cast could take
