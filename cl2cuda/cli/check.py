"""`cl2cuda check`: what is wrong in OpenCL C files, for people and for programs."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from .check_formats import FORMATS
from .inputs import UsageError, add_inputs, complain, read_options, read_sources
from .report import Report

DESCRIPTION = """Report what is wrong in OpenCL C files, or modules of SPIR-V, and write nothing. The exit status is 1 when a program is
invalid."""
FORMAT_HELP = """text goes to standard error; json, sarif (2.1.0, for code scanning) and github (the workflow commands that annotate
pull requests) go to standard output"""


def add_parsers(subparsers: Any) -> None:
    command = subparsers.add_parser("check", help="report errors and warnings in OpenCL C files", description=" ".join(DESCRIPTION.split()))
    add_inputs(command)
    command.add_argument("--format", choices=("text", *FORMATS), default="text", help=" ".join(FORMAT_HELP.split()))
    command.set_defaults(func=run_check)


def run_check(arguments: argparse.Namespace) -> int:
    try:
        options = read_options(arguments.build_options)
        sources = read_sources(arguments.files)
    except UsageError as error:
        return complain(error)

    report = Report(shows=arguments.format == "text")
    for source in report.progress(sources):
        report.translate(source, options, unreached=True)
    if arguments.format != "text" and (text := FORMATS[arguments.format](report.found)):
        print(text)
    print(report.summary(), file=sys.stderr)
    return report.exit_status()
