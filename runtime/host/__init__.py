"""The host driver: translated programs compiled by the machine's C++ compiler and run on its cores."""

from __future__ import annotations

import dataclasses
import os
import uuid
from collections.abc import Sequence

from ..driver.device import DriverDevice
from ..driver.interface import DriverMissing
from ..process import environment
from .device import HostDevice
from .thread_pool import ThreadPool


class HostDriver:
    """One device: this machine, or with CL2CUDA_HOST_DEVICES several equal ones, which share its cores. It stands on
    POSIX (dlopen, pthreads, mmap); elsewhere there is none."""

    name = "host"
    absence = ""

    def __init__(self) -> None:
        self._devices: list[DriverDevice] = host_devices(_wanted()) if os.name == "posix" else []

    def devices(self) -> Sequence[DriverDevice]:
        return self._devices


def host_devices(count: int) -> list[DriverDevice]:
    """The machine as so many devices, each with its part of the cores, and threads of its own where there are several."""
    whole = HostDevice()
    if count == 1:
        return [whole]
    units, identity = max(1, whole.properties.compute_units // count), uuid.UUID(bytes=whole.properties.extra["uuid"])
    return [HostDevice(dataclasses.replace(whole.properties, compute_units=units, extra={"uuid": uuid.uuid5(identity, str(number)).bytes}),
                       ThreadPool(units)) for number in range(count)]


def _wanted() -> int:
    text = environment.text("CL2CUDA_HOST_DEVICES") or "1"
    if not text.isdecimal() or int(text) == 0:
        raise DriverMissing(f"CL2CUDA_HOST_DEVICES={text} is not a number of devices")
    return int(text)


def driver() -> HostDriver:
    """What runtime/devices/platform.py loads."""
    return HostDriver()
