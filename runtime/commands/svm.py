"""Commands on shared virtual memory (5.6.1): free, copy, fill, map, unmap and migrate. Addresses are plain integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..driver.interface import Stream
from ..memory.mapping import last_listed, list_region, strike_out
from ..memory.svm import svm_free
from ..queue.command import HOST_DONE, ISSUED, Outcome, Run
from ..queue.event import Event
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError
from .buffer import PATTERN_SIZES

_MAP_FLAGS = codes.MAP_READ | codes.MAP_WRITE | codes.MAP_WRITE_INVALIDATE_REGION
_MIGRATE_FLAGS = codes.MIGRATE_MEM_OBJECT_HOST | codes.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED

FreeCallback = Callable[[CommandTarget, Sequence[int]], Any]


def enqueue_svm_free(queue: CommandTarget, pointers: Sequence[int] | None, free: FreeCallback | None = None,
                     wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueSVMFree. `free(queue, pointers)` is called, from another thread, once the command's turn has come; without it
    the pointers must be clSVMAlloc's and are freed."""
    routine = "clEnqueueSVMFree"
    _check(routine, queue)
    # "CL_INVALID_VALUE if num_svm_pointers is 0 and svm_pointers is non-NULL, or if svm_pointers is NULL and num_svm_pointers
    # is not 0"
    if pointers is not None and not len(pointers):
        raise CLError(routine, "INVALID_VALUE", "the list of pointers is empty")
    addresses = tuple(pointers or ())
    if free is None:
        for address in addresses:
            found = queue.context.svm.find(address)
            if address and (found is None or found.address != address):
                raise CLError(routine, "INVALID_VALUE",
                              f"{address:#x} is not a pointer that clSVMAlloc gave: freeing others takes a callback")

    def run(stream: Stream) -> Outcome:
        if free is None:
            for address in addresses:
                svm_free(queue.context, address)
        return ISSUED

    event = queue.submit(routine, codes.COMMAND_SVM_FREE, run, wait_for)
    if free is not None:
        event.set_callback(codes.COMPLETE, lambda status: free(queue, addresses) if status == codes.COMPLETE else None)
    return event


def enqueue_svm_memcpy(queue: CommandTarget, blocking: bool, destination: int, source: int, size: int,
                       wait_for: Sequence[Event] = (), keep: Any = None) -> Event:
    """clEnqueueSVMMemcpy (5.6.1): `size` bytes between any of shared and host memory. `keep` is what must live until the copy has ended."""
    routine = "clEnqueueSVMMemcpy"
    check_copy(routine, queue, destination, source, size)

    def run(stream: Stream) -> Outcome:
        return HOST_DONE if not size or stream.copy_shared(destination, source, size) else ISSUED

    return queue.submit(routine, codes.COMMAND_SVM_MEMCPY, run, wait_for, blocking=blocking, keep=None if blocking else keep,
                        size=size)


def check_copy(routine: str, queue: CommandTarget, destination: int, source: int, size: int) -> None:
    _check(routine, queue)
    _check_pointer(routine, destination)
    _check_pointer(routine, source)
    # "CL_MEM_COPY_OVERLAP if the values specified for dst_ptr, src_ptr and size result in an overlapping copy"
    if source < destination + size and destination < source + size:
        raise CLError(routine, "MEM_COPY_OVERLAP", "source and destination overlap")
    _check_end(routine, queue, destination, size)
    _check_end(routine, queue, source, size)


