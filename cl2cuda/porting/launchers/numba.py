"""Declarations for Numba: `NAME_numba.py`, in which each kernel is a device function that kernels of Numba's call, and a kernel that
calls it. The work-item functions tell the ids of the grid that Numba launches.

The C++ is in a file beside the module: Numba compiles it, by NVRTC, and links it. A pointer is one to a scalar; a vector is given as its
components.
"""

from __future__ import annotations

import keyword

from ...translator.ir.types import Pointer, Scalar, Type, Vector
from ...version import VERSION
from ..cuda_file import library, only_general
from .program import LaunchedKernel, Program

# Numba's type, and the one of C++ that its declaration of the function has.
_NUMBA = {"char": ("int8", "signed char"), "uchar": ("uint8", "unsigned char"), "short": ("int16", "short"),
          "ushort": ("uint16", "unsigned short"), "int": ("int32", "int"), "uint": ("uint32", "unsigned int"),
          "long": ("int64", "long long"), "ulong": ("uint64", "unsigned long long"), "float": ("float32", "float"),
          "double": ("float64", "double")}
_COMPONENTS = "xyzw"
# The kernels become functions of the device, as they stand. Numba shows each warning of NVRTC's: of what a program declares or sets, and
# never uses, OpenCL's compilers are silent.
_AS_FUNCTIONS = """#pragma nv_diag_suppress 177, 550
#undef __global__
#undef __launch_bounds__
#undef __grid_constant__
#define __global__ __device__ inline
#define __launch_bounds__(...)
#define __grid_constant__
"""
# Becomes a pointer of any type.
_ANY_POINTER = """
struct cl2cuda_pointer {
    void *address;
    template<class T> __device__ operator T *() const { return (T *)address; }
};
"""


class _Unfit(Exception):
    """Numba has nothing for this kernel; the text says why."""


def fitting(program: Program) -> Program:
    """The program with the kernels that Numba can call."""
    if only_general(program.translation):
        return program.without(lambda kernel: "the program uses variables in global memory or get_work_dim, which Numba's launches lack")
    if not program.translation.fp_contract:
        return program.without(lambda kernel: "the program says FP_CONTRACT OFF, which Numba's compiler cannot be told")
    return program.without(_unfit)


def _unfit(kernel: LaunchedKernel) -> str:
    try:
        _parameters(kernel)
    except _Unfit as unfit:
        return str(unfit)
    return ""


def files(program: Program) -> dict[str, str]:
    """The texts by the names of their files."""
    stem = f"{program.identifier}_numba"
    return {f"{stem}.cu": _source(program), f"{stem}.py": _module(program)}


def _source(program: Program) -> str:
    wrappers = "".join(_wrapper(program, kernel) for kernel in program.kernels)
    return (f"// Kernels of {program.source} as functions of the device, translated by cl2cuda {VERSION}, and for each a function of\n"
            f"// Numba's calling convention.\n{_AS_FUNCTIONS}\nnamespace {{\n\n{library(program.translation, general=False)}\n"
            f"namespace ocl {{ namespace user {{\n\n{program.translation.user_source}\n}} }}\n{_ANY_POINTER}\n}}\n{wrappers}")


def _module(program: Program) -> str:
    left_out = "".join(f"\nThere is no function for {kernel}: {reason}.\n" for kernel, reason in program.left_out)
    doc = (f'"""Kernels of {program.source} for Numba (numba-cuda and cffi); written by cl2cuda {VERSION}.\n\n'
           "Of each kernel NAME there is the device function NAME, which kernels of Numba's call with pointers (ffi.from_buffer), and the\n"
           "kernel NAME_kernel, which is launched with arrays: NAME_kernel[groups, local size, stream, bytes of dynamic shared memory].\n"
           "A vector is given as its components, a `local` argument but the first as its offset in dynamic shared memory.\n"
           f'{left_out}"""\n')
    imports = "from pathlib import Path\n\nimport cffi\nfrom numba import cuda, types\n\n_ffi = cffi.FFI()\n"
    text = f'Path(__file__).with_name("{program.identifier}_numba.cu").read_text(encoding="utf-8")'
    code = f'_source = cuda.CUSource({text}, name="{program.identifier}_numba.cu")\n'
    return f"{doc}\n{imports}{code}\n" + "\n\n".join(_declaration(program, kernel) for kernel in program.kernels)


def _symbol(program: Program, kernel: LaunchedKernel) -> str:
    return f"cl2cuda_{program.identifier}_{kernel.name}"


def _wrapper(program: Program, kernel: LaunchedKernel) -> str:
    parameters = ["void *", *(f"{declaration} {name}" for name, _, declaration in _flat(kernel))]
    passed = ", ".join(passed for *_, passed in _parameters(kernel))
    return (f'\nextern "C" __device__ int {_symbol(program, kernel)}({", ".join(parameters)}) {{\n'
            f"    ocl::user::{kernel.name}({passed});\n    return 0;\n}}\n")


def _declaration(program: Program, kernel: LaunchedKernel) -> str:
    flat = _flat(kernel)
    name = kernel.name + "_" * keyword.iskeyword(kernel.name)
    names = [each + "_" * keyword.iskeyword(each) for each, *_ in flat]
    given = ", ".join(f"_ffi.from_buffer({each})" if "CPointer" in type else each for each, (_, type, _) in zip(names, flat, strict=True))
    signature = ", ".join(type for _, type, _ in flat)
    return (f'{name} = cuda.declare_device("{_symbol(program, kernel)}", types.void({signature}), link=[_source])\n\n\n'
            f"@cuda.jit\ndef {name}_kernel({', '.join(names)}):\n    {name}({given})\n")


def _flat(kernel: LaunchedKernel) -> list[tuple[str, str, str]]:
    """(name, Numba's type, C++'s type) of what the function takes."""
    return [each for parameters, _ in _parameters(kernel) for each in parameters]


def _parameters(kernel: LaunchedKernel) -> list[tuple[list[tuple[str, str, str]], str]]:
    """What the function takes for each parameter of the kernel, and what it passes on."""
    found: list[tuple[list[tuple[str, str, str]], str]] = []
    for each in kernel.given:
        if each.info.kind == "local":
            found.append(([(f"{each.name}_offset", "types.uint32", "unsigned int")], f"{each.name}_offset"))
        elif isinstance(each.type, Pointer) and each.info.kind in ("global", "constant"):
            pointer = f"types.CPointer({_pointee(each.name, each.type.pointee)})"
            found.append(([(each.name, pointer, "void *")], f"cl2cuda_pointer{{{each.name}}}"))
        elif isinstance(each.type, Vector) and each.type.element.name in _NUMBA:
            numba, cxx = _NUMBA[each.type.element.name]
            names = [f"{each.name}_{_COMPONENTS[i] if each.type.width <= 4 else i}" for i in range(each.type.width)]
            found.append(([(name, f"types.{numba}", cxx) for name in names], f"ocl::{each.type}{{{', '.join(names)}}}"))
        elif isinstance(each.type, Scalar) and each.type.name in _NUMBA:
            numba, cxx = _NUMBA[each.type.name]
            found.append(([(each.name, f"types.{numba}", cxx)], each.name))
        else:
            raise _Unfit(f"Numba has no value for '{each.name}', which is {each.type}")
    return found


def _pointee(name: str, type: Type) -> str:
    element = type.element if isinstance(type, Vector) else type
    if isinstance(element, Scalar) and element.name in _NUMBA:
        return f"types.{_NUMBA[element.name][0]}"
    raise _Unfit(f"'{name}' points to {type}, which Numba has no array of")
