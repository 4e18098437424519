"""`cl2cuda profile`: where a program's time goes, or what differs between two profiles."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..profiling import commands, compare, counters, page, profile, program, table
from .inputs import UsageError, complain
from .translate import write

DESCRIPTION = """Run a program on cl2cuda, in Python or any other, and show where its time went: kernels, copies, and when a device had
nothing to do. The table follows what the program prints."""
EPILOG = """Everything after the script or module belongs to the program, and the exit status is its own. Every command is timed; what that
takes is told at the end. --compare takes two files of --json, and runs nothing."""
# Options whose values are the next words, and how many.
WITH_VALUES = {"--json": 1, "--html": 1, "--compare": 2}


def add_parsers(subparsers: Any) -> None:
    command = subparsers.add_parser(
        "profile", help="show where a program's time goes", description=" ".join(DESCRIPTION.split()), epilog=" ".join(EPILOG.split()),
        usage="cl2cuda profile [-h] [--html FILE] [--json FILE] [--counters] [--overhead] (SCRIPT.py | -m MODULE | PROGRAM) [ARG ...]\n"
              "       cl2cuda profile [-h] [--html FILE] [--json FILE] --compare A B")
    command.add_argument("--html", metavar="FILE", help="write a page: the tables, the timeline and a roofline plot, for any browser")
    command.add_argument("--json", metavar="FILE", help="write the figures for programs, and for --compare")
    command.add_argument("--counters", action="store_true",
                         help="have NVIDIA Nsight Compute (ncu) count bytes and operations, in another run of the program (slow)")
    command.add_argument("--overhead", action="store_true", help="run the program once without the profile before, and tell what it took")
    command.add_argument("--compare", nargs=2, metavar=("A", "B"), help="show what differs between two profiles")
    command.add_argument("-m", dest="module", action="store_true", help="the name is a module's, as in 'python -m'")
    command.add_argument("program", nargs="?", metavar="SCRIPT.py | MODULE | PROGRAM", help="the program to run")
    command.set_defaults(func=run_profile)


def run_profile(arguments: argparse.Namespace) -> int:
    try:
        if arguments.compare:
            return run_compare(arguments)
        if arguments.program is None:
            raise UsageError("which program? (or --compare A B)")
        if arguments.counters and shutil.which(counters.PROGRAM) is None:
            raise UsageError(f"--counters needs NVIDIA Nsight Compute's {counters.PROGRAM}, which is not on the PATH")
        return run_program(arguments)
    except UsageError as error:
        return complain(error)


def run_program(arguments: argparse.Namespace) -> int:
    words = [*(["-m"] if arguments.module else []), arguments.program, *arguments.program_arguments]
    command = program.command(words)
    plain = program.plain(command) if arguments.overhead else None
    with tempfile.TemporaryDirectory(prefix="cl2cuda-profile-") as folder:
        ran = program.recorded(command, Path(folder))
        try:
            recorded = commands.read(ran.traces)
        except commands.NoTrace as missing:
            print(f"cl2cuda profile: there is nothing to show: {missing}", file=sys.stderr)
            return ran.status or 1
        found = profile.profiled(recorded, words, ran.status, ran.seconds, plain.seconds if plain else None)
        if arguments.counters:
            found = counted(found, command, Path(folder))
    print(f"\n{table.as_text(found)}")
    if arguments.json:
        write(Path(arguments.json), profile.to_json(found))
    if arguments.html:
        write(Path(arguments.html), page.page(found, recorded))
    return ran.status


def counted(found: profile.Profile, command: list[str], folder: Path) -> profile.Profile:
    """The profile with counters, or with a note why there are none."""
    log = folder / "counters.csv"
    if any(device.facts["driver"] == "cuda" for device in found.devices):
        program.plain(counters.command(log, command))
        try:
            return counters.add(found, counters.read(log.read_text(encoding="utf-8") if log.exists() else ""))
        except counters.NotCounted as error:
            why = str(error)
    else:
        why = "the program used no GPU"
    return profile.noted(found, f"nothing was counted: {why}")


def run_compare(arguments: argparse.Namespace) -> int:
    if arguments.program is not None or arguments.counters or arguments.overhead:
        raise UsageError("--compare reads two files and runs no program")
    names = tuple(arguments.compare)
    before, after = map(read_profile, names)
    print(compare.as_text(before, after, names))
    if arguments.json:
        write(Path(arguments.json), compare.as_json(before, after, names))
    if arguments.html:
        write(Path(arguments.html), page.comparison(before, after, names))
    return 0


def read_profile(name: str) -> profile.Profile:
    try:
        return profile.from_json(Path(name).read_text(encoding="utf-8"), name)
    except OSError as error:
        raise UsageError(f"cannot read {name!r}: {error.strerror}") from None
    except (UnicodeDecodeError, profile.NoProfile) as error:
        raise UsageError(str(error)) from None
