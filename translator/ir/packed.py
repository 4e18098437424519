"""Objects in packed records, which lie at any address: what is read of them through a pointer or a reference would be read as if it
were aligned."""

from __future__ import annotations

from dataclasses import dataclass, replace

from . import nodes as ir
from .types import Array, Pointer, Record, align_of


def lies_packed(expr: ir.Expr) -> bool:
    """Whether the object is, or is a part of, a member of a packed record."""
    while True:
        if isinstance(expr, ir.VolatileObject):
            expr = expr.operand
            continue
        if not isinstance(expr, (ir.Member, ir.Component, ir.Index)):
            return False
        pointed = isinstance(expr.base.type, Pointer)
        if isinstance(expr, ir.Member):
            record = expr.base.type.pointee if isinstance(expr.base.type, Pointer) else expr.base.type
            field = record.find(expr.name) if isinstance(record, Record) else None
            if field is not None and isinstance(record, Record) and (record.packed or field.packed):
                return True
        if pointed:
            return False
        expr = expr.base


@dataclass(frozen=True)
class PackedArray:
    """The initialiser of an array in a packed record, and how C++ names the array from the record: "inner.list"."""

    path: str
    init: ir.InitList


def without_arrays(init: ir.InitList, packed: bool = False, path: str = "") -> tuple[ir.InitList, list[PackedArray]]:
    """The initialiser of a record without those of the arrays that lie packed, and these."""
    record = init.type
    if not isinstance(record, Record) or init.member is not None:
        return init, []
    items: list[ir.Expr | None] = []
    found: list[PackedArray] = []
    for field, item in zip(record.fields or (), init.items, strict=False):
        lies = packed or record.packed or field.packed
        if isinstance(item, ir.InitList):
            inner = f"{path}{field.name}"
            if isinstance(field.type, Record):
                item, more = without_arrays(item, lies, path if field.name is None else f"{inner}.")
                found += more
            elif isinstance(field.type, Array) and lies and align_of(field.type) > 1 and not is_literal(item):
                found.append(PackedArray(inner, item))
                item = None
        items.append(item)
    return (replace(init, items=items), found) if found else (init, [])


def is_literal(init: ir.Expr | None) -> bool:
    """Whether the value is written out: compilers copy such values, whatever their number, from where they keep them."""
    if isinstance(init, ir.InitList):
        return all(map(is_literal, init.items))
    if isinstance(init, (ir.Cast, ir.Unary)):
        return is_literal(init.operand)
    return init is None or isinstance(init, ir.Number)
