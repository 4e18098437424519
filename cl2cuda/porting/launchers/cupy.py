"""Launchers for CuPy: `NAME.py`, a module that a person imports, beside `NAME.cu` with the kernels. It does not need cl2cuda."""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from ...translator.ir.types import Array, Field, Pointer, Record, Scalar, Type, Vector, offset_of, size_of
from ...version import VERSION
from ..cuda_file import compiler_options, cuda_file, only_general
from .program import Argument, LaunchedKernel, Program, support

_NUMPY = {"bool": "bool_", "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32",
          "long": "int64", "ulong": "uint64", "half": "float16", "float": "float32", "double": "float64"}


def fitting(program: Program) -> Program:
    """The program with the kernels that a launcher can be written for."""
    return program.without(_unfit)


def _unfit(kernel: LaunchedKernel) -> str:
    """CuPy makes arrays of 1 to 3 dimensions, no layered ones."""
    images = [each for each in kernel.arguments if "array" in each.info.image or "buffer" in each.info.image]
    return f"CuPy has no arrays for '{images[0].name}', which is {images[0].info.image}" if images else ""


def files(program: Program) -> dict[str, str]:
    """The texts by the names of their files."""
    return {f"{program.stem}.cu": cuda_file(program.translation, program.source, program.options),
            f"{program.identifier}.py": _module(program)}


def _module(program: Program) -> str:
    images = any(each.info.kind == "image" for kernel in program.kernels for each in kernel.arguments)
    records = _records(program)
    modules = "ctypes hashlib itertools json operator os threading".split()
    imports = [*(f"import {each}" for each in modules), "from pathlib import Path", "",
               "import cupy", "import numpy as np",
               f"from cupy.cuda import compiler, driver, nvrtc, runtime{', texture' if images else ''}"]
    left_out = "".join(f"\nThere is no function for {kernel}: {reason}.\n" for kernel, reason in program.left_out)
    doc = (f'"""Launches the kernels of {program.source} with CuPy; written by cl2cuda {VERSION}.\n\n'
           "Each function takes the global size and the local size (None: one is chosen) as tuples of 1 to 3 numbers, then the kernel's\n"
           "arguments: arrays of CuPy for pointers, values, bytes for `local` arguments. A launch goes to `stream`,\n"
           "or to CuPy's current one; which stream is current does not change.\n"
           f'{left_out}"""\n')
    parts = [doc + "\n" + "\n".join(imports), support("cupy_launch.in"), *([support("cupy_image.in")] if images else [])]
    if records:
        parts.append("\n".join(f"{_record_name(each)} = {_format(each, records)}" for each in records) + "\n\n")
    options = tuple(compiler_options(program.translation, program.options))
    names = [kernel.name for kernel in program.kernels]
    parts.append(f'_program = _Program(Path(__file__).with_name("{program.stem}.cu").read_text(encoding="utf-8"), {options!r},\n'
                 f"                    {names!r}, {only_general(program.translation)!r})\n")
    parts += [_function(kernel) for kernel in program.kernels]
    return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


def _function(kernel: LaunchedKernel) -> str:
    global_size, local_size, offset, stream, places, shared = map(kernel.own_name, (
        "global_size", "local_size", "global_offset", "stream", "places", "shared"))
    given = [f"{_name(each)}: {_annotation(each)}" for each in kernel.arguments]
    head = ", ".join([global_size, local_size, *given, "*", f"{offset}=None", f"{stream}=None"])
    locals_in_order = kernel.locals_in_order
    sizes = ", ".join([str(kernel.shared), *map(_name, locals_in_order)])
    parameters = ",\n        ".join(_packed(each, f"{places}[{locals_in_order.index(each)}]" if each in locals_in_order else "")
                                    for each in kernel.given)
    usual = " and ".join(f"{_name(each)}.is_usual" for each in kernel.arguments if each.info.kind == "image") or "True"
    public = kernel.name + "_" * keyword.iskeyword(kernel.name)
    return (f"def {public}({head}):\n"
            f"    {places}, {shared} = _local({sizes})\n"
            f'    _program.launch("{kernel.name}", {kernel.info.reqd_work_group_size!r}, ({global_size}, {local_size}, {offset}), [\n'
            f"        {parameters}], {shared}, {usual}, {stream})\n")


