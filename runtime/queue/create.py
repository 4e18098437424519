"""Which kind of command-queue an application gets (5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..context.context import Context
from ..devices.device import Device
from ..spec import codes
from . import properties as queue_properties
from .out_of_order import OutOfOrderQueue
from .properties import PropertyList, bits_of
from .queue import CommandQueue, note_kind

if TYPE_CHECKING:
    from .device_queue import DeviceQueue


def create_command_queue(context: Context, device: Device, properties: int | PropertyList = 0) -> CommandQueue | DeviceQueue:
    """clCreateCommandQueueWithProperties, and clCreateCommandQueue with a bit field: on the device if the properties have
    CL_QUEUE_ON_DEVICE, else out of order if they have CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE."""
    bits = properties if type(properties) is int else bits_of(properties)
    if bits & codes.QUEUE_ON_DEVICE:
        return _on_device(context, device, properties)
    queue = (OutOfOrderQueue if bits & codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE else CommandQueue)(context, device, properties)
    if type(properties) is int:
        note_kind(queue)
    return queue


def _on_device(context: Context, device: Device, given: int | PropertyList) -> DeviceQueue:
    # Here, since few programs have such queues.
    from . import device_memory
    from .device_queue import DeviceQueue

    chosen = queue_properties.checked(given)
    device_memory.check_device(queue_properties.ROUTINE, context, device)
    # "If a default device queue has already been created, calling clCreateCommandQueueWithProperties with CL_QUEUE_PROPERTIES set to
    # CL_QUEUE_ON_DEVICE and CL_QUEUE_ON_DEVICE_DEFAULT will return the default device queue that has already been created".
    default = device_memory.default_queue(context, device) if chosen.bits & codes.QUEUE_ON_DEVICE_DEFAULT else None
    return default if isinstance(default, DeviceQueue) else DeviceQueue(context, device, chosen)
