"""Conditions of which CUDA's assembler makes a predicate, and sums under one that the optimiser computes better without."""

from __future__ import annotations

from collections.abc import Hashable

from . import nodes as ir
from .alike import alike
from .constants import integer_value
from .speculation import speculated
from .types import INT, Array
from .walk import nodes_of

MOST_NODES = 16  # of what is evaluated in vain: of more a branch may be left
MOST_EQUALITIES = 2  # with constants: of more the optimiser makes a switch

_LOGICAL = ("&&", "||")
_CHEAP = frozenset(("fabs", "fmin", "fmax", "abs", "min", "max"))

Reads = set[Hashable]


def is_predicate(condition: ir.Expr, reads: Reads, first: bool) -> bool:
    """Whether the operands of && and || in a condition, but for the first of all, may as well be evaluated in vain. `reads`: what is read
    without a condition."""
    condition = speculated(condition)
    if isinstance(condition, ir.Unary) and condition.op == "!":
        return is_predicate(condition.operand, reads, first)
    if isinstance(condition, ir.Binary) and condition.op in _LOGICAL:
        operands: list[ir.Expr] = []
        while isinstance(condition, ir.Binary) and condition.op in _LOGICAL:
            operands.append(condition.right)
            condition = condition.left
        return is_predicate(condition, reads, first) and all([is_predicate(each, reads, False) for each in reversed(operands)])
    if first:
        reads.update(filter(None, map(_place_read, nodes_of(condition))))
        return not any(map(_branches, nodes_of(condition)))
    return is_cheap(condition, reads)


def _branches(node: ir.Expr | ir.Statement) -> bool:
    return isinstance(node, ir.Conditional) or (isinstance(node, ir.Binary) and node.op in _LOGICAL)


def _place_read(expr: ir.Expr | ir.Statement) -> Hashable:
    """What tells a place in memory, or in an array, apart that is read; None for other expressions."""
    return alike(expr) if isinstance(expr, ir.Expr) and is_place(expr) else None


def is_place(expr: ir.Expr | ir.Statement) -> bool:
    return isinstance(expr, ir.Index) or (isinstance(expr, ir.Member) and expr.arrow) or (isinstance(expr, ir.Unary) and expr.op == "*")


def is_cheap(expr: ir.Expr, reads: Reads) -> bool:
    """Whether a branch around it would be no gain: it is short, and reads what has been read."""
    nodes = list(nodes_of(expr))
    return len(nodes) <= MOST_NODES and all(_is_cheap_node(each, reads) for each in nodes)


def _is_cheap_node(node: ir.Expr | ir.Statement, reads: Reads) -> bool:
    if isinstance(node, ir.Name):
        return is_value(node.symbol) or isinstance(node.type, Array)
    if is_place(node):
        return _place_read(node) in reads
    if isinstance(node, ir.Binary):
        return node.op not in ("/", "%", *_LOGICAL)
    if isinstance(node, ir.BuiltinCall):
        return node.overload.name in _CHEAP
    if isinstance(node, ir.Unary):
        return node.op != "&"
    return isinstance(node, (ir.Number, ir.BuiltinConstant, ir.SizeOf, ir.Cast, ir.Splat, ir.Component, ir.Swizzle, ir.Member))


def is_sign(condition: ir.Expr) -> bool:
    """Whether it is whether an integer is negative, the bit of which can be added as it is."""
    return (isinstance(condition, ir.Binary) and condition.op == "<" and condition.left.type == INT and integer_value(condition.right) == 0
            and not (isinstance(condition.left, ir.Binary) and condition.left.op in ("+", "-")))


def compared(condition: ir.Expr) -> list[ir.Expr]:
    """What it compares with constants, for equality."""
    equalities = (each for each in nodes_of(condition) if isinstance(each, ir.Binary) and each.op in ("==", "!="))
    return [each.left for each in equalities if integer_value(each.right) is not None]


def is_arithmetic(condition: ir.Expr, added: list[ir.Expr | None]) -> bool:
    """Whether what is added is the very bit that the condition asks for: the lowest, or its opposite, or `k` where `x & k`."""
    while True:
        if isinstance(condition, ir.Cast) or (isinstance(condition, ir.Unary) and condition.op == "!"):
            condition = condition.operand
        elif isinstance(condition, ir.Binary) and condition.op in ("==", "!=") and integer_value(condition.right) in (0, 1):
            condition = condition.left
        else:
            break
    if not isinstance(condition, ir.Binary) or condition.op not in ("&", "%"):
        return False
    sides = (condition.left, condition.right) if condition.op == "&" else (condition.right,)
    if any(integer_value(side) == (1 if condition.op == "&" else 2) for side in sides):
        return all(each is None or integer_value(each) == 1 for each in added)
    return condition.op == "&" and any(each is not None and alike(each) in map(alike, sides) for each in added)


def is_value(symbol: ir.Symbol) -> bool:
    return not isinstance(symbol, ir.Variable) or (symbol.space in ("private", "constant") and not symbol.volatile)
