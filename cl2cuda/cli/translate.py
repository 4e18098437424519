"""The commands `cl2cuda translate` and `cl2cuda check`: OpenCL C files or modules of SPIR-V in, CUDA C++ or diagnostics out.

Owns what these two commands read, write and print, and their exit status: 0, 1 when a program is invalid, 2 when the
command itself is wrong. What a translation is, and what the build options mean, is the translator's business.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import __version__
from ..translator import Translation, is_spirv, translate, translate_il
from ..translator.diagnostics import CompileError, Diagnostic, InternalError
from ..translator.options import BuildOptions, OptionError, parse_options
from .progress import Progress

INVALID_PROGRAM = 1
USAGE = 2

BUILD_OPTIONS_HELP = "all options of clBuildProgram (OpenCL API 5.8.6) are taken: -cl-std=CL1.2, -cl-fast-relaxed-math, -w, ..."


class UsageError(Exception):
    """The command cannot be done as it was given. The message is for the person who typed it."""


@dataclass(frozen=True)
class Source:
    """One program to translate. `path` is the file as the user named it; "-" is the standard input. A module of SPIR-V is in `il`."""

    path: str
    text: str
    il: bytes = b""

    @property
    def name(self) -> str:
        return "<stdin>" if self.path == "-" else Path(self.path).name

    @property
    def translated_name(self) -> str:
        return "stdin.cu" if self.path == "-" else Path(self.path).with_suffix(".cu").name


def add_parsers(subparsers: Any) -> None:
    """Adds the two commands to the `subparsers` of the command line. Each sets `func`: (arguments) -> exit status."""
    description = ("Translate OpenCL C, or SPIR-V, to readable CUDA C++. Without -o, one input goes to the standard output, several to "
                   "NAME.cu.")
    command = subparsers.add_parser("translate", help="translate OpenCL C files to CUDA C++", description=description)
    add_inputs(command)
    command.add_argument("-o", dest="output", metavar="PATH", help="write to this file, or into this folder as NAME.cu")
    command.add_argument("--concat", action="store_true", help="take all the files, in order, as one program")
    command.add_argument("--all", action="store_true", help="print functions and constants that no kernel reaches, too")
    command.add_argument("--standalone", action="store_true", help="put the device library in, for nvcc to compile")
    command.set_defaults(func=run_translate)

    description = ("Report what is wrong in OpenCL C files, or modules of SPIR-V, and write nothing. The exit status is 1 when a "
                   "program is invalid.")
    command = subparsers.add_parser("check", help="report errors and warnings in OpenCL C files", description=description)
    add_inputs(command)
    command.set_defaults(func=run_check)


def add_inputs(command: argparse.ArgumentParser) -> None:
    command.add_argument("files", nargs="+", metavar="FILE.cl", help="OpenCL C source, or a module of SPIR-V; - reads the standard input")
    group = command.add_argument_group("build options", BUILD_OPTIONS_HELP)
    command.set_defaults(build_options=[])
    group.add_argument("-D", action=BuildOption, metavar="NAME[=VALUE]", help="define a macro")
    group.add_argument("-I", action=BuildOption, metavar="FOLDER", help="look for included files in this folder too")
    # argparse reads `-cl-std=CL1.2` as the option -c with the value `l-std=CL1.2`; BuildOption puts them together again.
    group.add_argument("-c", action=BuildOption, help=argparse.SUPPRESS)
    group.add_argument("-W", action=BuildOption, help=argparse.SUPPRESS)
    group.add_argument("-w", action=BuildOption, nargs=0, help=argparse.SUPPRESS)
    group.add_argument("-g", action=BuildOption, nargs=0, help=argparse.SUPPRESS)


class BuildOption(argparse.Action):
    """Keeps an option for the translator, in the order and the words in which the user gave it."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, value: Any,
                 option: str | None = None) -> None:
        word = f"{option}{value or ''}"
        if any(c.isspace() for c in word):
            word = '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
        namespace.build_options = [*namespace.build_options, word]


def run_translate(arguments: argparse.Namespace) -> int:
    try:
        options = read_options(arguments.build_options)
        sources = read_sources(arguments.files)
        if arguments.concat:
            sources = [concatenated(sources)]
        outputs = output_paths(sources, arguments.output)
        protect_inputs(arguments.files, outputs)
    except UsageError as error:
        return complain(error)

    report = Report()
    for source, output in zip(report.progress(sources), outputs, strict=True):
        translation = report.translate(source, options, unreached=arguments.all)
        if translation is not None:
            try:
                write(output, cuda_text(source, translation, standalone=arguments.standalone))
            except UsageError as error:
                return complain(error)
    return report.exit_status()


def run_check(arguments: argparse.Namespace) -> int:
    try:
        options = read_options(arguments.build_options)
        sources = read_sources(arguments.files)
    except UsageError as error:
        return complain(error)

    report = Report()
    for source in report.progress(sources):
        report.translate(source, options, unreached=True)
    print(report.summary(), file=sys.stderr)
    return report.exit_status()


