"""A CUDA device: its context on every calling thread, its memory, its pool of events, and building programs for it."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..driver.interface import DEFAULT_HINTS, DeviceProperties, DriverError, ImageLayout, Linear, StreamHints
from ..process import debug_mode
from . import nvrtc, properties
from .api import Cuda
from .external import ExternalCalls, ExternalMemory, ExternalSemaphore
from .graph import CudaGraph, GraphCalls, Recorded
from .image import CudaImage
from .image_pool import ImagePool
from .memory import Memory
from .module import CudaModule
from .options import flags
from .program import CudaProgram, compile_for, compiler_spec
from .shared_memory import SharedMemory
from .staging import Staging
from .stream import ALONE_NS, KINDS, LEGACY, NOT_READY, POLL_NS, BorrowedStream, CudaStream
from .timeline import Timeline

LIMIT_PRINTF_FIFO_SIZE = 1  # cudaLimitPrintfFifoSize
PRINTF_ROOM = 32 << 20

if TYPE_CHECKING:
    from ...translator import Translation
    from ...translator.options import BuildOptions
    from ..devices.built_in_kernels import CompiledKernel


# How much longer than without pauses threads poll with them, and which part of the time the pauses are. To wake a thread that sleeps on
# an event takes up to half a millisecond.
PAUSING = 50
PAUSE = 64

REGISTER_PORTABLE = 1  # cudaHostRegisterPortable


def _yield() -> Callable[[], Any]:
    """Python's time.sleep(0) takes 50 microseconds on Linux; this lets go of Python's lock as well, and takes one."""
    try:
        return ctypes.CDLL(None).sched_yield
    except (AttributeError, OSError, TypeError):  # Windows
        return lambda: time.sleep(0)


_let_others_run = _yield()


class CudaDevice:
    """`context` is the device's primary context, shared with CuPy, PyTorch and whoever else uses the runtime API; 0 until
    the device is first used, since making it takes time and memory."""

    def __init__(self, cuda: Cuda, ordinal: int):
        self.cuda = cuda
        self.ordinal = ordinal
        self.context = 0
        self._lock = threading.Lock()
        self._current = cuda.driver.ctxGetCurrent
        self._prints: CudaStream | None = None
        # Events at rest, without and with timing. Lists: append and pop are atomic.
        self._events: tuple[list[int], list[int]] = ([], [])

    @cached_property
    def properties(self) -> DeviceProperties:
        return properties.query(self.cuda, self.ordinal)

    @property
    def capability(self) -> tuple[int, int]:
        extra = self.properties.extra
        return extra["compute_capability_major"], extra["compute_capability_minor"]

    def enter(self) -> None:
        """Makes the device's context current on the calling thread, as CUDA's calls need it. Cheap where it is already."""
        if not self.context or self._current() != self.context:
            self._make_current()

    def _make_current(self) -> None:
        with self._lock:
            if debug_mode.active() and not self.context:
                self.cuda.want_core_dump()
            self.cuda.call(self.cuda.runtime.setDevice, self.ordinal)
            if not self.context:
                self.cuda.call(self.cuda.runtime.free, 0)  # what makes the primary context, by the manual
                self.context = self._current()

    # Memory

    @cached_property
    def memory(self) -> Memory:
        return Memory(self._malloc, self._free, self.properties.global_memory // 16)

    def _malloc(self, size: int) -> int:
        self.enter()
        return self.cuda.call(self.cuda.runtime.malloc, size)

    def _free(self, address: int) -> None:
        self.enter()
        self.cuda.call(self.cuda.runtime.free, address)

    def allocate(self, size: int) -> int:
        try:
            return self.memory.allocate(size)
        except DriverError:
            if not self.images.trim():
                raise
            return self.memory.allocate(size)

    def free(self, address: int) -> None:
        if not self.cuda.ended:
            self.memory.free(address)

    def allocate_host(self, size: int) -> int:
        self.enter()
        return self.cuda.call(self.cuda.runtime.hostAlloc, size, self.cuda.runtime.hostAllocPortable)

    def free_host(self, address: int) -> None:
        if not self.cuda.ended:
            self.enter()
            self.cuda.call(self.cuda.runtime.freeHost, address)

    def copy_now(self, address: int, data: bytes) -> None:
        """To the device; done when the call returns."""
        runtime, source = self.cuda.runtime, ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value
        self.cuda.call(runtime.memcpy, address, source, len(data), KINDS["host_to_device"])
        # It may return before the data is there, and non-blocking streams do not wait for the stream that it was on.
        self.cuda.call(runtime.streamSynchronize, LEGACY)

    # Images

    @cached_property
    def images(self) -> ImagePool:
        return ImagePool(self.properties.global_memory // 16)

    def create_image(self, layout: ImageLayout, memory: Linear | None = None) -> CudaImage:
        if memory is not None:
            return CudaImage(self, layout, memory)
        resting = self.images.take(layout)
        if resting is not None:
            return resting
        try:
            return CudaImage(self, layout, None)
        except DriverError:
            if not (self.images.trim() or self.memory.kept):
                raise
            self.memory.trim()
            return CudaImage(self, layout, None)

    def holds_textures(self, memory: Linear) -> bool:
        """Whether textures can be made of a 2D image there."""
        extra = self.properties.extra
        return memory.address % extra["texture_alignment"] == 0 and memory.row_pitch % extra["texture_pitch_alignment"] == 0

    # Shared virtual memory

    @cached_property
    def shared_memory(self) -> SharedMemory:
        return SharedMemory(self)

    def allocate_shared(self, size: int) -> int:
        self.enter()
        return self.shared_memory.allocate(size)

    def free_shared(self, address: int) -> None:
        if not self.cuda.ended:
            self.enter()
            self.shared_memory.free(address)

    # What others exported

    @cached_property
    def _external_calls(self) -> ExternalCalls:
        assert self.cuda.library is not None, "the device does not say that it imports"
        return ExternalCalls(self.cuda, self.cuda.library)

    def import_memory(self, fd: int, size: int) -> ExternalMemory:
        self.enter()
        return ExternalMemory(self, self._external_calls, fd, size)

    def import_semaphore(self, fd: int) -> ExternalSemaphore:
        self.enter()
        return ExternalSemaphore(self, self._external_calls, fd)

    # The host's memory

    def register_host(self, address: int, size: int) -> bool:
        self.enter()
        try:
            self.cuda.runtime.hostRegister(address, size, REGISTER_PORTABLE)
        except self.cuda.Error:  # read-only memory, or page-locked already: its copies take the way that all memory can
            return False
        return True

    def unregister_host(self, address: int) -> None:
        if not self.cuda.ended:
            self.enter()
            self.cuda.call(self.cuda.runtime.hostUnregister, address)

    @cached_property
    def staging(self) -> Staging:
        return Staging(self)

    # Streams and events

    def open_stream(self, hints: StreamHints = DEFAULT_HINTS) -> CudaStream:
        return CudaStream(self, hints)

    def borrow_stream(self, handle: int) -> BorrowedStream:
        """For a stream that another library made."""
        return BorrowedStream(self, handle)

    def expect_printf(self) -> None:
        """Before the first launch of a kernel that prints: makes room for what CL_DEVICE_PRINTF_BUFFER_SIZE promises, printed in the
        smallest pieces. (A process whose kernels have printed before, by other means, keeps the room that it has.)"""
        if self._prints is None:
            self.enter()
            self._prints = CudaStream(self, DEFAULT_HINTS)
            self._prints_word = self.allocate(4)
            with contextlib.suppress(DriverError):
                self.cuda.call(self.cuda.runtime.deviceSetLimit, LIMIT_PRINTF_FIFO_SIZE, PRINTF_ROOM)

    def flush_printf(self) -> None:
        """Has CUDA write out what finished kernels have printed: it does so when a stream with work is waited for, but not an event,
        nor always an idle stream."""
        if self._prints is not None:
            self._prints.fill(self._prints_word, b"\0", 4)
            self.cuda.call(self.cuda.runtime.streamSynchronize, self._prints.handle)  # Polling would not do.

    @cached_property
    def _graph_calls(self) -> GraphCalls | None:
        return None if self.cuda.library is None else GraphCalls(self.cuda, self.cuda.library)

    def record(self, stream: CudaStream, commands: Sequence[Recorded]) -> CudaGraph | None:
        return None if self._graph_calls is None else CudaGraph(self, self._graph_calls, stream, commands)

    @cached_property
    def timeline(self) -> Timeline:
        self.enter()
        return Timeline(self)

    def take_event(self, timing: bool) -> int:
        try:
            return self._events[timing].pop()
        except IndexError:
            flag = self.cuda.runtime.eventDefault if timing else self.cuda.runtime.eventDisableTiming
            return self.cuda.call(self.cuda.runtime.eventCreateWithFlags, flag | self.cuda.runtime.eventBlockingSync)

    def give_event(self, event: int, timing: bool) -> None:
        """An event that nobody looks at any more may be recorded anew, even if its stream has not reached it yet."""
        self._events[timing].append(event)

    def wait_event(self, event: int, poll_ns: int = POLL_NS) -> None:
        """Polls for a while, which answers soonest, then with pauses; in the end the thread sleeps, as the event was made for."""
        query = self.cuda.runtime.eventQuery
        if not self.polled(query, event, poll_ns) and not self.polled(query, event, PAUSING * poll_ns, pause_ns=poll_ns):
            self.cuda.call(self.cuda.runtime.eventSynchronize, event)

    def wait_among_others(self, event: int) -> None:
        """For one of several threads that work together: polls with pauses from the start, so as not to keep the others from Python."""
        if not self.polled(self.cuda.runtime.eventQuery, event, PAUSING * POLL_NS, pause_ns=1):
            self.cuda.call(self.cuda.runtime.eventSynchronize, event)

    def polled(self, query: Callable[[int], int], handle: int, poll_ns: int, pause_ns: int = 0) -> bool:
        """Whether an event or a stream came to its end while it was polled. Pauses are a small part of `pause_ns` and of the time so
        far."""
        start = 0
        while (status := query(handle)) == NOT_READY:
            now = time.perf_counter_ns()
            start = start or now
            if now - start >= poll_ns:
                return False
            if pause_ns:
                time.sleep((pause_ns + now - start) / PAUSE * 1e-9)
            elif now - start > ALONE_NS:
                _let_others_run()
        if status:
            self.cuda.call(self.cuda.runtime.check_status, status)
        return True

    # Programs

    @cached_property
    def newest_compiler(self) -> int:
        """The major version of CUDA whose code the installed NVIDIA driver loads."""
        return self.cuda.runtime.driverGetVersion() // 1000

    def compiler_identity(self, options: BuildOptions) -> str:
        major, minor = self.capability
        return f"{nvrtc.identity(self.newest_compiler)} sm_{major}{minor} {' '.join(flags(options, (99, 0)))}"

    def compile(self, translation: Translation, options: BuildOptions) -> bytes:
        return compile_for(self.compiler_spec, translation, options)

    def compiler_log(self, binary: bytes) -> str:
        return CudaProgram.unpack(binary).log

    @cached_property
    def compiler_spec(self) -> str:
        return compiler_spec(self.newest_compiler, self.capability)

    @cached_property
    def target(self) -> str:
        return "sm_{}{}".format(*self.capability)

    def with_kernels(self, binary: bytes, kernels: Sequence[CompiledKernel]) -> bytes:
        """A program, or none (b""), with kernels that were not translated."""
        program = CudaProgram.unpack(binary) if binary else CudaProgram(self.target, (), {}, "", "", b"")
        return program.with_kernels(kernels).pack()

    def load(self, binary: bytes) -> CudaModule:
        return CudaModule(self, CudaProgram.unpack(binary))
