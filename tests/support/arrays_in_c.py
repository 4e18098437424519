"""A CUDA whose arrays are memory of the host's, with functions that code in C calls."""

from __future__ import annotations

import ctypes
import itertools
from typing import ClassVar

from cl2cuda.runtime.cuda.arrays import Copy
from cl2cuda.runtime.cuda.arrays import _ArrayDescriptor as Descriptor

from .fake_cuda import FakeCuda
from .graphics_cuda import ImaginedArrays

_LONG, _POINTER = ctypes.c_int64, ctypes.c_void_p
# Attributes of CUDA devices: how large textures and surfaces may be.
IMAGE_SIZES = {*range(21, 31), *range(42, 46), *range(53, 76)}


class CudaOfArrays(FakeCuda):
    """Its functions have done all when they return; `status` is what they give, `calls` what they were; while `busy`
    a stream has not come to its end. They stay for as long as the process: objects that go in one garbage collection with this one may call."""

    kept: ClassVar[list[object]] = []

    def __init__(self):
        super().__init__()
        self.arrays, self.calls, self.status, self.locked, self.busy = ImaginedArrays(), [], 0, False, False
        self.made, handles = set(), itertools.count(9000)  # textures and surfaces

        def make(place, resource, *more):
            self.made.add(handle := next(handles))
            place._obj.value = handle
            return 0

        def unmake(handle):
            self.made.remove(handle.value)
            return 0

        functions = self.arrays.functions() | {"cuTexObjectCreate": make, "cuTexObjectDestroy": unmake, "cuSurfObjectCreate": make,
                                               "cuSurfObjectDestroy": unmake}
        self.runtime.mallocAsync = lambda size, stream: self.runtime.malloc(size)
        self.runtime.freeAsync = lambda memory, stream: self.runtime.memory.pop(memory)
        number = self.runtime.deviceGetAttribute
        self.runtime.deviceGetAttribute = lambda which, ordinal: max(number(which, ordinal), 1024 if which in IMAGE_SIZES else 1)
        self.driver_call = lambda name, *arguments: functions.get(name, lambda *_: 0)(*arguments)

        def context(found):
            ctypes.c_void_p.from_address(found).value = self.driver.ctxGetCurrent()
            return 0

        def copy_3d(parameters, stream):
            return self._do("array", lambda: functions["cuMemcpy3DAsync_v2"](ctypes.byref(Copy.from_address(parameters)), None))

        def attributes(count, which, answers, address):
            ctypes.c_uint.from_address(_POINTER.from_address(answers).value).value = self.locked
            return 0

        def fill(width):
            return lambda memory, value, count, stream: self._do("fill", lambda: ctypes.memmove(
                memory, value.to_bytes(8, "little")[:width] * count, width * count))

        def copied(to, source, size, stream):
            return self._do("copy", lambda: ctypes.memmove(to, source, size))

        def nothing(*words):
            return 0

        def query(stream):
            return 600 if self.busy else 0

        four = (_LONG,) * 4
        self.stream_addresses = tuple(self._address(function, *types) for function, types in (
            (context, (_LONG,)), (query, (_LONG,)), *[(copied, four)] * 3, *[(fill(width), four) for width in (1, 2, 4)],
            (nothing, (_LONG,) * 2), (nothing, (_LONG,) * 3), (nothing, (_LONG,) * 2),
            (attributes, (ctypes.c_uint, _LONG, _LONG, _LONG))))
        self.image_copy_address = self._address(copy_3d, _LONG, _LONG)

        def create(place, descriptor):
            handle = ctypes.c_uint64()
            status = self.no_arrays or functions["cuArray3DCreate_v2"](ctypes.byref(handle), ctypes.byref(Descriptor.from_address(descriptor)))
            _LONG.from_address(place).value = handle.value
            return status

        def destroy(handle):
            return functions["cuArrayDestroy"](ctypes.c_uint64(handle))

        def make_of(place, resource, *more):
            assert _LONG.from_address(resource + 8).value in self.arrays.arrays
            return make(ctypes.byref(_LONG.from_address(place)), resource)

        def unmake_it(handle):
            return unmake(_LONG(handle))

        self.no_arrays = 0  # or the status that CUDA gives instead of an array
        self.array_addresses = tuple(self._address(function, *(_LONG,) * count) for function, count in (
            (context, 1), (create, 2), (destroy, 1), (make_of, 4), (unmake_it, 1), (make_of, 2), (unmake_it, 1), (copy_3d, 2), (nothing, 1)))

    def is_pageable(self, address):
        return not self.locked

    def _address(self, function, *types):
        made = ctypes.CFUNCTYPE(ctypes.c_int, *types)(function)
        self.kept.append(made)
        return ctypes.cast(made, _POINTER).value

    def _do(self, what, work):
        self.calls.append(what)
        if not self.status:
            work()
        return self.status
