"""Runs random OpenCL C programs on two implementations or more and compares what they compute.

    python tests/tools/fuzz --count 2000 --seed 1 --against host,pocl --stock-python PYTHON
    python tests/tools/fuzz --count 5000 --seed 1 --against cuda,nvidia --stock-python PYTHON --jobs 16 --whole

`host` and `cuda` are cl2cuda's devices, `host-fibers` is the host with a stack for each work-item of every kernel with barriers. Any
other name is looked for among the OpenCL platforms of PYTHON's stock PyOpenCL, without regard to case; `pocl` is short for the Portable Computing Language. "-unoptimised" behind a name builds with -cl-opt-disable.

A program is known by its seed. Where results differ, source and results are written to FOLDER, with a smaller program that still
differs. Exits with 1 then, unless a referee (`--referee pocl-unoptimised`) computes what the first side does: the others are wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tools.fuzz import barriers, loops
from tools.fuzz.generate import Program, program
from tools.fuzz.minimise import minimise
from tools.fuzz.sides import REFUSED, Results, Side, digest


def run(sides: list[Side], programs: list[Program]) -> dict[str, Results]:
    """Each kernel's results by side. The sides work at the same time, two at most."""
    found: dict[str, Results] = {p.kernel: {} for p in programs}
    for pair in (sides[i : i + 2] for i in range(0, len(sides), 2)):
        for side in pair:
            side.send(programs)
        for side in pair:
            for kernel, result in side.receive(programs).items():
                if not result.startswith(REFUSED):  # another compiler's limit says nothing of ours
                    found[kernel][side.name] = result
    return found


def different(results: Results) -> bool:
    return len(set(results.values())) > 1 or not_run(results)


def judged(referee: Side | None, first: Side, case: Program, results: Results) -> bool:
    """Whether the referee says that the first side is right."""
    return referee is not None and not not_run(results) and referee.run([case])[case.kernel] == results[first.name]


def not_run(results: Results) -> bool:
    return any(not all(c in "0123456789abcdef" for c in result) for result in results.values())


def report(folder: Path, sides: list[Side], case: Program, results: Results, whole: bool) -> Path:
    def differs(candidate: Program) -> bool:
        again = {side.name: side.run([candidate])[candidate.kernel] for side in sides}
        return different(again) and kinds(again) == kinds(results)

    folder.mkdir(parents=True, exist_ok=True)
    said = "".join(f"// {name}: {result[:400]!r}\n" for name, result in results.items())
    (folder / f"{case.seed}.cl").write_text(said + case.source)
    if whole:
        return folder / f"{case.seed}.cl"
    smaller = minimise(case, differs)
    path = folder / f"{case.seed}_small.cl"
    path.write_text(said + smaller.source)
    return path


def kinds(results: Results) -> dict[str, bool]:
    return {name: not_run({name: result}) for name, result in results.items()}


def generator(arguments: argparse.Namespace) -> Callable[[int], Program]:
    if arguments.barriers or arguments.early_returns:
        return lambda seed: barriers.program(seed, arguments.early_returns)
    if arguments.loops:
        return loops.program
    return lambda seed: program(seed, not arguments.no_fp64)


