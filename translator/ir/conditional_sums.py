"""Sums in loops to which something is added under a condition, and which stay under it.

    if (x[i] > limit) count++;          if (x[i] > limit) { count++; stays_conditional(count); }
    count += x[i] > limit;              the same

NVRTC's optimiser computes such a sum whether the condition holds or not, and then chooses between it and the old value: two instructions
where the machine has a sum under a predicate. The device library's `stays_conditional` keeps it from that. It knows nothing of the variable
from there on, so conditions that it may compute while it compiles are left alone, and so are those that it takes out of the loop. It also
keeps branches, of which the assembler makes predicates where there is one condition at a time: others are left alone, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from . import nodes as ir
from .alike import alike
from .constants import folded_value, integer_value
from .predicates import MOST_EQUALITIES, Reads, compared, is_arithmetic, is_cheap, is_place, is_predicate, is_sign, is_value
from .types import DOUBLE, INT, UINT, VOID, Pointer, Scalar
from .walk import nodes_of, nodes_of_kinds

MARKER = "stays_conditional"
MOST = 4  # statements of a branch, each of which takes the predicate
MOST_ODD = 32  # an odd number of iterations up to which a loop is unrolled whole nevertheless

_MARKED = (INT, UINT, DOUBLE)  # code for sums of float and of long is as short without
_COMPARISONS = ("<", ">", "<=", ">=", "==", "!=", "&&", "||", "!")
_NOTED = frozenset((ir.Assign, ir.Step, ir.Unary, ir.BlockLiteral, ir.Call, ir.BuiltinCall))
_NAMES = frozenset((ir.Name,))


def conditional_sums(function: ir.Function) -> dict[ir.Statement, ir.Statement]:
    """What takes the place of statements in loops of the function."""
    return _Search(function).replaced()


@dataclass(eq=False)
class _Loop:
    """changed: variables that are in it; innermost: whether it has no other loop in it; decides: whether a condition in it decides over
    more than variables; places: variables that say where something is stored; compared: what conditions compare with constants, for
    equality"""

    outer: _Loop | None
    statement: ir.For | ir.While | ir.DoWhile
    changed: set[ir.Symbol] = field(default_factory=set)
    innermost: bool = True
    decides: bool = False
    places: set[ir.Symbol] = field(default_factory=set)
    compared: Counter[Hashable] = field(default_factory=Counter)


class _Facts(NamedTuple):
    """names: the variables that an expression reads; calls: whether its value comes from elsewhere as well, a work-item's id or memory;
    reads: whether memory is read, so that it may be another each time"""

    names: set[ir.Symbol]
    calls: bool
    reads: bool


class _Change(NamedTuple):
    variable: ir.Symbol
    value: ir.Expr | None
    guard: int


class _Place(NamedTuple):
    """Where a statement is: its innermost loop; `guard`, the condition under which it is executed; `conditions`, those in the loop, if
    there is nothing else that they decide, or None."""

    loop: _Loop | None = None
    guard: int = -1
    conditions: tuple[ir.Expr, ...] | None = ()


class _Search:
    """A walk through a function: statements in its loops, and what its variables depend on."""

    def __init__(self, function: ir.Function):
        self.candidates: list[tuple[ir.Statement, ir.If, _Place]] = []  # what there is, and as an `if`
        self.evaluated: list[tuple[ir.Expr, _Place]] = []
        self.changes: list[_Change] = []
        self.guards: list[tuple[ir.Expr, int]] = []  # each condition, and where the one around it is
        self.declared: dict[ir.Symbol, _Loop | None] = {}  # the innermost loop around a declaration
        self.pointed: set[ir.Symbol] = set()  # variables that a pointer may lead to, a block, or inline assembly
        self.unknown: set[ir.Symbol] = set(function.parameters)  # variables whose values depend on more than constants
        self._walk(function.body)
        if self.candidates:
            for expr, place in self.evaluated:
                self._expression(expr, place)

    # -- the walk ----------------------------------------------------------------------------------------------------

    def _walk(self, body: ir.Statement | None) -> None:
        stack: list[tuple[ir.Statement | None, _Place]] = [(body, _Place())]
        while stack:
            each, place = stack.pop()
            if isinstance(each, ir.If):
                self.evaluated.append((each.condition, place))
                self._candidate(each, place)
                inside = self._inside(each, place)
                stack += [(each.no, inside), (each.yes, inside)]
            elif isinstance(each, ir.Evaluate):
                self.evaluated.append((each.expression, place))
                self._candidate(each, place)
            elif isinstance(each, (ir.Block, ir.Case)):
                stack += [(statement, place) for statement in (each.statements if isinstance(each, ir.Block) else each.body)]
            elif isinstance(each, ir.Label):
                stack.append((each.body, place))
            elif isinstance(each, ir.Declare):
                for variable, init in each.variables:
                    self.declared[variable] = place.loop
                    if init is not None:
                        self._change(variable, init, place)
                        self.evaluated.append((init, place))
            elif isinstance(each, ir.Switch):
                self.evaluated.append((each.value, place))
                stack.append((each.body, _Place(place.loop, self._guard(each.value, place), None)))
            elif isinstance(each, (ir.For, ir.While, ir.DoWhile)):
                if place.loop is not None:
                    place.loop.innermost = False
                inside = _Place(_Loop(place.loop, each), place.guard)
                heads = (each.condition, each.step) if isinstance(each, ir.For) else (each.condition,)
                self.evaluated += [(expr, inside) for expr in heads if expr is not None]
                stack += [(each.init if isinstance(each, ir.For) else None, place), (each.body, inside)]
            elif isinstance(each, ir.Return) and each.value is not None:
                self.evaluated.append((each.value, place))
            elif isinstance(each, ir.Asm):
                for _, output in each.outputs:
                    self.pointed.update(_names(output))

    def _candidate(self, statement: ir.If | ir.Evaluate, place: _Place) -> None:
        if place.loop is None or place.conditions is None or (conditional := _conditional(statement)) is None:
            return
        place.loop.compared.update({alike(each) for each in compared(conditional.condition)})
        if all(_sums(branch) for branch in (conditional.yes, conditional.no) if branch is not None):
            self.candidates.append((statement, conditional, place))

    def _inside(self, statement: ir.If, place: _Place) -> _Place:
        """`if (a) if (b)` is `if (a && b)`."""
        only = _statements(statement.yes)
        nested = len(only) == 1 and isinstance(only[0], ir.If) and only[0].no is None and statement.no is None
        conditions = (*place.conditions, statement.condition) if nested and place.conditions is not None else None
        return _Place(place.loop, self._guard(statement.condition, place), conditions)

    def _guard(self, condition: ir.Expr, place: _Place) -> int:
        self.guards.append((condition, place.guard))
        return len(self.guards) - 1

    def _expression(self, expr: ir.Expr, place: _Place) -> None:
        """Notes what it changes, and to what it makes pointers."""
        for each in nodes_of_kinds(expr, _NOTED):
            if isinstance(each, (ir.Assign, ir.Step)):
                target = each.target if isinstance(each, ir.Assign) else each.operand
                self._change(_root(target), each.value if isinstance(each, ir.Assign) else None, place)
                self._note_store(target, place)
            elif isinstance(each, (ir.Call, ir.BuiltinCall)):
                self._note_call(each, place)
            elif isinstance(each, ir.BlockLiteral):
                self.pointed.update(_names(each.function.body))
            elif isinstance(each, ir.Unary) and each.op == "&":
                self.pointed.update(_names(each.operand))

    def _note_store(self, target: ir.Expr, place: _Place) -> None:
        if place.loop is None or isinstance(target, ir.Name):
            return
        if isinstance(target, ir.Index):
            place.loop.places.update(_names(target))
        place.loop.decides = place.loop.decides or (place.conditions != () and is_place(target))

    def _note_call(self, call: ir.Call | ir.BuiltinCall, place: _Place) -> None:
        if place.loop is not None and place.conditions != () and any(isinstance(each.type, Pointer) for each in call.arguments):
            place.loop.decides = True

    def _change(self, variable: ir.Symbol | None, value: ir.Expr | None, place: _Place) -> None:
        if variable is None:
            return
        self.changes.append(_Change(variable, value, place.guard))
        loop = place.loop
        while loop is not None:
            loop.changed.add(variable)
            loop = loop.outer

    # -- what is replaced --------------------------------------------------------------------------------------------

    def replaced(self) -> dict[ir.Statement, ir.Statement]:
        wanted = [each for each in self.candidates if self._pays(each[1], each[2])]
        if wanted:
            self._find_unknown()
        return {statement: self._marked(each, place) for statement, each, place in wanted if self._is_open(each.condition, place)}

    def _pays(self, statement: ir.If, place: _Place) -> bool:
        """Whether it is nothing but sums, of which one can be marked, and leaves no branch."""
        assert place.conditions is not None and place.loop is not None
        loop, equalities = place.loop, compared(statement.condition)
        if loop.decides or not loop.innermost or is_sign(statement.condition) or len(equalities) > MOST_EQUALITIES:
            return False
        if any(loop.compared[alike(each)] > 1 for each in equalities):
            return False  # where one holds, none of the others does: newer optimisers branch behind them
        trips = _trips(loop.statement)
        if trips is not None and trips % 2 and trips > MOST_ODD:
            return False  # it would be unrolled in part, with a way out in the middle
        reads: Reads = set()
        if not all([is_predicate(each, reads, not index) for index, each in enumerate((*place.conditions, statement.condition))]):
            return False
        branches = [_sums(branch, reads) for branch in (statement.yes, statement.no) if branch is not None]
        if not all(branches) or not any(self._mark(branch, place) for branch in branches):
            return False
        if len(branches) == 2 and set(branches[0]) & set(branches[1]):
            return False  # one sum, of one or the other value
        names = set(_names(statement.condition))
        if any(each is not None and each in names for branch in branches for each in branch):
            return False  # `if (x >= m) x -= m`: of uint that is the lesser one of x and x - m, of int it took 1.14 of the time marked
        added = [_added(each) for branch in (statement.yes, statement.no) for each in _statements(branch)]
        return not is_arithmetic(statement.condition, added)

    def _marked(self, statement: ir.If, place: _Place) -> ir.If:
        yes, no = (self._marked_branch(branch, place) for branch in (statement.yes, statement.no))
        assert yes is not None
        return ir.If(statement.pos, statement.condition, yes, no)

    def _marked_branch(self, branch: ir.Statement | None, place: _Place) -> ir.Statement | None:
        if branch is None:
            return None
        variable = self._mark([_target(each) for each in _statements(branch)], place)
        if variable is None:
            return branch
        mark = ir.Evaluate(branch.pos, ir.Intrinsic(VOID, branch.pos, MARKER, [ir.Name(variable.type, branch.pos, variable)]))
        return ir.Block(branch.pos, [*_statements(branch), mark], branch.end if isinstance(branch, ir.Block) else branch.pos)

    def _mark(self, targets: list[ir.Variable | None], place: _Place) -> ir.Variable | None:
        """The last one of a type for which that pays, in a register, that goes on with the loop."""
        assert place.loop is not None
        excluded = self.pointed | place.loop.places
        for each in reversed(targets):
            if each is None or each.type not in _MARKED or each in excluded:
                continue
            if each.scope == "parameter" or (each in self.declared and self.declared[each] is not place.loop):
                return each
        return None

    def _is_open(self, condition: ir.Expr, place: _Place) -> bool:
        """Whether only the running program knows the condition, and it may be another each time."""
        assert place.loop is not None
        facts = _facts(condition)
        return self._is_unknown(facts) and (facts.reads or not facts.names.isdisjoint(place.loop.changed))

    # -- what is known -----------------------------------------------------------------------------------------------

    def _find_unknown(self) -> None:
        """A variable is unknown that gets an unknown value, or any where an unknown condition holds."""
        guards = [(_facts(condition), outer) for condition, outer in self.guards]
        changes = [(each.variable, _facts(each.value), each.guard) for each in self.changes]
        before = -1
        while before < len(self.unknown):
            before = len(self.unknown)
            uncertain: list[bool] = []
            for facts, outer in guards:
                uncertain.append(self._is_unknown(facts) or (outer >= 0 and uncertain[outer]))
            for variable, facts, guard in changes:
                if self._is_unknown(facts) or (guard >= 0 and uncertain[guard]):
                    self.unknown.add(variable)

    def _is_unknown(self, facts: _Facts) -> bool:
        return facts.calls or facts.reads or not facts.names.isdisjoint(self.unknown)


def _facts(expr: ir.Expr | None) -> _Facts:
    names: set[ir.Symbol] = set()
    calls = reads = False
    for each in nodes_of(expr):
        if isinstance(each, ir.Name):
            names.add(each.symbol)
            reads = reads or not is_value(each.symbol)
        elif isinstance(each, ir.BuiltinCall):
            calls = True
            reads = reads or any(isinstance(argument.type, Pointer) for argument in each.arguments)
        elif is_place(each) or isinstance(each, (ir.Call, ir.CallBlock, ir.StatementExpression, ir.Intrinsic, ir.VolatileObject)):
            reads = True
    return _Facts(names, calls, reads)


# -- loops -------------------------------------------------------------------------------------------------------------


def _trips(loop: ir.For | ir.While | ir.DoWhile) -> int | None:
    """How often the body of `for (int i = 0; i < 81; i++)` is executed."""
    if not isinstance(loop, ir.For) or not isinstance(loop.condition, ir.Binary) or not isinstance(loop.init, ir.Declare):
        return None
    (variable, init), condition = loop.init.variables[0], loop.condition
    last = folded_value(condition.right)
    first = None if init is None else folded_value(init)
    counts = isinstance(condition.left, ir.Name) and condition.left.symbol is variable
    if not counts or first is None or last is None or not isinstance(loop.step, ir.Step) or loop.step.op != "++":
        return None
    return last - first + (condition.op == "<=") if condition.op in ("<", "<=", "!=") else None


# -- sums --------------------------------------------------------------------------------------------------------------


def _conditional(statement: ir.If | ir.Evaluate) -> ir.If | None:
    """`sum += condition;` and `sum += condition ? number : 0;` as an `if`; nothing that has another `if` in its else."""
    if isinstance(statement, ir.If):
        return None if isinstance(statement.no, ir.If) else statement
    assign = statement.expression
    if not isinstance(assign, ir.Assign) or assign.op not in ("+=", "-=") or assign.target.type not in (INT, UINT):
        return None
    value = _plain(assign.value)
    added: ir.Expr = ir.Step(assign.type, assign.pos, assign.op[0] * 2, True, assign.target)
    if isinstance(value, ir.Conditional) and integer_value(value.no) == 0 and value.type in (INT, UINT):
        condition = value.condition
        if integer_value(value.yes) != 1:
            number = value.yes if value.yes.type == assign.type else ir.Cast(assign.type, assign.pos, value.yes, assign.type == UINT)
            added = ir.Assign(assign.type, assign.pos, assign.op, assign.target, number)
    elif value.type == INT and isinstance(value, (ir.Binary, ir.Unary)) and value.op in _COMPARISONS:
        condition = value
    else:
        return None
    return ir.If(statement.pos, condition, ir.Evaluate(statement.pos, added), None)


def _plain(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Cast) and expr.type in (INT, UINT) and expr.operand.type in (INT, UINT):
        expr = expr.operand
    return expr


def _statements(statement: ir.Statement | None) -> list[ir.Statement]:
    return [] if statement is None else statement.statements if isinstance(statement, ir.Block) else [statement]


def _sums(branch: ir.Statement, reads: Reads | None = None) -> list[ir.Variable | None]:
    """The variables to which the statements of a branch add something, which has to be cheap where `reads` is given; empty if they do
    anything else."""
    statements = _statements(branch)
    targets = [_target(each, reads) for each in statements]
    return [] if len(statements) > MOST or None in targets else targets


def _target(statement: ir.Statement, reads: Reads | None = None) -> ir.Variable | None:
    """As above, of one statement."""
    expr = statement.expression if isinstance(statement, ir.Evaluate) else None
    place = expr.operand if isinstance(expr, ir.Step) else expr.target if isinstance(expr, ir.Assign) and expr.op in ("+=", "-=") else None
    if not isinstance(place, ir.Name) or not isinstance(place.symbol, ir.Variable):
        return None
    if isinstance(expr, ir.Assign) and reads is not None and not is_cheap(expr.value, reads):
        return None
    variable = place.symbol
    return variable if variable.space == "private" and not variable.volatile and isinstance(variable.type, Scalar) else None


def _added(statement: ir.Statement) -> ir.Expr | None:
    """None: one, by ++ or --"""
    expr = statement.expression if isinstance(statement, ir.Evaluate) else None
    return expr.value if isinstance(expr, ir.Assign) else None


def _root(place: ir.Expr) -> ir.Symbol | None:
    """The variable of which it is a part, or which it is."""
    while isinstance(place, (ir.Component, ir.Swizzle, ir.Index)) or (isinstance(place, ir.Member) and not place.arrow):
        place = place.base
    return place.symbol if isinstance(place, ir.Name) else None


def _names(node: object) -> Iterator[ir.Symbol]:
    return (each.symbol for each in nodes_of_kinds(node, _NAMES))
