"""Which values are the same for all work-items of a group that come by, wherever they come by.

A variable is uniform if all that it is ever given is, and if nothing that differs between work-items decides whether it is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import nodes as ir
from ..types import Array, Opaque, Pointer, Record, Scalar, Vector
from ..walk import expressions_of as all_expressions
from ..walk import nodes_of, reachable
from .addresses import Addresses
from .walk import (
    LOOPS,
    OF_GROUP,
    assignment,
    every_statement,
    expressions_of,
    has_pointer,
    is_volatile,
    statements_of,
    target_variable,
    variables,
)  # fmt: skip

# Conversions, math, integer, common, geometric and relational functions compute with their arguments alone.
_PURE = ("6.4.", "6.15.2", "6.15.3", "6.15.4", "6.15.5", "6.15.6", "6.15.13")


@dataclass(eq=False)
class Assignment:
    """value is None for ++ and --. controls are the conditions on which it depends; around the statements to which they belong."""

    variable: ir.Variable
    value: ir.Expr | None
    controls: tuple[ir.Expr, ...]
    around: tuple[ir.Statement, ...]


class Uniformity:
    """Which parameters and private variables of a kernel are uniform. `banned` are those that count as different whatever they are
    given."""

    def __init__(self, parameters: Sequence[ir.Variable], body: list[ir.Statement], addresses: Addresses, banned: set[ir.Variable]):
        self.assignments: list[Assignment] = []
        self._pure: dict[ir.Function, bool] = {}
        self._collect(body)
        declared = {v for each in every_statement(body) if isinstance(each, ir.Declare) for v, _ in each.variables}
        self.private = {v for v in (*parameters, *declared) if v.space == "private"}
        self.uniform = {v for v in self.private if _may_be_uniform(v) and v not in addresses.taken and v not in banned}
        changed = True
        while changed:
            known: dict[ir.Expr, bool] = {}
            different = {a.variable for a in self.assignments if a.variable in self.uniform and not self._keeps(a, known)}
            changed = bool(different)
            self.uniform -= different

    def _keeps(self, each: Assignment, known: dict[ir.Expr, bool]) -> bool:
        """Whether the assignment leaves its variable uniform; `known` is what was found of conditions since `uniform` changed."""
        for control in each.controls:
            if control not in known:
                known[control] = self.is_uniform(control)
            if not known[control]:
                return False
        return each.value is None or self.is_uniform(each.value)

    # -- assignments -------------------------------------------------------------------------------------------------

    def _collect(self, body: list[ir.Statement]) -> None:
        stack: list[tuple[ir.Statement, tuple[ir.Expr, ...], tuple[ir.Statement, ...]]] = [(s, (), ()) for s in body]
        while stack:
            statement, controls, around = stack.pop()
            inner, within = controls, around
            if isinstance(statement, (ir.If, ir.Switch, *LOOPS)):
                own = [each for each in expressions_of(statement) if not isinstance(statement, ir.For) or each is not statement.step]
                inner, within = (*controls, *own), (*around, statement)
                if not isinstance(statement, ir.If):
                    inner += tuple(_jump_conditions(statement))
            if isinstance(statement, ir.Declare):
                self._declared(statement, controls, around)
            loop = isinstance(statement, LOOPS)
            for expression in expressions_of(statement):
                self._within(expression, inner if loop else controls, within if loop else around)
            for each in statements_of(statement):
                first = isinstance(statement, ir.For) and each is statement.init
                stack.append((each, controls if first else inner, around if first else within))

    def _declared(self, statement: ir.Declare, controls: tuple[ir.Expr, ...], around: tuple[ir.Statement, ...]) -> None:
        for variable, init in statement.variables:
            if init is not None:
                self.assignments.append(Assignment(variable, init, controls, around))

    def _within(self, expression: ir.Expr, controls: tuple[ir.Expr, ...], around: tuple[ir.Statement, ...]) -> None:
        """What the expression assigns; operands of ?:, && and || on their conditions."""
        stack: list[tuple[object, tuple[ir.Expr, ...]]] = [(expression, controls)]
        while stack:
            each, conditions = stack.pop()
            if isinstance(each, (list, tuple)):
                stack += [(item, conditions) for item in each]
                continue
            if isinstance(each, ir.StatementExpression):
                self._collect_apart(each, conditions, around)
                continue
            if not isinstance(each, (ir.Expr, ir.Statement)):
                continue
            target = assignment(each) if isinstance(each, ir.Expr) else None
            variable = target_variable(target) if target is not None else None
            if variable is not None:
                value = value_of(each)
                whole = isinstance(target, ir.Name)
                # A component or an element at a place that differs makes the whole different.
                more = () if whole else tuple(i.index for i in nodes_of(target) if isinstance(i, ir.Index))
                self.assignments.append(Assignment(variable, value, (*conditions, *more), around))
            if isinstance(each, ir.Conditional):
                stack += [(each.condition, conditions)]
                stack += [(arm, (*conditions, each.condition)) for arm in (each.yes, each.no)]
            elif isinstance(each, ir.Binary) and each.op in ("&&", "||"):
                stack += [(each.left, conditions), (each.right, (*conditions, each.left))]
            else:
                stack += [(value, conditions) for value in vars(each).values()]

    def _collect_apart(self, expression: ir.StatementExpression, controls: tuple[ir.Expr, ...], around: tuple[ir.Statement, ...]) -> None:
        """Assignments in a statement expression are of any work-item: none of their variables is uniform."""
        differs = ir.StatementExpression(expression.type, expression.pos, [])
        for each in nodes_of(expression.body):
            target = assignment(each) if isinstance(each, ir.Expr) else None
            changed = [target_variable(target)] if target is not None else []
            changed += [v for v, _ in each.variables] if isinstance(each, ir.Declare) else []
            self.assignments += [Assignment(v, differs, controls, around) for v in changed if v is not None]

    # -- expressions -------------------------------------------------------------------------------------------------

    def is_uniform(self, expression: ir.Expr) -> bool:
        """Whether the value is the same for all that evaluate it at the same time. What memory holds counts as such where its
        address is: a value that changed between two work-items' reads, without a barrier in between, would be a race."""
        return all(map(self._may_be, all_expressions(expression)))

    def _may_be(self, each: ir.Expr) -> bool:
        """Whether the expression is uniform if its operands are."""
        if isinstance(each, ir.Name):
            return self._symbol_may_be(each.symbol)
        if isinstance(each, (ir.Index, ir.Member)) and isinstance(each.base.type, Pointer):
            return _shared(each.base.type) and not _volatile_member(each)
        if isinstance(each, ir.Index):
            array = each.base.type
            return not (isinstance(array, Array) and (array.volatile or is_volatile(array)))
        if isinstance(each, ir.Member):
            return not _volatile_member(each)
        if isinstance(each, ir.Unary) and each.op == "*":
            return isinstance(each.operand.type, Pointer) and _shared(each.operand.type)
        if isinstance(each, (ir.Assign, ir.Step)):
            target = assignment(each)
            return isinstance(target, ir.Name) and target.symbol in self.uniform
        if isinstance(each, ir.BuiltinCall):
            name = each.overload.name
            return name in OF_GROUP or (each.overload.row.section.startswith(_PURE) and not has_pointer(each))
        if isinstance(each, ir.Call):
            return self._is_pure(each.function)
        return isinstance(each, (
            ir.Number, ir.String, ir.BuiltinConstant, ir.SizeOf, ir.Unary, ir.Binary, ir.Conditional, ir.Sequence, ir.Cast, ir.Splat,
            ir.MakeVector, ir.Component, ir.Swizzle,
        ))  # fmt: skip

    def _symbol_may_be(self, symbol: ir.Symbol) -> bool:
        if not isinstance(symbol, ir.Variable):
            return isinstance(symbol, ir.Enumerator)
        if symbol.space == "private":
            return symbol in self.uniform
        return not symbol.volatile and not is_volatile(symbol.type)

    def _is_pure(self, function: ir.Function) -> bool:
        """Whether its value depends on its arguments alone, and it changes nothing else."""
        if function not in self._pure:
            self._pure[function] = all(map(_computes_only, reachable(function)))
        return self._pure[function]


