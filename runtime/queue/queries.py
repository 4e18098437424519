"""clGetCommandQueueInfo (5.1), one row a query."""

from __future__ import annotations

from typing import Any, Protocol

from ..context.context import Context
from ..devices.device import Device
from ..spec.errors import CLError
from ..spec.queries import QueryTable


class QueriedQueue(Protocol):
    """What the queries ask of a queue. `size` is None for one on the host."""

    context: Context
    device: Device
    properties: int
    property_list: tuple[int, ...]

    @property
    def size(self) -> int | None: ...


def _size(queue: QueriedQueue) -> Any:
    """"CL_INVALID_COMMAND_QUEUE [...] if command_queue is not a valid command-queue for param_name"."""
    if queue.size is None:
        raise CLError("clGetCommandQueueInfo", "INVALID_COMMAND_QUEUE", "only queues on the device have a size")
    return queue.size


def _default(queue: QueriedQueue) -> object:
    from .device_memory import default_queue  # Few programs have queues on the device.

    return default_queue(queue.context, queue.device)


QUERIES = QueryTable[QueriedQueue]("clGetCommandQueueInfo", (
    ("QUEUE_CONTEXT", "object", lambda q: q.context),
    ("QUEUE_DEVICE", "object", lambda q: q.device),
    ("QUEUE_REFERENCE_COUNT", "uint", lambda q: 1),
    ("QUEUE_PROPERTIES", "bitfield", lambda q: q.properties),
    ("QUEUE_PROPERTIES_ARRAY", "properties", lambda q: q.property_list),
    ("QUEUE_SIZE", "uint", _size),
    ("QUEUE_DEVICE_DEFAULT", "object", _default),
))
