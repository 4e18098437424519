"""Commands on buffers, and markers, barriers and migrations: each checks its arguments and goes through `queue.submit`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..devices.device import Device
from ..driver.interface import CopyKind, Fence, Stream
from ..memory.buffer import Buffer
from ..memory.directory import OVERWRITE, READ
from ..memory.memory_object import MemoryObject
from ..memory.replicated import copy_between
from ..memory.storage import BufferStorage
from ..process import host_memory
from ..queue.command import ENDED, HOST_DONE, ISSUED, NOTHING, Command, Outcome, Run, TimedRun
from ..queue.event import Event
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError

# The sizes that fill patterns may have (5.2.3).
PATTERN_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)


class _HostCopy(TimedRun):
    """A copy between the host's memory and the place of a buffer's bytes, where `place(device, stream)` says."""

    def __init__(self, kind: CopyKind, device: Device, place: Callable[[Device, Stream], int], host: int, size: int, outcome: Outcome):
        self._kind, self._host, self._size = kind, host, size
        self._device, self._place = device, place
        self._outcome = outcome  # once the host's side is done with

    def __call__(self, stream: Stream) -> Outcome:
        return self._outcome if stream.copy(self._kind, *self._ends(stream), self._size) else ISSUED

    def between_fences(self, stream: Stream) -> tuple[Fence, Fence] | None:
        return stream.timed_copy(self._kind, *self._ends(stream), self._size)

    def _ends(self, stream: Stream) -> tuple[int, int]:
        """Where to, and where from."""
        memory = self._place(self._device, stream)
        return (memory, self._host) if self._kind == "host_to_device" else (self._host, memory)


class _DeviceCopy(TimedRun):
    """A copy on the device, of a context that has its memory always at one place."""

    def __init__(self, destination: BufferStorage, goal: int, source: BufferStorage, start: int, size: int):
        self._to, self._goal, self._of, self._start, self._size = destination, goal, source, start, size

    def __call__(self, stream: Stream) -> Outcome:
        stream.copy("device_to_device", self._to.memory + self._goal, self._of.memory + self._start, self._size)
        return ISSUED

    def between_fences(self, stream: Stream) -> tuple[Fence, Fence] | None:
        return stream.timed_copy("device_to_device", self._to.memory + self._goal, self._of.memory + self._start, self._size)


def enqueue_read_buffer(queue: CommandTarget, buffer: Buffer, blocking: bool, offset: int, host: Any,
                        wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueReadBuffer (5.2.2): from byte `offset` of the buffer, as many bytes as `host` has."""
    routine = "clEnqueueReadBuffer"
    check(routine, queue, buffer)
    target, size = host_memory.extent(routine, host, writable=True)
    check_range(routine, buffer, offset, size)
    check_host_access(routine, buffer, codes.MEM_HOST_WRITE_ONLY)

    run = _HostCopy("device_to_host", queue.device, buffer.place(READ, offset, size), target, size, ENDED) if size else nothing
    offload = not blocking and queue.blocks_caller("device_to_host", target, size, wait_for)
    return queue.submit(routine, codes.COMMAND_READ_BUFFER, run, wait_for, blocking=blocking, keep=None if blocking else host,
                        offload=offload, size=size)


