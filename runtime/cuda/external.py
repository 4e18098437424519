"""Memory and semaphores that others exported as POSIX file descriptors, imported by the CUDA driver."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator

from ..driver.interface import DriverError, Stream
from .api import Cuda, prototype
from .context import CudaContext
from .stream import CudaStream

OPAQUE_FD = 1  # CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD


class _Handle(ctypes.Union):
    _fields_ = [("fd", ctypes.c_int), ("win32", ctypes.c_void_p * 2)]


class _MemoryHandle(ctypes.Structure):
    """CUDA_EXTERNAL_MEMORY_HANDLE_DESC."""

    _fields_ = [("type", ctypes.c_int), ("handle", _Handle), ("size", ctypes.c_uint64), ("flags", ctypes.c_uint),
                ("reserved", ctypes.c_uint * 16)]


class _BufferPart(ctypes.Structure):
    """CUDA_EXTERNAL_MEMORY_BUFFER_DESC."""

    _fields_ = [("offset", ctypes.c_uint64), ("size", ctypes.c_uint64), ("flags", ctypes.c_uint),
                ("reserved", ctypes.c_uint * 16)]


class _SemaphoreHandle(ctypes.Structure):
    """CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC."""

    _fields_ = [("type", ctypes.c_int), ("handle", _Handle), ("flags", ctypes.c_uint), ("reserved", ctypes.c_uint * 16)]


# CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS and …_WAIT_PARAMS: all zero for binary semaphores.
_NO_PARAMETERS = (ctypes.c_uint64 * 18)()


class ExternalCalls:
    """The driver's calls, which CuPy lacks."""

    def __init__(self, cuda: Cuda, library: ctypes.CDLL):
        self.cuda = cuda
        pointer, number = ctypes.c_void_p, ctypes.c_uint
        self.import_memory = prototype(library, "cuImportExternalMemory", pointer, pointer)
        self.map_buffer = prototype(library, "cuExternalMemoryGetMappedBuffer", pointer, pointer, pointer)
        self.destroy_memory = prototype(library, "cuDestroyExternalMemory", pointer)
        self.import_semaphore = prototype(library, "cuImportExternalSemaphore", pointer, pointer)
        self.signal = prototype(library, "cuSignalExternalSemaphoresAsync", pointer, pointer, number, pointer)
        self.wait = prototype(library, "cuWaitExternalSemaphoresAsync", pointer, pointer, number, pointer)
        self.destroy_semaphore = prototype(library, "cuDestroyExternalSemaphore", pointer)

    def check(self, status: int) -> None:
        if status:
            self.cuda.call(self.cuda.driver.check_status, status)


@contextlib.contextmanager
def _taken(fd: int) -> Iterator[int]:
    """A duplicate for CUDA, which owns what it imports and closes what it refuses. The application's own goes
    only when the import has succeeded."""
    try:
        own = os.dup(fd)
    except (OSError, OverflowError) as error:
        raise DriverError(f"{fd} is no open file descriptor: {error}") from error
    yield own
    os.close(fd)


class ExternalMemory:
    """Imported memory, mapped as one buffer at `address`."""

    def __init__(self, context: CudaContext, calls: ExternalCalls, fd: int, size: int):
        self._context = context
        self._calls = calls
        self._memory = ctypes.c_void_p()
        address = ctypes.c_uint64()
        with _taken(fd) as own:
            described = _MemoryHandle(OPAQUE_FD, _Handle(fd=own), size)
            calls.check(calls.import_memory(ctypes.byref(self._memory), ctypes.byref(described)))
        calls.check(calls.map_buffer(ctypes.byref(address), self._memory, ctypes.byref(_BufferPart(0, size))))
        self.address = address.value

    def close(self) -> None:
        cuda = self._context.cuda
        if not cuda.ended:
            with self._context.entered():
                cuda.call(cuda.runtime.free, self.address)
                self._calls.check(self._calls.destroy_memory(self._memory))


class ExternalSemaphore:
    """An imported binary semaphore."""

    def __init__(self, context: CudaContext, calls: ExternalCalls, fd: int):
        self._context = context
        self._calls = calls
        self._semaphore = ctypes.c_void_p()
        with _taken(fd) as own:
            described = _SemaphoreHandle(OPAQUE_FD, _Handle(fd=own))
            calls.check(calls.import_semaphore(ctypes.byref(self._semaphore), ctypes.byref(described)))

    def signal(self, stream: Stream) -> None:
        assert isinstance(stream, CudaStream)
        self._context.enter()
        self._calls.check(self._calls.signal(ctypes.byref(self._semaphore), _NO_PARAMETERS, 1, stream.handle))

    def wait(self, stream: Stream) -> None:
        assert isinstance(stream, CudaStream)
        self._context.enter()
        stream.end_turns()  # Who signals may wait for another stream's turn.
        self._calls.check(self._calls.wait(ctypes.byref(self._semaphore), _NO_PARAMETERS, 1, stream.handle))

    def close(self) -> None:
        if not self._context.cuda.ended:
            with self._context.entered():
                self._calls.check(self._calls.destroy_semaphore(self._semaphore))
