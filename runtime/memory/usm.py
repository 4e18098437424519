"""Unified shared memory (cl_intel_unified_shared_memory): allocations of the host, of a device, and shared between both, which
programs have by address.

They are CUDA's own kinds of memory: page-locked memory of the host, memory of the device, managed memory. An address is a plain
integer. What a context remembers of its allocations is `context/shared_memory.py`'s, the commands are `commands/usm.py`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..context.context import Context
from ..context.shared_memory import UsmAllocation
from ..devices import usm_capabilities
from ..devices.device import Device
from ..driver.reported import reported
from ..process.workers import on_worker
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from .svm import MAX_ALIGNMENT

Properties = Sequence[tuple[int, int]]

_PLACEMENTS = codes.MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | codes.MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL
_FLAGS = codes.MEM_ALLOC_WRITE_COMBINED_INTEL | _PLACEMENTS


# -- allocating --------------------------------------------------------------------------------------------------------


def host_mem_alloc(context: Context, properties: Properties, size: int, alignment: int = 0) -> int:
    """clHostMemAllocINTEL: the address of `size` bytes of the host, which every device of the context reaches."""
    routine = "clHostMemAllocINTEL"
    flags = _checked(routine, properties, size, alignment, context.devices, _PLACEMENTS)
    return _made(context, routine, codes.MEM_TYPE_HOST_INTEL, size, flags, None, maker_of(context.devices))


def device_mem_alloc(context: Context, device: Device, properties: Properties, size: int, alignment: int = 0) -> int:
    """clDeviceMemAllocINTEL: the address of `size` bytes of the device."""
    routine = "clDeviceMemAllocINTEL"
    _check_device(routine, context, device)
    flags = _checked(routine, properties, size, alignment, (device,), _PLACEMENTS)
    return _made(context, routine, codes.MEM_TYPE_DEVICE_INTEL, size, flags, device, device)


def shared_mem_alloc(context: Context, device: Device | None, properties: Properties, size: int, alignment: int = 0) -> int:
    """clSharedMemAllocINTEL: the address of `size` bytes that are where they are used, at the host or at a device. Without a device,
    of any of the context."""
    routine = "clSharedMemAllocINTEL"
    if device is not None:
        _check_device(routine, context, device)
    able = [one for one in ((device,) if device else context.devices) if usm_capabilities.shared(one.properties)]
    # "CL_INVALID_OPERATION if device is not NULL and CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL and [...] are both zero,
    # [...] or if device is NULL and no devices in context support shared Unified Shared Memory allocations"
    if not able:
        raise CLError(routine, "INVALID_OPERATION", "no device here supports shared allocations")
    flags = _checked(routine, properties, size, alignment, able, 0)
    return _made(context, routine, codes.MEM_TYPE_SHARED_INTEL, size, flags, device, maker_of(able))


def maker_of(devices: Sequence[Device]) -> Device:
    """The device that is least able to reach other devices' memory, of those that share any: a GPU, if there is one."""
    able = [one for one in devices if one.properties.shared_memory]
    return next((one for one in able if not one.host_addressable), able[0])


def _check_device(routine: str, context: Context, device: Device) -> None:
    if device not in context.devices:
        raise CLError(routine, "INVALID_DEVICE", f"{device!r} is not a device of the context")


def _checked(routine: str, properties: Properties, size: int, alignment: int, devices: Sequence[Device], refused: int) -> int:
    """The flags, once all is checked."""
    # "CL_INVALID_OPERATION if CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL is zero for all devices in context", or for a device's own memory
    if not any(usm_capabilities.device(device.properties) for device in devices):
        raise CLError(routine, "INVALID_OPERATION", "no device here has allocations that are known by address")
    # "CL_INVALID_VALUE if alignment is not zero or a power of two", or "greater than the size of the largest data type supported"
    if alignment < 0 or alignment & (alignment - 1) or alignment > MAX_ALIGNMENT:
        raise CLError(routine, "INVALID_VALUE", f"the alignment {alignment} is not 0 or a power of two up to {MAX_ALIGNMENT}")
    # "CL_INVALID_PROPERTY if a memory property name in properties is not a supported property name, if the value specified for a
    # supported property name is not valid, or if the same property name is specified more than once"
    if any(name != codes.MEM_ALLOC_FLAGS_INTEL for name, _ in properties) or len(properties) > 1:
        raise CLError(routine, "INVALID_PROPERTY", "the one property, CL_MEM_ALLOC_FLAGS_INTEL, may be given once")
    flags = properties[0][1] if properties else 0
    # "CL_INVALID_PROPERTY if either the CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL or CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL
    # flags are specified", but in shared allocations, where they exclude each other
    if flags & ~_FLAGS or flags & refused or flags & _PLACEMENTS == _PLACEMENTS:
        raise CLError(routine, "INVALID_PROPERTY", f"{flags:#x} is no set of allocation flags that goes here")
    # "CL_INVALID_BUFFER_SIZE if size is zero or greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE"
    limit = min(device.properties.max_allocation for device in devices)
    if not 0 < size <= limit:
        raise CLError(routine, "INVALID_BUFFER_SIZE", f"the size {size} is not between 1 and {limit}")
    return flags


