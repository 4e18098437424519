"""The labels of a switch (C99 6.8.4.2): constants, of the type that the switch's value has, none of them twice; GNU's ranges."""

from __future__ import annotations

from pycparser import c_ast

from ...ir import nodes as ir
from ...ir.constants import folded_value, integer_value, wrap
from ...ir.types import INT, Scalar
from ..parse import tree
from .scope import Unit
from .static_values import integer_text, static_value

# C++ has no case ranges. One up to this long becomes as many labels, a longer one is mapped to its first value.
LONGEST_SPELLED_OUT = 32


class CaseLabels:
    def __init__(self, unit: Unit, type: Scalar):
        self.unit, self.type = unit, type
        self._ranges: list[tuple[int, int, int]] = []  # (low, high, place)
        self._folded: list[tuple[int, int]] = []
        self._default: int | None = None

    def add(self, node: c_ast.Case | c_ast.Default) -> tuple[ir.Expr | None, ir.Expr | None]:
        """The label's value, or the ends of its range; two Nones for `default`."""
        unit = self.unit
        if isinstance(node, c_ast.Default):
            if self._default is not None:
                note = unit.note(self._default, "previous label is here")
                raise unit.fail(node.coord, "multiple default labels in one switch", note)
            self._default = node.coord
            return None, None
        if not isinstance(node.expr, tree.CaseRange):
            low = self._value(node.expr)
            self._note(low, low)
            return low, None
        low, high = self._value(node.expr.low), self._value(node.expr.high)
        first, last = integer_value(low), integer_value(high)
        assert first is not None and last is not None
        if first > last:
            unit.warning(low.pos, "empty case range specified")
        else:
            self._note(low, high)
        if last - first < LONGEST_SPELLED_OUT:
            return low, high
        self._folded.append((first, last))
        return low, None

    def _value(self, node: c_ast.Node) -> ir.Expr:
        expr = self.unit.expressions.value(node)
        value = folded_value(expr)
        if value is None:
            raise self.unit.fail(expr.pos, "expression is not an integer constant expression")
        wrapped = wrap(value, self.type)
        # A variable is no constant to C++, nor is a sum that overflows.
        same = integer_value(expr) == wrapped and static_value(expr, self.unit.initials).plain
        return expr if same else self._number(wrapped, expr.pos)

    def _number(self, value: int, pos: int) -> ir.Number:
        return ir.Number(self.type, pos, integer_text(value, self.type), value)

    def _note(self, low: ir.Expr, high: ir.Expr) -> None:
        first, last = integer_value(low), integer_value(high)
        assert first is not None and last is not None
        self._ranges.append((first, last, low.pos))

    def _check_unique(self) -> None:
        highest, place = None, 0
        for first, last, pos in sorted(self._ranges):
            if highest is not None and first <= highest:
                here, previous = max(pos, place), min(pos, place)
                self.unit.error(here, f"duplicate case value '{first}'", self.unit.note(previous, "previous case defined here"))
            if highest is None or last > highest:
                highest, place = last, pos

    def folded(self, value: ir.Expr) -> ir.Expr:
        """The switch's value, with what lies in a long range mapped to the range's label."""
        self._check_unique()
        if not self._folded:
            return value
        unit, pos = self.unit, value.pos
        name = ir.Name(self.type, pos, unit.temporary(self.type, pos))
        mapped: ir.Expr = name
        for first, last in self._folded:
            low, high = self._number(first, pos), self._number(last, pos)
            inside = ir.Binary(INT, pos, "&&", ir.Binary(INT, pos, ">=", name, low), ir.Binary(INT, pos, "<=", name, high))
            mapped = ir.Conditional(self.type, pos, inside, low, mapped)
        return ir.Sequence(self.type, pos, ir.Assign(self.type, pos, "=", name, value), mapped)
