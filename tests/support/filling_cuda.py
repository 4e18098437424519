"""A CUDA of arrays that has the kernels of runtime/cuda/own_kernels.py and memory that it shares with the host."""

from __future__ import annotations

import ctypes

from cl2cuda.runtime.cuda.own_kernels import COPIED, COPY, FILL, THREADS, UNIT

from .arrays_in_c import CudaOfArrays

FUNCTIONS = {FILL: 4711, COPY: 4712}


class FillingCuda(CudaOfArrays):
    """`calls` has "kernel" for each launch, by native code or Python, "shared" for copies of memory of any kind and "pages" for what the
    device asks for; `refused`: it gets no module."""

    def __init__(self, refused: bool = False):
        super().__init__()
        self.loaded, self.refused = 0, refused

        def launch(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra):
            assert (gy, gz, bx, by, bz, shared, extra) == (1, 1, THREADS, 1, 1, 0, None)
            if function == FUNCTIONS[COPY]:
                to, source, count = (ctypes.c_uint64.from_address(parameters[place]).value for place in range(3))
                assert gx * THREADS - THREADS < count <= gx * THREADS and to % UNIT == source % UNIT == 0 and count * UNIT <= COPIED
                return self._do("copy kernel", lambda: ctypes.memmove(to, source, count * UNIT))
            assert function == FUNCTIONS[FILL]
            to, count, mask, pattern = (ctypes.c_uint64.from_address(parameters[place]).value if place < 3 else parameters[place]
                                        for place in range(4))
            assert gx * THREADS - THREADS < count <= gx * THREADS and to % UNIT == 0
            units = (mask + 1) * UNIT
            data = ctypes.string_at(pattern, units) * -(-count * UNIT // units)
            return self._do("kernel", lambda: ctypes.memmove(to, data, count * UNIT))

        def load(code):
            assert code.endswith(b"\0")
            self.loaded += 1
            if self.refused:
                raise self.Error[0](218)
            return FUNCTIONS[code]

        words = ctypes.c_uint
        made = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, *(words,) * 7, ctypes.c_uint64, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)(
            launch)
        self.kept.append(made)
        self.launch_addresses = (ctypes.cast(made, ctypes.c_void_p).value, 0, 0)
        self.driver.moduleLoadData = load
        self.driver.moduleGetFunction = lambda module, symbol: module

        def copied(to, source, size, stream):
            return self._do("shared", lambda: ctypes.memmove(to, source, size))

        def fetched(address, size, device, stream):
            return self._do("pages", lambda: None)

        word = ctypes.c_uint64
        self.shared_memory_addresses = (self._address(copied, *(word,) * 4), self._address(fetched, word, word, ctypes.c_int, word))
        self.runtime.memGetInfo = lambda: (1 << 30, 1 << 30)

        def launch_from_python(function, *arguments):
            parameters = ctypes.cast(arguments[-2], ctypes.POINTER(ctypes.c_void_p))
            self.driver.check_status(launch(function, *arguments[:-2], parameters, arguments[-1] or None))

        self.driver.launchKernel = launch_from_python
