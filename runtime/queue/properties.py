"""What a command-queue may be created with (5.1, table 15), checked; and the hints that become a stream's options."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ..driver.interface import StreamHints
from ..spec import codes
from ..spec.errors import CLError

ROUTINE = "clCreateCommandQueueWithProperties"

PropertyList = Sequence[tuple[int, int]]
Level = Literal["high", "medium", "low"]

_HOST = codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_PROFILING_ENABLE
_DEVICE = codes.QUEUE_ON_DEVICE | codes.QUEUE_ON_DEVICE_DEFAULT

_PRIORITIES: dict[int, Level] = {
    codes.QUEUE_PRIORITY_HIGH_KHR: "high", codes.QUEUE_PRIORITY_MED_KHR: "medium", codes.QUEUE_PRIORITY_LOW_KHR: "low"}
_THROTTLES: dict[int, Level] = {
    codes.QUEUE_THROTTLE_HIGH_KHR: "high", codes.QUEUE_THROTTLE_MED_KHR: "medium", codes.QUEUE_THROTTLE_LOW_KHR: "low"}


class QueueProperties(NamedTuple):
    """`given` is the list as CL_QUEUE_PROPERTIES_ARRAY tells it, with its closing 0: () for the bit field of
    clCreateCommandQueue. `size` is a device queue's, in bytes; None where none is asked for."""

    bits: int
    given: tuple[int, ...]
    hints: StreamHints
    size: int | None = None

    @property
    def out_of_order(self) -> bool:
        return bool(self.bits & codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)


def bits_of(properties: int | PropertyList) -> int:
    """The bit field of either form, unchecked."""
    return properties if isinstance(properties, int) else dict(properties).get(codes.QUEUE_PROPERTIES, 0)


def checked(properties: int | PropertyList) -> QueueProperties:
    if isinstance(properties, int):
        return _of_bits(properties)
    return _of_list(tuple([(int(name), int(value)) for name, value in properties]))


@functools.lru_cache(256)
def _of_list(given: tuple[tuple[int, int], ...]) -> QueueProperties:
    values = dict(given)
    if len(values) < len(given):
        raise CLError(ROUTINE, "INVALID_VALUE", "a property is given twice")
    _check_bits(values.get(codes.QUEUE_PROPERTIES, 0))
    hinted = values.keys() & {codes.QUEUE_PRIORITY_KHR, codes.QUEUE_THROTTLE_KHR}
    hints = StreamHints(
        priority=_hint("CL_QUEUE_PRIORITY_KHR", _PRIORITIES, values.pop(codes.QUEUE_PRIORITY_KHR, codes.QUEUE_PRIORITY_MED_KHR)),
        throttle=_hint("CL_QUEUE_THROTTLE_KHR", _THROTTLES, values.pop(codes.QUEUE_THROTTLE_KHR, codes.QUEUE_THROTTLE_MED_KHR)),
    )
    bits, size = values.pop(codes.QUEUE_PROPERTIES, 0), values.pop(codes.QUEUE_SIZE, None)
    if hinted and bits & codes.QUEUE_ON_DEVICE:
        # "the CL_QUEUE_PRIORITY_KHR property is specified, and the queue is a CL_QUEUE_ON_DEVICE", and the same of the other hint
        raise CLError(ROUTINE, "INVALID_QUEUE_PROPERTIES", "priority and throttle are for queues of the host")
    if size is not None and not bits & codes.QUEUE_ON_DEVICE:
        # "This can only be specified if CL_QUEUE_ON_DEVICE is set in CL_QUEUE_PROPERTIES."
        raise CLError(ROUTINE, "INVALID_VALUE", "CL_QUEUE_SIZE is for queues on the device")
    if values:
        raise CLError(ROUTINE, "INVALID_VALUE", "no such queue property: " + ", ".join(f"{name:#x}" for name in values))
    return QueueProperties(bits, (*(word for pair in given for word in pair), 0), hints, size)


@functools.cache
def _of_bits(properties: int) -> QueueProperties:
    _check_bits(properties)
    if properties & _DEVICE:
        # "Only command-queue properties specified in this table can be used, otherwise the value specified in properties is
        # considered to be not valid."
        raise CLError("clCreateCommandQueue", "INVALID_VALUE",
                      "queues on the device are created with a list of properties (clCreateCommandQueueWithProperties)")
    return QueueProperties(properties, (), StreamHints())


def _hint(name: str, levels: dict[int, Level], value: int) -> Level:
    if value not in levels:
        raise CLError(ROUTINE, "INVALID_VALUE", f"{value:#x} is not a value of {name}")
    return levels[value]


def _check_bits(bits: int) -> None:
    if bits & ~(_HOST | _DEVICE):
        raise CLError(ROUTINE, "INVALID_VALUE", f"{bits:#x} is not a set of command-queue properties")
    # "If CL_QUEUE_ON_DEVICE is set, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE must also be set."
    if bits & codes.QUEUE_ON_DEVICE and not bits & codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE:
        raise CLError(ROUTINE, "INVALID_VALUE", "a queue on the device is out of order: set CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
    # "This can only be used with CL_QUEUE_ON_DEVICE."
    if bits & codes.QUEUE_ON_DEVICE_DEFAULT and not bits & codes.QUEUE_ON_DEVICE:
        raise CLError(ROUTINE, "INVALID_VALUE", "CL_QUEUE_ON_DEVICE_DEFAULT is for queues on the device: set CL_QUEUE_ON_DEVICE")
