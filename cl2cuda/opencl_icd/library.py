"""The driver library of this Python: where it is, and what lies beside it.

The file of the library's name and `.python` tells which libpython to load, the program that it takes itself for, and the folder
that holds the package. So one library serves any environment, also one that came in a wheel.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

from ..runtime.process import disk_cache
from . import generate
from .build import DRIVER, FILES, HERE, build


def library(name: str = DRIVER) -> Path:
    """Built, or copied from the package, into the cache where it is not there yet. DriverMissing where it cannot be built."""
    folder = _folder() / _digest()
    target = folder / name
    if not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        packaged = HERE / name
        if packaged.exists():
            _place(target, lambda fresh: shutil.copyfile(packaged, fresh))
        else:
            build(target)
    write_environment(target)
    return target


def vendors() -> Path:
    """A folder whose only .icd file names the library: what OCL_ICD_VENDORS takes."""
    folder = library().parent / "vendors"
    place = folder / "cl2cuda.icd"
    if not place.exists():
        folder.mkdir(exist_ok=True)
        _place(place, lambda fresh: fresh.write_text(f"{library()}\n"))
    return folder


def _folder() -> Path:
    root = disk_cache.root()
    return (root if root is not None else Path(tempfile.gettempdir(), f"cl2cuda-{os.getuid()}")) / "icd"


def write_environment(target: Path) -> None:
    """The file beside the library."""
    place = target.with_name(f"{target.name}.python")
    text = "".join(f"{line}\n" for line in environment())
    if not place.exists() or place.read_text() != text:
        _place(place, lambda fresh: fresh.write_text(text))


def _place(target: Path, write: Callable[[Path], object]) -> None:
    """Whole or not at all, whoever else writes it: other processes, and threads, load what they find there."""
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        fresh = Path(folder, target.name)
        write(fresh)
        os.replace(fresh, target)


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
    for path in FILES:
        digest.update(path.read_bytes())
    digest.update("\n".join(environment()).encode())
    return digest.hexdigest()[:16]
