"""What translating costs: megabytes a second of each stage, over programs of 1 KB to 1 MB, and how it grows.

    python tests/tools/translation_speed.py [--packages FOLDER] [--profile STAGE]

Programs are generated (random ones, and plain loops as people write them) and, where they are installed or lie in FOLDER, real ones
(`tests/tools/corpus`). Sizes are of the source, without headers; times are the processor's, the best of several. Behind them: what importing
the translator costs, and typical kernels beside NVRTC's own time for them. `--profile` prints where one stage spends its time.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import os
import pstats
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]

from tools.corpus.build import Missing, folder, text  # noqa: E402
from tools.corpus.programs import PROGRAMS  # noqa: E402
from tools.fuzz.generate import program  # noqa: E402

from cl2cuda.builtins.prelude import prelude  # noqa: E402
from cl2cuda.runtime.cuda import nvrtc  # noqa: E402
from cl2cuda.runtime.cuda.options import flags  # noqa: E402
from cl2cuda.runtime.driver.interface import DriverMissing  # noqa: E402
from cl2cuda.translator import BuildOptions, CompileError, emit, parse_options, translate  # noqa: E402
from cl2cuda.translator.diagnostics import Diagnostics  # noqa: E402
from cl2cuda.translator.opencl_c import analyse  # noqa: E402
from cl2cuda.translator.opencl_c.dialect import Dialect  # noqa: E402
from cl2cuda.translator.opencl_c.parse.parse import parse  # noqa: E402
from cl2cuda.translator.opencl_c.preprocess.preprocess import preprocess  # noqa: E402

STAGES = ("preprocess", "parse", "analyse", "emit", "prelude")
SIZES = (1_000, 10_000, 100_000, 1_000_000)
_AIMS = "aims: preprocess and parse together 1 MB/s, all 0.25 MB/s, importing 0.2 s"

# A kernel of the usual kind: indices, a loop, local memory, a few built-ins.
_PLAIN = """
/* Sums of neighbours, weighted, number {n}. */
float weigh_{n}(float4 a, float4 b, const float scale) {{
    float4 d = a - b;
    return exp(-dot(d, d) * scale) + 0.5f * clamp(a.x, 0.0f, 1.0f);
}}

