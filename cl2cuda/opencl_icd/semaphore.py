"""Semaphores (5.13, cl_khr_semaphore)."""

from __future__ import annotations

from typing import Any

from ..runtime.commands import semaphore as semaphores
from ..runtime.context.context import Context
from ..runtime.devices.device import Device
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec import codes
from . import application
from .packing import info

Waits = tuple[Event, ...]

_LISTS = (codes.SEMAPHORE_DEVICE_HANDLE_LIST_KHR, codes.SEMAPHORE_EXPORT_HANDLE_TYPES_KHR)


def clCreateSemaphoreWithPropertiesKHR(context: Context, properties: int) -> semaphores.Semaphore:
    given = [(name, tuple(application.core(one, "D") for one in value) if name == codes.SEMAPHORE_DEVICE_HANDLE_LIST_KHR else value)
             for name, value in application.properties(properties, _LISTS)]
    return application.remember(semaphores.Semaphore(context, given), properties, _LISTS)


def clEnqueueWaitSemaphoresKHR(queue: CommandQueue, chosen: Any, payloads: int, waits: Waits) -> Event:
    return semaphores.enqueue_wait_semaphores(queue, chosen or (), None, waits)


def clEnqueueSignalSemaphoresKHR(queue: CommandQueue, chosen: Any, payloads: int, waits: Waits) -> Event:
    return semaphores.enqueue_signal_semaphores(queue, chosen or (), None, waits)


def clGetSemaphoreInfoKHR(semaphore: semaphores.Semaphore, param: int) -> bytes:
    return info(semaphores.QUERIES, semaphore, param)


def clGetSemaphoreHandleForTypeKHR(semaphore: semaphores.Semaphore, device: Device, type_: int) -> bytes:
    return semaphore.handle_for_type(device, type_).to_bytes(4, "little", signed=True)
