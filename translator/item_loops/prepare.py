"""A kernel's body in the shape in which it can be split: declarations where variables get their first value, parameters that keep theirs.

Nodes of the representation are never changed: what differs is made anew.
"""

from __future__ import annotations

import dataclasses

from .. import ir
from ..types import Array, Pointer
from .addresses import Addresses
from .walk import assigned, every_statement, has_barrier, is_volatile, parts, reads_memory, variables, writes_memory


def prepared(kernel: ir.Function) -> tuple[list[ir.Variable], list[ir.Statement]]:
    """The parameters and the body of a function that does the same, in which no parameter is changed."""
    assert kernel.body is not None
    body = _list(kernel.body.statements)
    changed = assigned(body) | Addresses(body).taken
    parameters, start = [], []
    for parameter in kernel.parameters:
        if parameter in changed:
            given = dataclasses.replace(parameter)
            start.append(ir.Declare(kernel.pos, [(parameter, ir.Name(parameter.type, kernel.pos, given))]))
            parameters.append(given)
        else:
            parameters.append(parameter)
    return parameters, _folded([*start, *body])


def _list(statements: list[ir.Statement]) -> list[ir.Statement]:
    return _folded([made for each in statements for made in _apart(each)])


def _apart(statement: ir.Statement) -> list[ir.Statement]:
    """One variable a declaration, one operand of a comma a statement."""
    if isinstance(statement, ir.Declare):
        return [ir.Declare(statement.pos, [each]) for each in statement.variables]
    if isinstance(statement, ir.Evaluate):
        return [ir.Evaluate(statement.pos, each) for each in parts(statement.expression)]
    return [_statement(statement)] if has_barrier(statement) else [statement]


def _statement(statement: ir.Statement) -> ir.Statement:
    """A statement with a barrier inside."""
    if isinstance(statement, ir.Block):
        return dataclasses.replace(statement, statements=_list(statement.statements))
    if isinstance(statement, ir.If):
        no = _statement(statement.no) if statement.no is not None else None
        return dataclasses.replace(statement, yes=_statement(statement.yes), no=no)
    if isinstance(statement, ir.DoWhile) and _is_zero(statement.condition) and not _is_left(statement.body):
        body = _statement(statement.body)
        return body if isinstance(body, ir.Block) else ir.Block(body.pos, [body], body.pos)
    if isinstance(statement, (ir.For, ir.While, ir.DoWhile)):
        return dataclasses.replace(statement, body=_statement(statement.body))
    return statement


def _is_zero(condition: ir.Expr) -> bool:
    while isinstance(condition, ir.Cast):
        condition = condition.operand
    return isinstance(condition, ir.Number) and condition.value == 0


def _is_left(body: ir.Statement) -> bool:
    return any(isinstance(each, (ir.Break, ir.Continue)) for each in every_statement([body]))


def _folded(statements: list[ir.Statement]) -> list[ir.Statement]:
    """Variables are declared where they get their first value; what is added to it before any use is part of it."""
    made = list(statements)
    number = 0
    while number < len(made):
        each = made[number]
        moved = _moved(each, made, number) if isinstance(each, ir.Declare) else None
        if moved is None:
            number += 1
        else:
            place, declare = moved
            made[place] = declare
            del made[number]
    return made


def _moved(declare: ir.Declare, statements: list[ir.Statement], number: int) -> tuple[int, ir.Declare] | None:
    """Where the variable that is declared at `number` gets its first value, and the declaration for that place."""
    (variable, init), = declare.variables
    if variable.space != "private" or variable.volatile or is_volatile(variable.type) or isinstance(variable.type, Array):
        return None
    if init is not None and (reads_memory(init) or writes_memory(ir.Evaluate(0, init)) or assigned(init)):
        return None
    place = next((n for n in range(number + 1, len(statements)) if variable in variables(statements[n])), None)
    if place is None:
        return None
    statement = statements[place]
    if not isinstance(statement, ir.Evaluate) or not isinstance(statement.expression, ir.Assign):
        return None
    assign = statement.expression
    if not (isinstance(assign.target, ir.Name) and assign.target.symbol is variable) or variable in variables(assign.value):
        return None
    if assign.op == "=":
        return place, ir.Declare(statement.pos, [(variable, assign.value)])
    if init is None or variables(init) & assigned(statements[number:place]):
        return None
    if isinstance(variable.type, Pointer) or assign.value.type == variable.type:
        value = ir.Binary(variable.type, assign.pos, assign.op[:-1], init, assign.value)
        return place, ir.Declare(statement.pos, [(variable, value)])
    return None
