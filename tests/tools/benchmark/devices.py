"""Bandwidth between two devices of one context, beside CUDA's plain peer copy and another OpenCL.

    python tests/tools/benchmark/devices.py                                  # GPUs; NVIDIA's own OpenCL beside cl2cuda
    CL2CUDA_DEVICE=host CL2CUDA_HOST_DEVICES=2 python tests/tools/benchmark/devices.py --stock-platform "" --most 16

Each side runs in a process of its own. Figures are GB/s (10^9 bytes a second) of the best of several turns; every copy is checked once.
How computation scales over devices, examples/heat.py tells.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sides

MIB = 1 << 20
SIZES = (1, 16, 64, 256, 1024)

READ = "kernel void first(global const uchar *x, global uchar *y) { if (get_global_id(0) == 0) y[0] = x[0]; }"


def best(issue: Callable[[], None], settle: Callable[[], Any], size: int, turns: int, reset: Callable[[], None] | None = None) -> float:
    seconds = []
    for _ in range(turns + 1):
        if reset is not None:
            reset()
        settle()
        start = time.perf_counter()
        issue()
        settle()
        seconds.append(time.perf_counter() - start)
    return size / min(seconds[1:]) / 1e9


def measure(platform: str, sizes: list[int], turns: int) -> None:
    """Prints a line for each way and size."""
    import pyopencl as cl

    (found,) = [each for each in cl.get_platforms() if platform in each.name]
    devices = found.get_devices()[:2]
    if len(devices) < 2:
        raise SystemExit(f"{found.name} has {len(devices)} device: two are needed")
    context = cl.Context(devices)
    first, second = (cl.CommandQueue(context, device) for device in devices)
    kernel = cl.Kernel(cl.Program(context, READ).build(), "first")

    def settle() -> None:
        first.finish()
        second.finish()

    for size in sizes:
        data = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
        source, target = (cl.Buffer(context, cl.mem_flags.READ_WRITE, size) for _ in range(2))
        one = cl.Buffer(context, cl.mem_flags.READ_WRITE, 1)

        def give_back(buffer: cl.Buffer = source, data: np.ndarray = data) -> None:
            """The contents are the first device's alone."""
            cl.enqueue_copy(first, buffer, data)

        def copy(source: cl.Buffer = source, target: cl.Buffer = target) -> None:
            cl.enqueue_copy(second, target, source)

        def migrate(buffer: cl.Buffer = source) -> None:
            cl.enqueue_migrate_mem_objects(second, [buffer])

        def use(buffer: cl.Buffer = source, one: cl.Buffer = one) -> None:
            kernel(second, (64,), None, buffer, one)

        give_back()
        cl.enqueue_fill_buffer(second, target, np.uint8(0), 0, size)
        for name, issue, reset in (("copy", copy, give_back), ("migrate", migrate, give_back), ("kernel", use, give_back)):
            print(name, size, best(issue, settle, size, turns, reset), flush=True)
        check(cl, second, target, data)
        check(cl, second, source, data)


def check(cl: Any, queue: Any, buffer: Any, data: np.ndarray) -> None:
    back = np.empty_like(data)
    cl.enqueue_copy(queue, back, buffer)
    if not np.array_equal(back, data):
        raise SystemExit(f"wrong result: a copy of {data.size} bytes between devices")


def measure_cuda(sizes: list[int], turns: int) -> None:
    """cuMemcpyPeerAsync as it is, with peer access enabled where the machine has it."""
    from cl2cuda.runtime.cuda.api import load

    runtime = load().runtime
    for here, there in ((0, 1), (1, 0)):
        runtime.setDevice(here)
        runtime.free(0)
        if runtime.deviceCanAccessPeer(here, there):
            runtime.deviceEnablePeerAccess(there)
    runtime.setDevice(1)
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    for size in sizes:
        runtime.setDevice(0)
        source = runtime.malloc(size)
        runtime.setDevice(1)
        target = runtime.malloc(size)

        def copy(target: int = target, source: int = source, size: int = size) -> None:
            runtime.memcpyPeerAsync(target, 1, source, 0, size, stream)

        data = np.zeros(size, np.uint8)

        def write(source: int = source, data: np.ndarray = data) -> None:
            """The host has written what is copied, as on the other sides: caches are as cold."""
            runtime.memcpy(source, data.ctypes.data, data.nbytes, 1)

        print("copy", size, best(copy, lambda: runtime.streamSynchronize(stream), size, turns, write), flush=True)
        runtime.free(target)
        runtime.setDevice(0)
        runtime.free(source)


def side(command: tuple[str, ...], arguments: argparse.Namespace, name: str) -> dict[tuple[str, int], float]:
    lines = sides.printed(command, __file__, name, "--most", str(arguments.most), "--turns", str(arguments.turns))
    return {(way, int(size)): float(rate) for way, size, rate in map(str.split, lines)}


def cuda_devices() -> int:
    from cl2cuda.runtime.devices.platform import load_driver
    from cl2cuda.runtime.driver.interface import DriverMissing

    try:
        return len(load_driver("cuda").devices())
    except DriverMissing:
        return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stock-platform", default="NVIDIA CUDA", metavar="NAME", help="of the other implementation; empty for none")
    parser.add_argument("--most", type=int, default=1024, help="the largest size, in MiB (default 1024)")
    parser.add_argument("--turns", type=int, default=10, help="of each measurement (default 10)")
    parser.add_argument("--measure", metavar="SIDE", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    sizes = [size * MIB for size in SIZES if size <= arguments.most]
    if arguments.measure == "plain CUDA":
        measure_cuda(sizes, arguments.turns)
        return
    if arguments.measure:
        measure(arguments.measure, sizes, arguments.turns)
        return
    sys.path.insert(0, str(sides.ROOT))
    ours = side(sides.OURS, arguments, "cl2cuda")
    plain = side(sides.STOCK, arguments, "plain CUDA") if cuda_devices() > 1 else {}
    stock = side(sides.STOCK, arguments, arguments.stock_platform) if arguments.stock_platform else {}
    print(f"{'GB/s':24}{'cl2cuda':>10}{'CUDA':>10}{'of it':>8}{'stock':>10}")
    for (way, size), rate in ours.items():
        cuda, other = plain.get(("copy", size)), stock.get((way, size))
        print(f"{way:10}{size // MIB:8} MiB  {rate:10.2f}{cuda or float('nan'):10.2f}{rate / cuda if cuda else float('nan'):8.2f}"
              f"{other or float('nan'):10.2f}")


if __name__ == "__main__":
    main()
