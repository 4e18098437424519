"""One process of `functions.py`: the rate at which one implementation calls each function, as one line of JSON.

Plain PyOpenCL, or with --cuda plain CUDA through CuPy. It must not import cl2cuda. Every kernel keeps a sum of all results, so that
none is left out, and is checked against the same sum by NumPy where that has the function.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

ITEMS, GROUP, STEPS = 1 << 20, 256, 256


@dataclass(frozen=True)
class Case:
    """The body of a loop over x in OpenCL C and in CUDA, "" where a side has no such thing, with what stands before it."""

    name: str
    opencl: str
    cuda: str
    before: tuple[str, str] = ("", "")
    needs: str = ""
    expected: Callable[[np.ndarray], np.ndarray] | None = None


def _same(name: str, opencl: str, cuda: str = "", **more: Any) -> Case:
    return Case(name, f"sum += {opencl};", f"sum += {cuda or opencl};", **more)


_REDUCTION = """
__device__ float reduced(float x) {
    for (int d = 16; d; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    return x;
}
"""
_SCAN = """
__device__ float scanned(float x) {
    __shared__ float totals[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = 1; d < 32; d *= 2) { float y = __shfl_up_sync(~0u, x, d); if (lane >= d) x += y; }
    if (lane == 31) totals[warp] = x;
    __syncthreads();
    float before = 0;
    for (int w = 0; w < warp; w++) before += totals[w];
    __syncthreads();
    return x + before;
}
"""
_HALF = "#include <cuda_fp16.h>\n"
_IMAGE = "const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;"

CASES = [
    _same("exp", "exp(-x)", "expf(-x)", expected=lambda x: np.exp(-x)),
    _same("sin", "sin(x)", "sinf(x)", expected=np.sin),
    _same("log2", "log2(x)", "log2f(x)", expected=np.log2),
    _same("pow", "pow(x, 1.7f)", "powf(x, 1.7f)", expected=lambda x: x**1.7),
    _same("rsqrt", "rsqrt(x)", "rsqrtf(x)", expected=lambda x: x**-0.5),
    _same("sqrt", "sqrt(x)", "sqrtf(x)", expected=np.sqrt),
    Case("fma", "sum = fma(x, a, sum);", "sum = fmaf(x, a, sum);"),
    _same("division", "a / x", expected=lambda x: 0.5 / x),
    _same("native_sin", "native_sin(x)", "__sinf(x)"),
    Case("atomic_add (local)", "atomic_add(&bins[(get_local_id(0) + i) & 255], 1);", "atomicAdd(&bins[(threadIdx.x + i) & 255], 1);",
         ("__local int bins[256];", "__shared__ int bins[256];")),
    Case("atomic_add (global)", "atomic_add((__global int *)out + ((get_global_id(0) * 33 + i) & (get_global_size(0) - 1)), 1);",
         "atomicAdd((int *)out + ((blockIdx.x * blockDim.x + threadIdx.x) * 33 + i & (gridDim.x * blockDim.x - 1)), 1);"),
    _same("sub_group_reduce_add", "sub_group_reduce_add(x)", "reduced(x)", before=("", _REDUCTION), needs="cl_khr_subgroups"),
    _same("work_group_scan_inclusive_add", "work_group_scan_inclusive_add(x)", "scanned(x)", before=("", _SCAN),
          needs="__opencl_c_work_group_collective_functions"),
    Case("half4 fma", "h = fma(h, (half4)(0.5h), (half4)(0.25h)); h.x += (half)x; sum += h.y;",
         "h = __hfma2(h, __float2half2_rn(0.5f), __float2half2_rn(0.25f)); k = __hfma2(k, __float2half2_rn(0.5f), __float2half2_rn(0.25f));"
         " h.x = __hadd(h.x, __float2half(x)); sum += __half2float(h.y);",
         ("half4 h = 1.0h;", _HALF), needs="cl_khr_fp16"),
    Case("half exp", "sum += exp((half)x);", "sum += __half2float(hexp(__float2half(x)));", ("", _HALF), needs="cl_khr_fp16"),
    Case("read_imagef, one channel", "sum += read_imagef(image, s, (float2)(x * 37, x * 11)).x;", "", (_IMAGE, ""), needs="images"),
    Case("read_imagef, all channels", "c += read_imagef(image, s, (float2)(x * 37, x * 11)); sum = c.x + c.y + c.z + c.w;", "",
         (_IMAGE + " float4 c = 0;", ""), needs="images"),
]


def opencl_source(case: Case) -> str:
    parameter = ", read_only image2d_t image" if case.needs == "images" else ""
    return f"""
__kernel void f(__global float *out, float a, int steps{parameter}) {{
    {case.before[0]}
    float x = 0.5f + a * get_local_id(0) / {GROUP}, sum = 0;
    for (int i = 0; i < steps; i++) {{
        {case.opencl}
        x += 0.001f;
    }}
    out[get_global_id(0)] = sum;
}}
"""


def cuda_source(case: Case) -> str:
    outside = case.before[1] if case.before[1].lstrip().startswith(("__device__", "#include")) else ""
    inside = "" if outside else case.before[1]
    if case.name.startswith("half4"):
        inside = "__half2 h = __float2half2_rn(1.0f), k = h;"
    return f"""
{outside}
extern "C" __global__ void f(float *out, float a, int steps) {{
    {inside}
    float x = 0.5f + a * threadIdx.x / {GROUP}, sum = 0;
    for (int i = 0; i < steps; i++) {{
        {case.cuda}
        x += 0.001f;
    }}
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}}
"""


def check(case: Case, out: np.ndarray, a: float, steps: int) -> None:
    if case.expected is None:
        return
    x = 0.5 + a * np.arange(GROUP)[:, None] / GROUP + 0.001 * np.arange(steps)[None, :]
    if not np.allclose(out[:GROUP], case.expected(x).sum(axis=1), rtol=1e-3):
        raise SystemExit(f"wrong result: {case.name}")


def opencl_rates(platform: str, items: int, repeat: int) -> dict[str, float]:
    import pyopencl as cl

    (device,) = [p.get_devices()[0] for p in cl.get_platforms() if platform in p.name][:1]
    context = cl.Context([device])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * items)
    rates = {}
    for case in CASES:
        if not offers(cl, device, case.needs):
            print(f"{platform} does not offer {case.name}", file=sys.stderr)
            continue
        options = ["-cl-std=CL3.0"] if case.needs else []
        kernel = cl.Kernel(cl.Program(context, opencl_source(case)).build(options), "f")
        arguments: list[Any] = [out, np.float32(0.5), np.int32(STEPS)]
        if case.needs == "images":
            pixels = np.random.default_rng(1).random((512, 512, 4), np.float32)
            arguments.append(cl.image_from_array(context, pixels, 4))
        # In a row: each starts as soon as the one before has ended, so that no time of the host is in it.
        events = [kernel(queue, (items,), (GROUP,), *arguments) for _ in range(repeat)]
        events[-1].wait()
        times = [(event.profile.end - event.profile.start) * 1e-9 for event in events]
        found = np.empty(items, np.float32)
        cl.enqueue_copy(queue, found, out)
        check(case, found, 0.5, STEPS)
        rates[case.name] = items * STEPS / min(times) * 1e-9
    return rates


def offers(cl: Any, device: Any, needs: str) -> bool:
    if needs == "images":
        return bool(device.image_support)
    if needs.startswith("__opencl_c_"):
        return needs == "__opencl_c_work_group_collective_functions" and bool(
            device.get_info(getattr(cl.device_info, "WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT", 0x1068)))
    return needs in device.extensions


def cuda_kernel(source: str) -> Any:
    """With what OpenCL allows unless told otherwise: quick divisions and roots. CuPy's RawKernel also flushes subnormal numbers, which
    does not matter where half is used, and finds CUDA's headers."""
    import cupy
    from cupy.cuda import compiler

    options = ("--std=c++17", "--prec-div=false", "--prec-sqrt=false")
    if "#include" in source:
        return cupy.RawKernel(source, "f", options=options)
    module = cupy.cuda.function.Module()
    module.load(compiler.compile_using_nvrtc(source, options)[0])
    return module.get_function("f")


def cuda_rates(items: int, repeat: int) -> dict[str, float]:
    import cupy

    out = cupy.empty(items, cupy.float32)
    rates = {}
    for case in CASES:
        if not case.cuda:
            continue
        kernel = cuda_kernel(cuda_source(case))
        events = [(cupy.cuda.Event(), cupy.cuda.Event()) for _ in range(repeat)]
        for start, end in events:
            start.record()
            kernel((items // GROUP,), (GROUP,), (out, np.float32(0.5), np.int32(STEPS)))
            end.record()
        events[-1][1].synchronize()
        times = [cupy.cuda.get_elapsed_time(start, end) * 1e-3 for start, end in events]
        check(case, out.get(), 0.5, STEPS)
        rates[case.name] = items * STEPS / min(times) * 1e-9
    return rates


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--platform", default="")
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    items, repeat = (GROUP * 4, 1) if arguments.quick else (ITEMS, 10)
    rates = cuda_rates(items, repeat) if arguments.cuda else opencl_rates(arguments.platform, items, repeat)
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
