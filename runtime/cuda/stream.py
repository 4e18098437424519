"""CUDA streams: copies, fills and fences in order."""

from __future__ import annotations

import ctypes
import functools
import itertools
import sys
import weakref
from typing import TYPE_CHECKING

from ..driver.interface import (
    CopyKind,
    DriverError,
    Fence,
    ImagePart,
    Linear,
    NativeStream,
    StreamHints,
    TimeBase,
    Triple,
    UnrecordedFences,
)
from ..driver.whole_failures import FailsAsWhole
from ..native import library as native
from ..process import debug_mode
from . import image_copies
from .box_writes import BoxWriter
from .capture import Capture
from .context import ALONE_NS, POLL_NS, CudaContext
from .copy_sizes import BRIEF, BY_CUDA, DIRECT, READ_BY_CUDA, SCRATCH, UNWAITED, WRITTEN_BY_CUDA
from .faults import explained
from .fence import CudaFence
from .launching import GRAPH_CALLS, REPEATED_CALLS
from .own_kernels import BY_COPY, COPIED, UNIT
from .regions import Memcpy3D, Pitched
from .scratch import STAGED_AS_A_WHOLE, Scratch
from .shared_memory import FEW_PAGES, SharedMemory
from .staging import PIECE, Staging
from .timeline import Base, Timeline

if TYPE_CHECKING:
    from .turns import Turns

INVALID_VALUE = 1  # cudaErrorInvalidValue

# How long waiting threads poll, by the queue's throttle hint.
_POLL_NS = {"high": 20_000_000, "medium": POLL_NS, "low": 0}

# By the queue's priority hint. 0 is CUDA's default and its lowest; what is beyond a device's range it cuts.
_PRIORITIES = {"high": -5, "medium": 0, "low": 0}

SLOTS = 8

# cudaMemcpyKind
KINDS: dict[CopyKind, int] = {"host_to_device": 1, "device_to_host": 2, "device_to_device": 3}
LEGACY = 1  # cudaStreamLegacy
DEFAULT = 4  # cudaMemcpyDefault: the addresses say which memory they are of
# A fill with a long pattern starts with this many bytes from the host and doubles them on the device.
_FILL_START = 1 << 15


class _Graphs(ctypes.Structure):
    """struct stream_graphs of runtime/native/graphs.h, whose code makes the graphs: for each of KINDS the graph, what is launched
    of it, and more."""

    _fields_ = [("calls", ctypes.c_void_p * len(GRAPH_CALLS + REPEATED_CALLS)), ("context", ctypes.c_void_p),
                ("copies", ctypes.c_void_p * 6 * len(KINDS))]


