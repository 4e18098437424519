"""The platform: the one that cl2cuda offers, with the devices of its drivers. Chooses drivers; knows nothing
of CUDA itself."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable, version
from ..spec.version import PLATFORM_VERSION
from .choice import BEST, DRIVERS, OTHERWISE, REMOTE, choice

if TYPE_CHECKING:
    from ..driver.device import Driver, DriverDevice
    from ..driver.interface import DriverMissing
    from .device import Device


class Platform:
    """cl_platform_id. `devices_found` is made on first use: importing cl2cuda must not start CUDA."""

    def __init__(self) -> None:
        self.answers: dict[int, Any] = {}  # what a face has answered to queries
        self._devices: list[Device] | None = None
        self._lock = threading.Lock()

    def devices(self, type_mask: int = codes.DEVICE_TYPE_ALL) -> list[Device]:
        """The devices of the types in the mask, best first (4.2); [] when there is none."""
        with self._lock:
            if self._devices is None:
                drivers = chosen_drivers()
                from ..process import trace  # CUDA starts before this is imported.
                from .device import Device

                self._devices = [Device(self, driver.name, found) for driver in drivers for found in driver.devices()]
                trace.recorder()  # which remembers memory also of before the first queue, where the environment asks for a trace
        found = self._devices
        if type_mask == codes.DEVICE_TYPE_ALL:
            return list(found)
        known = (codes.DEVICE_TYPE_DEFAULT | codes.DEVICE_TYPE_CPU | codes.DEVICE_TYPE_GPU
                 | codes.DEVICE_TYPE_ACCELERATOR | codes.DEVICE_TYPE_CUSTOM)
        if not type_mask & known or type_mask & ~known:
            raise CLError("clGetDeviceIDs", "INVALID_DEVICE_TYPE", f"{type_mask:#x} is not a device type")
        chosen = [device for device in found if device.type & type_mask]
        if type_mask & codes.DEVICE_TYPE_DEFAULT and found and found[0] not in chosen:
            chosen.insert(0, found[0])
        return chosen

    def unload_compiler(self) -> None:
        """clUnloadPlatformCompiler: ends compiler processes that wait for work. Later builds start them anew
        where they need them."""
        from ..build.compiler_pool import POOL  # which comes with the first build otherwise

        POOL.unload()

    def get_info(self, param: int) -> Any:
        """clGetPlatformInfo (4.1)."""
        return QUERIES.get(self, param)


def _common_extensions(platform: Platform) -> tuple[tuple[str, int], ...]:
    """CL_PLATFORM_EXTENSIONS: "each extension that is supported by all devices associated with this
    platform"."""
    offered = [device.extensions for device in platform.devices()]
    return tuple(one for one in offered[0] if all(one in other for other in offered)) if offered else ()


def _common(query: int) -> Callable[[Platform], tuple[Any, ...]]:
    """What all devices answer to a query for a list; nothing of a query that one of them does not know."""

    def value(platform: Platform) -> tuple[Any, ...]:
        found = []
        for device in platform.devices():
            try:
                found.append(device.get_info(query))
            except CLError:
                return ()
        return tuple(one for one in found[0] if all(one in other for other in found)) if found else ()

    return value


QUERIES = QueryTable[Platform]("clGetPlatformInfo", (
    ("PLATFORM_PROFILE", "string", lambda p: "FULL_PROFILE"),
    ("PLATFORM_VERSION", "string", lambda p: PLATFORM_VERSION),
    ("PLATFORM_NAME", "string", lambda p: "cl2cuda (NVIDIA CUDA)"),
    ("PLATFORM_VENDOR", "string", lambda p: "cl2cuda"),
    ("PLATFORM_EXTENSIONS", "string", lambda p: " ".join(name for name, _ in _common_extensions(p))),
    ("PLATFORM_HOST_TIMER_RESOLUTION", "ulong", lambda p: 1),  # in nanoseconds
    ("PLATFORM_NUMERIC_VERSION", "uint", lambda p: version(3, 0)),
    ("PLATFORM_EXTENSIONS_WITH_VERSION", "name_version[]", _common_extensions),
    ("PLATFORM_SEMAPHORE_TYPES_KHR", "enum[]", _common(codes.DEVICE_SEMAPHORE_TYPES_KHR)),
    ("PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR", "enum[]", _common(codes.DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR)),
    ("PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", "enum[]", _common(codes.DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR)),
    ("PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR", "enum[]", _common(codes.DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR)),
))


def load_driver(name: str) -> Driver:
    """The driver of that name; DriverMissing when what it stands on is not installed."""
    driver: Driver = importlib.import_module(f"..{name}", __package__).driver()
    return driver


def chosen_drivers() -> list[Driver]:
    """By CL2CUDA_DEVICE (cuda, remote, host, all); unset: CUDA and the cluster's, and the host device where there is no usable GPU."""
    chosen = choice()
    if chosen == "all":
        return _with_devices(DRIVERS)
    if chosen in DRIVERS:
        driver = _driver_or_reason(chosen)
        if isinstance(driver, str):
            raise CLError("clGetDeviceIDs", "DEVICE_NOT_FOUND", f"CL2CUDA_DEVICE={chosen}: {driver}")
        return [driver]
    if chosen:
        raise CLError("clGetDeviceIDs", "DEVICE_NOT_FOUND", f"CL2CUDA_DEVICE={chosen}: choose {', '.join(DRIVERS)} or all")
    return _with_devices(BEST) or _with_devices((OTHERWISE,))


def _with_devices(names: Sequence[str]) -> list[Driver]:
    return [driver for name in names if not isinstance(driver := _driver_or_reason(name), str)]


def own_devices() -> list[tuple[str, DriverDevice]]:
    """The devices of this machine, each with its driver's name: what a worker of a cluster offers. CL2CUDA_DEVICE chooses here, too."""
    drivers = chosen_drivers() if choice() not in ("", REMOTE) else _with_devices(("cuda",)) or _with_devices((OTHERWISE,))
    return [(driver.name, device) for driver in drivers if driver.name != REMOTE for device in driver.devices()]


def absences() -> dict[str, str]:
    """Why drivers have no device, by their names: for a person who misses one."""
    return {name: reason for name in DRIVERS if isinstance(reason := _driver_or_reason(name), str)}


def _driver_or_reason(name: str) -> Driver | str:
    """A driver with devices, or why there is none."""
    try:
        driver = load_driver(name)
        return driver if driver.devices() else driver.absence or "it found no device"
    except _driver_missing() as missing:
        return str(missing)


def _driver_missing() -> type[DriverMissing]:
    """Imported where something is raised: CUDA's start does not wait for it."""
    from ..driver.interface import DriverMissing

    return DriverMissing


_PLATFORM = Platform()


def platforms() -> list[Platform]:
    """clGetPlatformIDs: there is exactly one."""
    return [_PLATFORM]
