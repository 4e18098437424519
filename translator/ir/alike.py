"""Expressions that are spelled alike, and so have one value where nothing between them changes a variable or memory."""

from __future__ import annotations

from collections.abc import Hashable

from . import nodes as ir
from .types import Array, Pointer, Record

DEEPEST = 4  # of the expressions in each other that are compared


def alike(expr: ir.Expr, depth: int = DEEPEST) -> Hashable:
    """Equal for expressions that are spelled alike, of so many expressions in each other at most; else None, as for those that have an
    effect or read what is volatile."""
    if isinstance(expr, ir.Name):
        return None if isinstance(expr.symbol, ir.Variable) and expr.symbol.volatile else expr.symbol
    if isinstance(expr, ir.Number):
        return expr.value, str(expr.type)
    parts = _parts(expr) if depth else None
    if parts is None:
        return None
    told, inner = parts
    keys = [alike(each, depth - 1) for each in inner]
    return None if None in keys else (type(expr).__name__, *told, *keys)


def _parts(expr: ir.Expr) -> tuple[tuple[Hashable, ...], tuple[ir.Expr, ...]] | None:
    """What it is beside its operands, and these."""
    if isinstance(expr, ir.Cast):
        return (expr.type,), (expr.operand,)
    if isinstance(expr, ir.Member) and not is_volatile_member(expr):
        return (expr.name, expr.arrow), (expr.base,)
    if isinstance(expr, ir.Component):
        return (expr.index,), (expr.base,)
    if isinstance(expr, ir.Unary) and not (expr.op == "*" and _is_volatile(expr.operand)):
        return (expr.op,), (expr.operand,)
    if isinstance(expr, ir.Binary):
        return (expr.op,), (expr.left, expr.right)
    return ((), (expr.base, expr.index)) if isinstance(expr, ir.Index) and not _is_volatile(expr.base) else None


def is_volatile_member(member: ir.Member) -> bool:
    record = member.base.type.pointee if isinstance(member.base.type, Pointer) else member.base.type
    field = record.find(member.name) if isinstance(record, Record) else None
    return member.volatile or field is None or field.volatile


def _is_volatile(place: ir.Expr) -> bool:
    """Whether what it points to is, or the elements of the array."""
    return isinstance(place.type, (Pointer, Array)) and place.type.volatile
