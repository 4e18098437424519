"""Behind a loop its counter, where the module has the limit that the counter has reached there.

Compilers know that `while (n < limit && ...) n++;` has counted to `limit` where it ends by its count, and give what follows that
instead of `n`. It is one more value to keep in a register, and to move there in every turn: a Mandelbrot kernel's loop had 12
instructions in NVRTC's code for sm_90 then, and 11 with the counter. Where a test for equality ends the loop, NVRTC makes the limit
of the counter by itself, so that those are left alone.

What the test X < B at the end of a block S (or X > B, of a loop that counts down), which ends the loop L where it is false, has
compared is known then, where all of this holds. P is a phi of L's header that gets N = P + 1 from every block that closes L; X is N or
P; B is not computed in L; S dominates every block that closes L; P starts with the value I. P, N and B do not change between one pass
of the header and the next.

    I < B is known (for X = P: I <= B)    Then X == B. For X = N: P < B at the header, at first as I < B, in a next turn as P is the N of a
                                          turn that passed S and went on. So N = P + 1 <= B without a wrap, and where N < B is false
                                          N == B. For X = P: P <= B at the header, at first as I <= B, in a next turn as P + 1 of a turn
                                          in which P < B. Where P < B is false P == B, and N == B + 1 in the integer's bits.
    I is a constant                       Then X == max(B, F), where F is the first X: I + 1, which does not wrap, or I. If the first test
                                          is false, B <= F == X. Otherwise F < B, so that the first case holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .constants import Constants
from .graph import Graph, Loop
from .module import Module
from .orders import Order, Orders
from .reader import Instruction


class _Test(NamedTuple):
    """A loop goes on while `tested` is less than `bound`, counting up (step 1), or greater, counting down (-1)."""

    tested: int
    bound: int
    step: int
    signed: bool


class _Counter(NamedTuple):
    """A phi of a loop's header, and what it becomes in the next turn."""

    phi: Instruction
    after: int


def count_behind_loops(module: Module, constants: Constants, graph: Graph) -> None:
    """Gives the phis behind loops the counter in the limit's place, where that is proven and the same loop gives them the counter on
    another edge."""
    counters = _Counters(module, constants, graph)
    for id in graph.order:
        phis = graph.blocks[id].phis
        for number, phi in enumerate(phis):
            values = [counters.instead(phi, value, source, id) or value for value, source in _incoming(phi)]
            if values != phi.operands[::2]:
                operands = [each for edge in zip(values, phi.operands[1::2], strict=True) for each in edge]
                phis[number] = Instruction(phi.grammar, phi.offset, phi.type, phi.result, operands, operands)


def _incoming(phi: Instruction) -> Iterator[tuple[int, int]]:
    """The values, each with the block that it comes from."""
    return zip(phi.operands[::2], phi.operands[1::2], strict=True)


class _Counters:
    def __init__(self, module: Module, constants: Constants, graph: Graph):
        self.module, self.graph = module, graph
        self.orders = Orders(module, constants, graph)
        self._home: dict[int, int] = {}  # of a value: the block that computes it
        for id in graph.order:
            self._home.update((each.result, id) for each in (*graph.blocks[id].phis, *graph.blocks[id].body))

    def instead(self, phi: Instruction, value: int, source: int, target: int) -> int | None:
        """The counter that has the same value as the phi's on the edge."""
        loop = self.graph.loop.get(source)
        while loop is not None and target not in loop.blocks:
            for test in self._tests(loop, source, target):
                for counter in self._of_loop(loop, test.step):
                    found = self._same(value, loop, test, counter)
                    if found is not None and self.graph.dominates(self._home[found], source) and any(
                            given in (counter.phi.result, counter.after) and at in loop.blocks for given, at in _incoming(phi)):
                        return found
            loop = loop.outer
        return None

    def _tests(self, loop: Loop, source: int, target: int) -> Iterator[_Test]:
        """How the test at the source's end may be read, if it is passed in every turn and leaves the loop for the target where it fails."""
        order = self.orders.on_edge(source, target, taken=False)
        if order is None or order.gap != 1 or not all(self.graph.dominates(source, latch) for latch in loop.latches):
            return
        for test in (_Test(order.low, order.high, 1, order.signed), _Test(order.high, order.low, -1, order.signed)):
            if self._home.get(test.bound) not in loop.blocks:
                yield test

    def _of_loop(self, loop: Loop, step: int) -> Iterator[_Counter]:
        """The loop's counters that grow by the step in every turn."""
        for phi in self.graph.blocks[loop.header].phis:
            following = {value for value, source in _incoming(phi) if source in loop.latches}
            if len(following) == 1 and self.orders.is_sum(after := following.pop(), phi.result, step) and after in self._home:
                yield _Counter(phi, after)

    def _same(self, value: int, loop: Loop, test: _Test, counter: _Counter) -> int | None:
        """What of the counter equals the value where the test fails."""
        if test.tested not in (counter.phi.result, counter.after):
            return None
        if value == test.bound:
            return test.tested if self._starts_within(loop, test, counter) else None
        if test.tested == counter.phi.result and self.orders.is_sum(value, test.bound, test.step):
            return counter.after if self._starts_within(loop, test, counter) else None
        first = self._beside_bound(value, test)
        return test.tested if first is not None and self._starts_at(loop, test, counter, first) else None

    def _starts_within(self, loop: Loop, test: _Test, counter: _Counter) -> bool:
        """Whether the first of what is tested has not passed the bound, on every edge into the loop."""
        gap = int(test.tested == counter.after)
        for start, source in _incoming(counter.phi):
            low, high = (start, test.bound) if test.step == 1 else (test.bound, start)
            if source not in loop.latches and not self.orders.holds(Order(low, high, gap, test.signed), source, loop.header):
                return False
        return True

    def _starts_at(self, loop: Loop, test: _Test, counter: _Counter, first: int) -> bool:
        """Whether the first of what is tested is the constant, on every edge into the loop."""
        wanted = self.orders.number(first, test.signed)
        step = test.step if test.tested == counter.after else 0
        for start, source in _incoming(counter.phi):
            number = self.orders.number(start, test.signed)
            if source not in loop.latches and (number is None or number + step != wanted):
                return False
        return True

    def _beside_bound(self, value: int, test: _Test) -> int | None:
        """F, if the value is the greater one of the test's bound and F, or the less one for a loop that counts down."""
        found = self.module.defined.get(value)
        if found is None or found.name != "OpSelect":
            return None
        condition, yes, no = found.operands
        for holds, chosen, other in ((True, yes, no), (False, no, yes)):
            order = self.orders.of_test(condition, holds)
            ends = (other, chosen) if test.step == 1 else (chosen, other)
            if order is not None and order.signed == test.signed and (order.low, order.high) == ends and test.bound in ends:
                return other if chosen == test.bound else chosen
        return None
