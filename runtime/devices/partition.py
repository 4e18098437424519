"""Partitioning a device (4.3): sub-devices by equal parts or by counts, where the driver can divide its
device.

The host device divides its threads. CUDA gives a process no part of a GPU, so a CUDA device says that it
cannot be partitioned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..driver.device import DriverDevice
from ..spec import codes
from ..spec.errors import CLError

if TYPE_CHECKING:
    from ..driver.properties import DeviceProperties

ROUTINE = "clCreateSubDevices"


class DivisibleDevice(Protocol):
    """What partitioning asks of a device."""

    @property
    def properties(self) -> DeviceProperties: ...
    @property
    def driver_device(self) -> DriverDevice: ...

    def part(self: Divisible, driver_device: DriverDevice, partition: tuple[int, ...]) -> Divisible:
        """A sub-device: a driver's part of this one's, and the properties that it was partitioned with."""
        ...


Divisible = TypeVar("Divisible", bound=DivisibleDevice)


def partition_properties(driver: DriverDevice) -> tuple[int, ...]:
    """CL_DEVICE_PARTITION_PROPERTIES: "if the device cannot be partitioned (i.e. there is no partitioning
    scheme supported by the device that will return at least two sub-devices), a value of 0 will be
    returned"."""
    divisible = driver.partition is not None and driver.properties.compute_units > 1
    return (codes.DEVICE_PARTITION_EQUALLY, codes.DEVICE_PARTITION_BY_COUNTS) if divisible else (0,)


def create_sub_devices(device: Divisible, properties: Sequence[int]) -> list[Divisible]:
    """clCreateSubDevices. `properties` is the list as C has it, with or without the closing 0."""
    partition = device.driver_device.partition
    if partition is None:
        # "CL_INVALID_VALUE if values specified in properties are not valid or if values specified in
        # properties are valid but not supported by the device"
        raise CLError(ROUTINE, "INVALID_VALUE", f"{device!r} cannot be partitioned: CL_DEVICE_PARTITION_PROPERTIES is 0")
    given = tuple(properties)
    if not given:
        raise CLError(ROUTINE, "INVALID_VALUE", "no properties are given")
    # "CL_DEVICE_PARTITION_FAILED if the partition name is supported by the implementation but in_device could
    # not be further partitioned"
    if given[0] in (codes.DEVICE_PARTITION_EQUALLY, codes.DEVICE_PARTITION_BY_COUNTS) and device.properties.compute_units < 2:
        raise CLError(ROUTINE, "DEVICE_PARTITION_FAILED", f"{device!r} has one compute unit")
    counts = _counts(device.properties.compute_units, given)
    closed = given if given[-1] == 0 else (*given, 0)
    return [device.part(partition(count), closed) for count in counts]


def _counts(units: int, given: tuple[int, ...]) -> list[int]:
    """The compute units of each sub-device."""
    scheme, values = given[0], given[1:]
    if scheme == codes.DEVICE_PARTITION_EQUALLY:
        if len(values) not in (1, 2) or values[1:] not in ((), (0,)) or values[0] <= 0:
            raise CLError(ROUTINE, "INVALID_VALUE", "CL_DEVICE_PARTITION_EQUALLY takes one number of compute units")
        # CL_INVALID_DEVICE_PARTITION_COUNT is only for "the requested device partitioning using CL_DEVICE_PARTITION_BY_COUNTS".
        if values[0] >= units:
            raise CLError(ROUTINE, "DEVICE_PARTITION_FAILED", f"parts of {values[0]} of {units} compute units divide nothing")
        # "If n does not divide evenly into CL_DEVICE_MAX_COMPUTE_UNITS, then the remaining compute units are
        # not used."
        return [values[0]] * (units // values[0])
    if scheme == codes.DEVICE_PARTITION_BY_COUNTS:
        # "a list of compute unit counts terminated with 0 or CL_DEVICE_PARTITION_BY_COUNTS_LIST_END", which
        # is 0
        counts = list(values[: values.index(0)] if 0 in values else values)
        if not counts or any(values[len(counts) :]):
            raise CLError(ROUTINE, "INVALID_VALUE", "CL_DEVICE_PARTITION_BY_COUNTS takes a list of compute unit counts")
        if min(counts) < 0 or len(counts) > units or sum(counts) > units:
            raise CLError(ROUTINE, "INVALID_DEVICE_PARTITION_COUNT",
                          f"{counts} are not counts of at most {units} compute units together")
        return counts
    raise CLError(ROUTINE, "INVALID_VALUE", f"{scheme:#x} is not a way in which this device is partitioned")
