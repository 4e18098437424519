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
    ApiExtension("cl_khr_command_buffer", (0, 9, 5)),
    ApiExtension("cl_khr_command_buffer_mutable_dispatch", (0, 9, 3)),
    ApiExtension("cl_nv_device_attribute_query", offered=_cuda),
)
