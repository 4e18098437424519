"""Built-in kernels (5.8.1): kernels that a device lists by name, and that a program has without source of its
own.

They come in OpenCL C, for every device, or as CUDA code, for CUDA's. cl2cuda comes with none; whoever
registers one, such as an extension whose kernels have names of their own or `cl2cuda.numba`, makes the
devices list it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, Union

from ..driver.device import CompiledKernel


class KernelDevice(Protocol):
    """What decides whether a device has a built-in kernel."""

    @property
    def is_cuda(self) -> bool: ...


class BuiltInKernel(NamedTuple):
    """`source` has the kernel of that name, and nothing of what other built-in kernels define."""

    name: str
    source: str
    options: str = ""
    version: tuple[int, int, int] = (1, 0, 0)

    def is_of(self, device: KernelDevice) -> bool:
        return True


class CudaKernel(NamedTuple):
    """`compile` makes the kernel for a compute capability. Its errors are its caller's own business."""

    name: str
    compile: Callable[[tuple[int, int]], CompiledKernel]
    version: tuple[int, int, int] = (1, 0, 0)

    def is_of(self, device: KernelDevice) -> bool:
        return device.is_cuda


Kernel = Union[BuiltInKernel, CudaKernel]

# By name, in the order of CL_DEVICE_BUILT_IN_KERNELS.
BUILT_IN: dict[str, Kernel] = {}


def register(kernel: Kernel) -> None:
    BUILT_IN[kernel.name] = kernel


def of_device(device: KernelDevice) -> Sequence[Kernel]:
    return [kernel for kernel in BUILT_IN.values() if kernel.is_of(device)]
