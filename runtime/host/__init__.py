"""The host driver: translated programs compiled by the machine's C++ compiler and run on its cores."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..driver.interface import DriverDevice
from .device import HostDevice


class HostDriver:
    """One device: this machine. It stands on POSIX (dlopen, pthreads, mmap); elsewhere there is none."""

    name = "host"
    absence = ""

    def __init__(self) -> None:
        self._devices: list[DriverDevice] = [HostDevice()] if os.name == "posix" else []

    def devices(self) -> Sequence[DriverDevice]:
        return self._devices


def driver() -> HostDriver:
    """What runtime/devices/platform.py loads."""
    return HostDriver()
