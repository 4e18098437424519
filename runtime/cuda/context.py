"""A device's CUDA context: entering it on every thread, its pool of events, waiting for events and streams, and what
kernels print.

Waiting polls first, which answers soonest, then polls with pauses, then sleeps.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import threading
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from types import TracebackType
from typing import TypeVar

from ..driver.interface import DriverError
from ..process import debug_mode
from . import nvrtc, preparation
from .api import Cuda
from .initialization import beside, primary_context
from .own_kernels import FillKernel, copy_kernel

NOT_READY = 600  # cudaErrorNotReady
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76  # cudaDevAttrComputeCapability…
LIMIT_PRINTF_FIFO_SIZE = 1  # cudaLimitPrintfFifoSize
PRINTF_ROOM = 32 << 20

# Waiting threads poll this long before they pause between two questions. After ALONE_NS they let other
# threads of Python run between them.
ALONE_NS = 50_000
POLL_NS = 2_000_000
# Which part of the time so far the pauses are, and the longest. No thread sleeps on an event of CUDA's: to wake it takes up to half a
# millisecond, and of events that allow it (cudaEventBlockingSync) the device interrupts the host for each, whether anybody waits or not.
PAUSE = 64
LONGEST_PAUSE_NS = 10_000_000

Result = TypeVar("Result")


def _yield() -> Callable[[], object]:
    """Python's time.sleep(0) takes 50 microseconds on Linux; this lets go of Python's lock as well, and takes
    one."""
    try:
        return ctypes.CDLL(None).sched_yield
    except (AttributeError, OSError, TypeError):  # Windows
        return lambda: time.sleep(0)


_let_others_run = _yield()


STAYS = contextlib.nullcontext()


class Restored:
    """`with Restored(context, enters=...)`: afterwards the thread's CUDA context is the one that it was before, or none."""

    __slots__ = ("_before", "_context", "_enters")

    def __init__(self, context: CudaContext, enters: bool):
        self._context, self._enters = context, enters

    def __enter__(self) -> None:
        self._before: int = self._context.cuda.driver.ctxGetCurrent()
        if self._enters:
            self._context.make_current_for_now()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None) -> None:
        cuda = self._context.cuda
        with contextlib.suppress(cuda.driver.CUDADriverError):  # Another library's context may have gone.
            if cuda.driver.ctxGetCurrent() != self._before:
                cuda.driver.ctxSetCurrent(self._before)


