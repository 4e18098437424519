"""`cl2cuda translate`: OpenCL C files or modules of SPIR-V in, CUDA C++ out.

Owns what the command writes and where, and its exit status: 0, 1 when a program is invalid, 2 when the command itself is wrong.
What a translation is, and what the build options mean, is the translator's business.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..builtins.prelude import needs_general
from ..porting.cuda_file import compiler_options
from ..porting.launchers import cuda, cupy, numba
from ..translator import BuildOptions, Translation
from ..version import VERSION
from .inputs import Source, UsageError, add_inputs, complain, concatenated, read_options, read_sources
from .report import Report

LAUNCHERS = {"cuda": cuda, "cupy": cupy, "numba": numba}
LAUNCHERS_HELP = """write, beside the kernels, functions that launch them: a header for nvcc, a module for CuPy, or declarations for Numba.
-o names a folder"""


def add_parsers(subparsers: Any) -> None:
    description = ("Translate OpenCL C, or SPIR-V, to readable CUDA C++. Without -o, one input goes to the standard output, several to "
                   "NAME.cu.")
    command = subparsers.add_parser("translate", help="translate OpenCL C files to CUDA C++", description=description)
    add_inputs(command)
    command.add_argument("-o", dest="output", metavar="PATH", help="write to this file, or into this folder as NAME.cu")
    command.add_argument("--concat", action="store_true", help="take all the files, in order, as one program")
    command.add_argument("--all", action="store_true", help="print functions and constants that no kernel reaches, too")
    command.add_argument("--standalone", action="store_true", help="put the device library in, for nvcc to compile")
    command.add_argument("--launchers", choices=tuple(LAUNCHERS), help=" ".join(LAUNCHERS_HELP.split()))
    command.set_defaults(func=run_translate)


def run_translate(arguments: argparse.Namespace) -> int:
    if arguments.launchers:
        return run_launchers(arguments)
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
                write(output, cuda_text(source, output, translation, options if arguments.standalone else None))
            except UsageError as error:
                return complain(error)
    return report.exit_status()


def run_launchers(arguments: argparse.Namespace) -> int:
    writer = LAUNCHERS[arguments.launchers]
    try:
        if arguments.all or arguments.standalone:
            raise UsageError("--launchers writes what kernels need, with the device library: --all and --standalone do not go with it")
        options = read_options(arguments.build_options)
        sources = read_sources(arguments.files)
        if modules := [source.path for source in sources if source.il]:
            raise UsageError(f"--launchers takes OpenCL C, whose types it declares: {modules[0]!r} is a module of SPIR-V")
        if arguments.concat:
            sources = [concatenated(sources)]
        folder = Path(arguments.output or ".")
        if folder.is_file():
            raise UsageError(f"-o {arguments.output} is a file, and --launchers writes several into a folder")
        written: dict[Path, str] = {}
        report = Report()
        for source in report.progress(sources):
            program = report.launched(source, options)
            if program is None:
                continue
            fitting = writer.fitting(program)
            report.left_out(source, fitting)
            files = {folder / name: text for name, text in writer.files(fitting).items()} if fitting.kernels else {}
            if taken := [path for path in files if path in written]:
                raise UsageError(f"two of the files would both go to {taken[0]}: translate them one by one, with -o")
            written |= files
        protect_inputs(arguments.files, list(written))
        for path, text in written.items():
            write(path, text)
    except UsageError as error:
        return complain(error)
    return report.exit_status()


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


def cuda_text(source: Source, output: Path | None, translation: Translation, standalone: BuildOptions | None) -> str:
    """The text of a file; `standalone` are the build options, for one that nvcc compiles."""
    head = f"// Translated from {source.name} by cl2cuda {VERSION}.\n"
    if standalone is not None:
        words = " ".join(compiler_options(translation, standalone))
        general = needs_general(translation.used_builtins)
        head += f"// Compile with: nvcc {words} -c {output.name if output else source.translated_name}\n"
        if general:
            head += "// Before a launch the host writes its sizes to `ocl::launch`: CUDA does not tell what get_work_dim returns.\n"
        return head + "\n" + translation.source("cuda", variant="general" if general else "plain", comments=True)
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
