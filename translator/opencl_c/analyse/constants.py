"""What may initialise an object of static storage: what is known when the program is compiled (specification 6.7.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....builtins import conversions
from ...ir import nodes as ir
from ...ir.constants import folded_value, wrap
from ...ir.types import Array, Pointer, Scalar
from .static_initialisers import addresses, settled
from .static_values import NoValue

if TYPE_CHECKING:
    from .scope import Unit


def constant_initialiser(unit: Unit, variable: ir.Variable, init: ir.Expr) -> ir.Expr:
    """6.7.7: what initialises an object of static storage is known when the program is compiled, by C++ too as it is given back."""
    offender = _not_constant(init)
    if offender is not None:
        unit.error(offender.pos, "initializer element is not a compile-time constant")
        return init
    try:
        pointers = addresses(init, unit.initials)
        variable.of_addresses = pointers is not None
        init = settled(init, unit.initials) if pointers is None else pointers
    except NoValue as none:
        unit.error(none.pos, none.message)
        return init
    if variable.space == "constant":
        unit.initials.of[variable] = init
    return init


def constant_of(variable: ir.Variable, init: ir.Expr) -> int | None:
    """What an array's size may name a `const` variable for, as clang has it."""
    type = variable.type
    if not variable.const or variable.volatile or not isinstance(type, Scalar) or type.kind == "float":
        return None
    value = folded_value(init)
    return None if value is None else wrap(value, type)


def _not_constant(expr: ir.Expr | None) -> ir.Expr | None:
    """The first part of the expression that is no constant; None if it is one (C99 6.6)."""
    stack = [expr]
    while stack:
        each = stack.pop()
        if isinstance(each, ir.Number):
            continue
        found = _judged(each)
        if isinstance(found, ir.Expr):
            return found
        stack += reversed(found)
    return None


def _judged(expr: ir.Expr | None) -> ir.Expr | Sequence[ir.Expr | None]:
    """The expression, if it cannot be constant, else the parts that must be."""
    if expr is None or isinstance(expr, (ir.Number, ir.String, ir.BuiltinConstant, ir.SizeOf)):
        return ()
    if isinstance(expr, ir.Cast) and isinstance(expr.operand.type, Array) and not isinstance(expr.operand, ir.String):
        return _not_addressable(expr.operand) or ()
    if isinstance(expr, ir.Cast) or (isinstance(expr, ir.Unary) and expr.op not in ("&", "*")):
        return (expr.operand,)
    if isinstance(expr, ir.Name):
        return expr if isinstance(expr.symbol, ir.Variable) and expr.symbol.space != "constant" else ()
    if isinstance(expr, ir.Unary) and expr.op == "&":
        return _not_addressable(expr.operand) or ()
    if isinstance(expr, (ir.Assign, ir.Step, ir.SetSwizzle, ir.Call, ir.BuiltinCall)):
        # clang has no constants of calls; programs were seen to count on conversions, of which C++ computes most when it compiles.
        return expr.arguments if isinstance(expr, ir.BuiltinCall) and conversions.is_constant(expr.overload) else expr
    if (isinstance(expr, ir.Unary) and expr.op == "*") or (isinstance(expr, ir.Member) and expr.arrow):
        return expr  # what lies at an address
    if isinstance(expr, (ir.InitList, ir.MakeVector)):
        return expr.items if isinstance(expr, ir.InitList) else expr.parts
    parts = ("operand", "left", "right", "condition", "yes", "no", "base", "index", "init")
    return [found for part in parts if isinstance(found := getattr(expr, part, None), ir.Expr)]


def _not_addressable(expr: ir.Expr) -> ir.Expr | None:
    """What keeps the address of an object from being constant, since it must have static storage, or lie at a constant address; None if
    nothing does."""
    while isinstance(expr, (ir.Member, ir.Index)):
        if isinstance(expr, ir.Index) and _not_constant(expr.index) is not None:
            return expr.index
        expr = expr.base
        if isinstance(expr.type, Pointer):
            return _not_constant(expr)
    if isinstance(expr, ir.Unary) and expr.op == "*":
        return _not_constant(expr.operand)
    static = isinstance(expr, ir.Name) and isinstance(expr.symbol, ir.Variable) and expr.symbol.space in ("global", "constant")
    return None if static or isinstance(expr, ir.String) else expr
