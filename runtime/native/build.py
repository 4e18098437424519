"""Compiles the calls with the machine's C compiler: at installation, or for a source tree (`python -m cl2cuda.runtime.native.build`).

Imported for an installation, it needs nothing that is not Python's.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ..driver.interface import DriverMissing

HERE = Path(__file__).resolve().parent
SOURCES = sorted(HERE.glob("*.c"))

FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden", "-Werror=implicit-function-declaration")


def compilers() -> list[tuple[str, ...]]:
    """C compilers: $CC, then the usual names."""
    named = [os.environ.get("CC", ""), "cc", "gcc", "clang"]
    return [tuple(shlex.split(name)) for name in named if name and shutil.which(shlex.split(name)[0])]


def compile_library(compiler: tuple[str, ...], arguments: Iterable[str], target: Path, what: str) -> None:
    """The target appears whole or not at all. DriverMissing, which names `what` it is, where the compiler fails."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder, target.name)
        done = subprocess.run([*compiler, *FLAGS, *arguments, "-o", str(made)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise DriverMissing(f"{compiler[0]} does not compile {what}:\n{done.stderr.strip()}")
        os.replace(made, target)


def build(target: Path) -> None:
    """Compiles the library of that name. DriverMissing where there is no compiler, or it fails."""
    found = compilers()
    if not found:
        raise DriverMissing("launches from Python take a few steps more, since no C compiler is found: install gcc or clang")
    compile_library(found[0], map(str, SOURCES), target, "the calls for Python")


def build_for_source_tree() -> None:
    """Into the cache, where it is not there yet."""
    from .library import HERE, NAME, cached_place

    place = cached_place()
    if place is not None and not place.exists() and not (HERE / NAME).exists():
        build(place)


if __name__ == "__main__":
    try:
        build_for_source_tree()
    except DriverMissing as missing:
        sys.exit(f"cl2cuda: {missing}")
