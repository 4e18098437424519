"""What kernels only read: memory that they get by pointers to `constant`, or to `const` where the program keeps its word.

A pointer to const may become one that writes: by a cast, also one that a warning allows to be left out, by way of an integer, a
union, or inline assembly. Of a program that does any of this nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from . import nodes as ir
from .types import Array, Pointer, Record, Scalar, Type
from .walk import nodes_of

# Memory of buffers is reached through pointers of these.
_SPACES = ("global", "generic")


def only_read(type: Type, keeps_const: Callable[[], bool]) -> bool:
    """Whether a kernel with an argument of the type writes nothing through it; `keeps_const`, of its program, is asked where it matters."""
    return isinstance(type, Pointer) and (type.space == "constant" or (type.space == "global" and type.const and keeps_const()))


def keeps_const(programs: Iterable[ir.Program]) -> bool:
    """Whether nothing in the programs, which make up one, makes a pointer that writes of one to const."""
    pieces: list[object] = []
    for program in programs:
        pieces += [function.body for function in program.functions]
        pieces += [item.init for item in program.items if isinstance(item, ir.VariableItem)]
    while pieces:
        for node in nodes_of(pieces.pop()):
            if isinstance(node, ir.BlockLiteral):
                pieces.append(node.function.body)
            elif isinstance(node, (ir.Cast, ir.Member, ir.Asm)) and _may_drop_const(node):
                return False
    return True


def _may_drop_const(node: ir.Cast | ir.Member | ir.Asm) -> bool:
    if isinstance(node, ir.Cast):
        return _loses_const(node.operand.type, node.type)
    if isinstance(node, ir.Member):
        base = node.base.type
        record = base.pointee if isinstance(base, Pointer) else base
        return _holds_const_pointer(record) and _has_union(record)
    return any(_holds_const_pointer(operand.type) for _, operand in (*node.inputs, *node.outputs))


def _loses_const(source: Type, target: Type) -> bool:
    if isinstance(source, Pointer) and source.const and source.space in _SPACES:
        kept = isinstance(target, Pointer) and target.const
        return not kept and not (isinstance(target, Scalar) and target.kind == "bool")
    inner = source.pointee if isinstance(source, Pointer) else source
    return _holds_const_pointer(inner) and target != source


def _holds_const_pointer(type: Type, seen: frozenset[int] = frozenset()) -> bool:
    if isinstance(type, Pointer):
        return (type.const and type.space in _SPACES) or _holds_const_pointer(type.pointee, seen)
    if isinstance(type, Array):
        return _holds_const_pointer(type.element, seen)
    if isinstance(type, Record) and id(type) not in seen:
        return any(_holds_const_pointer(field.type, seen | {id(type)}) for field in type.fields or ())
    return False


def _has_union(type: Type) -> bool:
    if isinstance(type, Array):
        return _has_union(type.element)
    return isinstance(type, Record) and (type.kind == "union" or any(_has_union(field.type) for field in type.fields or ()))
