"""What `translate`, `check` and `port` read: OpenCL C files, modules of SPIR-V and build options; how they complain of what they
cannot use."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..porting.encoding import decoded
from ..translator import is_spirv
from ..translator.options import BuildOptions, OptionError, parse_options

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
    def shown(self) -> str:
        """The file as messages name it."""
        return "<stdin>" if self.path == "-" else self.path

    @property
    def stem(self) -> str:
        return "stdin" if self.path == "-" else Path(self.path).stem

    @property
    def translated_name(self) -> str:
        return "stdin.cu" if self.path == "-" else Path(self.path).with_suffix(".cu").name


def add_inputs(command: argparse.ArgumentParser) -> None:
    command.add_argument("files", nargs="+", metavar="FILE.cl", help="OpenCL C source, or a module of SPIR-V; - reads the standard input")
    group = command.add_argument_group("build options", BUILD_OPTIONS_HELP)
    command.set_defaults(build_options=[])
    group.add_argument("-D", action=BuildOption, metavar="NAME[=VALUE]", help="define a macro")
    group.add_argument("-U", action=BuildOption, metavar="NAME", help="undefine a macro")
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
        return Source(path, "", data) if is_spirv(data) else Source(path, decoded(data))
    except FileNotFoundError:
        raise UsageError(f"there is no file {path!r}") from None
    except IsADirectoryError:
        raise UsageError(f"{path!r} is a folder: name the files in it, as in {Path(path)}/*.cl") from None
    except OSError as error:
        raise UsageError(f"cannot read {path!r}: {error.strerror}") from None


def concatenated(sources: Sequence[Source]) -> Source:
    """One program of several files. The #line directives keep the place of every diagnostic."""
    if len(sources) == 1:
        return sources[0]
    if any(source.il for source in sources):
        raise UsageError("--concat puts texts together; a module of SPIR-V is none")
    first, *others = sources
    quoted = [source.shown.replace("\\", "\\\\").replace('"', '\\"') for source in others]
    texts = [f'#line 1 "{path}"\n{source.text.rstrip()}\n' for path, source in zip(quoted, others, strict=True)]
    return Source(first.path, "".join([first.text.rstrip() + "\n", *texts]))
