"""Memory that is not OpenCL's: of other libraries in the process, and what other APIs exported (5.5.1.1, cl_khr_external_memory,
cl_khr_external_memory_opaque_fd).

A library says where its memory is by protocols that the faces read (DLPack, `__cuda_array_interface__`); here are addresses only.
What a driver can import, its device says in `properties.extra["memory_handles"]`: where it says nothing, the extensions are not
offered.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..context.context import Context
from ..devices.device import Device
from ..driver.interface import DriverError, Stream
from ..spec import codes
from ..spec.errors import CLError
from .buffer import Buffer
from .directory import Access
from .storage import BufferStorage

ROUTINE = "clCreateBufferWithProperties"


class ForeignStorage(BufferStorage):
    """Memory on the device that it belongs to, where it stays. `owner` lives until no command can use the memory any more."""

    def __init__(self, context: Context, size: int, device: Device, address: int, owner: Any = None):
        self.given, self.home, self.owner = address, device, owner
        super().__init__(context, size)
        self.device = device

    def _allocate(self, device: Device) -> int:
        return self.given

    def acquire(self, device: Device, stream: Stream, access: Access, start: int = 0, end: int | None = None) -> int:
        return self.on(device)

    def on(self, device: Device) -> int:
        if device is not self.home:
            raise CLError("clEnqueueMigrateMemObjects", "INVALID_OPERATION", f"memory that is not OpenCL's cannot leave {self.home!r}")
        return self.given

    def _free(self, device: Device, memory: int) -> None:
        self.context.retire(self.context.freeing_device(self.home), functools.partial(_let_go, self.owner))


def _let_go(owner: Any) -> None:
    """Nothing to do: what was kept for this call goes after it."""


def buffer_over(context: Context, flags: int, device: Device, address: int, size: int, owner: Any) -> Buffer:
    """A buffer whose contents are `size` bytes at an address of the device. Raises CLError: INVALID_VALUE, INVALID_BUFFER_SIZE."""
    return Buffer.over(context, flags, size, lambda: ForeignStorage(context, size, device, address, owner))


class ImportedStorage(ForeignStorage):
    """External memory on the device that imported it."""

    def __init__(self, context: Context, size: int, device: Device, handle: int):
        import_memory = device.driver_device.import_memory
        assert import_memory is not None, "`check_offered` has seen to it"
        try:
            self.imported = import_memory(handle, size)
        except DriverError as error:
            raise CLError(ROUTINE, "INVALID_PROPERTY", f"the handle {handle} cannot be imported: {error}") from error
        super().__init__(context, size, device, self.imported.address)

    def _free(self, device: Device, memory: int) -> None:
        self.context.retire(self.context.freeing_device(self.home), self.imported.close)


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
