"""Built-in functions called from NumPy: the host port, compiled into one library and applied element by element.

No kernels and no runtime: what is tested through it is the device library alone.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from cl2cuda.builtins.prelude import prelude
from cl2cuda.builtins.table import Overload, overloads
from cl2cuda.builtins.typenames import split

DTYPES = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
    "size_t": np.uint64,
    "half": np.uint16,
    "float": np.float32,
    "double": np.float64,
}
FLAGS = "-O2 -march=native -std=c++20 -shared -fPIC -nostdlib -ffp-contract=off -fno-math-errno -fno-strict-aliasing -fwrapv -w"


def overload(name: str, *parameters: str) -> Overload:
    """The overload with these parameters; a pointer is given in its `private` form."""
    return next(o for o in overloads(name) if o.parameters == parameters)


def _cpp(type_: str) -> str:
    return re.sub(r"\b(global|local|private|constant|generic) ", "", type_)


def _array(type_: str, count: int) -> np.ndarray:
    """Room for `count` values, aligned for any vector; a vector is a row, a 3-vector one of four elements."""
    element, width = split(type_)
    width = 4 if width == 3 else width
    dtype = np.dtype(DTYPES[element])
    raw = np.zeros(count * width * dtype.itemsize + 128, np.uint8)
    start = -raw.ctypes.data % 128
    found = raw[start : start + count * width * dtype.itemsize].view(dtype)
    return found if width == 1 else found.reshape(count, width)


class HostFunctions:
    """A library with all these overloads. Indexed by one, it gives a function over arrays."""

    def __init__(self, found: Iterable[Overload]):
        self.overloads = list(dict.fromkeys(found))
        self.folder = tempfile.TemporaryDirectory()
        uses: list[tuple[str, ...]] = [("fn", o.name, o.result, *o.parameters) for o in self.overloads]
        words = {word for o in self.overloads for t in (o.result, *o.parameters) for word in _cpp(t).split()}
        uses += [("type", word) for word in words if word.isidentifier()]
        calls = "".join(self._call(i, o) for i, o in enumerate(self.overloads))
        source = Path(self.folder.name) / "calls.cpp"
        source.write_text(prelude("host", uses) + "namespace ocl {\n" + calls + "}\n", encoding="utf-8")
        library = source.with_suffix(".so")
        command = ["g++", *FLAGS.split(), str(source), "-o", str(library), "-lm", "-lc"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        self.library = ctypes.CDLL(str(library))
        self.numbers = {o: i for i, o in enumerate(self.overloads)}

    @staticmethod
    def _call(number: int, o: Overload) -> str:
        declared = ", ".join(f"{_cpp(t).replace('*', '')}* a{i}" for i, t in enumerate(o.parameters))
        arguments = ", ".join(f"a{i} + i" if t.endswith("*") else f"a{i}[i]" for i, t in enumerate(o.parameters))
        result = ("", "") if o.result == "void" else (f"{o.result}* r, ", "r[i] = ")
        return (
            f'extern "C" __attribute__((visibility("default"))) void call_{number}(long n, {result[0]}{declared}) {{\n'
            f"    for (long i = 0; i < n; i++) {result[1]}{o.name}({arguments});\n}}\n"
        )

    def __call__(self, o: Overload, *arguments: np.ndarray, items: int | None = None) -> list[np.ndarray]:
        """The results, then what is behind each pointer parameter afterwards. `arguments` are all parameters in order.

        Each element of the arrays is one call, its pointers to that element; `items` calls only for the first ones.
        """
        count = len(arguments[0])
        passed = []
        for type_, values in zip(o.parameters, arguments, strict=True):
            room = _array(_cpp(type_).replace("*", "").split()[-1], count)
            room[..., : values.shape[-1] if values.ndim > 1 else None] = values
            passed.append(room)
        result = [] if o.result == "void" else [_array(o.result, count)]
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in result + passed]
        getattr(self.library, f"call_{self.numbers[o]}")(ctypes.c_long(items or count), *pointers)
        return result + [a for a, t in zip(passed, o.parameters, strict=True) if t.endswith("*")]
