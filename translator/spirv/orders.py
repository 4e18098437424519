"""Which of two integers is the greater one: what comparisons say, and what is known of it on an edge of a function's graph.

An id has one value from one pass of its instruction to the next, and what a branch found stays known wherever the branch's edge
dominates, as the branch is passed again before either value can be another one.
"""

from __future__ import annotations

from typing import NamedTuple

from .constants import Constants
from .graph import Graph
from .module import Module

_MOST_BLOCKS = 100  # that are looked at, from an edge upwards: a branch that says something of a loop's count is near the loop
_COMPARISONS = frozenset(f"Op{sign}{order}" for sign in "SU" for order in ("LessThan", "LessThanEqual", "GreaterThan", "GreaterThanEqual"))


class Order(NamedTuple):
    """low + gap <= high, of the values of two ids as integers with or without a sign that do not wrap; gap is 0 or 1."""

    low: int
    high: int
    gap: int
    signed: bool


class Orders:
    def __init__(self, module: Module, constants: Constants, graph: Graph):
        self.module, self.constants, self.graph = module, constants, graph

    def holds(self, wanted: Order, source: int, target: int) -> bool:
        """Whether the order is known when the edge is taken: of constants, or from a branch that led there."""
        if self._follows(wanted, Order(wanted.low, wanted.low, 0, wanted.signed)):
            return True
        if not wanted.signed and not wanted.gap and self.number(wanted.low, False) == 0:
            return True
        if source not in self.graph.number:
            return False
        edge: tuple[int, int] | None = (source, target)
        for _ in range(_MOST_BLOCKS):
            known = self.on_edge(*edge, taken=True) if edge is not None else None
            if known is not None and self._follows(wanted, known):
                return True
            if source == self.graph.entry:
                return False
            # Every way goes through what dominates the source, and by the edge into it if that is the only one.
            above = self.graph.predecessors[source]
            edge = (above[0], source) if len(above) == 1 else None
            source = self.graph.idom[source]
        return False

    def on_edge(self, source: int, target: int, *, taken: bool) -> Order | None:
        """What the branch at the source's end says of two integers if it leads to the target, or if it does not."""
        end = self.graph.blocks[source].terminator
        assert end is not None
        if end.name != "OpBranchConditional" or end.operands[1] == end.operands[2]:
            return None
        return self.of_test(end.operands[0], (end.operands[1] == target) == taken)

    def of_test(self, id: int, holds: bool) -> Order | None:
        """The order that is the same as that the comparison holds, or that it does not."""
        test = self.module.defined.get(id)
        if test is not None and test.name in _COMPARISONS:
            low, high = test.operands[::-1] if "Greater" in test.name else test.operands
            gap, signed = int(not test.name.endswith("Equal")), test.name.startswith("OpS")
            return Order(low, high, gap, signed) if holds else Order(high, low, 1 - gap, signed)
        if test is not None and test.name == ("OpINotEqual" if holds else "OpIEqual"):
            # 0 is less than every other integer without a sign.
            for zero, other in (test.operands, test.operands[::-1]):
                if self.number(zero, False) == 0:
                    return Order(zero, other, 1, False)
        return None

    def _follows(self, wanted: Order, known: Order) -> bool:
        """Whether an order follows from one that is known, whose ends are the same ids, or constants beside constants."""
        below, above = self._distance(wanted.low, known.low, wanted.signed), self._distance(known.high, wanted.high, wanted.signed)
        return wanted.signed == known.signed and below is not None and above is not None and below + above + wanted.gap <= known.gap

    def _distance(self, one: int, other: int, signed: bool) -> int | None:
        """one - other, where it is known."""
        if one == other:
            return 0
        first, second = self.number(one, signed), self.number(other, signed)
        return None if first is None or second is None else first - second

    # -- numbers -----------------------------------------------------------------------------------------------------

    def number(self, id: int, signed: bool) -> int | None:
        """The value of a constant integer; None for all else."""
        found, bits = self.module.defined.get(id), self._bits(id)
        if found is None or found.name not in ("OpConstant", "OpConstantNull") or not bits:
            return None
        value = self.constants.integer(id, found)
        return value - (1 << bits) if signed and value >> (bits - 1) else value

    def is_sum(self, id: int, value: int, step: int) -> bool:
        """Whether the one id is the other and the step, in the integer's bits."""
        sum, number = self.number(id, False), self.number(value, False)
        if sum is not None and number is not None:
            return (number + step - sum) % (1 << self._bits(id)) == 0
        found = self.module.defined.get(id)
        if found is None or found.name not in ("OpIAdd", "OpISub"):
            return False
        first, second = found.operands
        if first == value and self.number(second, True) == (step if found.name == "OpIAdd" else -step):
            return True
        return found.name == "OpIAdd" and second == value and self.number(first, True) == step

    def _bits(self, id: int) -> int:
        """How many an integer has; 0 for what is none."""
        found = self.module.defined.get(id)
        type = self.module.defined.get(found.type) if found is not None else None
        return type.operands[0] if type is not None and type.name == "OpTypeInt" else 0
