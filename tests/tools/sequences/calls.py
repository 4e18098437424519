"""OpenCL's calls through ctypes, of whatever library has them, and the numbers that the sequences use."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import byref, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

import numpy as np

SUCCESS, MISALIGNED, FAILED_WAIT = 0, -13, -14
NOT_AVAILABLE, COPY_OVERLAP, INVALID_VALUE, INVALID_CONTEXT, INVALID_QUEUE, INVALID_MEM_OBJECT = -7, -8, -30, -34, -36, -38
INVALID_BUFFER_SIZE, INVALID_HOST_PTR, INVALID_KERNEL, INVALID_ARG_INDEX, INVALID_ARG_VALUE, INVALID_ARG_SIZE = -61, -37, -48, -49, -50, -51
INVALID_KERNEL_ARGS, INVALID_WORK_DIMENSION, INVALID_WORK_GROUP_SIZE = -52, -53, -54
INVALID_WAIT_LIST, INVALID_EVENT, INVALID_OPERATION, INVALID_GLOBAL_WORK_SIZE = -57, -58, -59, -63

READ_WRITE, WRITE_ONLY, READ_ONLY, USE_HOST_PTR, ALLOC_HOST_PTR, COPY_HOST_PTR = 1, 2, 4, 8, 16, 32
HOST_WRITE_ONLY, HOST_READ_ONLY, HOST_NO_ACCESS = 1 << 7, 1 << 8, 1 << 9
MAP_READ, MAP_WRITE, MAP_INVALIDATE = 1, 2, 4
MIGRATE_TO_HOST = 1
OUT_OF_ORDER, PROFILING, QUEUE_PROPERTIES = 1, 2, 0x1093
EXECUTION_STATUS, EVENT_COUNT, MEM_COUNT, MEM_MAPS, MEM_SIZE, MEM_OFFSET = 0x11D3, 0x11D2, 0x1105, 0x1104, 0x1102, 0x1108
QUEUE_COUNT, KERNEL_COUNT, CONTEXT_COUNT = 0x1092, 0x1192, 0x1080
PROFILED = range(0x1280, 0x1285)

EVENT_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_void_p)
MEMORY_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)


def size(number: int) -> c_size_t:
    return c_size_t(number)


def sizes(*numbers: int) -> Any:
    return (c_size_t * len(numbers))(*numbers)


def pointers(handles: Sequence[int | None]) -> Any:
    return (c_void_p * len(handles))(*handles) if handles else None


class Calls:
    def __init__(self, path: str):
        self._library = ctypes.CDLL(path)

    def place_of(self, array: np.ndarray) -> c_void_p:
        """For a call that makes something of the array's memory."""
        return c_void_p(array.ctypes.data)

    def code(self, name: str, *arguments: Any) -> int:
        return getattr(self._library, name)(*arguments)

    def make(self, name: str, *arguments: Any) -> tuple[int | None, int]:
        """What a call gives that has its code at the end."""
        function, code = getattr(self._library, name), c_int(77)
        function.restype = c_void_p
        return function(*arguments, byref(code)), code.value

    def pointer(self, name: str, *arguments: Any) -> int | None:
        function = getattr(self._library, name)
        function.restype = c_void_p
        return function(*arguments)

    def made(self, name: str, *arguments: Any) -> int:
        found, code = self.make(name, *arguments)
        assert code == SUCCESS and found, (name, code)
        return found

    def answer(self, name: str, handle: int, what: int, kind: Callable[[], Any] = c_uint) -> tuple[int, int]:
        """The value, and the code."""
        found = kind()
        code = self.code(name, c_void_p(handle), c_uint(what), size(ctypes.sizeof(found)), byref(found), None)
        return found.value, code

    def devices(self, count: int) -> list[int]:
        platforms, devices, number = (c_void_p * 1)(), (c_void_p * count)(), c_uint()
        assert self.code("clGetPlatformIDs", c_uint(1), platforms, None) == SUCCESS
        assert self.code("clGetDeviceIDs", c_void_p(platforms[0]), c_uint64(0xFFFFFFFF), c_uint(count), devices, byref(number)) == SUCCESS
        assert number.value >= count, f"there are {number.value} devices"
        return list(devices)