class Report:
    """Translates programs one by one, prints their diagnostics as they come and keeps count."""

    def __init__(self) -> None:
        self.bar: Progress[Source] = Progress([])
        self.programs = 0
        self.invalid = 0
        self.counts = {"error": 0, "warning": 0, "note": 0}

    def progress(self, sources: Sequence[Source]) -> Progress[Source]:
        self.bar = Progress(sources, label=lambda source: source.path)
        return self.bar

    def translate(self, source: Source, options: BuildOptions, *, unreached: bool) -> Translation | None:
        """The translation, or None where the program is invalid."""
        self.programs += 1
        try:
            name = "<stdin>" if source.path == "-" else source.path
            if source.il:
                translation = translate_il(source.il, options, filename=name, unreached=unreached)
            else:
                translation = translate(source.text, options, filename=name, unreached=unreached)
        except CompileError as error:
            self.invalid += 1
            self.show(error.diagnostics)
            return None
        except InternalError as bug:
            self.invalid += 1
            self.bar.clear()
            print(f"error: {bug}", file=sys.stderr)
            return None
        self.show(translation.diagnostics)
        return translation

    def show(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.bar.clear()
        for diagnostic in diagnostics:
            self.counts[diagnostic.severity] += 1
            print(diagnostic, file=sys.stderr)

    def summary(self) -> str:
        found = [counted(self.counts[severity], severity) for severity in ("error", "warning") if self.counts[severity]]
        programs = counted(self.programs, "program")
        valid = f"{self.invalid} of {programs} invalid" if self.invalid else f"{programs} valid"
        return ", ".join([valid, *found])

    def exit_status(self) -> int:
        return INVALID_PROGRAM if self.invalid else 0


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def complain(error: UsageError) -> int:
    print(f"cl2cuda: error: {error}", file=sys.stderr)
    return USAGE


def read_options(words: Sequence[str]) -> BuildOptions:
    try:
        return parse_options(" ".join(words))
    except OptionError as error:
        raise UsageError(str(error)) from None


def read_sources(paths: Sequence[str]) -> list[Source]:
    """Reads all files before the first is translated, so that a mistyped name is told at once, with all the others."""
    sources, problems = [], []
    for path in paths:
        try:
            sources.append(read_source(path))
        except UsageError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("\ncl2cuda: error: ".join(problems))
    return sources


def read_source(path: str) -> Source:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return Source(path, "", data) if is_spirv(data) else Source(path, data.decode("utf-8-sig"))
    except FileNotFoundError:
        raise UsageError(f"there is no file {path!r}") from None
    except IsADirectoryError:
        raise UsageError(f"{path!r} is a folder: name the files in it, as in {Path(path)}/*.cl") from None
    except OSError as error:
        raise UsageError(f"cannot read {path!r}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path!r} is not UTF-8 text: byte 0x{data[error.start]:02x} in line {line}") from None


def concatenated(sources: Sequence[Source]) -> Source:
    """One program of several files. The #line directives keep the place of every diagnostic."""
    if len(sources) == 1:
        return sources[0]
    if any(source.il for source in sources):
        raise UsageError("--concat puts texts together; a module of SPIR-V is none")
    quoted = [source.path.replace("\\", "\\\\").replace('"', '\\"') for source in sources]
    text = "".join(f'#line 1 "{path}"\n{source.text.rstrip()}\n' for path, source in zip(quoted, sources, strict=True))
    return Source(sources[0].path, text)


def output_paths(sources: Sequence[Source], output: str | None) -> list[Path | None]:
    """Where each translation goes; None is the standard output."""
    if output is None and len(sources) == 1:
        return [None]
    if output is None:
        return named_in(Path(), sources)
    path = Path(output)
    if path.is_dir() or output.endswith(("/", "\\")):
        return named_in(path, sources)
    if len(sources) == 1:
        return [path]
    if path.exists():
        raise UsageError(f"-o {output} is a file, and {len(sources)} translations need a folder (or --concat: one program of all)")
    return named_in(path, sources)


def named_in(folder: Path, sources: Sequence[Source]) -> list[Path | None]:
    taken: dict[Path, str] = {}
    for source in sources:
        path = folder / source.translated_name
        if path in taken:
            raise UsageError(f"{taken[path]!r} and {source.path!r} would both go to {path}: translate them one by one, with -o")
        taken[path] = source.path
    return list(taken)


def cuda_text(source: Source, translation: Translation, *, standalone: bool) -> str:
    head = f"// Translated from {source.name} by cl2cuda {__version__}.\n"
    if standalone:
        head += f"// Compile with: nvcc -std=c++20 -c {source.translated_name}\n\n"
        return head + translation.source("cuda", comments=True)
    rest = "// It stands on cl2cuda's device library; `cl2cuda translate --standalone` puts that in, for nvcc to compile.\n\n"
    return head + rest + translation.user_source


def protect_inputs(inputs: Sequence[str], outputs: Sequence[Path | None]) -> None:
    for output in outputs:
        for path in inputs:
            if output is not None and path != "-" and output.exists() and output.samefile(path):
                raise UsageError(f"the translation would overwrite its own source, {path!r}")


def write(path: Path | None, text: str) -> None:
    if path is None:
        sys.stdout.write(text)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror}") from None
