"""Times frames of programs that share with OpenGL, cl2cuda beside NVIDIA's own OpenCL: acquire a buffer or a texture, run a kernel that
writes all of it, release it.

    python tests/tools/benchmark/opengl.py [--rounds N] [--samples N] [--other LIBRARY] [--quick]

Each side is the same C program (`opengl.c`, built here), with cl2cuda's libOpenCL.so.1 and with the machine's, in turn, several times; the
table shows the medians in microseconds a frame: with clFinish after each, of twenty given at once, and of the kernel alone on what stays
acquired. The results are checked on both sides, OpenCL's and OpenGL's. OpenGL is GLX's where DISPLAY names an X server, else it is off
screen, by EGL, on the device's GPU: NVIDIA's OpenCL shares with GLX alone, and a server without a screen will do (Xvfb, with
__GLX_VENDOR_LIBRARY_NAME=nvidia).

It needs a C compiler and OpenCL's headers; NVIDIA's OpenCL needs a file that tells the loader of it (`python tests/tools/benchmark -h`).
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from cl2cuda.opencl_icd.build import LOADER
from cl2cuda.opencl_icd.library import library

COLUMNS = ("each waited for", "twenty at once", "kernel alone")
Rows = dict[str, list[tuple[list[float], str]]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/tools/benchmark/opengl.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--samples", type=int, default=15, help="of twenty frames each, of which the median is taken")
    parser.add_argument("--other", default="libOpenCL.so.1", metavar="LIBRARY", help="the OpenCL to compare with (default: the loader)")
    parser.add_argument("--quick", action="store_true", help="one sample of small objects: to see that it works, not to measure")
    options = parser.parse_args()
    numbers = ["1", "16"] if options.quick else [str(options.samples)]
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        sides: dict[str, Rows] = {str(library(LOADER)): {}, options.other: {}}
        for _ in range(options.rounds):
            for side, rows in sides.items():
                measure(program, side, numbers, rows)
    print(table(*sides.values()))
    return any(said != "right" for rows in sides.values() for rounds in rows.values() for _, said in rounds)


def build(folder: Path) -> str:
    program = folder / "opengl"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", str(Path(__file__).with_suffix(".c")), "-ldl", "-o", str(program)], check=True)
    return str(program)


def measure(program: str, side: str, numbers: list[str], rows: Rows) -> None:
    """Adds a round's figures; says on the screen what a side has no figures for."""
    done = subprocess.run([program, side, *numbers], capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("#"):
            print(f"{side}: {line[2:]}")
            continue
        name, *figures, said = line.split(";")
        rows.setdefault(name, []).append(([float(figure) for figure in figures], said))
    if done.stderr.strip():
        print(f"{side}: {done.stderr.strip()}", file=sys.stderr)


def table(ours: Rows, other: Rows) -> str:
    """Markdown: a row for each object and column of figures, ours, the other's, and the ratio, below 1 where ours is quicker."""
    lines = ["| us a frame | | cl2cuda | other | ratio | contents |", "|---|---|---|---|---|---|"]
    for name in dict.fromkeys([*ours, *other]):
        said = " / ".join(", ".join(sorted({word for _, word in rows.get(name, [])})) or "-" for rows in (ours, other))
        for place, column in enumerate(COLUMNS):
            times = [median(rows.get(name, []), place) for rows in (ours, other)]
            cells = [f"{time:.1f}" if time else "-" for time in times]
            ratio = f"{times[0] / times[1]:.2f}" if times[0] and times[1] else "-"
            lines.append(f"| {name if not place else ''} | {column} | {cells[0]} | {cells[1]} | {ratio} | {said if not place else ''} |")
    return "\n".join(lines)


def median(rounds: list[tuple[list[float], str]], place: int) -> float:
    return statistics.median(figures[place] for figures, _ in rounds) if rounds else 0


if __name__ == "__main__":
    raise SystemExit(main())
