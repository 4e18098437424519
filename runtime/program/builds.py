"""What a program is for each of its devices: the states of its builds, who makes them and when, and what is loaded of them. What is built
of what, and what calls of a program check, is `program`'s business."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...translator.ir.kernel_info import VariableInfo
from ..build.binary import Binary
from ..build.build import Refused, build_log
from ..context.context import Context
from ..devices.device import Device
from ..driver.device import Function, Module
from ..driver.interface import BuildFailure, DriverError, DriverMissing
from ..driver.reported import cl_error, reported
from ..process import ending, trace
from ..spec import codes
from ..spec.errors import CLError

_Callback = Callable[[Any], None]  # It gets the program.
_TYPES = {"executable": codes.PROGRAM_BINARY_TYPE_EXECUTABLE, "object": codes.PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
          "library": codes.PROGRAM_BINARY_TYPE_LIBRARY}


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


class BuildCall(NamedTuple):
    """What a build, compilation or link does: the status of its failure, the text of its options, and the maker of binaries."""

    routine: str
    failure: str
    options: str
    make: Callable[[Device], Binary]


class Builds:
    """Those of a program, of which this is the lower part.

    given       binaries that it was created with
    answers     what a face has answered to queries since the last build
    """

    _builds: dict[Device, Build] = {}  # until the arguments have been checked

    def __init__(self, context: Context, devices: tuple[Device, ...]):
        self.context = context
        self.devices = devices
        self.given: dict[Device, Binary] = {}
        self.answers: dict[int, Any] = {}
        self._builds = {device: Build() for device in self.devices}
        self._built_for: set[Device] = set()  # what calls named, as opposed to sub-devices of that
        self._live_kernels: weakref.WeakSet[object] = weakref.WeakSet()
        self._made_last: threading.Event | None = None  # set when the last build with a callback is done
        self._lock = threading.RLock()

    def perform(self, work: BuildCall, devices: Sequence[Device], callback: _Callback | None) -> None:
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

    def _make_and_tell(self, work: BuildCall, users: Mapping[Device, Device], callback: _Callback, made: Callable[[], None]) -> None:
        for call in (lambda: self._make(work, users), made, lambda: callback(self)):
            try:
                call()
            except CLError:
                pass  # the status and the log say it
            except BaseException:  # a callback's error has nobody to go to
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

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

    def binaries(self) -> list[bytes]:
        """One for each of `devices`, b"" where there is none."""
        return [self._packed(device) for device in self.devices]

    def _packed(self, device: Device) -> bytes:
        binary = self.binary(device)
        with suppress(BuildFailure, DriverError):  # The status says it.
            return binary.pack() if binary else b""
        return b""

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

    def _unload(self, device: Device) -> None:
        module, self._builds[device].module = self._builds[device].module, None
        self._builds[device].blocks, self._builds[device].functions = None, {}
        if module is not None:
            self.context.retire(device, module.unload)

    @ending.finalizer
    def __del__(self) -> None:
        for device in self._builds:
            self._unload(device)