def value_of(expression: ir.Expr | ir.Statement) -> ir.Expr | None:
    """The value that an assignment assigns; None for ++ and --."""
    return expression.value if isinstance(expression, (ir.Assign, ir.StoreVolatile, ir.SetSwizzle)) else None


def _may_be_uniform(variable: ir.Variable) -> bool:
    return isinstance(variable.type, (Scalar, Vector, Pointer, Record, Opaque)) and not variable.volatile and not is_volatile(variable.type)


def _shared(pointer: Pointer) -> bool:
    return pointer.space in ("global", "local", "constant") and not pointer.volatile and not is_volatile(pointer.pointee)


def _volatile_member(each: ir.Index | ir.Member) -> bool:
    if not isinstance(each, ir.Member):
        return False
    record = each.base.type.pointee if isinstance(each.base.type, Pointer) else each.base.type
    field = record.find(each.name) if isinstance(record, Record) else None
    return field is None or field.volatile


def _jump_conditions(loop: ir.Statement) -> list[ir.Expr]:
    """The conditions of the jumps that end a loop or its iteration, or leave a switch, before its time."""
    found: list[ir.Expr] = []
    stack: list[tuple[ir.Statement, tuple[ir.Expr, ...], bool, bool]] = [(s, (), True, True) for s in statements_of(loop)]
    while stack:
        statement, conditions, breaks, continues = stack.pop()
        if (isinstance(statement, ir.Break) and breaks) or (isinstance(statement, ir.Continue) and continues):
            found += conditions
        inner = conditions
        if isinstance(statement, (ir.If, ir.Switch, *LOOPS)):
            inner = (*conditions, *expressions_of(statement))
        if isinstance(statement, LOOPS):
            breaks = continues = False
        if isinstance(statement, ir.Switch):
            breaks = False
        stack += [(s, inner, breaks, continues) for s in statements_of(statement)]
    return found


def _computes_only(function: ir.Function) -> bool:
    if function.body is None or function.local_variables or function.first_goto is not None:
        return False
    if any(isinstance(p.type, Pointer) for p in function.parameters):
        return False
    for each in nodes_of(function.body):
        if isinstance(each, ir.BuiltinCall) and (has_pointer(each) or not each.overload.row.section.startswith(_PURE)):
            return False
        if isinstance(each, (ir.Asm, ir.Intrinsic, ir.CallBlock, ir.BlockLiteral)):
            return False
    return all(v.space in ("private", "constant") and not v.static for v in variables(function.body))
