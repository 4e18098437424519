"""Loaded programs of the host device and the launch of their kernels."""

from __future__ import annotations

import _ctypes
import ctypes
import os
import struct
import tempfile
from collections.abc import Callable

from ...translator.ir.kernel_info import KernelInfo, VariableInfo
from ..driver.device import NativeLaunch
from ..driver.interface import DriverError, Stream, Triple
from ..native.library import calls as native_calls
from . import native
from .faults import last_fault
from .stream import HostStream, libc

# struct launch of interface.cpp, word by word. Packed and copied, it is made in a quarter of the time that ctypes takes over 13 numbers.
Launch = ctypes.c_size_t * 13
_packed = struct.Struct("@13N").pack

MAX_WORK_GROUP_SIZE = 1024


class HostFunction:
    """A kernel's entry in a loaded program. Launches run to their end before they return."""

    max_global_size = spills = occupancy = None
    rounds, handles_by_surplus = False, (0, 0)
    max_plain_dynamic_local = 2**32 - 1

    def __init__(self, module: HostModule, kernel: KernelInfo, entry: Callable[[ctypes.Array[ctypes.c_size_t]], int]):
        self.module = module  # keeps the code loaded
        self.max_work_group_size = MAX_WORK_GROUP_SIZE
        self.local_size = 0 if kernel.local_in_dynamic else kernel.local_size
        self.private_size = 0
        self.registers = None
        self._entry = entry
        self._address = ctypes.cast(entry, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
        self._name = ctypes.create_string_buffer(kernel.name.encode())
        self._name_address = ctypes.addressof(self._name)
        self._prints = kernel.uses_printf

    def prepare(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple, dynamic_local: int,
                parameters: int) -> Callable[[], None]:
        assert isinstance(stream, HostStream)
        words = _packed(work_dim, *global_size, *local_size, *offset, dynamic_local, parameters, self._name_address)
        entry, pool, calls = self._entry, stream.pool, native_calls()

        def fail(status: int) -> None:
            raise self._fault(work_dim)

        if calls is not None and not self._prints:
            return calls.range_launch(self._address, words, fail, *(pool.words() if pool is not None else (0, 0)))
        sizes = Launch.from_buffer_copy(words)

        def run() -> None:
            failed = entry(sizes) if pool is None else pool.run(entry, sizes)
            if self._prints:
                libc.fflush(None)  # where the output is no terminal, libc keeps it in a buffer
            if failed:
                raise self._fault(work_dim)

        return run

    def _fault(self, work_dim: int) -> DriverError:
        return last_fault(self._name.value.decode(), work_dim)

    def native_launch(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple, dynamic_local: int,
                      parameters: int) -> NativeLaunch | None:
        assert isinstance(stream, HostStream)
        # A part of the device has threads of its own to choose, and what kernels print is to be brought out.
        if stream.pool is not None or self._prints:
            return None
        words = (work_dim, *global_size, *local_size, *offset, dynamic_local, parameters, self._name_address)
        return NativeLaunch("range", self._address, words, fault=lambda: self._fault(work_dim))


def place_of(variable: VariableInfo) -> str:
    """What the shared object calls the pointer to a variable."""
    return f"ocl_variable_{variable.cxx_name.replace('::', '__')}"


def _loaded(path: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise DriverError(f"the program's binary cannot be loaded from {os.path.dirname(path)}: {error}", "INVALID_BINARY") from error


class HostModule:
    """A shared object in the process."""

    def __init__(self, binary: bytes):
        native.runtime()
        try:
            with tempfile.TemporaryDirectory(prefix="cl2cuda-") as folder:
                path = os.path.join(folder, "program.so")
                with open(path, "wb") as file:
                    file.write(binary)
                self._library: ctypes.CDLL | None = _loaded(path)
        except OSError as error:
            raise DriverError(f"the program's binary cannot be written, for it to be loaded: {error}") from error

    def function(self, kernel: KernelInfo) -> HostFunction:
        if self._library is None:
            raise DriverError("the module is unloaded", "INVALID_PROGRAM_EXECUTABLE")
        try:
            entry = getattr(self._library, f"ocl_run_{kernel.cxx_name}")
        except AttributeError as error:
            raise DriverError(f"the module has no kernel {kernel.name}", "INVALID_KERNEL_NAME") from error
        entry.restype = ctypes.c_int
        return HostFunction(self, kernel, entry)

    def variable(self, variable: VariableInfo) -> int:
        if self._library is None:
            raise DriverError("the module is unloaded", "INVALID_PROGRAM_EXECUTABLE")
        try:
            return ctypes.c_void_p.in_dll(self._library, place_of(variable)).value or 0
        except ValueError:
            return 0

    def unload(self) -> None:
        """Takes the code out of the process; functions of the module must not be launched any more."""
        if self._library is not None:
            _ctypes.dlclose(self._library._handle)
            self._library = None