kernel void smooth_{n}(global const float4 *in, global float *out, local float4 *tile, const int width, const int height) {{
    const int x = get_global_id(0), y = get_global_id(1);
    const int lx = get_local_id(0), ly = get_local_id(1), span = get_local_size(0);
    tile[ly * span + lx] = in[y * width + x]; // its own element
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height)
        return;
    float sum = 0.0f, weights = 0.0f;
    for (int dy = -1; dy <= 1; dy++) {{
        for (int dx = -1; dx <= 1; dx++) {{
            int i = min(max(lx + dx, 0), span - 1), j = min(max(ly + dy, 0), span - 1);
            float w = weigh_{n}(tile[j * span + i], tile[ly * span + lx], 0.25f);
            sum += w * (tile[j * span + i].x + tile[j * span + i].y);
            weights += w;
        }}
    }}
    out[y * width + x] = weights > 0.0f ? sum / weights : 0.0f;
}}
"""


def grown(size: int, piece: Callable[[int], str]) -> str:
    pieces: list[str] = []
    length = number = 0
    while length < size:
        pieces.append(piece(number))
        length += len(pieces[-1])
        number += 1
    return "".join(pieces)


def programs() -> Iterator[tuple[str, str, str]]:
    """Name, source, options."""
    for size in SIZES:
        yield f"plain, {size // 1000} KB", grown(size, lambda n: _PLAIN.format(n=n)), ""
    for size in SIZES[1:]:
        yield f"random, {size // 1000} KB", grown(size, lambda n: program(n).source), ""
    seen = set()
    for each in PROGRAMS:
        try:
            source, options = text(each), f"{each.options} -I {folder('pyopencl')}"
            translate(source, parse_options(options))
        except (Missing, CompileError):
            continue
        if each.files not in seen and len(source) > 15_000:
            seen.add(each.files)
            yield f"{each.package}: {each.name}"[:42], source, options


class Stages:
    """The stages of one program, each run by itself on what the one before it made."""

    def __init__(self, source: str, options: BuildOptions):
        self.source, self.options = source, options
        self.dialect = Dialect.of(options)
        self.seconds: dict[str, float] = {}

    def run(self, watch: Callable[[str, Callable[[], Any]], Any]) -> None:
        diagnostics = Diagnostics()
        pre = watch("preprocess", lambda: preprocess(self.source, filename="program.cl", options=self.options, dialect=self.dialect,
                                                     diagnostics=diagnostics))  # fmt: skip
        diagnostics.source_line = pre.source_line
        tree = watch("parse", lambda: parse(pre, diagnostics, self.dialect))
        analysed = watch("analyse", lambda: analyse.analyse(tree, pre, self.options, self.dialect, diagnostics))
        emitted = watch("emit", lambda: emit.emit(analysed, pre))
        watch("prelude", lambda: prelude("cuda", emitted.uses))

    def measure(self, rounds: int) -> dict[str, float]:
        def timed(stage: str, work: Callable[[], Any]) -> Any:
            start = time.process_time()
            result = work()
            self.seconds[stage] = min(self.seconds.get(stage, 1e9), time.process_time() - start)
            return result

        for _ in range(rounds):
            gc.collect()
            gc.disable()  # as translate does
            self.run(timed)
            gc.enable()
        return self.seconds

    def profile(self, wanted: str) -> pstats.Stats:
        profiler = cProfile.Profile()

        def profiled(stage: str, work: Callable[[], Any]) -> Any:
            return profiler.runcall(work) if stage == wanted else work()

        self.run(profiled)
        return pstats.Stats(profiler)


def table() -> None:
    print(f"{'MB/s':42}" + "".join(f"{stage:>11}" for stage in STAGES) + f"{'pre+parse':>11}{'all':>8}{'ms':>9}")
    for name, source, options in programs():
        size = len(source.encode()) / 1e6
        seconds = Stages(source, parse_options(options)).measure(3 if size > 0.3 else 7)
        whole = sum(seconds.values())
        columns = "".join(f"{size / seconds[stage]:11.2f}" for stage in STAGES)
        print(f"{name:42}{columns}{size / (seconds['preprocess'] + seconds['parse']):11.2f}{size / whole:8.2f}{whole * 1000:9.1f}", flush=True)


def importing() -> None:
    """In a process of its own, less what an empty one takes."""
    def seconds(statement: str) -> float:
        times = []
        for _ in range(5):
            before = os.times()
            subprocess.run([sys.executable, "-c", statement], check=True, cwd=ROOT)
            after = os.times()
            times.append(after.children_user + after.children_system - before.children_user - before.children_system)
        return min(times)

    print(f"\nimport cl2cuda.translator: {seconds('import cl2cuda.translator') - seconds('pass'):.3f} s")


def beside_nvrtc() -> None:
    try:
        compiler = nvrtc.nvrtc()
    except DriverMissing as missing:
        print(f"\nno NVRTC: {missing}")
        return
    print(f"\n{'typical kernels, ms':42}{'translation':>12}{'NVRTC':>8}")
    sources = [("one plain kernel", _PLAIN.format(n=1), "")]
    for each in PROGRAMS:
        if any(word in each.name for word in ("addition", "linalg", "fftshift", "convolve_sep", "image/cast", "comb_sort")):
            try:
                sources.append((f"{each.package}: {each.name}"[:42], text(each), f"{each.options} -I {folder('pyopencl')}"))
            except Missing:
                continue
    for name, source, given in dict((s[0], s) for s in sources).values():
        options = parse_options(given)
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(5):
            start = time.process_time()
            cuda = translate(source, options).source("cuda")
            middle = time.process_time()
            nvrtc.compile(cuda, "sm_90", flags(options, compiler.version))
            times[0].append(middle - start)
            times[1].append(time.process_time() - middle)
        print(f"{name:42}{min(times[0]) * 1000:12.1f}{min(times[1]) * 1000:8.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", metavar="FOLDER", help="where packages lie that are not installed")
    parser.add_argument("--profile", choices=STAGES, help="print where this stage spends its time instead")
    arguments = parser.parse_args()
    if arguments.packages:
        sys.path.append(arguments.packages)
    if arguments.profile:
        source = grown(100_000, lambda n: _PLAIN.format(n=n)) + grown(100_000, lambda n: program(n).source)
        stages = Stages(source, BuildOptions())
        stages.run(lambda stage, work: work())
        stages.profile(arguments.profile).sort_stats("tottime").print_stats(25)
        return
    print(_AIMS)
    table()
    importing()
    beside_nvrtc()


if __name__ == "__main__":
    main()
