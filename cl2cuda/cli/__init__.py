"""The command line: `cl2cuda COMMAND`. Each command has its own file, which adds its parser and does the work.

Exit status: 0 done; 1 the work failed (a diagnostic, no device, an exception in the user's program); 2 the command line was wrong
or a file could not be read. `run` and `profile` exit with the status of the program that they run. Errors go to standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..version import VERSION
from . import check, icd, info, port, profile, run, translate, worker

# Files with `add_parsers(subparsers)`; a parser sets `func`: what takes the parsed arguments and returns the exit status.
COMMANDS = (run, profile, translate, check, port, info, icd, worker)
# Commands that run a program, whose arguments follow; and their own options that take values.
RUNNING = {"run": run.WITH_VALUES, "profile": profile.WITH_VALUES}

DESCRIPTION = "OpenCL on CUDA: run OpenCL programs on NVIDIA GPUs without NVIDIA's OpenCL, and translate OpenCL C to CUDA."


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cl2cuda", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"cl2cuda {VERSION}")
    subparsers = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parsers(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit status."""
    words, program_arguments = list(sys.argv[1:] if arguments is None else arguments), list[str]()
    if words[:1] == ["worker"]:
        words, program_arguments = worker.split(words)
    elif words and words[0] in RUNNING:
        words, program_arguments = run.split(words, RUNNING[words[0]])
    parsed = make_parser().parse_args(words)
    parsed.program_arguments = program_arguments
    try:
        status = parsed.func(parsed)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; Python's own exit must not complain about it.
        sys.stdout = None
        return 1
