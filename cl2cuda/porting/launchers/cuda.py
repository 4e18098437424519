"""Launchers for CUDA C++: `NAME.cuh`, which nvcc compiles by itself, beside `NAME.cu` with the kernels.

The header gives each program namespaces of its own, so that a source file includes as many as it needs. In a program of several
source files one of them includes it, as with the kernels themselves.
"""

from __future__ import annotations

from ...version import VERSION
from ..cuda_file import GENERAL, compiler_options, cuda_file, only_general
from .program import Argument, LaunchedKernel, Program, support


def fitting(program: Program) -> Program:
    """The program with the kernels that a launcher can be written for."""
    return program


def files(program: Program) -> dict[str, str]:
    """The texts by the names of their files."""
    return {f"{program.stem}.cu": cuda_file(program.translation, program.source, program.options), f"{program.stem}.cuh": _header(program)}


def _header(program: Program) -> str:
    name = program.identifier
    images = any(each.info.kind == "image" for kernel in program.kernels for each in kernel.arguments)
    words = " ".join(compiler_options(program.translation, program.options))
    head = [
        f"// Launches the kernels of {program.source}; written by cl2cuda {VERSION}. Include it in one source file of a program.",
        f"// Compile with: nvcc {words}", "//",
        *(f"//   {name}_kernels::{kernel.name}" for kernel in program.kernels),
        *(f"//   not {kernel}: {reason}" for kernel, reason in program.left_out),
    ]
    lines = ["\n".join(head), "#pragma once", "", support("nd_range.cuh"), *([support("image.cuh")] if images else []), _variants(program)]
    lines += [f"namespace {_namespace(program)} {{ namespace user {{ namespace launchers {{", ""]
    lines += [_launcher(program, kernel) for kernel in program.kernels]
    lines += ["} } }", "", f"namespace {name}_kernels = {_namespace(program)}::user::launchers;", ""]
    return "\n".join(lines)


def _namespace(program: Program) -> str:
    """The variant's whose types the launchers have."""
    return f"ocl_{program.identifier}{'_general' if only_general(program.translation) else ''}"


def _variants(program: Program) -> str:
    name, file = program.identifier, program.stem
    general = f'#define {GENERAL}\n#define ocl ocl_{name}_general\n#include "{file}.cu"\n#undef ocl\n#undef {GENERAL}\n'
    if only_general(program.translation):
        return general
    return f'#define ocl ocl_{name}\n#include "{file}.cu"\n#undef ocl\n{general}'


def _launcher(program: Program, kernel: LaunchedKernel) -> str:
    """One function. Exactly what the kernel's parameters are is the compiler's to check: here they are declared as they are there."""
    nd_range, stream, shared, variants, arguments = map(kernel.own_name, ("range", "stream", "shared", "variants", "arguments"))
    parameters = [f"const cl2cuda::nd_range &{nd_range}", *map(_parameter, kernel.arguments), f"cudaStream_t {stream} = 0"]
    general = f"ocl_{program.identifier}_general"
    plain = "nullptr" if only_general(program.translation) else f"(const void *)user::{kernel.name}"
    required = ", ".join(map(str, kernel.info.reqd_work_group_size or (0, 0, 0)))
    body = [
        f"const cl2cuda::variants {variants}{{{plain}, (const void *){general}::user::{kernel.name}, &{general}::launch, {{{required}}}}};",
        f"cl2cuda::shared_layout {shared}{{{kernel.shared}}};",
    ]
    for each in kernel.locals_in_order:
        place = f"{shared}.place({each.name});"
        body.append(f"unsigned {each.name}_place = {place}" if each.info.parameter else place)
    passed = ", ".join(map(_passed, kernel.given))
    body.append(f"void *{arguments}[] = {{{passed or 'nullptr'}}};")
    usual = " && ".join(f"{each.name}.is_usual()" for each in kernel.arguments if each.info.kind == "image") or "true"
    body.append(f"return cl2cuda::launch({variants}, {nd_range}, {arguments}, {shared}.end, {usual}, {stream});")
    lines = "".join(f"    {line}\n" for line in body)
    return f"inline cudaError_t {kernel.name}({', '.join(parameters)}) {{\n{lines}}}\n"


def _parameter(argument: Argument) -> str:
    match argument.info.kind:
        case "local":
            return f"cl2cuda::local_bytes {argument.name}"
        case "image":
            return f"const cl2cuda::image &{argument.name}"
    return argument.declaration if argument.info.name else f"{argument.declaration} {argument.name}"


def _passed(argument: Argument) -> str:
    match argument.info.kind:
        case "local":
            return f"&{argument.name}_place"
        case "image":
            return f"(void *)&{argument.name}.data()"
    return f"(void *)&{argument.name}"
