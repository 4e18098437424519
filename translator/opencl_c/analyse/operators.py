"""Binary operators (specification 6.5.a to 6.5.k): arithmetic, comparison, logic, shifts, and those on pointers.

Operands come analysed; what they must be converted to is `conversions`' business.
"""

from __future__ import annotations

import dataclasses

from ...ir import nodes as ir
from ...ir.constants import address_value, integer_value
from ...ir.types import CHAR, INT, LONG, ULONG, Opaque, Pointer, Scalar, Vector, Void, is_integer, mask_type, size_of
from . import halves
from .conversions import is_null
from .overloads import spaces_convert
from .scope import Unit

COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")
_OF_INTEGERS = ("%", "&", "|", "^")


class Operators:
    def __init__(self, unit: Unit):
        self.unit = unit

    def binary(self, op: str, left: ir.Expr, right: ir.Expr, pos: int) -> ir.Expr:
        if op in ("&&", "||"):
            return self._logical(op, left, right, pos)
        if op in ("<<", ">>"):
            return self._shift(op, left, right, pos)
        if isinstance(left.type, Scalar) and isinstance(right.type, Scalar):
            return self._scalars(op, left, right, pos)
        if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
            return self._pointers(op, left, right, pos)
        if op in ("==", "!=") and (opaque := self._compared_opaque(left, right)) is not None:
            left, right = (self.unit.conversions.convert(each, opaque, "comparing with") for each in (left, right))
            return ir.Binary(INT, pos, op, left, right)
        left, right, type = self.unit.conversions.operands(left, right, op, pos, integers=op in _OF_INTEGERS)
        assert isinstance(type, Vector)
        if op in COMPARISONS:
            return ir.Binary(mask_type(type), pos, op, left, right)
        return halves.computed(op, left, right, pos) or ir.Binary(type, pos, op, left, right)

    def _compared_opaque(self, left: ir.Expr, right: ir.Expr) -> Opaque | None:
        """The type of queues or events that are compared, which only clang has: how else could a program ask for CLK_NULL_QUEUE, or 0?"""
        for one, other in ((left, right), (right, left)):
            type = one.type
            if isinstance(type, Opaque) and type.kind in ("queue", "clk_event"):
                return type if other.type == type or (type.kind == "queue" and is_null(other)) else None
        return None

    def _scalars(self, op: str, left: ir.Expr, right: ir.Expr, pos: int) -> ir.Expr:
        left, right, type = self.unit.conversions.operands(left, right, op, pos, integers=op in _OF_INTEGERS)
        if op in COMPARISONS:
            return ir.Binary(INT, pos, op, left, right)
        if op in ("/", "%") and is_integer(type) and integer_value(right) == 0:
            self.unit.warning(pos, "division by zero is undefined" if op == "/" else "remainder by zero is undefined")
        if not type.is_plain and (value := halves.computed(op, left, right, pos)) is not None:
            return value
        return ir.Binary(type, pos, op, left, right)

    def _logical(self, op: str, left: ir.Expr, right: ir.Expr, pos: int) -> ir.Expr:
        conversions = self.unit.conversions
        if isinstance(left.type, Vector) or isinstance(right.type, Vector):
            left, right, type = conversions.operands(left, right, op, pos)
            assert isinstance(type, Vector)
            return ir.Binary(mask_type(type), pos, op, left, right)
        return ir.Binary(INT, pos, op, conversions.condition(left, "operand"), conversions.condition(right, "operand"))

    def _shift(self, op: str, left: ir.Expr, right: ir.Expr, pos: int) -> ir.Expr:
        """6.5.j: the count is taken modulo the width. CUDA clamps it, so it is masked unless it is a small constant."""
        if isinstance(left.type, Scalar) and isinstance(right.type, Scalar) and left.type.kind != "float" != right.type.kind:
            left = self.unit.conversions.promote(left)
            assert isinstance(left.type, Scalar)
            return ir.Binary(left.type, pos, op, left, self.masked_count(self.unit.conversions.promote(right), left.type.bits))
        if not is_integer(left.type) or not is_integer(right.type) or (
                isinstance(right.type, Vector) and (not isinstance(left.type, Vector) or left.type.width != right.type.width)):
            raise self.unit.conversions.invalid_operands(left, right, pos)
        assert isinstance(left.type, Vector)
        element = left.type.element
        if isinstance(right.type, Scalar):
            right = self.unit.conversions.to_scalar(right, element)
        elif right.type != left.type:
            right = self.unit.expressions.calls.builtin(f"convert_{left.type}", [right], pos)  # the bits that count are kept
        return ir.Binary(left.type, pos, op, left, right)

    def masked_count(self, count: ir.Expr, bits: int) -> ir.Expr:
        value = integer_value(count)
        if value is not None:
            return count if 0 <= value < bits else ir.Number(INT, count.pos, str(value % bits), value % bits)
        return ir.Binary(count.type, count.pos, "&", count, ir.Number(INT, count.pos, str(bits - 1), bits - 1))

    def _pointers(self, op: str, left: ir.Expr, right: ir.Expr, pos: int) -> ir.Expr:
        """6.5: pointer plus or minus integer, difference, comparison."""
        a, b = left.type, right.type
        if op in COMPARISONS[:4] and any(is_null(e.operand if isinstance(e, ir.Cast) else e) for e in (left, right)):
            # C++ orders no pointer and null: their addresses are compared.
            left, right = (e if isinstance(e.type, Scalar) else ir.Cast(ULONG, e.pos, e, False) for e in (left, right))
            return ir.Binary(INT, pos, op, left, right)
        if op in ("+", "-") and any(isinstance(t, Pointer) and isinstance(t.pointee, Void) for t in (a, b)):
            return self._void_pointers(op, left, right, pos)
        if op in ("+", "-") and isinstance(a, Pointer) and isinstance(b, Scalar) and b.kind != "float":
            return ir.Binary(a, pos, op, left, right)
        if op == "+" and isinstance(b, Pointer) and isinstance(a, Scalar) and a.kind != "float":
            return ir.Binary(b, pos, op, left, right)
        if isinstance(a, Pointer) and isinstance(b, Pointer):
            if op == "-" and a.pointee == b.pointee:
                self.require_overlap(left, right, pos, "arithmetic operation with operands of type")
                start, end, size = address_value(right), address_value(left), size_of(a.pointee)
                if start is not None and end is not None and end >= start and size:
                    return ir.Number(LONG, pos, f"{(end - start) // size}l", (end - start) // size)
                return ir.Binary(LONG, pos, op, left, right)
            if op in COMPARISONS:
                self.require_overlap(left, right, pos, "comparison between")
                if a.pointee != b.pointee and not isinstance(a.pointee, Void) and not isinstance(b.pointee, Void):
                    self.unit.warning(pos, f"comparison of distinct pointer types ('{a}' and '{b}')")
                    right = ir.Cast(a, right.pos, right, False)
                return ir.Binary(INT, pos, op, left, right)
        if op in COMPARISONS and isinstance(a, Pointer) and integer_value(right) == 0:
            return ir.Binary(INT, pos, op, left, ir.Cast(a, right.pos, right, True))
        if op in COMPARISONS and isinstance(b, Pointer) and integer_value(left) == 0:
            return ir.Binary(INT, pos, op, ir.Cast(b, left.pos, left, True), right)
        if op in COMPARISONS and all(isinstance(t, Pointer) or (isinstance(t, Scalar) and t.kind != "float") for t in (a, b)):
            self.unit.warning(pos, f"comparison between pointer and integer ('{a}' and '{b}')")
            return ir.Binary(INT, pos, op, ir.Cast(ULONG, left.pos, left, False), ir.Cast(ULONG, right.pos, right, False))
        raise self.unit.conversions.invalid_operands(left, right, pos)

    def _void_pointers(self, op: str, left: ir.Expr, right: ir.Expr, pos: int) -> ir.Expr:
        """GNU C counts what a pointer to void points to in bytes; C++ does not count it."""
        void = next(e.type for e in (left, right) if isinstance(e.type, Pointer) and isinstance(e.type.pointee, Void))
        bytes_ = dataclasses.replace(void, pointee=CHAR, alias=None)
        left, right = (ir.Cast(bytes_, e.pos, e, False) if e.type == void else e for e in (left, right))
        result = self._pointers(op, left, right, pos)
        return ir.Cast(void, pos, result, False) if isinstance(result.type, Pointer) else result

    def require_overlap(self, left: ir.Expr, right: ir.Expr, pos: int, what: str) -> None:
        """6.7.9: pointers meet only where one's address space encloses the other's."""
        a, b = left.type, right.type
        assert isinstance(a, Pointer) and isinstance(b, Pointer)
        if is_null(left) or is_null(right):
            return
        if not spaces_convert(a.space, b.space) and not spaces_convert(b.space, a.space):
            raise self.unit.fail(pos, f"{what} ('{a}' and '{b}') which are pointers to non-overlapping address spaces")
