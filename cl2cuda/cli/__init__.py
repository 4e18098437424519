"""The command line: `cl2cuda COMMAND`. Each command has its own file, which adds its parser and does the work.

Exit status: 0 done; 1 the work failed (a diagnostic, no device, an exception in the user's program); 2 the command line was wrong
or a file could not be read. `run` and `profile` exit with the status of the program that they run. Errors go to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from ..version import VERSION

if TYPE_CHECKING:
    import argparse

# Files with `add_parsers(subparsers)`; a parser sets `func`: what takes the parsed arguments and returns the exit status.
COMMANDS = ("run", "profile", "translate", "check", "port", "info", "icd", "worker")

DESCRIPTION = "OpenCL on CUDA: run OpenCL programs on NVIDIA GPUs without NVIDIA's OpenCL, and translate OpenCL C to CUDA."


def command(name: str) -> ModuleType:
    """Imported when it is needed: no command waits for what others import."""
    return import_module(f".{name}", __name__)


def make_parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    import argparse  # which a program that is run does without

    parser = argparse.ArgumentParser(prog="cl2cuda", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"cl2cuda {VERSION}")
    subparsers = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    for name in names:
        command(name).add_parsers(subparsers)
    return parser


def parse(words: list[str]) -> argparse.Namespace:
    program_arguments = list[str]()
    name = words[0] if words else ""
    if name == "worker":
        words, program_arguments = command("worker").split(words)
    elif name in ("run", "profile"):  # the program's own arguments follow
        words, program_arguments = command("run").split(words, command(name).WITH_VALUES)
    parser = make_parser([name] if name in COMMANDS else COMMANDS)
    parsed, others = parser.parse_known_args(words)
    if name in ("translate", "check"):  # argparse takes the files before the first option, or behind it: compilers take both
        parsed.files += [word for word in others if not word.startswith("-")]
        others = [word for word in others if word.startswith("-")]
    if others:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    parsed.program_arguments = program_arguments
    return parsed


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parsed = (command("run").plain(words) if words[:1] == ["run"] else None) or parse(words)
    try:
        status: int = parsed.func(parsed)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; Python's own exit must not complain about it.
        sys.stdout = None
        return 1
