"""CUDA's calls: CuPy's low-level bindings, imported here and nowhere else, and the few calls that they lack, through ctypes.

CuPy's array layer is not imported: `cupy_backends` alone starts in a fraction of its time.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
import threading
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

from ..driver.interface import DriverMissing
from ..native import library as native
from ..native.library import NativeLaunching
from ..process import ending
from . import bindings
from .core_dump import CoreDump
from .faults import Suspects, explained
from .initialization import LIBRARY
from .launching import GRAPH_CALLS, HELD, LET_GO, REPEATED_CALLS, WAITED_NS, Launching, held

# What native code makes staged copies with (runtime/native/staging.h), in its order.
STAGING_CALLS = ("cuStreamQuery", "cuMemcpyDtoHAsync_v2", "cuMemcpyHtoDAsync_v2", "cuEventRecord", "cuEventQuery")

# Which libraries CUDA and NVTX load that tools bring: Nsight Systems, Nsight Compute, compute-sanitizer.
INJECTED = ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")

INSTALL = "pip install 'cl2cuda[cuda13]' (or 'cl2cuda[cuda12]' for a CUDA 12 driver)"

CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2


class Cuda:
    """`driver` and `runtime` are CuPy's modules; `Error` is the pair of their exceptions; `library` has the calls they lack.
    `suspects` are the kernels launched; `page_locked` has the sizes of memory of the host that shadows live in, by address."""

    def __init__(self, driver: Any, runtime: Any, library: ctypes.CDLL | None):
        self.driver = driver
        self.runtime = runtime
        self.Error = (driver.CUDADriverError, runtime.CUDARuntimeError)
        self.library = library
        self._ended = False
        self.suspects = Suspects()
        self.core_dump: CoreDump | None = None
        self.scratch = _Scratch()
        self.page_locked: dict[int, int] = {}
        self._library = library
        atexit.register(self._end)
        if library is not None:
            # The plural form, since it answers for unknown pointers too; the other one reports an error.
            self._pointer_attributes = library.cuPointerGetAttributes
            self._pointer_attributes.argtypes = [ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]
            self._memory_type = _Answer()
            self._asked = ctypes.byref(ctypes.c_int(CU_POINTER_ATTRIBUTE_MEMORY_TYPE))
            self._memset_d16 = prototype(library, "cuMemsetD16Async", ctypes.c_uint64, ctypes.c_ushort, ctypes.c_size_t, ctypes.c_void_p)
            self._memset_d32 = prototype(library, "cuMemsetD32Async", ctypes.c_uint64, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p)
            self._prefetch = prototype(library, "cuMemPrefetchAsync", ctypes.c_uint64, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)

    @cached_property
    def launching(self) -> Launching:
        addresses = self.launch_addresses
        return Launching(self.driver.launchKernel, held(addresses[0], self.driver.check_status) if addresses else None)

    @cached_property
    def native_launching(self) -> NativeLaunching | None:
        """The same in C; None where that was not compiled."""
        addresses, calls = self.launch_addresses, native.calls()
        if calls is None or not addresses:
            return None
        return calls.launching((addresses[0], addresses[2]), HELD, LET_GO, WAITED_NS, self.graph_addresses or ())

    @cached_property
    def launch_addresses(self) -> tuple[int, ...] | None:
        """Where cuLaunchKernel, cuCtxGetCurrent and cuLaunchKernelEx are, for native code; None where the driver's library is not
        there."""
        return self._addresses("cuLaunchKernel", "cuCtxGetCurrent", "cuLaunchKernelEx")

    @cached_property
    def graph_addresses(self) -> tuple[int, ...] | None:
        """Where GRAPH_CALLS and REPEATED_CALLS are, likewise; of the latter 0 under a tool that CUDA loads, such as a profiler: it would
        show launches by the names of their graphs."""
        found, repeated = self._addresses(*GRAPH_CALLS), self._addresses(*REPEATED_CALLS)
        if repeated is None or any(name in os.environ for name in INJECTED):
            repeated = (0,) * len(REPEATED_CALLS)
        return found and found + repeated

    @cached_property
    def stream_addresses(self) -> tuple[int, ...] | None:
        """Where cuCtxGetCurrent, cuStreamQuery, the copies to and from the host and on the device, cuMemsetD8Async to D32Async, what
        records events and waits for them, cuMemcpy2DAsync and cuPointerGetAttributes are, likewise."""
        return self._addresses("cuCtxGetCurrent", "cuStreamQuery", "cuMemcpyDtoHAsync_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoDAsync_v2",
                               "cuMemsetD8Async", "cuMemsetD16Async", "cuMemsetD32Async", "cuEventRecord", "cuStreamWaitEvent",
                               "cuMemcpy2DAsync_v2", "cuPointerGetAttributes")

    @cached_property
    def set_current_address(self) -> int:
        """Where cuCtxSetCurrent is, likewise, or 0."""
        found = self._addresses("cuCtxSetCurrent")
        return found[0] if found else 0

    @cached_property
    def image_copy_address(self) -> int:
        """Where cuMemcpy3DAsync is, likewise, or 0."""
        found = self._addresses("cuMemcpy3DAsync_v2")
        return found[0] if found else 0

    @cached_property
    def create_texture_address(self) -> int:
        """Where cuTexObjectCreate is, likewise, or 0."""
        found = self._addresses("cuTexObjectCreate")
        return found[0] if found else 0

    @cached_property
    def array_addresses(self) -> tuple[int, ...] | None:
        """Where cuCtxGetCurrent, cuArray3DCreate, cuTexObjectCreate, cuSurfObjectCreate, each with its opposite, cuMemcpy3DAsync and
        cuStreamSynchronize are, likewise."""
        return self._addresses("cuCtxGetCurrent", "cuArray3DCreate_v2", "cuArrayDestroy", "cuTexObjectCreate", "cuTexObjectDestroy",
                               "cuSurfObjectCreate", "cuSurfObjectDestroy", "cuMemcpy3DAsync_v2", "cuStreamSynchronize")

    @cached_property
    def shared_memory_addresses(self) -> tuple[int, ...] | None:
        """Where cuMemcpyAsync and cuMemPrefetchAsync are, likewise."""
        return self._addresses("cuMemcpyAsync", "cuMemPrefetchAsync")

    @cached_property
    def staging_addresses(self) -> tuple[int, ...] | None:
        """Where what staged copies call is, likewise."""
        return self._addresses(*STAGING_CALLS)

    @cached_property
    def event_query_address(self) -> int:
        """Where cuEventQuery is, likewise, or 0."""
        found = self._addresses("cuEventQuery")
        return found[0] if found else 0

    @cached_property
    def write_value_address(self) -> int:
        """Where cuStreamWriteValue32 is, likewise, or 0."""
        found = self._addresses("cuStreamWriteValue32_v2")
        return found[0] if found else 0

    @cached_property
    def elapsed_address(self) -> int:
        """Where cuEventElapsedTime is, likewise, or 0."""
        found = self._addresses("cuEventElapsedTime")
        return found[0] if found else 0

    def _addresses(self, *names: str) -> tuple[int, ...] | None:
        if self.library is None:
            return None
        try:
            return tuple(ctypes.cast(getattr(self.library, name), ctypes.c_void_p).value or 0 for name in names)
        except AttributeError:  # an older driver
            return None

    @property
    def ended(self) -> bool:
        """The process exits: what is freed from here on, CUDA has freed already."""
        return self._ended or ending.has_begun()

    def _end(self) -> None:
        self._ended = True
        if self.core_dump is not None:
            self.core_dump.close()

    def want_core_dump(self) -> None:
        """Debug mode, before the first context is made. Not beside NVIDIA's sanitizer, which must be the only one to watch."""
        if self.core_dump is None and self.library is not None and not _is_sanitized():
            self.core_dump = CoreDump(self.library)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The call's result, with CUDA's errors as DriverError."""
        try:
            return function(*arguments)
        except self.Error as error:
            raise explained(error, self.suspects) from error

    def driver_call(self, name: str, *arguments: Any) -> None:
        """A function of the driver API that CuPy does not have. Numbers that take 8 bytes are to be given as ctypes'."""
        self.check_status(getattr(self._library, name)(*arguments))

    def check_status(self, status: int) -> None:
        """DriverError for what a function of the driver API gives, if that is an error."""
        if status:
            self.call(self.driver.check_status, status)

    def new_stream(self, priority: int) -> int:
        """Of the priority, and one that CUDA's default stream does not wait for, nor it for that. CuPy has the call since version 14."""
        create = getattr(self.runtime, "streamCreateWithPriority", None)
        if create is not None:
            made: int = self.call(create, self.runtime.streamNonBlocking, priority)
            return made
        stream = ctypes.c_void_p()
        self.driver_call("cuStreamCreateWithPriority", ctypes.byref(stream), self.runtime.streamNonBlocking, priority)
        return stream.value or 0

    def description(self, ordinal: int) -> dict[str, Any]:
        """`name`, `totalGlobalMem` and `uuid` of a device, and what else the runtime tells where that is asked, which takes a millisecond:
        for the locally unique identifiers, which devices have on Windows alone."""
        return self._described(ordinal) or self.call(self.runtime.getDeviceProperties, ordinal)

    def _described(self, ordinal: int) -> dict[str, Any] | None:
        device, name, memory = ctypes.c_int(), ctypes.create_string_buffer(256), ctypes.c_size_t()
        if self.library is None or sys.platform == "win32":
            return None
        try:
            failed = (self.library.cuDeviceGet(ctypes.byref(device), ordinal)
                      or self.library.cuDeviceGetName(name, len(name), device)
                      or self.library.cuDeviceTotalMem_v2(ctypes.byref(memory), device))
        except AttributeError:  # an older driver
            return None
        return None if failed else {"name": name.value, "totalGlobalMem": memory.value, "uuid": self.uuid(ordinal)}

    def uuid(self, ordinal: int) -> bytes:
        """All 16 bytes, of which CuPy gives those before the first zero; b"" where they cannot be had."""
        if self.library is None:
            return b""
        found = (ctypes.c_ubyte * 16)()
        status = prototype(self.library, "cuDeviceGetUuid_v2", ctypes.c_void_p, ctypes.c_int)(found, ordinal)
        return b"" if status else bytes(found)

    def is_pageable(self, address: int) -> bool:
        """Whether the host's memory at the address is unknown to CUDA, neither allocated nor registered with it."""
        answer = self._memory_type
        self._pointer_attributes(1, self._asked, answer.where, address)
        return answer.value.value == 0

    def memset(self, address: int, value: int, width: int, count: int, stream: int) -> None:
        """`count` values of 1, 2 or 4 bytes."""
        if width == 1:
            self.call(self.runtime.memsetAsync, address, value, count, stream)
            return
        status = (self._memset_d16 if width == 2 else self._memset_d32)(address, value, count, stream)
        if status:
            self.call(self.driver.check_status, status)

    def prefetch(self, address: int, size: int, place: int, stream: int) -> None:
        """Brings pages of managed memory to a device, by its number, or to the host, which is CU_DEVICE_CPU, -1. CuPy's call for CUDA 13
        takes the host for a device of that number, which there is not."""
        status = self._prefetch(address, size, place, stream)
        if status:
            self.call(self.driver.check_status, status)


