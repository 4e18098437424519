"""How costs grow: launches a second by several threads, each with a queue of its own, and what an object of each kind takes of memory.

    python tests/tools/benchmark/growth.py                              # GPUs; NVIDIA's own OpenCL beside cl2cuda
    CL2CUDA_DEVICE=host python tests/tools/benchmark/growth.py --stock-platform ""

Plain PyOpenCL; each side runs in a process of its own. Launches are of one work-item, of a kernel with two arguments that are set
already; each thread's are counted by the kernel. Memory is what the process has grown by while so many objects were made and kept,
by each of them; events are of launches that have ended.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sides

THREADS = (1, 2, 4, 8, 16)

SOURCE = "kernel void add(global uint *count, uint by) { if (get_global_id(0) == 0) count[0] += by; }"


def resident() -> int:
    """Bytes of the process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def launches(cl: Any, context: Any, program: Any, threads: int, each: int) -> float:
    """A second, of all threads together."""
    queues = [cl.CommandQueue(context) for _ in range(threads)]
    kernels = [cl.Kernel(program, "add") for _ in queues]
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(1, np.uint32)) for _ in queues]
    for kernel, buffer in zip(kernels, buffers, strict=True):
        kernel.set_args(buffer, np.uint32(1))
    start, ends = threading.Barrier(threads + 1), threading.Barrier(threads + 1)

    def work(queue: Any, kernel: Any) -> None:
        cl.enqueue_nd_range_kernel(queue, kernel, (1,), (1,))
        queue.finish()
        start.wait()
        for _ in range(each):
            cl.enqueue_nd_range_kernel(queue, kernel, (1,), (1,))
        queue.finish()
        ends.wait()

    workers = [threading.Thread(target=work, args=pair) for pair in zip(queues, kernels, strict=True)]
    for worker in workers:
        worker.start()
    start.wait()
    begun = time.perf_counter()
    ends.wait()
    taken = time.perf_counter() - begun
    for worker, queue, buffer in zip(workers, queues, buffers, strict=True):
        worker.join()
        found = np.zeros(1, np.uint32)
        cl.enqueue_copy(queue, found, buffer)
        if found[0] != each + 1:
            raise SystemExit(f"wrong result: {found[0]} launches have run instead of {each + 1}")
    return threads * each / taken


def memory(make: Callable[[], object], count: int) -> float:
    """Bytes for each of so many objects."""
    kept = [make() for _ in range(count // 10)]  # what the first ones bring along
    gc.collect()
    before = resident()
    kept += [make() for _ in range(count)]
    gc.collect()
    return (resident() - before) / count


def measure(platform: str, each: int, objects: int) -> dict[str, float]:
    import pyopencl as cl

    (found,) = [one for one in cl.get_platforms() if platform in one.name]
    device = found.get_devices()[0]
    context = cl.Context([device])
    program = cl.Program(context, SOURCE).build()
    rows = {f"launches a second, threads: {threads}": launches(cl, context, program, threads, each // threads) for threads in THREADS}
    queue, kernel = cl.CommandQueue(context), cl.Kernel(program, "add")
    count = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)  # which a kernel of other implementations does not keep
    kernel.set_args(count, np.uint32(1))

    def event() -> object:
        made = cl.enqueue_nd_range_kernel(queue, kernel, (1,), (1,))
        made.wait()
        return made

    makers: dict[str, tuple[Callable[[], object], int]] = {
        "event": (event, 10 * objects), "kernel": (lambda: cl.Kernel(program, "add"), objects),
        "buffer of 4 KiB": (lambda: cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096), objects),
        "queue": (lambda: cl.CommandQueue(context), objects // 10),
        # NVIDIA's own has room for some hundred in a process.
        "context": (lambda: cl.Context([device]), objects // 50)}
    return rows | {f"bytes of a {name}": memory(make, count) for name, (make, count) in makers.items()}


def side(command: tuple[str, ...], arguments: argparse.Namespace, name: str) -> dict[str, float]:
    lines = sides.printed(command, __file__, name, "--launches", str(arguments.launches), "--objects", str(arguments.objects))
    rows: dict[str, float] = json.loads(lines[-1])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stock-platform", default="NVIDIA CUDA", metavar="NAME", help="of the other implementation; empty for none")
    parser.add_argument("--launches", type=int, default=200_000, help="of all threads together (default 200000)")
    parser.add_argument("--objects", type=int, default=1000, help="of a kind; ten times as many events, a tenth of queues, a fiftieth of contexts")
    parser.add_argument("--measure", metavar="SIDE", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(arguments.measure, arguments.launches, arguments.objects)))
        return
    ours = side(sides.OURS, arguments, "cl2cuda")
    stock = side(sides.STOCK, arguments, arguments.stock_platform) if arguments.stock_platform else {}
    print(f"{'':36}{'cl2cuda':>14}{'stock':>14}{'ratio':>8}")
    for name, value in ours.items():
        other = stock.get(name)
        print(f"{name:36}{value:14,.0f}{f'{other:14,.0f}{value / other:8.2f}' if other else ''}")


if __name__ == "__main__":
    main()
