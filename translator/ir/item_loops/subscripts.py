"""Subscripts in 64 bits.

Signed arithmetic wraps in programs for the host device, and where an address follows from arithmetic that may wrap, the compiler
cannot see that the next work-item's is the next element. A subscript of `int` arithmetic that overflows has no meaning in C (C99 6.5
paragraph 5), so it is computed in `long`, through the variables that hold parts of it and are given no other value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from .. import nodes as ir
from ..types import INT, LONG, Scalar

# Expressions that C++ gives the type which they have.
_OF_OWN_TYPE = (ir.Name, ir.Index, ir.Member, ir.Component, ir.Call, ir.BuiltinCall)
# So many nodes at most, that texts stay within bounds where variables stand for long expressions.
_LIMIT = 60


_WIDENED = (ir.Binary, ir.Unary, ir.BuiltinCall)


class Subscripts:
    """values: what the variables hold that are given one value only."""

    def __init__(self, values: Mapping[ir.Variable, ir.Expr]):
        self._values = values
        self._left = 0

    def wide(self, index: ir.Expr) -> ir.Expr:
        """The subscript, or the number that is added to a pointer, as an expression of type long; others as they are."""
        if index.type != INT or isinstance(index, ir.Number):
            return index
        self._left = _LIMIT
        wide = self._wide(index)
        unchanged = isinstance(wide, ir.Cast) and (wide.operand is index or not isinstance(self._meant(index), _WIDENED))
        return index if self._left < 0 or unchanged else wide

    def _wide(self, expression: ir.Expr) -> ir.Expr:
        self._left -= 1
        if self._left < 0:
            return expression
        inner = self._meant(expression)
        if isinstance(inner, ir.Number):
            return inner
        if isinstance(inner, ir.Binary) and inner.type == INT and inner.op in ("+", "-", "*"):
            return ir.Binary(LONG, inner.pos, inner.op, self._wide(inner.left), self._wide(inner.right))
        if isinstance(inner, ir.Unary) and inner.type == INT and inner.op in ("+", "-"):
            return dataclasses.replace(inner, type=LONG, operand=self._wide(inner.operand))
        if not isinstance(inner, _OF_OWN_TYPE):
            # What is converted without a word would be widened from the type before.
            inner = ir.Cast(inner.type, inner.pos, inner.operand if isinstance(inner, ir.Cast) else inner, False)
        return ir.Cast(LONG, inner.pos, inner, False)

    def _meant(self, expression: ir.Expr) -> ir.Expr:
        """Behind conversions that keep a value which fits, and behind variables."""
        while True:
            if isinstance(expression, ir.Cast) and expression.type == INT and _is_64(expression.operand):
                expression = expression.operand
            elif isinstance(expression, ir.Name) and isinstance(expression.symbol, ir.Variable) and expression.symbol in self._values:
                value = self._values[expression.symbol]
                if not _may_wrap(value):
                    return expression
                expression = value
            else:
                return expression


def _is_64(expression: ir.Expr) -> bool:
    type = expression.type
    return isinstance(type, Scalar) and type.kind == "int" and type.size == 8


def _may_wrap(value: ir.Expr) -> bool:
    """Whether the compiler cannot tell that the value fits into 32 bits. It can of local ids, which it counts itself."""
    while isinstance(value, ir.Cast):
        value = value.operand
    return isinstance(value, (ir.Binary, ir.Name)) or (isinstance(value, ir.BuiltinCall) and value.overload.name == "get_global_id")
