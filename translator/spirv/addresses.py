"""Addresses in constants, as NVRTC takes them for constants: those of an object's own parts, or sums with a converted pointer.

Modules that are not optimised count the bytes from an object's start, by a pointer to bytes."""

from __future__ import annotations

from ..ir import nodes as ir
from ..ir.types import Array, Pointer, Record, Type, Vector, offset_of, size_of
from . import build


def of_type(pointer: ir.Expr, type: Pointer) -> ir.Expr:
    """The pointer as one of that type: to the part of the object there if it has one of the type, else converted."""
    found = _object_and_offset(pointer)
    place = _part(*found, type.pointee) if found is not None else None
    return build.address(place, type) if place is not None else build.cast(pointer, type)


def as_sum(pointer: ir.Expr) -> ir.Expr:
    """The address of an element behind a converted pointer as a sum."""
    place = pointer.operand if isinstance(pointer, ir.Unary) and pointer.op == "&" else None
    if isinstance(place, ir.Index) and isinstance(place.base, ir.Cast) and place.base.type == pointer.type:
        return ir.Binary(pointer.type, pointer.pos, "+", place.base, place.index)
    return pointer


def _object_and_offset(pointer: ir.Expr) -> tuple[ir.Expr, int] | None:
    """The variable, and the bytes from its start."""
    if isinstance(pointer, ir.Cast) and isinstance(pointer.type, Pointer):
        return _object_and_offset(pointer.operand)
    if isinstance(pointer, ir.Binary) and isinstance(pointer.type, Pointer):
        number, found = build.constant_integer(pointer.right), _object_and_offset(pointer.left)
        return (found[0], found[1] + number * size_of(pointer.type.pointee)) if number is not None and found is not None else None
    return _of_place(pointer.operand) if isinstance(pointer, ir.Unary) and pointer.op == "&" else None


def _of_place(place: ir.Expr) -> tuple[ir.Expr, int] | None:
    more: int | None
    if isinstance(place, ir.Name):
        return place, 0
    if isinstance(place, ir.Index):
        number, base = build.constant_integer(place.index), place.base
        found = _object_and_offset(base) if isinstance(base.type, Pointer) else _of_place(base)
        more = None if number is None else number * size_of(place.type)
    elif isinstance(place, ir.Member) and not place.arrow and isinstance(place.base.type, Record):
        found, more = _of_place(place.base), offset_of(place.base.type, place.name)
    elif isinstance(place, ir.Component):
        found, more = _of_place(place.base), place.index * size_of(place.type)
    else:
        return None
    return (found[0], found[1] + more) if found is not None and more is not None else None


def _part(place: ir.Expr, offset: int, wanted: Type) -> ir.Expr | None:
    """The part of the object that begins there and has the type, the largest such."""
    type = place.type
    if type == wanted and offset == 0:
        return place
    if isinstance(type, Array) and 0 <= offset < size_of(type) + (type.element == wanted):  # or the end of it
        index, rest = divmod(offset, size_of(type.element))
        return _part(ir.Index(type.element, place.pos, place, build.integer(build.INT, index, place.pos)), rest, wanted)
    if isinstance(type, Vector) and type.element == wanted and not offset % size_of(wanted) and 0 <= offset < size_of(wanted) * type.width:
        return ir.Component(wanted, place.pos, place, offset // size_of(wanted))
    if isinstance(type, Record):
        for number, field in enumerate(type.fields or ()):
            start = offset_of(type, field.name) if field.name is not None else None
            if start is not None and start <= offset < start + max(1, size_of(field.type)):
                found = _part(build.member(place, type, number), offset - start, wanted)
                if found is not None:
                    return found
    return None
