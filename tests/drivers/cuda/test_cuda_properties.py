"""What the CUDA driver tells of a GPU, beside what NVIDIA's management library tells of the same one, and what its clock shows."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from cl2cuda import pyopencl as cl

LAUNCHES = 300


def managed(*names: str) -> list[list[str]]:
    """For each GPU the values of these names, without units."""
    if not shutil.which("nvidia-smi"):
        pytest.skip("nvidia-smi is not installed")
    done = subprocess.run(["nvidia-smi", f"--query-gpu={','.join(names)}", "--format=csv,noheader,nounits"],
                          capture_output=True, text=True, check=True)
    return [[each.strip() for each in line.split(",")] for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def gpu():
    """The first GPU, as OpenCL tells of it."""
    found = [device for platform in cl.get_platforms() for device in platform.get_devices() if device.type & cl.device_type.GPU]
    if not found:
        pytest.skip("no CUDA device")
    return found[0]


def matching(gpu, *names: str) -> list[str]:
    """The values of the GPU with the device's UUID."""
    own = bytes(gpu._core.properties.extra["uuid"]).hex()
    found = [values for uuid, *values in managed("uuid", *names) if uuid.removeprefix("GPU-").replace("-", "") == own]
    if not found:
        pytest.skip("nvidia-smi does not list the device by its UUID, as it does not list parts of a GPU")
    return found[0]


def test_clock_rates(gpu):
    """In MHz; memory moves twice a cycle."""
    processors, memory = map(int, matching(gpu, "clocks.max.sm", "clocks.max.memory"))
    properties = gpu._core.properties
    assert gpu.max_clock_frequency == processors
    bits = properties.extra["peak_bandwidth"] * 8 / (2e6 * memory)
    assert bits == pytest.approx(round(bits), rel=1e-3) and round(bits) % 32 == 0  # the width of the bus
    per_cycle = properties.extra["peak_flops"] / (2e6 * processors * gpu.max_compute_units)
    assert per_cycle in (64, 128)


def test_memory_and_place(gpu):
    total, bus, ecc = matching(gpu, "memory.total", "pci.bus_id", "ecc.mode.current")
    assert gpu.global_mem_size <= int(total) << 20 < gpu.global_mem_size * 1.1
    domain, number, slot = bus.split(".")[0].split(":")
    extra = gpu._core.properties.extra
    assert (extra["pci_domain_id"], extra["pci_bus_id"], extra["pci_slot_id"]) == (int(domain, 16), int(number, 16), int(slot, 16))
    assert gpu.error_correction_support == (ecc == "Enabled")


def test_cache(gpu):
    """As CUDA describes the device as a whole, which is another query than that of attributes."""
    cuda = gpu._core.driver_device.cuda
    assert gpu.global_mem_cache_size == cuda.runtime.getDeviceProperties(gpu._core.driver_device.ordinal)["l2CacheSize"] > 0
    assert gpu.global_mem_cacheline_size == 128


def test_times_are_as_fine_as_the_resolution(gpu):
    """Times of launches that take a little more each differ by less than the resolution that is told, in nanoseconds."""
    context = cl.Context([gpu])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    spin = cl.Program(context, """__kernel void spin(__global int *x, int count)
    {
        int v = x[0];
        for (int i = 0; i < count; i++)
            v = v * 1664525 + 1013904223;
        x[0] = v;
    }""").build().spin
    buffer, lasted = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4), set()
    for count in range(LAUNCHES):
        spin.set_args(buffer, cl.cltypes.int(8 * count))
        event = cl.enqueue_nd_range_kernel(queue, spin, (1,), (1,))
        event.wait()
        lasted.add(event.profile.end - event.profile.start)
    steps = [later - earlier for earlier, later in zip(sorted(lasted), sorted(lasted)[1:], strict=False)]
    assert len(lasted) > LAUNCHES // 10 and min(steps) <= gpu.profiling_timer_resolution
    assert max(lasted) - min(lasted) > gpu.profiling_timer_resolution
