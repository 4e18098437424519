"""Memory that another API made and exported (5.5.1.1, cl_khr_external_memory, cl_khr_external_memory_opaque_fd).

A buffer over it is made by `imported_buffer`; commands hand it over and back. What a driver can import, its device says in
`properties.extra["memory_handles"]`: where it says nothing, the extensions are not offered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..context.context import Context
from ..devices.device import Device
from ..driver.interface import DriverError
from ..memory.buffer import Buffer
from ..queue.event import Event
from ..queue.queue import CommandQueue
from ..spec import codes
from ..spec.errors import CLError
from .foreign import ForeignStorage

ROUTINE = "clCreateBufferWithProperties"


class ImportedStorage(ForeignStorage):
    """External memory on the device that imported it."""

    def __init__(self, context: Context, size: int, device: Device, handle: int):
        try:
            self.imported = device.driver_device.import_memory(handle, size)  # type: ignore[attr-defined]
        except DriverError as error:
            raise CLError(ROUTINE, "INVALID_PROPERTY", f"the handle {handle} cannot be imported: {error}") from error
        super().__init__(context, size, device, self.imported.address)

    def _free(self, device: Device, address: int) -> None:
        self.context.retire(self.home, self.imported.close)


def check_offered(routine: str, what: str, devices: Sequence[Device], status: str) -> None:
    for device in devices:
        if "opaque_fd" not in device.properties.extra.get(what, ()):
            raise CLError(routine, status, f"{device!r} imports no file descriptors")


def imported_buffer(context: Context, properties: Sequence[tuple[int, Any]], flags: int, size: int) -> Buffer:
    """clCreateBufferWithProperties with an external memory handle. The file descriptor belongs to the runtime afterwards."""
    values = dict(properties)
    handle = values.pop(codes.EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, None)
    devices = values.pop(codes.MEM_DEVICE_HANDLE_LIST_KHR, None)
    # "CL_INVALID_PROPERTY if a property name in properties is not a supported property name, if the value specified for a
    # supported property name is not valid, or if the same property name is specified more than once"
    if values or len(properties) != (handle is not None) + (devices is not None):
        raise CLError(ROUTINE, "INVALID_PROPERTY", "an unknown property is given, or one twice")
    if handle is None:
        raise CLError(ROUTINE, "INVALID_PROPERTY", "the device list goes with an external memory handle only")
    chosen = tuple(context.devices if devices is None else devices)
    # "CL_INVALID_DEVICE if a device identified by the property CL_MEM_DEVICE_HANDLE_LIST_KHR is not a valid device or is not
    # associated with context", or if there are several
    if len(chosen) != 1 or chosen[0] not in context.devices:
        raise CLError(ROUTINE, "INVALID_DEVICE", "external memory is of one device of the context: CL_MEM_DEVICE_HANDLE_LIST_KHR")
    check_offered(ROUTINE, "memory_handles", chosen, "INVALID_PROPERTY")
    # "[...] must not include CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, or CL_MEM_COPY_HOST_PTR"
    if flags & (codes.MEM_USE_HOST_PTR | codes.MEM_ALLOC_HOST_PTR | codes.MEM_COPY_HOST_PTR):
        raise CLError(ROUTINE, "INVALID_VALUE", "external memory takes no host memory")
    return Buffer.over(context, flags, size, lambda: ImportedStorage(context, size, chosen[0], handle), tuple(properties))


def enqueue_acquire_external_mem_objects(queue: CommandQueue, mem_objects: Sequence[Buffer] | None,
                                         wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueAcquireExternalMemObjectsKHR: what others wrote before what this command waits for is seen after it."""
    return _hand_over("clEnqueueAcquireExternalMemObjectsKHR", codes.COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, queue,
                      mem_objects, wait_for)


def enqueue_release_external_mem_objects(queue: CommandQueue, mem_objects: Sequence[Buffer] | None,
                                         wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueReleaseExternalMemObjectsKHR: what was written before it is seen by others that wait for its event."""
    return _hand_over("clEnqueueReleaseExternalMemObjectsKHR", codes.COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, queue,
                      mem_objects, wait_for)


def _hand_over(routine: str, kind: int, queue: CommandQueue, mem_objects: Sequence[Buffer] | None,
               wait_for: Sequence[Event]) -> Event:
    """Memory of one device needs no work: the command's place in the order is all, as CUDA's caches are coherent between
    commands."""
    if not isinstance(queue, CommandQueue):
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
    return queue.submit(routine, kind, lambda stream: None, wait_for)
