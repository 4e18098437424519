"""`cl2cuda icd`: makes cl2cuda's OpenCL driver known to loaders, by an .icd file that names its library."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

from ..opencl_icd import library, programs
from ..runtime.driver.interface import DriverMissing

EPILOG = """Loaders read one folder of .icd files: /etc/OpenCL/vendors, or the one that OCL_ICD_VENDORS names; Khronos' loader also takes
the libraries that OCL_ICD_FILENAMES names. Stock PyOpenCL's own loader reads pyopencl/.libs in site-packages. `cl2cuda run PROGRAM` needs
none of this."""

SYSTEM = Path("/etc/OpenCL/vendors")
FILE = "cl2cuda.icd"


def add_parsers(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser("icd", help="make the OpenCL driver for C programs known to loaders",
                                   description="Prints what an .icd file has to say, and what loaders see now.", epilog=EPILOG)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--install", metavar="FOLDER", type=Path, help="write the .icd file there")
    where.add_argument("--system", dest="install", action="store_const", const=SYSTEM, help=f"write it to {SYSTEM}, for every program")
    where.add_argument("--venv", dest="install", action="store_const", const=Path(sys.prefix, "etc", "OpenCL", "vendors"),
                       help="write it to etc/OpenCL/vendors of this environment, where conda's loaders look")
    where.add_argument("--pyopencl", action="store_true", help="write it to where the loader of PyOpenCL's wheels looks")
    parser.set_defaults(func=run)


def run(parsed: argparse.Namespace) -> int:
    try:
        driver = library.library()
    except DriverMissing as missing:
        print(f"cl2cuda icd: {missing}", file=sys.stderr)
        return 1
    if library.libpython() is None:
        print("cl2cuda icd: this Python has no shared libpython, so only programs that are run by a Python can use the driver: "
              "install it (Debian: libpython3-dev), or use a Python that has one", file=sys.stderr)
    folder = pyopencl_folder() if parsed.pyopencl else parsed.install
    if folder is not None:
        return _install(folder, driver)
    print(driver)
    _tell(SYSTEM, "loaders read")
    if programs.VENDORS in os.environ:
        _tell(Path(os.environ[programs.VENDORS]), f"{programs.VENDORS} has them read instead")
    if programs.FILENAMES in os.environ:
        print(f"{programs.FILENAMES} has Khronos' loader take, too: {os.environ[programs.FILENAMES]}")
    print(f"for one program: cl2cuda run PROGRAM, or {programs.VENDORS}={programs.vendors(library.vendors())} PROGRAM")
    loader = programs.loader()
    if loader is None:
        print("no libOpenCL.so.1 is found here: cl2cuda run brings its own")
    elif not programs.reads_variables(loader):
        print(f"{loader} lets no {programs.VENDORS} name its drivers: cl2cuda run brings a loader of its own")
    return 0


def _install(folder: Path, driver: Path) -> int:
    place = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{driver}\n")
    except OSError as error:
        print(f"cl2cuda icd: {place} cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    print(place)
    return 0


def _tell(folder: Path, sentence: str) -> None:
    if folder.is_file():
        print(f"{sentence} {folder}, as ocl-icd takes it; Khronos' loader takes folders only")
        return
    found = sorted(folder.glob("*.icd")) if folder.is_dir() else []
    names = ", ".join(f"{each.stem} ({each.read_text().strip()})" for each in found)
    print(f"{sentence} {folder}: {names or 'nothing is there'}")


def pyopencl_folder() -> Path:
    """Beside the loader in PyOpenCL's wheels."""
    spec = importlib.util.find_spec("pyopencl")
    assert spec is not None and spec.submodule_search_locations is not None, "pyopencl is a dependency"
    return Path(spec.submodule_search_locations[0], ".libs")

