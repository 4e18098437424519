"""NVRTC, CUDA's run-time compiler, through ctypes: CUDA C++ text to a cubin (or PTX), with no GPU and no CuPy needed.

It is bound here and not through CuPy so that tests compile for any architecture on any machine, and so that a cached build need
not load the library at all: `identity` is what its file says.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import itertools
import os
import re
import site
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ..driver.interface import BuildFailure, DriverError, DriverMissing
from ..driver.unfinished_code import UnfinishedCode
from ..process.workers import Workers
from .api import INSTALL

_LIBRARY = re.compile(r"^(?:libnvrtc\.so\.(\d+)(?:\.(\d+))?.*|nvrtc64_(\d\d)(\d)_\d+\.dll)$")

OLDEST = (12, 3)  # which knows __builtin_bit_cast

KEPT_MEMORY = 8 << 20


@dataclass(frozen=True)
class Compiled:
    """`code` is a cubin, or PTX for an architecture named compute_XX; `names` are the symbols of the name expressions."""

    code: bytes
    names: dict[str, str]
    log: str


def compile(source: str, arch: str, options: Sequence[str] = (), name: str = "program.cu") -> bytes:
    """The code for the architecture ("sm_90": a cubin, "compute_90": PTX). Raises BuildFailure with NVRTC's log."""
    return build(source, arch, options, (), name=name).code


def build(source: str, arch: str, options: Sequence[str], expressions: Iterable[str], begun: Callable[[], object] = bool, *,
          library: Nvrtc | None = None, name: str = "program.cu") -> Compiled:
    """Compiles; each name expression ("&ocl::user::add") is looked up among the symbols. Calls `begun` when NVRTC has all that it takes,
    and needs no Python from then on until it is done."""
    library = library or nvrtc()
    program = ctypes.c_void_p()
    library.check("nvrtcCreateProgram", ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
    try:
        expressions = list(expressions)
        for expression in expressions:
            library.check("nvrtcAddNameExpression", program, expression.encode())
        flags = [f"-arch={arch}".encode(), *(option.encode() for option in options)]
        texts = (ctypes.c_char_p * len(flags))(*flags)
        begun()
        status = library.handle.nvrtcCompileProgram(program, len(flags), texts)
        log = library.text("ProgramLog", program).decode("utf-8", "replace").strip()
        if status:
            raise BuildFailure(log or library.error(status))
        code = library.text("CUBIN" if arch.startswith("sm_") else "PTX", program)
        return Compiled(code, {expression: library.lowered(program, expression) for expression in expressions}, log)
    finally:
        library.handle.nvrtcDestroyProgram(ctypes.byref(program))


# What a build begins with and what it gives: the former calls what it is given when NVRTC is at work.
Build = Callable[[Callable[[], object]], Compiled]

# Its threads stay for a while, and with each the memory that glibc has for it: another one's pages would be new, 2,000 for a small kernel.
_THREADS = Workers(64, "cl2cuda: NVRTC")


class _Building:
    """A build that a thread of its own makes, or the caller's where none can be started. `made` is what has come of it at its end, which
    it tells by calling `then`."""

    def __init__(self, build: Build, then: Callable[[], object]):
        self._build, self._then = build, then
        self.begun, self.ended = threading.Event(), threading.Event()
        self.made: Compiled | BaseException | None = None
        _under_way.add(self)
        try:
            _THREADS.make(self._make)
        except BaseException:  # An interrupt: the end of the process does not wait for what may never begin.
            _under_way.discard(self)
            raise

    def _make(self) -> None:
        try:
            self.made = self._build(self.begun.set)
        except BaseException as error:
            self.made = error
        self.begun.set()
        self.ended.set()
        _under_way.discard(self)
        self._then()

    def compiled(self) -> Compiled:
        """Of one that has ended. Raises what the build has raised."""
        if isinstance(self.made, BaseException):
            raise self.made
        assert self.made is not None
        return self.made


_under_way: set[_Building] = set()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_under_way.clear)


@atexit.register
def _wait_for_builds() -> None:
    """The process must not end in the middle of one, as that of a daemon thread."""
    for each in list(_under_way):
        each.ended.wait()


def _raise(failure: BaseException) -> bytes:
    raise failure


@contextmanager
def side_by_side(builds: Sequence[Build], make: Callable[[list[Compiled]], bytes]) -> Iterator[UnfinishedCode]:
    """The code that `make` makes of what the builds give, after all of them and the block have ended. The block runs while NVRTC is at
    work on all: until then they need Python, and would wait for it for five milliseconds each time. Each is made by a thread of its own:
    NVRTC lets them work at the same time, and releases before 12.9 (12.0 to 12.4 were seen to) leave their thread in the locale "C", where
    Python takes files for ASCII."""
    code = UnfinishedCode()
    building: list[_Building] = []
    under_way = itertools.count(len(builds), -1)  # with the block, so that it is 0 for the last of them

    def one_has_ended() -> None:
        if next(under_way) == 0:
            code.finish(lambda: make([each.compiled() for each in building]))

    try:
        for build in builds:
            building.append(_Building(build, one_has_ended))
    except BaseException as error:  # An interrupt: nobody gets the code, for which the end of the process would wait.
        code.finish(functools.partial(_raise, error))
        raise
    try:
        for each in building:
            each.begun.wait()
        yield code
    finally:
        one_has_ended()


def apart(build: Build) -> Compiled:
    """What the one build gives, made by a thread of its own as well."""
    building = _Building(build, bool)
    building.ended.wait()
    return building.compiled()


