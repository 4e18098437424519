"""Modules of SPIR-V for tests: from OpenCL C by clang and llvm-spirv, from assembly text by spirv-as, where these are installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

LEVELS = ("-O0", "-O2")


class Refused(Exception):
    """clang or llvm-spirv does not take the program; the message says why."""


ENDINGS = ("", *(f"-{version}" for version in range(21, 13, -1)))  # of programs' names


@cache
def compilers() -> tuple[str, str] | None:
    """The paths of clang and llvm-spirv, which are of one version where more are installed: older ones do not read what newer ones write."""
    of_one_version = [(shutil.which(f"clang{ending}"), shutil.which(f"llvm-spirv{ending}")) for ending in ENDINGS]
    first = [next(filter(None, found), None) for found in zip(*of_one_version, strict=True)]
    return next(((clang, translator) for clang, translator in (*of_one_version, first) if clang and translator), None)


def can_compile() -> bool:
    return compilers() is not None


@cache
def assembler() -> str | None:
    return next(filter(None, (shutil.which(f"spirv-as{ending}") for ending in ENDINGS)), None)


def can_assemble() -> bool:
    return assembler() is not None


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise Refused(done.stderr.strip() or f"{Path(command[0]).name} ends with {done.returncode}")


@cache
def compiled(source: str, options: str = "", level: str = "-O2", more: tuple[str, ...] = ()) -> bytes:
    """The module that clang makes of a program. Raises Refused. `more` are arguments of llvm-spirv."""
    found = compilers()
    assert found
    clang, translator = found
    words = [word for word in options.split() if word.startswith(("-cl-", "-D", "-w", "-U", "-fno-"))]
    if not any(word.startswith("-cl-std") for word in words):
        words.append("-cl-std=CL1.2")
    with tempfile.TemporaryDirectory() as folder:
        text, bitcode, module = (Path(folder, name) for name in ("program.cl", "program.bc", "program.spv"))
        text.write_text(source)
        _run([clang, "-c", "-target", "spir64", "-emit-llvm", "-Xclang", "-finclude-default-header", "-w", level, *words, str(text),
              "-o", str(bitcode)])
        try:
            _run([translator, *more, str(bitcode), "-o", str(module)])
        except Refused as refused:
            if " = freeze " not in str(refused):
                raise
            _drop_freeze(clang, bitcode)
            _run([translator, *more, str(bitcode), "-o", str(module)])
        return module.read_bytes()


def _drop_freeze(clang: str, bitcode: Path) -> None:
    """SPIR-V has no `freeze`, which gives undefined values one value, and others their own: these programs have no undefined ones."""
    text = bitcode.with_suffix(".ll")
    as_ir = [clang, "-target", "spir64", "-emit-llvm", "-x", "ir", "-Xclang", "-disable-llvm-passes", "-w"]
    _run([*as_ir, "-S", str(bitcode), "-o", str(text)])
    text.write_text(re.sub(r" = freeze (.+) (\S+)$", r" = bitcast \1 \2 to \1", text.read_text(), flags=re.MULTILINE))
    _run([*as_ir, "-c", str(text), "-o", str(bitcode)])


@cache
def assembled(text: str, environment: str = "spv1.2") -> bytes:
    """The module of assembly text (spirv-as)."""
    program = assembler()
    assert program
    with tempfile.TemporaryDirectory() as folder:
        source, module = Path(folder, "program.spvasm"), Path(folder, "program.spv")
        source.write_text(text)
        _run([program, "--target-env", environment, "--preserve-numeric-ids", str(source), "-o", str(module)])
        return module.read_bytes()