def enqueue_svm_fill(queue: CommandTarget, address: int, pattern: bytes, size: int, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueSVMMemFill (5.6.1): `size` bytes, a multiple of the pattern's length, to which the address is aligned."""
    routine = "clEnqueueSVMMemFill"
    pattern = bytes(pattern)
    check_fill(routine, queue, address, pattern, size)

    def run(stream: Stream) -> Outcome:
        if size:
            stream.fill(address, pattern, size)
        return ISSUED

    return queue.submit(routine, codes.COMMAND_SVM_MEMFILL, run, wait_for, size=size)


def check_fill(routine: str, queue: CommandTarget, address: int, pattern: bytes, size: int) -> None:
    _check(routine, queue)
    _check_pointer(routine, address)
    if len(pattern) not in PATTERN_SIZES:
        raise CLError(routine, "INVALID_VALUE", f"a pattern has 1, 2, 4, ... or 128 bytes, not {len(pattern)}")
    # "CL_INVALID_VALUE if svm_ptr is not aligned to pattern_size bytes", or "if size is not a multiple of pattern_size"
    if address % len(pattern) or size % len(pattern):
        raise CLError(routine, "INVALID_VALUE", f"address {address:#x} and size {size} are not multiples of {len(pattern)}")
    check_usable(routine, queue, address)
    _check_end(routine, queue, address, size)


def enqueue_svm_map(queue: CommandTarget, blocking: bool, flags: int, address: int, size: int,
                    wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueSVMMap: once the event is complete, the host may use the region at the same address."""
    routine = "clEnqueueSVMMap"
    _check(routine, queue)
    _check_pointer(routine, address)
    if size <= 0:
        raise CLError(routine, "INVALID_VALUE", "the size is 0")
    invalidate = codes.MAP_WRITE_INVALIDATE_REGION
    if flags & ~_MAP_FLAGS or (flags & invalidate and flags != invalidate):
        raise CLError(routine, "INVALID_VALUE", f"{flags:#x} is not a set of map flags that go together")
    check_usable(routine, queue, address)
    event = queue.submit(routine, codes.COMMAND_SVM_MAP, _move(queue, address, size, to_host=True), wait_for, blocking=blocking)
    list_region(queue.context.svm.mapped, address, (size, flags))
    return event


def enqueue_svm_unmap(queue: CommandTarget, address: int, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueSVMUnmap of a region that was mapped at this address."""
    routine = "clEnqueueSVMUnmap"
    _check(routine, queue)
    _check_pointer(routine, address)
    mapped = queue.context.svm.mapped
    # "svm_ptr is a pointer that was specified in a previous call to clEnqueueSVMMap."
    region = last_listed(mapped, address)
    if region is None:
        raise CLError(routine, "INVALID_VALUE", f"nothing is mapped at {address:#x} (or it was unmapped before)")
    size, _ = region
    event = queue.submit(routine, codes.COMMAND_SVM_UNMAP, _move(queue, address, size, to_host=False), wait_for)
    strike_out(mapped, address)
    return event


def enqueue_svm_migrate(queue: CommandTarget, ranges: Sequence[tuple[int, int]], flags: int = 0,
                        wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueSVMMigrateMem of (address, size) ranges; the size 0 means the whole allocation around the address."""
    routine = "clEnqueueSVMMigrateMem"
    _check(routine, queue)
    if not ranges:
        raise CLError(routine, "INVALID_VALUE", "no pointers are given")
    if flags & ~_MIGRATE_FLAGS:
        raise CLError(routine, "INVALID_VALUE", f"{flags:#x} is not a set of migration flags")
    whole = [_range(routine, queue, address, size) for address, size in ranges]

    def run(stream: Stream) -> Outcome:
        for address, size in whole:
            stream.prefetch(address, size, bool(flags & codes.MIGRATE_MEM_OBJECT_HOST))
        return ISSUED

    return queue.submit(routine, codes.COMMAND_SVM_MIGRATE_MEM, run, wait_for)


def _range(routine: str, queue: CommandTarget, address: int, size: int) -> tuple[int, int]:
    """"CL_INVALID_VALUE if [the] range [svm_pointers[i], svm_pointers[i]+sizes[i]) is not contained within an existing
    clSVMAlloc allocation"."""
    allocation = queue.context.svm.find(address)
    if allocation is None or address + size > allocation.end:
        raise CLError(routine, "INVALID_VALUE", f"the {size} bytes at {address:#x} do not lie in an allocation of clSVMAlloc")
    return (address, size) if size else (allocation.address, allocation.size)


def _move(queue: CommandTarget, address: int, size: int, to_host: bool) -> Run:
    """The pages go to the side that uses them next. That is for speed alone: the memory is the same from both sides."""

    def run(stream: Stream) -> Outcome:
        allocation = queue.context.svm.find(address)
        if allocation is not None:
            stream.prefetch(address, min(size, allocation.end - address), to_host)
        return ISSUED

    return run


def _check(routine: str, queue: CommandTarget) -> None:
    if not isinstance(queue, CommandTarget):
        raise CLError(routine, "INVALID_COMMAND_QUEUE", f"{queue!r} is not a command-queue")
    # "CL_INVALID_OPERATION if the device associated with command_queue does not support SVM"
    if not queue.device.properties.shared_memory:
        raise CLError(routine, "INVALID_OPERATION", f"{queue.device!r} does not support shared virtual memory")


def _check_pointer(routine: str, address: int) -> None:
    if not address:
        raise CLError(routine, "INVALID_VALUE", "a pointer is NULL")


def _check_end(routine: str, queue: CommandTarget, address: int, size: int) -> None:
    """What the specification leaves undefined, a region that goes beyond its allocation, is refused."""
    allocation = queue.context.svm.find(address)
    if allocation is not None and address + size > allocation.end:
        raise CLError(routine, "INVALID_VALUE",
                      f"{size} bytes from {address:#x} on go beyond the allocation, which ends at {allocation.end:#x}")


def check_usable(routine: str, queue: CommandTarget, address: int) -> None:
    """What the specification leaves undefined, memory that the device cannot reach, is refused."""
    system = queue.device.properties.shared_memory & codes.DEVICE_SVM_FINE_GRAIN_SYSTEM
    if not system and queue.context.svm.find(address) is None:
        raise CLError(routine, "INVALID_VALUE",
                      f"{address:#x} is not in an allocation of clSVMAlloc, and {queue.device!r} cannot reach other host memory")
