"""Walks through the representation: the expressions of a piece of it, the functions that others reach."""

from __future__ import annotations

from collections.abc import Iterator

from . import nodes as ir


def expressions_of(node: object) -> Iterator[ir.Expr]:
    """Every expression in a piece of the representation, in no particular order."""
    return (each for each in nodes_of(node) if isinstance(each, ir.Expr))


def nodes_of(node: object) -> Iterator[ir.Expr | ir.Statement]:
    """Every expression and statement in a piece of the representation, in no particular order."""
    stack = [node]
    while stack:
        each = stack.pop()
        if isinstance(each, (ir.Expr, ir.Statement)):
            yield each
        if isinstance(each, (list, tuple)):
            stack += each
        elif isinstance(each, (ir.Expr, ir.Statement)):
            stack += vars(each).values()


def statements_of(function: ir.Function) -> Iterator[ir.Statement]:
    """Every statement of a function and of the blocks in it, in the order of the text."""
    stack: list[object] = [function.body]
    while stack:
        each = stack.pop()
        if isinstance(each, ir.Statement):
            yield each
        if isinstance(each, ir.BlockLiteral):
            stack.append(each.function.body)
        if isinstance(each, (list, tuple)):
            stack += reversed(each)
        elif isinstance(each, (ir.Expr, ir.Statement)):
            stack += reversed(list(vars(each).values()))


def reachable(*functions: ir.Function, launches: bool = False) -> set[ir.Function]:
    """The functions and all that they call; and, if so wanted, the blocks that they enqueue and all that those call."""
    seen, stack = set(functions), list(functions)
    while stack:
        function = stack.pop()
        for callee in [*function.callees, *function.launches] if launches else function.callees:
            if callee not in seen:
                seen.add(callee)
                stack.append(callee)
    return seen
