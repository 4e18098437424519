"""What the host device says of the machine, against what the operating system says of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.devices import first

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.map import enqueue_map_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="/proc and /sys are Linux's")
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
ASKED = """
import os
{before}
from cl2cuda.runtime.host.properties import host_properties
found = host_properties()
print(found.compute_units, found.extra["uuid"].hex())
"""


@pytest.fixture
def host() -> Device:
    return first("host")


def fact(device: Device, name: str):
    return device.get_info(getattr(codes, f"DEVICE_{name}"))


def asked_anew(before: str = "") -> list[str]:
    """Compute units and UUID, as another process finds them."""
    return subprocess.run([sys.executable, "-c", ASKED.format(before=before)], capture_output=True, text=True, check=True).stdout.split()


def lines_of(path: str) -> dict[str, str]:
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in Path(path).read_text().splitlines())}


def test_compute_units_are_the_processors_that_the_process_may_use(host):
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert fact(host, "MAX_COMPUTE_UNITS") == processors
    assert fact(host, "PARTITION_MAX_SUB_DEVICES") == processors
    divided = (codes.DEVICE_PARTITION_EQUALLY, codes.DEVICE_PARTITION_BY_COUNTS)
    assert fact(host, "PARTITION_PROPERTIES") == (divided if processors > 1 else (0,))


@LINUX
def test_a_process_that_may_use_one_processor_has_one_compute_unit():
    assert asked_anew("os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})")[0] == "1"


def test_the_uuid_is_the_machines(host):
    assert asked_anew()[1] == fact(host, "UUID_KHR").hex()


@LINUX
def test_memory_is_the_machines(host):
    kilobytes = int(lines_of("/proc/meminfo")["MemTotal"].split()[0])
    assert fact(host, "GLOBAL_MEM_SIZE") == kilobytes << 10


@LINUX
def test_the_cache_is_the_machines_largest(host):
    units = {"K": 10, "M": 20, "G": 30}
    texts = [((CACHES / each.name / "size").read_text().strip(), int((CACHES / each.name / "coherency_line_size").read_text()))
             for each in CACHES.glob("index*")]
    if not texts:
        pytest.skip("the system tells of no caches")
    sizes = [(int(text[:-1]) << units[text[-1]], line) for text, line in texts]
    assert (fact(host, "GLOBAL_MEM_CACHE_SIZE"), fact(host, "GLOBAL_MEM_CACHELINE_SIZE")) == max(sizes)


@LINUX
def test_the_name_is_the_processors(host):
    model = lines_of("/proc/cpuinfo").get("model name")
    if model is None:
        pytest.skip("the system tells of no model")
    plain = re.sub(r"\((R|TM)\)", "", model)
    assert plain.split()[0] in fact(host, "NAME") and "@" not in fact(host, "NAME")


def test_the_clock_of_profiling_is_the_hosts(host):
    assert fact(host, "PROFILING_TIMER_RESOLUTION") == max(1, round(time.get_clock_info("perf_counter").resolution * 1e9))
    before, (device, told), after = time.perf_counter_ns(), host.timers(), time.perf_counter_ns()
    assert before <= device <= told <= after


def test_the_largest_buffer_is_there_from_end_to_end(host):
    """Of its pages the system gives those that are written."""
    most = fact(host, "MAX_MEM_ALLOC_SIZE")
    queue = CommandQueue(Context([host]), host)
    buffer = Buffer(queue.context, 0, most)
    found = bytearray(8)
    for at in (0, most // 2, most - 8):
        enqueue_write_buffer(queue, buffer, True, at, at.to_bytes(8, "little"))
    for at in (0, most // 2, most - 8):
        enqueue_read_buffer(queue, buffer, True, at, found)
        assert int.from_bytes(found, "little") == at


def test_memory_is_the_hosts_own(host):
    """A region is mapped where kernels have it."""
    assert fact(host, "HOST_UNIFIED_MEMORY") and fact(host, "LOCAL_MEM_TYPE") == codes.GLOBAL
    context = Context([host])
    queue, buffer = CommandQueue(context, host), Buffer(context, 0, 64)
    program = Program(context, "kernel void f(global ulong *out) { out[2] = (ulong)out; }")
    program.build()
    kernel = Kernel(program, "f")
    kernel.set_arg(0, buffer)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), None)
    mapped, _ = enqueue_map_buffer(queue, buffer, True, codes.MAP_READ, 0, 64)
    there = np.frombuffer(mapped, np.uint64)
    assert there[2] == there.ctypes.data
