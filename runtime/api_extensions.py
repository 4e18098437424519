"""The extensions of the API, which programs in OpenCL C cannot see; those of the language are in builtins/extensions.py.

One row an extension: its version, and which devices have it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ApiExtension:
    name: str
    version: tuple[int, int, int] = (1, 0, 0)
    offered: Callable[[Any], bool] = lambda device: True


def _cuda(device: Any) -> bool:
    return device.is_cuda


API_EXTENSIONS = (
    ApiExtension("cl_khr_create_command_queue"),
    ApiExtension("cl_khr_priority_hints"),
    ApiExtension("cl_khr_suggested_local_work_size"),
    ApiExtension("cl_khr_throttle_hints"),
    ApiExtension("cl_nv_device_attribute_query", offered=_cuda),
)
