"""The device: a driver's device as OpenCL sees it. Its queries are the table in `queries`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from ..driver.device import DriverDevice, PeerCopies
from ..driver.interface import Stream
from ..driver.reported import reported
from ..spec import codes
from ..spec.queries import QueryTable, version
from .transfer import HostTransfer

if TYPE_CHECKING:
    from ..driver.properties import DeviceProperties


class Device:
    """cl_device_id. A sub-device has a `parent`, and the properties that it was partitioned with."""

    def __init__(self, platform: object, driver_name: str, driver_device: DriverDevice, parent: Device | None = None,
                 partition: tuple[int, ...] = ()):
        self.platform = platform
        self.driver_name = driver_name
        self.driver_device = driver_device
        self.properties: DeviceProperties = driver_device.properties
        self.parent = parent
        self.partition = partition
        self.answers: dict[int, Any] = {}  # what a face has answered to queries
        self._transfers: dict[DriverDevice, HostTransfer] = {}
        # What queues that have gone leave to the next ones, by what these ask of their streams (queue/stream_timeline.py).
        self.resting: dict[Any, list[Any]] = {}

    def lineage(self) -> Iterator[Device]:
        """The device, its parent, and so on."""
        device: Device | None = self
        while device is not None:
            yield device
            device = device.parent

    @property
    def is_cuda(self) -> bool:
        return self.driver_name == "cuda"

    @property
    def type(self) -> int:
        return codes.DEVICE_TYPE_GPU if self.properties.is_gpu else codes.DEVICE_TYPE_CPU

    @cached_property
    def extensions(self) -> tuple[tuple[str, int], ...]:
        """(name, version) of every extension: the language's, those that only this driver has, then the
        API's."""
        # Here, and in `get_info`: `import pyopencl` does without these tables.
        from ...builtins.extensions import OFFERED_EXTENSIONS
        from ..spec.api_extensions import API_EXTENSIONS

        language = tuple((each.name, version(*each.version)) for each in OFFERED_EXTENSIONS
                         if self.independent_sub_groups or not each.only_on_gpus)
        own = tuple((name, version(1, 0)) for name in self.properties.extensions)
        api = tuple((each.name, version(*each.version)) for each in API_EXTENSIONS if each.offered(self))
        return tuple(dict(language + own + api).items())

    @property
    def independent_sub_groups(self) -> bool:
        """Sub-groups of a work-group make independent forward progress. From Volta on every thread of a warp does; on the host device
        one thread runs all of a work-group."""
        return self.properties.extra.get("compute_capability_major", 0) >= 7

    @cached_property
    def facts(self) -> dict[str, object]:
        """What a trace tells of the device: its name, what it consists of, and the most that it can do (bytes and operations on single
        floats a second), where the driver knows that."""
        properties = self.properties
        return {"name": properties.name, "driver": self.driver_name, "driver_version": properties.driver_version,
                "compute_units": properties.compute_units, "clock_mhz": properties.clock_mhz,
                "peak_bandwidth": properties.extra.get("peak_bandwidth"), "peak_flops": properties.extra.get("peak_flops")}

    @cached_property
    def host_addressable(self) -> bool:
        """The device's memory is the host's: a mapped pointer can be the device's own address."""
        return self.properties.unified_memory and not self.properties.is_gpu

    @cached_property
    def service_stream(self) -> Stream:
        """The stream of what belongs to no queue, such as a buffer's first contents."""
        return self.driver_device.open_stream()

    def peer_copies(self, other: Device) -> PeerCopies | None:
        """What copies between this device's memory and the other's in this one's streams; None where the drivers cannot."""
        if other.driver_name != self.driver_name:
            return None
        copies = self.driver_device.peer_copies
        return copies if copies is not None and copies.reaches(other.driver_device) else None

    def transfer_from(self, source: Device) -> HostTransfer:
        """The way from the other device to this one through the host."""
        found = self._transfers.get(source.driver_device)
        if found is None:
            made = HostTransfer(source.driver_device, self.driver_device, source.driver_name == self.driver_name)
            found = self._transfers.setdefault(source.driver_device, made)
        return found

    def part(self, driver_device: DriverDevice, partition: tuple[int, ...]) -> Device:
        """A sub-device, for `partition.create_sub_devices`: a driver's part of this one's."""
        return Device(self.platform, self.driver_name, driver_device, self, partition)

    def timers(self) -> tuple[int, int]:
        """clGetDeviceAndHostTimer: (device, host) nanoseconds of the same moment; events' profiling times are
        on the device's."""
        with reported("clGetDeviceAndHostTimer"):
            fence = self.service_stream.fence(True)
            fence.wait()
            return fence.time_ns(), time.perf_counter_ns()

    def host_timer(self) -> int:
        """clGetHostTimer."""
        return time.perf_counter_ns()

    def get_info(self, param: int) -> Any:
        """clGetDeviceInfo."""
        return _queries().get(self, param)

    def __repr__(self) -> str:
        return f"<Device {self.properties.name!r}>"


@cache
def _queries() -> QueryTable[Any]:
    from .queries import QUERIES

    return QUERIES
