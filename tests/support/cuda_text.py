"""Hand-written CUDA programs in the translator's form, for tests of the CUDA driver without the translator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cl2cuda.translator.ir.kernel_info import KernelInfo

from .kernel_facts import arg, kernel_info

PLAIN = """
namespace ocl {
__device__ inline size_t get_global_id(unsigned d) {
    return d == 0 ? blockIdx.x * blockDim.x + threadIdx.x : d == 1 ? blockIdx.y * blockDim.y + threadIdx.y
                                                                   : blockIdx.z * blockDim.z + threadIdx.z; }
__device__ inline size_t get_local_size(unsigned d) { return d == 0 ? blockDim.x : d == 1 ? blockDim.y : blockDim.z; }
__device__ inline size_t get_global_size(unsigned d) {
    return get_local_size(d) * (d == 0 ? gridDim.x : d == 1 ? gridDim.y : gridDim.z); }
"""
GENERAL = """
namespace ocl {
struct ocl_launch {
    unsigned long long offset[3], global_size[3], group_base[3], groups[3]; unsigned enqueued_local[3]; unsigned work_dim;
    unsigned folded[3]; };
__constant__ ocl_launch launch;
__device__ inline size_t get_local_size(unsigned d) { return d == 0 ? blockDim.x : d == 1 ? blockDim.y : blockDim.z; }
__device__ inline size_t get_global_size(unsigned d) { return launch.global_size[d]; }
__device__ inline size_t get_global_id(unsigned d) {
    unsigned group = d == 0 ? blockIdx.x : d == 1 ? blockIdx.y : blockIdx.z;
    unsigned item = d == 0 ? threadIdx.x : d == 1 ? threadIdx.y : threadIdx.z;
    return launch.offset[d] + (launch.group_base[d] + group) * launch.enqueued_local[d] + item; }
__device__ inline unsigned get_work_dim() { return launch.work_dim; }
"""


ROUNDED = """
__device__ inline bool is_past_range() {
    unsigned x; asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(x));
    return blockIdx.x * blockDim.x + threadIdx.x >= gridDim.x * blockDim.x - x; }
"""


@dataclass(frozen=True)
class CudaText:
    """What the CUDA driver needs of a Translation."""

    user_source: str
    kernels: tuple[KernelInfo, ...]
    used_builtins: tuple[Any, ...] = ()
    fp_contract: bool = True
    global_size: int = 0
    variables: tuple[Any, ...] = ()
    diagnostics: tuple[Any, ...] = ()

    def source(self, port: str, *, variant: str = "plain", comments: bool = False) -> str:
        assert port == "cuda"
        head = GENERAL if variant == "general" else PLAIN + ROUNDED if variant == "rounded" else PLAIN
        shared = "extern __shared__ __align__(128) unsigned char local_memory[];\n"
        return f"{head}{shared}}}\nnamespace ocl {{ namespace user {{\n{self.user_source}\n}} }}\n"


SAXPY = "__global__ void saxpy(float *y, const float *x, float a) { size_t i = get_global_id(0); y[i] = a * x[i] + y[i]; }"
INFO = kernel_info("saxpy", arg("y", "global"), arg("x", "global"), arg("a", "value", 4))
