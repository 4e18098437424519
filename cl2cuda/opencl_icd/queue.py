"""Command-queues (5.1, 5.16)."""

from __future__ import annotations

import atexit
from typing import Union

from ..runtime.context.context import Context
from ..runtime.devices.device import Device
from ..runtime.native import library as native
from ..runtime.queue.create import create_command_queue
from ..runtime.queue.deferred import finish_copies
from ..runtime.queue.device_queue import DeviceQueue, set_default_device_command_queue
from ..runtime.queue.queries import QUERIES
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec.errors import CLError
from . import application
from .native_commands import note_finished
from .packing import info

Queue = Union[CommandQueue, DeviceQueue]

# Stock PyOpenCL waits for copies in destructors, of which the last ones run while Python ends, without its other threads.
atexit.register(finish_copies)


def clCreateCommandQueueWithProperties(context: Context, device: Device, properties: int) -> Queue:
    return application.remember(create_command_queue(context, device, application.properties(properties)), properties)


clCreateCommandQueueWithPropertiesKHR = clCreateCommandQueueWithProperties


def clCreateCommandQueue(context: Context, device: Device, properties: int) -> Queue:
    return create_command_queue(context, device, properties)


# With the same parameters, in the same order.
clSetDefaultDeviceCommandQueue = set_default_device_command_queue


def clSetCommandQueueProperty(queue: Queue, properties: int, enable: int, old: int) -> None:
    # "Calling clSetCommandQueueProperty for OpenCL 1.1 or later devices returns CL_INVALID_OPERATION."
    raise CLError("clSetCommandQueueProperty", "INVALID_OPERATION", "a queue keeps the properties that it was created with")


def clGetCommandQueueInfo(queue: Queue, param: int) -> bytes:
    return info(QUERIES, queue, param)


def clFlush(queue: Queue) -> None:
    queue.flush()


def clFinish(queue: Queue) -> None:
    if isinstance(queue, DeviceQueue):
        queue.finish()
    else:
        _finish(queue)
        note_finished(queue)


_calls = native.calls()
_finish = CommandQueue.finish if _calls is None else _calls.finisher(CommandQueue)
