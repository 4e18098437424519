"""The extensions of the API, which programs in OpenCL C cannot see; those of the language are in
builtins/extensions.py.

One row an extension: its version, and which devices have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol


class Properties(Protocol):
    """`extra` holds what only some drivers know."""

    @property
    def extra(self) -> Mapping[str, Any]: ...
    @property
    def shared_memory(self) -> int: ...
    @property
    def images(self) -> object | None: ...


class Driver(Protocol):
    @property
    def graphics(self) -> object | None: ...


class OfferingDevice(Protocol):
    """What decides whether a device has an extension."""

    @property
    def driver_device(self) -> Driver: ...

    @property
    def is_cuda(self) -> bool: ...
    @property
    def properties(self) -> Properties: ...


class ApiExtension(NamedTuple):
    """An extension of the API, and the devices that offer it."""

    name: str
    version: tuple[int, int, int] = (1, 0, 0)
    offered: Callable[[OfferingDevice], bool] = lambda device: True


def _cuda(device: OfferingDevice) -> bool:
    return device.is_cuda


def _shares(device: OfferingDevice) -> bool:
    return device.properties.shared_memory != 0


def _graphics(device: OfferingDevice) -> bool:
    return device.driver_device.graphics is not None


def _images(device: OfferingDevice) -> bool:
    return device.properties.images is not None


def _imports(what: str) -> Callable[[OfferingDevice], bool]:
    return lambda device: bool(device.properties.extra.get(what))


API_EXTENSIONS = (
    ApiExtension("cl_ext_buffer_device_address", (1, 0, 2)),
    ApiExtension("cl_ext_image_from_buffer", offered=_images),
    ApiExtension("cl_ext_immutable_memory_objects"),
    ApiExtension("cl_ext_image_requirements_info", (0, 5, 0), _images),
    ApiExtension("cl_intel_create_buffer_with_properties"),
    ApiExtension("cl_intel_global_variable_access", (0, 9, 0), _shares),
    ApiExtension("cl_intel_spirv_media_block_io"),
    ApiExtension("cl_intel_spirv_subgroups"),
    ApiExtension("cl_intel_unified_shared_memory", (1, 2, 0), _shares),
    ApiExtension("cl_khr_command_buffer", (0, 9, 8)),
    ApiExtension("cl_khr_command_buffer_mutable_dispatch", (0, 9, 5)),
    ApiExtension("cl_khr_device_uuid", offered=lambda device: "uuid" in device.properties.extra),
    ApiExtension("cl_khr_pci_bus_info", offered=lambda device: "pci_bus_id" in device.properties.extra),
    ApiExtension("cl_khr_semaphore"),
    ApiExtension("cl_khr_external_memory", offered=_imports("memory_handles")),
    ApiExtension("cl_khr_external_memory_opaque_fd", offered=_imports("memory_handles")),
    ApiExtension("cl_khr_external_semaphore", (1, 0, 1), _imports("semaphore_handles")),
    ApiExtension("cl_khr_external_semaphore_opaque_fd", offered=_imports("semaphore_handles")),
    ApiExtension("cl_khr_gl_sharing", offered=_graphics),
    ApiExtension("cl_khr_gl_depth_images", offered=_graphics),
    ApiExtension("cl_khr_gl_event", offered=_graphics),
    ApiExtension("cl_khr_egl_image", offered=_graphics),
    ApiExtension("cl_khr_egl_event", offered=_graphics),
    ApiExtension("cl_khr_create_command_queue"),
    ApiExtension("cl_khr_il_program"),
    ApiExtension("cl_khr_priority_hints"),
    ApiExtension("cl_khr_spirv_queries"),
    ApiExtension("cl_khr_suggested_local_work_size"),
    ApiExtension("cl_khr_throttle_hints"),
    ApiExtension("cl_nv_device_attribute_query", offered=_cuda),
)
