"""Buffer objects: memory on a device, and the host memory that mapping them needs.

In a context of several devices a buffer lives on the one that used it last; the first use on another moves it there. A buffer
may have a *shadow* in host memory, which mapped regions point into: the application's own memory (USE_HOST_PTR), or memory of
the driver that the device reaches fast. Where device memory is host memory (the host device), mapping needs no shadow.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from ..context.context import Context
from ..context.stream_ordered_memory import Block
from ..devices.device import Device
from ..driver.interface import CopyKind, DriverError
from ..process import debug_mode, host_memory
from ..spec import codes
from ..spec.errors import CLError
from .memory_object import HOST_POINTER, MemoryObject, check_host_pointer, checked_flags, inherited_flags

# Commands of several threads may find contents on the wrong device.
_MOVING = threading.Lock()

# Page-locking the application's memory takes longer than small copies gain by it.
WORTH_REGISTERING = 64 << 10


class Mapping(NamedTuple):
    """A mapped region, in bytes from the start of the whole buffer. `copy` says that the host's side is a copy."""

    offset: int
    size: int
    flags: int
    copy: bool

    @property
    def writes(self) -> bool:
        return bool(self.flags & (codes.MAP_WRITE | codes.MAP_WRITE_INVALIDATE_REGION))

    def overlaps(self, other: Mapping) -> bool:
        return self.offset < other.offset + other.size and other.offset < self.offset + self.size


class Storage:
    """The memory of a buffer and of its sub-buffers: where it is now, its shadow, its mappings by host address.

    `ordered` says that only commands of queues are going to use it: it may be memory that earlier ones still use (`succession`).
    """

    def __init__(self, context: Context, size: int, *, ordered: bool = False):
        self.context = context
        self.size = size
        self.device: Device = context.devices[0]
        self.shadow = 0
        self.host: Any = None
        self.shadow_is_ours = self.shadow_is_registered = False
        self.mappings: dict[int, list[Mapping]] = {}
        self.address = (ordered and context.take_memory(size)) or self._allocate(self.device)
        debug_mode.remember(self)

    def _allocate(self, device: Device) -> int:
        allocate = device.driver_device.allocate
        self.context.reclaim()
        try:
            return allocate(self.size)
        except DriverError:
            self.context.reclaim_all()
        return allocate(self.size)

    def move_to(self, device: Device) -> int:
        """The address on the device, after moving the contents there through the host if they were elsewhere."""
        if device is not self.device:
            with _MOVING:
                if device is not self.device:
                    self._move(device)
        return self.address

    def _move(self, device: Device) -> None:
        for queue in self.context.queues(self.device):
            queue.settle()  # What is held back moves the contents again when its time comes.
        # `_staging` keeps the memory at `host`.
        _staging, host = host_memory.room(self.size)
        address = self._allocate(device)
        try:
            copy_now(self.device, "device_to_host", host, self.address, self.size)
            copy_now(device, "host_to_device", address, host, self.size)
        except DriverError:
            self._free(device, address)
            raise
        self._free(self.device, self.address)
        self.device, self.address = device, address
        self.context.reclaim()

    def host_address(self) -> int:
        """Where mapped regions are: device memory itself where the host reaches it, else the shadow, made on first use."""
        if self.shadow:
            return self.shadow
        if self.device.host_addressable and self.context.one_device:
            return self.address
        self.shadow = self.device.driver_device.allocate_host(self.size)
        self.shadow_is_ours = True
        self.shadow_device = self.device
        return self.shadow

    def share(self, host: Any, address: int) -> None:
        """Takes the application's own memory as the shadow (USE_HOST_PTR), and keeps it alive."""
        self.shadow, self.host, self.shadow_device = address, host, self.device
        if self.size >= WORTH_REGISTERING and not self.device.host_addressable:
            self.shadow_is_registered = self.device.driver_device.register_host(address, self.size)

    def _free(self, device: Device, address: int) -> None:
        """When the commands of now have ended."""
        self.context.retire(device, Block(device, address, self.size))

    def __del__(self) -> None:
        if getattr(self, "address", 0):
            self._free(self.device, self.address)
            if self.shadow:
                driver = self.shadow_device.driver_device
                give_back = driver.free_host if self.shadow_is_ours else driver.unregister_host if self.shadow_is_registered else None
                self.context.retire(self.shadow_device, functools.partial(_give_back, give_back, self.shadow, self.host))


class SharedStorage(Storage):
    """Shared virtual memory under a buffer (5.2.1): one address for the host and every device, which the application frees."""

    def __init__(self, context: Context, size: int, address: int):
        self.given = address
        super().__init__(context, size)

    def _allocate(self, device: Device) -> int:
        return self.given

    def move_to(self, device: Device) -> int:
        return self.given

    def host_address(self) -> int:
        return self.given

    def _free(self, device: Device, address: int) -> None:
        """The memory stays."""


def _give_back(give_back: Callable[[int], None] | None, shadow: int, host: Any) -> None:
    """A shadow that no command uses any more; `host`, the application's object under it, has lived until now."""
    if give_back is not None:
        give_back(shadow)


