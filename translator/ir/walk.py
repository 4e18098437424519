"""Walks through the representation: the expressions of a piece of it, the functions that others reach."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any

from . import nodes as ir

_Members = Callable[[Any], Iterable[object]]
_EXPRESSION, _STATEMENT = 1, 2
_WORD = re.compile(r"\w+")


def _members(kind: type) -> tuple[int, _Members | None, _Members | None]:
    """What an object of the class is (an expression, a statement, or neither), and what gives those of its members that may hold
    expressions or statements, as their declarations say: the only one, or all."""
    if issubclass(kind, (list, tuple)):
        return 0, None, iter
    if not issubclass(kind, (ir.Expr, ir.Statement)):
        return 0, None, None
    pieces = _pieces(kind.__module__)
    names = [member.name for member in dataclasses.fields(kind) if not pieces.isdisjoint(_WORD.findall(str(member.type)))]
    of = attrgetter(*names) if names else None
    return _EXPRESSION if issubclass(kind, ir.Expr) else _STATEMENT, of if len(names) == 1 else None, of if len(names) > 1 else None


@cache
def _pieces(module: str) -> frozenset[str]:
    """The names of expressions' and statements' classes, as far as they are there once the module is."""
    return frozenset(each.__name__ for each in _with_subclasses(ir.Expr, ir.Statement))


def _with_subclasses(*kinds: type) -> Iterator[type]:
    for kind in kinds:
        yield kind
        yield from _with_subclasses(*kind.__subclasses__())


class _Kinds(dict[type, tuple[int, "_Members | None", "_Members | None"]]):
    def __missing__(self, kind: type) -> tuple[int, _Members | None, _Members | None]:
        found = self[kind] = _members(kind)
        return found


_kinds = _Kinds()


def expressions_of(node: object) -> Iterator[ir.Expr]:
    """Every expression in a piece of the representation, in no particular order."""
    return _walk(node, _EXPRESSION)


def nodes_of(node: object) -> Iterator[ir.Expr | ir.Statement]:
    """Every expression and statement in a piece of the representation, in no particular order."""
    return _walk(node, _EXPRESSION | _STATEMENT)


def nodes_of_kinds(node: object, wanted: frozenset[type]) -> Iterator[Any]:
    """Every expression and statement of these very classes in a piece of the representation, in no particular order: for searches through
    all of a program, in which few of its nodes matter."""
    stack, kinds = [node], _kinds
    while stack:
        each = stack.pop()
        kind = type(each)
        _, only, several = kinds[kind]
        if several is not None:
            stack += several(each)
        elif only is not None:
            stack.append(only(each))
        if kind in wanted:
            yield each


def members_of(piece: object) -> Iterable[object]:
    """Those of its members that may hold expressions or statements; they may be lists of them."""
    _, only, several = _kinds[type(piece)]
    return several(piece) if several is not None else () if only is None else (only(piece),)


def _walk(node: object, wanted: int) -> Iterator[Any]:
    stack, kinds = [node], _kinds
    while stack:
        each = stack.pop()
        what, only, several = kinds[type(each)]
        if what & wanted:
            yield each
        if several is not None:
            stack += several(each)
        elif only is not None:
            stack.append(only(each))


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


def recursive(functions: Iterable[ir.Function]) -> Iterator[ir.Function]:
    """Each function that one of its own callees calls, where a walk of the calls meets it again."""
    state: dict[ir.Function, int] = {}
    for root in functions:
        stack = [(root, iter(root.callees))] if root not in state else []
        state.setdefault(root, 1)
        while stack:
            function, callees = stack[-1]
            callee = next(callees, None)
            if callee is None:
                state[function] = 2
                stack.pop()
            elif callee not in state:
                state[callee] = 1
                stack.append((callee, iter(callee.callees)))
            elif state[callee] == 1:
                yield callee
                state[callee] = 2
