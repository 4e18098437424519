"""Numba's types and OpenCL's: one table of scalars, and what an argument of a Numba kernel is to clSetKernelArg.

Numba's types are known by their names, since numba-cuda and Numba each have classes of their own for them. Nothing is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..runtime.kernel.array_argument import part_count
from ..translator.ir.kernel_info import ArgInfo

# Numba's name, OpenCL's, and the bytes. Numba hands a boolean over as a byte; OpenCL C has no bool as an argument.
SCALARS = {
    "bool": ("uchar", 1), "int8": ("char", 1), "uint8": ("uchar", 1), "int16": ("short", 2), "uint16": ("ushort", 2),
    "int32": ("int", 4), "uint32": ("uint", 4), "int64": ("long", 8), "uint64": ("ulong", 8),
    "float16": ("half", 2), "float32": ("float", 4), "float64": ("double", 8),
}
# By OpenCL's name. No scalar of Numba's is size_t or the like: in OpenCL C those are names of ulong and long.
NUMBA = {opencl: numba for numba, (opencl, _) in SCALARS.items() if numba != "bool"}
# Tuples of so many elements of one scalar type are vectors in OpenCL.
VECTOR_WIDTHS = (2, 4, 8, 16)


class Value(NamedTuple):
    """A type of values: OpenCL's name, the bytes, and the CUDA parameters that an argument of it is spread over."""

    name: str
    size: int
    parts: int = 1


def kinds(type: Any) -> set[str]:
    """The names of the type's classes."""
    return {each.__name__ for each in type.__class__.__mro__}


def value_of(type: Any) -> Value | None:
    """A scalar, a complex number or a tuple of equal scalars; None for all else."""
    kind = kinds(type)
    width, element = (2, type.underlying_float) if "Complex" in kind else (type.count, type.dtype) if "UniTuple" in kind else (1, type)
    scalar = SCALARS.get(str(element))
    if scalar is None or width not in (1, *VECTOR_WIDTHS):
        return None
    name, size = scalar
    return Value(name if width == 1 else f"{name}{width}", width * size, width)


def argument(name: str, type: Any) -> ArgInfo:
    """What clSetKernelArg takes for an argument of this type. Raises TypeError for types that OpenCL has nothing for."""
    value = value_of(type)
    if value is not None:
        return ArgInfo(name, value.name, "value", value.size, value.size // value.parts, parts=value.parts)
    kind = kinds(type)
    if "RawPointer" in kind:
        return _pointer(name, "void")
    if "CPointer" in kind:
        pointee = value_of(type.dtype)
        return _pointer(name, pointee.name if pointee else "void")
    if "Array" in kind and type.ndim and (element := _element(type.dtype)) is not None:
        parts = part_count(type.ndim)
        return ArgInfo(name, f"{element.name}*", "global", 8 * parts, 8, "global", type_qualifiers=() if type.mutable else ("const",),
                       parts=parts, dimensions=type.ndim, item_size=element.size, layout=type.layout)
    raise TypeError(f"argument '{name}': OpenCL has nothing for Numba's {type}. A kernel of OpenCL takes scalars, complex numbers, tuples "
                    f"of {', '.join(map(str, VECTOR_WIDTHS))} equal scalars, CPointer, voidptr, and arrays of numbers or records")


def _pointer(name: str, pointee: str) -> ArgInfo:
    return ArgInfo(name, f"{pointee}*", "global", 8, 8, "global")


def _element(type: Any) -> Value | None:
    """The value that an element of an array is."""
    return Value("void", type.size) if "Record" in kinds(type) else value_of(type)


def parameter_sizes(arguments: Sequence[ArgInfo]) -> list[int]:
    """The bytes of each of the CUDA kernel's parameters."""
    return [arg.size // arg.parts for arg in arguments for _ in range(arg.parts) if arg.parameter]
