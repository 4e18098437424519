"""Copies between the device and pageable memory of the host: in chunks through page-locked memory, by several threads, in C
(runtime/native/staging.h) or, where that was not compiled, here; and a piece of page-locked memory for each stream, through which
native code reads little (runtime/native/stream_copies.h).

A chunk is copied by the processor on one side and by the device on the other, and different chunks do both at
once. One thread of a processor copies slower than the bus, so the calling thread has helpers.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import queue as thread_queue
import threading
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Protocol

from ..driver.interface import STAGED, CopyKind, DriverError
from ..native import library as native
from ..native.library import NativeStaging
from ..process import processors
from ..process.workers import Workers
from .context import CudaContext

SLOT = 2 << 20
# A piece smaller than this is not worth the work around it.
SMALLEST = 256 << 10
# What a stream has for little copies, and of how much memory in such pieces, or in a larger one, CUDA is asked for together: on an H200 it
# gives 256 KiB in 60 us, a megabyte in 1,350.
PIECE, PIECES = 64 << 10, 192 << 10
CONCURRENT_MANAGED_ACCESS = 89  # cudaDevAttrConcurrentManagedAccess
# How much is left to CUDA before slots for copies in C are made, for which it takes four milliseconds: so much it copies in two.
BEFORE_SLOTS = 8 << 20
# Threads with one copy in hand: more fill the bus no better.
THREADS = 6


def threads() -> int:
    return max(1, min(THREADS, processors.count() // 2))


class CopyStream(Protocol):
    """What a staged copy asks of the stream that it is in."""

    def raw_copy(self, kind: CopyKind, destination: int, source: int, size: int) -> None: ...
    def record(self, event: int) -> None: ...


class Slot:
    """A piece of page-locked memory. `event` is the CUDA event of the device's last copy from or to it."""

    __slots__ = ("address", "event")

    def __init__(self, address: int, event: int):
        self.address = address
        self.event = event


