"""What the host device says of itself: facts read from the operating system, Linux first, plain guesses elsewhere."""

from __future__ import annotations

import os
import platform
import re
import uuid
from pathlib import Path

from ..driver.properties import DeviceProperties, ImageLimits
from ..process import environment, processors
from ..spec import codes

VENDOR_ID = 0x636C3263  # "cl2c": no PCI vendor, since this is no device of anybody's
# Coordinates are of 32 bits, offsets of 64: memory ends before images do. Elements need no other alignment than their own.
IMAGES = ImageLimits(plane=(1 << 16, 1 << 16), volume=(1 << 14, 1 << 14, 1 << 14), layers=1 << 14, buffer=1 << 28, pitch_align=1,
                     base_align=1)
DRIVER_VERSION = "host 1.0"  # of this driver; it has no other software under it that could be named


def read(path: str, limit: int = 8192) -> str:
    """The beginning of a file of /proc or /sys, "" where there is none. /proc/cpuinfo takes long on many cores."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read(limit)
    except OSError:
        return ""


def cpu_facts() -> dict[str, str]:
    """The first processor's lines of /proc/cpuinfo."""
    first = read("/proc/cpuinfo").split("\n\n")[0]
    return {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in first.splitlines())}


def cpu_name(facts: dict[str, str]) -> str:
    name = facts.get("model name") or platform.processor() or platform.machine() or "unknown processor"
    return re.sub(r"\((R|TM)\)|\bProcessor\b|\bCPU\b|@.*", "", name).strip().replace("  ", " ") or platform.machine()


def clock_mhz(facts: dict[str, str]) -> int:
    highest = read("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").strip()  # kHz
    if highest.isdigit():
        return int(highest) // 1000
    try:
        return int(float(facts["cpu MHz"]))
    except (KeyError, ValueError):
        return 1000


def physical_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 4 << 30


def caches() -> tuple[int, int]:
    """(bytes of the largest cache, bytes of its line)."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    found = []
    for index in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"):
        size = re.fullmatch(r"(\d+)([KMG]?)", read(f"{index}/size").strip())
        line = read(f"{index}/coherency_line_size").strip()
        if size and line.isdigit():
            found.append((int(size[1]) * units.get(size[2], 1), int(line)))
    return max(found, default=(1 << 20, 64))


def machine_uuid() -> bytes:
    """The same in every process, and of no other machine; where the machine has an identity, at every start of it."""
    places = ("/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/sys/kernel/random/boot_id")
    machine = next(filter(None, (read(place).strip() for place in places)), f"{uuid.getnode():x}")
    return uuid.uuid5(uuid.NAMESPACE_OID, f"cl2cuda host device of {machine}").bytes


def host_properties() -> DeviceProperties:
    facts = cpu_facts()
    memory = physical_memory()
    cache, line = caches()
    return DeviceProperties(
        name=f"cl2cuda host device ({cpu_name(facts)})",
        vendor="cl2cuda",
        vendor_id=VENDOR_ID,
        is_gpu=False,
        compute_units=processors.count(),
        clock_mhz=clock_mhz(facts),
        global_memory=memory,
        max_allocation=max(memory // 2, 128 << 20),
        local_memory=128 << 10,
        constant_memory=max(memory // 2, 64 << 10),
        global_cache=cache,
        global_cacheline=line,
        max_work_group_size=1024,
        max_work_item_sizes=(1024, 1024, 1024),
        sub_group_size=32,
        max_parameter_size=32764,  # as CUDA has it: nothing here sets a limit
        base_address_align=128,
        unified_memory=True,
        driver_version=DRIVER_VERSION,
        extensions=(),
        images=IMAGES,
        extra={"uuid": machine_uuid()},
        item_loops=not environment.flag("CL2CUDA_HOST_FIBERS"),
        # The device's memory is the host's: every pointer of the process goes, and the processor's atomics with it.
        shared_memory=codes.DEVICE_SVM_COARSE_GRAIN_BUFFER | codes.DEVICE_SVM_FINE_GRAIN_BUFFER
        | codes.DEVICE_SVM_FINE_GRAIN_SYSTEM | codes.DEVICE_SVM_ATOMICS,
    )
