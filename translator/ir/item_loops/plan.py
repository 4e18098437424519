"""What of a kernel is executed once for a whole work-group: the control flow around barriers, and the variables that it needs."""

from __future__ import annotations

from collections.abc import Sequence

from .. import nodes as ir
from ..walk import nodes_of
from .addresses import Addresses
from .nodes import NotSplit
from .uniform import Uniformity
from .walk import LOOPS, assigned, expressions_of, is_barrier, meets, statements_of, variables

_CONTROLS = (ir.If, ir.Switch, *LOOPS)


class Plan:
    """What the kernel is made of, as far as it concerns the group.

    spine    the control statements that are executed once for the group: those with barriers inside, or jumps that leave these
    group    the variables that exist once for the group, since the spine's conditions depend on them
    changed  the variables that are given values after their declaration
    fixed    the parameters that keep their values
    """

    def __init__(self, parameters: Sequence[ir.Variable], body: list[ir.Statement], banned: set[ir.Variable]):
        self.addresses = Addresses(body)
        self.uniformity = Uniformity(parameters, body, self.addresses, banned)
        self.around: dict[ir.Statement, tuple[ir.Statement, ...]] = {}
        self._note(body)
        self.spine: set[ir.Statement] = set()
        self.group: set[ir.Variable] = set()
        # What has another value after its declaration, and the parameters that keep theirs.
        self.changed = assigned(body) | self.addresses.taken
        self.fixed = {p for p in parameters if p.space == "private" and p not in self.changed}
        self._find()
        for statement in self.spine:
            if isinstance(statement, ir.Switch):
                raise NotSplit("a barrier in a switch")
            for condition in conditions(statement):
                if not self.uniformity.is_uniform(condition):
                    raise NotSplit("a barrier in control flow that differs between work-items")

    def _note(self, body: list[ir.Statement]) -> None:
        stack: list[tuple[ir.Statement, tuple[ir.Statement, ...]]] = [(each, ()) for each in body]
        while stack:
            statement, around = stack.pop()
            self.around[statement] = around
            if isinstance(statement, (ir.Goto, ir.Label)):
                raise NotSplit("goto")
            inner = (*around, statement) if isinstance(statement, _CONTROLS) else around
            for each in statements_of(statement):
                first = isinstance(statement, ir.For) and each is statement.init
                stack.append((each, around if first else inner))

    def _find(self) -> None:
        for statement, around in self.around.items():
            if isinstance(statement, ir.Evaluate) and is_barrier(statement.expression):
                self.spine.update(around)
            elif any(holds_barrier(expression) for expression in expressions_of(statement)):
                raise NotSplit("a barrier within an expression, or in a function that cannot be inlined")
        size = -1
        while size != len(self.spine) + len(self.group):
            size = len(self.spine) + len(self.group)
            self._add_jumps()
            self._add_variables()

    def _add_jumps(self) -> None:
        for statement, around in self.around.items():
            if isinstance(statement, (ir.Break, ir.Continue)):
                ends = (ir.Switch, *LOOPS) if isinstance(statement, ir.Break) else LOOPS
                depth = max((n for n, each in enumerate(around) if isinstance(each, ends)), default=-1)
                if depth >= 0 and around[depth] in self.spine:
                    self.spine.update(around[depth:])
            elif isinstance(statement, ir.Return):
                inner = [each for each in around if each not in self.spine]
                if all(isinstance(each, ir.If) and self.uniformity.is_uniform(each.condition) for each in inner):
                    self.spine.update(inner)

    def _add_variables(self) -> None:
        """Those that the spine's conditions name, and those that decide what they are given."""
        needed = {v for statement in self.spine for c in conditions(statement) for v in variables(c)}
        needed = {v for v in needed if v in self.uniformity.uniform and v not in self.fixed} | self.group
        for each in self.uniformity.assignments:
            if each.variable in needed:
                self.spine.update(each.around)
                if each.value is not None:
                    needed |= {v for v in variables(each.value) if v in self.uniformity.uniform and v not in self.fixed}
        self.group |= needed

    def of_group(self, expression: ir.Expr) -> bool:
        """Whether the group can evaluate the expression once for all its items."""
        private = {v for v in variables(expression) if v.space == "private"}
        return self.uniformity.is_uniform(expression) and private <= self.group | self.fixed

    def may_join(self, variable: ir.Variable, init: ir.Expr) -> bool:
        """Whether a variable declared on the spine is given one value, that of the initialiser, the same for all."""
        given = [a for a in self.uniformity.assignments if a.variable is variable]
        return len(given) == 1 and given[0].value is init and variable in self.uniformity.uniform and self.of_group(init)


def conditions(statement: ir.Statement) -> list[ir.Expr]:
    """What decides whether the statements inside are executed."""
    if isinstance(statement, ir.For):
        return [statement.condition] if statement.condition is not None else []
    return expressions_of(statement)


def holds_barrier(expression: ir.Expr) -> bool:
    return any(isinstance(each, ir.Expr) and (is_barrier(each) or (isinstance(each, ir.Call) and meets(each.function)))
               for each in nodes_of(expression))


