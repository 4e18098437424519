"""Running a program in C: the environment in which a loader finds cl2cuda and nothing else. A script in Python that loads a loader by
ctypes, as tinygrad does, is given the same."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VENDORS, FILENAMES = "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"
_ELF = b"\x7fELF"


def find(name: str) -> str | None:
    """The program's file, as a shell finds it, if it is one that the machine runs by itself and no text for Python. In the words that
    name it: a program is told them, and `Path` would make `prog` of `./prog`, which no longer says where its other files are. What lies
    in the current folder comes first, as `python NAME` has it, unless it is neither a program nor text."""
    for place in _places(name):
        if not os.path.isfile(place) or not os.access(place, os.R_OK):
            continue
        with open(place, "rb") as file:
            first = file.readline(256)
        foreign_script = first.startswith(b"#!") and b"python" not in first
        if (first.startswith(_ELF) or foreign_script) and os.access(place, os.X_OK):
            return place
        if b"\0" not in first:
            return None
    return None


def _places(name: str) -> Iterator[str]:
    yield name
    if os.sep not in name:
        import shutil  # which a script that lies here does without

        found = shutil.which(name)
        if found is not None:
            yield found


def environment() -> dict[str, str]:
    """This process's, with cl2cuda as the only driver; and as the loader, too, where the machine has none that can be told.
    DriverMissing where the driver library cannot be built."""
    from . import library  # It takes long to import, and scripts in Python seldom need it.

    changed = {**os.environ, VENDORS: vendors(library.vendors())}
    changed.pop(FILENAMES, None)
    place = loader()
    if place is None or not reads_variables(place):
        changed["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, (str(_own_loader().parent), os.environ.get("LD_LIBRARY_PATH", ""))))
    return changed


def _own_loader() -> Path:
    """The library under the loader's name."""
    from .build import LOADER
    from .library import library

    return library(LOADER)


def vendors(folder: Path) -> str:
    """OCL_ICD_VENDORS for the drivers of a folder. The loader of the CUDA toolkits (12 and 13), an early one of Khronos', puts nothing
    between this and a file's name."""
    return f"{folder}{os.sep}"


def loader() -> Path | None:
    """The machine's libOpenCL.so.1, as a program of this environment finds it."""
    try:
        function = ctypes.CDLL("libOpenCL.so.1").clGetPlatformIDs
    except (OSError, AttributeError):
        return None
    place = _Place()
    described = ctypes.CDLL(None).dladdr(ctypes.cast(function, ctypes.c_void_p), ctypes.byref(place))
    return Path(os.fsdecode(place.file)) if described and place.file else None


class _Place(ctypes.Structure):
    """Dl_info of dlfcn.h."""

    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("symbol", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def reads_variables(place: Path) -> bool:
    """Whether a libOpenCL.so.1 lets a variable name its drivers: ocl-icd does, and Khronos' loader since its release of 2020; what is
    a driver itself does not."""
    return VENDORS.encode() in place.read_bytes()


def run(place: str, arguments: list[str], more: dict[str, str]) -> None:
    """The program takes this process's place."""
    os.execve(place, [place, *arguments], {**environment(), **more})


def serve_ctypes() -> None:
    """From now on the first library of this process that is loaded by ctypes and has OpenCL in its name finds cl2cuda."""
    load = ctypes.CDLL.__init__

    @functools.wraps(load)
    def prepared(self: ctypes.CDLL, name: Any, *arguments: Any, **more: Any) -> None:
        if name and "OpenCL" in os.path.basename(os.fsdecode(name)):
            ctypes.CDLL.__init__ = load  # type: ignore[method-assign]
            _prepare()
        load(self, name, *arguments, **more)

    ctypes.CDLL.__init__ = prepared  # type: ignore[method-assign]


def _prepare() -> None:
    """Loaders read the variables when the first function is called."""
    from ..runtime.driver.interface import DriverMissing  # Few scripts load a loader.

    try:
        found = environment()
        if found.get("LD_LIBRARY_PATH") != os.environ.get("LD_LIBRARY_PATH"):
            ctypes.CDLL(str(_own_loader()), ctypes.RTLD_GLOBAL)  # The name libOpenCL.so.1 means this one then.
    except DriverMissing as missing:
        print(f"cl2cuda: {missing}", file=sys.stderr)
        return
    os.environ[VENDORS] = found[VENDORS]
    os.environ.pop(FILENAMES, None)