class Buffer(MemoryObject):
    """cl_mem of a buffer. `host` is any contiguous object that offers its memory; size 0 takes the host's size."""

    type = codes.MEM_OBJECT_BUFFER

    def __init__(self, context: Context, flags: int, size: int = 0, host: Any = None):
        routine = "clCreateBuffer"
        flags = checked_flags(routine, flags)
        host_address = 0
        check_host_pointer(routine, flags, host)
        if host is not None:
            host_address, host_size = host_memory.extent(routine, host)
            size = size or host_size
            if host_size < size:
                raise CLError(routine, "INVALID_HOST_PTR", f"the host memory has {host_size} bytes, the buffer {size}")
        _check_size(routine, context, size)
        self.context = context
        self.flags = flags
        self.size = size
        self.offset = 0
        self.parent: Buffer | None = None
        self.host = host if flags & codes.MEM_USE_HOST_PTR else None
        shared = context.svm.find(host_address) if self.host is not None else None
        # "[...] will succeed and return a valid non-zero buffer object as long as the size argument is no larger than the size
        # argument passed in the original clSVMAlloc call."
        if shared is not None and host_address + size > shared.end:
            raise CLError(routine, "INVALID_BUFFER_SIZE", f"{size} bytes are more than the shared allocation has there")
        self._storage: Storage | None = None
        try:
            if shared is not None:
                self._storage = SharedStorage(context, size, host_address)
            else:
                self._storage = Storage(context, size, ordered=not flags & HOST_POINTER)
                self._fill_from_host(self._storage, host_address)
        except DriverError as error:
            raise CLError(routine, error.status, str(error)) from error

    @classmethod
    def over(cls, context: Context, flags: int, size: int, make: Callable[[], Storage],
             properties: tuple[tuple[int, Any], ...] = ()) -> Buffer:
        """A buffer over memory that `make` brings, once flags and size are checked (clCreateBufferWithProperties)."""
        routine = "clCreateBufferWithProperties"
        flags = checked_flags(routine, flags)
        _check_size(routine, context, size)
        buffer = object.__new__(cls)
        buffer.context, buffer.flags, buffer.size, buffer.offset = context, flags, size, 0
        buffer.parent = buffer.host = None
        buffer.properties = properties
        buffer._storage = make()
        return buffer

    def _fill_from_host(self, storage: Storage, host_address: int) -> None:
        if host_address:
            copy_now(storage.device, "host_to_device", storage.address, host_address, self.size)
        if self.host is not None:
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
        align = min(device.properties.base_address_align for device in self.context.devices)
        # "CL_MISALIGNED_SUB_BUFFER_OFFSET if there are no devices in context associated with buffer for which the origin field
        # [...] is aligned to the CL_DEVICE_MEM_BASE_ADDR_ALIGN value"
        if origin % align:
            raise CLError(routine, "MISALIGNED_SUB_BUFFER_OFFSET", f"the origin {origin} is not a multiple of {align} bytes")
        sub = object.__new__(type(self))
        sub.context = self.context
        sub.flags = inherited_flags(routine, "sub-buffer", self.flags, flags)
        sub.size = size
        sub.offset = origin
        sub.parent = self
        sub.host = self.host
        sub.live_in(self)
        sub._storage = self.storage
        return sub

    @property
    def storage(self) -> Storage:
        """The memory; CLError INVALID_MEM_OBJECT after `release`."""
        if self._storage is None:
            raise CLError("clRetainMemObject", "INVALID_MEM_OBJECT", "the buffer has been released")
        return self._storage

    @property
    def address(self) -> int:
        """The address on the device that has the contents now."""
        return self.storage.address + self.offset

    def address_on(self, device: Device) -> int:
        """The address on this device; moves the contents there if another had them."""
        return self.storage.move_to(device) + self.offset

    def place(self, offset: int = 0) -> Callable[[Device], int]:
        """What gives the address of a byte on a device, also when the buffer object has been released by then."""
        storage, start = self.storage, self.offset + offset
        return lambda device: storage.move_to(device) + start

    @property
    def uses_svm(self) -> bool:  # type: ignore[override]
        return isinstance(self.storage, SharedStorage)

    def check_device(self, routine: str, device: Device) -> None:
        align = device.properties.base_address_align
        if self.offset % align:
            raise CLError(routine, "MISALIGNED_SUB_BUFFER_OFFSET",
                          f"the sub-buffer's origin {self.offset} is not a multiple of the device's {align} bytes")

    @property
    def mappings(self) -> dict[int, list[Mapping]]:
        return self.storage.mappings

    @property
    def released(self) -> bool:
        return self._storage is None

    def write_back(self, mapping: Mapping, address: int) -> Callable[[Any, Device], bool]:
        storage = self.storage

        def run(stream: Any, device: Device) -> bool:
            if not (mapping.copy and mapping.writes):
                return True
            return stream.copy("host_to_device", storage.move_to(device) + mapping.offset, address, mapping.size)

        return run

    def release(self) -> None:
        """clReleaseMemObject: the memory goes once sub-buffers are released and commands that use it have ended."""
        self.end_life()
        self._storage = self.parent = None
        self.context.reclaim()


def copy_now(device: Device, kind: CopyKind, destination: int, source: int, size: int) -> None:
    """A copy outside every queue that has ended on return."""
    device.service_stream.copy(kind, destination, source, size)
    device.service_stream.synchronize()


def _check_size(routine: str, context: Context, size: int) -> None:
    """CL_INVALID_BUFFER_SIZE "if size is 0 or if size is greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE for all devices"."""
    limit = context.max_allocation
    if size <= 0:
        raise CLError(routine, "INVALID_BUFFER_SIZE", "the size is 0")
    if size > limit:
        raise CLError(routine, "INVALID_BUFFER_SIZE", f"{size} bytes exceed CL_DEVICE_MAX_MEM_ALLOC_SIZE, {limit}")
