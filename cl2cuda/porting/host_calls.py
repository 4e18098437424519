"""Host calls of OpenCL and what CUDA's runtime has for them: one table, and where a project makes such calls.

A row: the C call, its name in PyOpenCL ("" where it has none), CUDA's counterpart, the group of CUDA's manual that describes it, and
what differs. Calls that are in no row have no one counterpart: the report says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..runtime.spec.entry_points import ENTRY_POINTS
from .sources import CXX, PYTHON

MANUAL = "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__{}.html"


class HostCall(NamedTuple):
    opencl: str
    pyopencl: str
    cuda: str
    group: str
    remark: str = ""


_ROWS = """
clGetPlatformIDs | get_platforms | | DEVICE | CUDA has one platform
clGetDeviceIDs | get_devices | cudaGetDeviceCount, cudaSetDevice | DEVICE
clGetDeviceInfo | | cudaGetDeviceProperties, cudaDeviceGetAttribute | DEVICE
clCreateContext | Context | | DEVICE | each device has a primary context, made at its first use
clCreateContextFromType | create_some_context | cudaSetDevice | DEVICE
clCreateCommandQueue | CommandQueue | cudaStreamCreate | STREAM | an out-of-order queue is several streams with events between them
clCreateCommandQueueWithProperties | | cudaStreamCreateWithPriority | STREAM
clReleaseCommandQueue | | cudaStreamDestroy | STREAM
clFinish | finish | cudaStreamSynchronize | STREAM
clFlush | flush | | STREAM | work is submitted at once
clCreateBuffer | Buffer | cudaMalloc, cudaMallocAsync | MEMORY | CL_MEM_COPY_HOST_PTR is a copy after it
clCreateSubBuffer | get_sub_region | | MEMORY | a pointer and an offset
clReleaseMemObject | | cudaFree, cudaFreeArray | MEMORY
clSVMAlloc | SVMAllocation | cudaMallocManaged | MEMORY
clSVMFree | | cudaFree | MEMORY
clEnqueueReadBuffer | enqueue_read_buffer | cudaMemcpyAsync | MEMORY | a blocking read waits for the stream after it
clEnqueueWriteBuffer | enqueue_write_buffer | cudaMemcpyAsync | MEMORY | a blocking write waits for the stream after it
clEnqueueCopyBuffer | enqueue_copy | cudaMemcpyAsync | MEMORY
clEnqueueReadBufferRect | | cudaMemcpy2DAsync, cudaMemcpy3DAsync | MEMORY
clEnqueueWriteBufferRect | | cudaMemcpy2DAsync, cudaMemcpy3DAsync | MEMORY
clEnqueueCopyBufferRect | | cudaMemcpy2DAsync, cudaMemcpy3DAsync | MEMORY
clEnqueueFillBuffer | enqueue_fill_buffer | cudaMemsetAsync | MEMORY | a pattern of more than a byte takes a kernel or cuMemsetD32Async
clEnqueueMapBuffer | enqueue_map_buffer | cudaMallocManaged, cudaHostAlloc | MEMORY | memory that both sides reach needs no map
clEnqueueUnmapMemObject | | | MEMORY | as for clEnqueueMapBuffer
clEnqueueMigrateMemObjects | enqueue_migrate_mem_objects | cudaMemPrefetchAsync | MEMORY
clCreateImage | Image, create_image | cudaMallocArray, cudaMalloc3DArray | MEMORY | cl2cuda::image of --launchers makes it with its textures
clEnqueueReadImage | | cudaMemcpy3DAsync | MEMORY
clEnqueueWriteImage | | cudaMemcpy3DAsync | MEMORY
clCreateSampler | Sampler | cudaCreateTextureObject | TEXTURE__OBJECT | in CUDA a sampler is part of a texture
clCreateProgramWithSource | Program | | MODULE | nvcc compiles kernels with the program; NVRTC does at run time
clBuildProgram | | | MODULE | nvcc, or nvrtcCompileProgram
clCreateProgramWithBinary | | cudaLibraryLoadData | LIBRARY
clCreateKernel | Kernel | | EXECUTION | a __global__ function is its name
clSetKernelArg | set_arg, set_args | | EXECUTION | arguments of the launch; the launchers take them typed
clEnqueueNDRangeKernel | enqueue_nd_range_kernel | cudaLaunchKernel | EXECUTION | groups, not the global size: launchers take an ND-range
clEnqueueTask | enqueue_task | cudaLaunchKernel | EXECUTION | one block of one thread
clEnqueueNativeKernel | | cudaLaunchHostFunc | EXECUTION
clGetKernelWorkGroupInfo | get_work_group_info | cudaFuncGetAttributes, cudaOccupancyMaxPotentialBlockSize | EXECUTION
clWaitForEvents | wait_for_events | cudaEventSynchronize | EVENT
clGetEventProfilingInfo | get_profiling_info | cudaEventElapsedTime | EVENT | between two events that are recorded around the work
clEnqueueMarkerWithWaitList | enqueue_marker | cudaEventRecord | EVENT
clEnqueueBarrierWithWaitList | enqueue_barrier | cudaStreamWaitEvent | STREAM
clSetEventCallback | set_callback | cudaLaunchHostFunc | EXECUTION
clCreateUserEvent | UserEvent | cudaLaunchHostFunc | EXECUTION | a host function that waits; CUDA has no event that the host sets
"""

TABLE = [HostCall(*(cell.strip() for cell in row.split("|"))) for row in _ROWS.strip().splitlines()]
_BY_C = {row.opencl: row for row in TABLE}
_BY_PYTHON = {name: row for row in TABLE for name in row.pyopencl.split(", ") if name}
# The runtime's entry points, and what it has no row for: releases, calls of older versions.
_KNOWN = {*ENTRY_POINTS, *_BY_C}
_CALL = re.compile(r"(?<![\w.])(cl[A-Z]\w+)\s*\(")
_IMPORT = re.compile(r"^\s*(?:import pyopencl|from pyopencl|from \S+ import .*\bpyopencl\b)", re.MULTILINE)
_PYTHON_CALL = re.compile(r"\b(?:cl|pyopencl|ocl|opencl)\.(\w+)\s*\(|\.(set_args?|finish|flush|get_sub_region)\s*\(")


@dataclass(frozen=True)
class Calls:
    """row None: the call has no one counterpart"""

    name: str
    count: int
    files: tuple[str, ...]
    row: HostCall | None


def count(texts: Iterable[tuple[str, str]]) -> list[Calls]:
    """The calls in (file, text), the most frequent first."""
    counted: Counter[str] = Counter()
    places: dict[str, dict[str, None]] = {}
    for file, text in texts:
        for name in _names(file, text):
            counted[name] += 1
            places.setdefault(name, {})[file] = None
    return [Calls(name, number, tuple(places[name]), _BY_C.get(name) or _BY_PYTHON.get(name)) for name, number in counted.most_common()]


def _names(file: str, text: str) -> list[str]:
    suffix = Path(file).suffix.lower()
    if suffix in CXX:
        return [name for name in _CALL.findall(text) if name in _KNOWN]
    if suffix in PYTHON and _IMPORT.search(text):
        return [name for names in _PYTHON_CALL.findall(text) for name in names if name in _BY_PYTHON]
    return []
