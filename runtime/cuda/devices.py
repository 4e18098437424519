"""The driver: every CUDA device of the machine."""

from __future__ import annotations

from collections.abc import Sequence

from ..driver.device import DriverDevice
from . import api
from .device import CudaDevice


class CudaDriver:
    """Every CUDA device of the machine. Raises DriverMissing where CuPy is not installed.

    `absence` says why there is no device, where there is none.
    """

    name = "cuda"

    def __init__(self) -> None:
        self.absence = ""
        cuda = api.load()
        try:
            count = cuda.runtime.getDeviceCount()
        except cuda.Error as error:
            self.absence = str(error)
            count = 0
        self._devices: list[DriverDevice] = [CudaDevice(cuda, ordinal) for ordinal in range(count)]

    def devices(self) -> Sequence[DriverDevice]:
        return self._devices
