"""The CUDA driver: translated programs compiled by NVRTC and run through CuPy. The only importer of CuPy.

One file each: `api` (CuPy and the few calls it lacks), `nvrtc` (the compiler), `options` (its flags), `properties`,
`context` (what a device's parts share), `timeline`, `staging`, `shared_memory`, `arrays` and `image`, `capture`, `stream` (copies, fills,
fences), `linker` (pieces of code that others made), `launch` (grids and variants), `launch_call`, `module` (loading),
`graph` (recorded commands), `external` (what others exported), `peer` (copies between devices), `device`. Each imports only from those before it.
"""

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


def driver() -> CudaDriver:
    """What runtime/devices/platform.py loads."""
    return CudaDriver()
