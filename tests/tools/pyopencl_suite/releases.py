"""PyOpenCL's releases: their source distributions, and their Python files in place of the installed release's.

A release's own compiled module is of no use here, so its Python files need no building: cl2cuda stands in for the rest.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from email.parser import HeaderParser
from importlib.metadata import version
from pathlib import Path

# Releases before this one know NumPy 1 only, though they do not say so to pip.
FIRST_WITH_NUMPY_2 = (2024, 2)


class NotFetched(RuntimeError):
    """pip could not fetch what was asked for."""


def fetch(release: str, folder: Path) -> Path:
    """PyOpenCL's source distribution of that release, unpacked."""
    _pip("download", "--no-deps", "--no-binary", "pyopencl", "-d", str(folder), f"pyopencl=={release}")
    with tarfile.open(next(folder.glob("pyopencl-*.tar.gz"))) as tar:
        tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
    return next(path for path in folder.iterdir() if path.is_dir())


def release_of(source: Path) -> str:
    """The release that a source distribution is of; the installed one where it does not say."""
    description = source / "PKG-INFO"
    return HeaderParser().parsestr(description.read_text(encoding="utf-8"))["Version"] if description.is_file() else version("pyopencl")


def python_path(source: Path, folder: Path) -> list[str]:
    """What must stand on Python's path for the distribution's release to be imported: nothing if it is the installed one."""
    release = release_of(source)
    if release == version("pyopencl"):
        return []
    site = folder / "site"
    shutil.copytree(source / "pyopencl", site / "pyopencl")
    about = site / f"pyopencl-{release}.dist-info"  # The release asks for its own version.
    about.mkdir()
    shutil.copy(source / "PKG-INFO", about / "METADATA")
    if tuple(map(int, release.split("."))) < FIRST_WITH_NUMPY_2 and version("numpy").startswith("2"):
        _pip("install", "--no-deps", "--only-binary", "numpy", "--target", str(site), "numpy<2")
    return [str(site)]


def _pip(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", "-q", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise NotFetched((done.stderr.strip().splitlines() or ["pip failed"])[-1])
