"""What events tell of commands (CL_QUEUE_PROFILING_ENABLE): how long kernels, copies on the device and of the host's take by them.

    python tests/tools/benchmark/event_times.py                         # GPUs; NVIDIA's own OpenCL beside cl2cuda
    CL2CUDA_DEVICE=host python tests/tools/benchmark/event_times.py --stock-platform ""

Plain PyOpenCL; each side runs in a process of its own. A command is enqueued and waited for, over and over, or enqueued behind others like
it; the table shows medians in microseconds, of which the first of its kind is not one.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import sides

SOURCE = """
kernel void empty(global float *x) {}
float repeated(float x, int times) { for (int k = 0; k < times; k++) x = x * 1.0001f + 0.5f; return x; }
kernel void brief(global float *x) { x[get_global_id(0)] = repeated(x[get_global_id(0)], 400); }
kernel void longer(global float *x) { x[get_global_id(0)] = repeated(x[get_global_id(0)], 8000); }
"""
ITEMS = 1 << 16
TOGETHER = 50


def told(event: Any) -> float:
    """Microseconds from the start to the end."""
    took: float = (event.profile.end - event.profile.start) * 1e-3
    return took


def measure(platform: str, turns: int) -> dict[str, float]:
    import pyopencl as cl

    (device, *_) = next(each for each in cl.get_platforms() if platform in each.name).get_devices()
    context = cl.Context([device])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    program = cl.Program(context, SOURCE).build()
    x, y = (cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * ITEMS) for _ in range(2))
    host = np.zeros(ITEMS, np.float32)
    cl.enqueue_copy(queue, x, host)

    def launching(name: str) -> Callable[[], Any]:
        kernel = cl.Kernel(program, name)
        kernel.set_args(x)
        return lambda: cl.enqueue_nd_range_kernel(queue, kernel, (ITEMS,), (256,))

    def alone(command: Callable[[], Any]) -> float:
        found = []
        for _ in range(turns + 1):
            event = command()
            event.wait()
            found.append(told(event))
        return statistics.median(found[1:])

    def behind_others(command: Callable[[], Any]) -> float:
        found = []
        for _ in range(max(1, turns // TOGETHER)):
            events = [command() for _ in range(TOGETHER)]
            queue.finish()
            found += map(told, events[1:])
        return statistics.median(found)

    rows = {}
    for name in ("empty", "brief", "longer"):
        rows[f"{name} kernel, waited for"] = alone(launching(name))
        rows[f"{name} kernel, behind others"] = behind_others(launching(name))
    small = np.zeros(16, np.float32)
    copies: dict[str, Callable[[], Any]] = {
        "copy of 256 KiB on the device": lambda: cl.enqueue_copy(queue, y, x), "write of 64 B": lambda: cl.enqueue_copy(queue, x, small),
        "read of 64 B": lambda: cl.enqueue_copy(queue, small, x), "write of 256 KiB": lambda: cl.enqueue_copy(queue, x, host),
        "read of 256 KiB": lambda: cl.enqueue_copy(queue, host, x)}
    return rows | {name: alone(command) for name, command in copies.items()}


def side(command: tuple[str, ...], arguments: argparse.Namespace, name: str) -> dict[str, float]:
    rows: dict[str, float] = json.loads(sides.printed(command, __file__, name, "--turns", str(arguments.turns))[-1])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stock-platform", default="NVIDIA CUDA", metavar="NAME", help="of the other implementation; empty for none")
    parser.add_argument("--turns", type=int, default=200, help="how often each command is enqueued (default 200)")
    parser.add_argument("--measure", metavar="SIDE", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(arguments.measure, arguments.turns)))
        return
    stock = side(sides.STOCK, arguments, arguments.stock_platform) if arguments.stock_platform else {}
    print(f"{'microseconds':36}{'stock':>10}{'cl2cuda':>10}{'ratio':>8}")
    for name, value in side(sides.OURS, arguments, "cl2cuda").items():
        other = stock.get(name)
        print(f"{name:36}{f'{other:10.2f}' if other else '':10}{value:10.2f}{f'{value / other:8.2f}' if other else ''}")


if __name__ == "__main__":
    main()
