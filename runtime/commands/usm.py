"""Commands on unified shared memory (cl_intel_unified_shared_memory): fill, copy, migrate and advise. Addresses are plain integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..context.shared_memory import UsmAllocation
from ..driver.interface import Stream
from ..queue.command import HOST_DONE, ISSUED, Outcome
from ..queue.event import Event
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError
from .buffer import PATTERN_SIZES

_MIGRATE_FLAGS = codes.MIGRATE_MEM_OBJECT_HOST | codes.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED
# "Enum values 0x4208-0x420F are reserved for future memory advices": hints, which may be ignored.
_ADVICE = (0, *range(0x4208, 0x4210))


def enqueue_mem_fill(queue: CommandTarget, address: int, pattern: bytes, size: int, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueMemFillINTEL: `size` bytes, a multiple of the pattern's length, to which the address is aligned."""
    routine = "clEnqueueMemFillINTEL"
    pattern = bytes(pattern)
    _check(routine, queue, address)
    if len(pattern) not in PATTERN_SIZES:
        raise CLError(routine, "INVALID_VALUE", f"a pattern has 1, 2, 4, ... or 128 bytes, not {len(pattern)}")
    # "CL_INVALID_VALUE if [...] dst_ptr is not aligned to pattern_size bytes", or "if size is not a multiple of pattern_size"
    if address % len(pattern) or size % len(pattern):
        raise CLError(routine, "INVALID_VALUE", f"address {address:#x} and size {size} are not multiples of {len(pattern)}")
    allocation = _checked_end(routine, queue, address, size)
    system = queue.device.properties.shared_memory & codes.DEVICE_SVM_FINE_GRAIN_SYSTEM
    if not system and allocation is None and queue.context.svm.find(address) is None:
        raise CLError(routine, "INVALID_VALUE", f"{queue.device!r} cannot reach {address:#x}, which is in no allocation of the context")
    # "The Unified Shared Memory allocation pointed to by dst_ptr [...] must be accessible by the device associated with command_queue"
    if _elsewhere(allocation, queue):
        raise CLError(routine, "INVALID_VALUE", f"{address:#x} is memory of another device, which {queue.device!r} cannot reach")

    def run(stream: Stream) -> Outcome:
        if size:
            stream.fill(address, pattern, size)
        return ISSUED

    return queue.submit(routine, codes.COMMAND_MEMFILL_INTEL, run, wait_for)


def enqueue_memcpy(queue: CommandTarget, blocking: bool, destination: int, source: int, size: int, wait_for: Sequence[Event] = (),
                   keep: Any = None) -> Event:
    """clEnqueueMemcpyINTEL: `size` bytes between any memory of the host, of devices, and shared. `keep` is what must live until the
    copy has ended."""
    routine = "clEnqueueMemcpyINTEL"
    _check(routine, queue, destination)
    _check(routine, queue, source)
    # "CL_MEM_COPY_OVERLAP if the values specified for dst_ptr, src_ptr and size result in an overlapping copy"
    if source < destination + size and destination < source + size:
        raise CLError(routine, "MEM_COPY_OVERLAP", "source and destination overlap")
    ends = [_checked_end(routine, queue, address, size) for address in (destination, source)]
    other = next((end for end in ends if end is not None and _elsewhere(end, queue)), None)

    def run(stream: Stream) -> Outcome:
        if not size:
            return HOST_DONE
        if other is None:
            return HOST_DONE if stream.copy_shared(destination, source, size) else ISSUED
        # The queue's device cannot reach the memory, so the one that it belongs to copies.
        theirs = other.maker.service_stream
        theirs.copy_shared(destination, source, size)
        theirs.synchronize()
        return HOST_DONE

    return queue.submit(routine, codes.COMMAND_MEMCPY_INTEL, run, wait_for, blocking=blocking, keep=None if blocking else keep)


def enqueue_migrate_mem(queue: CommandTarget, address: int, size: int, flags: int = 0, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueMigrateMemINTEL: a hint, which shared allocations follow."""
    routine = "clEnqueueMigrateMemINTEL"
    _check(routine, queue, address)
    # "CL_INVALID_VALUE if flags is not a supported combination of memory migration flags"
    if flags & ~_MIGRATE_FLAGS:
        raise CLError(routine, "INVALID_VALUE", f"{flags:#x} is not a set of migration flags")
    allocation = _checked_end(routine, queue, address, size)

    def run(stream: Stream) -> Outcome:
        if size and allocation is not None and allocation.type == codes.MEM_TYPE_SHARED_INTEL:
            stream.prefetch(address, size, bool(flags & codes.MIGRATE_MEM_OBJECT_HOST))
        return ISSUED

    return queue.submit(routine, codes.COMMAND_MIGRATEMEM_INTEL, run, wait_for)


def enqueue_mem_advise(queue: CommandTarget, address: int, size: int, advice: int, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueMemAdviseINTEL: "If a memory advice hint is not supported by the device it will be ignored"; none is defined."""
    routine = "clEnqueueMemAdviseINTEL"
    _check(routine, queue, address)
    if advice not in _ADVICE:
        raise CLError(routine, "INVALID_VALUE", f"{advice:#x} is no memory advice")
    _checked_end(routine, queue, address, size)
    return queue.submit(routine, codes.COMMAND_MEMADVISE_INTEL, lambda stream: ISSUED, wait_for)


def _check(routine: str, queue: CommandTarget, address: int) -> None:
    if not isinstance(queue, CommandTarget):
        raise CLError(routine, "INVALID_COMMAND_QUEUE", f"{queue!r} is not a command-queue")
    if not address:
        raise CLError(routine, "INVALID_VALUE", "a pointer is NULL")


def _checked_end(routine: str, queue: CommandTarget, address: int, size: int) -> UsmAllocation | None:
    """The allocation that the address points into. What the extension leaves undefined, a region that goes beyond it, is refused."""
    allocation = queue.context.usm.find(address)
    shared = allocation or queue.context.svm.find(address)
    if shared is not None and address + size > shared.end:
        raise CLError(routine, "INVALID_VALUE",
                      f"{size} bytes from {address:#x} on go beyond the allocation, which ends at {shared.end:#x}")
    return allocation


def _elsewhere(allocation: UsmAllocation | None, queue: CommandTarget) -> bool:
    """Whether only another device's driver can use the memory: the host device reaches none of a GPU's."""
    return (allocation is not None and allocation.type == codes.MEM_TYPE_DEVICE_INTEL
            and queue.device.host_addressable and not allocation.maker.host_addressable)
