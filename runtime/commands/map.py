"""Mapping buffers into host memory, and unmapping all memory objects (5.2.4, 5.5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..driver.interface import DriverError, Stream
from ..driver.reported import cl_error
from ..memory.buffer import Buffer
from ..memory.directory import READ
from ..memory.mapping import WRITES, MappedRegion, Mapping, all_listed, last_listed, list_region, strike_out
from ..memory.memory_object import MemoryObject
from ..process import host_memory
from ..queue.command import ISSUED, Outcome
from ..queue.event import Event
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError
from .buffer import check, check_host_access, check_memory, check_range


def enqueue_map_buffer(queue: CommandTarget, buffer: Buffer, blocking: bool, flags: int, offset: int, size: int,
                       wait_for: Sequence[Event] = ()) -> tuple[memoryview, Event]:
    """clEnqueueMapBuffer (5.2.4): a writable view of the region's bytes, to be used once the event is complete."""
    address, owner, event = map_buffer(queue, buffer, blocking, flags, offset, size, wait_for)
    return host_memory.view(address, size, owner), event


def map_buffer(queue: CommandTarget, buffer: Buffer, blocking: bool, flags: int, offset: int, size: int,
               wait_for: Sequence[Event] = ()) -> tuple[int, object, Event]:
    """As `enqueue_map_buffer`: where the bytes are, and what they are there with."""
    routine = "clEnqueueMapBuffer"
    check(routine, queue, buffer)
    if size == 0:  # "if region being mapped given by (offset, size) is out of bounds or if size is 0"
        raise CLError(routine, "INVALID_VALUE", "the size is 0")
    check_range(routine, buffer, offset, size)
    check_flags(routine, buffer, flags)
    storage = buffer.used_storage()
    try:
        base = storage.host_address()
    except DriverError as error:
        raise cl_error(routine, error, "MAP_FAILURE") from error
    if storage.copies:
        storage.note_map()
    start = buffer.offset + offset
    mapping = Mapping(start, size, flags, storage.copies)
    if storage.mappings:
        check_overlap(routine, mapping, all_listed(storage.mappings))
    address = base + start
    # WRITE_INVALIDATE_REGION: "the contents of the region being mapped are to be discarded".
    copies = mapping.copy and not flags & codes.MAP_WRITE_INVALIDATE_REGION

    def run(stream: Stream) -> Outcome:
        if copies and not storage.is_on_host(queue.device, stream, start, start + size):
            memory = storage.acquire(queue.device, stream, READ, start, start + size)
            stream.copy("device_to_host", address, memory + start, size)
        return ISSUED

    event = None if copies else queue.completed_at_once(routine, codes.COMMAND_MAP_BUFFER, wait_for, blocking)
    if event is None:
        offload = not blocking and copies and queue.blocks_caller("device_to_host", address, size, wait_for)
        event = queue.submit(routine, codes.COMMAND_MAP_BUFFER, run, wait_for, blocking=blocking, offload=offload,
                             size=size if copies else 0)
    list_region(storage.mappings, address, mapping)
    return address, storage, event


def enqueue_unmap(queue: CommandTarget, memory: MemoryObject, mapped: Any, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueUnmapMemObject: `mapped` is what mapping gave, or its address. What was mapped for writing goes to the device."""
    routine = "clEnqueueUnmapMemObject"
    if isinstance(memory, Buffer):
        check(routine, queue, memory)
    else:
        check_memory(routine, queue, memory)
    address = mapped if isinstance(mapped, int) else host_memory.extent(routine, mapped)[0]
    mappings, place = memory.mappings, memory.listed_at(address)
    mapping = last_listed(mappings, place)
    if mapping is None:
        raise CLError(routine, "INVALID_VALUE", "this memory is not mapped from the memory object (or was unmapped before)")
    event = None if mapping.copy and mapping.writes else queue.completed_at_once(routine, codes.COMMAND_UNMAP_MEM_OBJECT, wait_for)
    if event is None:
        write_back = memory.write_back(mapping, address)
        event = queue.submit(routine, codes.COMMAND_UNMAP_MEM_OBJECT, lambda stream: write_back(stream, queue.device), wait_for,
                             keep=write_back)
    strike_out(mappings, place)
    return event


def check_flags(routine: str, memory: MemoryObject, flags: int) -> None:
    """"MAP_READ or MAP_WRITE and MAP_WRITE_INVALIDATE_REGION are mutually exclusive", and the memory object's HOST_ flags hold."""
    invalidate = codes.MAP_WRITE_INVALIDATE_REGION
    if flags & ~(codes.MAP_READ | WRITES) or (flags & invalidate and flags != invalidate):
        raise CLError(routine, "INVALID_VALUE", f"{flags:#x} is not a set of map flags that go together")
    if flags & codes.MAP_READ:
        check_host_access(routine, memory, codes.MEM_HOST_WRITE_ONLY)
    if flags & WRITES:
        check_host_access(routine, memory, codes.MEM_HOST_READ_ONLY)


def check_overlap(routine: str, mapping: MappedRegion, others: Sequence[MappedRegion]) -> None:
    """"Mapping [...] overlapped regions in a memory object and/or associated memory objects (sub-buffer objects or 1D image buffer
    objects that overlap this region) for writing is an error and will result in CL_INVALID_OPERATION error" (5.5.4)."""
    for other in others:
        if mapping.overlaps(other) and (mapping.writes or other.writes):
            raise CLError(routine, "INVALID_OPERATION", "the region overlaps one that is mapped, and one of them is for writing")
