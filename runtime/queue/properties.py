"""What a command-queue may be created with (5.1, table 15), checked; and the hints that become a stream's options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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


@dataclass(frozen=True)
class QueueProperties:
    """`given` is the list as CL_QUEUE_PROPERTIES_ARRAY tells it, with its closing 0: () for the bit field of
    clCreateCommandQueue."""

    bits: int
    given: tuple[int, ...]
    hints: StreamHints

    @property
    def out_of_order(self) -> bool:
        return bool(self.bits & codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)


def bits_of(properties: int | PropertyList) -> int:
    """The bit field of either form, unchecked."""
    return properties if isinstance(properties, int) else dict(properties).get(codes.QUEUE_PROPERTIES, 0)


def checked(properties: int | PropertyList) -> QueueProperties:
    if isinstance(properties, int):
        _check_bits(properties)
        return QueueProperties(properties, (), StreamHints())
    given = tuple((int(name), int(value)) for name, value in properties)
    values = dict(given)
    if len(values) < len(given):
        raise CLError(ROUTINE, "INVALID_VALUE", "a property is given twice")
    _check_bits(values.get(codes.QUEUE_PROPERTIES, 0))
    hints = StreamHints(
        priority=_hint("CL_QUEUE_PRIORITY_KHR", _PRIORITIES, values.pop(codes.QUEUE_PRIORITY_KHR, codes.QUEUE_PRIORITY_MED_KHR)),
        throttle=_hint("CL_QUEUE_THROTTLE_KHR", _THROTTLES, values.pop(codes.QUEUE_THROTTLE_KHR, codes.QUEUE_THROTTLE_MED_KHR)),
    )
    bits = values.pop(codes.QUEUE_PROPERTIES, 0)
    if codes.QUEUE_SIZE in values:
        # "This can only be specified if CL_QUEUE_ON_DEVICE is set in CL_QUEUE_PROPERTIES."
        raise CLError(ROUTINE, "INVALID_VALUE", "CL_QUEUE_SIZE is for queues on the device")
    if values:
        raise CLError(ROUTINE, "INVALID_VALUE", "no such queue property: " + ", ".join(f"{name:#x}" for name in values))
    return QueueProperties(bits, (*(word for pair in given for word in pair), 0), hints)


def _hint(name: str, levels: dict[int, Level], value: int) -> Level:
    if value not in levels:
        raise CLError(ROUTINE, "INVALID_VALUE", f"{value:#x} is not a value of {name}")
    return levels[value]


def _check_bits(bits: int) -> None:
    if bits & ~(_HOST | _DEVICE):
        raise CLError(ROUTINE, "INVALID_VALUE", f"{bits:#x} is not a set of command-queue properties")
    if bits & _DEVICE:
        raise CLError(ROUTINE, "INVALID_QUEUE_PROPERTIES",
                      "there are no queues on the device: ask CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES")
