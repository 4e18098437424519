"""What the device library costs the compiler: NVRTC's time for ten translated programs, beside the same kernels as people write them in
CUDA, with the same flags. Needs NVRTC and no GPU.

usage: python tests/tools/benchmark/builds.py [--rounds N] [--arch sm_90] [--limit MS]
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[2]))

from cl2cuda.runtime.cuda import nvrtc  # noqa: E402
from cl2cuda.runtime.cuda.options import flags  # noqa: E402
from cl2cuda.translator import parse_options, translate  # noqa: E402

# A kernel or a function, from the line in column 0 that begins it to the brace that ends it; macros stand alone.
_DEFINITION = re.compile(r"^(?:#define [^\n]*|(?:__kernel|extern|__device__|float)\b.*?^\})", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"(\w+)\(")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/tools/benchmark/builds.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--limit", type=float, metavar="MS", help="end with status 1 where a program takes so much longer")
    arguments = parser.parse_args()
    ours = programs((FOLDER / "kernels.cl").read_text() + (FOLDER / "tone.cl").read_text())
    theirs = programs((FOLDER / "kernels.cu").read_text())
    assert ours.keys() == theirs.keys()
    worst = 0.0
    print(f"NVRTC {'.'.join(map(str, nvrtc.nvrtc().version))}, {arguments.arch}; medians of {arguments.rounds}, in ms")
    print(f"{'':16}{'translate':>10}{'NVRTC':>10}{'bare CUDA':>11}{'more':>8}{'library':>12}")
    for name in ours:
        row = measure(ours[name], theirs[name], arguments.arch, arguments.rounds)
        worst = max(worst, row["more"])
        print(f"{name:16}{row['translate']:10.1f}{row['ours']:10.1f}{row['theirs']:11.1f}{row['more']:+8.1f}{row['library']:9d} B", flush=True)
    print(f"at most {worst:+.1f} ms")
    return 1 if arguments.limit is not None and worst > arguments.limit else 0


def programs(text: str) -> dict[str, str]:
    """Each kernel with the functions and macros that it names."""
    found = [match[0] for match in _DEFINITION.finditer(text)]
    kernels = [definition for definition in found if definition.startswith(("__kernel", "extern"))]
    others = {_head(definition): definition for definition in found if definition not in kernels}
    return {_head(kernel): "\n".join([*(text for name, text in others.items() if re.search(rf"\b{name}\b", kernel)), kernel, ""])
            for kernel in kernels}


def _head(definition: str) -> str:
    if definition.startswith("#define"):
        return definition.split()[1]
    without_attributes = re.sub(r"__attribute__\(\(.*?\)\)\)?\s*", "", definition)
    found = _NAME.search(without_attributes)
    assert found, definition
    return found[1]


def measure(ours: str, theirs: str, arch: str, rounds: int) -> dict[str, float]:
    options = parse_options("")
    compile_flags = flags(options, nvrtc.nvrtc().version)
    translation = translate(ours, options)
    source = translation.source("cuda")
    expressions = [f"&ocl::user::{kernel.cxx_name}" for kernel in translation.kernels]
    library = nvrtc.nvrtc()
    times: dict[str, list[float]] = {"translate": [], "ours": [], "theirs": []}
    for _ in range(rounds):
        # In turn, so that what else the machine does falls on both alike.
        times["translate"].append(timed(lambda: translate(ours, options).source("cuda")))
        times["ours"].append(timed(lambda: nvrtc.build(source, arch, compile_flags, expressions, library=library)))
        times["theirs"].append(timed(lambda: nvrtc.build(theirs, arch, compile_flags, (), library=library)))
    found = {name: statistics.median(values) for name, values in times.items()}
    return {**found, "more": found["ours"] - found["theirs"], "library": len(source) - len(translation.user_source)}


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


if __name__ == "__main__":
    sys.exit(main())
