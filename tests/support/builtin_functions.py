"""Built-in functions called from NumPy, element by element: in the device library's host port alone, compiled into one
library of plain functions, or on a real device, through kernels that the whole of cl2cuda runs.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.builtins.prelude import prelude
from cl2cuda.builtins.table import Overload, overloads
from cl2cuda.builtins.typenames import split
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverMissing

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


class Functions:
    """Some overloads as functions over arrays. Each element of the arrays is one call, its pointers to that element."""

    def __init__(self, found: Iterable[Overload]):
        self.overloads = list(dict.fromkeys(found))
        self.numbers = {o: i for i, o in enumerate(self.overloads)}

    def __call__(self, o: Overload, *arguments: np.ndarray, items: int | None = None) -> list[np.ndarray]:
        """The results, then what is behind each pointer parameter afterwards. `arguments` are all parameters in order;
        `items` calls only for the first elements."""
        count = len(arguments[0])
        passed = []
        for type_, values in zip(o.parameters, arguments, strict=True):
            room = _array(_cpp(type_).replace("*", "").split()[-1], count)
            room[..., : values.shape[-1] if values.ndim > 1 else None] = values
            passed.append(room)
        result = [] if o.result == "void" else [_array(o.result, count)]
        self.run(self.numbers[o], items or count, result + passed)
        return result + [a for a, t in zip(passed, o.parameters, strict=True) if t.endswith("*")]

    def run(self, number: int, items: int, arrays: list[np.ndarray]) -> None:
        raise NotImplementedError


def _call(o: Overload) -> str:
    arguments = ", ".join(f"a{i} + i" if t.endswith("*") else f"a{i}[i]" for i, t in enumerate(o.parameters))
    return f"{'' if o.result == 'void' else 'r[i] = '}{o.name}({arguments});"


class LibraryFunctions(Functions):
    """The host port's functions, with neither kernels nor runtime."""

    def __init__(self, found: Iterable[Overload]):
        super().__init__(found)
        self.folder = tempfile.TemporaryDirectory()
        uses: list[tuple[str, ...]] = [("fn", o.code, o.result, *o.parameters) for o in self.overloads]
        words = {word for o in self.overloads for t in (o.result, *o.parameters) for word in _cpp(t).split()}
        uses += [("type", word) for word in words if word.isidentifier()]
        calls = "".join(self._function(i, o) for i, o in enumerate(self.overloads))
        source = Path(self.folder.name) / "calls.cpp"
        source.write_text(prelude("host", uses) + "namespace ocl {\n" + calls + "}\n", encoding="utf-8")
        library = source.with_suffix(".so")
        command = ["g++", *FLAGS.split(), str(source), "-o", str(library), "-lm", "-lc"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        self.library = ctypes.CDLL(str(library))

    @staticmethod
    def _function(number: int, o: Overload) -> str:
        result = [] if o.result == "void" else [f"{o.result}* r"]
        declared = ", ".join(result + [f"{_cpp(t).replace('*', '')}* a{i}" for i, t in enumerate(o.parameters)])
        return (
            f'extern "C" __attribute__((visibility("default"))) void call_{number}(long n, {declared}) {{\n'
            f"    for (long i = 0; i < n; i++) {_call(o)}\n}}\n"
        )

    def run(self, number: int, items: int, arrays: list[np.ndarray]) -> None:
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
        getattr(self.library, f"call_{number}")(ctypes.c_long(items), *pointers)


class KernelFunctions(Functions):
    """The same functions, each called by a kernel of its own on a device; those of the same parameters share a program."""

    def __init__(self, found: Iterable[Overload], device: Device):
        super().__init__(found)
        self.device = device

    def _kernel(self, o: Overload) -> str:
        types = [t.replace("*", "").split()[-1].replace("size_t", "ulong") for t in o.parameters]
        declared = [] if o.result == "void" else [f"global {o.result} *r"]
        declared += [f"global {t} *a{i}" for i, t in enumerate(types)]
        body = f"    size_t i = get_global_id(0);\n    {_call(o)}\n"
        return f"kernel void call_{self.numbers[o]}({', '.join(declared)}) {{\n{body}}}\n"

    def run(self, number: int, items: int, arrays: list[np.ndarray]) -> None:
        parameters = self.overloads[number].parameters
        source = "".join(self._kernel(o) for o in self.overloads if o.parameters == parameters)
        execute(self.device, source, *arrays, size=items, options="-cl-std=CL3.0", kernel=f"call_{number}")


def functions_on(where: str, found: Iterable[Overload]) -> Functions:
    """The functions in the "library" alone, or on the first device of the driver "host" or "cuda"; skips where there is none."""
    if where == "library":
        if not shutil.which("g++"):
            pytest.skip("needs g++")
        return LibraryFunctions(found)
    try:
        devices = platforms.load_driver(where).devices()
    except (AttributeError, DriverMissing) as e:
        pytest.skip(f"no {where} device: {e}")
    if not devices:
        pytest.skip(f"no {where} device")
    return KernelFunctions(found, Device(platforms.platforms()[0], where, devices[0]))
