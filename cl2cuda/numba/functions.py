"""Functions of OpenCL programs for Numba's kernels: translated, compiled to code that is linked to a kernel, and declared to Numba.

The function is called through one with C's linkage and the convention that Numba has for its own (the result by a pointer that comes
first, a status of 0). All else is local to the code, so that any number of functions fit into one kernel.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache, partial
from typing import Any, NamedTuple

from .. import translator
from ..runtime.cuda import nvrtc
from ..runtime.cuda.options import flags
from ..runtime.process import disk_cache
from ..translator.ir.types import Pointer, Scalar, Type, Vector, Void
from ..translator.options import BuildOptions
from .calls import declared
from .types import NUMBA

# Address spaces that memory of Numba's arrays is in: the constant one is global memory that nobody writes.
_SPACES = ("global", "constant", "generic")
# Known only to launches that OpenCL makes.
_OF_LAUNCHES = {"get_work_dim": "the launch's dimensions, which CUDA does not tell"}

# Becomes a pointer of any type.
_ANY_POINTER = """
struct cl2cuda_pointer {
    void *address;
    template<class T> __device__ operator T *() const { return (T *)address; }
};
"""


class Parameter(NamedTuple):
    """numba      the type's expression in `numba.types`
    declared   in C, of the function that Numba calls
    passed     what that function passes on; {} is the parameter
    """

    numba: str
    declared: str
    passed: str


class Code(NamedTuple):
    """Machine code for one architecture, with a function `symbol` of Numba's convention."""

    symbol: str
    result: str
    parameters: tuple[Parameter, ...]
    data: bytes


@lru_cache(maxsize=256)
def function(source: str, name: str, options: str, capability: tuple[int, int], newest: int = 1 << 30) -> Any:
    """What a kernel of Numba calls. The same function is made only once, since Numba links all that it is given."""
    return declared(name, compiled(source, name, options, capability, newest))


def compiled(source: str, name: str, options: str, capability: tuple[int, int], newest: int = 1 << 30) -> Code:
    """The function's code for a compute capability, by an NVRTC of at most the major version `newest`. Raises TypeError for
    types that Numba has nothing for and functions that need an OpenCL launch, ValueError where there is no such function,
    CompileError for an invalid program."""
    parsed = translator.parse_options(options)
    try:
        translation, info = translator.translate_function(source, name, parsed)
    except translator.NoSuchFunction as error:
        raise ValueError(str(error)) from None
    for builtin in sorted(info.builtins & _OF_LAUNCHES.keys()):
        raise TypeError(f"'{name}' calls {builtin}, and so needs {_OF_LAUNCHES[builtin]}")
    if translation.global_size:
        raise TypeError(f"'{name}' uses variables of the program in the global address space, which each kernel of Numba would have anew")
    parameters = tuple(_parameter(name, each, type) for each, type in info.parameters)
    result = _result(name, info.result)
    symbol = f"cl2cuda_{name}_{hashlib.sha256(repr((source, options)).encode()).hexdigest()[:16]}"
    text = _text(translation.source("cuda"), symbol, info, result, parameters)
    return Code(symbol, result.numba, parameters, _built(text, parsed, translation.fp_contract, capability, newest))


def _parameter(function: str, name: str, type: Type) -> Parameter:
    if isinstance(type, Scalar) and type.name in NUMBA:
        return _scalar(type)
    if isinstance(type, Pointer) and type.space in _SPACES:
        element = type.pointee.element if isinstance(type.pointee, Vector) else type.pointee
        if isinstance(element, Void):
            return Parameter("voidptr", "void *", "cl2cuda_pointer{{{}}}")
        if isinstance(element, Scalar) and element.name in NUMBA:
            return Parameter(f"CPointer({NUMBA[element.name]})", "void *", "cl2cuda_pointer{{{}}}")
    raise TypeError(f"parameter '{name}' of '{function}' is of type {type}: Numba's kernels give scalars, and pointers to scalars or "
                    f"vectors in global memory (in the address spaces {', '.join(_SPACES)})")


def _result(function: str, type: Type) -> Parameter:
    if isinstance(type, Void):
        return Parameter("void", "void", "{}")
    if isinstance(type, Scalar) and type.name in NUMBA:
        return _scalar(type)
    raise TypeError(f"'{function}' returns {type}: Numba's kernels take scalars")


def _scalar(type: Scalar) -> Parameter:
    """`half` goes as its bits; a `long` has 8 bytes for OpenCL and a `char` has a sign, whatever the host's compiler says."""
    if type.name == "half":
        return Parameter(NUMBA["half"], "unsigned short", "__builtin_bit_cast(ocl::half, {})")
    return Parameter(NUMBA[type.name], {"char": "signed char"}.get(type.c_name, type.c_name.replace("long", "long long")), "{}")


def _text(translated: str, symbol: str, info: translator.FunctionInfo, result: Parameter, parameters: tuple[Parameter, ...]) -> str:
    declared = ", ".join([f"{result.declared} *result", *(f"{each.declared} a{i}" for i, each in enumerate(parameters))])
    call = f"ocl::user::{info.cxx_name}({', '.join(each.passed.format(f'a{i}') for i, each in enumerate(parameters))})"
    if result.declared != "void":
        call = f"*result = {f'__builtin_bit_cast(unsigned short, {call})' if result.numba == NUMBA['half'] else call}"
    return (f"namespace {{\n{translated}{_ANY_POINTER}}}\n\n"
            f'extern "C" __device__ int {symbol}({declared}) {{\n    {call};\n    return 0;\n}}\n')


def _built(text: str, options: BuildOptions, contract: bool, capability: tuple[int, int], newest: int) -> bytes:
    compiler = nvrtc.nvrtc(newest)
    arch = compiler.architecture(capability)
    words = [*flags(options, compiler.version, contract), "--relocatable-device-code=true"]
    name = disk_cache.key(("cuda function", text, arch, *words, nvrtc.identity(newest)))
    code = disk_cache.load(name)
    if code is None:
        code = nvrtc.apart(partial(nvrtc.build, text, arch, words, (), library=compiler)).code
        disk_cache.store(name, code)
    return code
