"""Programs: OpenCL C source or binaries, built for devices. Owns the states of a program, what may be done in which, and the
checks; how binaries are made is `build`'s business."""

from __future__ import annotations

import dataclasses
import re
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple

from ... import translator
from ...translator import options as build_options
from ...translator.ir.kernel_info import KernelInfo, VariableInfo
from ...translator.options import BuildOptions
from ..build.binary import Binary
from ..build.build import Builder, ILStep, Refused, SourceStep, build_log
from ..context.context import Context
from ..devices.device import Device
from ..driver.device import Function, Module
from ..driver.interface import BuildFailure, DriverError, DriverMissing
from ..driver.reported import cl_error, reported
from ..process import ending, environment, trace
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from .checks import check_devices, given_binary, parsed

Origin = Literal["source", "IL", "binary", "link", "built-in kernels"]
_ANY_VERSION = "CL3.0"  # of OpenCL C: what a module's work-groups may be does not depend on a language
Callback = Callable[["Program"], None]

_MOST_CODE = 1 << 20  # bytes of a program that may be kept when it is released


@dataclass
class Build:
    """What a program is for one device. The module is loaded when a kernel first needs it, and `functions` are its kernels that were
    asked for, by name."""

    status: int = codes.BUILD_NONE
    log: str = ""
    options: str = ""
    binary: Binary | None = None
    module: Module | None = None
    blocks: tuple[Function, ...] | None = None
    functions: dict[str, Function] = field(default_factory=dict)