def enqueue_write_buffer(queue: CommandTarget, buffer: Buffer, blocking: bool, offset: int, host: Any,
                         wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueWriteBuffer (5.2.2): to byte `offset` of the buffer, as many bytes as `host` has."""
    routine = "clEnqueueWriteBuffer"
    check(routine, queue, buffer)
    source, size = host_memory.extent(routine, host)
    check_range(routine, buffer, offset, size)
    check_host_access(routine, buffer, codes.MEM_HOST_READ_ONLY)

    run = _HostCopy("host_to_device", queue.device, buffer.place(OVERWRITE, offset, size), source, size, HOST_DONE) if size else nothing
    offload = not blocking and queue.blocks_caller("host_to_device", source, size, wait_for)
    return queue.submit(routine, codes.COMMAND_WRITE_BUFFER, run, wait_for, blocking=blocking, keep=None if blocking else host,
                        offload=offload, size=size)


def enqueue_copy_buffer(queue: CommandTarget, source: Buffer, destination: Buffer, source_offset: int, destination_offset: int,
                        size: int, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueCopyBuffer (5.2.2): `size` bytes, which must not overlap where both are one buffer."""
    routine = "clEnqueueCopyBuffer"
    check(routine, queue, source, destination)
    check_range(routine, source, source_offset, size)
    check_range(routine, destination, destination_offset, size)
    check_may_change(routine, destination)
    of, to = source.used_storage(), destination.used_storage()
    start, goal = source.offset + source_offset, destination.offset + destination_offset
    if of is to and start < goal + size and goal < start + size:
        raise CLError(routine, "MEM_COPY_OVERLAP", "source and destination overlap in one buffer")

    def run(stream: Stream) -> Outcome:
        copy_between(stream, queue.device, of, start, to, goal, size)
        return ISSUED

    issue: Run = nothing if not size else _DeviceCopy(to, goal, of, start, size) if queue.context.fixed_addresses else run
    return queue.submit(routine, codes.COMMAND_COPY_BUFFER, issue, wait_for, size=size)


def enqueue_fill_buffer(queue: CommandTarget, buffer: Buffer, pattern: bytes, offset: int, size: int,
                        wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueFillBuffer (5.2.3): `size` bytes from byte `offset` on, both multiples of the pattern's length, which is a power of
    two from 1 to 128."""
    routine = "clEnqueueFillBuffer"
    check(routine, queue, buffer)
    pattern = bytes(pattern)
    if len(pattern) not in PATTERN_SIZES:
        raise CLError(routine, "INVALID_VALUE", f"a pattern has 1, 2, 4, ... or 128 bytes, not {len(pattern)}")
    if offset % len(pattern) or size % len(pattern):
        raise CLError(routine, "INVALID_VALUE", f"offset {offset} and size {size} are not multiples of {len(pattern)}")
    check_range(routine, buffer, offset, size)
    check_may_change(routine, buffer)

    place = buffer.place(OVERWRITE, offset, size)

    def run(stream: Stream) -> Outcome:
        stream.fill(place(queue.device, stream), pattern, size)
        return ISSUED

    return queue.submit(routine, codes.COMMAND_FILL_BUFFER, run if size else nothing, wait_for, size=size)


def enqueue_migrate(queue: CommandTarget, objects: Sequence[MemoryObject], flags: int, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueMigrateMemObjects: to the queue's device, where commands find the contents then without a copy, or to the host, where
    mapping does; what other devices have stays valid."""
    routine = "clEnqueueMigrateMemObjects"
    if not objects:
        raise CLError(routine, "INVALID_VALUE", "no memory objects are given")
    if flags & ~(codes.MIGRATE_MEM_OBJECT_HOST | codes.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED):
        raise CLError(routine, "INVALID_VALUE", f"{flags:#x} is not a set of migration flags")
    check_memory(routine, queue, *objects)

    # CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED: "the contents of the set of memory objects are undefined after migration".
    undefined = bool(flags & codes.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)
    if flags & codes.MIGRATE_MEM_OBJECT_HOST:
        moves = [] if undefined else [each.to_host() for each in objects]
    else:
        moves = [each.place(OVERWRITE if undefined else READ) for each in objects]

    def run(stream: Stream) -> Outcome:
        for move in moves:
            move(queue.device, stream)
        return ISSUED

    return queue.submit(routine, codes.COMMAND_MIGRATE_MEM_OBJECTS, run, wait_for)


def nothing(stream: Stream) -> Outcome:
    """What a marker runs: its event's place in the order is all there is to it. So it is with "copy operations with zero sizes" (3.2),
    which are right, since no error of reads, writes, copies and fills is about them."""
    return NOTHING


def enqueue_marker(queue: CommandTarget, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueMarkerWithWaitList (5.12): an event that ends after `wait_for`, or after all that was enqueued before."""
    routine, command = "clEnqueueMarkerWithWaitList", codes.COMMAND_MARKER
    if not isinstance(queue, CommandTarget):
        raise not_a_queue(routine, queue)
    if wait_for and not queue.needs_full_submit:
        gate = queue.gate_ahead(wait_for)
        if gate is not None:
            return queue.hold(Command(routine, queue.event_type(queue, command, queue.timeline, 0), nothing, wait_for, None, ""), [gate])
    return queue.submit(routine, command, nothing, wait_for)


def enqueue_barrier(queue: CommandTarget, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueBarrierWithWaitList (5.12): a marker that later commands wait for; an in-order queue is one long row of barriers."""
    if not isinstance(queue, CommandTarget):
        raise not_a_queue("clEnqueueBarrierWithWaitList", queue)
    return queue.submit("clEnqueueBarrierWithWaitList", codes.COMMAND_BARRIER, nothing, wait_for)


# The checks that commands share, also those of the other files here.


def check(routine: str, queue: CommandTarget, *buffers: Buffer) -> None:
    """Queue and buffers are what they should be, alive, and of one context."""
    if isinstance(queue, CommandTarget):
        context = queue.context
        for each in buffers:
            if not isinstance(each, Buffer) or each._storage is None or each.context is not context or each.offset:
                break
        else:
            return
    check_memory(routine, queue, *buffers, kind=Buffer)  # says what is wrong, if anything


def check_memory(routine: str, queue: CommandTarget, *objects: Any, kind: type[MemoryObject] = MemoryObject) -> None:
    """The same for memory objects of a kind, or of all kinds."""
    if not isinstance(queue, CommandTarget):
        raise not_a_queue(routine, queue)
    for each in objects:
        if not isinstance(each, kind):
            raise CLError(routine, "INVALID_MEM_OBJECT", f"{each!r} is not a memory object that the command takes")
        if each.released:
            raise CLError(routine, "INVALID_MEM_OBJECT", "the memory object has been released")
        if each.context is not queue.context:
            raise CLError(routine, "INVALID_CONTEXT", "command-queue and memory object belong to different contexts")
        each.check_device(routine, queue.device)


def check_queue(routine: str, queue: CommandTarget) -> None:
    if not isinstance(queue, CommandTarget):
        raise not_a_queue(routine, queue)


def not_a_queue(routine: str, what: object) -> CLError:
    return CLError(routine, "INVALID_COMMAND_QUEUE", f"{what!r} is not a command-queue")


def check_range(routine: str, buffer: Buffer, offset: int, size: int) -> None:
    """CL_INVALID_VALUE "if the region [...] specified by (offset, size) is out of bounds"."""
    if offset < 0 or size < 0 or offset + size > buffer.size:
        raise CLError(routine, "INVALID_VALUE", f"bytes {offset} to {offset + size} lie outside the buffer of {buffer.size}")


def check_host_access(routine: str, memory: MemoryObject, refused: int) -> None:
    """CL_INVALID_OPERATION for a read of what the host may only write, and the other way round, or may not touch."""
    if memory.flags & (refused | codes.MEM_HOST_NO_ACCESS):
        raise CLError(routine, "INVALID_OPERATION", "the memory object's HOST_ flags do not allow this access by the host")
    if refused == codes.MEM_HOST_READ_ONLY:
        check_may_change(routine, memory)


def check_may_change(routine: str, memory: MemoryObject) -> None:
    """CL_INVALID_OPERATION for a command that writes an immutable memory object (cl_ext_immutable_memory_objects)."""
    if memory.flags & codes.MEM_IMMUTABLE_EXT:
        raise CLError(routine, "INVALID_OPERATION", "the memory object was created with CL_MEM_IMMUTABLE_EXT: no command changes it")
