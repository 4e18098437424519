"""`cl2cuda port`: a project's kernels to CUDA with their launchers, and a report of what a person has to do."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..porting import settings
from ..porting.page import page
from ..porting.port import PortError, Project, check_folders, port, write_tree
from ..porting.sources import Found
from .inputs import UsageError, complain, read_source
from .progress import Progress
from .report import counted
from .translate import LAUNCHERS

INCOMPLETE = 1
REPORT = "report.html"
DESCRIPTION = """Find the kernels of a project, in .cl files, raw strings of C++ and strings of Python programs, and write them as CUDA
with functions that launch them, and report.html: what became of each, what needs a person, and what CUDA has for the host calls."""
EPILOG = """The exit status is 1 where a program was not or only partly ported, 2 where nothing could be done; then nothing is
written. A file for --options has a section for each pattern of files: [kernels/*.cl], with the lines `options = -D TILE=16` and
`before = common.cl`."""


def add_parsers(subparsers: Any) -> None:
    command = subparsers.add_parser("port", help="port a project: kernels, launchers, and a report",
                                    description=" ".join(DESCRIPTION.split()), epilog=" ".join(EPILOG.split()))
    command.add_argument("folder", metavar="FOLDER", help="the project")
    command.add_argument("-o", dest="output", metavar="OUT", required=True, help="the folder to make, outside of the project")
    command.add_argument("--launchers", choices=tuple(LAUNCHERS), default="cuda", help="for CUDA C++ (the default), CuPy or Numba")
    command.add_argument("--options", metavar="FILE", help="how programs are built, where that cannot be read")
    command.set_defaults(func=run_port)


def run_port(arguments: argparse.Namespace) -> int:
    project, output = Path(arguments.folder), Path(arguments.output)
    try:
        check_folders(project, output)
        given = settings.parse(read_source(arguments.options).text, arguments.options) if arguments.options else settings.Settings()
        ported = port(project, given, arguments.launchers, LAUNCHERS[arguments.launchers], progress)
        write_tree(output, {name: text for each in ported.ported for name, text in each.files.items()} | {REPORT: page(ported)})
    except (UsageError, PortError, settings.SettingsError) as error:
        return complain(UsageError(str(error)))
    except OSError as error:
        return complain(UsageError(f"cannot write {str(output)!r}: {error.strerror}"))
    print("\n".join(summary(ported, output)))
    for each in ported.unreadable:
        print(f"cl2cuda: error: cannot read {each.file!r}: {each.reason}", file=sys.stderr)
    return 0 if ported.is_whole else INCOMPLETE


def progress(found: Sequence[Found]) -> Any:
    return Progress(found, label=lambda each: each.file)


def summary(project: Project, output: Path) -> list[str]:
    width = max(len(each.place) for each in project.ported)
    words = {"ported": "ported", "partly": "partly", "failed": "not ported"}
    lines = []
    for each in project.ported:
        told = counted(len(each.kernels), "kernel") if each.kernels else (each.errors or each.person or [""])[0].splitlines()[0]
        lines.append(f"{words[each.outcome]:10}  {each.place:{width}}  {told}")
        lines += [f"{'':12}- {text}" for text in each.person if each.outcome != "failed"]
    calls = sum(each.count for each in project.calls)
    whole, partly, failed = (len(project.having(outcome)) for outcome in ("ported", "partly", "failed"))
    lines += ["", f"{whole} of {counted(len(project.ported), 'program')} ported, {partly} partly, {failed} not; "
                  f"{counted(calls, 'host call')} to look at: {output / REPORT}"]
    return lines
