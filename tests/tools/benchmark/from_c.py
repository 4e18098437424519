"""What calls of the OpenCL API take from programs in C, with NVIDIA's own OpenCL and with cl2cuda's driver library.

    python tests/tools/benchmark/from_c.py                                      # all, beside NVIDIA's OpenCL
    python tests/tools/benchmark/from_c.py --only further --rounds 3
    CL2CUDA_DEVICE=host python tests/tools/benchmark/from_c.py --stock ""       # cl2cuda alone, on the host device

Each round starts a process for either side in turn, which prints the median of nine samples of each line. The table shows the median
of the rounds, in brackets the smallest and the largest, and the ratios of the medians and of the smallest: below 1 cl2cuda is quicker.
Where it is interrupted (Ctrl-C, SIGTERM), the table is that of the rounds that were whole.

It needs a C compiler, OpenCL's headers (Debian's opencl-c-headers; --include FOLDER for others) and a loader (libOpenCL.so.1).
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rounds import measure_in_rounds
from sides import ROOT, as_installed
from tables import Line, table

sys.path.insert(0, str(ROOT))

HERE = Path(__file__).resolve().parent
PROGRAMS = {"calls": "c_calls.c", "more": "c_more_calls.c", "further": "c_further_calls.c", "varied": "c_varied_calls.c"}
NVIDIA = "libnvidia-opencl.so.1"


def main() -> None:
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        programs = [compile_program(name, Path(folder), arguments.include) for name in arguments.only]
        sides = [Side(library, Path(folder, str(number)))
                 for number, library in enumerate(filter(None, (arguments.stock, str(our_library()))))]
        measure_in_rounds(sides, arguments.rounds, lambda side, _: side.measure(programs, arguments.calls, arguments.devices))
    print(shown(sides))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps({side.name: side.rounds for side in sides}, indent=1) + "\n")


class Side:
    """A driver that a loader is told of: by folder, and by name, since there are loaders that know one of the two."""

    def __init__(self, library: str, vendors: Path):
        vendors.mkdir()
        vendors.joinpath("only.icd").write_text(f"{library}\n")
        self.library = library
        self.name = ""  # the platform's and the device's, which the programs print
        self.environment = {**as_installed(), "OCL_ICD_FILENAMES": library, "OCL_ICD_VENDORS": str(vendors)}
        self.rounds: list[dict[str, float]] = []

    def measure(self, programs: list[Path], calls: int, devices: int) -> None:
        """One process of each program; microseconds of each line. Ends where one fails, or ran on another platform than the last one."""
        found: dict[str, float] = {}
        for program in programs:
            done = subprocess.run([program, str(calls), str(devices)], env=self.environment, text=True, capture_output=True, check=False)
            if done.returncode:
                raise SystemExit(f"{program.name} with {self.library}: exit status {done.returncode}\n{done.stderr}")
            first, *lines = done.stdout.splitlines()
            self.name = self.name or first
            if first != self.name or ("cl2cuda" in first) != (self.library == str(our_library())):
                raise SystemExit(f"the loader was told of {self.library} and has shown {first}")
            for line in lines:
                name, _, figure = line.rpartition(" ")
                if figure.replace(".", "", 1).isdigit():
                    found[f"{program.name}: {name.strip()}"] = float(figure)
        self.rounds.append(found)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often to start the programs of each side (default 5)")
    parser.add_argument("--calls", type=int, default=1000, help="how many calls a sample of a brief line is a quarter of (default 1000)")
    parser.add_argument("--devices", type=int, default=1, metavar="N", help="of the context, of which the first is used (default 1)")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS), metavar="PROGRAM",
                        help=f"no more than these of {', '.join(PROGRAMS)}")
    parser.add_argument("--stock", default=NVIDIA, metavar="LIBRARY", help=f"the other driver's library (default {NVIDIA}); empty for none")
    parser.add_argument("--include", metavar="FOLDER", help="where CL/cl.h is, if not where the compiler looks")
    parser.add_argument("--json", metavar="FILE", help="write the figures of all rounds to this file, in microseconds")
    return parser.parse_args()


def compile_program(name: str, folder: Path, include: str | None) -> Path:
    compiler = shlex.split(os.environ.get("CC", "")) or [next(filter(shutil.which, ("cc", "gcc", "clang")), "cc")]
    target = folder / name
    headers = ["-I", include] if include else []
    subprocess.run([*compiler, "-O2", *headers, HERE / PROGRAMS[name], "-o", target, "-l:libOpenCL.so.1", "-lpthread"], check=True)
    return target


def our_library() -> Path:
    from cl2cuda.opencl_icd.library import library

    return library()


def shown(sides: list[Side]) -> str:
    times = {name: [[1e-6 * each[name] for each in side.rounds] for side in sides] for name in sides[0].rounds[0]}
    return table([side.name for side in sides], [Line(name, some, [min(each) for each in some]) for name, some in times.items()])


if __name__ == "__main__":
    main()
