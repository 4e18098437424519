"""Times kernels from SPIR-V beside the same from OpenCL C, and what building them takes.

    cl2cuda run tests/tools/benchmark/spirv.py
    python tests/tools/benchmark/spirv.py --write FOLDER                   # only the modules, on a machine with clang and llvm-spirv
    cl2cuda run tests/tools/benchmark/spirv.py --modules FOLDER            # on one without

The kernels are the benchmark's own (kernels.cl, more_kernels.cl and a long one), as modules that clang -O2 and llvm-spirv make of them.
Plain PyOpenCL, for any implementation that takes SPIR-V; results are checked. The source is built twice, and each turn launches the
two and the module's in another order, since a kernel that follows another finds other clocks and caches: the column "itself" is the
second build's time by the first's, and says what the ratio can tell. Times are of the device, medians of `--repeat`; the ratio is the
module's by the mean of the source's two. Above 1, kernels from SPIR-V are slower. Builds are first ones if the implementation's caches
are off (CL2CUDA_NO_CACHE=1).
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]
os.environ["PYOPENCL_NO_CACHE"] = "1"  # PyOpenCL's own, beside the implementation's

import numpy as np  # noqa: E402
import pyopencl as cl  # noqa: E402


def programs() -> dict[str, tuple[str, ModuleType]]:
    """The sources, and the cases that launch their kernels."""
    import cases
    import more_cases

    return {"kernels": ((FOLDER / "kernels.cl").read_text(), cases),
            "more_kernels": ((FOLDER / "more_kernels.cl").read_text() + more_cases.long_source(), more_cases)}


def module_of(source: str) -> bytes:
    """Scalars stay scalars: what clang makes vectors of, llvm-spirv does not always take. Contraction is allowed, as it is where the
    source is translated; left to itself llvm-spirv forbids it in kernels in which clang has left a product and a sum apart."""
    from support.spirv_modules import compiled

    return compiled(source, "-fno-vectorize -fno-slp-vectorize", "-O2", more=("--spirv-fp-contract=fast",))


def write(folder: Path) -> None:
    for name, (source, _) in programs().items():
        (folder / f"{name}.spv").write_bytes(module_of(source))


class Bench:
    def __init__(self, platform: str):
        (device, *_), = [each.get_devices() for each in cl.get_platforms() if platform in each.name][:1]
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        self.big = bool(device.type & cl.device_type.GPU)

    def built(self, make: Callable[[], cl.Program]) -> tuple[cl.Program, float]:
        start = time.perf_counter()
        program = make().build()
        return program, time.perf_counter() - start

    def times(self, programs: list[cl.Program], make: Callable[[cl.CommandQueue, bool], Any], repeat: int) -> list[float]:
        """The medians for each program, in seconds."""
        case = make(self.queue, self.big)
        kernels = [cl.Kernel(program, case.kernel) for program in programs]

        def launch(kernel: cl.Kernel) -> cl.Event:
            if case.before_each:
                case.reset()
            return kernel(self.queue, case.global_size, case.local_size, *case.arguments)

        events: list[list[cl.Event]] = [[] for _ in kernels]
        orders = list(itertools.permutations(range(len(kernels))))
        for turn in range(-2, repeat):
            for which in orders[turn % len(orders)]:
                event = launch(kernels[which])
                event.wait()
                if turn >= 0:
                    events[which].append(event)
        for kernel in kernels:
            case.reset()
            launch(kernel)
            if not case.check():
                raise SystemExit(f"wrong result: {case.kernel}")
        return [statistics.median((event.profile.end - event.profile.start) * 1e-9 for event in those) for those in events]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", default="cl2cuda", metavar="NAME")
    parser.add_argument("--repeat", type=int, default=18, metavar="TURNS")
    parser.add_argument("--only", metavar="PROGRAM", help="kernels or more_kernels")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the modules, and no more")
    parser.add_argument("--modules", type=Path, metavar="FOLDER", help="read the modules there")
    options = parser.parse_args()
    if options.write:
        write(options.write)
        return
    bench = Bench(options.platform)
    ratios = []
    print(f"{bench.context.devices[0].name}\n\n{'':34}{'OpenCL C':>12}{'SPIR-V':>12}{'ratio':>8}{'itself':>8}")
    for name, (source, cases) in programs().items():
        if options.only not in (None, name):
            continue
        module = (options.modules / f"{name}.spv").read_bytes() if options.modules else module_of(source)
        from_source, first = bench.built(lambda source=source: cl.Program(bench.context, source))
        from_module, second = bench.built(lambda module=module: cl.Program(bench.context, module))
        source_again, _ = bench.built(lambda source=source: cl.Program(bench.context, source))
        print(f"{f'build of {name}, {len(module) / 1000:.0f} KB':34}{first * 1e3:9.1f} ms{second * 1e3:9.1f} ms{second / first:8.2f}", flush=True)
        for what, make in cases.CASES.items():
            one, again, other = bench.times([from_source, source_again, from_module], make, options.repeat)
            ratios.append(2 * other / (one + again))
            print(f"{what:34}{one * 1e6:9.1f} us{other * 1e6:9.1f} us{ratios[-1]:8.3f}{again / one:8.3f}", flush=True)
    print(f"\ngeometric mean {np.exp(np.mean(np.log(ratios))):.3f}, {min(ratios):.3f} to {max(ratios):.3f}")


if __name__ == "__main__":
    main()
