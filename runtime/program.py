"""Programs: OpenCL C source or binaries, built for devices. Owns translation, compilation and caching in that order."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import translator
from ..translator import options as build_options
from ..translator.diagnostics import CompileError, InternalError
from . import cache, codes, trace
from .binary import Binary, Damaged
from .context import Context
from .device import Device
from .driver import BuildFailure, DriverError, Function, Module
from .errors import CLError
from .info import QueryTable

if TYPE_CHECKING:
    from .kernel import Kernel

ROUTINE = "clBuildProgram"

# Built-in functions by which a program can tell how its work-items are grouped.
_GROUP_FUNCTIONS = frozenset((
    "get_local_id", "get_local_size", "get_enqueued_local_size", "get_group_id", "get_num_groups", "get_local_linear_id",
    "barrier", "work_group_barrier", "async_work_group_copy", "async_work_group_strided_copy", "wait_group_events",
))


@dataclass
class Build:
    """What a program is for one device. The module is loaded when a kernel first needs it."""

    status: int = codes.BUILD_NONE
    log: str = ""
    options: str = ""
    binary: Binary | None = None
    module: Module | None = None


class Program:
    """cl_program. A program is built once its `build` has succeeded for at least one device."""

    def __init__(self, context: Context, source: str):
        self.context = context
        self.source = source
        self.devices = context.devices
        self._given: dict[Device, Binary] = {}  # by from_binaries
        self._builds = {device: Build() for device in self.devices}
        self._live_kernels: weakref.WeakSet[Kernel] = weakref.WeakSet()
        self._lock = threading.RLock()

    @classmethod
    def from_binaries(cls, context: Context, devices: Sequence[Device], binaries: Sequence[bytes]) -> Program:
        """clCreateProgramWithBinary; the program still has to be built."""
        routine = "clCreateProgramWithBinary"
        if not devices or len(devices) != len(binaries):
            raise CLError(routine, "INVALID_VALUE", f"{len(devices)} devices and {len(binaries)} binaries are given")
        program = cls(context, "")
        for device, data in zip(devices, binaries, strict=True):
            if device not in context.devices:
                raise CLError(routine, "INVALID_DEVICE", f"{device!r} is not a device of the context")
            program._given[device] = _given_binary(routine, device, data)
        program.devices = tuple(devices)
        program._builds = {device: Build() for device in devices}
        return program

    @trace.spanned("clBuildProgram")
    def build(self, options: str = "", devices: Sequence[Device] | None = None) -> None:
        """clBuildProgram; CLError BUILD_PROGRAM_FAILURE, with the log as its reason, if the program is invalid."""
        if self._live_kernels:
            # "CL_INVALID_OPERATION if there are kernel objects attached to program"
            raise CLError(ROUTINE, "INVALID_OPERATION", "the program has kernel objects: release them before building it again")
        for device in devices or ():
            if device not in self._builds:
                raise CLError(ROUTINE, "INVALID_DEVICE", f"{device!r} is not a device of the program")
        try:
            parsed = build_options.parse_options(options)
        except build_options.OptionError as error:
            raise CLError(ROUTINE, "INVALID_BUILD_OPTIONS", str(error)) from error
        with self._lock:
            builder = Builder(self.source, options, parsed)
            for device in devices or self.devices:
                self._unload(device)
                self._builds[device] = Build(codes.BUILD_IN_PROGRESS, options=options)
                self._builds[device] = self._build_for(device, builder, options)
        for device in devices or self.devices:
            if self._builds[device].status == codes.BUILD_ERROR:
                raise CLError(ROUTINE, "BUILD_PROGRAM_FAILURE", self._builds[device].log)

    def _build_for(self, device: Device, builder: Builder, options: str) -> Build:
        try:
            binary = self._given.get(device) or builder.binary(device)
        except (CompileError, InternalError) as error:
            return Build(codes.BUILD_ERROR, str(error), options)
        except BuildFailure as failure:
            return Build(codes.BUILD_ERROR, failure.log, options)
        except DriverError as error:
            self._builds[device] = Build(codes.BUILD_ERROR, str(error), options)
            raise CLError(ROUTINE, error.status, str(error)) from error
        return Build(codes.BUILD_SUCCESS, binary.log, options, binary)

    # What was built.

    def _build(self, routine: str, device: Device) -> Build:
        try:
            return self._builds[device]
        except KeyError:
            raise CLError(routine, "INVALID_DEVICE", f"{device!r} is not a device of the program") from None

    def build_status(self, device: Device) -> int:
        return self._build("clGetProgramBuildInfo", device).status

    def build_log(self, device: Device) -> str:
        """The diagnostics: "" for a program without errors and warnings."""
        return self._build("clGetProgramBuildInfo", device).log

    def build_options(self, device: Device) -> str:
        return self._build("clGetProgramBuildInfo", device).options

    def binary_type(self, device: Device) -> int:
        has_one = self._build("clGetProgramBuildInfo", device).binary or self._given.get(device)
        return codes.PROGRAM_BINARY_TYPE_EXECUTABLE if has_one else codes.PROGRAM_BINARY_TYPE_NONE

    def global_size(self, device: Device) -> int:
        """Bytes of the program's variables in the global address space."""
        binary = self._build("clGetProgramBuildInfo", device).binary
        return binary.global_size if binary else 0

    def built(self) -> list[Binary]:
        """The binary of every device that the program was built for."""
        return [build.binary for build in self._builds.values() if build.status == codes.BUILD_SUCCESS and build.binary]

    def binary_for(self, routine: str, device: Device) -> Binary:
        binary = self._build(routine, device).binary
        if binary is None:
            raise CLError(routine, "INVALID_PROGRAM_EXECUTABLE", f"the program was not built for {device!r}")
        return binary

    @property
    def kernel_names(self) -> tuple[str, ...]:
        built = self.built()
        if not built:
            raise CLError("clGetProgramInfo", "INVALID_PROGRAM_EXECUTABLE", "the program has not been built")
        return tuple(built[0].kernels)

    def binaries(self) -> list[bytes]:
        """One for each of `devices`, b"" where there is none."""
        found = [self._builds[device].binary or self._given.get(device) for device in self.devices]
        return [binary.pack() if binary else b"" for binary in found]

    def kernels(self) -> list[Kernel]:
        """clCreateKernelsInProgram."""
        from .kernel import Kernel

        return [Kernel(self, name) for name in self.kernel_names]

    def attach(self, kernel: Kernel) -> None:
        self._live_kernels.add(kernel)

    def detach(self, kernel: Kernel) -> None:
        self._live_kernels.discard(kernel)

    def function(self, routine: str, device: Device, name: str) -> Function:
        """The loaded kernel."""
        binary = self.binary_for(routine, device)
        build = self._builds[device]
        try:
            with self._lock:
                if build.module is None:
                    build.module = device.driver_device.load(binary.code)
                return build.module.function(binary.kernels[name])
        except DriverError as error:
            raise CLError(routine, error.status, str(error)) from error

    def get_info(self, param: int) -> Any:
        return QUERIES.get(self, param)

    def get_build_info(self, device: Device, param: int) -> Any:
        """clGetProgramBuildInfo."""
        self._build(BUILD_QUERIES.routine, device)
        return BUILD_QUERIES.get((self, device), param)

    def _unload(self, device: Device) -> None:
        module, self._builds[device].module = self._builds[device].module, None
        if module is not None:
            self.context.retire(device, module.unload)

    def release(self) -> None:
        """clReleaseProgram: what is loaded goes once the last kernel object has gone, by Python's own counting."""

    def __del__(self) -> None:
        for device in getattr(self, "_builds", ()):
            self._unload(device)


