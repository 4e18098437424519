"""clang's OpenCL front end gives every case of tests/cases/language the verdict that the case expects, or the case says why not.

The cases' notes on differences are on clang 14, so it is asked wherever it is installed, and no other.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess

import pytest
from support.language_cases import Case, load

from cl2cuda.translator import parse_options

CASES = load()
Setup = tuple[str, str, bool]


@functools.cache
def clang() -> str | None:
    for found in filter(None, map(shutil.which, ("clang-14", "clang"))):
        if "clang version 14." in subprocess.run([found, "--version"], capture_output=True, text=True).stdout:
            return found
    return None


def setup(case: Case) -> Setup:
    """What a compilation depends on: the options, the extension left out, whether the whole header of built-ins is read.

    clang's table of built-ins is four times as fast as the header, but has no vload_half without cl_khr_fp16.
    """
    return case.options, case.without, "half" in case.source


def command(case: Case) -> list[str]:
    """clang as it compiles for a device that has what the case's has."""
    options, dialect = parse_options(case.options), case.dialect
    offers = ",".join(["-all", *(f"+{name}" for name in (*dialect.extensions, *dialect.features))])
    words = [
        str(clang()), "-cc1", "-x", "cl", f"-cl-std={options.cl_std}", "-triple", "spir64", "-fsyntax-only", "-nostdsysteminc",
        "-ferror-limit", "0", "-finclude-default-header", f"-cl-ext={offers}", "-w",
    ]  # fmt: skip
    words += ["-fdeclare-opencl-builtins"] * (not setup(case)[-1]) + ["-cl-fast-relaxed-math"] * options.fast_relaxed_math
    return words + [f"-U{name}" for name in options.undefines] + [f"-D{name}={value}" for name, value in options.defines]


@functools.cache
def verdicts(alike: Setup) -> dict[str, list[str]]:
    """The errors that clang finds in each file compiled alike: one process for all, until one is fatal."""
    cases = [case for case in CASES if setup(case) == alike]
    paths = [str(case.path) for case in cases]
    found: dict[str, list[str]] = {path: [] for path in paths}
    while paths:
        told = subprocess.run([*command(cases[0]), *paths], capture_output=True, text=True, timeout=300).stderr
        for path, message in re.findall(r"^(.+\.cl):\d+:\d+: (?:fatal )?error: (.*)$", told, re.M):
            found[path].append(message)
        fatal = re.findall(r"^(.+\.cl):\d+:\d+: fatal error:", told, re.M)
        paths = paths[paths.index(fatal[0]) + 1 :] if fatal else []
    return found


@pytest.mark.skipif(clang() is None, reason="clang 14 is not installed")
@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES])
def test_clang_says_the_same(case: Case):
    errors = verdicts(setup(case))[str(case.path)]
    same = bool(errors) == (case.error is not None)
    if case.clang is None:
        assert same, f"clang: {errors or 'valid'}"
    else:
        assert not same, "clang gives the same verdict: the reason is out of date"