class CudaContext:
    """`handle` is the device's primary context, shared with CuPy, PyTorch and whoever else uses the runtime
    API; 0 until the device is first used, since making it takes time and memory. `prints` is the stream by
    which prints are brought out; 0 as long as no kernel prints. `may_print` is 1 from then on, for native code. `give_back` gives
    back to CUDA what is kept of the device's memory, and says whether there may be more room than before."""

    def __init__(self, cuda: Cuda, ordinal: int):
        self.cuda = cuda
        self.ordinal = ordinal
        self.handle = 0
        self._lock = threading.Lock()
        self._current = cuda.driver.ctxGetCurrent
        self.prints = self._prints_word = 0
        self.may_print = ctypes.c_uint64()
        self.give_back: Callable[[], bool] = bool
        self.fill_kernel, self.copy_kernel = FillKernel(self), copy_kernel(self)
        # Events at rest, without and with timing. Lists: append and pop are atomic.
        self._events: tuple[list[int], list[int]] = ([], [])

    def enter(self) -> None:
        """Makes the device's context current on the calling thread, as CUDA's calls need it. Cheap where it
        is already."""
        if not self.handle or self._current() != self.handle:
            self._make_current()

    def with_room(self, call: Callable[[], Result]) -> Result:
        """What the call gives: where CUDA lacks the memory that it takes, after what is kept of the device's was given back."""
        try:
            return call()
        except DriverError as error:
            if error.status != "MEM_OBJECT_ALLOCATION_FAILURE" or not self.give_back():
                raise
            return call()

    def entered(self) -> contextlib.AbstractContextManager[object]:
        """`with context.entered(): ...` for releases, fences and what else Python's search for garbage or another device's call comes to:
        the context is current inside, and afterwards the one that was. A program that uses CUDA beside us knows of none of these."""
        return STAYS if self.handle and self._current() == self.handle else Restored(self, enters=True)

    def restored(self) -> contextlib.AbstractContextManager[object]:
        """Whatever is called inside, afterwards the context that was current is so again."""
        return Restored(self, enters=False)

    def make_current_for_now(self) -> None:
        """By the driver's call: of the runtime's, CUDA would know a device of the thread's also where no context is current again."""
        if self.handle:
            self.cuda.call(self.cuda.driver.ctxSetCurrent, self.handle)
        else:
            self._make_current()

    def _make_current(self) -> None:
        with self._lock:
            if debug_mode.active() and not self.handle:
                self.cuda.want_core_dump()
            if self.handle:
                self.cuda.call(self.cuda.runtime.setDevice, self.ordinal)
            else:
                self._make()

    def _make(self) -> None:
        """What is going to be needed is prepared while CUDA makes the context, and then what a first build needs. NVRTC starts meanwhile,
        too, where the program's last process translated something, or no program was built before: else none may have to be compiled."""
        library, meanwhile = self.cuda.library, self._meanwhile()
        with contextlib.ExitStack() as starting:
            if library is not None:
                starting.enter_context(beside(self._start_compiler))
                starting.enter_context(primary_context(library, self.ordinal, meanwhile))
            self.cuda.call(self.cuda.runtime.setDevice, self.ordinal)
            self.cuda.call(self.cuda.runtime.free, 0)  # what makes the runtime keep the primary context, by the manual
            self.handle = self._current()

    def _meanwhile(self) -> Iterator[None]:
        with contextlib.suppress(DriverError, OSError, *self.cuda.Error):
            nvrtc.identity(self.newest_compiler)  # which each build asks for, and tells what is wrong
        yield
        yield from preparation.steps()

    def _start_compiler(self) -> None:
        from ... import translator
        from ..process import last_process  # which this thread alone waits for

        if last_process.translated(translator.was_used, of_no_name=False):
            nvrtc.warm_up(self.newest_compiler, (self.attribute(CAPABILITY_MAJOR), self.attribute(CAPABILITY_MINOR)))

    @cached_property
    def newest_compiler(self) -> int:
        """The major version of CUDA whose code the installed NVIDIA driver loads."""
        version: int = self.cuda.runtime.driverGetVersion()
        return version // 1000

    def attribute(self, number: int) -> int:
        """A cudaDeviceAttr, by its number."""
        value: int = self.cuda.call(self.cuda.runtime.deviceGetAttribute, number, self.ordinal)
        return value

    # Events

    def take_event(self, timing: bool) -> int:
        try:
            return self._events[timing].pop()
        except IndexError:
            flag = self.cuda.runtime.eventDefault if timing else self.cuda.runtime.eventDisableTiming
            event: int = self.cuda.call(self.cuda.runtime.eventCreateWithFlags, flag)
            return event

    def give_event(self, event: int, timing: bool) -> None:
        """An event that nobody looks at any more may be recorded anew, even if its stream has not reached it
        yet."""
        self._events[timing].append(event)

    # Waiting

    def wait_event(self, event: int, poll_ns: int = POLL_NS) -> None:
        """Polls for a while, which answers soonest, then with pauses."""
        query = self.cuda.runtime.eventQuery
        if not self.polled(query, event, poll_ns):
            self.polled(query, event, math.inf, pause_ns=poll_ns or POLL_NS)

    def sleep_until_reached(self, record: Callable[[int], object]) -> None:
        """Sleeps until an event that is recorded now is reached. For debug mode: while CUDA writes the dump of a kernel that failed,
        cuEventQuery, cuStreamQuery and cuStreamSynchronize can say that all has ended well."""
        runtime = self.cuda.runtime
        event = self.cuda.call(runtime.eventCreateWithFlags, runtime.eventDisableTiming | runtime.eventBlockingSync)
        try:
            record(event)
            self.cuda.call(runtime.eventSynchronize, event)
        finally:
            self.cuda.call(runtime.eventDestroy, event)

    def wait_among_others(self, event: int) -> None:
        """Waits as one of several threads that work together: polls with pauses from the start, so as not to keep the
        others from Python."""
        self.polled(self.cuda.runtime.eventQuery, event, math.inf, pause_ns=1)

    def polled(self, query: Callable[[int], int], handle: int, poll_ns: float, pause_ns: int = 0) -> bool:
        """Whether an event or a stream came to its end while it was polled. Pauses are a small part of
        `pause_ns` and of the time so far."""
        start = 0
        while (status := query(handle)) == NOT_READY:
            now = time.perf_counter_ns()
            start = start or now
            if now - start >= poll_ns:
                return False
            if pause_ns:
                time.sleep(min((pause_ns + now - start) / PAUSE, LONGEST_PAUSE_NS) * 1e-9)
            elif now - start > ALONE_NS:
                _let_others_run()
        if status:
            self.cuda.call(self.cuda.runtime.check_status, status)
        return True

    # What kernels print

    def expect_printf(self) -> None:
        """Before the first launch of a kernel that prints: makes room for what CL_DEVICE_PRINTF_BUFFER_SIZE
        promises, printed in the smallest pieces. (A process whose kernels have printed before, by other
        means, keeps the room that it has.)"""
        if not self.prints:
            self.enter()
            call, runtime = self.cuda.call, self.cuda.runtime
            self._prints_word = call(runtime.malloc, 4)
            self.prints = call(runtime.streamCreateWithFlags, runtime.streamNonBlocking)
            with contextlib.suppress(DriverError):
                call(runtime.deviceSetLimit, LIMIT_PRINTF_FIFO_SIZE, PRINTF_ROOM)
            self.may_print.value = 1

    def flush_printf(self) -> None:
        """Has CUDA write out what finished kernels have printed: it does so when a stream with work is waited
        for, but not an event, nor always an idle stream. Only where kernels print."""
        with self.entered():
            self.cuda.memset(self._prints_word, 0, 1, 4, self.prints)
            self.cuda.call(self.cuda.runtime.streamSynchronize, self.prints)  # Polling would not do.


class PeerEnd:
    """What peer copies (`peer`) ask of both their devices."""

    context: CudaContext
