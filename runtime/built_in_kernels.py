"""Built-in kernels (5.8.1): kernels that the platform carries itself, written in OpenCL C and built when a program asks for them.

cl2cuda comes with none; whoever registers one, such as an extension whose kernels have names of their own, makes every device
list it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BuiltInKernel:
    """`source` has the kernel of that name, and nothing of what other built-in kernels define."""

    name: str
    source: str
    options: str = ""
    version: tuple[int, int, int] = (1, 0, 0)


# By name, in the order of CL_DEVICE_BUILT_IN_KERNELS.
BUILT_IN: dict[str, BuiltInKernel] = {}


def register(kernel: BuiltInKernel) -> None:
    BUILT_IN[kernel.name] = kernel