def _made(context: Context, routine: str, type: int, size: int, flags: int, device: Device | None, maker: Device) -> int:
    driver = maker.driver_device
    allocate = {codes.MEM_TYPE_HOST_INTEL: driver.allocate_host, codes.MEM_TYPE_DEVICE_INTEL: driver.allocate,
                codes.MEM_TYPE_SHARED_INTEL: driver.allocate_shared}[type]  # fmt: skip
    with reported(routine):
        address = context.allocate(allocate, size)
    context.usm.add(UsmAllocation(address, size, type, flags, device, maker))
    return address


# -- giving back -------------------------------------------------------------------------------------------------------


def mem_free(context: Context, address: int) -> None:
    """clMemFreeINTEL. Commands of now that use the memory end first, though the extension asks nobody to wait for them."""
    _free("clMemFreeINTEL", context, address)


def mem_blocking_free(context: Context, address: int) -> None:
    """clMemBlockingFreeINTEL: waits "for previously enqueued commands to finish that may be using ptr before freeing ptr"."""
    routine = "clMemBlockingFreeINTEL"
    if on_worker():
        return free_within_a_call(context, address)
    _check_start(routine, context, address)
    for queue in context.queues():
        queue.finish()
    _free(routine, context, address)


def free_within_a_call(context: Context, address: int) -> None:
    """clMemFreeINTEL and clMemBlockingFreeINTEL of a destructor that Python's search for garbage calls, which may be anywhere: within a
    command that is on its way to its queue, on a thread that runs commands, and with any lock held. So it waits for nothing and makes
    a note, which the next `reclaim` acts on when the commands of then have ended."""
    if address and not context.usm.starts_at(address):
        raise _unknown("clMemBlockingFreeINTEL", address)
    if address:
        _retire(context, list(context.devices), lambda: _release(context, address))


def _check_start(routine: str, context: Context, address: int) -> None:
    found = context.usm.find(address)
    if address and (found is None or found.address != address):
        raise _unknown(routine, address)


def _unknown(routine: str, address: int) -> CLError:
    return CLError(routine, "INVALID_VALUE", f"{address:#x} is no address that a function of unified shared memory gave")


def _free(routine: str, context: Context, address: int) -> None:
    _check_start(routine, context, address)
    allocation = context.usm.remove(address)
    if allocation is None:  # "If ptr is NULL then no action occurs."
        return
    _retire(context, list(context.devices), lambda: _give_back(allocation))
    context.reclaim()


def _release(context: Context, address: int) -> None:
    allocation = context.usm.remove(address)
    if allocation is not None:
        _give_back(allocation)


def _give_back(allocation: UsmAllocation) -> None:
    driver = allocation.maker.driver_device
    release = {codes.MEM_TYPE_HOST_INTEL: driver.free_host, codes.MEM_TYPE_DEVICE_INTEL: driver.free,
               codes.MEM_TYPE_SHARED_INTEL: driver.free_shared}[allocation.type]  # fmt: skip
    release(allocation.address)


def _retire(context: Context, devices: list[Device], release: Callable[[], None]) -> None:
    """Calls `release` when the commands of now of all the devices have ended."""
    if not devices:
        release()
        return
    context.retire(devices[0], lambda: _retire(context, devices[1:], release))


# -- queries -----------------------------------------------------------------------------------------------------------


def get_mem_alloc_info(context: Context, address: int, param: int) -> object:
    """clGetMemAllocInfoINTEL."""
    return QUERIES.get(context.usm.find(address), param)


QUERIES = QueryTable["UsmAllocation | None"]("clGetMemAllocInfoINTEL", (
    ("MEM_ALLOC_TYPE_INTEL", "enum", lambda a: a.type if a else codes.MEM_TYPE_UNKNOWN_INTEL),
    ("MEM_ALLOC_BASE_PTR_INTEL", "pointer", lambda a: a.address if a else 0),
    ("MEM_ALLOC_SIZE_INTEL", "size_t", lambda a: a.size if a else 0),
    ("MEM_ALLOC_DEVICE_INTEL", "object", lambda a: a.device if a else None),
    ("MEM_ALLOC_FLAGS_INTEL", "bitfield", lambda a: a.flags if a else 0),
))
