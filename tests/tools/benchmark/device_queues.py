"""Times kernels that enqueue kernels beside the same launches by the host.

    cl2cuda run tests/tools/benchmark/device_queues.py
    python tests/tools/benchmark/device_queues.py --platform Intel
    cl2cuda run tests/tools/benchmark/device_queues.py --nvcc nvcc      # and CUDA's own dynamic parallelism, by hand

Plain PyOpenCL, for any implementation with device queues. Wide: one kernel enqueues so many children, of one work-item each. Deep: each
kernel enqueues the next one. Both are checked: each child adds to a counter. Times are of the whole, from enqueuing to the end of
`finish`, the least of `--repeat`.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyopencl as cl

SOURCE = """
kernel void nothing(global int *count) { }
kernel void one(global int *count) { atomic_inc(count); }
kernel void wide(global int *count, int each) {
    for (int i = 0; i < each; i++)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1, 1), ^{ atomic_inc(count); });
}
void next(global int *count, int left) {
    atomic_inc(count);
    if (left > 1) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1, 1), ^{ next(count, left - 1); });
}
kernel void deep(global int *count, int left) { next(count, left); }
"""


class Bench:
    def __init__(self, platform: str, size: int):
        found = [device for each in cl.get_platforms() if platform in each.name for device in each.get_devices()]
        self.device = found[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        bits = cl.command_queue_properties
        on_device = bits.ON_DEVICE | bits.ON_DEVICE_DEFAULT | bits.OUT_OF_ORDER_EXEC_MODE_ENABLE
        most = self.device.get_info(cl.device_info.QUEUE_ON_DEVICE_MAX_SIZE)
        self.for_kernels = cl.CommandQueue(self.context, properties=[
            cl.queue_properties.PROPERTIES, on_device, cl.queue_properties.SIZE, min(size, most)])
        program = cl.Program(self.context, SOURCE).build(["-cl-std=CL3.0"])
        self.kernels = {name: cl.Kernel(program, name) for name in ("nothing", "one", "wide", "deep")}
        self.count = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 4)

    def launch(self, name: str, *numbers: int, size: int = 1) -> None:
        self.kernels[name](self.queue, (size,), (1,), self.count, *map(np.int32, numbers))

    def seconds(self, run: Callable[[], None], expected: int, repeat: int) -> float:
        """The least time; exits where the counter says that something was lost."""
        best = float("inf")
        for _ in range(repeat + 1):  # the first one loads and plans
            cl.enqueue_fill_buffer(self.queue, self.count, np.int32(0), 0, 4)
            self.queue.finish()
            start = time.perf_counter()
            run()
            self.queue.finish()
            best = min(best, time.perf_counter() - start)
            found = np.empty(1, np.int32)
            cl.enqueue_copy(self.queue, found, self.count)
            if found[0] != expected:
                raise SystemExit(f"{found[0]} children have run, not {expected}")
        return best

    def by_host(self, name: str, count: int) -> None:
        for _ in range(count):
            self.launch(name)


def by_cuda(nvcc: str, repeat: int, runs: Sequence[tuple[str, int]]) -> list[str]:
    """What a program in CUDA takes for each run that launches by dynamic parallelism, as two cells of the table; or why it does not."""
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder, "device_queues"))
        source = str(Path(__file__).with_suffix(".cu"))
        subprocess.run([nvcc, "-std=c++17", "-O3", "-arch=native", "-rdc=true", source, "-lcudadevrt", "-o", program], check=True)
        done = subprocess.run([program, str(repeat), *(f"{form}:{count}" for form, count in runs)], check=True, capture_output=True, text=True)
    cells = []
    for line in done.stdout.splitlines():
        _, count, seconds, *why = line.split(" ", 3)
        cells.append(f" {why[0]} | |" if why else f" {float(seconds) * 1e3:.3f} ms | {float(seconds) / int(count) * 1e6:.2f} us |")
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", default="")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--wide", default="1,100,10000,1000000", help="numbers of children of one kernel")
    parser.add_argument("--deep", default="24,1000", help="lengths of chains")
    parser.add_argument("--nvcc", help="CUDA's compiler, for the columns of CUDA's dynamic parallelism")
    options = parser.parse_args()
    runs = [(form, int(count)) for form, counts in (("wide", options.wide), ("deep", options.deep)) for count in counts.split(",") if count]
    bench = Bench(options.platform, 1 << 28)
    print(f"{bench.device.name}\n")
    print(f"a launch of nothing: {bench.seconds(lambda: bench.launch('nothing'), 0, options.repeat) * 1e6:.1f} us\n")
    cuda = by_cuda(options.nvcc, options.repeat, runs) if options.nvcc else [""] * len(runs)
    print("| launches | by kernels | each | by the host | each |" + " dynamic parallelism in CUDA | each |" * bool(options.nvcc))
    print("|---|---|---|---|---|" + "---|---|" * bool(options.nvcc))
    for (form, count), cells in zip(runs, cuda, strict=True):
        if form == "wide":
            # Some work-items enqueue many each: what one of them takes to write a record is not what is measured.
            items = next(items for items in (1000, 100, 1) if count % items == 0)
            own = bench.seconds(lambda items=items, each=count // items: bench.launch("wide", each, size=items), count, options.repeat)
        else:
            own = bench.seconds(lambda left=count: bench.launch("deep", left), count, options.repeat)
        host = bench.seconds(lambda count=count: bench.by_host("one", count), count, options.repeat)
        print(f"| {form}, {count} | {own * 1e3:.3f} ms | {own / count * 1e6:.2f} us | {host * 1e3:.3f} ms | {host / count * 1e6:.2f} us |{cells}")


if __name__ == "__main__":
    main()
