"""python tests/tools/parallel_builds.py: how long 8 programs take to build for a GPU, one after the other and from 8 threads at once.

No GPU is needed. The cache is off. "first" includes the start of the compiler processes.
"""

import contextlib
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ["CL2CUDA_NO_CACHE"] = "1"

from cl2cuda.runtime.build import build as builds
from cl2cuda.runtime.build import compiler_pool
from cl2cuda.runtime.cuda.nvrtc import nvrtc
from cl2cuda.runtime.cuda.program import compile_for, compiler_spec
from cl2cuda.translator.options import parse_options

PROGRAMS = 8
COUNTER = itertools.count()
SPEC = compiler_spec(nvrtc().version[0], (9, 0))
DEVICE = SimpleNamespace(driver_name="cuda", driver_device=SimpleNamespace(
    target="sm_90", compiler_spec=SPEC, begin_compiling=None, compiler_identity=lambda options: "nvrtc", properties=SimpleNamespace(item_loops=False),
    compile=lambda translation, options: compile_for(SPEC, translation, options), compiler_start=contextlib.nullcontext))
KERNEL = """kernel void k{2}_{0}(global float4 *a, global const float4 *b, float s) {{
    float4 x = b[get_global_id(0)];
    for (int j = 0; j < {0}; j++)
        x = {1}(x) * exp(x * s) + pow(fabs(x), (float4)(s));
    a[get_global_id(0)] = x;
}}
"""


def build(number: int) -> None:
    # NVRTC remembers what it has compiled: every source is new to it.
    unique = f"{number}_{next(COUNTER)}"
    source = "".join(KERNEL.format(each + 3, function, unique) for each, function in enumerate(("sin", "cos", "tan", "log")))
    builds.Builder(builds.SourceStep(source, "", parse_options(""))).executable(DEVICE)


def at_once(work: Callable[[int], None]) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(PROGRAMS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def seconds(call: Callable[[], None]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    build(100)  # loads NVRTC
    rows = {"one after the other": seconds(lambda: [build(number) for number in range(PROGRAMS)] and None)}
    os.environ["CL2CUDA_COMPILER_PROCESSES"] = "0"
    rows["8 threads, one process"] = seconds(lambda: at_once(build))
    del os.environ["CL2CUDA_COMPILER_PROCESSES"]
    rows["8 threads, compiler processes, first"] = seconds(lambda: at_once(build))
    rows["8 threads, compiler processes, then"] = seconds(lambda: at_once(build))
    print(f"{os.cpu_count()} cores, up to {compiler_pool.limit()} compiler processes")
    for name, time_taken in rows.items():
        print(f"{name:38} {time_taken:6.2f} s  {rows['one after the other'] / time_taken:5.2f} times as fast")


if __name__ == "__main__":
    main()
