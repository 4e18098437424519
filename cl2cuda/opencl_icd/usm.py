"""Unified shared memory (cl_intel_unified_shared_memory)."""

from __future__ import annotations

from ..runtime.commands import usm as commands
from ..runtime.context.context import Context
from ..runtime.devices.device import Device
from ..runtime.memory import usm
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue
from . import application
from .memory import pattern_bytes
from .packing import info

Waits = tuple[Event, ...]


def clHostMemAllocINTEL(context: Context, properties: int, size: int, alignment: int) -> int:
    return usm.host_mem_alloc(context, application.properties(properties), size, alignment)


def clDeviceMemAllocINTEL(context: Context, device: Device, properties: int, size: int, alignment: int) -> int:
    return usm.device_mem_alloc(context, device, application.properties(properties), size, alignment)


def clSharedMemAllocINTEL(context: Context, device: Device | None, properties: int, size: int, alignment: int) -> int:
    return usm.shared_mem_alloc(context, device, application.properties(properties), size, alignment)


def clMemFreeINTEL(context: Context, address: int) -> None:
    usm.mem_free(context, address)


def clMemBlockingFreeINTEL(context: Context, address: int) -> None:
    usm.mem_blocking_free(context, address)


def free_within_a_call(context: Context, address: int) -> None:
    """Either of them, where a call of the same thread is on its way."""
    usm.free_within_a_call(context, address)


def clGetMemAllocInfoINTEL(context: Context, address: int, param: int) -> bytes:
    return info(usm.QUERIES, context.usm.find(address), param)


def clEnqueueMemFillINTEL(queue: CommandQueue, address: int, pattern: int, pattern_size: int, size: int, waits: Waits) -> Event:
    return commands.enqueue_mem_fill(queue, address, pattern_bytes("clEnqueueMemFillINTEL", pattern, pattern_size), size, waits)


def clEnqueueMemcpyINTEL(queue: CommandQueue, blocking: int, target: int, source: int, size: int, waits: Waits) -> Event:
    return commands.enqueue_memcpy(queue, bool(blocking), target, source, size, waits)


def clEnqueueMigrateMemINTEL(queue: CommandQueue, address: int, size: int, flags: int, waits: Waits) -> Event:
    return commands.enqueue_migrate_mem(queue, address, size, flags, waits)


def clEnqueueMemAdviseINTEL(queue: CommandQueue, address: int, size: int, advice: int, waits: Waits) -> Event:
    return commands.enqueue_mem_advise(queue, address, size, advice, waits)