class Chunks:
    """A copy's chunks, for several threads to take and to report. A thread that comes late finds none
    left."""

    def __init__(self, size: int):
        self._size = size
        # Short copies have small chunks, so that there are enough to overlap.
        self._length = min(SLOT, max(SMALLEST, -(-size // (16 * 4096)) * 4096))
        self._next = 0
        self._unfinished = 0
        self._lock = threading.Lock()
        self._finished = threading.Event()
        self._error: BaseException | None = None

    @property
    def chunks(self) -> int:
        return -(-self._size // self._length)

    def take(self) -> tuple[int, int] | None:
        """(start, length) of a chunk; None when there is no more."""
        with self._lock:
            start = self._next
            if start >= self._size or self._error:
                return None
            self._next += self._length
            self._unfinished += 1
            return start, min(self._length, self._size - start)

    def finish(self, chunks: int = 1, error: BaseException | None = None) -> None:
        with self._lock:
            self._unfinished -= chunks
            self._error = self._error or error
            if not self._unfinished and (self._error or self._next >= self._size):
                self._finished.set()

    def wait(self) -> None:
        """Until every chunk that was taken is finished; raises the first error."""
        self._finished.wait()
        if self._error:
            raise self._error


class Staging:
    """The slots of a device, made when first needed and kept, and the threads that help to fill and empty
    them.

    `allocate_host` gives page-locked memory, `free_host` takes it back.
    """

    def __init__(self, context: CudaContext, allocate_host: Callable[[int], int], free_host: Callable[[int], None]):
        self._context = context
        self._allocate_host, self._free_host = allocate_host, free_host
        self._threads = threads()
        self._workers = Workers(self._threads - 1, "cl2cuda copies")
        self._lock = threading.RLock()  # Python's search for garbage may close a stream, which gives its piece back.
        self._unmade = 2 * self._threads
        self._free: thread_queue.SimpleQueue[Slot] = thread_queue.SimpleQueue()
        self._pieces: collections.defaultdict[int, list[int]] = collections.defaultdict(list)  # by their size
        self._left_to_cuda = 0  # bytes, before there were slots in C
        self._is_full = False  # the slots in C are as many as there may be, or as fit into memory

    @cached_property
    def native(self) -> NativeStaging | None:
        """The copies in C; None where they were not compiled, or there is one thread, which copies no faster than CUDA."""
        calls, addresses = native.calls(), self._context.cuda.staging_addresses
        if calls is None or addresses is None or self._threads == 1:
            return None
        return calls.staging(addresses, self._threads - 1, max(self._threads - 1, processors.count() // 2))

    def count_towards_slots(self, size: int) -> bool:
        """Counts a copy, until there have been so many bytes that slots for copies in C pay; returns whether that is so."""
        if self._left_to_cuda <= BEFORE_SLOTS:
            self._left_to_cuda += size
        return self._left_to_cuda > BEFORE_SLOTS

    def copy_natively(self, made: NativeStaging, ends: tuple[bool, int, int, int], stream: int, poll_ns: int) -> bool:
        """Whether the copy has been made: returns when the host's memory has been written, or read. `ends` are whether it is to the device,
        the host's memory, the device's, and the size."""
        may_add = True
        while (status := made.copy(*ends, stream, poll_ns, may_add)) == native.STAGING_ADDS:
            may_add = self._add_slots(made)
        if status == native.STAGING_FULL:
            return False
        if status:
            cuda = self._context.cuda
            cuda.call(cuda.driver.check_status, status)
        return True

    def make_room(self, size: int) -> None:
        """Has the next copy like this one, which in C waits for nothing, find as many slots as it wants, where there may be so many."""
        made = self.native
        if made is not None and not self._is_full and self.count_towards_slots(size) and made.free_slots() < native.STAGING_ADDED:
            self._add_slots(made)

    def _add_slots(self, made: NativeStaging) -> bool:
        """Whether there is memory for them."""
        try:
            memory = self._allocate_host(native.STAGING_ADDED * native.STAGING_SLOT)
        except DriverError:
            self._is_full = True
            return False
        events = tuple(self._context.take_event(False) for _ in range(native.STAGING_ADDED))
        if not made.add(memory, events):  # There are as many as there may be.
            self._is_full = True
            self._free_host(memory)
            for event in events:
                self._context.give_event(event, False)
        return True

    def take_piece(self, size: int = PIECE) -> int:
        """The address of page-locked memory for a stream: a word that says whether a thread has it, and so many bytes from byte STAGED on,
        as NativeStream has it. 0 where none is left, or the host may not touch shared memory, which a read may go to, while a kernel
        runs."""
        if not self._context.attribute(CONCURRENT_MANAGED_ACCESS):
            return 0
        with self._lock:
            pieces = self._pieces[size]
            if not pieces:
                length, count = STAGED + size, max(1, PIECES // size)
                try:
                    block = self._allocate_host(count * length)
                except DriverError:
                    return 0
                ctypes.memset(block, 0, count * length)
                pieces.extend(range(block, block + count * length, length))
            return pieces.pop()

    def give_piece(self, address: int, size: int = PIECE) -> None:
        """Of a stream that has ended."""
        if address:
            with self._lock:
                self._pieces[size].append(address)

    @contextlib.contextmanager
    def slot(self, size: int, *, waits: bool = True) -> Iterator[Slot | None]:
        """A slot that no copy uses; None where it would be too small, or no page-locked memory is left, or unless the caller `waits` for
        what uses one, where all are used."""
        if size > SLOT:
            yield None
            return
        try:
            taken = self._take() if waits else self._take_now()
        except DriverError as error:
            if error.status != "MEM_OBJECT_ALLOCATION_FAILURE":
                raise
            taken = None
        if taken is None:
            yield None
            return
        try:
            if waits:
                self._context.wait_among_others(taken.event)
            is_used = not waits and self._context.cuda.runtime.eventQuery(taken.event) != 0
            yield None if is_used else taken
        finally:
            self._free.put(taken)

    def upload(self, stream: CopyStream, device: int, host: int, size: int) -> None:
        """Returns when the host's memory has been read."""
        self._share_out(Chunks(size), lambda work: self._upload(work, stream, device, host))

    def download(self, stream: CopyStream, host: int, device: int, size: int) -> None:
        """Returns when the host's memory has been written."""
        self._share_out(Chunks(size), lambda work: self._download(work, stream, host, device))

    def _share_out(self, work: Chunks, copy: Callable[[Chunks], None]) -> None:
        """This thread copies, and helpers that come while there is something left to copy."""

        def help_out() -> None:
            self._context.enter()
            copy(work)

        with contextlib.suppress(RuntimeError):  # There are no more threads, and this one copies all.
            for _ in range(min(self._threads, work.chunks) - 1):
                self._workers.put(help_out)
        copy(work)
        work.wait()

    def _upload(self, work: Chunks, stream: CopyStream, device: int, host: int) -> None:
        while (chunk := work.take()) is not None:
            start, length = chunk
            try:
                slot = self._take()
                try:
                    self._context.wait_among_others(slot.event)
                    ctypes.memmove(slot.address, host + start, length)
                    stream.raw_copy("host_to_device", device + start, slot.address, length)
                    stream.record(slot.event)
                finally:
                    self._free.put(slot)
            except BaseException as error:  # `wait` raises it, in the thread that asked for the copy.
                work.finish(error=error)
            else:
                work.finish()

    def _download(self, work: Chunks, stream: CopyStream, host: int, device: int) -> None:
        """While one chunk is on the bus, the one before is copied to where it belongs."""
        coming: collections.deque[tuple[Slot, int, int]] = collections.deque()
        taken = 0
        try:
            while (slot := self._take_now() if coming else self._take()) is not None or coming:
                chunk = work.take() if slot is not None else None
                if slot is not None and chunk is not None:
                    taken += 1
                    coming.append((slot, *chunk))
                    self._context.wait_among_others(slot.event)
                    stream.raw_copy("device_to_host", slot.address, device + chunk[0], chunk[1])
                    stream.record(slot.event)
                elif slot is not None:
                    self._free.put(slot)
                    if not coming:
                        return
                if len(coming) > 1 or chunk is None:
                    self._empty(coming, host)
                    taken -= 1
                    work.finish()
        except BaseException as error:
            for slot, _, _ in coming:
                self._free.put(slot)
            work.finish(taken, error)

    def _empty(self, coming: collections.deque[tuple[Slot, int, int]], host: int) -> None:
        slot, start, length = coming[0]
        self._context.wait_among_others(slot.event)
        ctypes.memmove(host + start, slot.address, length)
        coming.popleft()
        self._free.put(slot)

    def _take(self) -> Slot:
        """A slot, whose last copy may still be running. (A thread that has a slot must not wait for another:
        `_take_now`.)"""
        return self._take_now() or self._free.get()

    def _take_now(self) -> Slot | None:
        """None where all are taken."""
        try:
            return self._free.get_nowait()
        except thread_queue.Empty:
            pass
        with self._lock:
            make, self._unmade = self._unmade > 0, max(0, self._unmade - 1)
        if make:
            try:
                return Slot(self._allocate_host(SLOT), self._context.take_event(False))
            except DriverError:
                with self._lock:
                    self._unmade += 1
                raise
        return None
