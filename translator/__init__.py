"""Programs to CUDA C++: text to text, with the metadata of each kernel. Pure: no GPU, no CuPy, no NumPy.

Its rooms, the top floor first; each imports only from those below it:

    stages        from a program to its translation, or to an object that is linked with others
    division      a translation in parts, for several compilers side by side
    translation   what comes of them, as data
    opencl_c      the front end for OpenCL C: preprocess -> parse -> analyse -> ir
    spirv         the front end for SPIR-V: read -> types, values, structured control flow -> ir
    emit          from ir to CUDA C++
    ir            the typed program, which front ends make and emit prints, and the facts about it that runtime needs
    options       build options
    nesting       a deeper stack for programs that need one
    diagnostics   errors and warnings with their places
    garbage       a rest for Python's search for cyclic garbage
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .garbage import resting

if TYPE_CHECKING:
    from .diagnostics import CompileError, Diagnostic, InternalError, Position
    from .ir.functions import FunctionInfo, NoSuchFunction
    from .ir.kernel_info import ArgInfo, KernelInfo
    from .opencl_c.checked_functions import CheckedFunctions
    from .opencl_c.dialect import Dialect
    from .options import BuildOptions, OptionError, parse_options
    from .spirv import SPIRV_VERSIONS, is_spirv
    from .stages import (
        compile_il_object,
        compile_object,
        link,
        specialization_constants,
        translate,
        translate_function,
        translate_il,
        translate_kernels,
    )
    from .translation import CompiledObject, Translation

__all__ = [
    "SPIRV_VERSIONS", "ArgInfo", "BuildOptions", "CheckedFunctions", "CompileError", "CompiledObject", "Diagnostic", "Dialect",
    "FunctionInfo", "InternalError", "KernelInfo", "NoSuchFunction", "OptionError", "Position", "Translation", "compile_il_object",
    "compile_object", "is_spirv", "link", "loading", "parse_options", "specialization_constants", "translate", "translate_function",
    "translate_il", "translate_kernels",
]  # fmt: skip

# Where the names are that are imported with their first use, but for those of `stages`: a process that looks for devices needs none, and
# one whose programs are all in the cache no front end and no emitter.
_HOMES = {name: home for home, names in {
    ".diagnostics": ("CompileError", "Diagnostic", "InternalError", "Position"), ".ir.kernel_info": ("ArgInfo", "KernelInfo"),
    ".options": ("BuildOptions", "OptionError", "parse_options"), ".spirv": ("SPIRV_VERSIONS", "is_spirv"),
    ".translation": ("CompiledObject", "Translation")}.items() for name in names}
_STAGES = frozenset(__all__) - _HOMES.keys() - {"loading"}
# What `loading` imports, in steps of some milliseconds: `subprocess` is pycparser's.
_PARTS = (".ir.types", ".ir.nodes", "..builtins.rows", "..builtins.concurrent_rows", "..builtins.table", "..builtins.items",
          "..builtins.prelude", ".ir.packed", ".ir.link", ".emit", "subprocess", "pycparser", ".opencl_c.preprocess.macros",
          ".opencl_c.preprocess.preprocess", ".opencl_c.dialect", ".ir.functions", ".opencl_c.parse.statements", ".opencl_c.analyse",
          ".opencl_c.parse.parse", ".stages", ".division")
# What `loading` translates, one with each step: tables that are made with their first use are there then, of what most programs have.
_FIRST = (
    "kernel void first(global float *a, float b) { int i = get_global_id(0); if (i < 3) a[i] = 2 * a[i] + b; }",
    """#define AT(row, column) ((row) * WIDTH + (column))
    #define WIDTH 16
    typedef struct { float4 place; int count; } body;
    float4 towards(const body one, const global float4 *places, int n) { return places[n] - one.place; }
    kernel void second(global const float4 *restrict places, global body *bodies, local float *sums, constant int *steps, const uint n) {
        local float tile[WIDTH][WIDTH];
        const size_t i = get_global_id(0) + get_group_id(0) * get_local_size(0), j = get_local_id(0);
        body one = bodies[i];
        float4 sum = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
        for (uint k = 0; k < n; ++k) {
            tile[j][k & (WIDTH - 1)] = (float)steps[AT(k, j)];
            barrier(CLK_LOCAL_MEM_FENCE);
            sum.xyz += towards(one, places, k).xyz;
            sum.w = k > 2u && !(k % 3u) ? 1.0f : -sum.w;
        }
        while (one.count >> 1 != 0 || i == j) one.count -= 1 << 2;
        sums[j] = sum.x * tile[j][0];
        bodies[i].place = sum * 0.5f;
    }""",
)


def loading() -> Iterator[None]:
    """What a first translation would have to wait for else: imports what `translate` needs, reads the library, first that for CUDA, and
    translates a program."""
    for part in _PARTS:
        with resting():
            importlib.import_module(part, __name__)
        yield
    # Not before a step's turn.
    from ..builtins import prelude
    from .diagnostics import CompileError, InternalError
    from .stages import translate

    yield from prelude.reading("cuda")
    for program in _FIRST:
        with suppress(CompileError, InternalError):  # Whoever translates next hears what is wrong.
            translate(program).source("cuda")
        yield
    # Calls of a program's own functions are told from those of either library's.
    yield from prelude.reading("host")
    prelude.function_names()
    yield


def was_used() -> bool:
    """Whether anything of `stages` was asked for in this process; what `loading` does is not meant."""
    return any(name in globals() for name in _STAGES)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with resting():
        home = importlib.import_module(_HOMES.get(name, ".stages"), __name__)
    found = globals()[name] = getattr(home, name)
    return found
