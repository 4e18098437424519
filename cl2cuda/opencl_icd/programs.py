"""Running a program in C: the environment in which a loader finds cl2cuda and nothing else."""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path

from . import library
from .build import LOADER

_ELF = b"\x7fELF"


def find(name: str) -> Path | None:
    """The program's file, as a shell finds it, if it is one that the machine runs by itself and no text for Python."""
    place = name if os.sep in name or os.path.isfile(name) else shutil.which(name)
    if place is None or not os.path.isfile(place) or not os.access(place, os.X_OK):
        return None
    with open(place, "rb") as file:
        first = file.readline(256)
    foreign_script = first.startswith(b"#!") and b"python" not in first
    return Path(place) if first.startswith(_ELF) or foreign_script else None


def environment() -> dict[str, str]:
    """This process's, with cl2cuda as the only driver; and as the loader, too, where the machine has none. DriverMissing where
    the driver library cannot be built."""
    changed = {**os.environ, "OCL_ICD_VENDORS": str(library.vendors())}
    changed.pop("OCL_ICD_FILENAMES", None)
    if not has_loader():
        folder = library.library(LOADER).parent
        changed["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, (str(folder), os.environ.get("LD_LIBRARY_PATH", ""))))
    return changed


def has_loader() -> bool:
    try:
        ctypes.CDLL("libOpenCL.so.1")
    except OSError:
        return False
    return True


def run(place: Path, arguments: list[str], more: dict[str, str]) -> None:
    """The program takes this process's place."""
    os.execve(place, [str(place), *arguments], {**environment(), **more})
