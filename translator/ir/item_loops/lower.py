"""The spine of a kernel, with loops over the work-items between its barriers."""

from __future__ import annotations

import dataclasses

from .. import nodes as ir
from .nodes import EndItem, ItemExpression, ItemLoop
from .plan import Plan
from .walk import assigned, every_statement, is_barrier, parts, reads_memory, variables, writes_memory


class Banned(Exception):
    """These variables cannot exist once for the group: they are changed in the midst of what each work-item does by itself."""

    def __init__(self, variables: set[ir.Variable]):
        self.variables = variables


class Lowering:
    """`pending` are the statements of the region that has not ended yet. What the group itself does may go before them, unless they
    name what it changes or change what it reads."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.regions: list[ItemLoop] = []
        self.types: list[ir.DeclareType] = []  # those that the kernel defines around its barriers
        self._pending: list[ir.Statement] = []
        self._out: list[ir.Statement] = []

    def body(self, statements: list[ir.Statement]) -> list[ir.Statement]:
        outer, self._out = self._out, []
        for each in statements:
            if not self._statement(each):
                break
        self._flush()
        inner, self._out = self._out, outer
        return inner

    def _flush(self) -> None:
        if self._pending:
            self._out.append(self._region(self._pending))
            self._pending = []

    def _region(self, statements: list[ir.Statement]) -> ItemLoop:
        for each in (e for s in statements for e in every_statement([s])):
            if each in self.plan.spine:
                raise AssertionError("a statement of the spine within a region")
        if changed := assigned(statements) & self.plan.group:
            raise Banned(changed)
        self.regions.append(ItemLoop(statements[0].pos, statements))
        return self.regions[-1]

    def _statement(self, statement: ir.Statement) -> bool:
        """False where the statements behind it are never reached."""
        if isinstance(statement, ir.Declare):
            for variable, init in statement.variables:
                self._declare(variable, init, statement.pos)
        elif isinstance(statement, ir.Evaluate):
            for part in self._apart(statement.expression):
                self._evaluate(part, statement.pos)
        elif isinstance(statement, ir.Block) and self._touches_spine(statement):
            return all(map(self._statement, statement.statements))
        elif statement in self.plan.spine:
            self._control(statement)
        elif isinstance(statement, (ir.Return, ir.Break, ir.Continue)):
            self._flush()
            self._out.append(statement)
            return False
        elif isinstance(statement, ir.DeclareType):
            self.types.append(statement)
        elif not isinstance(statement, ir.Empty):
            self._pending.append(statement)
        return True

    def _touches_spine(self, block: ir.Block) -> bool:
        """Whether a block is more than a part of a region."""
        for each in every_statement([block]):
            if each in self.plan.spine or isinstance(each, ir.DeclareType):
                return True
            if self.plan.spine.issuperset(self.plan.around[each]):
                if isinstance(each, (ir.Return, ir.Break, ir.Continue)):
                    return True
                if isinstance(each, ir.Evaluate) and (is_barrier(each.expression) or assigned(each) & self.plan.group):
                    return True
                if isinstance(each, ir.Declare) and {v for v, _ in each.variables} & self.plan.group:
                    return True
        return False

    def _apart(self, expression: ir.Expr) -> list[ir.Expr]:
        """The operands of a comma, where the group evaluates some of them."""
        operands = parts(expression)
        mixed = any(is_barrier(each) or assigned(each) & self.plan.group for each in operands)
        return operands if mixed else [expression]

    def _declare(self, variable: ir.Variable, init: ir.Expr | None, pos: int) -> None:
        if variable.space != "private":
            return  # the kernel's local variables are declared first, others at program scope
        if init is not None and variable not in self.plan.group and self._may_join(variable, init):
            self.plan.group.add(variable)
        declare = ir.Declare(pos, [(variable, init)])
        if variable in self.plan.group:
            self._of_group(declare, init)
        else:
            self._pending.append(declare)

    def _may_join(self, variable: ir.Variable, init: ir.Expr) -> bool:
        return self.plan.may_join(variable, init) and not (reads_memory(init) and writes_memory(self._pending))

    def _evaluate(self, expression: ir.Expr, pos: int) -> None:
        if is_barrier(expression):
            self._flush()
        elif assigned(expression) & self.plan.group:
            self._of_group(ir.Evaluate(pos, expression), expression)
        else:
            self._pending.append(ir.Evaluate(pos, expression))

    def _of_group(self, statement: ir.Statement, expression: ir.Expr | None) -> None:
        changed = assigned(statement) | (variables(statement) if isinstance(statement, ir.Declare) else set())
        if expression is not None:
            if not self.plan.of_group(expression):
                raise Banned(changed & self.plan.group)
            if (reads_memory(expression) and writes_memory(self._pending)) or variables(self._pending) & changed:
                self._flush()
        self._out.append(statement)

    # -- control flow ------------------------------------------------------------------------------------------------

    def _control(self, statement: ir.Statement) -> None:
        if isinstance(statement, ir.For) and statement.init is not None and not self._of_head(statement.init):
            self._statement(statement.init)
            statement = dataclasses.replace(statement, init=None)
        self._flush()
        if isinstance(statement, ir.If):
            no = self._block(statement.no) if statement.no is not None else None
            self._out.append(ir.If(statement.pos, self._condition(statement.condition), self._block(statement.yes), no))
        elif isinstance(statement, ir.For):
            condition = self._condition(statement.condition) if statement.condition is not None else None
            body = self._block(statement.body)
            step = self._step(statement.step) if statement.step is not None else None
            self._out.append(ir.For(statement.pos, statement.init, condition, step, body, statement.unroll))
        else:
            assert isinstance(statement, (ir.While, ir.DoWhile))
            condition, body = self._condition(statement.condition), self._block(statement.body)
            self._out.append(dataclasses.replace(statement, condition=condition, body=body))

    def _block(self, statement: ir.Statement) -> ir.Block:
        # In reversed order a While's condition, which no region may follow, is still evaluated last.
        inner = statement.statements if isinstance(statement, ir.Block) else [statement]
        return ir.Block(statement.pos, self.body(inner), statement.pos)

    def _condition(self, condition: ir.Expr) -> ir.Expr:
        if not self.plan.of_group(condition):
            raise Banned(assigned(condition) & self.plan.group or variables(condition))
        return condition

    def _of_head(self, init: ir.Statement) -> bool:
        """Whether a loop can keep its first clause: the group evaluates all of it."""
        if isinstance(init, ir.Declare):
            return all(v in self.plan.group and (e is None or self.plan.of_group(e)) for v, e in init.variables)
        return isinstance(init, ir.Evaluate) and bool(assigned(init) & self.plan.group) and self.plan.of_group(init.expression)

    def _step(self, step: ir.Expr) -> ir.Expr | None:
        """What the group does of it, and what each of its items does, in the order of the operands."""
        made: list[ir.Expr] = []
        for part in parts(step):
            if self.plan.of_group(part) and (assigned(part) & self.plan.group):
                made.append(part)
            else:
                region = self._region([ir.Evaluate(part.pos, part)])
                made.append(ItemExpression(part.type, part.pos, region))
        result = made[0]
        for each in made[1:]:
            result = ir.Sequence(each.type, each.pos, result, each)
        return result


def end_items(body: list[ir.Statement]) -> bool:
    """Makes of returns within regions that are not the last one what they are for the group: an item that takes no more part. True if
    there are such returns."""
    order = _in_order(body, ())
    found = [n for n, (region, loops) in enumerate(order) if _returns(region.body) and (loops or n + 1 < len(order))]
    for n in found:
        region, loops = order[n]
        region.ends = True
        region.body = [_ended(each) for each in region.body]
        for later, (other, others) in enumerate(order):
            if later > n or (loops and others and others[0] is loops[0]):
                other.guarded = True
    return bool(found)


def _in_order(body: list[ir.Statement], loops: tuple[ir.Statement, ...]) -> list[tuple[ItemLoop, tuple[ir.Statement, ...]]]:
    """All regions, as they stand in the text, with the spine's loops around each."""
    found: list[tuple[ItemLoop, tuple[ir.Statement, ...]]] = []
    for each in body:
        if isinstance(each, ItemLoop):
            found.append((each, loops))
        elif isinstance(each, ir.Block):
            found += _in_order(each.statements, loops)
        elif isinstance(each, ir.If):
            found += _in_order([each.yes, *([each.no] if each.no else [])], loops)
        elif isinstance(each, (ir.For, ir.While, ir.DoWhile)):
            found += _in_order([each.body], (*loops, each))
            if isinstance(each, ir.For) and each.step is not None:
                found += [(part.loop, (*loops, each)) for part in parts(each.step) if isinstance(part, ItemExpression)]
    return found


def _returns(statements: list[ir.Statement]) -> bool:
    return any(isinstance(each, ir.Return) for each in every_statement(statements))


def _ended(statement: ir.Statement) -> ir.Statement:
    """The statement with EndItem instead of Return."""
    if not _returns([statement]):
        return statement
    if isinstance(statement, ir.Return):
        return EndItem(statement.pos)
    if isinstance(statement, ir.Block):
        return dataclasses.replace(statement, statements=[_ended(each) for each in statement.statements])
    if isinstance(statement, ir.If):
        return dataclasses.replace(statement, yes=_ended(statement.yes), no=_ended(statement.no) if statement.no else None)
    if isinstance(statement, ir.Case):
        return dataclasses.replace(statement, body=[_ended(each) for each in statement.body])
    assert isinstance(statement, (ir.For, ir.While, ir.DoWhile, ir.Switch, ir.Label))
    return dataclasses.replace(statement, body=_ended(statement.body))