class Nvrtc:
    """The loaded library."""

    def __init__(self, path: Path | str):
        # NVRTC finds its own second library only beside itself or on the loader's path; loading it first finds it anywhere.
        for second in sorted(Path(path).parent.glob("*nvrtc-builtins*")) if os.path.isabs(path) else ():
            ctypes.CDLL(str(second))
        self.handle = ctypes.CDLL(str(path))
        self.handle.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.check("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        self.version = (major.value, minor.value)
        if self.version < OLDEST:
            raise DriverMissing(f"NVRTC {major.value}.{minor.value} ({path}) lacks what translated programs use: install "
                                f"{OLDEST[0]}.{OLDEST[1]} or newer, {INSTALL}")
        _keep_memory()

    def check(self, function: str, *arguments: object) -> None:
        status = getattr(self.handle, function)(*arguments)
        if status:
            raise DriverError(f"{function}: {self.error(status)}")

    def error(self, status: int) -> str:
        return self.handle.nvrtcGetErrorString(status).decode()

    def text(self, what: str, program: ctypes.c_void_p) -> bytes:
        """What nvrtcGet<what> and nvrtcGet<what>Size give. PTX and logs end with a zero byte."""
        size = ctypes.c_size_t()
        self.check(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        data = ctypes.create_string_buffer(size.value)
        self.check(f"nvrtcGet{what}", program, data)
        return data.raw if what == "CUBIN" else data.raw.rstrip(b"\0")

    def lowered(self, program: ctypes.c_void_p, expression: str) -> str:
        name = ctypes.c_char_p()
        self.check("nvrtcGetLoweredName", program, expression.encode(), ctypes.byref(name))
        return (name.value or b"").decode()

    def architectures(self) -> list[int]:
        """Those it compiles for: 90 is sm_90."""
        count = ctypes.c_int()
        self.check("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        found = (ctypes.c_int * count.value)()
        self.check("nvrtcGetSupportedArchs", found)
        return list(found)

    def architecture(self, capability: tuple[int, int]) -> str:
        """The device's own, or PTX of the newest that this NVRTC knows, for a device that is newer still."""
        own = capability[0] * 10 + capability[1]
        known = self.architectures()
        if own in known:
            return f"sm_{own}"
        older = [arch for arch in known if arch < own]
        if not older:
            raise DriverMissing(f"NVRTC {self.version[0]}.{self.version[1]} cannot compile for compute capability "
                                f"{capability[0]}.{capability[1]}: install one that can, {INSTALL}")
        return f"compute_{max(older)}"


def _keep_memory() -> None:
    """A compilation takes some 10 MB, which glibc would give back to the system at its end and take anew for the next one: 2,000 faults of
    pages, a fifth of what a small kernel takes. A freed allocation that glibc took from the system by itself raises what it keeps of each
    thread's memory to twice that allocation's size (mallopt(3), "dynamic adjustment"); calloc does not touch the pages."""
    bytes(KEPT_MEMORY)


_lock = threading.Lock()
_loaded: dict[str, Nvrtc] = {}


def nvrtc(newest: int = 1 << 30) -> Nvrtc:
    path = str(find(newest))
    with _lock:
        if path not in _loaded:
            try:
                _loaded[path] = Nvrtc(path)
            except OSError as error:
                raise DriverMissing(f"NVRTC cannot be loaded ({error}): {INSTALL}") from error
        return _loaded[path]


def is_loaded(newest: int) -> bool:
    return str(find(newest)) in _loaded


@functools.cache
def find(newest: int = 1 << 30) -> Path | str:
    """The file of the newest NVRTC whose major version is at most `newest` (what the NVIDIA driver can load)."""
    found = {path: version for folder in _folders() for path in _files(folder) if (version := _version(path))}
    usable = [path for path, version in found.items() if version[0] <= newest]
    if usable:
        return max(usable, key=found.__getitem__)
    for major in (13, 12):
        try:
            ctypes.CDLL(f"libnvrtc.so.{major}")
            return f"libnvrtc.so.{major}"
        except OSError:
            continue
    raise DriverMissing(f"NVRTC, CUDA's run-time compiler, is not installed: {INSTALL}")


def warm_up(newest: int, capability: tuple[int, int]) -> None:
    """Loads NVRTC and compiles nothing: what the first build of a process would wait for else, some 30 ms. Any error is that of a build."""
    library = nvrtc(newest)
    apart(functools.partial(build, "", library.architecture(capability), (), (), library=library))


def identity(newest: int = 1 << 30) -> str:
    """Tells one installed NVRTC from another without loading it."""
    path = find(newest)
    if not os.path.isabs(path):
        return str(path)
    status = os.stat(path)
    return f"{_real(path)} {status.st_size} {status.st_mtime_ns}"


_real = functools.cache(os.path.realpath)


def _folders() -> Iterator[Path]:
    """Where pip puts it (nvidia/cu13/lib, nvidia/cuda_nvrtc/lib; bin on Windows), then a CUDA toolkit."""
    spec = find_spec("nvidia")
    roots = [Path(root) for root in spec.submodule_search_locations or ()] if spec else []
    roots += [Path(folder, "nvidia") for folder in site.getsitepackages()]
    for root in roots:
        for package in ("cu13", "cuda_nvrtc"):
            yield from (root / package / "lib", root / package / "bin", root / package / "bin" / "x86_64")
    toolkits = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME")]
    if sys.platform != "win32":
        toolkits.append("/usr/local/cuda")
    for toolkit in filter(None, toolkits):
        yield from (Path(toolkit) / "lib64", Path(toolkit) / "bin")


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*nvrtc*")) if folder.is_dir() else []


def _version(path: Path) -> tuple[int, int] | None:
    match = _LIBRARY.match(path.name)
    if not match or "builtins" in path.name or ".alt" in path.name:
        return None
    return int(match[1] or match[3]), int(match[2] or match[4] or 0)
