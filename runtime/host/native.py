"""The native runtime: the C++ files beside this one, built once on a machine, kept on disk, loaded once in a process.

It holds the threads, the fibers and the handler for divisions by zero. Nothing on disk is loaded before its digest is
checked; a damaged file is built anew. Environment: CL2CUDA_CACHE_DIR and CL2CUDA_NO_CACHE=1 as for programs;
CL2CUDA_HOST_THREADS, else every core that the process may use; CL2CUDA_HOST_STACK, bytes of each work-item's stack in
kernels with barriers (an item that overruns it ends the process with a segmentation fault).
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import tempfile
from importlib import resources
from pathlib import Path

import platformdirs

from .. import environment
from ..driver import DriverError
from .properties import cores
from .toolchain import X86, find_compiler

PARTS = ("interface.cpp", "pool.cpp", "fibers.cpp", "division.cpp", "faults.cpp")
FLAGS = ("-O2", "-pthread", *(("-mno-red-zone",) if X86 else ()))
STACK = 256 << 10
DIGEST = hashlib.sha256().digest_size


@functools.lru_cache
def text_of(name: str) -> str:
    """A C++ file of this package, with a #line so that messages name it."""
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return f'#line 1 "cl2cuda/runtime/host/{name}"\n{text}'


@functools.lru_cache
def source() -> str:
    return "".join(map(text_of, PARTS))


def cache_folder() -> Path:
    return Path(environment.text("CL2CUDA_CACHE_DIR") or platformdirs.user_cache_dir("cl2cuda", appauthor=False)) / "host-runtime"


def kept(path: Path) -> bool:
    """Whether the file is whole: its last bytes are the digest of the others."""
    try:
        data = path.read_bytes()
    except OSError:
        return False
    return hashlib.sha256(data[:-DIGEST]).digest() == data[-DIGEST:]


def write(path: Path, binary: bytes) -> None:
    """Atomically, so that processes that build at the same time do not meet. (A loader ignores what follows the object.)"""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(binary + hashlib.sha256(binary).digest())
    os.replace(temporary, path)


def load(path: Path) -> ctypes.CDLL:
    """Visible to the kernels that are loaded after it."""
    try:
        return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise DriverError(f"the host runtime cannot be loaded: {error}", "OUT_OF_HOST_MEMORY") from error


def built() -> ctypes.CDLL:
    """Loads the native runtime from the cache, or builds it."""
    compiler = find_compiler()
    key = hashlib.sha256((compiler.identity(FLAGS) + source()).encode()).hexdigest()[:32]
    path = cache_folder() / f"{key}.so"
    caching = not environment.flag("CL2CUDA_NO_CACHE")
    if caching and kept(path):
        return load(path)
    binary = compiler.build(source(), FLAGS, ("-pthread", "-lc"))
    if caching:
        try:
            write(path, binary)
            return load(path)
        except OSError:  # a home that cannot be written
            pass
    with tempfile.TemporaryDirectory(prefix="cl2cuda-") as folder:
        path = Path(folder, path.name)
        write(path, binary)
        return load(path)


def setting(name: str, default: int) -> int:
    text = environment.text(name) or str(default)
    if not text.isdigit():
        raise DriverError(f"{name} must be a whole number, not {text!r}", "INVALID_VALUE")
    return int(text)


@functools.lru_cache
def runtime() -> ctypes.CDLL:
    """The native runtime, loaded once in a process."""
    library = built()
    library.ocl_host_threads(setting("CL2CUDA_HOST_THREADS", cores()))
    library.ocl_host_stack(ctypes.c_size_t(setting("CL2CUDA_HOST_STACK", STACK)))
    library.ocl_host_team.restype = ctypes.c_void_p
    library.ocl_host_choose.argtypes = [ctypes.c_void_p]
    return library
