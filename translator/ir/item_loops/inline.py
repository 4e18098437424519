"""Calls of functions in which work-items meet, as the statements of these functions."""

from __future__ import annotations

import dataclasses
from typing import Any

from .. import nodes as ir
from ..types import Void
from ..walk import nodes_of
from .nodes import NotSplit
from .walk import every_statement, has_barrier, meets


class Inliner:
    """local, temporaries: the variables of these kinds that came with the functions."""

    def __init__(self) -> None:
        self.local: list[ir.Variable] = []
        self.temporaries: list[ir.Variable] = []
        self._shared: dict[ir.Variable, ir.Variable] = {}  # a function's local variables are the same in all its calls
        self._depth = 0

    def statements(self, statements: list[ir.Statement]) -> list[ir.Statement]:
        made: list[ir.Statement] = []
        for each in statements:
            made += self._statement(each) if has_barrier(each) else [each]
        return made

    def _statement(self, statement: ir.Statement) -> list[ir.Statement]:
        if isinstance(statement, ir.Evaluate):
            before, expression = self._hoisted(statement.expression)
            return before if expression is None else [*before, dataclasses.replace(statement, expression=expression)]
        if isinstance(statement, ir.Declare):
            made: list[ir.Statement] = []
            for variable, init in statement.variables:
                before, value = self._hoisted(init) if init is not None else ([], None)
                made += [*before, ir.Declare(statement.pos, [(variable, value)])]
            return made
        if isinstance(statement, ir.If):
            before, condition = self._hoisted(statement.condition)
            no = self._one(statement.no) if statement.no is not None else None
            assert condition is not None
            return [*before, dataclasses.replace(statement, condition=condition, yes=self._one(statement.yes), no=no)]
        if isinstance(statement, ir.Block):
            return [dataclasses.replace(statement, statements=self.statements(statement.statements))]
        if isinstance(statement, ir.For) and statement.init is not None and has_barrier(statement.init):
            first = self._statement(statement.init)
            return [*first, *self._statement(dataclasses.replace(statement, init=None))]
        if isinstance(statement, (ir.For, ir.While, ir.DoWhile)):
            return [dataclasses.replace(statement, body=self._one(statement.body))]
        return [statement]

    def _one(self, statement: ir.Statement) -> ir.Statement:
        if isinstance(statement, ir.Block):
            return dataclasses.replace(statement, statements=self.statements(statement.statements))
        made = self.statements([statement])
        return made[0] if len(made) == 1 else ir.Block(statement.pos, made, statement.pos)

    def _hoisted(self, expression: ir.Expr) -> tuple[list[ir.Statement], ir.Expr | None]:
        """What is to be executed before the expression, which then meets nobody: C leaves the order of operands open. None for the
        expression that was a call of a function without a result."""
        if not has_barrier(expression):
            return [], expression
        if isinstance(expression, ir.Call) and meets(expression.function):
            return self._called(expression)
        if isinstance(expression, ir.Sequence):
            first, left = self._hoisted(expression.left)
            then, right = self._hoisted(expression.right)
            before = [*first, *([ir.Evaluate(expression.pos, left)] if left is not None else []), *then]
            return before, right
        if isinstance(expression, (ir.Conditional, ir.StatementExpression)) or (
                isinstance(expression, ir.Binary) and expression.op in ("&&", "||")):
            return [], expression
        before = []
        changes: dict[str, Any] = {}
        for name, value in vars(expression).items():
            if isinstance(value, ir.Expr):
                inner, changes[name] = self._hoisted(value)
                before += inner
            elif isinstance(value, list):
                pairs = [self._hoisted(each) if isinstance(each, ir.Expr) else ([], each) for each in value]
                before += [statement for inner, _ in pairs for statement in inner]
                changes[name] = [each for _, each in pairs]
        return before, dataclasses.replace(expression, **changes)

    def _called(self, call: ir.Call) -> tuple[list[ir.Statement], ir.Expr | None]:
        function = call.function
        body = _body(function)
        before: list[ir.Statement] = []
        renamed = dict(self._shared)
        for parameter, argument in zip(function.parameters, call.arguments, strict=False):
            inner, value = self._hoisted(argument)
            renamed[parameter] = dataclasses.replace(parameter, scope="function")
            before += [*inner, ir.Declare(call.pos, [(renamed[parameter], value)])]
        for variable in function.local_variables:
            if variable not in self._shared:
                self._shared[variable] = renamed[variable] = dataclasses.replace(variable)
                self.local.append(renamed[variable])
        for variable in function.temporaries:
            renamed[variable] = dataclasses.replace(variable)
            self.temporaries.append(renamed[variable])
        result: ir.Expr | None = None
        if body and isinstance(body[-1], ir.Return):
            given, body = body[-1], body[:-1]
            if given.value is not None and not isinstance(function.result, Void):
                name = f"{function.cxx_name}_result"
                variable = ir.Variable(name, function.result, "private", call.pos, cxx_name=name)
                renamed[variable] = variable
                body = [*body, ir.Declare(given.pos, [(variable, given.value)])]
                result = ir.Name(function.result, call.pos, variable)
        if result is None and not isinstance(function.result, Void):
            raise NotSplit(f"'{function.name}' does not end with a return")
        self._depth += 1
        if self._depth > 32:
            raise NotSplit("functions that meet call each other too deeply")
        made = self.statements([_copy(each, renamed) for each in body])
        self._depth -= 1
        return [*before, *made], result


def _body(function: ir.Function) -> list[ir.Statement]:
    """Its statements, of which only the last one may be a return."""
    if function.body is None or function.first_goto is not None:
        raise NotSplit(f"'{function.name}' cannot be inlined")
    body = function.body.statements
    if any(isinstance(each, ir.Return) for each in every_statement(body[:-1])) or (
            body and not isinstance(body[-1], ir.Return) and any(isinstance(each, ir.Return) for each in every_statement(body[-1:]))):
        raise NotSplit(f"'{function.name}' meets others and returns early")
    if any(isinstance(each, (ir.BlockLiteral, ir.CallBlock, ir.Asm, ir.DeclareType)) for each in nodes_of(body)):
        raise NotSplit(f"'{function.name}' cannot be inlined")
    return body


def _copy(node: Any, renamed: dict[ir.Variable, ir.Variable]) -> Any:
    """The node anew, with variables of its own for those that it declares."""
    if isinstance(node, ir.Variable):
        return renamed.get(node, node)
    if isinstance(node, (list, tuple)):
        return type(node)(_copy(each, renamed) for each in node)
    if isinstance(node, ir.Declare):
        for variable, _ in node.variables:
            if variable not in renamed and variable.space == "private":
                renamed[variable] = dataclasses.replace(variable)
    if isinstance(node, (ir.Expr, ir.Statement)):
        return dataclasses.replace(node, **{name: _copy(value, renamed) for name, value in vars(node).items()})
    return node
