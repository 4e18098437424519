"""What an edge of the graph sets: the phis of the block that it leads to, all from what was before."""

from __future__ import annotations

import copy
from collections.abc import Callable

from ..ir import nodes as ir
from ..ir.walk import expressions_of

Pending = list[tuple[ir.Variable, ir.Expr]]


def in_parallel(pending: Pending, copy_of: Callable[[ir.Variable], ir.Variable]) -> list[ir.Assign]:
    """Assignments that all read what was before: in an order in which none destroys what another reads, else by way of a copy, in the
    variable that `copy_of` gives."""
    found: list[ir.Assign] = []

    def assign(variable: ir.Variable, value: ir.Expr) -> None:
        found.append(ir.Assign(variable.type, value.pos, "=", ir.Name(variable.type, value.pos, variable), value))

    read = [{e.symbol for e in expressions_of(value) if isinstance(e, ir.Name)} for _, value in pending]
    while pending:
        for at, (variable, value) in enumerate(pending):
            if not any(variable in names for other, names in enumerate(read) if other != at):
                assign(variable, value)
                del pending[at], read[at]
                break
        else:
            variable, value = pending[0]
            before = copy_of(variable)
            assign(before, ir.Name(variable.type, before.pos, variable))
            pending = [(target, _renamed(value, variable, before)) for target, value in pending]
            read = [{before if symbol is variable else symbol for symbol in names} for names in read]
    return found


def _renamed(value: ir.Expr, old: ir.Variable, new: ir.Variable) -> ir.Expr:
    """The expression with another variable in a variable's place."""
    if isinstance(value, ir.Name):
        return ir.Name(value.type, value.pos, new) if value.symbol is old else value
    if not any(isinstance(e, ir.Name) and e.symbol is old for e in expressions_of(value)):
        return value
    made = copy.copy(value)
    for key, part in vars(value).items():
        if isinstance(part, ir.Expr):
            part = _renamed(part, old, new)
        elif isinstance(part, list):
            part = [_renamed(p, old, new) if isinstance(p, ir.Expr) else p for p in part]
        setattr(made, key, part)
    return made
