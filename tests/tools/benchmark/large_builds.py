"""What first builds of large programs cost: processor seconds of the translation, of NVRTC, of the host device's compiler, of PoCL and of
another OpenCL of the machine, NVIDIA's for one.

usage: python tests/tools/benchmark/large_builds.py [--pocl FOLDER] [--stock [PLATFORM]] [--options TEXT] [--limit SECONDS] [--jobs N] [FILE.cl …]

Without files the programs are generated (tests/support/trees.py): kernels over trees of helpers of ten lines, some of which no kernel
reaches. `whole` is without what large programs are spared: functions that no kernel reaches are printed, too, and on the host device
everything is inlined. `share` is the translation's time through NVRTC's, both as they are now. The stock pyopencl runs PoCL, of which FOLDER
has the .icd file, and what the machine's loader finds of that name. It builds without caches, and launches each kernel once, since PoCL
compiles most then; of files, whose arguments nobody knows, it only builds. NVRTC needs no GPU.

What compiles does so in processes of its own, N at a time, whose time ends at the limit.
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

STOCK = """
import sys, time
import numpy as np
import pyopencl as cl
source, options, launches, name = open(sys.argv[1]).read(), sys.argv[2], int(sys.argv[3]), sys.argv[4]
try:
    found = [each for each in cl.get_platforms() if name in each.name]
except cl.LogicError:  # PLATFORM_NOT_FOUND_KHR
    found = []
if not found:
    sys.exit(2)
context = cl.Context([found[0].get_devices()[0]])
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
WITHOUT_CACHES = {"POCL_KERNEL_CACHE": "0", "CUDA_CACHE_DISABLE": "1", "PYOPENCL_NO_CACHE": "1"}
LIMITED, MISSING, FAILED = "> {:.0f}", "none", "failed"


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
    parser.add_argument("--stock", metavar="PLATFORM", nargs="?", const="NVIDIA", help="a part of another platform's name; NVIDIA")
    parser.add_argument("--options", default="", help="build options of the files")
    parser.add_argument("--limit", type=float, default=100, metavar="SECONDS", help="the time that a compiler may take; %(default)s")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 4), metavar="N", help="compilers at a time; %(default)s")
    parser.add_argument("files", nargs="*", metavar="FILE.cl")
    arguments = parser.parse_args()
    stock = arguments.stock or "stock"
    print(f"{'processor seconds':31}{'translation':>14}{'lines of CUDA':>14}{'NVRTC':>14}{'share':>6}{'host device':>14}{'PoCL':>7}{stock:>9.8}")
    print(f"{'':25}{'lines':>6}" + f"{'whole':>7}{'now':>7}" * 3 + f"{'':6}{'whole':>7}{'now':>7}")
    rows = Rows(arguments.jobs, arguments.limit)
    for program in programs(arguments):
        rows.start(program, arguments.pocl, arguments.stock)
    rows.finish()


def programs(arguments: argparse.Namespace) -> Iterator[Program]:
    for file in arguments.files:
        yield Program(Path(file).name, Path(file).read_text(), parse_options(arguments.options), arguments.options, False)
    if not arguments.files:
        for functions, reached, kernels in TREES:
            yield Program(f"{functions} functions, {reached} in {kernels}", tree(functions, reached, kernels), BuildOptions(), "", True)


@dataclass
class Row:
    """head      what is known of the program before anything is compiled
    translation  seconds, of what is compiled now
    cells        the texts, of those who have ended
    """

    head: str
    translation: float
    cells: dict[str, str]

    def is_full(self) -> bool:
        return len(self.cells) == len(COLUMNS)

    def __str__(self) -> str:
        cells = self.cells
        nvrtc_time = cells["NVRTC"]
        share = f"{self.translation / float(nvrtc_time):.2f}" if nvrtc_time[0].isdigit() and float(nvrtc_time) else ""
        compiled = f"{cells['whole NVRTC']:>7}{nvrtc_time:>7}{share:>6}{cells['whole host']:>7}{cells['host']:>7}"
        return f"{self.head}{compiled}{cells['PoCL']:>7}{cells['stock']:>9}"


