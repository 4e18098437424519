"""The native runtime: the C++ files beside this one and a header, built once on a machine, kept on disk, loaded once in a process.

It holds the threads, the fibers and the handler for divisions by zero. Nothing on disk is loaded before its digest is
checked; a damaged file is built anew, as one is that cannot be loaded from there. Environment: CL2CUDA_CACHE_DIR and
CL2CUDA_NO_CACHE=1 as for programs;
CL2CUDA_HOST_THREADS, else every core that the process may use; CL2CUDA_HOST_STACK, bytes of each work-item's stack in
kernels with barriers (an item that overruns it ends the process with a segmentation fault); CL2CUDA_HOST_PATIENCE, the seconds after
which a launch ends all of whose work-groups wait.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
from contextlib import suppress
from pathlib import Path

from ..driver.interface import DriverError
from ..process import disk_cache, environment, processors
from .toolchain import X86, find_compiler

PARTS = ("interface.cpp", "../native/floating_point.h", "pool.cpp", "fibers.cpp", "faults.cpp", "division.cpp", "item_memory.cpp",
         "waiting.cpp")
# Fortified, longjmp would refuse to leave the stack of a fiber.
FLAGS = ("-O2", "-pthread", "-U_FORTIFY_SOURCE", *(("-mno-red-zone",) if X86 else ()))
STACK = 256 << 10
PATIENCE = 60  # seconds
DIGEST = hashlib.sha256().digest_size


@functools.lru_cache
def text_of(name: str) -> str:
    """A C++ file beside this one, with a #line so that messages name it."""
    text = Path(__file__).parent.joinpath(name).read_text(encoding="utf-8")
    return f'#line 1 "cl2cuda/runtime/host/{name}"\n{text}'


@functools.lru_cache
def source() -> str:
    return "".join(map(text_of, PARTS))


def cache_folder() -> Path | None:
    """None where nothing is to be kept."""
    root = disk_cache.root()
    return None if root is None else root / "host-runtime"


def kept(path: Path) -> bool:
    """Whether the file is whole: its last bytes are the digest of the others."""
    try:
        data = path.read_bytes()
    except OSError:
        return False
    return hashlib.sha256(data[:-DIGEST]).digest() == data[-DIGEST:]


def write(path: Path, binary: bytes) -> None:
    """Writes the library with its digest. (A loader ignores what follows the object.)"""
    disk_cache.write(path, binary, hashlib.sha256(binary).digest())


def load(path: Path) -> ctypes.CDLL:
    """Visible to the kernels that are loaded after it."""
    try:
        return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise DriverError(f"the host runtime cannot be loaded: {error}", "OUT_OF_HOST_MEMORY") from error


def built() -> ctypes.CDLL:
    """Loads the native runtime from the cache, or builds it."""
    compiler = find_compiler()
    name = hashlib.sha256((compiler.identity(FLAGS) + source()).encode()).hexdigest()[:32] + ".so"
    folder = cache_folder()
    if folder is not None and kept(folder / name):
        with suppress(DriverError):  # a file system that code is not run from
            return load(folder / name)
    binary = compiler.build(source(), FLAGS, ("-pthread", "-lc"))
    if folder is not None:
        try:
            write(folder / name, binary)
            return load(folder / name)
        except OSError as error:
            disk_cache.complain(folder, error)
        except DriverError:
            pass
    import tempfile  # as in `toolchain`

    try:
        with tempfile.TemporaryDirectory(prefix="cl2cuda-") as temporary:
            path = Path(temporary, name)
            path.write_bytes(binary)
            return load(path)
    except OSError as error:
        raise DriverError(f"the host runtime cannot be written: {error}") from error


def setting(name: str, default: int) -> int:
    text = environment.text(name) or str(default)
    if not text.isdigit():
        raise DriverError(f"{name} must be a whole number, not {text!r}", "INVALID_VALUE")
    return int(text)


@functools.lru_cache
def runtime() -> ctypes.CDLL:
    """The native runtime, loaded once in a process."""
    library = built()
    library.ocl_host_threads(setting("CL2CUDA_HOST_THREADS", processors.count()))
    library.ocl_host_stack(ctypes.c_size_t(setting("CL2CUDA_HOST_STACK", STACK)))
    library.ocl_host_patience(ctypes.c_long(setting("CL2CUDA_HOST_PATIENCE", PATIENCE)))
    library.ocl_host_thread_pool.restype = ctypes.c_void_p
    library.ocl_host_choose.argtypes = [ctypes.c_void_p]
    return library
