"""Initialisers of objects of static storage (6.7.7) such that C++ computes them while it compiles.

CUDA initialises nothing when a program starts. What C++ does not take for a constant becomes a number here, or a pointer that is spelled
otherwise. The rest stays as the user wrote it.
"""

from __future__ import annotations

import dataclasses

from ...ir import nodes as ir
from ...ir.constants import address_value, wrap
from ...ir.types import CHAR, DOUBLE, HALF, INT, LONG, UCHAR, ULONG, VOID, Array, Pointer, Record, Scalar, Type
from ...ir.walk import expressions_of
from .static_values import Initials, NoValue, integer, named_part, static_value, written

_BYTE = Pointer(CHAR, "generic", const=True)


def settled(init: ir.Expr, initials: Initials) -> ir.Expr:
    """The initialiser such that C++ computes it. NoValue where a part has none."""
    if isinstance(init, ir.InitList):
        items = [item if item is None or _is_short(item) else settled(item, initials) for item in init.items]
        same = all(new is old for new, old in zip(items, init.items, strict=True))
        return init if same else ir.InitList(init.type, init.pos, items, init.member)
    if _is_short(init):
        return init
    if isinstance(init.type, Pointer):
        return _settled_pointer(init, initials)
    found = static_value(init, initials)
    if found.fault is not None:
        raise NoValue(found.fault)
    if isinstance(init.type, Record) and (whole := named_part(init, initials)) is not None:
        return whole
    if found.value is None and any(map(_is_of_address, expressions_of(init))):
        if _place(init, initials) is None:
            raise NoValue(init.pos)
        raise NoValue(init.pos, "an address as an integer in a record is not supported yet by cl2cuda")
    if found.plain or found.value is None:
        return init
    return written(found.value, init.type, init.pos)


def _is_short(init: ir.Expr) -> bool:
    """Whether it is what long tables consist of: a number, or one that is converted as C++ does, too."""
    if isinstance(init, ir.MakeVector):
        return all(map(_is_short, init.parts))
    to = init.type
    if isinstance(init, ir.Cast):
        init = init.operand
    if isinstance(init, ir.Unary) and init.op == "-":
        init = init.operand
    if not isinstance(init, ir.Number) or not isinstance(to, Scalar) or init.type == HALF or to == HALF:
        return False
    if init.type is to or (to.kind == "float" and init.type != DOUBLE):
        return True
    small = not init.value or 1e-30 < abs(init.value) < (1e30 if to.kind == "float" else 1 << 31)
    return small and (to.kind == "float" or isinstance(init.value, int))


def _settled_pointer(init: ir.Expr, initials: Initials) -> ir.Expr:
    """NVRTC takes no number that is cast to a pointer for a constant, but what is so far from a null pointer; no characters of another
    type, unless by way of void; and the value of no other pointer."""
    if any(isinstance(each, (ir.Name, ir.Index, ir.Member)) and isinstance(each.type, Pointer) for each in expressions_of(init)):
        init = _without_pointers(init, initials)
    assert isinstance(init.type, Pointer)
    text = init
    while isinstance(text, ir.Cast):
        text = text.operand
    if isinstance(text, ir.String) and init.type.pointee not in (CHAR, VOID):
        void = dataclasses.replace(init.type, pointee=VOID, alias=None)
        return ir.Cast(init.type, init.pos, ir.Cast(void, init.pos, text, False), False)
    address = address_value(init)
    if address:
        return ir.Cast(init.type, init.pos, _behind_null(address, init.pos), False)
    if address is None and isinstance(init, ir.Cast):
        place = init.operand if isinstance(init.operand.type, Pointer) else _place(init.operand, initials)
        if place is not None and isinstance(place.type, Pointer) and place.type.pointee in (CHAR, UCHAR) and init.type.pointee != VOID:
            void = dataclasses.replace(init.type, pointee=VOID, alias=None)
            return ir.Cast(init.type, init.pos, ir.Cast(void, init.pos, place, False), False)
    return init


def _behind_null(address: int, pos: int) -> ir.Expr:
    null = ir.Cast(_BYTE, pos, ir.Number(INT, pos, "0", 0), False)
    return ir.Binary(_BYTE, pos, "+", null, integer(address, ULONG, pos))


def addresses(init: ir.Expr, initials: Initials) -> ir.Expr | None:
    """Pointers for the integers that an initialiser is, or consists of, where one is an address: C++ makes no integer of such while it
    compiles. None where all of them are numbers."""
    if not _holds_longs(init.type) or not any(map(_is_of_address, expressions_of(init))):
        return None
    if isinstance(init, ir.InitList):
        items = [item and (addresses(item, initials) or _number_as_pointer(item, initials)) for item in init.items]
        return ir.InitList(init.type, init.pos, items)
    return _place(init, initials)


def _number_as_pointer(init: ir.Expr, initials: Initials) -> ir.Expr:
    if isinstance(init, ir.InitList):
        items = [item and _number_as_pointer(item, initials) for item in init.items]
        return ir.InitList(init.type, init.pos, items)
    value = static_value(init, initials).value
    if value is None:
        raise NoValue(init.pos)
    return _behind_null(wrap(int(value[0]), ULONG), init.pos)


def _holds_longs(type: Type) -> bool:
    while isinstance(type, Array):
        type = type.element
    return type in (LONG, ULONG)


def _is_of_address(expr: ir.Expr) -> bool:
    """Whether it is an object's address as an integer."""
    if isinstance(expr, ir.Name):
        return isinstance(expr.symbol, ir.Variable) and expr.symbol.of_addresses
    pointer = isinstance(expr, ir.Cast) and isinstance(expr.operand.type, (Pointer, Array))
    return pointer and isinstance(expr.type, Scalar) and expr.type.kind == "int" and address_value(expr) is None


def _place(expr: ir.Expr, initials: Initials) -> ir.Expr | None:
    """The pointer to bytes whose address the integer is; None where it is none that C++ knows."""
    if expr.type not in (LONG, ULONG):
        return None
    if isinstance(expr, ir.Name):
        return initials.of.get(expr.symbol) if _is_of_address(expr) and isinstance(expr.symbol, ir.Variable) else None
    if isinstance(expr, ir.Cast):
        return ir.Cast(_BYTE, expr.pos, expr.operand, False) if _is_of_address(expr) else _place(expr.operand, initials)
    if not isinstance(expr, ir.Binary) or expr.op not in "+-":
        return None
    base, count = _place(expr.left, initials), expr.right
    if base is None and expr.op == "+":
        base, count = _place(expr.right, initials), expr.left
    value = None if base is None else static_value(count, initials).value
    return None if base is None or value is None else ir.Binary(_BYTE, expr.pos, expr.op, base, integer(int(value[0]), LONG, expr.pos))


def _without_pointers(expr: ir.Expr, initials: Initials) -> ir.Expr:
    """With the value of each pointer that it names in place of the pointer."""
    if isinstance(expr, (ir.Name, ir.Index, ir.Member)) and isinstance(expr.type, Pointer):
        return named_part(expr, initials) or expr
    if isinstance(expr, ir.Cast):
        return ir.Cast(expr.type, expr.pos, _without_pointers(expr.operand, initials), expr.implicit)
    if isinstance(expr, ir.Binary) and isinstance(expr.type, Pointer):
        left, right = (_without_pointers(each, initials) for each in (expr.left, expr.right))
        return ir.Binary(expr.type, expr.pos, expr.op, left, right)
    return expr
