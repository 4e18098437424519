"""Copies between the device and pageable memory of the host: in chunks through page-locked memory, by several threads.

A chunk is copied by the processor on one side and by the device on the other, and different chunks do both at once. One thread
of a processor copies slower than the bus, so the calling thread has helpers.
"""

from __future__ import annotations

import collections
import ctypes
import os
import queue as thread_queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..crew import Crew
from ..driver import DriverError

if TYPE_CHECKING:
    from .device import CudaDevice
    from .stream import CudaStream

SLOT = 2 << 20
# Below two of these a copy is not worth another thread's waking.
SHARE = 512 << 10
# Threads with one copy in hand: more fill the bus no better.
THREADS = 6


def threads() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(THREADS, cores // 2))


class Slot:
    """A piece of page-locked memory. `event` is the CUDA event of the device's last copy from or to it."""

    __slots__ = ("address", "event")

    def __init__(self, address: int, event: int):
        self.address = address
        self.event = event


class Staging:
    """The slots of a device, made when first needed and kept, and the threads that help to fill and empty them."""

    def __init__(self, device: CudaDevice):
        self._device = device
        self._threads = threads()
        self._crew = Crew(self._threads - 1, "cl2cuda copies")
        self._lock = threading.Lock()
        self._unmade = 2 * self._threads
        self._free: thread_queue.SimpleQueue[Slot] = thread_queue.SimpleQueue()

    def upload(self, stream: CudaStream, device: int, host: int, size: int) -> None:
        """Returns when the host's memory has been read."""
        self._share_out(size, lambda start, part: self._upload(stream, device + start, host + start, part))

    def download(self, stream: CudaStream, host: int, device: int, size: int) -> None:
        """Returns when the host's memory has been written."""
        self._share_out(size, lambda start, part: self._download(stream, host + start, device + start, part))

    def _share_out(self, size: int, copy: Callable[[int, int], None]) -> None:
        """Calls copy(start, part) for parts of about the same size, side by side; the first in this thread."""
        count = max(1, min(self._threads, size // SHARE))
        part = -(-size // count // 4096) * 4096
        starts = range(0, size, part)
        done: thread_queue.SimpleQueue[BaseException | None] = thread_queue.SimpleQueue()

        def helped(start: int) -> None:
            try:
                self._device.enter()
                copy(start, min(part, size - start))
            except BaseException as error:  # The thread that waits raises it.
                done.put(error)
            else:
                done.put(None)

        for start in starts[1:]:
            self._crew.put(lambda start=start: helped(start))  # type: ignore[misc]
        helped(0)
        errors = [error for error in [done.get() for _ in starts] if error is not None]
        if errors:
            raise errors[0]

    def _upload(self, stream: CudaStream, device: int, host: int, size: int) -> None:
        for start, length in _chunks(size):
            slot = self._take()
            try:
                self._device.wait_event(slot.event)
                ctypes.memmove(slot.address, host + start, length)
                stream.raw_copy("host_to_device", device + start, slot.address, length)
                stream.record(slot.event)
            finally:
                self._free.put(slot)

    def _download(self, stream: CudaStream, host: int, device: int, size: int) -> None:
        """While one chunk is on the bus, the one before is copied to where it belongs."""
        coming: collections.deque[tuple[Slot, int, int]] = collections.deque()
        try:
            for start, length in _chunks(size):
                slot = self._take(wait=not coming)
                if slot is None:
                    self._empty(coming, host)
                    slot = self._take()
                coming.append((slot, start, length))
                self._device.wait_event(slot.event)
                stream.raw_copy("device_to_host", slot.address, device + start, length)
                stream.record(slot.event)
                if len(coming) > 1:
                    self._empty(coming, host)
            while coming:
                self._empty(coming, host)
        finally:
            for slot, _, _ in coming:
                self._free.put(slot)

    def _empty(self, coming: collections.deque[tuple[Slot, int, int]], host: int) -> None:
        slot, start, length = coming[0]
        self._device.wait_event(slot.event)
        ctypes.memmove(host + start, slot.address, length)
        coming.popleft()
        self._free.put(slot)

    def _take(self, wait: bool = True) -> Any:
        """A slot, whose last copy may still be running; None where all are taken and `wait` is not set. (A thread that has
        a slot must not wait for another.)"""
        try:
            return self._free.get_nowait()
        except thread_queue.Empty:
            pass
        with self._lock:
            make, self._unmade = self._unmade > 0, max(0, self._unmade - 1)
        if make:
            try:
                return Slot(self._device.allocate_host(SLOT), self._device.take_event(False))
            except DriverError:
                with self._lock:
                    self._unmade += 1
                raise
        return self._free.get() if wait else None


def _chunks(size: int) -> list[tuple[int, int]]:
    """(start, length) of each chunk. Short copies have small ones, so that there are two to overlap."""
    length = min(SLOT, max(128 << 10, -(-size // 4)))
    return [(start, min(length, size - start)) for start in range(0, size, length)]
