"""Integer constant expressions (C99 6.6): array sizes, case labels, enumerators, attributes, the range of a literal."""

from __future__ import annotations

from . import nodes as ir
from .types import Scalar


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


def _chain_value(expr: ir.Expr, variables: bool) -> int | None:
    """The value of prefixes before, or operators that lean to the left from, some other expression: however many."""
    links: list[ir.Unary | ir.Binary | ir.Cast] = []
    while isinstance(expr, (ir.Unary, ir.Binary, ir.Cast)):
        if not isinstance(expr.type, Scalar) or (expr.type.kind == "float" or (isinstance(expr, ir.Unary) and expr.op not in _UNARY)):
            return None
        links.append(expr)
        expr = expr.left if isinstance(expr, ir.Binary) else expr.operand
    if isinstance(expr, ir.Number) and isinstance(links[-1], ir.Cast):
        value: int | None = int(expr.value) if expr.value == expr.value and abs(expr.value) != float("inf") else None
    else:
        value = integer_value(expr, variables)
    for link in reversed(links):
        if value is None:
            return None
        if isinstance(link, ir.Binary):
            right = integer_value(link.right, variables)
            value = None if right is None else _OPERATORS[link.op](value, right)
        elif isinstance(link, ir.Unary):
            value = _UNARY[link.op](value)
        assert isinstance(link.type, Scalar)
        value = None if value is None else wrap(value, link.type)
    return value
