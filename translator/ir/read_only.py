"""What kernels only read: memory that they get by pointers to `constant`, or to `const` where the program keeps its word; and structs that
they get by value.

A pointer to const may become one that writes: by a cast, also one that a warning allows to be left out, by way of an integer, a
union, or inline assembly. Of a program that does any of this nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeGuard

from . import nodes as ir
from .types import Array, Pointer, Record, Scalar, Type
from .walk import nodes_of, nodes_of_kinds

# Memory of buffers is reached through pointers of these.
_SPACES = ("global", "generic")
_ASKING = ("to_global", "to_local", "to_private", "get_fence")


def only_read(type: Type, keeps_const: Callable[[], bool]) -> bool:
    """Whether a kernel with an argument of the type writes nothing through it; `keeps_const`, of its program, is asked where it matters."""
    return isinstance(type, Pointer) and (type.space == "constant" or (type.space == "global" and type.const and keeps_const()))


def keeps_const(programs: Iterable[ir.Program]) -> bool:
    """Whether nothing in the programs, which make up one, makes a pointer that writes of one to const."""
    return not any(map(_may_drop_const, _nodes(programs, ir.Cast, ir.Member, ir.Asm)))


def lend_safely(programs: Iterable[ir.Program]) -> bool:
    """Whether the programs do no more with a pointer to const than to read through it: no cast makes one that writes of it, in whatever
    address space, and nothing asks for the address space, which of a kernel's parameter is another than that of a copy."""
    return not any(map(_asks_or_writes, _nodes(programs, ir.Cast, ir.Intrinsic)))


def _asks_or_writes(node: ir.Cast | ir.Intrinsic) -> bool:
    if isinstance(node, ir.Intrinsic):
        return node.name in _ASKING
    source, target = node.operand.type, node.type
    return isinstance(source, Pointer) and source.const and not (isinstance(target, Pointer) and target.const)


def _nodes(programs: Iterable[ir.Program], *kinds: type[ir.Expr | ir.Statement]) -> Iterator[Any]:
    """Those of these classes."""
    wanted = frozenset((*kinds, ir.BlockLiteral))
    pieces: list[object] = []
    for program in programs:
        pieces += [function.body for function in program.functions]
        pieces += [item.init for item in program.items if isinstance(item, ir.VariableItem)]
    while pieces:
        for node in nodes_of_kinds(pieces.pop(), wanted):
            if isinstance(node, ir.BlockLiteral):
                pieces.append(node.function.body)
            else:
                yield node


def is_read_in_place(parameter: ir.Variable, kernel: ir.Function, lend_safely: Callable[[], bool]) -> bool:
    """Whether the parameter is a struct that compilers would copy, for an array in it or a pointer to it, and that the kernel only reads:
    it stores to no part of it, and makes no pointer to one but to const, of which the program, as `lend_safely` tells, makes no more."""
    if not isinstance(parameter.type, Record) or parameter.volatile or kernel.body is None:
        return False
    if kernel.body_name:  # Others call it: it passes the struct on to the function that both run.
        return _holds_array(parameter.type)
    passed: set[int] = set()  # Pointers whose place is indexed at once, or that become pointers to const.
    lent: list[ir.Unary | ir.Cast] = []
    taken: list[ir.Unary | ir.Cast] = []
    stored: list[ir.Expr] = []
    for node in nodes_of(kernel.body):
        if isinstance(node, ir.Index):
            passed.add(id(node.base))
        elif isinstance(node, (ir.Assign, ir.StoreVolatile)):
            stored.append(node.target)
        elif isinstance(node, ir.Step):
            stored.append(node.operand)
        elif isinstance(node, ir.SetSwizzle):
            stored.append(node.base)
        elif isinstance(node, ir.Asm):
            stored += [operand for _, operand in node.outputs]
        elif isinstance(node, ir.BlockLiteral) and parameter in node.captured:
            return False
        elif _makes_pointer(node):
            (lent if isinstance(node.type, Pointer) and node.type.const else taken).append(node)
        elif isinstance(node, ir.Cast) and isinstance(node.type, Pointer) and node.type.const and _makes_pointer(node.operand):
            passed.add(id(node.operand))
            lent.append(node.operand)
    places = [*stored, *(node.operand for node in taken if id(node) not in passed)]
    if any(_variable(place) is parameter for place in places):
        return False
    if any(_variable(node.operand) is parameter for node in lent):
        return lend_safely()
    return _holds_array(parameter.type)


def _makes_pointer(node: object) -> TypeGuard[ir.Unary | ir.Cast]:
    return (isinstance(node, ir.Unary) and node.op == "&") or (isinstance(node, ir.Cast) and isinstance(node.operand.type, Array))


def _variable(place: ir.Expr) -> object:
    """The one that the place is, or lies in; None where a pointer leads to it."""
    while not isinstance(place, ir.Name):
        if isinstance(place, ir.Member) and not place.arrow:
            place = place.base
        elif isinstance(place, ir.Index):
            place = place.base.operand if isinstance(place.base, ir.Cast) and isinstance(place.base.operand.type, Array) else place.base
            if isinstance(place.type, Pointer):
                return None
        elif isinstance(place, (ir.Component, ir.Swizzle)):
            place = place.base
        elif isinstance(place, ir.VolatileObject):
            place = place.operand
        else:
            return None
    return place.symbol


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


def _holds_array(type: Type) -> bool:
    return isinstance(type, Array) or (isinstance(type, Record) and any(_holds_array(field.type) for field in type.fields or ()))


def _has_union(type: Type) -> bool:
    if isinstance(type, Array):
        return _has_union(type.element)
    return isinstance(type, Record) and (type.kind == "union" or any(_has_union(field.type) for field in type.fields or ()))
