"""Integer constant expressions: array sizes, case labels, enumerators, attributes, the range of a literal."""

from __future__ import annotations

from .. import ir
from ..types import Scalar


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


_OPERATORS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": _divide, "%": _remainder,
    "<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63), "&": lambda a, b: a & b, "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b, "<": lambda a, b: int(a < b), ">": lambda a, b: int(a > b), "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b), "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a and b)), "||": lambda a, b: int(bool(a or b)),
}  # fmt: skip
_UNARY = {"+": lambda a: a, "-": lambda a: -a, "~": lambda a: ~a, "!": lambda a: int(not a)}


def integer_value(expr: ir.Expr) -> int | None:
    """The value of an integer constant expression (C99 6.6), None for any other."""
    if not isinstance(expr.type, Scalar):
        return None
    value: int | None = None
    if isinstance(expr, ir.Number):
        if expr.type.kind != "float":
            return int(expr.value)
    elif isinstance(expr, ir.Name) and isinstance(expr.symbol, ir.Enumerator):
        return expr.symbol.value
    elif isinstance(expr, (ir.BuiltinConstant, ir.SizeOf)):
        return expr.value
    elif isinstance(expr, ir.Unary) and expr.op in _UNARY:
        operand = integer_value(expr.operand)
        value = None if operand is None else _UNARY[expr.op](operand)
    elif isinstance(expr, ir.Binary):
        left, right = integer_value(expr.left), integer_value(expr.right)
        if left is not None and right is not None:
            value = _OPERATORS[expr.op](left, right)
    elif isinstance(expr, ir.Conditional):
        condition = integer_value(expr.condition)
        value = None if condition is None else integer_value(expr.yes if condition else expr.no)
    elif isinstance(expr, ir.Cast) and expr.type.kind != "float":
        if isinstance(expr.operand, ir.Number) and isinstance(expr.operand.value, float):
            value = int(expr.operand.value)
        else:
            value = integer_value(expr.operand)
    return None if value is None or expr.type.kind == "float" else wrap(value, expr.type)