def _name(argument: Argument) -> str:
    return argument.name + "_" * keyword.iskeyword(argument.name)


def _annotation(argument: Argument) -> str:
    match argument.info.kind:
        case "global" | "constant":
            return '"cupy.ndarray"'
        case "local" | "sampler":
            return "int"
        case "image":
            return "Image"
    kind = argument.type.kind if isinstance(argument.type, Scalar) else ""
    return {"int": "int", "float": "float", "bool": "bool"}.get(kind, '"np.ndarray"')


def _packed(argument: Argument, place: str) -> str:
    name = _name(argument)
    match argument.info.kind:
        case "global" | "constant":
            return f'_pointer("{name}", {name}, {_element(argument.type)})'
        case "local":
            return f'{place}.to_bytes(4, "little")'
        case "image":
            return f'_image("{name}", {name})'
        case "sampler":
            return f'_value("{name}", {name}, "uint32")'
    type = argument.type
    if isinstance(type, Vector):
        return f'_value("{name}", {name}, "{_NUMPY[type.element.name]}", {type.width}, {size_of(type) // type.element.size})'
    if isinstance(type, Scalar):
        return f'_value("{name}", {name}, "{_NUMPY[type.name]}")'
    if isinstance(type, Record):
        return f'_value("{name}", {name}, {_record_name(type)})'
    return f'_value("{name}", {name}, "uint64")'  # a pointer of no named address space


def _element(type: Type) -> str:
    """What an array must hold: scalars, of vectors their elements; structures under any name, and what `void *` leaves open."""
    inner = type.pointee if isinstance(type, Pointer) else type
    while isinstance(inner, Array):
        inner = inner.element
    if isinstance(inner, Vector):
        inner = inner.element
    return f'"{_NUMPY[inner.name]}"' if isinstance(inner, Scalar) else "None"


def _records(program: Program) -> list[Record]:
    """Every structure that arguments are or point to, those that others contain first."""
    found: list[Record] = []
    for kernel in program.kernels:
        for each in kernel.arguments:
            type = each.type.pointee if isinstance(each.type, Pointer) else each.type
            _collect(type, found)
    return found


def _collect(type: Type, found: list[Record]) -> None:
    if isinstance(type, Array):
        _collect(type.element, found)
    elif isinstance(type, Record) and type not in found and type.fields:
        for each in _members(type):
            _collect(each.type, found)
        found.append(type)


def _members(record: Record) -> Iterator[Field]:
    """The named ones. An anonymous member's are the record's own (C11 6.7.2.1p13)."""
    for each in record.fields or ():
        if each.name:
            yield each
        elif isinstance(each.type, Record):
            yield from _members(each.type)


def _record_name(record: Record) -> str:
    return record.alias or record.name


def _format(type: Type, records: list[Record]) -> str:
    """NumPy's type. A vector of three has the room of four by the offset of what follows."""
    if isinstance(type, Record):
        fields = list(_members(type))
        rows = [f'"names": {[each.name for each in fields]!r}',
                f'"formats": [{", ".join(_inner(each.type, records) for each in fields)}]',
                f'"offsets": {[offset_of(type, each.name or "") for each in fields]!r}', f'"itemsize": {size_of(type)}']
        return f"np.dtype({{{', '.join(rows)}}})"
    return _inner(type, records)


def _inner(type: Type, records: list[Record]) -> str:
    match type:
        case Scalar():
            return f"np.{_NUMPY[type.name]}"
        case Vector():
            return f"(np.{_NUMPY[type.element.name]}, ({type.width},))"
        case Array():
            return f"({_inner(type.element, records)}, ({type.length or 0},))"
        case Record():
            return _record_name(type) if type in records else f"np.dtype((np.void, {size_of(type)}))"
    return "np.uint64"
