"""Programs: OpenCL C source or binaries, built for devices. Owns what a program was created from, what is built of that, what may be done
with it, and the checks; the states of its builds are `builds`' business, and how binaries are made is `build`'s."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from ... import translator
from ...translator import options as build_options
from ...translator.ir.kernel_info import KernelInfo
from ...translator.options import BuildOptions
from ..build.build import Builder, ILStep, SourceStep
from ..context.context import Context
from ..devices.device import Device
from ..process import environment
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from .builds import BuildCall, Builds
from .checks import check_devices, given_binary, parsed

Origin = Literal["source", "IL", "binary", "link", "built-in kernels"]
_ANY_VERSION = "CL3.0"  # of OpenCL C: what a module's work-groups may be does not depend on a language
Callback = Callable[["Program"], None]

_MOST_CODE = 1 << 20  # bytes of a program that may be kept when it is released


def _is_all(source: str, options: str) -> bool:
    """Whether the text is translated with these options alone, and at any time to the same."""
    text = re.sub(r"\\\s*\n", "", source)
    return not any(word in text for word in ("include", "embed")) and not any(
        word in text or word in options for word in ("__DATE__", "__TIME__", "__TIMESTAMP__"))


class Program(Builds):
    """cl_program.

    origin      what it was created from
    il          the module that it was created with
    layouts     by kernels' names, for kernel objects: what was found out of a KernelInfo, and of which one
    """

    def __init__(self, context: Context, source: str, origin: Origin = "source", devices: Sequence[Device] | None = None):
        if not isinstance(source, str):
            raise CLError("clCreateProgramWithSource", "INVALID_VALUE", f"the source is {source!r}, no text")
        super().__init__(context, tuple(dict.fromkeys(devices)) if devices is not None else context.devices)
        self.source = source
        self.origin: Origin = origin
        self.il = b""
        self._constants: dict[int, bytes] = {}  # values of specialization constants
        self._constant_sizes: dict[int, int] = {}
        self.released = False
        self.layouts: dict[str, tuple[KernelInfo, Any]] = {}

    @classmethod
    def from_binaries(cls, context: Context, devices: Sequence[Device], binaries: Sequence[bytes],
                      statuses: list[int] | None = None) -> Program:
        """clCreateProgramWithBinary; an executable still has to be built. `statuses` is filled with one status for each device,
        also when this raises."""
        routine = "clCreateProgramWithBinary"
        if not devices or len(devices) != len(binaries):
            raise CLError(routine, "INVALID_VALUE", f"{len(devices)} devices and {len(binaries)} binaries are given")
        check_devices(routine, devices, context.devices, "the context")
        program = cls(context, "", "binary", devices)
        failed = None
        for device, data in zip(devices, binaries, strict=True):
            try:
                program.given[device] = given_binary(routine, device, data)
                status = 0
            except CLError as error:
                failed, status = failed or error, error.code
            if statuses is not None:
                statuses.append(status)
        if failed:
            raise failed
        return program

    @classmethod
    def from_il(cls, context: Context, il: bytes) -> Program:
        """clCreateProgramWithIL: a module of SPIR-V. "CL_INVALID_VALUE if the length-byte block of memory pointed to by il does not
        contain well-formed intermediate language input that can be consumed by the OpenCL runtime"."""
        routine = "clCreateProgramWithIL"
        if not il:
            raise CLError(routine, "INVALID_VALUE", "the module is empty")
        program = cls(context, "", "IL")
        program.il = bytes(il)
        try:
            program._constant_sizes = translator.specialization_constants(program.il)
        except translator.CompileError as refusal:
            raise CLError(routine, "INVALID_VALUE", str(refusal)) from refusal
        return program

    # Building, compiling, linking.

    def build(self, options: str | None = None, devices: Sequence[Device] | None = None, callback: Callback | None = None) -> None:
        """clBuildProgram; CLError BUILD_PROGRAM_FAILURE, with the log as its reason, if the program is invalid. With a callback it
        returns at once, and the callback is called from another thread."""
        routine = "clBuildProgram"
        chosen = self._chosen(routine, devices)
        if self.origin == "binary":
            text = self._check_executables(routine, chosen, options)
            self.perform(BuildCall(routine, "BUILD_PROGRAM_FAILURE", text, self.given.__getitem__), chosen, callback)
            return
        if self.origin not in ("source", "IL"):
            # "CL_INVALID_OPERATION if program was not created with clCreateProgramWithSource, [...] or clCreateProgramWithBinary"
            raise CLError(routine, "INVALID_OPERATION", f"the program was created by {self.origin}: there is nothing to build")
        text = options or ""
        steps = self._steps(text, parsed(routine, "INVALID_BUILD_OPTIONS", build_options.parse_options, text), {}, chosen)
        builders = {kind: Builder(step, apart=callback is not None) for kind, step in steps.items()}
        self.perform(BuildCall(routine, "BUILD_PROGRAM_FAILURE", text,
                               lambda device: builders[device.independent_sub_groups].executable(device)), chosen, callback)

    def _steps(self, text: str, options: BuildOptions, headers: Mapping[str, str],
               devices: Sequence[Device]) -> dict[bool, SourceStep | ILStep]:
        """What is to be built for devices whose sub-groups make independent forward progress, and for those whose do not: they have
        other macros."""
        kinds = {device.independent_sub_groups for device in devices}
        return {kind: self._step(text, dataclasses.replace(options, independent_sub_groups=kind), headers) for kind in kinds}

    def _step(self, text: str, options: BuildOptions, headers: Mapping[str, str]) -> SourceStep | ILStep:
        options = self.context.initialising(options)
        if environment.flag("CL2CUDA_LINE_INFO"):
            options = dataclasses.replace(options, debug=True)
        if self.origin == "IL":
            return ILStep(self.il, text, dataclasses.replace(options, cl_std=_ANY_VERSION), dict(self._constants))
        return SourceStep(self.source, text, options, headers)

    def _check_executables(self, routine: str, devices: Sequence[Device], options: str | None) -> str:
        """The options of the build. "If program is created with clCreateProgramWithBinary, then the program binary must be an
        executable binary (not a compiled binary or library)."."""
        for device in devices:
            if self.given[device].type != "executable":
                raise CLError(routine, "INVALID_BINARY", f"the binary for {device!r} is a compiled {self.given[device].type}: link it")
        if options is None:
            # "the program will be built as if options were the same as when the program binary was originally built"
            return self.given[devices[0]].options
        parsed(routine, "INVALID_BUILD_OPTIONS", build_options.parse_options, options)
        return options

    def compile(self, options: str | None = None, devices: Sequence[Device] | None = None,
                headers: Sequence[tuple[str, Program]] = (), callback: Callback | None = None) -> None:
        """clCompileProgram: `headers` are (include name, program) pairs; of equal names the first counts."""
        routine = "clCompileProgram"
        chosen = self._chosen(routine, devices)
        if self.origin not in ("source", "IL"):
            raise CLError(routine, "INVALID_OPERATION", f"the program was created by {self.origin}: it has no source")
        embedded: dict[str, str] = {}
        # "If program was created using clCreateProgramWithIL, then num_input_headers, input_headers, and header_include_names are
        # ignored."
        for name, header in headers if self.origin == "source" else ():
            if not isinstance(header, Program) or header.released:
                raise CLError(routine, "INVALID_PROGRAM", f"header '{name}': {header!r} is not a program")
            if header.origin != "source":
                raise CLError(routine, "INVALID_OPERATION", f"header '{name}' was created by {header.origin}: it has no source")
            # "If multiple entries in header_include_names refer to the same header name, the first one encountered will be used."
            embedded.setdefault(name, header.source)
        text = options or ""
        steps = self._steps(text, parsed(routine, "INVALID_COMPILER_OPTIONS", build_options.parse_options, text), embedded, chosen)
        objects = {kind: cache(step.compiled_object) for kind, step in steps.items()}
        self.perform(BuildCall(routine, "COMPILE_PROGRAM_FAILURE", text, lambda device: objects[device.independent_sub_groups]()), chosen,
                     callback)

    def _chosen(self, routine: str, devices: Sequence[Device] | None) -> tuple[Device, ...]:
        self.check(routine)
        if devices is None:
            return self.devices
        if not devices:
            raise CLError(routine, "INVALID_VALUE", "the list of devices is empty")
        check_devices(routine, devices, self.devices, "the program")
        return tuple(dict.fromkeys(devices))

    def check(self, routine: str) -> None:
        if self.released:
            raise CLError(routine, "INVALID_PROGRAM", "the program has been released")

    @property
    def kernel_names(self) -> tuple[str, ...]:
        built = self.built("clGetProgramInfo")
        if len(built) == 1:
            return built[0].names
        # Built-in kernels need not be on every device.
        return tuple(dict.fromkeys(name for binary in built for name in binary.kernels))

    def definitions(self, routine: str, name: str) -> list[KernelInfo | None]:
        """What the kernel is on each device that the program was built for; None where it is not. A built-in kernel need not be on
        every device."""
        found = [binary.kernels.get(name) for binary in self.built(routine)]
        return [info for info in found if info] if self.origin == "built-in kernels" else found

    def only_device_if_repeatable(self) -> Device | None:
        """The context's only device, if the program was built there of nothing but its source or binary and the options, and holds nothing
        that one use leaves to the next: another program of the same would be no other."""
        context, build = self.context, self._builds.get(self.context.devices[0])
        binary = None if build is None else self._executable(build)
        if build is None or binary is None or not context.one_device or not binary.is_finished or binary.error is not None:
            return None
        if self.origin != "binary" and (self.origin != "source" or not _is_all(self.source, build.options)):
            return None
        lasts = binary.variables or binary.blocks or binary.global_size or len(binary.code) > _MOST_CODE
        return None if lasts else context.devices[0]

    def get_info(self, param: int) -> Any:
        """clGetProgramInfo (5.8.9)."""
        return QUERIES.get(self, param)

    def get_build_info(self, device: Device, param: int) -> Any:
        """clGetProgramBuildInfo."""
        self._build(BUILD_QUERIES.routine, device)
        return BUILD_QUERIES.get((self, device), param)

    def set_release_callback(self, callback: Callback) -> None:
        """clSetProgramReleaseCallback: "may unconditionally return an error if no devices in the context associated with program
        support destructors for program scope global variables", which OpenCL C does not have."""
        routine = "clSetProgramReleaseCallback"
        self.check(routine)
        if not callable(callback):
            raise CLError(routine, "INVALID_VALUE", f"{callback!r} is no function")
        raise CLError(routine, "INVALID_OPERATION", "no device supports destructors for variables of program scope")

    def set_specialization_constant(self, spec_id: int, value: bytes) -> None:
        """clSetProgramSpecializationConstant: for builds from now on."""
        routine = "clSetProgramSpecializationConstant"
        self.check(routine)
        if self.origin != "IL":
            raise CLError(routine, "INVALID_PROGRAM", f"the program was created by {self.origin}, not from an intermediate language")
        # "CL_INVALID_SPEC_ID if spec_id is not a valid specialization constant identifier"
        if spec_id not in self._constant_sizes:
            known = ", ".join(map(str, sorted(self._constant_sizes))) or "none"
            raise CLError(routine, "INVALID_SPEC_ID", f"the module has no specialization constant {spec_id}; it has: {known}")
        if len(value) != self._constant_sizes[spec_id]:
            raise CLError(routine, "INVALID_VALUE", f"specialization constant {spec_id} has {self._constant_sizes[spec_id]} bytes, "
                                                    f"the value {len(value)}")
        self._constants[spec_id] = bytes(value)

    def release(self) -> None:
        """clReleaseProgram: what is loaded goes once the last kernel object has gone, by Python's own counting."""
        self.released = True

