"""The driver library: building it with the machine's C compiler, and telling it which Python it belongs to.

Beside the library lies a file of the same name and `.python`: the libpython to load, the program that it takes itself for, and the
folders that hold the package. So one library serves any environment, and a library that was made for a wheel serves, too.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from ..runtime.driver.interface import DriverMissing
from ..runtime.host import toolchain
from ..runtime.process import disk_cache
from . import generate

HERE = Path(__file__).resolve().parent
NAME = "libcl2cuda.so"
PACKAGED = HERE / NAME
SOURCES = sorted(HERE.joinpath("driver").glob("*.c"))

_FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread")
# It needs libc alone, whatever else a C++ compiler would link.
_LIBRARIES = ("-nodefaultlibs", "-Wl,-z,defs", "-ldl", "-lpthread", "-lc")


def compilers() -> list[tuple[str, ...]]:
    """$CC, the usual names, then the C++ compiler of the host device, told that the language is C."""
    named = [os.environ.get("CC", ""), "cc", "gcc", "clang"]
    found = [tuple(shlex.split(name)) for name in named if name and shutil.which(shlex.split(name)[0])]
    try:
        found.append((*toolchain.find_compiler().command, "-x", "c"))
    except DriverMissing:
        pass
    return found


def build(target: Path) -> None:
    """Compiles the library. DriverMissing, with what to do, where there is no compiler or it fails."""
    found = compilers()
    if not found:
        raise DriverMissing("the OpenCL driver library needs a C compiler, and none is found: install gcc or clang, or the wheel 'ziglang'")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        entries, made = Path(folder, "entries.c"), Path(folder, NAME)
        entries.write_text(generate.source())
        command = [*found[0], *_FLAGS, "-I", str(HERE / "driver"), *map(str, SOURCES), str(entries), "-o", str(made), *_LIBRARIES]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DriverMissing(f"{found[0][0]} does not compile the OpenCL driver library:\n{done.stderr.strip()}")
        os.replace(made, target)


def library() -> Path:
    """The library for this Python, built or copied into the cache where it is not there yet."""
    root = disk_cache.root()
    folder = (root if root is not None else Path(tempfile.gettempdir(), f"cl2cuda-{os.getuid()}")) / "icd" / _digest()
    target = folder / NAME
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        if PACKAGED.exists():
            shutil.copyfile(PACKAGED, target)
        else:
            build(target)
    write_environment(target)
    return target


def write_environment(target: Path) -> None:
    """The file beside the library."""
    place = target.with_name(f"{target.name}.python")
    text = "".join(f"{line}\n" for line in environment())
    if not place.exists() or place.read_text() != text:
        fresh = place.with_name(f"{place.name}.{os.getpid()}")
        fresh.write_text(text)
        os.replace(fresh, place)


def environment() -> list[str]:
    """What the library needs to know of this Python: see driver/python.c."""
    return [str(libpython() or ""), sys.executable, str(HERE.parents[1])]


def libpython() -> Path | None:
    """The shared library of this Python; None where it was built without one and the system has none of its version."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    names = [sysconfig.get_config_var("INSTSONAME") or "", f"libpython{version}.so.1.0", f"libpython{version}.so"]
    folders = [sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib"), "/usr/lib", "/usr/lib64",
               f"/usr/lib/{sysconfig.get_config_var('MULTIARCH') or ''}"]
    for folder in folders:
        for name in names:
            place = Path(folder, name)
            if name.startswith("libpython") and ".so" in name and place.is_file():
                return place
    return None


def _digest() -> str:
    """One folder for each state of the sources and each Python."""
    digest = hashlib.sha256(generate.source().encode())
    for path in sorted(HERE.joinpath("driver").iterdir()):
        digest.update(path.read_bytes())
    digest.update("\n".join(environment()).encode())
    return digest.hexdigest()[:16]
