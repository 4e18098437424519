"""Walks through the representation: the expressions of a piece of it, the functions that others reach."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

from . import nodes as ir

_PIECES = [name for name, kind in vars(ir).items() if isinstance(kind, type) and issubclass(kind, (ir.Expr, ir.Statement))]
_PIECE = re.compile(rf"\b({'|'.join(_PIECES)})\b")


_Members = Callable[[Any], Iterable[object]]
_known: dict[type, _Members | None] = {}


def _members(kind: type) -> _Members | None:
    """What gives, of a node of the class, the members that may hold expressions or statements, as their declarations say; None for
    what holds none."""
    if issubclass(kind, (list, tuple)):
        return iter
    if not issubclass(kind, (ir.Expr, ir.Statement)):
        return None
    names = [member.name for member in dataclasses.fields(kind) if _PIECE.search(str(member.type))]
    if len(names) > 1:
        return attrgetter(*names)
    return _only(attrgetter(names[0])) if names else lambda node: ()


def _only(of: Callable[[Any], object]) -> _Members:
    return lambda node: (of(node),)


def expressions_of(node: object) -> Iterator[ir.Expr]:
    """Every expression in a piece of the representation, in no particular order."""
    return (each for each in nodes_of(node) if isinstance(each, ir.Expr))


def nodes_of(node: object) -> Iterator[ir.Expr | ir.Statement]:
    """Every expression and statement in a piece of the representation, in no particular order."""
    stack = [node]
    while stack:
        each = stack.pop()
        kind = type(each)
        if kind not in _known:
            _known[kind] = _members(kind)
        members = _known[kind]
        if members is not None:
            if isinstance(each, (ir.Expr, ir.Statement)):
                yield each
            stack += members(each)


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
