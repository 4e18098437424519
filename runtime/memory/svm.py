"""Shared virtual memory (5.6): allocations that the host and the devices of a context know by one address.

An address is a plain integer. What a context remembers of its allocations is `context/shared_memory.py`'s, the commands on shared
memory are `commands/svm.py`'s; which kind of memory it is, the driver knows.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from ..context.context import Context
from ..context.shared_memory import Allocation, SharedMemory
from ..driver.reported import reported
from ..native import library as native
from ..process import collecting
from ..spec import codes
from ..spec.errors import CLError

ROUTINE = "clSVMAlloc"
# The size of long16, "the largest data type supported by the OpenCL device" in the full profile.
MAX_ALIGNMENT = 128

_ACCESS = codes.MEM_READ_WRITE | codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY
_FLAGS = _ACCESS | codes.MEM_SVM_FINE_GRAIN_BUFFER | codes.MEM_SVM_ATOMICS


@native.know_slots
@dataclass(frozen=True, slots=True)
class Pointer:
    """An address as a value: what tells it from other integers where a kernel's argument is set."""

    address: int


native.know("pointer", Pointer)


def capabilities(context: Context) -> int:
    """What every device of the context can do with shared memory, of those that can do anything."""
    offered = [device.properties.shared_memory for device in context.devices if device.properties.shared_memory]
    common = offered[0] if offered else 0
    for one in offered:
        common &= one
    return common


def svm_alloc(context: Context, flags: int, size: int, alignment: int = 0) -> int:
    """clSVMAlloc (5.6.1): the address of `size` bytes, aligned to `alignment` (0: to the largest type). The C function says every failure
    with NULL; here it is a CLError that gives the reason."""
    _check_flags(context, flags)
    # "size is 0 or > CL_DEVICE_MAX_MEM_ALLOC_SIZE value for any device in context"
    limit = min(device.properties.max_allocation for device in context.devices)
    if not 0 < size <= limit:
        raise CLError(ROUTINE, "INVALID_BUFFER_SIZE", f"the size {size} is not between 1 and {limit}")
    # "alignment is not a power of two or the OpenCL implementation cannot support the specified alignment"
    if alignment < 0 or alignment & (alignment - 1) or alignment > MAX_ALIGNMENT:
        raise CLError(ROUTINE, "INVALID_VALUE", f"the alignment {alignment} is not 0 or a power of two up to {MAX_ALIGNMENT}")
    allocation = _allocate(context, flags if flags & _ACCESS else flags | codes.MEM_READ_WRITE, size)
    context.svm.add(allocation)
    return allocation.address


def _allocate(context: Context, flags: int, size: int) -> Allocation:
    """An allocation by the device that is least able to reach other devices' memory: a GPU, if the context has one."""
    able = [device for device in context.devices if device.properties.shared_memory]
    device = next((one for one in able if not one.host_addressable), able[0])
    with reported(ROUTINE):
        address = context.allocate(device.driver_device.allocate_shared, size)
    return Allocation(address, size, flags, device)


def _check_flags(context: Context, flags: int) -> None:
    common = capabilities(context)
    if not common:
        raise CLError(ROUTINE, "INVALID_OPERATION", "no device of the context supports shared virtual memory")
    if flags & ~_FLAGS:
        raise CLError(ROUTINE, "INVALID_VALUE", f"{flags & ~_FLAGS:#x} is not a memory flag for shared virtual memory")
    access = flags & _ACCESS
    if access & (access - 1):
        raise CLError(ROUTINE, "INVALID_VALUE", "READ_WRITE, READ_ONLY and WRITE_ONLY exclude each other")
    # "flags does not contain CL_MEM_SVM_FINE_GRAIN_BUFFER but does contain CL_MEM_SVM_ATOMICS"
    if flags & codes.MEM_SVM_ATOMICS and not flags & codes.MEM_SVM_FINE_GRAIN_BUFFER:
        raise CLError(ROUTINE, "INVALID_VALUE", "SVM_ATOMICS goes with SVM_FINE_GRAIN_BUFFER only")
    # "CL_MEM_SVM_FINE_GRAIN_BUFFER or CL_MEM_SVM_ATOMICS is specified in flags and these are not supported by at least one
    # device in context"
    for flag, capability, what in (
        (codes.MEM_SVM_FINE_GRAIN_BUFFER, codes.DEVICE_SVM_FINE_GRAIN_BUFFER, "fine-grained buffers"),
        (codes.MEM_SVM_ATOMICS, codes.DEVICE_SVM_ATOMICS, "atomics in shared virtual memory"),
    ):
        if flags & flag and not common & capability:
            raise CLError(ROUTINE, "INVALID_OPERATION", f"a device of the context does not support {what}")


def svm_free(context: Context, address: int) -> None:
    """clSVMFree. Commands of now that use the memory end first, though the specification asks nobody to wait for them. A destructor that
    Python's search for garbage calls only makes a note, since its thread may hold any lock."""
    # "If a NULL pointer is passed in svm_pointer, no action occurs." Any other must be clSVMAlloc's.
    if collecting.is_under_way_here():
        if context.svm.starts_at(address):
            context.retire(None, functools.partial(_free_noted, context.svm, address))
        return
    allocation = context.svm.remove(address)
    if allocation is not None:
        driver = allocation.device.driver_device
        context.retire(context.freeing_device(allocation.device), lambda: driver.free_shared(allocation.address))
        context.reclaim()


def _free_noted(shared: SharedMemory, address: int) -> None:
    """No command uses it any more."""
    allocation = shared.remove(address)
    if allocation is not None:
        allocation.device.driver_device.free_shared(address)
