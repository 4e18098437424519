"""clang's OpenCL front end gives every case of tests/cases/language the verdict that the case expects, or the case says why not."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess

import pytest
from language_cases import Case, load

from cl2cuda.translator import Dialect, parse_options

CLANG = shutil.which("clang")
CASES = load()


def command(options: str, whole_header: bool) -> list[str]:
    """clang as it compiles for a device that has what ours has."""
    parsed = parse_options(options)
    dialect = Dialect.of(parsed)
    offers = ["-all", *(f"+{name}" for name in (*dialect.extensions, "cl_khr_fp64", *dialect.features))]
    words = [
        str(CLANG), "-cc1", "-x", "cl", f"-cl-std={parsed.cl_std}", "-triple", "spir64", "-fsyntax-only", "-nostdsysteminc",
        "-ferror-limit", "0", "-finclude-default-header", "-cl-ext=" + ",".join(offers), "-w",
    ]  # fmt: skip
    if not whole_header:
        words.append("-fdeclare-opencl-builtins")  # four times as fast, but without fp16 it has no vload_half
    return words + [f"-D{name}={value}" for name, value in parsed.defines] + [f"-U{name}" for name in parsed.undefines]


@functools.cache
def verdicts(options: str, whole_header: bool) -> dict[str, list[str]]:
    """The errors that clang finds in each file compiled with these options: one process for all, until one is fatal."""
    paths = [str(case.path) for case in CASES if case.options == options and ("half" in case.source) == whole_header]
    found: dict[str, list[str]] = {path: [] for path in paths}
    while paths:
        told = subprocess.run([*command(options, whole_header), *paths], capture_output=True, text=True, timeout=300).stderr
        for path, message in re.findall(r"^(.+\.cl):\d+:\d+: (?:fatal )?error: (.*)$", told, re.M):
            found[path].append(message)
        fatal = re.findall(r"^(.+\.cl):\d+:\d+: fatal error:", told, re.M)
        paths = paths[paths.index(fatal[0]) + 1 :] if fatal else []
    return found


@pytest.mark.skipif(CLANG is None, reason="clang is not installed")
@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES])
def test_clang_says_the_same(case: Case):
    errors = verdicts(case.options, "half" in case.source)[str(case.path)]
    same = bool(errors) == (case.error is not None)
    if case.clang is None:
        assert same, f"clang: {errors or 'valid'}"
    else:
        assert not same, "clang gives the same verdict: the reason is out of date"
