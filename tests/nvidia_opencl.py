"""NVIDIA's own OpenCL through ctypes, as far as tests need it: semaphores that it exports."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

SEMAPHORE_TYPE, BINARY, EXPORT_HANDLE_TYPES, OPAQUE_FD = 0x203D, 1, 0x203F, 0x2055


class NvidiaSemaphore:
    """A binary semaphore of NVIDIA's OpenCL, with a queue to signal and to wait for it."""

    def __init__(self, library: ctypes.CDLL, platform: Any, device: Any):
        self._library, self._platform, self._device = library, platform, device
        error = ctypes.c_int()
        for name in ("clCreateContext", "clCreateCommandQueue", "clGetExtensionFunctionAddressForPlatform"):
            getattr(library, name).restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(library.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(error)))
        self._queue = ctypes.c_void_p(library.clCreateCommandQueue(self._context, device, ctypes.c_uint64(0), ctypes.byref(error)))
        properties = (ctypes.c_uint64 * 6)(SEMAPHORE_TYPE, BINARY, EXPORT_HANDLE_TYPES, OPAQUE_FD, 0, 0)
        create = self._extension("clCreateSemaphoreWithPropertiesKHR", ctypes.c_void_p)
        self._semaphore = ctypes.c_void_p(create(self._context, ctypes.addressof(properties), ctypes.addressof(error)))
        assert error.value == 0, error.value

    @classmethod
    def make(cls) -> NvidiaSemaphore:
        """Skips the test where NVIDIA's OpenCL is not installed."""
        try:
            library = ctypes.CDLL("libOpenCL.so.1")
        except OSError:
            pytest.skip("no OpenCL loader")
        platforms, count = (ctypes.c_void_p * 8)(), ctypes.c_uint()
        library.clGetPlatformIDs(8, platforms, ctypes.byref(count))
        for found in platforms[: count.value]:
            platform, name, device = ctypes.c_void_p(found), ctypes.create_string_buffer(256), ctypes.c_void_p()
            library.clGetPlatformInfo(platform, 0x902, ctypes.c_size_t(256), name, None)
            if name.value.startswith(b"NVIDIA"):
                library.clGetDeviceIDs(platform, ctypes.c_uint64(4), 1, ctypes.byref(device), None)
                return cls(library, platform, device)
        pytest.skip("no OpenCL of NVIDIA's")

    def _extension(self, name: str, result: Any = ctypes.c_int) -> Any:
        address = self._library.clGetExtensionFunctionAddressForPlatform(self._platform, name.encode())
        assert address, name
        return ctypes.CFUNCTYPE(result, *[ctypes.c_void_p] * _ARGUMENTS[name])(address)

    def exported(self) -> int:
        """A new file descriptor."""
        fd = ctypes.c_int(-1)
        get = self._extension("clGetSemaphoreHandleForTypeKHR")
        assert get(self._semaphore, self._device, OPAQUE_FD, ctypes.sizeof(fd), ctypes.addressof(fd), None) == 0
        return fd.value

    def _enqueue(self, name: str) -> None:
        one = (ctypes.c_void_p * 1)(self._semaphore)
        assert self._extension(name)(self._queue, 1, ctypes.addressof(one), None, 0, None, None) == 0
        assert self._library.clFinish(self._queue) == 0

    def signal(self) -> None:
        self._enqueue("clEnqueueSignalSemaphoresKHR")

    def wait(self) -> None:
        """Returns when somebody has signaled."""
        self._enqueue("clEnqueueWaitSemaphoresKHR")


_ARGUMENTS = {"clCreateSemaphoreWithPropertiesKHR": 3, "clGetSemaphoreHandleForTypeKHR": 6,
              "clEnqueueSignalSemaphoresKHR": 7, "clEnqueueWaitSemaphoresKHR": 7}
