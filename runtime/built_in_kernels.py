"""Built-in kernels (5.8.1): kernels that the platform carries itself, written in OpenCL C and built when a program asks for them.

cl2cuda comes with none; whoever registers one, such as an extension whose kernels have names of their own, makes every device
list it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..translator.options import parse_options

if TYPE_CHECKING:
    from .context import Context
    from .device import Device
    from .program import Program

ROUTINE = "clCreateProgramWithBuiltInKernels"


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


def create_program(context: Context, devices: Sequence[Device], names: str) -> Program:
    """clCreateProgramWithBuiltInKernels: `names` are separated by semicolons. The program is an executable already."""
    from .binary import Binary
    from .errors import CLError
    from .program import Program, Work, check_devices
    from .recipes import Builder, LinkRecipe, SourceRecipe

    if not devices:
        raise CLError(ROUTINE, "INVALID_VALUE", "no devices are given")
    check_devices(ROUTINE, devices, context.devices, "the context")
    wanted = list(dict.fromkeys(name.strip() for name in names.split(";")))
    for name in wanted:
        if name not in BUILT_IN:
            known = ", ".join(BUILT_IN) or "none"
            raise CLError(ROUTINE, "INVALID_VALUE", f"no device has a built-in kernel '{name}'; there are: {known}")
    objects = []
    for name in wanted:
        kernel = BUILT_IN[name]
        compiled = SourceRecipe(kernel.source, kernel.options, parse_options(kernel.options)).compiled_object()
        objects += compiled.objects
    builder = Builder(LinkRecipe(tuple(objects), "", parse_link_options("")))

    def make(device: Device) -> Binary:
        binary = builder.executable(device)
        return dataclasses.replace(binary, kernels={name: binary.kernels[name] for name in wanted})

    program = Program(context, "", "built-in kernels", devices)
    program.perform(Work(ROUTINE, "OUT_OF_RESOURCES", "", make), program.devices, None)
    return program