class Builder:
    """One call of build: translates at most once, compiles once for each kind of device, and asks the cache before either."""

    def __init__(self, source: str, option_text: str, options: build_options.BuildOptions):
        self.source = source
        self.option_text = option_text
        self.options = options
        self._translation: translator.Translation | None = None
        self._binaries: dict[tuple[str, str], Binary] = {}

    def binary(self, device: Device) -> Binary:
        kind = (device.driver_name, device.driver_device.compiler_identity(self.options))
        if kind not in self._binaries:
            self._binaries[kind] = self._cached(device, kind)
        return self._binaries[kind]

    def _cached(self, device: Device, kind: tuple[str, str]) -> Binary:
        headers = cache.headers(self.source, self.options.include_dirs)
        if headers is None:
            return self._compile(device)
        name = cache.key((self.source, self.option_text, repr(self.options), *headers, *kind))
        data = cache.load(name)
        if data is not None:
            try:
                return Binary.unpack(data)
            except Damaged:
                cache.discard(name)
        binary = self._compile(device)
        cache.store(name, binary.pack())
        return binary

    def _compile(self, device: Device) -> Binary:
        if self._translation is None:
            self._translation = translator.translate(self.source, self.options)
        translation = self._translation
        uses = {use[1] for use in translation.used_builtins if use[0] == "fn"}
        return Binary(
            driver=device.driver_name,
            kernels={info.name: info for info in translation.kernels},
            log="".join(f"{diagnostic}\n" for diagnostic in translation.diagnostics),
            options=self.option_text,
            uniform=self.options.version < 200 or self.options.uniform_work_group_size,
            observes_groups=not uses.isdisjoint(_GROUP_FUNCTIONS),
            code=device.driver_device.compile(translation, self.options),
            global_size=translation.global_size,
        )


