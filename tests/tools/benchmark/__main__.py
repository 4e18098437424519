"""Compares cl2cuda with another OpenCL implementation, NVIDIA's own unless told otherwise, on the same PyOpenCL programs.

Each round starts fresh processes for either side in turn (`measure.py`, with stock PyOpenCL and under `cl2cuda run`): one that
builds for the first time, with empty build caches, and one that builds from the caches and measures calls, copies and kernels.
Where builds are not measured the caches stay from round to round: a compiler takes a minute for all kernels. Then it times
whole processes (`whole.py`), from their start to their end: one with empty build caches again, and others that find their
program there. The table shows the median of the rounds, in brackets the smallest and the largest round, and the ratio of the
medians, cl2cuda to the other: below 1 cl2cuda is quicker. The ratio of the smallest times ever seen says more where the machine
is shared. Results are checked, those of the kernels in the first round; a wrong one ends the benchmark. Where it is interrupted
(Ctrl-C, SIGTERM), the table is that of the rounds that were whole.

Both sides run as they are installed: with their modules compiled, also where PYTHONDONTWRITEBYTECODE is set, and cl2cuda's with its calls in C.

NVIDIA's OpenCL needs libnvidia-opencl.so.1 (part of the driver) and a file that tells the OpenCL loader of it:
    mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from rounds import measure_in_rounds
from sides import ROOT, as_installed, compile_calls
from tables import Line, table

MEASURE = Path(__file__).with_name("measure.py")
WHOLE = Path(__file__).with_name("whole.py")
CL2CUDA = "cl2cuda"
FILLED = 3  # whole processes that find their program, a round
GROUPS = ("builds", "calls", "further", "varied", "copies", "kernels", "processes")

Measurements = dict[str, dict[str, Any]]


class Side:
    """One implementation: how its processes are started, and what they measured, round by round."""

    def __init__(self, name: str, command: list[str], platform: str, environment: dict[str, str]):
        self.name = name
        self.command = command
        self.platform = platform
        self.environment = {**as_installed(), **environment}
        self.facts: dict[str, Any] = {}
        self.rounds: list[Measurements] = []
        self.caches: dict[str, str] | None = None  # of all rounds; None where each begins with empty ones

    def probe(self, devices: int) -> str:
        """Learns which device it is; returns what is wrong where there are not so many."""
        process = self.start("probe", {}, "--devices", str(devices))
        if process.returncode:
            return process.stderr.strip()
        self.facts = json.loads(process.stdout.splitlines()[-1])
        return ""

    def measure(self, groups: list[str], options: list[str]) -> None:
        """One round."""
        found: Measurements = {}
        with empty_caches() if self.caches is None else nullcontext(self.caches) as caches:
            self.prepare(caches)
            for phase in ("first", "cached"):
                if phase == "cached" or "builds" in groups:
                    process = self.start(phase, caches, "--groups", *groups, *options)
                    found |= json.loads(self.checked(process, phase).splitlines()[-1])
        if "processes" in groups:
            found |= self.whole_processes(options[options.index("--salt") + 1])
        self.rounds.append(found)

    def prepare(self, caches: dict[str, str]) -> None:
        if self.name == CL2CUDA:
            self.checked(compile_calls({**self.environment, **caches}), "the calls in C")

    def whole_processes(self, salt: str) -> Measurements:
        with empty_caches() as caches:
            self.prepare(caches)
            times = [self.whole_process(caches, salt) for _ in range(1 + FILLED)]
        return {f"new process, {kind} caches": {"minimum": min(some), "median": statistics.median(some)}
                for kind, some in (("empty", times[:1]), ("filled", times[1:]))}

    def whole_process(self, caches: dict[str, str], salt: str) -> float:
        start = time.perf_counter()
        process = self.run(caches, WHOLE, self.platform, salt)
        elapsed = time.perf_counter() - start
        self.checked(process, "new process")
        return elapsed

    def start(self, phase: str, caches: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
        return self.run(caches, MEASURE, phase, "--platform", self.platform, *options)

    def run(self, caches: dict[str, str], program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self.command, str(program), *arguments], env={**self.environment, **caches}, capture_output=True, text=True)

    def checked(self, process: subprocess.CompletedProcess[str], what: str) -> str:
        """What the process has printed. Ends the benchmark where it has failed."""
        if process.returncode:
            raise SystemExit(f"{self.name}, {what}: {process.stderr.strip()}")
        return process.stdout

    def medians(self, name: str) -> list[float]:
        return [measured[name]["median"] for measured in self.rounds]

    def smallest(self, name: str) -> float:
        return min(measured[name]["minimum"] for measured in self.rounds)


@contextmanager
def empty_caches() -> Iterator[dict[str, str]]:
    """The environment that has either side build anew, and keep what it has built for a while."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {name: os.path.join(folder, name) for name in ("CL2CUDA_CACHE_DIR", "CUDA_CACHE_PATH", "POCL_CACHE_DIR", "XDG_CACHE_HOME")}
        for path in caches.values():
            os.mkdir(path)
        yield caches


