"""Builds one program of the corpus without a GPU: its text is put together, translated, and compiled by NVRTC.

Finds the packages without importing them: importing gputools or silx would ask for an OpenCL device.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tools.corpus.programs import FOLDERS, Program

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.driver.interface import BuildFailure
from cl2cuda.translator import CompileError, Dialect, InternalError, Translation, parse_options, translate

ARCHITECTURES = ("sm_75", "sm_90", "sm_120")
_IMAGE = re.compile(r"\b(?:image[123]d\w*_t|sampler_t)\b")


class Missing(Exception):
    """A package that is not installed."""


@dataclass(frozen=True)
class Result:
    """`error` is "" where everything compiled, else the first line of what was said; `images` whether the text names an image or a
    sampler. Times in seconds."""

    program: Program
    error: str
    images: bool
    translation: float
    compilation: float


@cache
def folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise Missing(package)
    return Path(next(iter(spec.submodule_search_locations))) / FOLDERS[package]


def text(program: Program) -> str:
    """The program's source as its package hands it to the compiler."""
    parts = []
    for name in program.files if program.package != "pyopencl" else ():
        package, path = name.split(":")
        lines = (folder(package) / path).read_text().splitlines(keepends=True)
        parts.append("".join(line for line in lines if program.keeps_includes or not line.startswith("#include ")))
    source = "\n".join(parts)
    if program.template:
        try:
            from mako.template import Template
        except ImportError:
            raise Missing("mako") from None
        source = Template(source).render(**program.template)
    return f"{program.before}{source}\n{program.after}"


def translated(program: Program) -> tuple[str, Translation]:
    source = text(program)
    options = parse_options(f"{program.options} -I {folder('pyopencl')}")
    # As for a device with images, which most of these programs were written for.
    dialect = Dialect.of(options)
    dialect = replace(dialect, extensions=(*dialect.extensions, "cl_khr_3d_image_writes"))
    return source, translate(source, options, filename=program.files[-1].split(":")[1], dialect=dialect)


def build(program: Program, architectures: tuple[str, ...] = ARCHITECTURES) -> Result:
    source = text(program)
    images = _IMAGE.search(source) is not None
    compilation = 0.0
    start = time.perf_counter()
    error = ""
    try:
        _, translation = translated(program)
        cuda = translation.source("cuda")
    except (CompileError, InternalError) as failure:
        error = next((line for line in str(failure).splitlines() if "error: " in line), str(failure).splitlines()[0])
    duration = time.perf_counter() - start
    if not error:
        compiler = nvrtc.nvrtc()
        start = time.perf_counter()
        try:
            for each in architectures:
                nvrtc.compile(cuda, each, flags(parse_options(program.options), compiler.version))
        except BuildFailure as failure:
            error = f"{each}: " + next((line for line in str(failure).splitlines() if "error" in line), str(failure))
        compilation = (time.perf_counter() - start) / len(architectures)
    return Result(program, error, images, duration, compilation)
