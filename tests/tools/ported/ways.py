"""The ways in which a case's kernel runs: under OpenCL, by nvcc's library, by the module for CuPy, by the one for Numba.

Each gives a function of no arguments that launches the kernel once, on the arrays that it was made with, in the stream of its device.
The arrays are the same memory for all of them.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from support import numbas_numpy  # noqa: F401
from tools.ported.cases import Case, Launch, Local, Output
from tools.ported.prepare import build_options

from cl2cuda import interop
from cl2cuda import pyopencl as cl

Launcher = Callable[[], object]
# Numba's compiler divides and takes square roots like this, which nothing in a source can change.
ROUNDED = "-cl-fp32-correctly-rounded-divide-sqrt"
UNFUSED = "#pragma OPENCL FP_CONTRACT OFF\n"


class Absent(Exception):
    """Something that a way needs is not installed, or was not built."""


class HostDevice:
    """cl2cuda's host device, with NumPy's arrays."""

    def __init__(self) -> None:
        self.context = cl.create_some_context(interactive=False)
        self.queue = cl.CommandQueue(self.context)

    def array(self, values: np.ndarray) -> Any:
        return values.copy()

    def fill(self, array: Any, values: np.ndarray) -> None:
        array[...] = values

    def read(self, array: Any) -> np.ndarray:
        self.queue.finish()
        return np.array(array)


class Gpu:
    """CuPy's arrays and a stream of its own; OpenCL's queue puts its commands into that stream."""

    def __init__(self) -> None:
        import cupy

        self.cupy = cupy
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.stream.use()
        self.context = cl.create_some_context(interactive=False)
        self.queue = interop.queue_from_stream(self.context, self.stream)

    def array(self, values: np.ndarray) -> Any:
        return self.cupy.asarray(values)

    def fill(self, array: Any, values: np.ndarray) -> None:
        array.set(values, stream=self.stream)

    def read(self, array: Any) -> np.ndarray:
        found = self.cupy.asnumpy(array, stream=self.stream)
        self.stream.synchronize()
        return found

    def time(self, launch: Launcher, times: int) -> float:
        """Milliseconds of one launch, of `times` in a row."""
        start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        start.record(self.stream)
        for _ in range(times):
            launch()
        end.record(self.stream)
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(start, end) / times


class Arguments:
    """A launch's arguments on a device."""

    def __init__(self, device: HostDevice | Gpu, launch: Launch) -> None:
        self.device, self.launch = device, launch
        self.given: list[Any] = []  # arrays, sizes of local memory, numbers
        self.outputs: list[tuple[Any, np.ndarray]] = []
        for each in launch.arguments:
            if isinstance(each, Output):
                self.given.append(device.array(each.start))
                self.outputs.append((self.given[-1], each.start))
            elif isinstance(each, Local):
                self.given.append(each.bytes)
            else:
                self.given.append(device.array(each) if each.ndim else each)

    def reset(self) -> None:
        for array, start in self.outputs:
            self.device.fill(array, start)

    def results(self) -> list[np.ndarray]:
        return [self.device.read(array) for array, _ in self.outputs]

    def pairs(self) -> list[tuple[Any, Any]]:
        return list(zip(self.launch.arguments, self.given, strict=True))


def opencl(case: Case, source: str, arguments: Arguments, more_options: Sequence[str] = ()) -> Launcher:
    device, launch = arguments.device, arguments.launch
    program = cl.Program(device.context, source).build([*build_options(case), *more_options])
    kernel = cl.Kernel(program, case.kernel)
    given = [cl.LocalMemory(value) if isinstance(each, Local) else interop.as_buffer(device.context, value) if np.ndim(value) else value
             for each, value in arguments.pairs()]
    kernel.set_args(*given)  # a kernel keeps its buffers
    return lambda: cl.enqueue_nd_range_kernel(device.queue, kernel, launch.global_size, launch.local_size)


def cuda(case: Case, folder: Path, arguments: Arguments) -> Launcher:
    file = folder / "cuda" / f"{case.name}.so"
    if not file.exists():
        raise Absent("nvcc has built nothing")
    library = ctypes.CDLL(str(file))
    library.error_name.restype = ctypes.c_char_p
    values: list[Any] = [np.array([value], np.uint64) if isinstance(each, Local) else
                         np.array([value.data.ptr], np.uint64) if isinstance(each, Output) or each.ndim else np.array([value])
                         for each, value in arguments.pairs()]
    addresses = (ctypes.c_void_p * len(values))(*(each.ctypes.data for each in values))  # `run` below keeps the values
    launch = arguments.launch
    sizes = [(ctypes.c_size_t * 3)(*each) for each in (launch.global_size, launch.local_size)]
    stream = ctypes.c_void_p(arguments.device.stream.ptr)

    def run(values: list[Any] = values) -> None:
        error = library.run(len(launch.global_size), *sizes, addresses, stream)
        if error:
            raise RuntimeError(library.error_name(error).decode())

    return run


def _module(folder: Path, name: str, needs: str) -> Any:
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] in needs.split():
            raise Absent(f"{error.name} is not installed") from None
        raise
    finally:
        sys.path.remove(str(folder))


def cupy(case: Case, folder: Path, arguments: Arguments) -> Launcher:
    function = getattr(_module(folder / "cupy", case.name, "cupy"), case.kernel)
    launch = arguments.launch
    return lambda: function(launch.global_size, launch.local_size, *arguments.given)


def numba(case: Case, folder: Path, arguments: Arguments, fuses: bool = True) -> Launcher:
    """`fuses`: products may become parts of sums, as Numba's compiler and linker have it."""
    module = _module(folder / "numba", f"{case.name}_numba", "numba numba_cuda cffi")
    from numba import cuda as numbas

    launch = arguments.launch
    grid = tuple(size // group for size, group in zip(launch.global_size, launch.local_size, strict=True))
    locals_ = [each for each in launch.arguments if isinstance(each, Local)]
    assert len(locals_) <= 1, "only the first `local` argument has no parameter"
    given = [value.reshape(-1) if np.ndim(value) else value for each, value in arguments.pairs() if not isinstance(each, Local)]
    stream = numbas.external_stream(arguments.device.stream.ptr)
    function = getattr(module, f"{case.kernel}_kernel")
    if not fuses:
        function = numbas.jit(function.py_func, lto=False)  # As a decorator with arguments, `jit` forgets it.
    kernel = function[grid, launch.local_size, stream, sum(each.bytes for each in locals_)]
    # Numba's own views, made once: to find the memory of a CuPy array takes longer than a launch.
    views = [numbas.as_cuda_array(each, sync=False) if np.ndim(each) else each for each in given]
    return lambda: kernel(*views)


def numba_unfused(case: Case, folder: Path, arguments: Arguments) -> Launcher:
    """Of functions that NVRTC was told to round every product in, and the linker does not optimise again. They are compiled at the first
    launch."""
    launch = numba(case, folder, arguments, fuses=False)

    def run() -> object:
        from numba.cuda.cudadrv import nvrtc

        kept = nvrtc.ProgramOptions
        nvrtc.ProgramOptions = functools.partial(kept, fma=False)
        try:
            return launch()
        finally:
            nvrtc.ProgramOptions = kept

    return run


WAYS = {"cuda": cuda, "cupy": cupy, "numba": numba}
