"""Programs for the host driver, written by hand as the translator prints them, and what runs one."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import numpy as np

from cl2cuda.translator.ir.kernel_info import KernelInfo
from cl2cuda.translator.options import BuildOptions

# The parts of the library's host port that these programs need, in one piece.
HEAD = """
#define __device__ inline __attribute__((always_inline, visibility("hidden")))
#define __global__ static inline __attribute__((always_inline))
#define __shared__ static thread_local
typedef __SIZE_TYPE__ size_t;
extern "C" void ocl_host_barrier(void);
extern "C" int printf(const char *, ...);
namespace ocl { typedef unsigned uint; }
"""
GLOBAL_IDS_ONLY = HEAD + """
namespace ocl {
static thread_local size_t global_ids[3];
__device__ size_t get_global_id(uint d) { return global_ids[d]; }
}
"""


def all_work_item_functions() -> str:
    return HEAD + resources.files("cl2cuda.builtins").joinpath("library/host/workitem.cuh").read_text()


@dataclass
class Program:
    """What the driver needs of a Translation."""

    text: str
    kernels: tuple[KernelInfo, ...]
    prelude: str = ""
    fp_contract: bool = True
    recursive: bool = False
    global_size: int = 0
    variables: tuple[Any, ...] = ()
    used_builtins: tuple[tuple[str, ...], ...] = ()

    def source(self, port: str, *, variant: str = "plain", comments: bool = False) -> str:
        assert port == "host"
        prelude = self.prelude or all_work_item_functions()
        return f"{prelude}\nnamespace ocl {{ namespace user {{\n{self.text}\n}} }}\n"


def kernel(name: str, **fields: Any) -> KernelInfo:
    return KernelInfo(name, (), **fields)


@dataclass
class Bench:
    """Runs one kernel on NumPy arrays and scalars: arrays go in by address."""

    device: Any
    options: BuildOptions = field(default_factory=BuildOptions)

    def function(self, text: str, info: KernelInfo, prelude: str = "") -> Any:
        binary = self.device.compile(Program(text, (info,), prelude), self.options)
        return self.device.load(binary).function(info)

    def launch(self, function: Any, args: tuple[Any, ...], global_size: Any, local_size: Any = 1, offset: Any = 0,
               dynamic_local: int = 0) -> None:
        values = [np.uintp(arg.ctypes.data) if isinstance(arg, np.ndarray) else arg for arg in args]
        cells = [np.array([value]) for value in values]
        pointers = (ctypes.c_void_p * max(len(cells), 1))(*[cell.ctypes.data for cell in cells])
        sizes = [(x,) if isinstance(x, int) else tuple(x) for x in (global_size, local_size, offset)]
        pads = (1, 1, 0)
        full = [(*size, *[pad] * (3 - len(size))) for size, pad in zip(sizes, pads, strict=True)]
        stream = self.device.open_stream()
        function.prepare(stream, len(sizes[0]), *full, dynamic_local, ctypes.addressof(pointers))()
        stream.synchronize()

    def run(self, text: str, info: KernelInfo, *args: Any, prelude: str = "", **sizes: Any) -> None:
        self.launch(self.function(text, info, prelude), args, **sizes)


SAXPY = """
__global__ void saxpy(float *y, const float *x, float a, int n) {
    int i = (int)get_global_id(0);
    if (i >= n) return;
    y[i] = a * x[i] + y[i];
}
"""

REVERSE = """
__global__ void reverse(int *data, uint scratch) {
    int *tile = (int *)(local_memory + scratch);
    size_t i = get_local_id(0);
    tile[i] = data[get_global_id(0)];
    barrier(1);
    data[get_global_id(0)] = tile[get_local_size(0) - 1 - i];
}
"""