class Program:
    """cl_program.

    origin      what it was created from
    given       binaries that it was created with
    il          the module that it was created with
    layouts     by kernels' names, for kernel objects: what was found out of a KernelInfo, and of which one
    """

    _builds: dict[Device, Build] = {}  # until the arguments have been checked

    def __init__(self, context: Context, source: str, origin: Origin = "source", devices: Sequence[Device] | None = None):
        if not isinstance(source, str):
            raise CLError("clCreateProgramWithSource", "INVALID_VALUE", f"the source is {source!r}, no text")
        self.context = context
        self.source = source
        self.origin: Origin = origin
        self.devices = tuple(dict.fromkeys(devices)) if devices is not None else context.devices
        self.given: dict[Device, Binary] = {}
        self.answers: dict[int, Any] = {}  # what a face has answered to queries since the last build
        self.il = b""
        self._constants: dict[int, bytes] = {}  # values of specialization constants
        self._constant_sizes: dict[int, int] = {}
        self.released = False
        self._builds = {device: Build() for device in self.devices}
        self._built_for: set[Device] = set()  # what calls named, as opposed to sub-devices of that
        self.layouts: dict[str, tuple[KernelInfo, Any]] = {}
        self._live_kernels: weakref.WeakSet[object] = weakref.WeakSet()
        self._made_last: threading.Event | None = None  # set when the last build with a callback is done
        self._lock = threading.RLock()

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

    def perform(self, work: BuildCall, devices: Sequence[Device], callback: Callback | None) -> None:
        """Makes the program's binaries for the devices, in a thread if there is a callback."""
        with self._lock:
            if self._live_kernels:
                # "CL_INVALID_OPERATION if there are kernel objects attached to program"
                raise CLError(work.routine, "INVALID_OPERATION", "the program has kernel objects: release them before")
            if any(self._builds[device].status == codes.BUILD_IN_PROGRESS for device in devices):
                raise CLError(work.routine, "INVALID_OPERATION", "an earlier build of the program has not completed")
            users = self._users(devices)
            for device in users:
                self._unload(device)
                self._builds[device] = Build(codes.BUILD_IN_PROGRESS, options=work.options)
            self.answers = {}
        if callback is not None:
            made = self._made_last = threading.Event()
            thread = threading.Thread(target=self._make_and_tell, args=(work, users, callback, made.set), name="cl2cuda build",
                                      daemon=True)
            try:
                thread.start()
            except RuntimeError:  # There is no room for a thread, or the interpreter ends: the call builds.
                self._make_and_tell(work, users, callback, made.set)
            return
        self._make(work, users)
        for device in devices:
            if self._builds[device].status == codes.BUILD_ERROR:
                raise CLError(work.routine, work.failure, self._builds[device].log)

    def _users(self, devices: Sequence[Device]) -> dict[Device, Device]:
        """The devices, and then the sub-devices that use what is built for one of them, each with that one. "If a program binary has not
        been built for a sub-device, the program binary associated with the parent device will be used." (5.8.9)"""
        self._built_for.update(devices)
        users = {device: device for device in devices}
        for device in self.devices:
            nearest = next((each for each in device.lineage() if each in self._built_for), None)
            if nearest is not None and nearest in users and device not in self.given:
                users[device] = nearest
        return users

    def _make(self, work: BuildCall, users: Mapping[Device, Device]) -> None:
        try:
            with trace.span(work.routine):
                for device, owner in users.items():
                    made = self._builds[owner] if owner is not device else self._made(work, device)
                    self._builds[device] = Build(made.status, made.log, made.options, made.binary)
        except DriverMissing as missing:
            tool = "LINKER" if work.routine == "clLinkProgram" else "COMPILER"
            raise CLError(work.routine, f"{tool}_NOT_AVAILABLE", str(missing)) from missing
        except DriverError as error:
            raise cl_error(work.routine, error) from error
        finally:
            for device in users:
                if self._builds[device].status == codes.BUILD_IN_PROGRESS:
                    self._builds[device] = Build(codes.BUILD_ERROR, str(sys.exc_info()[1]), work.options)
            self.answers = {}

    @staticmethod
    def _made(work: BuildCall, device: Device) -> Build:
        try:
            binary = work.make(device)
        except Refused as refusal:
            return Build(codes.BUILD_ERROR, build_log(refusal), work.options)
        return Build(codes.BUILD_SUCCESS, binary.log, work.options, binary)

    def _make_and_tell(self, work: BuildCall, users: Mapping[Device, Device], callback: Callback, made: Callable[[], None]) -> None:
        for call in (lambda: self._make(work, users), made, lambda: callback(self)):
            try:
                call()
            except CLError:
                pass  # the status and the log say it
            except BaseException:  # a callback's error has nobody to go to
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

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

    # What was built.

    def _build(self, routine: str, device: Device) -> Build:
        """What is known of it by now: a compiler that is still at work may have failed meanwhile."""
        try:
            build = self._builds[device]
        except KeyError:
            raise CLError(routine, "INVALID_DEVICE", f"{device!r} is not a device of the program") from None
        error = build.binary.error if build.binary is not None else None
        if error is not None:
            build = self._builds[device] = Build(codes.BUILD_ERROR, build.log + build_log(error), build.options)
            self.answers = {}
        return build

    def build_status(self, device: Device) -> int:
        return self._build("clGetProgramBuildInfo", device).status

    def build_log(self, device: Device) -> str:
        """The diagnostics: "" for a program without errors and warnings."""
        return self._build("clGetProgramBuildInfo", device).log

    def build_options(self, device: Device) -> str:
        return self._build("clGetProgramBuildInfo", device).options

    def binary(self, device: Device) -> Binary | None:
        """What was built last, or given."""
        return self._build("clGetProgramBuildInfo", device).binary or self.given.get(device)

    def binary_type(self, device: Device) -> int:
        binary = self.binary(device)
        return _TYPES[binary.type] if binary else codes.PROGRAM_BINARY_TYPE_NONE

    def global_size(self, device: Device) -> int:
        """Bytes of the program's variables in the global address space."""
        binary = self._build("clGetProgramBuildInfo", device).binary
        return binary.global_size if binary else 0

    def _executable(self, build: Build) -> Binary | None:
        done = build.status == codes.BUILD_SUCCESS and build.binary is not None and build.binary.type == "executable"
        return build.binary if done else None

    def built(self, routine: str) -> list[Binary]:
        """The executable of every device that the program was built for; INVALID_PROGRAM_EXECUTABLE where there is none. A build with a
        callback that is under way is waited for: programs use what they built without having waited for the callback, which works where
        the build is done before its call returns."""
        if self._made_last is not None:
            self._made_last.wait()
        builds = [self._build(routine, device) for device in self._builds]
        found = [binary for build in builds if (binary := self._executable(build))]
        if not found:
            logs = "\n".join(dict.fromkeys(build.log for build in builds if build.status == codes.BUILD_ERROR))
            raise CLError(routine, "INVALID_PROGRAM_EXECUTABLE", f"the program has not been built{logs and ': '}{logs}")
        return found

    @property
    def has_code(self) -> bool:
        """Nothing that was built is still compiled."""
        return all(build.binary is None or build.binary.is_finished for build in self._builds.values())

    def binary_for(self, routine: str, device: Device) -> Binary:
        build = self._build(routine, device)
        binary = self._executable(build)
        if binary is None:
            why = f": {build.log}" if build.status == codes.BUILD_ERROR else ""
            raise CLError(routine, "INVALID_PROGRAM_EXECUTABLE", f"the program was not built for {device!r}{why}")
        return binary

    @property
    def kernel_names(self) -> tuple[str, ...]:
        built = self.built("clGetProgramInfo")
        if len(built) == 1:
            return built[0].names
        # Built-in kernels need not be on every device.
        return tuple(dict.fromkeys(name for binary in built for name in binary.kernels))

    def binaries(self) -> list[bytes]:
        """One for each of `devices`, b"" where there is none."""
        return [self._packed(device) for device in self.devices]

    def _packed(self, device: Device) -> bytes:
        binary = self.binary(device)
        with suppress(BuildFailure, DriverError):  # The status says it.
            return binary.pack() if binary else b""
        return b""

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
        if binary is None or not context.one_device or not binary.is_finished or binary.error is not None:
            return None
        if self.origin != "binary" and (self.origin != "source" or not _is_all(self.source)):
            return None
        lasts = binary.variables or binary.blocks or binary.global_size or len(binary.code) > _MOST_CODE
        return None if lasts else context.devices[0]

    def attach(self, kernel: object) -> None:
        """A kernel object was made of the program, which cannot be built again while it lives."""
        with self._lock:
            self._live_kernels.add(kernel)

    def detach(self, kernel: object) -> None:
        with self._lock:
            self._live_kernels.discard(kernel)

    def function(self, routine: str, device: Device, name: str) -> Function:
        """The loaded kernel."""
        binary = self.binary_for(routine, device)
        loaded = self._builds[device].functions.get(name)
        if loaded is not None:  # as of each kernel object but the first
            return loaded
        if name not in binary.kernels:
            raise CLError(routine, "INVALID_PROGRAM_EXECUTABLE", f"{device!r} does not have the built-in kernel '{name}'")
        with self._module(routine, device, binary) as module:
            known = self._builds[device].functions
            if name not in known:
                known[name] = module.function(binary.kernels[name])
            return known[name]

    def variable(self, routine: str, device: Device, name: str) -> tuple[VariableInfo, int]:
        """A variable of program scope by the name that the host knows, and its address on the device."""
        binary = self.binary_for(routine, device)
        found = binary.variables.get(name)
        # "CL_INVALID_ARG_VALUE if name does not identify a global variable defined in program"
        if found is None:
            known = ", ".join(sorted(binary.variables)) or "none"
            raise CLError(routine, "INVALID_ARG_VALUE", f"no global variable '{name}' that the host may know; the program has: {known}")
        with self._module(routine, device, binary) as module:
            address = module.variable(found)
        if not address:
            raise CLError(routine, "INVALID_ARG_VALUE", f"no kernel of the program uses the variable '{name}'")
        return found, address

    @contextmanager
    def _module(self, routine: str, device: Device, binary: Binary) -> Iterator[Module]:
        """The loaded program, with the lock. What is still compiled is waited for without it: other threads may make kernel objects of the
        program meanwhile."""
        with reported(routine):
            code = self._code(routine, device, binary)
            with self._lock:
                build = self._builds[device]
                if build.module is None:
                    build.module = device.driver_device.load(code)
                yield build.module

    def _code(self, routine: str, device: Device, binary: Binary) -> bytes:
        try:
            return binary.code
        except BuildFailure:
            self.binary_for(routine, device)  # The build has failed, and this says so from now on.
            raise

    def blocks(self, routine: str, device: Device) -> tuple[Function, ...]:
        """The loaded kernels that only kernels launch, by number."""
        binary = self.binary_for(routine, device)
        build = self._builds[device]
        with self._module(routine, device, binary) as module:
            if build.blocks is None:
                build.blocks = tuple(module.function(info) for info in binary.blocks)
            return build.blocks

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

    def _unload(self, device: Device) -> None:
        module, self._builds[device].module = self._builds[device].module, None
        self._builds[device].blocks, self._builds[device].functions = None, {}
        if module is not None:
            self.context.retire(device, module.unload)

    def release(self) -> None:
        """clReleaseProgram: what is loaded goes once the last kernel object has gone, by Python's own counting."""
        self.released = True

    @ending.finalizer
    def __del__(self) -> None:
        for device in self._builds:
            self._unload(device)


def _is_all(source: str) -> bool:
    """Whether the text is translated alone, and at any time to the same."""
    text = re.sub(r"\\\s*\n", "", source)
    return not any(word in text for word in ("include", "embed", "__DATE__", "__TIME__", "__TIMESTAMP__"))


class BuildCall(NamedTuple):
    """What a build, compilation or link does: the status of its failure, the text of its options, and the maker of binaries."""

    routine: str
    failure: str
    options: str
    make: Callable[[Device], Binary]


_TYPES = {"executable": codes.PROGRAM_BINARY_TYPE_EXECUTABLE, "object": codes.PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
          "library": codes.PROGRAM_BINARY_TYPE_LIBRARY}

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
