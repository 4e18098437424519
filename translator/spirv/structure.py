"""From a graph of blocks to statements: ifs, loops and switches where the graph has them, gotos where it does not.

The tree of dominators gives the nesting (after N. Ramsey, "Beyond Relooper", 2022): a block that only one other leads to stands
where that one branches to it; one that several lead to stands behind the statement in which they are. What follows a statement is
reached by falling out of it, or by break and continue; what else a branch leads to gets a label. What a loop leads to stands
behind the loop, so that work-items that leave it at different times meet there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from ..ir import nodes as ir
from . import build
from .graph import Graph, Loop
from .module import Block

END = 0  # what follows the whole function


class Translator(Protocol):
    """What the structure asks of the blocks' translation."""

    def statements(self, block: Block) -> list[ir.Statement]:
        """The statements of the block's instructions, without phis and terminator."""

    def condition(self, block: Block) -> ir.Expr:
        """OpBranchConditional's."""

    def selector(self, block: Block) -> ir.Expr: ...

    def edge(self, source: int, target: int) -> list[ir.Statement]:
        """The assignments to the target's phis."""

    def leave(self, source: int, block: Block) -> list[ir.Statement]:
        """The end of a block that leads nowhere, as reached from `source`."""

    def is_empty(self, block: Block) -> bool:
        """Whether nothing of the block but its condition is left to be a statement."""

    def is_short_end(self, block: Block) -> bool:
        """Whether the block does nothing but return: it may stand at every place that leads to it."""

    def case_label(self, block: Block, value: int) -> ir.Expr: ...


@dataclass(eq=False, repr=False)
class Spot(ir.Statement):
    """Where a block begins that a goto may lead to."""

    block: int


@dataclass(frozen=True)
class Around:
    """What break and continue lead to here."""

    on_break: int | None = None
    on_continue: int | None = None


