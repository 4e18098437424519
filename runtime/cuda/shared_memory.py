"""Memory that host and device know by one address, under shared virtual memory (5.6).

Where the device and the host may touch managed memory at the same time, it is managed memory: the pages are
where they were last used, kernels run at the speed of device memory, and every kind of buffer sharing follows
from it, with atomics, since a page is on one side at a time. Elsewhere (WSL2, older GPUs) it is page-locked
host memory mapped into the device: correct without any call, at the speed of the bus, and only coarse-grained
sharing is promised of it.

Asking for more managed memory than the device has free makes pages thrash between host and device, and has
stopped machines: so it is refused like device memory that is not there.
"""

from __future__ import annotations

import ctypes
import threading
from functools import cached_property
from typing import Any

from ..driver.interface import DriverError
from ..native import library as native
from ..spec import codes
from .api import Cuda
from .context import CudaContext

# cudaDeviceAttr
PAGEABLE_MEMORY_ACCESS, CONCURRENT_MANAGED_ACCESS = 88, 89
# cudaHostAllocPortable | cudaHostAllocMapped
PORTABLE_MAPPED = 1 | 2
CPU = -1  # CU_DEVICE_CPU
# Below this the host's page faults are quicker than asking for the pages: on an H200's machine, until all of a region was written,
# 16 us against 18 for 4 KiB, 26 against 33 for 64 KiB, 56 against 40 for 128 KiB, 263 against 200 for 1 MiB. To bring
# them back to the device takes the host 10 to 18 us in either case.
FEW_PAGES = 128 << 10
# Regions that the host had mapped, and are no larger, are left to CUDA, which leaves a page where it is once both sides use it in turn: in
# a loop of CUDA's calls on an H200 that edited an array of 4 KiB, launched a kernel with three and read one, a turn took 73 us, and 235
# where they were asked for; every 2 ms 175 and 211; with 2 KiB 12 and 103. At 16 KiB it was 243 and 232, at 64 KiB 418 and 193, and where
# the kernel added to one atomic number a million times 236 and 100.
LEFT_ALONE = 4 << 10
# So many regions wait for the device to need them. Pages of larger ones begin to move when they are unmapped, while the host does
# something else.
MOST_DUE, MOST_DUE_BYTES = 16, 4 << 20


def capabilities(cuda: Cuda, ordinal: int) -> int:
    """CL_DEVICE_SVM_CAPABILITIES."""
    if not cuda.call(cuda.runtime.deviceGetAttribute, CONCURRENT_MANAGED_ACCESS, ordinal):
        return codes.DEVICE_SVM_COARSE_GRAIN_BUFFER
    fine = codes.DEVICE_SVM_COARSE_GRAIN_BUFFER | codes.DEVICE_SVM_FINE_GRAIN_BUFFER | codes.DEVICE_SVM_ATOMICS
    if cuda.call(cuda.runtime.deviceGetAttribute, PAGEABLE_MEMORY_ACCESS, ordinal):
        return fine | codes.DEVICE_SVM_FINE_GRAIN_SYSTEM
    return fine


class DuePages(ctypes.Structure):
    """struct due_pages (native/due_pages.h): pages that code in C is to ask for when the device needs them."""

    count: int
    regions: Any
    _fields_ = [*((name, ctypes.c_uint64) for name in ("fetch", "device", "room", "few_bytes", "most_bytes", "taken", "count")),
                ("regions", ctypes.c_uint64 * 3 * MOST_DUE)]  # address, bytes, whether the host had all of it

    def forget(self, address: int, size: int) -> None:
        """What lies in the region is not due."""
        for region in self.regions[: self.count]:
            start, length, _ = region
            if address <= start and start + length <= address + size:
                region[1] = 0

    def take(self) -> list[tuple[int, int]]:
        """What is due, (address, bytes), and is not from here on. What code in C notes meanwhile may be lost: its pages come by themselves,
        only later."""
        found = [(address, size) for address, size, _ in self.regions[: self.count] if size]
        self.count = 0
        return found


class SharedMemory:
    """A device's shared allocations. `managed` says which kind of memory they are; `due` are pages that the device gets back once it needs
    them, where code in C was compiled."""

    def __init__(self, context: CudaContext):
        self._context = context
        self.cuda = context.cuda
        self._lock = threading.Lock()
        self._sizes: dict[int, int] = {}
        addresses = self.cuda.shared_memory_addresses if native.calls() is not None else None
        self.due = DuePages(addresses[1], context.ordinal, MOST_DUE, LEFT_ALONE, MOST_DUE_BYTES) if addresses is not None else None

    @cached_property
    def managed(self) -> bool:
        return bool(capabilities(self.cuda, self._context.ordinal) & codes.DEVICE_SVM_FINE_GRAIN_BUFFER)

    def allocate(self, size: int) -> int:
        self._context.enter()
        runtime = self.cuda.runtime
        if not self.managed:
            return self.cuda.call(runtime.hostAlloc, size, PORTABLE_MAPPED)
        with self._lock:
            free, _ = self.cuda.call(runtime.memGetInfo)
            # What was handed out may not be on the device yet, so all of it counts.
            if sum(self._sizes.values()) + size > free:
                raise DriverError(f"the device has no {size} bytes left for shared memory", "MEM_OBJECT_ALLOCATION_FAILURE")
            address = self.cuda.call(runtime.mallocManaged, size)
            self._sizes[address] = size
        return address

    def free(self, address: int) -> None:
        with self._context.entered():
            if self.managed:
                with self._lock:
                    size = self._sizes.pop(address)  # Once it is freed, another thread may be given the same address.
                    if self.due is not None:
                        self.due.forget(address, size)
                self.cuda.call(self.cuda.runtime.free, address)
            else:
                self.cuda.call(self.cuda.runtime.freeHost, address)

    def prefetch(self, address: int, size: int, to_host: bool, stream: int) -> None:
        if not self.managed:
            return
        if self.due is not None:
            self.due.forget(address, size)
        if not to_host or size >= FEW_PAGES:
            self.cuda.prefetch(address, size, CPU if to_host else self._context.ordinal, stream)

    def bring_due(self, stream: int) -> None:
        """Before work of the stream that may use shared memory, and that code in C does not launch."""
        for address, size in self.due.take() if self.due is not None and self.due.count else ():
            self.cuda.prefetch(address, size, self._context.ordinal, stream)
