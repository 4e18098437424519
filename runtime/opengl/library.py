"""The libraries of this machine: EGL's and GLX's, as every vendor's OpenGL is reached through them."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

EGL, GLX = ("libEGL.so.1",), ("libGLX.so.0", "libGL.so.1")
LINKER_CACHE = Path("/etc/ld.so.cache")  # ldconfig's: what names lead to which files


class GraphicsError(Exception):
    """A call of OpenGL or EGL failed. `status` names the OpenCL status code that fits best."""

    def __init__(self, message: str, status: str = "OUT_OF_RESOURCES"):
        super().__init__(message)
        self.status = status


def _loaded(*names: str) -> ctypes.CDLL | None:
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


@cache
def egl() -> ctypes.CDLL | None:
    return _loaded(*EGL)


@cache
def glx() -> ctypes.CDLL | None:
    return _loaded(*GLX)


def available() -> bool:
    """Whether programs on this machine can have OpenGL contexts that are known here."""
    return egl() is not None or glx() is not None


@cache
def installed() -> bool:
    """The same, without loading the libraries: `import pyopencl` asks a dozen times."""
    return any(_is_installed(name) for name in (*EGL, *GLX))


@cache
def nvidia_available() -> bool:
    """Whether NVIDIA's own OpenGL is installed, the only one whose objects CUDA knows."""
    return any(_is_installed(name) for name in ("libEGL_nvidia.so.0", "libGLX_nvidia.so.0"))


def _is_installed(name: str) -> bool:
    """Whether the library can be loaded, without doing so: the tens of megabytes behind it are for programs that draw."""
    folders = filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep))
    if any(os.path.exists(os.path.join(folder, name)) for folder in folders):
        return True
    try:
        known = LINKER_CACHE.read_bytes()
    except OSError:  # This system has none.
        return _loaded(name) is not None
    return any(os.path.exists(os.fsdecode(path)) for path in _paths(known, f"/{name}\0".encode()))


def _paths(known: bytes, end: bytes) -> Iterator[bytes]:
    """The paths with that end, among text between zero bytes. `import pyopencl` waits for it, where there is no such library, too."""
    place = known.find(end)
    while place >= 0:
        start = known.rfind(b"\0", 0, place) + 1
        if known.startswith(b"/", start):
            yield known[start : place + len(end) - 1]
        place = known.find(end, place + 1)


def prototype(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """A function that the library exports."""
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function
