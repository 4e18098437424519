"""The platform and its devices (4.1 to 4.3)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..runtime.devices import device as devices
from ..runtime.devices import partition
from ..runtime.devices import platform as platforms
from ..runtime.devices.queries import QUERIES as DEVICE_QUERIES
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from ..runtime.spec.queries import QueryTable, version
from . import application
from .handles import handle_of, new_handle
from .packing import info

_ICD = ("cl_khr_icd", version(2, 0, 0))
ICD_SUFFIX = "CL2CUDA"
# SYCL's runtime passes over platforms with "NVIDIA CUDA" in their name.
NAME_FOR_SYCL = "cl2cuda (NVIDIA through CUDA)"
_SYCLS_LIBRARIES = re.compile(r"/lib(sycl(-preview)?|ur_loader)\.so")


def _name(platform: platforms.Platform) -> str:
    try:
        is_sycl = _SYCLS_LIBRARIES.search(Path("/proc/self/maps").read_text(errors="replace"))
    except OSError:  # a system without
        is_sycl = None
    return NAME_FOR_SYCL if is_sycl else str(platform.get_info(codes.PLATFORM_NAME))


def _with_icd(platform: platforms.Platform) -> tuple[tuple[str, int], ...]:
    return (_ICD, *platform.get_info(0x0907))


# What is true of the platform as an installable driver only (cl_khr_icd), before what is always true.
_QUERIES = QueryTable[platforms.Platform]("clGetPlatformInfo", (
    *((row.name, row.type, row.value) for row in platforms.QUERIES.rows
      if row.name not in ("PLATFORM_NAME", "PLATFORM_EXTENSIONS", "PLATFORM_EXTENSIONS_WITH_VERSION")),
    ("PLATFORM_NAME", "string", _name),
    ("PLATFORM_EXTENSIONS", "string", lambda p: " ".join(name for name, _ in _with_icd(p))),
    ("PLATFORM_EXTENSIONS_WITH_VERSION", "name_version[]", _with_icd),
    ("PLATFORM_ICD_SUFFIX_KHR", "string", lambda p: ICD_SUFFIX),
))


def only_platform() -> platforms.Platform:
    return platforms.platforms()[0]


def clGetPlatformInfo(platform: Any, param: int) -> bytes:
    return info(_QUERIES, platform or only_platform(), param)


def clUnloadPlatformCompiler(platform: Any) -> None:
    if platform is None:
        raise CLError("clUnloadPlatformCompiler", "INVALID_PLATFORM", "the platform is NULL")
    platform.unload_compiler()


def clGetDeviceIDs(platform: Any, type_: int, room: int, address: int, count: int) -> None:
    routine = "clGetDeviceIDs"
    if not address and not count:
        raise CLError(routine, "INVALID_VALUE", "neither an array nor a place for the number of devices is given")
    found = (platform or only_platform()).devices(_type_mask(type_))
    if not found:
        raise CLError(routine, "DEVICE_NOT_FOUND", f"the platform has no device of type {type_:#x}")
    application.put_list(routine, [handle_of(one) for one in found], room, address, count)


def _type_mask(type_: int) -> int:
    """CL_DEVICE_TYPE_ALL is 0xFFFFFFFF; programs also give all 64 bits."""
    return codes.DEVICE_TYPE_ALL if type_ == 2**64 - 1 else type_


def clGetDeviceInfo(device: devices.Device, param: int) -> bytes:
    return info(DEVICE_QUERIES, device, param)


def clGetDeviceAndHostTimer(device: devices.Device, device_time: int, host_time: int) -> None:
    if not device_time or not host_time:
        raise CLError("clGetDeviceAndHostTimer", "INVALID_VALUE", "a place for the time is NULL")
    there, here = device.timers()
    application.put_words(device_time, (there,))
    application.put_words(host_time, (here,))


def clGetHostTimer(device: devices.Device, host_time: int) -> None:
    if not host_time:
        raise CLError("clGetHostTimer", "INVALID_VALUE", "the place for the time is NULL")
    application.put_words(host_time, (device.host_timer(),))


def clCreateSubDevices(device: devices.Device, properties: int, room: int, address: int, count: int) -> None:
    if not properties:
        raise CLError("clCreateSubDevices", "INVALID_VALUE", "the properties are NULL")
    parts = partition.create_sub_devices(device, _partition(properties))
    if address and room < len(parts):
        raise CLError("clCreateSubDevices", "INVALID_VALUE", f"{len(parts)} sub-devices do not fit into an array of {room}")
    if address:
        application.put_words(address, [new_handle(part, device) for part in parts])
    application.put_uint(count, len(parts))


def _partition(address: int) -> list[int]:
    """The list with its closing 0. Counts are "terminated with 0 or CL_DEVICE_PARTITION_BY_COUNTS_LIST_END" (4.3), which is 0, too: what
    is behind it is not read, since applications leave the 0 that closes the whole list out there."""
    found: list[int] = []
    while True:
        word = application.words(address + 8 * len(found), 1)[0]
        found.append(word if word < 2**63 else word - 2**64)
        if word == 0:
            return [*found, 0] if found[0] == codes.DEVICE_PARTITION_BY_COUNTS else found