def _given_binary(routine: str, device: Device, data: bytes) -> Binary:
    if not len(data):
        raise CLError(routine, "INVALID_VALUE", "a binary is empty")
    try:
        binary = Binary.unpack(data)
    except Damaged:
        raise CLError(routine, "INVALID_BINARY", "the bytes are not an intact binary made by this version of cl2cuda") from None
    if binary.driver != device.driver_name:
        raise CLError(routine, "INVALID_BINARY", f"the binary is for the {binary.driver} driver, the device is {device!r}")
    return binary


QUERIES = QueryTable("clGetProgramInfo", (
    ("PROGRAM_REFERENCE_COUNT", codes.PROGRAM_REFERENCE_COUNT, "uint", lambda p: 1),
    ("PROGRAM_CONTEXT", codes.PROGRAM_CONTEXT, "object", lambda p: p.context),
    ("PROGRAM_NUM_DEVICES", codes.PROGRAM_NUM_DEVICES, "uint", lambda p: len(p.devices)),
    ("PROGRAM_DEVICES", codes.PROGRAM_DEVICES, "object[]", lambda p: p.devices),
    ("PROGRAM_SOURCE", codes.PROGRAM_SOURCE, "string", lambda p: p.source),
    ("PROGRAM_BINARY_SIZES", codes.PROGRAM_BINARY_SIZES, "size_t[]", lambda p: tuple(len(data) for data in p.binaries())),
    ("PROGRAM_BINARIES", codes.PROGRAM_BINARIES, "bytes[]", lambda p: tuple(p.binaries())),
    ("PROGRAM_NUM_KERNELS", codes.PROGRAM_NUM_KERNELS, "size_t", lambda p: len(p.kernel_names)),
    ("PROGRAM_KERNEL_NAMES", codes.PROGRAM_KERNEL_NAMES, "string", lambda p: ";".join(p.kernel_names)),
    ("PROGRAM_IL", codes.PROGRAM_IL, "string", lambda p: ""),
    ("PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT", codes.PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, "bool", lambda p: False),
    ("PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT", codes.PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, "bool", lambda p: False),
))

BUILD_QUERIES = QueryTable("clGetProgramBuildInfo", (
    ("PROGRAM_BUILD_STATUS", codes.PROGRAM_BUILD_STATUS, "int", lambda pd: pd[0].build_status(pd[1])),
    ("PROGRAM_BUILD_OPTIONS", codes.PROGRAM_BUILD_OPTIONS, "string", lambda pd: pd[0].build_options(pd[1])),
    ("PROGRAM_BUILD_LOG", codes.PROGRAM_BUILD_LOG, "string", lambda pd: pd[0].build_log(pd[1])),
    ("PROGRAM_BINARY_TYPE", codes.PROGRAM_BINARY_TYPE, "enum", lambda pd: pd[0].binary_type(pd[1])),
    ("PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE", codes.PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, "size_t",
     lambda pd: pd[0].global_size(pd[1])),
))
