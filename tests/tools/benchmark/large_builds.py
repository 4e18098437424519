"""What first builds of large programs cost: processor seconds of the translation, of NVRTC, of the host device's compiler and of PoCL.

usage: python tests/tools/benchmark/large_builds.py [--pocl FOLDER] [--options TEXT] [--limit SECONDS] [FILE.cl …]

Without files the programs are generated (tests/support/trees.py): kernels over trees of helpers of ten lines, some of which no kernel
reaches. `whole` is without what large programs are spared: functions that no kernel reaches are printed, too, and on the host device
everything is inlined. PoCL builds, and launches each kernel once, since it compiles most then; FOLDER has its .icd file, and the
stock pyopencl runs it. For files, whose arguments nobody knows, it only builds. NVRTC needs no GPU.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from support.trees import tree  # noqa: E402

from cl2cuda.runtime.cuda import nvrtc  # noqa: E402
from cl2cuda.runtime.cuda.options import flags  # noqa: E402
from cl2cuda.runtime.driver.interface import DriverMissing  # noqa: E402
from cl2cuda.runtime.host import compiler as host  # noqa: E402
from cl2cuda.translator import BuildOptions, Translation, parse_options, translate  # noqa: E402

# Functions, those of them that kernels reach, kernels.
TREES = ((100, 10, 1), (1000, 10, 1), (3000, 30, 1), (60, 60, 1), (150, 150, 1), (300, 300, 1), (300, 300, 10), (600, 300, 30))

POCL = """
import sys, time
import numpy as np
import pyopencl as cl
source, options, launches = open(sys.argv[1]).read(), sys.argv[2], int(sys.argv[3])
context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
start = time.process_time()
program = cl._cl._Program(context, source)
program._build(options.encode())
if launches:
    memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
    for name in program.get_info(cl.program_info.KERNEL_NAMES).split(";"):
        cl.Kernel(program, name)(queue, (64,), (64,), memory, memory, np.uint32(64))
    queue.finish()
print(time.process_time() - start)
"""


@dataclass(frozen=True)
class Program:
    name: str
    source: str
    options: BuildOptions
    option_text: str
    launched: bool


def main() -> None:
    parser = argparse.ArgumentParser(prog="python tests/tools/benchmark/large_builds.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pocl", metavar="FOLDER", help="the folder with PoCL's .icd file")
    parser.add_argument("--options", default="", help="build options of the files")
    parser.add_argument("--limit", type=float, default=100, metavar="SECONDS", help="the time that a compiler may take; 100")
    parser.add_argument("files", nargs="*", metavar="FILE.cl")
    arguments = parser.parse_args()
    print(f"{'processor seconds':36}{'translation':>15}{'lines of CUDA':>14}{'NVRTC':>15}{'host device':>15}{'PoCL':>7}")
    print(f"{'':30}{'lines':>6}{'whole':>8}{'now':>7}{'whole':>7}{'now':>7}{'whole':>8}{'now':>7}{'whole':>8}{'now':>7}{'':>7}")
    for program in programs(arguments):
        print(row(program, arguments.pocl, arguments.limit), flush=True)


def programs(arguments: argparse.Namespace) -> Iterator[Program]:
    for file in arguments.files:
        yield Program(Path(file).name, Path(file).read_text(), parse_options(arguments.options), arguments.options, False)
    if not arguments.files:
        for functions, reached, kernels in TREES:
            yield Program(f"{functions} functions, {reached} in {kernels}", tree(functions, reached, kernels), BuildOptions(), "", True)


def row(program: Program, pocl: str | None, limit: float) -> str:
    def translated(unreached: bool) -> tuple[float, Translation]:
        start = time.process_time()
        made = translate(program.source, program.options, unreached=unreached)
        return time.process_time() - start, made

    (whole_time, whole), (own_time, own) = translated(True), translated(False)
    cells = [f"{program.name:30.30}{program.source.count(chr(10)):6}{whole_time:8.2f}{own_time:7.2f}"]
    cells += [f"{each.user_source.count(chr(10)):7}" for each in (whole, own)]
    for compile, width in ((with_nvrtc, 8), (with_all_inlined, 8)):
        other = compile if compile is with_nvrtc else with_host
        cells += [shown(compile, whole, program, limit, width), shown(other, own, program, limit, 7)]
    cells.append(f"{with_pocl(program, pocl, limit):>7}")
    return "".join(cells)


def shown(compile: Callable[[Translation, BuildOptions], None], translation: Translation, program: Program, limit: float, width: int) -> str:
    """The processor's seconds in a process of its own, which ends at the limit."""
    start = spent()
    pid = os.fork()
    if not pid:
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit)))
            compile(translation, program.options)
            status = 0
        except DriverMissing:
            status = 2
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    text = {0: f"{spent() - start:.2f}", 2 << 8: "none"}.get(status, f"> {limit:.0f}")
    return f"{text:>{width}}"


def spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def with_nvrtc(translation: Translation, options: BuildOptions) -> None:
    compiler = nvrtc.nvrtc()
    nvrtc.compile(translation.source("cuda"), "sm_90", flags(options, compiler.version))


def with_host(translation: Translation, options: BuildOptions) -> None:
    host.compile_program(translation, options)


def with_all_inlined(translation: Translation, options: BuildOptions) -> None:
    host.LARGE = 1 << 60
    host.compile_program(translation, options)


def with_pocl(program: Program, pocl: str | None, limit: float) -> str:
    if pocl is None:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "program.cl").write_text(program.source)
        environment: dict[str, Any] = {**os.environ, "OCL_ICD_VENDORS": pocl, "POCL_CACHE_DIR": folder, "POCL_KERNEL_CACHE": "0",
                                       "PYTHONPATH": ""}
        command = [sys.executable, "-c", POCL, f"{folder}/program.cl", program.option_text, str(int(program.launched))]
        seconds = int(limit)
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
    return f"{float(done.stdout):.2f}" if done.returncode == 0 else f"> {limit:.0f}"


if __name__ == "__main__":
    main()
