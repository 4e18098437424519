"""Which values become parts of the expressions that use them, and which get a variable.

A value without effect that is used once is written where it is used; what reads memory only where nothing between its instruction
and its use can change memory. What a loop's next turn starts with is computed before the test of whether there is one (`turns`).
Owns the decision alone.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal

from .graph import Graph
from .module import Block, Module
from .reader import Instruction

Kind = Literal["pure", "reads", "acts"]
# Where the uses by a terminator stand, and those by the phis of the blocks behind it.
LAST = 1 << 30
BEHIND = LAST + 1


class Uses:
    """kinds are the instructions' by their result, or offset."""

    def __init__(self, module: Module, graph: Graph, kinds: dict[int, Kind], short: set[int]):
        self.graph, self.kinds, self.short = graph, kinds, short
        self.count: dict[int, int] = {}
        self._user: dict[int, tuple[int, int, int]] = {}  # of a value: block, place and result of the last use
        self._position: dict[int, tuple[int, int]] = {}  # where a value is computed in the end
        self.inline: set[int] = set()
        self._acts: dict[int, list[int]] = {}
        for id in graph.order:
            self._count(graph.blocks[id])
        for id in reversed(graph.order):
            self._decide(graph.blocks[id])

    def _use(self, id: int, block: int, at: int, result: int, times: int = 1) -> None:
        self.count[id] = self.count.get(id, 0) + times
        self._user[id] = (block, at, result)

    def _count(self, block: Block) -> None:
        acting = self._acts[block.id] = []
        for phi in block.phis:
            for value, source in zip(phi.operands[::2], phi.operands[1::2], strict=False):
                if source in self.graph.number:
                    self._use(value, source, BEHIND, 0)
        for at, each in enumerate(block.body):
            if each.name.startswith("OpLifetime"):
                continue
            for id in each.ids:
                self._use(id, block.id, at, each.result)
            if self.kinds.get(each.offset) == "acts":
                acting.append(at)
        end = block.terminator
        assert end is not None
        if end.name in ("OpBranchConditional", "OpSwitch", "OpReturnValue"):
            # What stands at several places must not be computed at each.
            self._use(end.operands[0], block.id, LAST, 0, 2 if block.id in self.short else 1)

    def _decide(self, block: Block) -> None:
        for at in range(len(block.body) - 1, -1, -1):
            each = block.body[at]
            id = each.result
            if not id:
                continue
            self._position[id] = (block.id, at)
            kind = self.kinds.get(each.offset, "acts")
            if kind == "acts" or self.count.get(id) != 1:
                continue
            user_block, user_at, user = self._user[id]
            position = self._position.get(user, (user_block, user_at)) if user in self.inline else (user_block, user_at)
            if self._may_move(block, at, kind, each, position):
                self.inline.add(id)
                self._position[id] = position

    def _may_move(self, block: Block, at: int, kind: Kind, each: Instruction, to: tuple[int, int]) -> bool:
        if to[0] != block.id:
            return kind == "pure" and self.graph.loop.get(to[0]) is self.graph.loop.get(block.id)
        if to[1] == BEHIND and self.graph.may_end_loop(block.id):
            return False
        acts = self._acts[block.id]
        following = bisect_right(acts, at)
        return kind == "pure" or following == len(acts) or acts[following] >= to[1]
