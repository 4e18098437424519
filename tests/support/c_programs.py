"""Programs in C of our own: where they are, and how they run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cl2cuda.opencl_icd import generate, library, programs
from cl2cuda.opencl_icd.build import DRIVER, INCLUDES, LOADER, SOURCES, compilers

FOLDER = Path(__file__).parents[1] / "c"


def needs_compiler() -> None:
    if not Path("/usr/include/CL/cl.h").exists():
        pytest.skip("Khronos' OpenCL headers are not installed")
    if not compilers():
        pytest.skip("no C compiler")


def needs_loader() -> None:
    place = programs.loader()
    if place is None or not programs.reads_variables(place):
        pytest.skip("the machine has no loader that can be told")


def environment(through: str) -> dict[str, str]:
    """With the machine's loader, or with ours."""
    if library.libpython() is None:
        pytest.skip("this Python has no libpython that programs can load")
    found = programs.environment()
    if through == "alone":
        return {**found, "LD_LIBRARY_PATH": str(library.library(LOADER).parent)}
    needs_loader()
    return found


def run(place: Path, *arguments: str, through: str = "loader", **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(place), *arguments], env={**environment(through), **more}, capture_output=True, text=True, timeout=600)


def python_path(folder: Path) -> str:
    """PYTHONPATH of a program whose Python begins with the folder's sitecustomize.py."""
    return os.pathsep.join([str(folder), str(FOLDER.parents[1]), os.environ.get("PYTHONPATH", "")])


def sanitized(folder: Path, runtime: str, *flags: str) -> dict[str, str]:
    """The environment in which programs run with a library in the folder of which a sanitizer of gcc's watches every access: its runtime's
    name, and how the library is compiled."""
    needs_loader()
    if not shutil.which("gcc"):
        pytest.skip("no gcc")
    found = subprocess.run(["gcc", f"-print-file-name={runtime}"], capture_output=True, text=True, check=True).stdout.strip()
    if not Path(found).is_absolute():
        pytest.skip(f"gcc has no {runtime}")
    entries, made = folder / "entries.c", folder / DRIVER
    entries.write_text(generate.source())
    subprocess.run(["gcc", "-std=gnu11", "-O1", "-g", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread", "-Wall", "-Wextra", "-Werror",
                    *flags, *INCLUDES, *map(str, SOURCES), str(entries), "-o", str(made), "-ldl"], check=True)
    library.write_environment(made)
    (folder / "vendors").mkdir()
    (folder / "vendors" / "cl2cuda.icd").write_text(f"{made}\n")
    return {programs.VENDORS: programs.vendors(folder / "vendors"), "LD_PRELOAD": found}


_TOLD = """
import os
def told(owner, name, text):
    function = getattr(owner, name)
    setattr(owner, name, lambda *given, **named: (os.write(2, text.encode() + b"\\n"), function(*given, **named))[1])
"""


def told_by(folder: Path, program: str, python: str, **more: Any) -> list[str]:
    """The words that a program in C writes on standard error, and that text of Python, which runs at the start of its Python: there
    told(class or module, name, word) has a word written with each call of a function."""
    needs_compiler()
    (folder / "sitecustomize.py").write_text(_TOLD + python)
    (folder / "program.c").write_text(program)
    subprocess.run([*compilers()[0], f"-I{FOLDER}", "program.c", "-o", "program", str(library.library(LOADER))], cwd=folder, check=True)
    done = run(folder / "program", through="alone", PYTHONPATH=python_path(folder), **more)
    assert done.returncode == 0, done.stderr
    return done.stderr.split()
