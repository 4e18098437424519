"""Kernels' arguments and attributes, as the host asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...builtins.opaque import ARGUMENTS
from ..ir import nodes as ir
from ..ir.kernel_info import ArgInfo, ArgKind
from ..ir.read_only import only_read
from ..ir.types import Opaque, Pointer, Record, Type, Vector, align_of, size_of
from .types import TypePrinter

# Arguments without data of their own: clSetKernelArg takes the object.
_OPAQUE_ARGUMENTS = ("image", "sampler", "pipe", "queue")


def attribute_text(attributes: Mapping[str, Sequence[object]]) -> str:
    """CL_KERNEL_ATTRIBUTES: the attributes as a user would write them, without the underscores."""
    return " ".join(f"{name}({','.join(map(str, values))})" if values else name for name, values in attributes.items())


def keeps_volatile(p: ir.Variable) -> bool:
    """C++20 deprecates a volatile parameter, and of a scalar or pointer nobody can see that it is."""
    return p.volatile and isinstance(p.type, (Vector, Record))


def argument_info(p: ir.Variable, types: TypePrinter, parameter: bool, keeps_const: Callable[[], bool] = bool) -> ArgInfo:
    """5.9.4, table 40: what clGetKernelArgInfo tells, and what clSetKernelArg checks."""
    type = p.type
    if isinstance(type, Pointer):
        space: Any = type.space if type.space in ("global", "local", "constant") else "private"
        kind: ArgKind = "value" if space == "private" else space
        qualifiers = ["const"] * type.const + ["restrict"] * p.restrict + ["volatile"] * type.volatile
        return ArgInfo(p.name, p.type_name or type_name(type), kind, 8, 8, space, "none", tuple(qualifiers), parameter,
                       read_only=only_read(type, keeps_const))
    if isinstance(type, Opaque) and type.kind in _OPAQUE_ARGUMENTS:
        # The specification leaves their address space open; clang calls an image's memory, and a pipe's, global.
        space = "global" if type.kind in ("image", "pipe") else "private"
        shown = type_name(type.packet) if type.packet is not None else type.alias or type.name
        piped = ("pipe",) if type.packet is not None else ()
        size, align = ARGUMENTS.get(type.kind, (8, 8))
        packet = size_of(type.packet) if type.packet is not None else 0
        return ArgInfo(p.name, shown, type.kind, size, align, space, type.access or "none", piped,  # type: ignore[arg-type]
                       packet_size=packet, image=type.name if type.kind == "image" else "")
    return ArgInfo(p.name, p.type_name or type_name(type), "value", size_of(type), align_of(type))


def type_name(type: Type) -> str:
    """A type as CL_KERNEL_ARG_TYPE_NAME has it: in the user's words, unsigned types abbreviated."""
    if type.alias:
        return type.alias
    if isinstance(type, Record) and type.anonymous:
        return type.name
    return type_name(type.pointee) + "*" if isinstance(type, Pointer) else str(type)