def shared(arguments: argparse.Namespace) -> int:
    """Each process takes its share of the seeds; what it prints begins with its number. 1 where any failed."""
    share, rest = divmod(arguments.count, arguments.jobs)
    words = ["--against", arguments.against, "--stock-python", arguments.stock_python, "--batch", str(arguments.batch),
             "--failures", str(arguments.failures), *(["--referee", arguments.referee] if arguments.referee else []),
             *["--no-fp64"] * arguments.no_fp64, *["--whole"] * arguments.whole,
             *["--loops"] * arguments.loops, *["--barriers"] * arguments.barriers, *["--early-returns"] * arguments.early_returns]  # fmt: skip
    children, seed = [], arguments.seed
    for number in range(arguments.jobs):
        count = share + (number < rest)
        command = [sys.executable, str(Path(__file__).parent), "--count", str(count), "--seed", str(seed), *words]
        children.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
        seed += count
    last: list[str] = [""] * len(children)

    def relay(number: int) -> None:
        for line in children[number].stdout or ():
            last[number] = line
            print(f"[{number}] {line}", end="", flush=True)

    threads = [threading.Thread(target=relay, args=(number,)) for number in range(len(children))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    codes = [child.wait() for child in children]
    totals = [sum(map(int, found)) for found in zip(*(re.findall(r"(\d+) (?:programs|differ|overruled)", line) or ("0",) * 3 for line in last), strict=True)]
    print(f"all: {totals[0]} programs, {totals[1]} differ, {totals[2]} overruled; {sum(map(bool, codes))} of {len(codes)} processes saw differences")
    return int(any(codes))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="how many programs")
    parser.add_argument("--seed", type=int, default=1, help="of the first program; each next one has the next")
    parser.add_argument("--against", default="host,pocl", metavar="SIDE,SIDE", help="what to compare")
    parser.add_argument("--stock-python", default=sys.executable, metavar="PYTHON", help="a Python whose PyOpenCL finds other platforms")
    parser.add_argument("--referee", metavar="SIDE", help="asked where results differ")
    parser.add_argument("--batch", type=int, default=20, help="programs in one build")
    parser.add_argument("--failures", type=Path, default=Path("fuzz_failures"), metavar="FOLDER")
    parser.add_argument("--known", type=Path, metavar="FILE", help="write what the sides agree on, for test_fuzz.py")
    parser.add_argument("--no-fp64", action="store_true", help="programs without double")
    parser.add_argument("--barriers", action="store_true", help="kernels with barriers in control flow that is the same for all work-items")
    parser.add_argument("--loops", action="store_true", help="kernels of loops that count and sum under conditions")
    parser.add_argument("--early-returns", action="store_true", help="such kernels, where items also return before a barrier: for host "
                        "and host-fibers alone")
    parser.add_argument("--print", action="store_true", help="print the programs instead of running them")
    parser.add_argument("--whole", action="store_true", help="make no smaller programs, which takes minutes")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes share the programs")
    arguments = parser.parse_args()
    if arguments.jobs > 1:
        return shared(arguments)
    make = generator(arguments)
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    if arguments.print:
        print("".join(make(seed).source for seed in seeds))
        return 0
    sides = [Side(name, arguments.stock_python) for name in arguments.against.split(",")]
    referee = Side(arguments.referee, arguments.stock_python) if arguments.referee else None
    for side in sides:
        if problem := side.start():
            parser.error(f"{side.name}: {problem}")
        print(f"{side.name}: {side.device}", flush=True)
    failures, overruled, start, done = 0, 0, time.monotonic(), 0
    known: dict[int, str] = {}
    for first in range(0, len(seeds), arguments.batch):
        programs = [make(seed) for seed in seeds[first : first + arguments.batch]]
        found = run(sides, programs)
        known |= {p.seed: digest(found[p.kernel][sides[0].name]) for p in programs if not different(found[p.kernel])}
        for case, results in ((p, found[p.kernel]) for p in programs if different(found[p.kernel])):
            if judged(referee, sides[0], case, results):
                overruled += 1
                print(f"seed {case.seed}: {arguments.referee} agrees with {sides[0].name}", flush=True)
                continue
            failures += 1
            path = report(arguments.failures, sides, case, results, arguments.whole)
            outcomes = ", ".join(f"{name} {result[:60]!r}" for name, result in results.items())
            print(f"seed {case.seed}: {outcomes} -> {path}", flush=True)
        done += len(programs)
        if done % 200 < arguments.batch:
            print(f"{done} programs, {failures} differ, {overruled} overruled, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{done} programs, {failures} differ, {overruled} overruled, {time.monotonic() - start:.0f} s")
    if arguments.known:
        arguments.known.write_text(json.dumps(known, indent=0) + "\n")
    for side in (*sides, *([referee] if referee else [])):
        side.close()
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
