"""`cl2cuda info`: what clinfo shows of cl2cuda's platform and devices, from the runtime's own query tables."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import metadata
from typing import Any

from .. import cluster
from ..pyopencl_cl.constants import TABLE
from ..runtime.devices import platform as runtime_platform
from ..runtime.devices.queries import QUERIES as DEVICE_QUERIES
from ..runtime.driver.interface import DriverError
from ..runtime.native import library as native
from ..runtime.process import disk_cache, environment
from ..runtime.spec.errors import CLError
from ..runtime.spec.queries import QueryTable, Subject
from ..version import VERSION

# How a number is to be read, by query: the constant class that has its names.
_NAMES_OF = {
    "DEVICE_TYPE": "device_type", "DEVICE_SINGLE_FP_CONFIG": "device_fp_config", "DEVICE_DOUBLE_FP_CONFIG": "device_fp_config",
    "DEVICE_HALF_FP_CONFIG": "device_fp_config", "DEVICE_GLOBAL_MEM_CACHE_TYPE": "device_mem_cache_type",
    "DEVICE_LOCAL_MEM_TYPE": "device_local_mem_type", "DEVICE_EXECUTION_CAPABILITIES": "device_exec_capabilities",
    "DEVICE_QUEUE_ON_HOST_PROPERTIES": "command_queue_properties", "DEVICE_QUEUE_ON_DEVICE_PROPERTIES": "command_queue_properties",
    "DEVICE_SVM_CAPABILITIES": "device_svm_capabilities", "DEVICE_ATOMIC_MEMORY_CAPABILITIES": "device_atomic_capabilities",
    "DEVICE_ATOMIC_FENCE_CAPABILITIES": "device_atomic_capabilities",
    "DEVICE_DEVICE_ENQUEUE_CAPABILITIES": "device_device_enqueue_capabilities",
    "DEVICE_PARTITION_AFFINITY_DOMAIN": "device_affinity_domain",
}
_BYTES = {
    "DEVICE_GLOBAL_MEM_SIZE", "DEVICE_GLOBAL_MEM_CACHE_SIZE", "DEVICE_MAX_MEM_ALLOC_SIZE", "DEVICE_LOCAL_MEM_SIZE",
    "DEVICE_MAX_CONSTANT_BUFFER_SIZE", "DEVICE_PRINTF_BUFFER_SIZE",
}
_VERSIONS = {"PLATFORM_NUMERIC_VERSION", "DEVICE_NUMERIC_VERSION"}


def add_parsers(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser(
        "info", help="show the platform and its devices, as clinfo does",
        description="Show the platform and the devices that programs find. CL2CUDA_DEVICE=cuda, remote, host or all chooses the devices.")
    parser.add_argument("--json", action="store_true", help="the same for programs: raw values, one JSON object")
    parser.set_defaults(func=info)


def info(parsed: argparse.Namespace) -> int:
    """0; 1 if there is no device."""
    cluster.join()
    platform = runtime_platform.platforms()[0]
    try:
        devices = platform.devices()
        shown = {
            "cl2cuda": VERSION,
            "pyopencl": _version_of("pyopencl"),
            "cache": _cache(),
            "compiled_calls": native.calls() is not None,
            "platform": answers(runtime_platform.QUERIES, platform),
            "devices": [answers(DEVICE_QUERIES, device) for device in devices],
        }
    except (CLError, DriverError) as error:
        print(f"cl2cuda: {error}", file=sys.stderr)
        return 1
    print(json.dumps(shown, indent=2) if parsed.json else as_text(shown))
    if not devices:
        print(f"cl2cuda: no device found. {_why_none()}", file=sys.stderr)
        return 1
    return 0


def _version_of(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _cache() -> dict[str, Any] | None:
    """Where built programs are kept, how many, and how much room they take and may take; None where the cache is off."""
    folder = disk_cache.directory()
    if folder is None:
        return None
    programs, size = disk_cache.used()
    return {"folder": str(folder), "programs": programs, "size": size, "limit": disk_cache.size_limit()}


def _cache_text(found: dict[str, Any] | None) -> str:
    if found is None:
        return "Programs are not kept: CL2CUDA_NO_CACHE is set"
    count = f"{found['programs']} program{'s' * (found['programs'] != 1)}"
    return f"Built programs are kept in {found['folder']}: {count}, {_size(found['size'])} of {_size(found['limit'])}"


def _calls_text(compiled: bool) -> str:
    if compiled:
        return "Calls are compiled"
    if environment.text("CL2CUDA_NATIVE_CALLS") == "0":
        return "Calls take all their steps in Python: CL2CUDA_NATIVE_CALLS is 0"
    return ("Calls take all their steps in Python, which is slower: this Python does not load them, or they were not compiled. With a C "
            f"compiler, `{native.COMPILES_THEM}` does it for a source tree, a new installation for itself")


def _why_none() -> str:
    choice = environment.text("CL2CUDA_DEVICE")
    if choice:
        return f"CL2CUDA_DEVICE is {choice!r}: unset it to see every usable device."
    return "cl2cuda needs an NVIDIA GPU with its driver, or a C++ compiler (g++, clang++, or 'pip install cl2cuda[host]')."


def answers(table: QueryTable[Subject], subject: Subject) -> dict[str, Any]:
    """All queries that the object answers, by name without CL_; objects are left out, bytes are in hexadecimal."""
    found = {}
    for row in table.rows:
        if row.type == "object":
            continue
        try:
            value = table.get(subject, row.code)
        except CLError:
            continue
        found[row.name] = value.hex() if isinstance(value, bytes) else value
    return found


def as_text(shown: dict[str, Any]) -> str:
    lines = [f"cl2cuda {shown['cl2cuda']}, PyOpenCL {shown['pyopencl'] or 'not installed'}", _cache_text(shown["cache"]),
             _calls_text(shown["compiled_calls"]), "", "Platform"]
    lines += section(shown["platform"])
    for number, device in enumerate(shown["devices"]):
        lines += ["", f"Device {number}: {device['DEVICE_NAME']}", *section(device)]
    return "\n".join(lines)


def section(values: dict[str, Any]) -> list[str]:
    width = max(len(name) for name in values)
    return [f"  {name:{width}}  {readable(name, value)}" for name, value in values.items()]


def readable(name: str, value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return ", ".join(_named_version(item) if isinstance(item, tuple) else str(item) for item in value) or "none"
    if name in _NAMES_OF and isinstance(value, int):
        return _constant_names(_NAMES_OF[name], value)
    if name in _VERSIONS:
        return _version(value)
    if name in _BYTES:
        return f"{value} ({_size(value)})"
    return str(value) if value != "" else "none"


def _constant_names(class_name: str, value: int) -> str:
    names = [name for name, bits in TABLE[class_name].items() if bits and bits & value == bits and name != "ALL"]
    return " ".join(names) or "none"


def _version(number: int) -> str:
    """cl_version: 10 bits major, 10 bits minor, 12 bits patch."""
    return f"{number >> 22}.{number >> 12 & 0x3FF}.{number & 0xFFF}"


def _named_version(pair: tuple[str, int]) -> str:
    return f"{pair[0]} {_version(pair[1])}"


def _size(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.4g} {unit}"
        count /= 1024
    raise AssertionError
