"""Kernels that the runtime itself launches: fills with patterns that are wider than the numbers CUDA fills with, and little copies between
shared memory and page-locked memory. A thread of each writes 8 bytes.

Their PTX is compiled by the NVIDIA driver, which takes 20 ms where the driver's cache has not kept that. So they are for programs that make
some such commands, and each comes by a thread of its own: until it is there, CUDA's copies do the same. On an H200 a fill of 64 KiB with
16 bytes took the host 3.4 us by the kernel, and 10.7 by copies; 4 KiB to shared memory took 9.1 until their end, and 11.4 by cuMemcpyAsync,
and to the host 7.4 and 11.5.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Protocol

from ..driver.interface import DriverError
from ..process import ending
from .api import Cuda

# Fewer bytes come from the host, as often as the pattern is wanted, which takes no longer: FILLED_BY_COPY of
# runtime/native/stream_fills.h.
BY_COPY = 4 << 10
WIDEST, UNIT, THREADS = 128, 8, 256
# How many bytes of shared memory are copied by a kernel at most (COPIED_BY_KERNEL of runtime/native/sharing.h).
COPIED = 8 << 10

# For every architecture that runs: without what newer ones have.
_TARGET = b"""
.version 6.0
.target sm_70
.address_size 64
"""
# What each begins with: %number is the thread's, and those behind the last unit end.
_BEGIN = b"""
{
    .reg .u64 %at, %place, %left, %number, %unit;
    .reg .u32 %block, %threads, %thread;
    .reg .pred %behind;
    mov.u32 %block, %ctaid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %thread, %tid.x;
    cvt.u64.u32 %number, %thread;
    mul.wide.u32 %place, %block, %threads;
    add.u64 %number, %number, %place;
    ld.param.u64 %left, [count];
    setp.ge.u64 %behind, %number, %left;
    @%behind ret;
"""
# And what it ends with: the unit goes to its place.
_END = b"""
    ld.param.u64 %place, [to];
    add.u64 %place, %place, %at;
    st.global.u64 [%place], %unit;
    ret;
}
\0"""

FILL = (
    _TARGET
    + b".visible .entry cl2cuda_fill(.param .u64 to, .param .u64 count, .param .u64 mask, .param .align 8 .b8 pattern[128])"
    + _BEGIN
    + b"""
    ld.param.u64 %place, [mask];
    and.b64 %place, %number, %place;
    shl.b64 %place, %place, 3;
    mov.u64 %at, pattern;
    add.u64 %at, %at, %place;
    ld.param.u64 %unit, [%at];
    shl.b64 %at, %number, 3;
"""
    + _END
)

COPY = (
    _TARGET
    + b".visible .entry cl2cuda_copy(.param .u64 to, .param .u64 from, .param .u64 count)"
    + _BEGIN
    + b"""
    shl.b64 %at, %number, 3;
    ld.param.u64 %place, [from];
    add.u64 %place, %place, %at;
    ld.global.u64 %unit, [%place];
"""
    + _END
)

# Of `OwnKernel.word`: not asked for often enough yet, and none to be had.
UNKNOWN, NONE = 0, 1
# How many commands are made before a program is one that makes some.
FEW = 4


class Context(Protocol):
    """What makes CUDA's context current."""

    cuda: Cuda

    def enter(self) -> None: ...


class OwnKernel:
    """Of a context: `word` is the function, for native code too. As long as it is UNKNOWN such commands are Python's."""

    def __init__(self, context: Context, ptx: bytes, symbol: str):
        self._context = context
        self._ptx, self._symbol = ptx, symbol
        self._lock = threading.Lock()
        self._wanted = 0
        self._thread: threading.Thread | None = None
        self.word = ctypes.c_uint64(UNKNOWN)

    def want(self) -> None:
        """For a command that is about to be made."""
        if self.word.value != UNKNOWN:
            return
        with self._lock:
            self._wanted += 1
            if self._wanted <= FEW or self.word.value != UNKNOWN:
                return
            self.word.value = NONE
            if not self._context.cuda.launch_addresses:
                return
            # No daemon: a process must not end in the middle of it.
            thread = threading.Thread(target=self._load, name=f"{self._symbol} is made")
            try:
                thread.start()
            except RuntimeError:  # The interpreter ends.
                return
            self._thread = thread
            ending.before(self.wait)

    def wait(self) -> None:
        """Until it is known whether there is one, if that was begun."""
        if self._thread is not None:
            self._thread.join()

    def _load(self) -> None:
        cuda = self._context.cuda
        try:
            self._context.enter()
            self.word.value = cuda.driver.moduleGetFunction(cuda.driver.moduleLoadData(self._ptx), self._symbol)
        except (DriverError, *cuda.Error):  # CUDA's copies go on, and tell what is wrong with the device.
            return


class FillKernel(OwnKernel):
    def __init__(self, context: Context):
        super().__init__(context, FILL, "cl2cuda_fill")

    def function(self) -> int:
        """For a fill that is about to be made; 0 where there is none."""
        self.want()
        return 0 if self.word.value == NONE else self.word.value

    def launch(self, function: int, destination: int, pattern: bytes, size: int, stream: int) -> None:
        """`pattern` and the destination are whole units."""
        count, mask = ctypes.c_uint64(size // UNIT), ctypes.c_uint64(len(pattern) // UNIT - 1)
        values = (ctypes.c_uint64(destination), count, mask, ctypes.create_string_buffer(pattern, WIDEST))
        parameters = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        cuda = self._context.cuda
        cuda.call(cuda.driver.launchKernel, function, -(-count.value // THREADS), 1, 1, THREADS, 1, 1, 0, stream,
                  ctypes.addressof(parameters), 0)


def copy_kernel(context: Context) -> OwnKernel:
    """Launched by native code alone (runtime/native/sharing.h)."""
    return OwnKernel(context, COPY, "cl2cuda_copy")