class _Scratch(threading.local):
    """Each thread's few KiB of pageable memory."""

    def __init__(self) -> None:
        self._memory = (ctypes.c_ubyte * (16 << 10))()
        self.address = ctypes.addressof(self._memory)


class _Answer(threading.local):
    """Where each thread gets the number that it asked for: making these objects takes longer than the call."""

    def __init__(self) -> None:
        self.value = ctypes.c_uint()
        self.where = ctypes.byref(ctypes.pointer(self.value))


def _is_sanitized() -> bool:
    """Whether compute-sanitizer has put its library into the process."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as file:
            return "sanitizer" in file.read()
    except OSError:
        return False


def prototype(library: ctypes.CDLL, name: str, *arguments: Any) -> Callable[..., int]:
    """A call of the driver's that CuPy lacks."""
    function = getattr(library, name)
    function.argtypes = arguments
    function.restype = ctypes.c_int
    return function


def import_bindings() -> tuple[Any, Any]:
    """CuPy's modules of the driver and of the runtime. Raises DriverMissing where CuPy or what it needs is not installed."""
    try:
        from cupy_backends.cuda.api import driver, runtime
    except ImportError as error:
        raise DriverMissing(f"the CUDA driver needs CuPy, which cannot be imported ({error}): {INSTALL}") from error
    return driver, runtime


@cache
def load() -> Cuda:
    """Raises DriverMissing likewise."""
    driver, runtime = import_bindings()
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError:
        library = None  # No NVIDIA driver on this machine: asking for devices will say so.
    else:
        bindings.find_functions(driver)
    return Cuda(driver, runtime, library)
