"""The platform and device classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..runtime.spec import codes
from .constants import TABLE
from .errors import guarded, make_error
from .handles import Answering, core_of, stands_for
from .integers import Field, cast_each, cl_bitfield, cl_int, ptrdiff_t
from .later import partition, platforms

_AFFINITY_DOMAIN = TABLE["device_info"]["PARTITION_AFFINITY_DOMAIN"]


@stands_for("devices.platform.Platform")
class Platform(Answering):
    """cl_platform_id (4.1): there is exactly one."""

    _invalid = "INVALID_PLATFORM"

    @guarded
    def get_devices(self, device_type: int = codes.DEVICE_TYPE_ALL) -> list[Device]:
        """The platform's devices of the types; [] when it has none of them."""
        return [Device._of(device) for device in self._core.devices(cl_bitfield(device_type, "device_type"))]


@stands_for("devices.device.Device")
class Device(Answering):
    """cl_device_id (4.2): a GPU by way of CUDA, the host device, or a part of that (4.3)."""

    _invalid = "INVALID_DEVICE"

    _changing = frozenset({codes.DEVICE_AVAILABLE})

    def _answer(self, arg: int) -> Any:
        value = super()._answer(arg)
        # A bit field in the specification, a list to PyOpenCL.
        return [value] if arg == _AFFINITY_DOMAIN else value

    @guarded
    def create_sub_devices(self, properties: Iterable[int]) -> list[Device]:
        """`properties` is the list as C has it; its closing 0 may be left out."""
        return [Device._of(part) for part in partition.create_sub_devices(self._core, list(cast_each(ptrdiff_t, properties, "properties")))]

    @guarded
    def device_and_host_timer(self) -> tuple[int, int]:
        """Nanoseconds of the device's clock and of the host's, at the same moment."""
        return self._core.timers()

    def host_timer(self) -> int:
        return self._core.host_timer()


class DeviceTopologyAmd:
    """cl_device_topology_amd: the place on the PCI bus, as AMD's extension gives it. No device of ours does."""

    __slots__ = ("_bus", "_device", "_function", "_type")
    type = Field(cl_int)
    bus = Field(cl_int)
    device = Field(cl_int)
    function = Field(cl_int)

    def __init__(self, bus: int = 0, device: int = 0, function: int = 0) -> None:
        self.type = 1
        self.bus, self.device, self.function = bus, device, function


@guarded
def get_platforms() -> list[Platform]:
    return [Platform._of(platform) for platform in platforms.platforms()]


def get_cl_header_version() -> tuple[int, int]:
    """The OpenCL version of the interface, which decides what PyOpenCL's Python layer asks for."""
    return (3, 0)


def unload_platform_compiler(platform: Platform) -> None:
    """A hint that no program will be built soon (5.8.8)."""
    core_of(platform, Platform, "platform").unload_compiler()


def enqueue_copy_buffer_p2p_amd(platform: Platform, queue: Any, src: Any, dst: Any, byte_count: int | None = None,
                                wait_for: Any = None) -> Any:
    raise make_error("clGetExtensionFunctionAddressForPlatform", "INVALID_VALUE", "clEnqueueCopyBufferP2PAMD is not available")
