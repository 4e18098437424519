"""The machine's C++ compiler: which one it is, how it wants to be told, and one call of it.

A compiler is one of a few kinds; what a kind needs is a row of KINDS. Nothing here knows what is compiled.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..driver.interface import BuildFailure, DriverError, DriverMissing
from ..process import environment


class Kind(NamedTuple):
    """A family of compilers: what it needs beyond the flags that all of them take.

    always     for every compilation
    kernels    for translated programs, which use no header and nothing but libm and libc, and run on this processor only
    libraries  at the end of a kernel's command
    large      for translated programs that are large (compiler.py); empty where all that is asked to be inlined may be
    triples    for translated programs with vectors of three components
    """

    name: str
    always: tuple[str, ...]
    kernels: tuple[str, ...]
    libraries: tuple[str, ...] = ("-lm", "-lc")
    large: tuple[str, ...] = ()
    triples: tuple[str, ...] = ()


X86 = platform.machine().lower() in ("x86_64", "amd64")
NATIVE = "-march=native" if X86 else "-mcpu=native"

KINDS = {
    kind.name: kind
    for kind in (
        # Without -fno-isolate-…, GCC replaces a division by what it knows to be zero with a trap. Without -fno-delete-null-…, GCC 12
        # takes s[2 * i], whose address it computes from that of s[i], for an access by a null pointer: a function that makes one in
        # every case has no effects to it, and it drops the calls. The linker's LTO plugin takes 15 ms and finds nothing to do.
        Kind("gnu", ("-fno-diagnostics-show-caret",),
             (NATIVE, "-nostdlib", "-fno-use-linker-plugin", "-fno-isolate-erroneous-paths-dereference",
              "-fno-delete-null-pointer-checks"), ("-lm", "-lc", "-lgcc"),
             # Functions are inlined whatever their size, as long as those that they go into have not become very large. The vectoriser
             # compares the accesses of a loop two by two, and what it finds again: a DES of 16 rounds took it minutes, now a second.
             ("--param=max-inline-insns-single=2000", "--param=max-inline-insns-auto=2000", "--param=inline-unit-growth=400",
              "--param=loop-max-datarefs-for-datadeps=100"),
             # GCC 12, where a processor has masked loads, vectorises what is loaded under a condition as if three components lay side
             # by side without the room of the fourth.
             ("-fno-tree-loop-if-convert",)),
        Kind("clang", ("-fno-caret-diagnostics",), (NATIVE, "-nostdlib")),
        # Its debug builds turn undefined behaviour into a trap. Without -nostdlib it first builds its own libc++, libunwind and
        # more for this machine, which takes minutes and which nothing here uses.
        Kind("zig", ("-fno-caret-diagnostics", "-fno-sanitize=all", "-nostdlib"), ("-mcpu=native",)),
        Kind("apple", ("-fno-caret-diagnostics",), (NATIVE, "-undefined", "dynamic_lookup"), ()),
    )
}

COMMON = ("-std=c++20", "-shared", "-fPIC", "-fno-exceptions", "-fno-rtti", "-w", "-pipe")


class Compiler(NamedTuple):
    """A compiler to call: the words of its command, its kind, and what tells this version of it from another."""

    command: tuple[str, ...]
    kind: Kind
    installation: str

    @property
    def name(self) -> str:
        return " ".join(self.command)

    def identity(self, flags: tuple[str, ...]) -> str:
        """What decides, beside the source, what `build` yields."""
        return " ".join((*self.command, self.installation, *COMMON, *self.kind.always, *flags))

    def build(self, source: str, flags: tuple[str, ...], libraries: tuple[str, ...] = ()) -> bytes:
        """Compiles C++ text to a shared object. Raises BuildFailure with what the compiler said."""
        import subprocess  # as `tempfile` below: a process whose programs are in the cache compiles none

        with _room() as folder:
            output = Path(folder, "built.so")
            command = [*self.command, *COMMON, *self.kind.always, *flags, "-x", "c++", "-", "-o", str(output), *libraries]
            english = {"PATH": os.defpath, **os.environ, "LC_ALL": "C"}  # where a process has no PATH, GCC would find no linker
            done = subprocess.run(command, input=source.encode(), capture_output=True, env=english, check=False)
            said = (done.stderr + done.stdout).decode(errors="replace").strip()
            if done.returncode or not output.exists():
                raise BuildFailure(f"{self.name} does not compile the translated program:\n{said}")
            return output.read_bytes()


@contextmanager
def _room() -> Iterator[str]:
    """A folder that goes with what is in it. (A TemporaryDirectory would go at the process's end, with a compiler at work in it.)"""
    import tempfile

    try:
        path = tempfile.mkdtemp(prefix="cl2cuda-")
    except OSError as error:
        raise DriverError(f"the compiler needs a folder for temporary files, which TMPDIR names: {error}") from error
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def kind_of(command: tuple[str, ...], program: str) -> Kind:
    """The compiler's kind by the program's name, looked up through links; one whose name says nothing is asked."""
    if sys.platform == "darwin":
        return KINDS["apple"]
    words = " ".join([Path(program).resolve().name, *(Path(word).name for word in command)])
    for part, kind in (("zig", "zig"), ("clang", "clang"), ("g++", "gnu"), ("gcc", "gnu")):
        if part in words:
            return KINDS[kind]
    import subprocess

    asked = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    return KINDS["clang" if "clang" in asked.stdout else "gnu"]


def compiler_at(command: tuple[str, ...]) -> Compiler | None:
    program = shutil.which(command[0]) if command else None
    if program is None:
        return None
    # The file's size and age stand for the compiler's version, which would take a process to ask.
    facts = os.stat(Path(program).resolve())
    return Compiler(command, kind_of(command, program), f"{program} {facts.st_size} {facts.st_mtime_ns}")


def zig() -> Compiler | None:
    """The compiler inside the `ziglang` wheel."""
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        return None
    return Compiler((sys.executable, "-m", "ziglang", "c++"), KINDS["zig"], f"{found.origin} {os.stat(found.origin).st_mtime_ns}")


@functools.lru_cache
def compiler_for(ours: str, cxx: str | None, path: str | None) -> Compiler:
    if ours:
        chosen = compiler_at(tuple(shlex.split(ours)))
        if chosen is None:
            raise DriverMissing(f"the compiler that CL2CUDA_CXX names is not there: {ours}")
        return chosen
    for text in (cxx, "g++", "clang++", "c++"):
        found = compiler_at(tuple(shlex.split(text))) if text else None
        if found:
            return found
    bundled = zig()
    if bundled is None:
        raise DriverMissing(
            "the host device needs a C++ compiler, and there is none (tried $CL2CUDA_CXX, $CXX, g++, clang++, c++ and the ziglang "
            "wheel). Install one, for example with 'apt install g++', or with 'pip install ziglang'."
        )
    return bundled


def find_compiler() -> Compiler:
    """$CL2CUDA_CXX, $CXX, g++, clang++, c++, then the ziglang wheel. Raises DriverMissing with what to install."""
    return compiler_for(environment.text("CL2CUDA_CXX"), os.environ.get("CXX"), os.environ.get("PATH"))