class CudaStream(FailsAsWhole):
    """A non-blocking stream: it does not wait for CUDA's default stream, nor that for it.

    handle  CUDA's; 0 once it is closed
    slot    a small number: streams of one slot share what exists only a few times
    turns   those that it may have had the last one of
    capture there while a graph is made of what is issued
    """

    _numbers = itertools.count()

    immediate = False
    brief_copy = BRIEF

    def __init__(self, context: CudaContext, hints: StreamHints, staging: Staging, timeline: Timeline, shared_memory: SharedMemory):
        self.context = context
        self.cuda = context.cuda
        self.staging, self._timeline, self._shared_memory = staging, timeline, shared_memory
        self.capture: Capture | None = None
        self.poll_ns = _POLL_NS[hints.throttle]
        self.scratch = Scratch()
        self._priority = _PRIORITIES[hints.priority]
        self.slot = next(self._numbers) % SLOTS
        self.turns: weakref.WeakSet[Turns] = weakref.WeakSet()
        context.enter()
        self.handle = self._open()
        self._native: NativeStream | None = None
        self.box_writer: BoxWriter | None = None
        self._graphs: _Graphs | None = None

    def _open(self) -> int:
        return self.cuda.new_stream(self._priority)

    def copy(self, kind: CopyKind, destination: int, source: int, size: int) -> bool:
        self.context.enter()
        host_is_done = self._copy(kind, destination, source, size)
        if host_is_done and kind == "device_to_host" and self.context.prints:
            self.context.flush_printf()  # All before has ended, and nobody may wait for anything any more.
        return host_is_done

    def _copy(self, kind: CopyKind, destination: int, source: int, size: int) -> bool:
        if kind == "device_to_device":
            self.raw_copy(kind, destination, source, size)
            return True
        upload = kind == "host_to_device"
        if upload and size <= SCRATCH:
            # What is page-locked CUDA reads when the stream comes to it: commands before this one may write there.
            if not self.is_pageable(source, size) and self._copied_by_cuda(kind, destination, source, size):
                return False
            scratch = self.cuda.scratch.address
            ctypes.memmove(scratch, source, size)
            self.raw_copy(kind, destination, scratch, size)
            return True
        host, by_cuda = source if upload else destination, self._by_cuda(kind)
        if size > by_cuda and self.is_pageable(host, size):
            return self._staged_copy(kind, destination, source, size)
        if not self._copied_by_cuda(kind, destination, source, size):
            return self._staged_copy(kind, destination, source, size)
        if not upload and size <= DIRECT:
            # To pageable memory it has ended now, and mostly so has all there is in the stream: to ask that
            # is quicker than to ask what memory it is.
            return self.idle()
        if upload and DIRECT < size <= UNWAITED and self.capture is None:
            self.staging.make_room(size)
        if DIRECT < size <= STAGED_AS_A_WHOLE and self.capture is None:
            with self.scratch.lock:
                self.scratch.lend_staging(self, size)
        return size <= by_cuda and self.is_pageable(host, size)  # asked while the device copies

    def _copied_by_cuda(self, kind: CopyKind, destination: int, source: int, size: int) -> bool:
        """False of memory that is page-locked in part, or in several parts."""
        try:
            self.cuda.runtime.memcpyAsync(destination, source, size, KINDS[kind], self.handle)
        except self.cuda.Error as error:
            if error.status != INVALID_VALUE:
                raise explained(error, self.cuda.suspects) from error
            return False
        return True

    def _by_cuda(self, kind: CopyKind) -> int:
        """The most bytes of pageable memory that CUDA copies sooner than threads."""
        if self.staging.native is None:
            return BY_CUDA
        return WRITTEN_BY_CUDA if kind == "host_to_device" else READ_BY_CUDA

    def _staged_copy(self, kind: CopyKind, destination: int, source: int, size: int) -> bool:
        upload, made = kind == "host_to_device", self.staging.native
        if made is not None and self.capture is None:
            if not self.staging.count_towards_slots(size) and self._copied_by_cuda(kind, destination, source, size):
                return True
            ends = (upload, source, destination, size) if upload else (upload, destination, source, size)
            if self.staging.copy_natively(made, ends, self.handle, self.poll_ns):
                return True
            if self._copied_by_cuda(kind, destination, source, size):
                return True
        try:
            if kind == "host_to_device":
                self.staging.upload(self, destination, source, size)
            else:
                self.staging.download(self, destination, source, size)
        except DriverError as error:
            if error.status != "MEM_OBJECT_ALLOCATION_FAILURE":
                raise
            self.raw_copy(kind, destination, source, size)  # No page-locked memory is left: CUDA has some of its own.
        return True

    def timed_copy(self, kind: CopyKind, destination: int, source: int, size: int) -> tuple[Fence, Fence] | None:
        """On the device where that and the fences are one graph, and of pageable memory, which CUDA's own copies by the processor between
        the fences, too."""
        self.context.enter()
        if self.capture is not None:
            return None
        if kind == "device_to_device":
            begun, ended, *events = self.timed_fences()
            return (begun, ended) if self._copy_in_a_graph(kind, destination, source, size, *events) else None
        upload = kind == "host_to_device"
        if not self.is_pageable(source if upload else destination, size):
            return None
        begun, ended, *events = self.timed_fences()
        with self.staging.slot(size) as slot:
            if slot is None:
                return None
            if upload:
                ctypes.memmove(slot.address, source, size)
            ends = (destination, slot.address) if upload else (slot.address, source)
            if not self._copy_in_a_graph(kind, *ends, size, *events):
                self.record(events[0])
                self.raw_copy(kind, *ends, size)
                self.record(events[1])
            if upload:
                self.record(slot.event)
            else:
                ended.wait()
                ctypes.memmove(destination, slot.address, size)
        if DIRECT < size <= STAGED_AS_A_WHOLE:
            with self.scratch.lock:
                self.scratch.lend_staging(self, size)  # The next one is native code's.
        return begun, ended

    def _copy_in_a_graph(self, kind: CopyKind, destination: int, source: int, size: int, begun: int, ended: int) -> bool:
        """Whether the copy, of page-locked memory at the host's side, was given as one with the records of the two events."""
        calls, graphs, copy = native.calls(), self._graphs_address(), (KINDS[kind] - 1, destination, source, size)
        return bool(calls and graphs and size and calls.timed_copy(graphs, *copy, begun, ended, self.handle))

    def _graphs_address(self) -> int:
        """Of `_Graphs`; 0 where CUDA lacks the calls. Their kernels have CUDA's default priority: launches of another are no graphs."""
        addresses = self.cuda.graph_addresses
        if addresses is None:
            return 0
        if self._graphs is None:
            self._graphs = _Graphs(addresses[: len(GRAPH_CALLS)] if self._priority else addresses, self.context.handle)
        return ctypes.addressof(self._graphs)

    def is_pageable(self, host: int, size: int) -> bool:
        if size <= self.cuda.page_locked.get(host, 0):
            return False
        return self.cuda.is_pageable(host) or (size > DIRECT and self.cuda.is_pageable(host + size - 1))

    def blocks_caller(self, kind: CopyKind, host: int, size: int) -> bool:
        if kind == "host_to_device" and size <= DIRECT:
            return False
        self.context.enter()
        return self.is_pageable(host, size)

    def raw_copy(self, kind: CopyKind, destination: int, source: int, size: int) -> None:
        """One copy by CUDA."""
        try:
            self.cuda.runtime.memcpyAsync(destination, source, size, KINDS[kind], self.handle)
        except self.cuda.Error as error:
            raise explained(error, self.cuda.suspects) from error

    def record(self, event: int) -> None:
        try:
            self.cuda.runtime.eventRecord(event, self.handle)
        except self.cuda.Error as error:
            raise explained(error, self.cuda.suspects) from error

    def copy_shared(self, destination: int, source: int, size: int) -> bool:
        self.context.enter()
        if size <= COPIED and size % UNIT == 0 and self.capture is None:
            self.context.copy_kernel.want()
        self.cuda.call(self.cuda.runtime.memcpyAsync, destination, source, size, DEFAULT, self.handle)
        return self.cuda.is_pageable(destination)

    def prefetch(self, address: int, size: int, to_host: bool) -> None:
        self.context.enter()
        self._shared_memory.prefetch(address, size, to_host, self.handle)

    @property
    def due_pages(self) -> int:
        """Where pages wait that the device gets back once it needs them (native/due_pages.h); 0 where none do."""
        shared = self._shared_memory
        return ctypes.addressof(shared.due) if shared.due is not None and shared.managed else 0

    def bring_due_pages(self) -> None:
        self._shared_memory.bring_due(self.handle)

    def copy_rect(self, kind: CopyKind, destination: int, destination_pitches: tuple[int, int],
                  source: int, source_pitches: tuple[int, int], region: Triple) -> None:
        self.context.enter()
        width, rows, slices = region
        if slices == 1:
            self.cuda.call(self.cuda.runtime.memcpy2DAsync, destination, destination_pitches[0], source, source_pitches[0],
                           width, rows, KINDS[kind], self.handle)
            return
        parameters = Memcpy3D(
            source=Pitched(source, source_pitches[0], width, source_pitches[1] // source_pitches[0]),
            destination=Pitched(destination, destination_pitches[0], width, destination_pitches[1] // destination_pitches[0]),
            extent=region, kind=KINDS[kind],
        )
        self.cuda.call(self.cuda.runtime.memcpy3DAsync, ctypes.addressof(parameters), self.handle)

    def copy_image(self, kind: CopyKind, destination: Linear | ImagePart, source: Linear | ImagePart, region: Triple) -> None:
        self.context.enter()
        image_copies.copy(self, kind, destination, source, region)

    def fill_image(self, destination: ImagePart, element: bytes, region: Triple) -> None:
        self.context.enter()
        image_copies.fill(self, destination, element, region)

    def fill(self, destination: int, pattern: bytes, size: int) -> None:
        self.context.enter()
        function = self._fill_kernel_for(len(pattern), size)
        pattern = _shortest(pattern)
        width = len(pattern)
        if width <= 4:
            self.cuda.memset(destination, int.from_bytes(pattern, "little"), width, size // width, self.handle)
            return
        if function:
            self.context.fill_kernel.launch(function, destination, pattern, size, self.handle)
            return
        # Pageable host memory has been read when the call returns.
        start = pattern * (min(size, _FILL_START) // width)
        if self.capture is not None:
            self.capture.keep.append(start)
        self.cuda.call(self.cuda.runtime.memcpyAsync, destination, _address(start), len(start), 1, self.handle)
        done = len(start)
        while done < size:
            part = min(done, size - done)
            self.cuda.call(self.cuda.runtime.memcpyAsync, destination + done, destination, part, 3, self.handle)
            done += part

    def _fill_kernel_for(self, width: int, size: int) -> int:
        """0 where such a fill is made by copies."""
        if width < UNIT or size <= BY_COPY or self.capture is not None:
            return 0
        return self.context.fill_kernel.function()

    def fence(self, timing: bool) -> CudaFence:
        with self.context.entered():
            base = self._timeline.base() if timing else None
            fence = CudaFence(self.context, self.context.take_event(timing), base, self.poll_ns)
            self.record(fence.event)
        return fence

    def timed_fences(self) -> UnrecordedFences:
        self.context.enter()
        context, base = self.context, self._timeline.base()
        begun, ended = context.take_event(True), context.take_event(True)
        return CudaFence(context, begun, base, self.poll_ns), CudaFence(context, ended, base, self.poll_ns), begun, ended

    def time_base(self) -> Base:
        self.context.enter()
        return self._timeline.base()

    def counted_from(self, base: TimeBase, fences: UnrecordedFences) -> tuple[Fence, Fence]:
        for fence in fences[:2]:
            assert isinstance(fence, CudaFence) and isinstance(base, Base)
            fence.base = base
        return fences[:2]

    def after(self, fence: Fence, *, even_failed: bool = False) -> None:
        assert isinstance(fence, CudaFence)
        self.context.enter()
        try:
            self.cuda.runtime.streamWaitEvent(self.handle, fence.event)
        except self.cuda.Error as error:
            raise explained(error, self.cuda.suspects) from error

    def flush(self) -> None:
        """Launches are handed to the device at once; on Windows (WDDM) asking for the stream's state hands
        over the batch."""
        self.cuda.call(self.cuda.runtime.streamQuery, self.handle)

    def idle(self) -> bool:
        return self.cuda.runtime.streamQuery(self.handle) == 0

    def poll_completed(self) -> bool:
        self.context.enter()
        if not self.context.polled(self.cuda.runtime.streamQuery, self.handle, min(self.poll_ns, ALONE_NS)):
            return False
        if self.context.prints:
            self.context.flush_printf()
        return True

    def synchronize(self) -> None:
        """Polls for a while, then with pauses; in debug mode the thread sleeps."""
        self.context.enter()
        if debug_mode.active():
            self.context.sleep_until_reached(self.record)
        elif not self.context.polled(self.cuda.runtime.streamQuery, self.handle, self.poll_ns):
            fence = self.fence(False)  # which keeps the event from others until the wait is over
            self.context.wait_event(fence.event, self.poll_ns)
        if self.context.prints:
            self.context.flush_printf()

    def native(self) -> NativeStream | None:
        addresses = self.cuda.stream_addresses
        if addresses is None or self.capture is not None:
            return None
        if self._native is None:
            current, query, read, write, copy, fill_1, fill_2, fill_4, record, wait, copy_2d, attributes = addresses
            made = self.staging.native
            pool, read_staged, write_staged, write_unwaited = (0, 0, 0, 0) if made is None else made.words()
            copy_any, prefetch = self.cuda.shared_memory_addresses or (0, 0)
            calls = native.calls()
            read_box, write_box, write_parts = (0, 0, 0) if calls is None else calls.box_copies()
            self._native = NativeStream(
                query, self.handle, self.poll_ns, read, write, most_read=DIRECT, most_written=DIRECT, flushes=sys.platform == "win32",
                current=current, context=self.context.handle, prints=ctypes.addressof(self.context.may_print), copy=copy,
                fill_1=fill_1, fill_2=fill_2, fill_4=fill_4, record=record, wait=wait, copy_2d=copy_2d,
                staging=self.staging.take_piece(), most_staged=PIECE, attributes=attributes, pool=pool,
                read_staged=read_staged, write_staged=write_staged, least_read=READ_BY_CUDA + 1, least_written=WRITTEN_BY_CUDA + 1,
                elapsed=self.cuda.elapsed_address, graphs=self._graphs_address(), write_unwaited=write_unwaited, most_unwaited=UNWAITED,
                copy_3d=self.cuda.image_copy_address, scratch=ctypes.addressof(self.scratch.native), copy_any=copy_any,
                prefetch=prefetch if self._shared_memory.managed else 0, device=self.context.ordinal, few_pages=FEW_PAGES,
                query_event=self.cuda.event_query_address,
                launch=(self.cuda.launch_addresses or (0,))[0], fill_kernel=ctypes.addressof(self.context.fill_kernel.word),
                copy_kernel=ctypes.addressof(self.context.copy_kernel.word), write_value=self.cuda.write_value_address,
                read_box=read_box, write_box=write_box, write_parts=write_parts, set_current=self.cuda.set_current_address,
                due_pages=self.due_pages)
            self.box_writer = BoxWriter(self._native) if write_box else None
        return self._native

    @property
    def has_native(self) -> bool:
        return self._native is not None

    def rests(self) -> bool:
        if not self.handle or self.cuda.ended:
            return False
        with self.context.entered():
            self.scratch.free(self)
            return self.cuda.runtime.streamQuery(self.handle) == 0

    def end_turns(self) -> None:
        """Whoever has the next turns does not wait for what the stream does from now on."""
        for turns in tuple(self.turns):
            turns.end(self)
        self.turns.clear()

    def close(self) -> None:
        if self.handle and not self.cuda.ended:
            with self.context.entered():
                self.end_turns()
                self.scratch.free(self)
                handle, self.handle = self.handle, 0
                self._end(handle)
        self.handle = 0

    def _end(self, handle: int) -> None:
        self._end_native(handle)
        self.cuda.call(self.cuda.runtime.streamDestroy, handle)

    def _end_native(self, handle: int) -> None:
        """Native code uses the stream no more; but a read that was not waited for may still be under way."""
        known, self._native, self.box_writer = self._native, None, None
        if known is not None and self.cuda.runtime.streamQuery(handle) == 0:
            self.staging.give_piece(known.staging)
        graphs, self._graphs = self._graphs, None
        for graph, made, *_ in graphs.copies if graphs is not None else ():
            if made:
                self.cuda.driver_call("cuGraphExecDestroy", ctypes.c_void_p(made))  # once it has run
                self.cuda.driver_call("cuGraphDestroy", ctypes.c_void_p(graph))


@functools.lru_cache(256)
def _shortest(pattern: bytes) -> bytes:
    """The shortest pattern that repeats to this one."""
    while len(pattern) > 1 and pattern[: len(pattern) // 2] == pattern[len(pattern) // 2 :]:
        pattern = pattern[: len(pattern) // 2]
    return pattern


def _address(data: bytes) -> int:
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0