QUERIES = QueryTable[Program]("clGetProgramInfo", (
    ("PROGRAM_REFERENCE_COUNT", "uint", lambda p: 1),
    ("PROGRAM_CONTEXT", "object", lambda p: p.context),
    ("PROGRAM_NUM_DEVICES", "uint", lambda p: len(p.devices)),
    ("PROGRAM_DEVICES", "object[]", lambda p: p.devices),
    ("PROGRAM_SOURCE", "string", lambda p: p.source),
    ("PROGRAM_BINARY_SIZES", "size_t[]", lambda p: tuple(len(data) for data in p.binaries())),
    ("PROGRAM_BINARIES", "bytes[]", lambda p: tuple(p.binaries())),
    ("PROGRAM_NUM_KERNELS", "size_t", lambda p: len(p.kernel_names)),
    ("PROGRAM_KERNEL_NAMES", "string", lambda p: ";".join(p.kernel_names)),
    ("PROGRAM_IL", "bytes", lambda p: p.il),
    ("PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT", "bool", lambda p: False),
    ("PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT", "bool", lambda p: False),
))

BUILD_QUERIES = QueryTable[tuple[Program, Device]]("clGetProgramBuildInfo", (
    ("PROGRAM_BUILD_STATUS", "int", lambda pd: pd[0].build_status(pd[1])),
    ("PROGRAM_BUILD_OPTIONS", "string", lambda pd: pd[0].build_options(pd[1])),
    ("PROGRAM_BUILD_LOG", "string", lambda pd: pd[0].build_log(pd[1])),
    ("PROGRAM_BINARY_TYPE", "enum", lambda pd: pd[0].binary_type(pd[1])),
    ("PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE", "size_t",
     lambda pd: pd[0].global_size(pd[1])),
))
