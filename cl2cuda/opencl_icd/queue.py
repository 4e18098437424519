"""Command-queues (5.1, 5.16)."""

from __future__ import annotations

from ..runtime.context.context import Context
from ..runtime.devices.device import Device
from ..runtime.queue import queue as queues
from ..runtime.queue.create import create_command_queue
from ..runtime.spec.errors import CLError
from . import application
from .packing import info


def clCreateCommandQueueWithProperties(context: Context, device: Device, properties: int) -> queues.CommandQueue:
    return application.remember(create_command_queue(context, device, application.properties(properties)), properties)


clCreateCommandQueueWithPropertiesKHR = clCreateCommandQueueWithProperties


def clCreateCommandQueue(context: Context, device: Device, properties: int) -> queues.CommandQueue:
    return create_command_queue(context, device, properties)


def clSetDefaultDeviceCommandQueue(context: Context, device: Device, queue: queues.CommandQueue | None) -> None:
    # "CL_INVALID_OPERATION if device does not support a replaceable default on-device queue."
    raise CLError("clSetDefaultDeviceCommandQueue", "INVALID_OPERATION", "no device has queues of its own")


def clSetCommandQueueProperty(queue: queues.CommandQueue, properties: int, enable: int, old: int) -> None:
    # "Calling clSetCommandQueueProperty for OpenCL 1.1 or later devices returns CL_INVALID_OPERATION."
    raise CLError("clSetCommandQueueProperty", "INVALID_OPERATION", "a queue keeps the properties that it was created with")


def clGetCommandQueueInfo(queue: queues.CommandQueue, param: int) -> bytes:
    return info(queues.QUERIES, queue, param)


clFlush = queues.CommandQueue.flush
clFinish = queues.CommandQueue.finish
