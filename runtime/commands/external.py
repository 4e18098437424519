"""Handing over memory that another API made and exported (5.5.1.1, cl_khr_external_memory): `memory/foreign.py` has the memory."""

from __future__ import annotations

from collections.abc import Sequence

from ..memory.buffer import Buffer
from ..memory.foreign import ImportedStorage
from ..queue.event import Event
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError
from .buffer import nothing


def enqueue_acquire_external_mem_objects(queue: CommandTarget, mem_objects: Sequence[Buffer] | None,
                                         wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueAcquireExternalMemObjectsKHR: what others wrote before what this command waits for is seen after it."""
    return _hand_over("clEnqueueAcquireExternalMemObjectsKHR", codes.COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, queue,
                      mem_objects, wait_for)


def enqueue_release_external_mem_objects(queue: CommandTarget, mem_objects: Sequence[Buffer] | None,
                                         wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueReleaseExternalMemObjectsKHR: what was written before it is seen by others that wait for its event."""
    return _hand_over("clEnqueueReleaseExternalMemObjectsKHR", codes.COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, queue,
                      mem_objects, wait_for)


def _hand_over(routine: str, kind: int, queue: CommandTarget, mem_objects: Sequence[Buffer] | None,
               wait_for: Sequence[Event]) -> Event:
    """Memory of one device needs no work: the command's place in the order is all, as CUDA's caches are coherent between
    commands."""
    if not isinstance(queue, CommandTarget):
        raise CLError(routine, "INVALID_COMMAND_QUEUE", f"{queue!r} is not a command-queue")
    if mem_objects is not None and not len(mem_objects):
        raise CLError(routine, "INVALID_VALUE", "the list of memory objects is empty")
    for one in mem_objects or ():
        if not isinstance(one, Buffer) or not isinstance(one._storage, ImportedStorage):
            raise CLError(routine, "INVALID_MEM_OBJECT", f"{one!r} was not created from an external memory handle")
        if one.context is not queue.context or queue.device is not one._storage.home:
            raise CLError(routine, "INVALID_COMMAND_QUEUE", "the memory is not of the command-queue's device and context")
    if any(isinstance(event, Event) and event.status < 0 for event in wait_for):
        raise CLError(routine, "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "an event of the wait list was terminated")
    return queue.submit(routine, kind, nothing, wait_for)
