"""Kernels that Numba compiles, as built-in kernels: from Python to PTX by Numba, from there to `CompiledKernel` here.

A kernel's parameters are read from its PTX and compared with what its types say, so that another layout of another Numba is
refused and not launched.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..runtime.devices.built_in_kernels import CompiledKernel, CudaKernel
from ..translator.ir.kernel_info import ArgInfo, KernelInfo
from .types import argument, parameter_sizes

# What a kernel may call that is not in its own PTX: CUDA's driver has it.
_OF_THE_DRIVER = {"vprintf", "malloc", "free", "__assertfail"}
# Options of numba.cuda.jit that decide the code, as far as this Numba's compiler takes them.
_OPTIONS = ("fastmath", "opt", "lineinfo", "launch_bounds")


class NumbaKernel:
    """A kernel, given as what `numba.cuda.jit` made or as a plain function, with the types of its arguments."""

    def __init__(self, name: str | None, kernel: Any, signature: Any = None):
        self.function = getattr(kernel, "py_func", kernel)
        if not inspect.isfunction(self.function):
            raise TypeError(f"{kernel!r} is no kernel: give what numba.cuda.jit makes of a function")
        self.name = name or self.function.__name__
        if not self.name.isidentifier():
            raise ValueError(f"'{self.name}' cannot be a kernel's name")
        options = getattr(kernel, "targetoptions", {})
        if options.get("device"):
            raise TypeError(f"'{self.name}' is a device function, no kernel")
        self.options = {name: options[name] for name in _OPTIONS if options.get(name) is not None}
        self.types = _types(self.name, kernel, signature)
        self.arguments = _arguments(self.name, self.function, self.types)
        self._compiled: dict[tuple[int, int], CompiledKernel] = {}

    def built_in(self) -> CudaKernel:
        return CudaKernel(self.name, self.compile)

    def compile(self, capability: tuple[int, int]) -> CompiledKernel:
        """The kernel for a compute capability. Numba's own errors come through."""
        if capability not in self._compiled:
            code = _compiled(self.function, self.types, capability, self.options)
            entry = _read(self.name, code)
            if entry.sizes != parameter_sizes(self.arguments):
                raise TypeError(f"kernel '{self.name}': this version of Numba gives its parameters sizes of {entry.sizes} bytes, "
                                f"not {parameter_sizes(self.arguments)}: cl2cuda does not know its layout")
            # Offset 0 of dynamic shared memory needs no parameter.
            shared = ArgInfo("shared", "void*", "local", 8, 8, "local", parameter=False)
            info = KernelInfo(self.name, (*self.arguments, *([shared] * entry.dynamic_shared)), uses_printf=entry.prints,
                              uses_local_memory=entry.uses_shared, uses_barrier=True, cuda_code=True)
            self._compiled[capability] = CompiledKernel(info, entry.symbol, code)
        return self._compiled[capability]


def _types(name: str, kernel: Any, signature: Any) -> tuple[Any, ...]:
    """The types of the arguments: those of the signature, or the only ones that the kernel has been compiled for."""
    if signature is None:
        known = list(getattr(kernel, "overloads", ()))
        if len(known) != 1:
            raise TypeError(f"kernel '{name}' has {'several signatures' if known else 'no signature'}: say which, as in "
                            "\"void(float32[::1], int32)\"")
        return tuple(known[0])
    arguments, result = _sigutils().normalize_signature(signature)
    if result is not None and str(result) != "none":
        raise TypeError(f"kernel '{name}': a kernel returns nothing, its signature says {result}")
    return tuple(arguments)


def _arguments(name: str, function: Any, types: Sequence[Any]) -> tuple[ArgInfo, ...]:
    names = list(inspect.signature(function).parameters)
    if len(names) != len(types):
        raise TypeError(f"kernel '{name}' has {len(names)} arguments, its signature {len(types)}")
    try:
        return tuple(map(argument, names, types))
    except TypeError as error:
        raise TypeError(f"kernel '{name}', {error}") from None


def cuda() -> Any:
    """The module `numba.cuda`."""
    try:
        from numba import cuda
    except ImportError as error:
        raise ImportError(f"cl2cuda.numba needs Numba for CUDA ({error}): pip install 'cl2cuda[numba]'") from error
    return cuda


def _sigutils() -> Any:
    cuda()
    try:
        from numba.cuda.core import sigutils
    except ImportError:  # Numba's own numba.cuda, before numba-cuda
        from numba.core import sigutils
    return sigutils


# Numba's compiler, and what it gives.


def _compiled(function: Any, types: tuple[Any, ...], capability: tuple[int, int], options: dict[str, Any]) -> tuple[bytes, ...]:
    """The kernel's PTX, and all that has to be linked to it."""
    with_all = getattr(cuda(), "compile_all", None) or getattr(cuda().compiler, "compile_all", None)  # numba-cuda
    compile = with_all or cuda().compile_ptx
    taken = inspect.signature(compile).parameters
    more = {name: value for name, value in options.items() if name in taken}
    if with_all:
        more["output"] = "ptx"
    if "abi" in taken:
        more["abi"] = "numba"
    found, result = compile(function, types, device=False, cc=capability, **more)
    if result is not None and str(result) != "none":
        raise TypeError(f"kernel '{function.__name__}' returns {result}, where a kernel returns nothing")
    return tuple(map(_bytes, found if with_all else [found]))


def _bytes(piece: Any) -> bytes:
    if getattr(piece, "kind", "") == "ltoir":
        raise TypeError("a kernel of OpenCL is linked to PTX, machine code and CUDA C++, not to LTO-IR")
    data = getattr(piece, "data", getattr(piece, "code", piece))
    return data.encode() if isinstance(data, str) else bytes(data)


class Entry(NamedTuple):
    """A kernel in PTX. `sizes` are those of its parameters."""

    symbol: str
    sizes: list[int]
    dynamic_shared: bool
    uses_shared: bool
    prints: bool


_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)")
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.[bsuf](\d+)")
_CALLED = re.compile(r"\.extern\s+\.func\s+(?:\([^)]*\)\s*)?([\w$]+)")
_DYNAMIC_SHARED = re.compile(r"\.extern\s+\.shared\b")


def _read(name: str, code: Sequence[bytes]) -> Entry:
    ptx = code[0].decode()
    entry = _ENTRY.search(ptx)
    if entry is None:
        raise TypeError(f"kernel '{name}': Numba gave no kernel in PTX")
    called = set(_CALLED.findall(ptx))
    if any(each.startswith("cudaCG") for each in called):
        raise TypeError(f"kernel '{name}' waits for its whole grid, for which OpenCL has no launch")
    missing = sorted(called - _OF_THE_DRIVER)
    if missing and len(code) == 1:
        raise TypeError(f"kernel '{name}' calls {', '.join(missing)}, which Numba links to nothing: numba-cuda 0.21 or newer does where "
                        "numba.cuda.declare_device(..., link=...) says what")
    sizes = [int(bits) // 8 for bits in _PARAMETER.findall(entry[2])]
    prints = any(b"vprintf" in piece for piece in code)
    return Entry(entry[1], sizes, bool(_DYNAMIC_SHARED.search(ptx)), ".shared" in ptx, prints)
