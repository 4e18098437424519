"""What a region does with the value that a variable was given before it."""

from __future__ import annotations

from enum import Enum

from .. import nodes as ir
from .nodes import EndItem
from .walk import every_statement, variables


class Fate(Enum):
    """What becomes of a variable's former value: it is still there, perhaps read, or overwritten without having been read."""

    KEPT = 0
    READ = 1
    LOST = 2


class FormerValues:
    """What becomes of variables' values in statements that do not change: what each of these names is found once."""

    def __init__(self) -> None:
        self._named: dict[ir.Expr | ir.Statement, set[ir.Variable]] = {}

    def _names(self, piece: ir.Expr | ir.Statement, variable: ir.Variable) -> bool:
        found = self._named.get(piece)
        if found is None:
            found = self._named[piece] = variables(piece)
        return variable in found

    def fate(self, variable: ir.Variable, statements: list[ir.Statement]) -> Fate:
        """What becomes of the variable's former value in the statements."""
        for each in statements:
            fate = self._statement(variable, each)
            if fate is not Fate.KEPT:
                return fate
            if isinstance(each, (ir.Return, EndItem)):
                return Fate.LOST  # nobody reads it any more
        return Fate.KEPT

    def _statement(self, variable: ir.Variable, statement: ir.Statement) -> Fate:
        if not self._names(statement, variable):
            return Fate.LOST if isinstance(statement, (ir.Return, EndItem)) else Fate.KEPT
        if isinstance(statement, ir.Block):
            return self.fate(variable, statement.statements)
        if isinstance(statement, ir.Declare):
            for each, init in statement.variables:
                if init is not None and self._names(init, variable):
                    return Fate.READ
                if each is variable:
                    return Fate.LOST
            return Fate.KEPT
        if isinstance(statement, ir.Evaluate):
            return self._expression(variable, statement.expression)
        if isinstance(statement, ir.If):
            return self._if(variable, statement)
        if isinstance(statement, ir.For):
            return self._for(variable, statement)
        if isinstance(statement, ir.While):
            fate = self._expression(variable, statement.condition)
            return fate if fate is not Fate.KEPT else self._body(variable, statement.body)
        if isinstance(statement, ir.DoWhile):
            fate = self._statement(variable, statement.body)
            if fate is Fate.LOST and not _leaves_early(statement.body):
                return fate
            read = fate is Fate.READ or self._names(statement.condition, variable)
            return Fate.READ if read else Fate.KEPT
        return Fate.READ

    def _if(self, variable: ir.Variable, statement: ir.If) -> Fate:
        fate = self._expression(variable, statement.condition)
        if fate is not Fate.KEPT:
            return fate
        otherwise = self._statement(variable, statement.no) if statement.no is not None else Fate.KEPT
        arms = [self._statement(variable, statement.yes), otherwise]
        if Fate.READ in arms:
            return Fate.READ
        return Fate.LOST if arms == [Fate.LOST, Fate.LOST] else Fate.KEPT

    def _for(self, variable: ir.Variable, statement: ir.For) -> Fate:
        if statement.init is not None:
            fate = self._statement(variable, statement.init)
            if fate is not Fate.KEPT:
                return fate
        if statement.condition is not None:
            fate = self._expression(variable, statement.condition)
            if fate is not Fate.KEPT:
                return fate
        fate = self._statement(variable, statement.body)
        if fate is Fate.READ:
            return fate
        stepped = statement.step is not None and self._names(statement.step, variable)
        return Fate.READ if stepped and (fate is Fate.KEPT or _leaves_early(statement.body)) else Fate.KEPT

    def _body(self, variable: ir.Variable, body: ir.Statement) -> Fate:
        """The fate that a loop's body brings: the loop may not run at all."""
        return Fate.READ if self._statement(variable, body) is Fate.READ else Fate.KEPT

    def _expression(self, variable: ir.Variable, expression: ir.Expr) -> Fate:
        if not self._names(expression, variable):
            return Fate.KEPT
        if isinstance(expression, ir.Sequence):
            fate = self._expression(variable, expression.left)
            return fate if fate is not Fate.KEPT else self._expression(variable, expression.right)
        if isinstance(expression, ir.Cast):
            return self._expression(variable, expression.operand)
        if isinstance(expression, ir.Assign) and expression.op == "=":
            fate = self._expression(variable, expression.value)
            if fate is not Fate.KEPT:
                return fate
            whole = isinstance(expression.target, ir.Name) and expression.target.symbol is variable
            return Fate.LOST if whole else Fate.READ
        return Fate.READ


def _leaves_early(body: ir.Statement) -> bool:
    return any(isinstance(each, (ir.Break, ir.Continue)) for each in every_statement([body]))
