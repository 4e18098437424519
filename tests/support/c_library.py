"""Libraries in C that stand for CUDA's functions where there is no GPU."""

import ctypes
import subprocess
from pathlib import Path

from cl2cuda.runtime.native import build


def load(source: str, folder: Path) -> ctypes.CDLL:
    """Compiled in the folder by the machine's C compiler."""
    place, target = folder / "library.c", folder / "library.so"
    place.write_text(source)
    subprocess.run([*build.compilers()[0], "-shared", "-fPIC", "-Wl,-Bsymbolic", str(place), "-o", str(target)], check=True)
    return ctypes.CDLL(str(target))
