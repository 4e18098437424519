"""Constants of type half (cl_khr_fp16), computed here: C++ does not know the type, so its compilers cannot.

Everything is exact until it is rounded once: a double has more than twice half's bits.
"""

from __future__ import annotations

import math
import operator
import struct

from ...ir import nodes as ir
from ...ir.constants import float_value, integer_value
from ...ir.types import DOUBLE, FLOAT, HALF, Scalar, Vector

_OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def bits_of(value: float) -> int:
    """The half nearest to the value, as its 16 bits."""
    try:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def number(value: float, pos: int, shown: str | None = None) -> ir.Number:
    """A constant, printed by its bits with the value as a comment."""
    bits = bits_of(value)
    rounded = struct.unpack("<e", struct.pack("<H", bits))[0]
    return ir.Number(HALF, pos, f"half{{{bits:#06x} /* {shown or f'{rounded!r}h'} */}}", rounded)


def rounded(expr: ir.Expr) -> ir.Expr | None:
    """A number or the negative of one, INFINITY among them, or what the compiler computes of such, as half; None for no constant."""
    if isinstance(expr, ir.Cast) and expr.implicit:
        expr = expr.operand
    negative = isinstance(expr, ir.Unary) and expr.op == "-"
    of = expr.operand if isinstance(expr, ir.Unary) and negative else expr
    if isinstance(of, ir.BuiltinConstant) and of.number is not None:
        return number(-of.number if negative else of.number, expr.pos, "-" * negative + of.name)
    if isinstance(of, ir.Number) and isinstance(of.type, Scalar):
        return number(-float(of.value) if negative else float(of.value), expr.pos)
    value = float_value(expr) if expr.type in (FLOAT, DOUBLE) else integer_value(expr)
    return None if value is None else number(float(value), expr.pos)


def negated(operand: ir.Expr, op: str) -> ir.Expr | None:
    if op == "-" and isinstance(operand, ir.Number) and operand.type == HALF:
        return number(-operand.value, operand.pos)
    if op == "-" and isinstance(operand.type, Vector) and (values := _components(operand, operand.type.width)):
        return ir.MakeVector(operand.type, operand.pos, [number(-value, operand.pos) for value in values])
    return None


def _components(expr: ir.Expr, width: int) -> list[float] | None:
    """The values of a constant vector's components, or of a number beside a vector; None for what is no constant of half."""
    if isinstance(expr, ir.Splat):
        return _components(expr.operand, width)
    parts = expr.parts if isinstance(expr, ir.MakeVector) else [expr] * width
    numbers = [part for part in parts if isinstance(part, ir.Number) and part.type == HALF]
    return [float(each.value) for each in numbers] if len(numbers) == width else None


def computed(op: str, left: ir.Expr, right: ir.Expr, pos: int) -> ir.Expr | None:
    """The value of an operation on two constants."""
    vector = left.type if isinstance(left.type, Vector) else right.type
    if isinstance(vector, Vector) and vector.element == HALF and op in (*_OPERATORS, "/"):
        a, b = _components(left, vector.width), _components(right, vector.width)
        parts = [computed(op, number(x, pos), number(y, pos), pos) for x, y in zip(a or (), b or (), strict=bool(a and b))]
        return ir.MakeVector(vector, pos, [p for p in parts if p]) if parts and all(parts) else None
    if not (isinstance(left, ir.Number) and isinstance(right, ir.Number) and left.type == HALF == right.type):
        return None
    if op == "/" and right.value and math.isfinite(left.value):
        return number(left.value / right.value, pos)
    return number(_OPERATORS[op](left.value, right.value), pos) if op in _OPERATORS else None