class Structure:
    def __init__(self, graph: Graph, translator: Translator):
        self.graph, self.translator = graph, translator
        self.gotos: set[int] = set()
        self.first_goto: ir.Goto | None = None
        self._short = {id for id in graph.order[1:] if id not in graph.headers and translator.is_short_end(graph.blocks[id])}
        self._after: dict[int, list[int]] = {header: [] for header in graph.headers}  # of a loop: what stands behind it
        self._behind: dict[int, int] = {}  # of a block that stands behind a loop: the loop's header
        self._place_exits()

    def statements(self) -> list[ir.Statement]:
        found = self._tree(self.graph.entry, END, Around())
        return _labelled(found, self.gotos)

    # -- what stands where -------------------------------------------------------------------------------------------

    def _place_exits(self) -> None:
        graph = self.graph
        inline: dict[int, list[int]] = {}
        for id in graph.order[1:]:
            if id in self._short:
                continue
            owner = self._left_loop(graph.idom[id], id)
            if owner is None:
                continue
            if self._is_merge(id) or self._is_natural_exit(id):
                self._after[owner.header].append(id)
                self._behind[id] = owner.header
            else:
                inline.setdefault(owner.header, []).append(id)
        for header, ids in inline.items():
            if not self._after[header]:
                self._after[header].append(ids[-1])
                self._behind[ids[-1]] = header

    def _left_loop(self, source: int, target: int) -> Loop | None:
        """The outermost loop that holds the source and not the target."""
        loop, found = self.graph.loop.get(source), None
        while loop is not None and target not in loop.blocks:
            loop, found = loop.outer, loop
        return found

    def _is_natural_exit(self, id: int) -> bool:
        source = self.graph.idom[id]
        loop = self.graph.loop[source]
        return source == loop.header or source in loop.latches

    def _is_merge(self, id: int) -> bool:
        """Whether several branches lead to the block, besides those that close a loop there."""
        return len(self.graph.forward_predecessors(id)) > 1

    def _merges(self, id: int) -> list[int]:
        return [child for child in self.graph.children[id]
                if child not in self._short and child not in self._behind and self._is_merge(child)]

    def _is_inline(self, source: int, target: int) -> bool:
        return (self.graph.idom.get(target) == source and target not in self._behind and target not in self._short
                and not self._is_merge(target) and not self.graph.is_back_edge(source, target))

    # -- trees -------------------------------------------------------------------------------------------------------

    def _tree(self, id: int, follow: int | None, around: Around, in_loop: bool = False) -> list[ir.Statement]:
        """The block and all that stands with it; falling out leads to `follow`. in_loop: its loop's statement is made already."""
        found: list[ir.Statement] = []
        while True:
            block = self.graph.blocks[id]
            pos = block.label.offset
            if id in self.graph.headers or id in self._behind or self._is_merge(id):
                found.append(Spot(pos, id))
            if id in self.graph.headers and not in_loop:
                rest = self._after[id]
                found.append(self._loop(id, rest[0] if rest else follow))
            else:
                in_loop = False
                found += self.translator.statements(block)
                inside = self._in_switch(id) if id in self.graph.switches else ()
                rest = [each for each in self._merges(id) if each not in inside]
                targets = self.graph.successors[id]
                if not rest and len(targets) == 1 and self._is_inline(id, targets[0]):
                    found += self.translator.edge(id, targets[0])
                    id = targets[0]
                    continue
                found += self._end(block, rest[0] if rest else follow, around)
            if not rest:
                return found
            for each, following in pairwise(rest):
                found += self._tree(each, following, around)
            id = rest[-1]

    def _loop(self, header: int, follow: int | None) -> ir.Statement:
        block = self.graph.blocks[header]
        pos = block.label.offset
        body = self._tree(header, header, Around(follow, header), in_loop=True)
        body = [each for each in body if not (isinstance(each, Spot) and each.block == header)]
        return looped(pos, body, block.unroll)

    def _end(self, block: Block, follow: int | None, around: Around) -> list[ir.Statement]:
        end = block.terminator
        assert end is not None
        targets = self.graph.successors[block.id]
        if not targets:
            return self.translator.leave(block.id, block)
        if len(targets) == 1:
            return self._jump(block.id, targets[0], follow, around)
        if block.id in self.graph.switches:
            return self._switch(block, follow, around)
        return self._branch(block, follow, around)

    def _jump(self, source: int, target: int, follow: int | None, around: Around) -> list[ir.Statement]:
        graph = self.graph
        found = self.translator.edge(source, target)
        pos = graph.blocks[source].terminator.offset  # type: ignore[union-attr]
        if target in self._short:
            ended = self.translator.leave(source, graph.blocks[target])
            if _is_plain_return(ended):
                if follow == END:
                    return []
                if around.on_break == END:
                    return [ir.Break(pos)]
            return ended
        if target == follow:
            return found
        if self._is_inline(source, target):
            return found + self._tree(target, follow, around)
        if target == around.on_continue:
            return [*found, ir.Continue(pos)]
        if target == around.on_break:
            return [*found, ir.Break(pos)]
        goto = ir.Goto(pos, label(target))
        self.gotos.add(target)
        self.first_goto = self.first_goto or goto
        return [*found, goto]

    # -- branches ----------------------------------------------------------------------------------------------------

    def _branch(self, block: Block, follow: int | None, around: Around) -> list[ir.Statement]:
        assert block.terminator is not None
        pos = block.terminator.offset
        condition, yes, no = self._merged_condition(block)
        taken, other = self._jump(*yes, follow, around), self._jump(*no, follow, around)
        if not taken and not other:
            return []
        if not taken or (_is_jump(other) and not _is_jump(taken)) or (_leaves(other) and not _leaves(taken)):
            condition, taken, other = build.negated(condition), other, taken
        if not other:
            return [ir.If(pos, condition, _block(pos, taken), None)]
        if _leaves(taken):
            return [ir.If(pos, condition, _block(pos, taken), None), *other]
        return [ir.If(pos, condition, _block(pos, taken), _else(pos, other))]

    def _merged_condition(self, block: Block) -> tuple[ir.Expr, tuple[int, int], tuple[int, int]]:
        """The condition and both edges, with && and || where a branch leads to nothing but another condition."""
        assert block.terminator is not None
        condition = self.translator.condition(block)
        yes, no = ((block.id, target) for target in block.terminator.operands[1:3])
        changed = True
        while changed:
            changed = False
            if (inner := self._only_condition(yes)) is not None:
                first, second = inner
                if self._same_target(second, no):
                    condition, yes, changed = _both("&&", condition, self.translator.condition(self.graph.blocks[yes[1]])), first, True
                elif self._same_target(first, no):
                    other = build.negated(self.translator.condition(self.graph.blocks[yes[1]]))
                    condition, yes, changed = _both("&&", condition, other), second, True
            if not changed and (inner := self._only_condition(no)) is not None:
                first, second = inner
                if self._same_target(first, yes):
                    condition, no, changed = _both("||", condition, self.translator.condition(self.graph.blocks[no[1]])), second, True
                elif self._same_target(second, yes):
                    other = build.negated(self.translator.condition(self.graph.blocks[no[1]]))
                    condition, no, changed = _both("||", condition, other), first, True
        return condition, yes, no

    def _only_condition(self, edge: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]] | None:
        """The edges of the block that an edge leads to, if the block is nothing but a condition that stands here."""
        id = edge[1]
        block = self.graph.blocks[id]
        end = block.terminator
        assert end is not None
        if end.name != "OpBranchConditional" or len(self.graph.successors[id]) != 2 or id in self.graph.headers:
            return None
        if not self._is_inline(edge[0], id) or self._merges(id) or not self.translator.is_empty(block):
            return None
        if self.translator.edge(*edge):
            return None
        first, second = end.operands[1:3]
        return (id, first), (id, second)

    def _same_target(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        """Whether two edges lead to one block with nothing to assign on the way."""
        return one[1] == other[1] and not self.translator.edge(*one) and not self.translator.edge(*other) and (
            not self.graph.blocks[one[1]].phis or one[1] not in self._short)

    # -- switches ----------------------------------------------------------------------------------------------------

    def _switch(self, block: Block, follow: int | None, around: Around) -> list[ir.Statement]:
        """The cases in the order of the graph, in which one that falls into another comes right before it."""
        assert block.terminator is not None
        pos, graph = block.terminator.offset, self.graph
        switch = graph.switches[block.id]
        inner = Around(follow, around.on_continue)
        literals = {target: values for values, target in switch.cases}
        inside = self._in_switch(block.id)
        targets = sorted(graph.successors[block.id], key=lambda id: (id not in inside, graph.number[id]))
        cases: list[ir.Statement] = []
        for number, target in enumerate(targets):
            last = number + 1 == len(targets)
            into = follow if last else targets[number + 1] if targets[number + 1] in inside else None
            if target in inside:
                body = self._tree(target, into, inner)
                if self._is_inline(block.id, target):
                    body = [*self.translator.edge(block.id, target), *body]
            else:
                body = self._jump(block.id, target, follow if last else None, inner)
                if not body and target not in literals:
                    continue
            labels = [ir.Case(pos, self.translator.case_label(block, value), None, []) for value in literals.get(target, ())]
            if target == switch.default:
                labels.append(ir.Case(pos, None, None, []))
            labels[-1].body.append(_block(pos, body))
            cases += labels
        return [ir.Switch(pos, self.translator.selector(block), _block(pos, cases))]

    def _in_switch(self, id: int) -> list[int]:
        """The blocks that stand as the bodies of cases. Where several branches lead to one, the last such is what follows the
        switch, and one whose phis the switch would have to set cannot be fallen into."""
        merges = self._merges(id)
        return [target for target in self.graph.successors[id] if self._is_inline(id, target)
                or (target in merges[:-1] and not self.translator.edge(id, target))]


def label(block: int) -> str:
    return f"block_{block}"


def _both(op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return ir.Binary(left.type, left.pos, op, left, right)


def _block(pos: int, statements: list[ir.Statement]) -> ir.Block:
    return ir.Block(pos, statements, pos)


def _else(pos: int, statements: list[ir.Statement]) -> ir.Statement:
    if len(statements) == 1 and isinstance(statements[0], ir.If):
        return statements[0]
    return _block(pos, statements)


def _is_plain_return(statements: list[ir.Statement]) -> bool:
    return len(statements) == 1 and isinstance(statements[0], ir.Return) and statements[0].value is None


def _is_jump(statements: list[ir.Statement]) -> bool:
    return len(statements) == 1 and isinstance(statements[0], (ir.Break, ir.Continue, ir.Goto, ir.Return))


def _leaves(statements: list[ir.Statement]) -> bool:
    """Whether control never falls out of the last statement."""
    return bool(statements) and isinstance(statements[-1], (ir.Break, ir.Continue, ir.Goto, ir.Return))


def looped(pos: int, body: list[ir.Statement], unroll: str | None) -> ir.Statement:
    """The loop around the body, with the condition where it stands first or last."""
    forever = build.boolean(True, pos)
    first = body[0] if body else None
    if isinstance(first, ir.If) and first.no is None and _only_breaks(first.yes):
        return ir.While(pos, build.negated(first.condition), _block(pos, body[1:]), unroll)
    last = body[-1] if body else None
    if isinstance(last, ir.If) and last.no is None and _only_breaks(last.yes) and not continues(body):
        return ir.DoWhile(pos, _block(pos, body[:-1]), build.negated(last.condition), unroll)
    return ir.While(pos, forever, _block(pos, body), unroll)


def _only_breaks(statement: ir.Statement) -> bool:
    return isinstance(statement, ir.Block) and len(statement.statements) == 1 and isinstance(statement.statements[0], ir.Break)


def continues(statements: list[ir.Statement]) -> bool:
    """Whether a continue of this loop, not of one inside it, is among the statements."""
    stack: list[ir.Statement] = list(statements)
    while stack:
        each = stack.pop()
        if isinstance(each, ir.Continue):
            return True
        if not isinstance(each, (ir.While, ir.DoWhile, ir.For)):
            stack += inner_statements(each)
    return False


def inner_statements(statement: ir.Statement) -> list[ir.Statement]:
    if isinstance(statement, ir.Block):
        return statement.statements
    if isinstance(statement, ir.If):
        return [statement.yes, *([statement.no] if statement.no else [])]
    if isinstance(statement, ir.Case):
        return statement.body
    if isinstance(statement, (ir.While, ir.DoWhile, ir.For, ir.Switch)):
        return [statement.body]
    return []


def each_list(statements: list[ir.Statement], visit: Callable[[list[ir.Statement]], None]) -> None:
    """Calls `visit` with the list and every list inside it, inner ones first."""
    for each in statements:
        stack = [each]
        while stack:
            inner = stack.pop()
            if isinstance(inner, ir.Block):
                each_list(inner.statements, visit)
            elif isinstance(inner, ir.Case):
                each_list(inner.body, visit)
            else:
                stack += inner_statements(inner)
    visit(statements)


def _labelled(statements: list[ir.Statement], gotos: set[int]) -> list[ir.Statement]:
    """The statements with labels where gotos lead."""

    def visit(found: list[ir.Statement]) -> None:
        found[:] = [ir.Label(each.pos, label(each.block), ir.Empty(each.pos)) if isinstance(each, Spot) else each
                    for each in found if not isinstance(each, Spot) or each.block in gotos]

    each_list(statements, visit)
    return statements