COLUMNS = ("whole NVRTC", "NVRTC", "whole host", "host", "PoCL", "stock")


class Rows:
    """Starts the compilers of each program, some at a time, and prints a row when all before it and its own have ended."""

    def __init__(self, jobs: int, limit: float) -> None:
        self.jobs, self.limit = jobs, limit
        self.rows: list[Row] = []
        self.running: dict[int, tuple[Row, str, int]] = {}

    def start(self, program: Program, pocl: str | None, stock: str | None) -> None:
        (whole_time, whole), (own_time, own) = translated(program, True), translated(program, False)
        head = f"{program.name:25.25}{program.source.count(chr(10)):6}{whole_time:7.2f}{own_time:7.2f}"
        head += "".join(f"{each.user_source.count(chr(10)):7}" for each in (whole, own))
        row = Row(head, own_time, {})
        self.rows.append(row)
        measures: tuple[Callable[[], str], ...] = (
            lambda: with_nvrtc(whole, program.options), lambda: with_nvrtc(own, program.options),
            lambda: with_all_inlined(whole, program.options), lambda: with_host(own, program.options),
            lambda: with_stock(program, self.limit, "Portable", {"OCL_ICD_VENDORS": pocl}) if pocl else " ",
            lambda: with_stock(program, self.limit, stock, {}) if stock else " ")
        for column, measure in zip(COLUMNS, measures, strict=True):
            while len(self.running) >= self.jobs:
                self._collect()
            self._fork(row, column, measure)

    def finish(self) -> None:
        while self.running:
            self._collect()

    def _fork(self, row: Row, column: str, measure: Callable[[], str]) -> None:
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            said = FAILED
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (int(self.limit), int(self.limit)))
                said = measure()
            except DriverMissing:
                said = MISSING
            finally:
                os.write(writing, said.encode())
                os._exit(0)
        os.close(writing)
        self.running[pid] = row, column, reading

    def _collect(self) -> None:
        """Waits for one of the processes. What says nothing has taken the processor's time that the system knows of."""
        pid = 0
        while pid not in self.running:  # Who called this may have others.
            pid, status, used = os.wait4(-1, 0)
        row, column, reading = self.running.pop(pid)
        with os.fdopen(reading) as file:
            said = file.read()
        seconds = used.ru_utime + used.ru_stime
        if status or said == FAILED:
            said = LIMITED.format(self.limit) if seconds > 0.9 * self.limit else FAILED
        row.cells[column] = said or f"{seconds:.2f}"
        while self.rows and self.rows[0].is_full():
            print(self.rows.pop(0), flush=True)


def translated(program: Program, unreached: bool) -> tuple[float, Translation]:
    start = time.process_time()
    made = translate(program.source, program.options, unreached=unreached)
    return time.process_time() - start, made


def with_nvrtc(translation: Translation, options: BuildOptions) -> str:
    compiler = nvrtc.nvrtc()
    nvrtc.compile(translation.source("cuda"), "sm_90", flags(options, compiler.version))
    return ""


def with_host(translation: Translation, options: BuildOptions) -> str:
    host.compile_program(translation, options)
    return ""


def with_all_inlined(translation: Translation, options: BuildOptions) -> str:
    host.LARGE = 1 << 60
    return with_host(translation, options)


def with_stock(program: Program, limit: float, platform: str, variables: dict[str, str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "program.cl").write_text(program.source)
        environment = {**os.environ, **WITHOUT_CACHES, "POCL_CACHE_DIR": folder, "CL2CUDA_INSTALL": "0", **variables}
        command = [sys.executable, "-c", STOCK, f"{folder}/program.cl", program.option_text, str(int(program.launched)), platform]
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)  # with our limit
    if done.returncode == 2:
        return MISSING
    if done.returncode < 0:
        return LIMITED.format(limit)
    return f"{float(done.stdout):.2f}" if done.returncode == 0 else FAILED


if __name__ == "__main__":
    main()
