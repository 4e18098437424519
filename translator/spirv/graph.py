"""The graph of a function's blocks: order, dominators, loops.

Dominators as Cooper, Harvey and Kennedy compute them ("A Simple, Fast Dominance Algorithm"); a loop is what reaches a back edge
without passing the block that it leads to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .module import Block, FunctionBody, Module
from .reader import Instruction


@dataclass(eq=False)
class Loop:
    """header dominates all blocks of the loop; outer is the loop around it."""

    header: int
    blocks: set[int]
    latches: list[int]
    outer: Loop | None = None


@dataclass(eq=False)
class Switch:
    """What an OpSwitch says: (literals, target) of each target but the default one."""

    selector: int
    default: int
    cases: list[tuple[list[int], int]] = field(default_factory=list)


def switch_of(terminator: Instruction, bits: int) -> Switch:
    """3.49.17: a literal has as many words as the selector's type."""
    selector, default, *words = terminator.operands
    step = 3 if bits > 32 else 2
    if len(words) % step:
        raise terminator.fail("its literals and labels do not come in pairs")
    targets: dict[int, list[int]] = {}
    seen: set[int] = set()
    for at in range(0, len(words), step):
        value = words[at] if step == 2 else words[at] | words[at + 1] << 32
        value &= (1 << bits) - 1
        if value in seen:
            raise terminator.fail(f"it has two cases {value}")
        seen.add(value)
        targets.setdefault(words[at + step - 1], []).append(value)
    return Switch(selector, default, [(values, target) for target, values in targets.items()])


class Graph:
    """The blocks that can be reached.

    order           blocks in reverse postorder, which puts a block before those that it leads to, but for back edges
    number          a block's place in `order`
    successors, predecessors    without doubles
    idom            the immediate dominator; children the opposite of it, in order
    loop            the innermost loop of a block
    """

    def __init__(self, module: Module, function: FunctionBody, selector_bits: dict[int, int]):
        self.blocks: dict[int, Block] = {block.id: block for block in function.blocks}
        self.switches: dict[int, Switch] = {}
        self.successors: dict[int, list[int]] = {}
        for block in function.blocks:
            self.successors[block.id] = self._targets(block, selector_bits)
        self.entry = function.blocks[0].id
        self.order = self._order()
        self.number = {id: number for number, id in enumerate(self.order)}
        self.predecessors: dict[int, list[int]] = {id: [] for id in self.order}
        for id in self.order:
            for target in self.successors[id]:
                self.predecessors[target].append(id)
        if self.predecessors[self.entry]:
            raise self.blocks[self.entry].label.fail("a branch leads to the function's first block")
        self.idom = self._dominators()
        self.children: dict[int, list[int]] = {id: [] for id in self.order}
        for id in self.order[1:]:
            self.children[self.idom[id]].append(id)
        self._depths()
        self.headers: dict[int, Loop] = {}
        self.loop: dict[int, Loop] = {}
        self._find_loops()

    def _targets(self, block: Block, selector_bits: dict[int, int]) -> list[int]:
        end = block.terminator
        assert end is not None
        if end.name == "OpBranch":
            found = [end.operands[0]]
        elif end.name == "OpBranchConditional":
            found = end.operands[1:3]
        elif end.name == "OpSwitch":
            switch = self.switches[block.id] = switch_of(end, selector_bits[block.id])
            found = [*(target for _, target in switch.cases), switch.default]
        else:
            found = []
        for target in found:
            if target not in self.blocks:
                raise end.fail(f"id {target} is no block of the function")
        return list(dict.fromkeys(found))

    def _order(self) -> list[int]:
        seen, post = {self.entry}, []
        stack = [(self.entry, iter(reversed(self.successors[self.entry])))]
        while stack:
            id, targets = stack[-1]
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    stack.append((target, iter(reversed(self.successors[target]))))
                    break
            else:
                post.append(id)
                stack.pop()
        return post[::-1]

    def _dominators(self) -> dict[int, int]:
        idom = {self.entry: self.entry}
        number = self.number
        changed = True
        while changed:
            changed = False
            for id in self.order[1:]:
                new: int | None = None
                for each in self.predecessors[id]:
                    if each in idom:
                        new = each if new is None else self._common(each, new, idom, number)
                assert new is not None
                if idom.get(id) != new:
                    idom[id] = new
                    changed = True
        return idom

    @staticmethod
    def _common(a: int, b: int, idom: dict[int, int], number: dict[int, int]) -> int:
        while a != b:
            while number[a] > number[b]:
                a = idom[a]
            while number[b] > number[a]:
                b = idom[b]
        return a

    def _depths(self) -> None:
        """Numbers that nest in the dominator tree, so that `dominates` need not walk."""
        self._enter: dict[int, int] = {}
        self._leave: dict[int, int] = {}
        clock, stack = 0, [(self.entry, False)]
        while stack:
            id, done = stack.pop()
            clock += 1
            if done:
                self._leave[id] = clock
                continue
            self._enter[id] = clock
            stack.append((id, True))
            stack += [(child, False) for child in self.children[id]]

    def dominates(self, a: int, b: int) -> bool:
        return self._enter[a] <= self._enter[b] and self._leave[b] <= self._leave[a]

    def is_back_edge(self, source: int, target: int) -> bool:
        """Whether the edge closes a loop of one entry."""
        return self.number[target] <= self.number[source] and self.dominates(target, source)

    def may_end_loop(self, id: int) -> bool:
        """Whether the block's branch leads to the next turn of a loop, or elsewhere."""
        loop = self.loop.get(id)
        return loop is not None and id in loop.latches and len(self.successors[id]) > 1

    def _find_loops(self) -> None:
        for header in self.order:
            latches = [id for id in self.predecessors[header] if self.is_back_edge(id, header)]
            if latches:
                self.headers[header] = Loop(header, self._body(header, latches), latches)
        # In this order outer loops come first.
        for header in self.order:
            loop = self.headers.get(header)
            if loop is not None:
                loop.outer = self.loop.get(header)
                for id in loop.blocks:
                    self.loop[id] = loop

    def _body(self, header: int, latches: Iterable[int]) -> set[int]:
        found, stack = {header}, list(latches)
        while stack:
            id = stack.pop()
            if id not in found:
                found.add(id)
                stack += self.predecessors[id]
        return found

    def forward_predecessors(self, id: int) -> list[int]:
        return [each for each in self.predecessors[id] if not self.is_back_edge(each, id)]
