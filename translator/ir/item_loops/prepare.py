"""A kernel's body in the shape in which it can be split: declarations where variables get their first value, parameters that keep theirs.

Nodes of the representation are never changed: what differs is made anew.
"""

from __future__ import annotations

import dataclasses

from .. import nodes as ir
from ..types import Array, Pointer, Scalar
from ..walk import nodes_of
from .addresses import Addresses
from .inline import Inliner
from .walk import (
    assigned,
    every_statement,
    has_barrier,
    is_id,
    is_volatile,
    parts,
    reads_memory,
    replaced,
    target_variable,
    variables,
    writes_memory,
)  # fmt: skip

# So many nodes may an expression have that is evaluated again where its variable was named.
_SIMPLE = 12


def prepared(kernel: ir.Function, inliner: Inliner) -> tuple[list[ir.Variable], list[ir.Statement]]:
    """The parameters and the body of a function that does the same, in which no parameter is changed."""
    assert kernel.body is not None
    body = _list(inliner.statements(kernel.body.statements))
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
        return [ir.Evaluate(statement.pos, link) for each in parts(statement.expression) for link in _links(each)]
    return [_statement(statement)] if has_barrier(statement) else [statement]


def _links(expression: ir.Expr) -> list[ir.Expr]:
    """`a = b = c` as `b = c` and `a = b`."""
    found: list[ir.Expr] = []
    while isinstance(expression, ir.Assign):
        inner, value = [], expression.value
        while isinstance(value, ir.Cast) and value.implicit:
            inner.append(value)
            value = value.operand
        target = target_variable(value.target) if isinstance(value, ir.Assign) and isinstance(value.target, ir.Name) else None
        if not isinstance(value, ir.Assign) or target is None or target.volatile:
            break
        given: ir.Expr = value.target
        for cast in reversed(inner):
            given = dataclasses.replace(cast, operand=given)
        found.append(dataclasses.replace(expression, value=given))
        expression = value
    return [expression, *reversed(found)]


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
    named = list(map(variables, made))
    number = 0
    while number < len(made):
        each = made[number]
        moved = _moved(each, made, named, number) if isinstance(each, ir.Declare) else None
        if moved is None:
            number += 1
        else:
            place, declare = moved
            made[place], named[place] = declare, variables(declare)
            del made[number], named[number]
    return made


def _moved(declare: ir.Declare, statements: list[ir.Statement], named: list[set[ir.Variable]],
           number: int) -> tuple[int, ir.Declare] | None:
    """Where the variable that is declared at `number` gets its first value, and the declaration for that place; `named` are the
    variables of each statement."""
    (variable, init), = declare.variables
    if variable.space != "private" or variable.volatile or is_volatile(variable.type) or isinstance(variable.type, Array):
        return None
    if init is not None and (reads_memory(init) or writes_memory(ir.Evaluate(0, init)) or assigned(init)):
        return None
    place = next((n for n in range(number + 1, len(statements)) if variable in named[n]), None)
    assign = _assignment(statements[place]) if place is not None else None
    if place is None or assign is None or not (isinstance(assign.target, ir.Name) and assign.target.symbol is variable):
        return None
    value = _value(assign, variable, init)
    if value is None:
        return None
    if value is not assign.value and init is not None and variables(init) & assigned(statements[number:place]):
        return None
    return place, ir.Declare(statements[place].pos, [(variable, value)])


def _assignment(statement: ir.Statement) -> ir.Assign | None:
    """`a = b;`, or `if (c) a = b;` as `a = c ? b : a;`."""
    if isinstance(statement, ir.Block) and len(statement.statements) == 1:
        return _assignment(statement.statements[0])
    if isinstance(statement, ir.If) and statement.no is None:
        within = _assignment(statement.yes)
        if within is None or within.op != "=" or not isinstance(within.target, ir.Name) or not isinstance(within.type, Scalar):
            return None
        if not _is_simple(within.value) or not _is_simple(statement.condition):
            return None
        choice = ir.Conditional(within.type, statement.pos, statement.condition, within.value, within.target)
        return ir.Assign(within.type, statement.pos, "=", within.target, choice)
    if isinstance(statement, ir.Evaluate) and isinstance(statement.expression, ir.Assign):
        return statement.expression
    return None


def _value(assign: ir.Assign, variable: ir.Variable, init: ir.Expr | None) -> ir.Expr | None:
    """What the assignment gives to the variable which has held `init`; None where that cannot be said in one expression."""
    value = assign.value
    own = variable in variables(value)
    if assign.op == "=" and not own:
        return value
    if init is None or (own and not (_is_simple(value) and _is_simple(init) and isinstance(variable.type, Scalar))):
        return None
    if isinstance(variable.type, Scalar) and not (isinstance(init, ir.Name) and init.type == variable.type):
        # Beside others C++ must see the type that the variable has had.
        init = ir.Cast(variable.type, init.pos, init, False)
    if own:
        value = replaced(value, variable, init)
    if assign.op == "=":
        return value
    if isinstance(variable.type, Pointer) or assign.value.type == variable.type:
        return ir.Binary(variable.type, assign.pos, assign.op[:-1], init, value)
    return None


def _is_simple(expression: ir.Expr) -> bool:
    """Whether the expression can be evaluated anywhere, and more than once."""
    pieces = list(nodes_of(expression))
    allowed = (ir.Number, ir.Name, ir.BuiltinConstant, ir.Unary, ir.Binary, ir.Cast, ir.Conditional, ir.BuiltinCall)
    if len(pieces) > _SIMPLE or not all(isinstance(each, allowed) for each in pieces):
        return False
    return not reads_memory(expression) and not any(isinstance(each, ir.BuiltinCall) and not is_id(each) for each in pieces)
