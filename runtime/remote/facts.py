"""Facts of the drivers' interface as plain data for frames, and back."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..driver.image_formats import ORDERS, TYPES, ImageFormat
from ..driver.image_layout import ImageLayout
from ..driver.interface import BuildFailure, DeviceLost, DriverError, Linear, Triple
from ..driver.properties import DeviceProperties, ImageLimits

# What needs the client's own machine.
_LOCAL = ("memory_handles", "semaphore_handles", "gl_devices")


class WorkerLost(DeviceLost):
    """The worker has gone, or nothing comes from it any more."""

    def __init__(self, message: str):
        super().__init__(message)
        self.status = "DEVICE_NOT_AVAILABLE"


def triple(values: Any) -> Triple:
    x, y, z = values
    return int(x), int(y), int(z)


def from_properties(properties: DeviceProperties) -> dict[str, Any]:
    return dataclasses.asdict(properties)


def to_properties(data: dict[str, Any], host: str) -> DeviceProperties:
    """The device's properties as a client sees them: named with its host, and with memory that is not the client's."""
    images = data.pop("images")
    limits = ImageLimits(tuple(images.pop("plane")), triple(images.pop("volume")), **images) if images else None
    extra = {name: tuple(value) if isinstance(value, list) else value for name, value in data.pop("extra").items() if name not in _LOCAL}
    data.update(name=f"{data['name']} on {host}", unified_memory=False, shared_memory=0, extensions=tuple(data["extensions"]),
                max_work_item_sizes=triple(data["max_work_item_sizes"]))
    return DeviceProperties(**data, images=limits, extra=extra)


def from_format(format: ImageFormat) -> tuple[str, str]:
    return format.order.name, format.type.name


def to_format(data: Any) -> ImageFormat:
    order, type_ = data
    return ImageFormat(ORDERS[order], TYPES[type_])


def from_layout(layout: ImageLayout) -> list[Any]:
    return [layout.dimensions, from_format(layout.format), layout.width, layout.height, layout.depth, layout.layers, layout.levels]


def to_layout(data: Any) -> ImageLayout:
    dimensions, format, *sizes = data
    return ImageLayout(dimensions, to_format(format), *sizes)


def to_linear(data: Any) -> Linear | None:
    return None if data is None else Linear(*data)


def from_failure(error: Exception) -> list[str]:
    """A failure as (kind, status, message)."""
    if isinstance(error, BuildFailure):
        return ["build", "", error.log]
    kind = "lost" if isinstance(error, DeviceLost) else "driver"
    return [kind, error.status if isinstance(error, DriverError) else "OUT_OF_RESOURCES", str(error)]


def to_failure(data: Any) -> DriverError | BuildFailure:
    kind, status, message = data
    if kind == "build":
        return BuildFailure(message)
    return DeviceLost(message) if kind == "lost" else DriverError(message, status)
