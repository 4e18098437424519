"""Devices to ask cl2cuda's tables by, the same on every machine, without a GPU or a compiler."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from cl2cuda.runtime.cuda import properties, shared_memory
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.devices.platform import Platform
from cl2cuda.runtime.host.device import HostDevice
from cl2cuda.runtime.host.graphics import HostGraphics
from cl2cuda.runtime.host.properties import host_properties

# A current GPU on PCI Express: it has everything but the host's memory.
_ATTRIBUTES = {properties.CAPABILITY_MAJOR: 9, properties.INTEGRATED: 0, shared_memory.PAGEABLE_MEMORY_ACCESS: 0}


class AnyGpu:
    """What a device's queries ask of CUDA. Numbers that are not in the table are large ones: no page shows them."""

    library = object()
    shared_memory_addresses = None
    driver = SimpleNamespace(ctxGetCurrent=lambda: 0)
    runtime = SimpleNamespace(
        deviceGetAttribute=lambda number, ordinal: _ATTRIBUTES.get(number, 1024),
        driverGetVersion=lambda: 13000)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(*arguments)

    def description(self, ordinal: int) -> dict[str, Any]:
        return {"name": "a GPU", "totalGlobalMem": 1 << 36, "uuid": bytes(16)}


class AnyHost(HostDevice):
    """With the libraries of OpenGL, whether this machine has them or not."""

    graphics = property(HostGraphics)  # type: ignore[assignment]


class AnyCudaDevice(CudaDevice):
    """With NVIDIA's OpenGL, which a page does not ask for anything."""

    graphics = property(lambda device: device)  # type: ignore[assignment]


def gpu() -> Device:
    driver = AnyCudaDevice(AnyGpu(), 0)  # type: ignore[arg-type]
    driver.properties.extra["semaphore_handles"] = ("opaque_fd",)  # as where NVIDIA's Vulkan is installed
    return Device(Platform(), "cuda", driver)


def host() -> Device:
    return Device(Platform(), "host", AnyHost(dataclasses.replace(host_properties(), compute_units=8)))
