"""Programs that are linked: clLinkProgram (5.8.5), where compiled objects and libraries become a new program, an executable or a
library; and clCreateProgramWithBuiltInKernels (5.8.1)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ...translator import CompiledObject
from ...translator.options import LinkOptions, parse_link_options, parse_options
from ..build.binary import Binary
from ..build.build import Builder, LinkStep, SourceStep
from ..context.context import Context
from ..devices import built_in_kernels
from ..devices.built_in_kernels import BuiltInKernel, CudaKernel
from ..devices.device import Device
from ..spec import codes
from ..spec.errors import CLError
from .builds import BuildCall
from .checks import check_devices, parsed
from .program import Callback, Program

ROUTINE = "clLinkProgram"
BUILT_IN_ROUTINE = "clCreateProgramWithBuiltInKernels"


def link_program(context: Context, devices: Sequence[Device] | None, options: str | None, programs: Sequence[Program],
                 callback: Callback | None = None) -> Program:
    """clLinkProgram: a new program with the executable or library. CLError LINK_PROGRAM_FAILURE, with that program and the log,
    if the objects do not fit together; with a callback the program's build status tells."""
    if not isinstance(context, Context):
        raise CLError(ROUTINE, "INVALID_CONTEXT", f"{context!r} is not a context")
    if not programs:
        raise CLError(ROUTINE, "INVALID_VALUE", "there are no programs to link")
    for program in programs:
        if not isinstance(program, Program) or program.released:
            raise CLError(ROUTINE, "INVALID_PROGRAM", f"{program!r} is not a program")
        if program.context is not context:
            raise CLError(ROUTINE, "INVALID_PROGRAM", "a program belongs to another context")
    if devices is not None and not devices:
        raise CLError(ROUTINE, "INVALID_VALUE", "the list of devices is empty")
    check_devices(ROUTINE, devices or (), context.devices, "the context")
    text = options or ""
    link_options: LinkOptions = parsed(ROUTINE, "INVALID_LINKER_OPTIONS", parse_link_options, text)
    linked = Program(context, "", "link", devices or context.devices)
    steps = {device: LinkStep(objects, text, link_options) for device in linked.devices if (objects := _objects(device, programs))}
    if not steps:
        raise CLError(ROUTINE, "INVALID_OPERATION", "none of the programs has been compiled for any of the devices")
    builders: dict[tuple[int, ...], Builder] = {}

    def make(device: Device) -> Binary:
        step = steps[device]
        if link_options.create_library:
            return step.library()
        same = tuple(map(id, step.objects))
        return builders.setdefault(same, Builder(step, apart=callback is not None)).executable(device)

    try:
        linked.perform(BuildCall(ROUTINE, "LINK_PROGRAM_FAILURE", text, make), tuple(steps), callback)
    except CLError as error:
        error.program = linked
        raise
    return linked


def _objects(device: Device, programs: Sequence[Program]) -> tuple[CompiledObject, ...]:
    """The compiled objects of all programs for the device; none if none has any: "no link is performed"."""
    found: list[Binary] = []
    for program in programs:
        if device in program.devices:
            if program.build_status(device) == codes.BUILD_IN_PROGRESS:
                raise CLError(ROUTINE, "INVALID_OPERATION", "the compilation of one of the programs has not completed")
            binary = program.binary(device)
            if binary is not None and binary.type != "executable":
                found.append(binary)
    if found and len(found) < len(programs):
        # "All other cases will return a CL_INVALID_OPERATION error."
        raise CLError(ROUTINE, "INVALID_OPERATION",
                      f"{len(programs) - len(found)} of {len(programs)} programs are not compiled for {device!r}")
    return tuple(each for binary in found for each in binary.objects)


def program_with_built_in_kernels(context: Context, devices: Sequence[Device], names: str) -> Program:
    """clCreateProgramWithBuiltInKernels: `names` are separated by semicolons. The program is an executable already."""
    check_devices(BUILT_IN_ROUTINE, devices, context.devices, "the context")
    known = built_in_kernels.BUILT_IN
    wanted = list(dict.fromkeys(name.strip() for name in names.split(";")))
    for name in wanted:
        if name not in known:
            there = ", ".join(known) or "none"
            raise CLError(BUILT_IN_ROUTINE, "INVALID_VALUE", f"no device has a built-in kernel '{name}'; there are: {there}")
    return program_of_kernels(context, devices, [known[name] for name in wanted])


def program_of_kernels(context: Context, devices: Sequence[Device], kernels: Sequence[built_in_kernels.Kernel]) -> Program:
    """The same with built-in kernels that need not be registered. A device of the program that has none of them has no executable."""
    if not devices or not kernels:
        raise CLError(BUILT_IN_ROUTINE, "INVALID_VALUE", f"no {'kernels' if devices else 'devices'} are given")
    check_devices(BUILT_IN_ROUTINE, devices, context.devices, "the context")
    for kernel in kernels:
        # "kernel_names contains a kernel name that is not supported by any of the devices in device_list"
        if not any(kernel.is_of(device) for device in devices):
            raise CLError(BUILT_IN_ROUTINE, "INVALID_VALUE",
                          f"built-in kernel '{kernel.name}' is made for CUDA devices, of which there is none among {list(devices)!r}")
    maker = _BuiltInMaker(kernels)
    program = Program(context, "", "built-in kernels", devices)
    having = tuple(device for device in program.devices if any(kernel.is_of(device) for kernel in kernels))
    program.perform(BuildCall(BUILT_IN_ROUTINE, "OUT_OF_RESOURCES", "", maker.executable), having, None)
    return program


class _BuiltInMaker:
    """Executables of built-in kernels, one for each device."""

    def __init__(self, kernels: Sequence[built_in_kernels.Kernel]):
        self.kernels = kernels
        self.compiled = [each for each in kernels if isinstance(each, CudaKernel)]
        sources = [each for each in kernels if isinstance(each, BuiltInKernel)]
        steps = [SourceStep(each.source, each.options, parse_options(each.options)) for each in sources]
        objects = tuple(one for step in steps for one in step.compiled_object().objects)
        self.builder = Builder(LinkStep(objects, "", LinkOptions())) if objects else None

    def executable(self, device: Device) -> Binary:
        driver = device.driver_device
        binary = self.builder.executable(device) if self.builder else Binary("executable", "", "", device.driver_name, driver.target)
        infos = dict(binary.kernels)
        cuda = driver.cuda_code
        if self.compiled and cuda is not None:
            kernels = [each.compile(cuda.capability) for each in self.compiled]
            infos |= {each.info.name: each.info for each in kernels}
            binary = dataclasses.replace(binary, made=cuda.with_kernels(binary.code, kernels))
        return dataclasses.replace(binary, kernels={each.name: infos[each.name] for each in self.kernels if each.name in infos})