def main() -> None:
    arguments = parse_arguments()
    python_path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    stock = Side(arguments.stock_platform, [sys.executable], arguments.stock_platform, {"CL2CUDA_INSTALL": "0"})
    ours = Side(CL2CUDA, [sys.executable, "-m", "cl2cuda", "run"], CL2CUDA, {"PYTHONPATH": python_path})

    sides = []
    for side in (stock, ours):
        problem = side.probe(arguments.devices)
        if problem:
            print(f"{side.name} is left out: {problem}\n", file=sys.stderr)
        else:
            sides.append(side)
    if not sides:
        raise SystemExit("nothing to measure")

    size = arguments.size or ("big" if all(side.facts["gpu"] for side in sides) else "small")
    measure(sides, size, arguments)
    print(shown(sides))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(report(sides, size), indent=1) + "\n")


def measure(sides: list[Side], size: str, arguments: argparse.Namespace) -> None:
    salts = [str(random.randrange(1, 1000)) for _ in range(arguments.rounds)]  # Both sides build the same programs.

    def measure_side(side: Side, number: int) -> None:
        side.measure(arguments.only, ["--size", size, "--devices", str(arguments.devices), "--salt", salts[number],
                                      *(["--quick"] if arguments.quick else []), *(["--unchecked"] if number else [])])

    with ExitStack() as kept:
        for side in sides if "builds" not in arguments.only else ():
            side.caches = kept.enter_context(empty_caches())
        measure_in_rounds(sides, arguments.rounds, measure_side)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python tests/tools/benchmark", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often to start the processes of each side (default 5)")
    parser.add_argument("--quick", action="store_true", help="few repetitions: to see that it works, not to measure")
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS), metavar="GROUP",
                        help=f"measure no more than these groups of {', '.join(GROUPS)}")
    parser.add_argument("--stock-platform", default="NVIDIA CUDA", metavar="NAME",
                        help="compare with the platform whose name holds NAME (default: NVIDIA CUDA), e.g. Portable for PoCL")
    parser.add_argument("--devices", type=int, default=1, metavar="N",
                        help="make calls and copies on the first of N devices, in a context of all of them")
    parser.add_argument("--size", choices=["big", "small"], help="of the kernels' data; by default small where a side is no GPU")
    parser.add_argument("--json", metavar="FILE", help="write all numbers of all rounds to this file")
    return parser.parse_args()


def shown(sides: list[Side]) -> str:
    facts = [f"{side.name}: {side.facts['platform']}, {side.facts['device']}, driver {side.facts['driver']}" for side in sides]
    facts += [f"Python {sides[0].facts['python']}, PyOpenCL {sides[0].facts['pyopencl']}, rounds: {len(sides[0].rounds)}", ""]
    lines = [Line(name, [side.medians(name) for side in sides], [side.smallest(name) for side in sides], rate(first, sides[-1].medians(name)))
             for name, first in sides[0].rounds[0].items()]
    return "\n".join([*facts, table([side.name for side in sides], lines)])


def rate(measured: dict[str, Any], times: list[float]) -> str:
    return f"{measured['work'] / statistics.median(times):.4g} {measured['unit']}/s" if "work" in measured else ""


def report(sides: list[Side], size: str) -> dict[str, Any]:
    """All that was measured, in seconds."""
    names = list(sides[0].rounds[0])
    result: dict[str, Any] = {"size": size, "sides": {side.name: side.facts for side in sides}, "measurements": {}}
    for name in names:
        row: dict[str, Any] = {side.name: {"medians": side.medians(name), "minimum": side.smallest(name)} for side in sides}
        if len(sides) == 2:
            row["ratio"] = statistics.median(sides[1].medians(name)) / statistics.median(sides[0].medians(name))
        result["measurements"][name] = row
    return result


if __name__ == "__main__":
    main()
