"""Integer constant expressions: array sizes, case labels, enumerators, attributes, the range of a literal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...ir import nodes as ir
from ...ir.types import Array, Scalar

if TYPE_CHECKING:
    from .scope import Unit


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
    elif isinstance(expr, (ir.Unary, ir.Binary, ir.Cast)):
        return _chain_value(expr)
    elif isinstance(expr, ir.Conditional):
        chosen: ir.Expr = expr
        while isinstance(chosen, ir.Conditional):
            condition = integer_value(chosen.condition)
            if condition is None:
                return None
            chosen = chosen.yes if condition else chosen.no
        value = integer_value(chosen)
    return None if value is None or expr.type.kind == "float" else wrap(value, expr.type)


def _chain_value(expr: ir.Expr) -> int | None:
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
        value = integer_value(expr)
    for link in reversed(links):
        if value is None:
            return None
        if isinstance(link, ir.Binary):
            right = integer_value(link.right)
            value = None if right is None else _OPERATORS[link.op](value, right)
        elif isinstance(link, ir.Unary):
            value = _UNARY[link.op](value)
        assert isinstance(link.type, Scalar)
        value = None if value is None else wrap(value, link.type)
    return value


def require_constant(unit: Unit, init: ir.Expr) -> None:
    """6.7.7: what initialises an object of static storage is known when the program is compiled."""
    offender = _not_constant(init)
    if offender is not None:
        unit.error(offender.pos, "initializer element is not a compile-time constant")


def _not_constant(expr: ir.Expr | None) -> ir.Expr | None:
    """The first part of the expression that is no constant; None if it is one (C99 6.6)."""
    stack = [expr]
    while stack:
        each = stack.pop()
        found = _judged(each)
        if isinstance(found, ir.Expr):
            return found
        stack += reversed(found)
    return None


def _judged(expr: ir.Expr | None) -> ir.Expr | Sequence[ir.Expr | None]:
    """The expression, if it cannot be constant, else the parts that must be."""
    if expr is None or isinstance(expr, (ir.Number, ir.String, ir.BuiltinConstant, ir.SizeOf)):
        return ()
    if isinstance(expr, ir.Name):
        symbol = expr.symbol
        if not isinstance(symbol, ir.Variable) or symbol.space == "constant":
            return ()
        return () if isinstance(symbol.type, Array) and symbol.scope == "program" else expr
    if isinstance(expr, ir.Unary) and expr.op == "&":
        return _not_addressable(expr.operand) or ()
    if isinstance(expr, (ir.Assign, ir.Step, ir.SetSwizzle, ir.Call, ir.BuiltinCall)):
        # A conversion of constants is one; C++ could not compute most others when it compiles either.
        conversion = isinstance(expr, ir.BuiltinCall) and expr.overload.name.startswith(("convert_", "as_"))
        return expr.arguments if conversion and isinstance(expr, ir.BuiltinCall) else expr
    if isinstance(expr, (ir.InitList, ir.MakeVector)):
        return expr.items if isinstance(expr, ir.InitList) else expr.parts
    parts = ("operand", "left", "right", "condition", "yes", "no", "base", "index", "init")
    return [getattr(expr, part) for part in parts if isinstance(getattr(expr, part, None), ir.Expr)]


def _not_addressable(expr: ir.Expr) -> ir.Expr | None:
    """Of an object whose address is taken: it must have static storage."""
    while isinstance(expr, (ir.Member, ir.Index)):
        if isinstance(expr, ir.Index) and _not_constant(expr.index) is not None:
            return expr.index
        expr = expr.base
    static = isinstance(expr, ir.Name) and isinstance(expr.symbol, ir.Variable) and expr.symbol.space in ("global", "constant")
    return None if static else expr
