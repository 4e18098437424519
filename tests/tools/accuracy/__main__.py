"""Measures how far the math functions err and compares that with what the specification allows (7.4).

float and half are compared with double on the same device, double with mpmath and NumPy: half for all 65,536 inputs of a function of
one argument, float for a million and all edges (with --exhaustive for all 2^32), double for 100,000. Distances are in units in the
last place. Ends with status 1 where a function errs by more than it may.

Installing gmpy2 makes mpmath several times faster.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from tools.accuracy import device, functions, geometry, measure, references  # noqa: E402
from tools.accuracy.functions import Function  # noqa: E402
from tools.accuracy.measure import Measured  # noqa: E402

from cl2cuda.runtime.driver.interface import DriverMissing  # noqa: E402

RELAXED = ("-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math")


def main() -> int:
    arguments = parse_arguments()
    devices = open_devices(arguments.device)
    print(f"{'':10}{'function':20}{'bound':>24}", *(f"{name:>14} {'at':44}" for name in devices))
    wrong = 0
    with multiprocessing.get_context("spawn").Pool() as pool:
        for element, options, relaxed in kinds(arguments):
            found = [f for f in functions.functions(element, relaxed=relaxed) if not arguments.functions or f.name in arguments.functions]
            if not found:
                continue
            if options:
                print(options)
            sessions = {name: device.Session(each, found, options) for name, each in devices.items()}
            for function in found:
                wrong += report(list(measured(function, sessions, arguments, pool)))
        if not arguments.relaxed:
            for name_of_kind in arguments.type:
                for row in geometry.measure(name_of_kind, devices, arguments.points, arguments.functions):
                    wrong += report(row)
    print(f"{wrong} beyond the bound" if wrong else "all within the bounds")
    return 1 if wrong else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python tests/tools/accuracy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*", help="only these, by name")
    parser.add_argument("--device", choices=["host", "cuda", "all"], default="all", help="all that there are, unless told otherwise")
    parser.add_argument("--type", choices=functions.ELEMENTS, action="append", help="only this one")
    parser.add_argument("--points", type=int, default=1_000_000, help="inputs of a function of float (default 1,000,000); double: a tenth")
    parser.add_argument("--exhaustive", action="store_true", help="functions of one float at all 2^32 inputs")
    parser.add_argument("--relaxed", action="store_true", help="float under -cl-unsafe-math-optimizations and -cl-fast-relaxed-math")
    arguments = parser.parse_args()
    arguments.type = arguments.type or list(functions.ELEMENTS)
    return arguments


def open_devices(choice: str) -> dict[str, device.Device]:
    devices = {}
    for name in ("host", "cuda") if choice == "all" else (choice,):
        try:
            devices[name] = device.find(name)
        except (DriverMissing, IndexError) as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    if not devices:
        raise SystemExit("no device")
    return devices


def kinds(arguments: argparse.Namespace) -> Iterator[tuple[str, str, bool]]:
    """(element, build options, whether the bounds are table 67's)."""
    if arguments.relaxed:
        yield from (("float", options, True) for options in RELAXED)
    else:
        yield from ((element, "", False) for element in arguments.type)


def measured(function: Function, sessions: dict[str, device.Session], arguments: argparse.Namespace, pool) -> Iterator[Measured]:
    if function.element != "double":
        for name, session in sessions.items():
            yield measure.on_device(function, session, name, arguments.points, every=arguments.exhaustive)
    elif measure.can_be_referenced(function):
        yield from measure.against_exact(function, sessions, arguments.points // 10, lambda f, x: in_parallel(pool, f, x))


def in_parallel(pool, function: Function, arguments: Sequence[np.ndarray]) -> references.Reference:
    """The reference of each part of the arguments by a process of its own."""
    parts = zip(*(np.array_split(column, 64) for column in arguments), strict=True)
    found = pool.starmap(references.reference, [(function, part) for part in parts], chunksize=1)
    return references.Reference(*map(np.concatenate, zip(*found, strict=True)))


def report(row: list[Measured]) -> int:
    """Prints a line of the table; the number of devices on which the function errs too much."""
    if not row:
        return 0
    function = row[0].function
    cells = [cell(each) for each in row]
    print(f"{function.element:10}{function.label:20}{function.bound.text:>24}", *cells, flush=True)
    return sum(not each.holds for each in row)


def cell(found: Measured) -> str:
    worst = f"{found.worst:14.2e}" if found.function.bound.kind == "absolute" else f"{found.worst:14.4f}"
    where = " ".join(measure.shown(x, found.function.element) for x in found.where)
    return f"{worst}{'' if found.holds else '!':1}{where[:44]:44}"


if __name__ == "__main__":
    sys.exit(main())
