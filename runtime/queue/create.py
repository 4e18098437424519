"""Which kind of command-queue an application gets (5.1)."""

from __future__ import annotations

from ..context.context import Context
from ..devices.device import Device
from ..spec import codes
from .out_of_order import OutOfOrderQueue
from .properties import PropertyList, bits_of
from .queue import CommandQueue


def create_command_queue(context: Context, device: Device, properties: int | PropertyList = 0) -> CommandQueue:
    """clCreateCommandQueueWithProperties, and clCreateCommandQueue with a bit field: out of order if the properties have
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE."""
    out_of_order = bits_of(properties) & codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
    return (OutOfOrderQueue if out_of_order else CommandQueue)(context, device, properties)
