"""Building the driver library with the machine's C compiler: at installation, or at first use. Imported for an installation, it needs
nothing that is not Python's.

Two libraries come of the same sources: the driver that loaders open, and a `libOpenCL.so.1` that is driver and loader in one, for
machines that have no loader.
"""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

from ..runtime.driver.interface import DriverMissing
from ..runtime.native import build as native
from . import generate

HERE = Path(__file__).resolve().parent
# What the calls for Python and the library have in common.
SHARED = ("access.h", "array_list.h", "boxes.h", "choice.h", "colors.h", "due_pages.h", "floating_point.h", "graphs.c", "graphs.h",
          "grid.h", "group_size.h", "image_arrays.c", "image_arrays.h", "image_sizes.h", "locked.h", "moves.h", "own_kernels.h", "rows.h",
          "sharing.h", "stream.h", "stream_copies.h", "stream_fills.h", "stream_waits.h", "turn.h")
FILES = (*sorted(HERE.joinpath("driver").iterdir()), *(native.HERE / name for name in SHARED))
SOURCES = [place for place in FILES if place.suffix == ".c"]
INCLUDES = ("-I", str(HERE / "driver"), "-I", str(native.HERE))

DRIVER = "libcl2cuda.so"
LOADER = "libOpenCL.so.1"

# A query is told from others by comparisons: a jump by a table takes processors longer where several queries come in turn.
_OPTIONS = ("-fno-jump-tables",)
# It needs libc alone, whatever else a compiler would link.
_LIBRARIES = ("-nodefaultlibs", "-Wl,-z,defs", "-ldl", "-lpthread", "-lc")


def compilers() -> list[tuple[str, ...]]:
    """C compilers; where there is none, the C++ compiler of the host device, told that the language is C."""
    found = native.compilers()
    if not found:
        with contextlib.suppress(DriverMissing, ImportError):
            from ..runtime.host import toolchain

            found = [(*toolchain.find_compiler().command, "-x", "c")]
    return found


def build(target: Path) -> None:
    """Compiles the library of that name. DriverMissing, with what to do, where there is no compiler or it fails."""
    found = compilers()
    if not found:
        raise DriverMissing("programs in C need cl2cuda's OpenCL driver library, which is built by a C compiler, and none is found: "
                            "install gcc or clang, or the wheel 'ziglang'")
    with tempfile.TemporaryDirectory() as folder:
        entries, versions = Path(folder, "entries.c"), Path(folder, "versions")
        is_loader = target.name == LOADER
        entries.write_text(generate.source(with_api=is_loader))
        versions.write_text(generate.symbol_versions())
        own = ("-DWITH_API", f"-Wl,-soname,{LOADER}", f"-Wl,--version-script={versions}") if is_loader else ()
        arguments = (*_OPTIONS, *INCLUDES, *map(str, SOURCES), str(entries), *own, *_LIBRARIES)
        native.compile_library(found[0], arguments, target, "the OpenCL driver library")
