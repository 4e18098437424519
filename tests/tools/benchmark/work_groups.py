"""Times kernels with barriers on the host device, with loops over the work-items and with a stack for each, beside another OpenCL.

    python tests/tools/benchmark/work_groups.py --stock-platform Portable

Each side runs in processes of its own; the table shows the least time of a launch and the ratio to the other implementation's. The
results of all sides are compared: those of the host device's two forms must be equal bit by bit. `--kernels scan,fft` times only these.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


@dataclass
class Launch:
    """Arrays are buffers, whose contents are the result; an int stands for that many bytes of local memory."""

    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    arguments: tuple[Any, ...]


class Inputs:
    """The same numbers for every side."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(7)

    def floats(self, *shape: int) -> np.ndarray:
        return self.rng.random(shape, dtype=np.float32)

    def integers(self, low: int, high: int, *shape: int, dtype: Any = np.int32) -> np.ndarray:
        return self.rng.integers(low, high, shape, dtype=dtype)


def i32(value: int) -> np.int32:
    return np.int32(value)


def _zeros(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


def _matrix(data: Inputs, n: int) -> np.ndarray:
    return data.floats(n, n) + n * np.eye(n, dtype=np.float32)


def _sparse(data: Inputs, rows: int) -> tuple[Any, ...]:
    lengths = data.integers(1, 120, rows)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    count = int(starts[-1])
    return starts, data.integers(0, rows, count), data.floats(count), data.floats(rows), _zeros(rows), i32(rows)


def _hotspot(data: Inputs, n: int) -> Launch:
    border, groups = 2, -(-n // 12)
    constants = (np.float32(0.1), np.float32(0.2), np.float32(0.3), np.float32(0.05))
    arguments = (i32(2), data.floats(n, n), 80 + data.floats(n, n), _zeros(n, n), i32(n), i32(n), i32(border), *constants)
    return Launch((16 * groups, 16 * groups), (16, 16), arguments)


def _image(data: Inputs, width: int, height: int) -> Launch:
    size = (-(-width // 16) * 16, -(-height // 16) * 16)
    pixels = data.integers(0, 256, height, width, dtype=np.uint8)
    return Launch(size, (16, 16), (pixels, _zeros(height, width, dtype=np.uint8), i32(width), i32(height)))


CASES: dict[str, Callable[[Inputs], Launch]] = {
    "scan": lambda d: Launch((1 << 18,), (256,), (d.floats(1 << 18), _zeros(1 << 18), 1024)),
    "scan_tree": lambda d: Launch((1 << 17,), (128,), (d.integers(0, 9, 1 << 18), _zeros(1 << 18, dtype=np.int32), 1024, i32(256))),
    "reduction": lambda d: Launch((1 << 14,), (256,), (d.floats(1 << 21), _zeros(64), np.uint32(1 << 21), 1024)),
    "matmul": lambda d: Launch((512, 512), (16, 16), (d.floats(512, 512), d.floats(512, 512), _zeros(512, 512), i32(512))),
    "transpose": lambda d: Launch((1024, 1024), (16, 16), (d.floats(1024, 1024), _zeros(1024, 1024), i32(1024))),
    "histogram": lambda d: Launch((1 << 14,), (256,), (d.integers(0, 256, 1 << 22, dtype=np.uint8), np.uint32(1 << 20),
                                                       _zeros(256, dtype=np.uint32))),
    "nbody": lambda d: Launch((2048,), (128,), (d.floats(2048, 4), _zeros(2048, 4), i32(2048), np.float32(0.01), 2048)),
    "convolution": lambda d: Launch((1024, 512), (128, 1), (d.floats(512, 1024), _zeros(512, 1024), d.floats(17), i32(1024))),
    "fft": lambda d: Launch((1 << 16,), (128,), (d.floats(1 << 17, 2), _zeros(1 << 17, 2))),
    "bitonic_sort": lambda d: Launch((1 << 16,), (256,), (d.integers(0, 1 << 30, 1 << 17, dtype=np.uint32),)),
    "hotspot": lambda d: _hotspot(d, 512),
    "lud_internal": lambda d: Launch((496, 496), (16, 16), (_matrix(d, 512), i32(512), i32(0))),
    "lud_diagonal": lambda d: Launch((1024,), (16,), (_matrix(d, 1024), i32(1024))),
    "needle": lambda d: Launch((64 * 16, 64), (16, 1), (d.integers(-9, 9, 1088, 1088), d.integers(-99, 99, 1088, 1088), i32(1088), i32(10))),
    "backprop": lambda d: Launch((16, 1 << 15), (16, 16), (d.floats(1 << 15), d.floats(1 << 15, 16), _zeros(2048, 16), i32(16))),
    "kmeans": lambda d: Launch((1 << 17,), (256,), (d.floats(4, 131000), d.floats(8, 4), _zeros(131000, dtype=np.int32),
                                                    _zeros(512, 8, dtype=np.int32), i32(131000))),
    "sobel": lambda d: _image(d, 1000, 600),
    "normalise": lambda d: Launch((512 * 128,), (128,), (d.floats(512, 1024), _zeros(512, 1024), i32(1024), 512)),
    "spmv": lambda d: Launch((8192 * 32,), (128,), _sparse(d, 8192)),
}


def measure(platform: str, names: list[str], repeat: int, clock: Callable[[], float], results: str) -> None:
    """One side: prints "name seconds" for each kernel, and keeps what they compute in the file `results`."""
    import pyopencl as cl

    found = [p for p in cl.get_platforms() if platform.lower() in p.name.lower()]
    if not found:
        raise SystemExit(f"no platform named {platform!r} among {[p.name for p in cl.get_platforms()]}")
    context = cl.Context(found[0].get_devices()[:1])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, (HERE / "work_groups.cl").read_text()).build()
    outputs: dict[str, np.ndarray] = {}
    for name in names:
        launch = CASES[name](Inputs())
        kernel = cl.Kernel(program, name)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        buffers = {n: cl.Buffer(context, flags, hostbuf=a) for n, a in enumerate(launch.arguments) if isinstance(a, np.ndarray)}
        for number, value in enumerate(launch.arguments):
            kernel.set_arg(number, buffers.get(number, cl.LocalMemory(value) if type(value) is int else value))
        times = []
        for turn in range(repeat + 2):
            for number, buffer in buffers.items():
                cl.enqueue_copy(queue, buffer, launch.arguments[number])
            queue.finish()
            start = clock()
            cl.enqueue_nd_range_kernel(queue, kernel, launch.global_size, launch.local_size)
            queue.finish()
            times.append(clock() - start)
            if turn > 4 and sum(times) > 3:
                break
        for number, buffer in buffers.items():
            array = np.empty_like(launch.arguments[number])
            cl.enqueue_copy(queue, array, buffer)
            outputs[f"{name}.{number}"] = array
        print(name, min(times), flush=True)
    np.savez(results, **outputs)


def side(command: list[str], arguments: argparse.Namespace, platform: str, results: str, **environment: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        caches = dict.fromkeys(("CL2CUDA_CACHE_DIR", "POCL_CACHE_DIR", "XDG_CACHE_HOME"), folder)
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        words = [*command, str(Path(__file__)), "--measure", results, "--stock-platform", platform, "--repeat", str(arguments.repeat),
                 *(["--processor-time"] if arguments.processor_time else [])]
        done = subprocess.run([*words, "--kernels", arguments.kernels], env={**os.environ, "PYTHONPATH": path, **caches, **environment},
                              text=True, stdout=subprocess.PIPE, check=False)  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{platform}: exit status {done.returncode}")
    return {name: float(seconds) for name, seconds in (line.split() for line in done.stdout.splitlines())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stock-platform", default="Portable", metavar="NAME", help="of the other implementation (default: Portable; empty for none)")
    parser.add_argument("--kernels", default=",".join(CASES), help="some of them, by name")
    parser.add_argument("--repeat", type=int, default=20, help="launches of each kernel (default 20)")
    parser.add_argument("--processor-time", action="store_true", help="of all threads, which says more where the machine is shared")
    parser.add_argument("--no-fibers", action="store_true", help="leave out the form with a stack for each work-item")
    parser.add_argument("--measure", metavar="FILE", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        clock = time.process_time if arguments.processor_time else time.perf_counter
        measure(arguments.stock_platform, arguments.kernels.split(","), arguments.repeat, clock, arguments.measure)
        return
    with tempfile.TemporaryDirectory() as folder:
        files = {name: os.path.join(folder, f"{name}.npz") for name in ("stock", "loops", "fibers")}
        ours = [sys.executable, "-m", "cl2cuda", "run"]
        times = {"loops": side(ours, arguments, "cl2cuda", files["loops"], CL2CUDA_DEVICE="host")}
        if arguments.stock_platform:
            times["stock"] = side([sys.executable], arguments, arguments.stock_platform, files["stock"])
        if not arguments.no_fibers:
            times["fibers"] = side(ours, arguments, "cl2cuda", files["fibers"], CL2CUDA_DEVICE="host", CL2CUDA_HOST_FIBERS="1")
        print(table(times, {name: dict(np.load(files[name])) for name in times}))


def table(times: dict[str, dict[str, float]], outputs: dict[str, dict[str, np.ndarray]]) -> str:
    lines = [f"{'':14}{'stock':>12}{'fibers':>12}{'ratio':>8}{'loops':>12}{'ratio':>8}   results"]
    for name in times["loops"]:
        stock, fibers, loops = (times.get(form, {}).get(name) for form in ("stock", "fibers", "loops"))
        row = [name.ljust(14), milliseconds(stock)]
        for own in (fibers, loops):
            row += [milliseconds(own), f"{own / stock:8.2f}" if own and stock else f"{'-':>8}"]
        lines.append("".join([*row, "   ", compared(name, outputs)]))
    ratios = sorted(times["loops"][name] / stock for name, stock in times.get("stock", {}).items())
    if ratios:
        lines.append(f"loops to stock: median {ratios[len(ratios) // 2]:.2f}, largest {ratios[-1]:.2f}")
    return "\n".join(lines)


def milliseconds(seconds: float | None) -> str:
    return f"{seconds * 1e3:9.3f} ms" if seconds else f"{'-':>12}"


def compared(name: str, outputs: dict[str, dict[str, np.ndarray]]) -> str:
    """Whether all sides computed the same."""
    said = []
    for key, loops in outputs["loops"].items():
        if key.rpartition(".")[0] == name:
            if "fibers" in outputs and loops.tobytes() != outputs["fibers"][key].tobytes():
                said.append(f"argument {key.rpartition('.')[2]} differs between loops and fibers")
            if "stock" in outputs and not np.allclose(loops, outputs["stock"][key], rtol=1e-3, atol=1e-4):
                said.append(f"argument {key.rpartition('.')[2]} differs from the other implementation's")
    return "; ".join(said) or "equal"


if __name__ == "__main__":
    main()
