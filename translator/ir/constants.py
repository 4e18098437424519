"""Integer constant expressions (C99 6.6): array sizes, case labels, enumerators, attributes, the range of a literal."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

from . import nodes as ir
from .types import DOUBLE, FLOAT, HALF, ULONG, Array, Pointer, Record, Scalar, offset_of, size_of


def wrap(value: int, type: Scalar) -> int:
    """The value as an object of the type holds it."""
    if type.kind == "bool":
        return int(value != 0)
    value &= (1 << type.bits) - 1
    return value - (1 << type.bits) if type.signed and value >> (type.bits - 1) else value


def _divide(a: int, b: int) -> int | None:
    if b == 0:
        return None
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    quotient = _divide(a, b)
    return None if quotient is None else a - quotient * b


# Of two integers, before the type wraps the result; `+`, `-`, `*` and the comparisons are those of any numbers.
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": _divide, "%": _remainder,
    "<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63), "&": lambda a, b: a & b, "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b, "<": lambda a, b: int(a < b), ">": lambda a, b: int(a > b), "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b), "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a and b)), "||": lambda a, b: int(bool(a or b)),
}  # fmt: skip
_MOST_FLOAT = float.fromhex("0x1.fffffep127")
_UNARY = {"+": lambda a: a, "-": lambda a: -a, "~": lambda a: ~a, "!": lambda a: int(not a)}


def folded_value(expr: ir.Expr) -> int | None:
    """The value of what clang takes for an integer constant expression where one is called for: `const` variables have theirs."""
    return integer_value(expr, variables=True)


def integer_value(expr: ir.Expr, variables: bool = False) -> int | None:
    """The value of an integer constant expression (C99 6.6), None for any other."""
    if not isinstance(expr.type, Scalar):
        return None
    value: int | None = None
    if isinstance(expr, ir.Number):
        if expr.type.kind != "float":
            return int(expr.value)
    elif isinstance(expr, ir.Name) and isinstance(expr.symbol, ir.Enumerator):
        return expr.symbol.value
    elif isinstance(expr, ir.Name) and isinstance(expr.symbol, ir.Variable):
        return expr.symbol.value if variables else None
    elif isinstance(expr, (ir.BuiltinConstant, ir.SizeOf)):
        return expr.value
    elif isinstance(expr, (ir.Unary, ir.Binary, ir.Cast)):
        return _chain_value(expr, variables)
    elif isinstance(expr, ir.Conditional):
        chosen: ir.Expr = expr
        while isinstance(chosen, ir.Conditional):
            condition = integer_value(chosen.condition, variables)
            if condition is None:
                return None
            chosen = chosen.yes if condition else chosen.no
        value = integer_value(chosen, variables)
    return None if value is None or expr.type.kind == "float" else wrap(value, expr.type)


def float_value(expr: ir.Expr) -> float | None:
    """The value of arithmetic on floating-point constants, which a cast makes an integer's, `(int)(0.1 * SCALE)`, or a half's."""
    links: list[ir.Unary | ir.Binary | ir.Cast] = []
    while isinstance(expr, (ir.Unary, ir.Binary, ir.Cast)) and expr.type in (FLOAT, DOUBLE):
        links.append(expr)
        expr = expr.left if isinstance(expr, ir.Binary) else expr.operand
    number = expr.value if isinstance(expr, ir.Number) else expr.number if isinstance(expr, ir.BuiltinConstant) else None
    number = integer_value(expr) if number is None else number
    value = None if number is None else float(number)
    for link in reversed(links):
        if isinstance(link, ir.Binary):
            right = float_value(link.right)
            if value is None or right is None or link.op not in "+-*/" or (link.op == "/" and not right):
                return None
            value = value / right if link.op == "/" else OPERATORS[link.op](value, right)
        elif isinstance(link, ir.Unary):
            value = None if value is None else _UNARY[link.op](value)
        if value is None or not math.isfinite(value):
            return None
        if link.type == FLOAT:
            if abs(value) > _MOST_FLOAT:
                return None
            value = struct.unpack("f", struct.pack("f", value))[0]
    return value


def address_value(expr: ir.Expr) -> int | None:
    """The address, as a number, of what lies at one that the program gives as a number: `&((struct s *)0)->member` (C99 6.6.9)."""
    offset, place = 0, False  # place: expr is the object, and no pointer to it
    while True:
        if isinstance(expr, ir.Cast) and not place:
            if isinstance(expr.operand.type, Scalar):
                value = integer_value(expr.operand)
                return None if value is None else wrap(value + offset, ULONG)
            place, expr = isinstance(expr.operand.type, Array), expr.operand
        elif isinstance(expr, ir.Unary) and expr.op == ("*" if place else "&"):
            place, expr = not place, expr.operand
        elif isinstance(expr, ir.Member) and place:
            record = expr.base.type.pointee if isinstance(expr.base.type, Pointer) else expr.base.type
            within = offset_of(record, expr.name) if isinstance(record, Record) else None
            if within is None:
                return None
            offset, place, expr = offset + within, not expr.arrow, expr.base
        elif (isinstance(expr, ir.Index) and place) or (isinstance(expr, ir.Binary) and isinstance(expr.type, Pointer)):
            # The parser has the pointer on either side of a `+`.
            base, count = (expr.base, expr.index) if isinstance(expr, ir.Index) else (expr.left, expr.right)
            if isinstance(count.type, Pointer):
                base, count = count, base
            steps, each = integer_value(count), expr.type.pointee if isinstance(expr.type, Pointer) and not place else expr.type
            if steps is None or not isinstance(base.type, (Pointer, Array)):
                return None
            offset += size_of(each) * (-steps if isinstance(expr, ir.Binary) and expr.op == "-" else steps)
            place, expr = isinstance(base.type, Array), base
        else:
            return None


def _chain_value(expr: ir.Expr, variables: bool) -> int | None:
    """The value of prefixes before, or operators that lean to the left from, some other expression: however many."""
    links: list[ir.Unary | ir.Binary | ir.Cast] = []
    while isinstance(expr, (ir.Unary, ir.Binary, ir.Cast)) and isinstance(expr.type, Scalar) and expr.type.kind != "float":
        if isinstance(expr, ir.Unary) and expr.op not in _UNARY:
            return None
        links.append(expr)
        expr = expr.left if isinstance(expr, ir.Binary) else expr.operand
    if not links:
        return None
    if isinstance(links[-1], ir.Cast) and expr.type in (FLOAT, DOUBLE, HALF):
        number = float_value(expr)
        value = None if number is None or not math.isfinite(number) else int(number)
    else:
        value = integer_value(expr, variables)
    for link in reversed(links):
        if value is None:
            return None
        if isinstance(link, ir.Binary):
            right = integer_value(link.right, variables)
            value = None if right is None else OPERATORS[link.op](value, right)
        elif isinstance(link, ir.Unary):
            value = _UNARY[link.op](value)
        assert isinstance(link.type, Scalar)
        value = None if value is None else wrap(value, link.type)
    return value
