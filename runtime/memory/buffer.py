"""Buffer objects (5.2): creation of all kinds. Their memory is `storage`'s."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, TypeVar

from ..context.context import Context
from ..context.queues import Queue
from ..context.snapshots import LITTLE, Snapshot
from ..devices.device import Device
from ..driver.interface import DriverError, Stream
from ..driver.reported import cl_error
from ..native import library as native
from ..process import host_memory
from ..queue.command import HOST_DONE, ISSUED, Outcome
from ..spec import codes
from ..spec.errors import CLError
from . import late
from .directory import OVERWRITE, Access
from .mapping import Mapping
from .memory_object import HOST_POINTER, MemoryObject, check_host_pointer, checked_flags, inherited_flags
from .replicated import buffer_storage
from .storage import BufferStorage, LentStorage, SharedStorage, write_in_order

# First contents of so many bytes leave the application's memory at once, whatever a queue has to do before: CUDA stages them.
FILLED_IN_ORDER = LITTLE

AnyBuffer = TypeVar("AnyBuffer", bound="Buffer")


@native.know_slots
class Buffer(MemoryObject):
    """cl_mem of a buffer. `host` is any contiguous object that offers its memory; size 0 takes the host's size.

    first           what the memory is to contain from its first use on, if anything
    known_address   code in C's: missing until the buffer has been an argument, None once it is released

    Code in C makes plain buffers of `context`, `flags` and `size`, and releases them (runtime/native/objects.c).
    """

    __slots__ = ("context", "flags", "known_address", "size")  # where code in C finds them soonest
    type = codes.MEM_OBJECT_BUFFER
    host: Any = None
    parent: Buffer | None = None
    offset = 0
    first: bytes | Snapshot = b""
    known_address: object
    _storage = late.storage_from_first_use()

    def __init__(self, context: Context, flags: int, size: int = 0, host: Any = None,
                 make_storage: Callable[[Context, int], BufferStorage] | None = None):
        """`make_storage` says what memory it is; without it, memory as it comes."""
        routine = "clCreateBuffer"
        flags = checked_flags(routine, flags)
        host_address = 0
        if host is not None or flags & HOST_POINTER:
            check_host_pointer(routine, flags, host)
        if host is not None:
            host_address, host_size = host_memory.extent(routine, host)
            size = size or host_size
            if host_size < size:
                raise CLError(routine, "INVALID_HOST_PTR", f"the host memory has {host_size} bytes, the buffer {size}")
        if not 0 < size <= context.max_allocation:
            _check_size(routine, context, size)
        self.context = context
        self.flags = flags
        self.size = size
        if context.one_device and not context.largest_bare:
            context.largest_bare = min(late.LARGEST, context.max_allocation)
        if make_storage is None and not flags & (HOST_POINTER & ~codes.MEM_ALLOC_HOST_PTR) and context.one_device and size <= late.LARGEST:
            context.reclaim_much()
            return
        if flags & codes.MEM_USE_HOST_PTR:
            self.host = host
        try:
            if make_storage is None and not flags & HOST_POINTER:
                self._storage = buffer_storage(context, size, ordered=True)
            elif make_storage is None and flags & HOST_POINTER == codes.MEM_COPY_HOST_PTR:
                self._begin_with(host_address)
            else:
                self._storage = self._storage_on_host(routine, host_address, make_storage)
        except DriverError as error:
            raise cl_error(routine, error) from error

    def _begin_with(self, host_address: int) -> None:
        """Takes the first contents from the host: at once where they can go to the device in order, or are many, else for the first use."""
        context, size = self.context, self.size
        queue = context.only_queue() if context.one_device and size <= FILLED_IN_ORDER else None
        if context.one_device and queue is None and size <= late.LARGEST:
            first = context.snapshots.copy_of(host_address, size)
            if first is not None:
                self.first = first
                return
        storage = buffer_storage(context, size, ordered=queue is not None)
        self._fill_from_host(storage, host_address, queue)
        self._storage = storage

    def _storage_on_host(self, routine: str, host_address: int,
                         make_storage: Callable[[Context, int], BufferStorage] | None) -> BufferStorage:
        """Memory that the host reaches."""
        context, size = self.context, self.size
        shared = context.svm.find(host_address) if self.host is not None else None
        if shared is not None:
            # "[...] will succeed and return a valid non-zero buffer object as long as the size argument is no larger than the size
            # argument passed in the original clSVMAlloc call."
            if host_address + size > shared.end:
                raise CLError(routine, "INVALID_BUFFER_SIZE", f"{size} bytes are more than the shared allocation has there")
            return SharedStorage(context, size, host_address)
        if self.host is not None and make_storage is None and context.one_device:
            # "OpenCL implementations are allowed to cache the buffer contents": programs that see a processor count on it that none does.
            device = context.devices[0]
            if device.host_addressable and not host_address % device.properties.base_address_align and not memoryview(self.host).readonly:
                return LentStorage(context, size, host_address, self.host)
        if make_storage is not None:
            storage, queue = make_storage(context, size), None
        else:
            queue = context.only_queue() if host_address and context.one_device and size <= FILLED_IN_ORDER else None
            storage = buffer_storage(context, size, ordered=queue is not None)
        self._fill_from_host(storage, host_address, queue)
        return storage

    @classmethod
    def over(cls, context: Context, flags: int, size: int, make: Callable[[], BufferStorage],
             properties: tuple[tuple[int, Any], ...] = ()) -> Buffer:
        """A buffer over memory that `make` brings, once flags and size are checked (clCreateBufferWithProperties)."""
        routine = "clCreateBufferWithProperties"
        flags = checked_flags(routine, flags, has_contents=True)
        _check_size(routine, context, size)
        return _class_for(flags)._of(context, flags, size, make(), properties=properties)

    @classmethod
    def over_storage(cls: builtins.type[AnyBuffer], context: Context, flags: int, size: int, storage: BufferStorage,
                     offset: int = 0) -> AnyBuffer:
        """A buffer over memory of another API, from an offset on; flags and size are checked already."""
        return cls._of(context, flags, size, storage, offset=offset)

    @classmethod
    def _of(cls: builtins.type[AnyBuffer], context: Context, flags: int, size: int, storage: BufferStorage, *, offset: int = 0,
            parent: Buffer | None = None, properties: tuple[tuple[int, Any], ...] = ()) -> AnyBuffer:
        """A buffer over memory that there is already: nothing is checked or allocated any more."""
        buffer = cls.__new__(cls)
        buffer.context, buffer.flags, buffer.size, buffer.offset = context, flags, size, offset
        buffer.parent, buffer.host = parent, parent.host if parent is not None else None
        buffer.properties = properties
        buffer._storage = storage
        return buffer

    def _fill_from_host(self, storage: BufferStorage, host_address: int, queue: Queue | None) -> None:
        # What is page-locked from now on goes to the device sooner, but has been read only when the queue has come to that.
        is_shared = self.host is not None and self.context.one_device and (queue is None or queue.idle)
        if is_shared:
            storage.share(self.host, host_address)
        if queue is not None:
            write_in_order(self.context, queue, lambda stream: stream.copy("host_to_device", storage.memory, host_address, self.size))
        elif host_address:
            storage.begin(lambda stream, memory: stream.copy("host_to_device", memory, host_address, self.size))
        if self.host is not None and not is_shared:
            storage.share(self.host, host_address)
        elif self.flags & codes.MEM_ALLOC_HOST_PTR:
            storage.host_address()

    def sub_buffer(self, flags: int, origin: int, size: int) -> Buffer:
        """clCreateSubBuffer with CL_BUFFER_CREATE_TYPE_REGION."""
        routine = "clCreateSubBuffer"
        if self.parent is not None:
            raise CLError(routine, "INVALID_MEM_OBJECT", "a sub-buffer of a sub-buffer cannot be created")
        if size == 0:
            raise CLError(routine, "INVALID_BUFFER_SIZE", "the size is 0")
        if origin < 0 or size < 0 or origin + size > self.size:
            raise CLError(routine, "INVALID_VALUE", f"bytes {origin} to {origin + size} lie outside the buffer of {self.size}")
        align = self.context.least_address_align
        # "CL_MISALIGNED_SUB_BUFFER_OFFSET if there are no devices in context associated with buffer for which the origin field
        # [...] is aligned to the CL_DEVICE_MEM_BASE_ADDR_ALIGN value"
        if origin % align:
            raise CLError(routine, "MISALIGNED_SUB_BUFFER_OFFSET", f"the origin {origin} is not a multiple of {align} bytes")
        flags = inherited_flags(routine, "sub-buffer", self.flags, flags)
        sub = self._of(self.context, flags, size, self.storage, offset=origin, parent=self)
        sub.live_in(self)
        return sub

    @property
    def storage(self) -> BufferStorage:
        """The memory; CLError INVALID_MEM_OBJECT after `release`."""
        if self._storage is None:
            raise CLError("clRetainMemObject", "INVALID_MEM_OBJECT", "the buffer has been released")
        return self._storage

    def used_storage(self) -> BufferStorage:
        """The storage for a command, which has its memory from here on: not from when the command is given to a driver, perhaps by another
        thread, or into a graph."""
        storage = self._storage if self._storage is not None else self.storage
        if not storage.has_memory:
            storage.have_memory()
        return storage

    @property
    def address(self) -> int:
        """The address on the device that has the contents now."""
        return self.storage.memory + self.offset

    @property
    def device_addresses(self) -> tuple[int, ...]:  # type: ignore[override]
        fixed = dict(self.properties).get(codes.MEM_DEVICE_PRIVATE_ADDRESS_EXT)
        return (self.address,) * len(self.context.devices) if fixed else ()

    def address_on(self, device: Device) -> int:
        """The address on this device, with the contents that all commands given so far leave, for others than commands."""
        return self.storage.on(device) + self.offset

    def place(self, access: Access, offset: int = 0, size: int | None = None) -> Callable[[Device, Stream], int]:
        """What gives the address of a byte on a device, to a command that does this with the bytes from there on; also when the
        buffer object has been released by then."""
        storage = self.used_storage()
        start = self.offset + offset
        if self.context.fixed_addresses:
            return lambda device, stream: storage.memory + start
        end = start + (self.size - offset if size is None else size)
        return lambda device, stream: storage.acquire(device, stream, access, start, end) + start

    def to_host(self) -> Callable[[Device, Stream], object]:
        storage, start, end = self.used_storage(), self.offset, self.offset + self.size
        return lambda device, stream: storage.bring_to_host(device, stream, start, end)

    def nearest(self, offset: int, size: int) -> Callable[[Device, Stream], tuple[Device, int]]:
        """What gives a device that has the bytes from an offset on, and the first one's address there, to a command that reads them: its
        own device, or one that peer copies reach."""
        storage, start = self.used_storage(), self.offset + offset

        def find(device: Device, stream: Stream) -> tuple[Device, int]:
            place, memory = storage.nearest(device, stream, start, start + size)
            return place, memory + start

        return find

    @property
    def uses_svm(self) -> bool:  # type: ignore[override]
        return isinstance(self.storage, SharedStorage)

    def check_device(self, routine: str, device: Device) -> None:
        align = device.properties.base_address_align
        if self.offset % align:
            raise CLError(routine, "MISALIGNED_SUB_BUFFER_OFFSET",
                          f"the sub-buffer's origin {self.offset} is not a multiple of the device's {align} bytes")

    @property
    def mappings(self) -> dict[Any, list[Any]]:
        return self.storage.mappings

    @property
    def released(self) -> bool:
        return self._storage is None

    def write_back(self, mapping: Mapping, address: int) -> Callable[[Stream, Device], Outcome]:
        storage = self.storage

        def run(stream: Stream, device: Device) -> Outcome:
            if not (mapping.copy and mapping.writes):
                return HOST_DONE
            start, end = mapping.offset, mapping.offset + mapping.size
            memory = storage.acquire(device, stream, OVERWRITE, start, end)
            return HOST_DONE if stream.copy("host_to_device", memory + start, address, mapping.size) else ISSUED

        return run

    def release(self) -> None:
        """clReleaseMemObject: the memory goes once sub-buffers are released and commands that use it have ended."""
        if self._life is not None or self._parents_life is not None:
            self.end_life()
        self._storage = self.parent = self.known_address = None
        self.first = b""
        self.context.reclaim_much()


class ImmutableBuffer(Buffer):
    """A buffer that no command changes (CL_MEM_IMMUTABLE_EXT), and kernels are given as constant only. It has a class of its own since
    quick ways to commands and arguments take buffers of the other class alone."""


def _class_for(flags: int) -> builtins.type[Buffer]:
    return ImmutableBuffer if flags & codes.MEM_IMMUTABLE_EXT else Buffer


def create_buffer(context: Context, flags: int, size: int = 0, host: Any = None,
                  make_storage: Callable[[Context, int], BufferStorage] | None = None) -> Buffer:
    """clCreateBuffer (5.2.1), with the arguments of `Buffer`."""
    return _class_for(flags)(context, flags, size, host, make_storage)


def _check_size(routine: str, context: Context, size: int) -> None:
    """CL_INVALID_BUFFER_SIZE "if size is 0 or if size is greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE for all devices"."""
    limit = context.max_allocation
    if size <= 0:
        raise CLError(routine, "INVALID_BUFFER_SIZE", "the size is 0")
    if size > limit:
        raise CLError(routine, "INVALID_BUFFER_SIZE", f"{size} bytes exceed CL_DEVICE_MAX_MEM_ALLOC_SIZE, {limit}")


native.know("buffer", Buffer)
