"""Assignments (specification 6.5.15), ++ and -- (6.5.2): what changes an object, and the objects that C++ changes in another way.

C++ binds no reference to a member of a packed record and changes no volatile object of class type: such an object is read, computed
with and written back.
"""

from __future__ import annotations

import dataclasses

from pycparser import c_ast

from ...ir import nodes as ir
from ...ir.packed import lies_packed
from ...ir.types import HALF, INT, Array, FunctionType, Opaque, Pointer, Record, Scalar, Type, Vector, Void, is_class, is_float
from .scope import Unit


def const_member(type: Type) -> str | None:
    """The name of a member, however deep, that makes the type's objects constant (C99 6.3.2.1); clang does not look into arrays."""
    if isinstance(type, Record):
        for field in type.fields or ():
            inner = const_member(field.type)
            if field.const or inner is not None:
                return inner or field.name
    return None


class Assignments:
    def __init__(self, unit: Unit):
        self.unit = unit

    def require_assignable(self, expr: ir.Expr, pos: int) -> None:
        self.unit.restrictions.check_store(expr, pos)
        self.unit.expressions.materialise(expr)
        place = self.unit.expressions.place(expr)
        if not place.lvalue or isinstance(expr.type, (Array, FunctionType)):
            raise self.unit.fail(pos, "expression is not assignable" if not isinstance(expr.type, Array)
                                 else f"array type '{expr.type}' is not assignable")
        variable = expr.symbol if isinstance(expr, ir.Name) and isinstance(expr.symbol, ir.Variable) else None
        if place.const and variable is not None and not variable.const and self.unit.blocks.captured(variable, self.unit.function):
            raise self.unit.fail(pos, "variable is not assignable (missing __block type specifier)")
        if place.const:
            name = f"variable '{expr.symbol.name}'" if isinstance(expr, ir.Name) else "location"
            raise self.unit.fail(pos, f"cannot assign to {name} with const-qualified type 'const {expr.type}'")
        member = const_member(expr.type)
        if member is not None:
            raise self.unit.fail(pos, f"cannot assign to an object of type '{expr.type}' with const-qualified data member '{member}'")

    def step(self, node: c_ast.UnaryOp, used: bool = True) -> ir.Expr:
        operand = self.unit.expressions.analyse(node.expr)
        postfix, op = node.op.startswith("p"), node.op[-2:]
        postfix = postfix and (used or not isinstance(operand, ir.Swizzle))
        if isinstance(operand, ir.Swizzle):
            return self.unit.expressions.vectors.step(operand, op, postfix, node.coord)
        self.require_assignable(operand, node.coord)
        type = operand.type
        if not isinstance(type, (Scalar, Vector, Pointer)) or (isinstance(type, Vector) and is_float(type)):
            # 6.5.b: ++ and -- work on everything but vectors of floating-point type.
            raise self.unit.fail(node.coord, f"cannot {'increment' if op == '++' else 'decrement'} value of type '{type}'")
        # The function that steps a narrow integer takes a reference.
        narrow = postfix and used and isinstance(type, Scalar) and type.kind != "float" and type.size < 4 and lies_packed(operand)
        if narrow or self.is_packed_place(operand) or (isinstance(type, Pointer) and isinstance(type.pointee, Void)):
            return self._rewritten_step(operand, op[0], postfix and used, node.coord)
        return ir.Step(type, node.coord, op, postfix, self.unit.conversions.nonvolatile(operand))

    def _rewritten_step(self, operand: ir.Expr, op: str, postfix: bool, pos: int) -> ir.Expr:
        one = ir.Number(INT, pos, "1", 1)
        value = self.unit.conversions.to_scalar(one, operand.type.element) if isinstance(operand.type, Vector) else one
        if not postfix:
            return self._rewritten(operand, op, value, pos)
        lead, place = self.once(operand)
        old = ir.Name(operand.type, pos, self.unit.temporary(operand.type, pos))
        parts = [ir.Assign(old.type, pos, "=", old, place), self._rewritten(place, op, value, pos), old]
        result: ir.Expr = parts[0] if lead is None else ir.Sequence(old.type, pos, lead, parts[0])
        for part in parts[1:]:
            result = ir.Sequence(part.type, pos, result, part)
        return result

    def assignment(self, node: c_ast.Assignment) -> ir.Expr:
        if not isinstance(node.rvalue, c_ast.Assignment):
            place = self.unit.expressions.analyse(node.lvalue)
            return self._assigned(node, place, self.unit.expressions.value(node.rvalue))
        # a = b = … is walked in a loop.
        links = [node]
        while isinstance(links[-1].rvalue, c_ast.Assignment):
            links.append(links[-1].rvalue)
        targets = [self.unit.expressions.analyse(link.lvalue) for link in links]
        value = self.unit.expressions.value(links[-1].rvalue)
        for link, target in zip(reversed(links), reversed(targets), strict=True):
            value = self._assigned(link, target, self.unit.expressions.used(value))
        return value

    def _assigned(self, node: c_ast.Assignment, target: ir.Expr, value: ir.Expr) -> ir.Expr:
        if isinstance(target, ir.Swizzle):
            return self.unit.expressions.vectors.assign(target, node.op, value, node.coord)
        self.require_assignable(target, node.coord)
        if node.op == "=":
            if isinstance(target.type, Opaque) and target.type.kind == "atomic":
                # 6.15.12: "Using atomic types with operators should result in a compilation error", but programs assign.
                self.unit.warning(node.coord, f"assigning to an object of type '{target.type}' is no atomic operation: use atomic_store")
            return self.stored(target, value, node.coord)
        return self.compound(target, node.op, value, node.coord)

    def stored(self, target: ir.Expr, value: ir.Expr, pos: int) -> ir.Expr:
        """target = value, for a place that may be assigned to."""
        value = self.unit.conversions.convert(value, target.type, "assigning to")
        if self.unit.conversions.is_volatile_object(target):
            return ir.StoreVolatile(target.type, pos, target, value)
        return ir.Assign(target.type, pos, "=", target, value)

    def compound(self, target: ir.Expr, op: str, value: ir.Expr, pos: int) -> ir.Expr:
        """target op= value (6.5.o). C++ computes and converts back as C does, so scalars stay as they are."""
        unit, operator = self.unit, op[:-1]
        if self.is_packed_place(target):
            return self._rewritten(target, operator, value, pos)
        whole, target = target, unit.conversions.nonvolatile(target)
        result = self.unit.expressions.operators.binary(operator, target, value, pos)
        type = target.type
        if not isinstance(result, ir.Binary) or isinstance(type, Pointer) != isinstance(result.type, Pointer):
            return self._rewritten(whole, operator, value, pos)
        if isinstance(type, Vector):
            if result.type != type:
                raise unit.conversions.invalid_operands(target, value, pos)
        elif isinstance(result.type, Vector):
            raise unit.fail(pos, f"assigning to '{type}' from an expression of incompatible type '{result.type}'")
        right = result.right
        if isinstance(type, Scalar) and isinstance(right, ir.Cast) and right.implicit and HALF not in (type, right.type, value.type):
            right = value
        return ir.Assign(type, pos, op, target, right)

    def _rewritten(self, target: ir.Expr, op: str, value: ir.Expr, pos: int) -> ir.Expr:
        """target = target op value, with the target evaluated once."""
        lead, place = self.once(target)
        result = self.stored(place, self.unit.expressions.operators.binary(op, self.unit.conversions.decay(place), value, pos), pos)
        return result if lead is None else ir.Sequence(result.type, pos, lead, result)

    def once(self, place: ir.Expr) -> tuple[ir.Expr | None, ir.Expr]:
        """The place such that it can be named twice, and what to evaluate before: a pointer of our own."""
        if self.unit.expressions.vectors.repeatable(place):
            return None, place
        if lies_packed(place):
            if isinstance(place, ir.Member) and not place.arrow:
                lead, base = self.once(place.base)
                return lead, ir.Member(place.type, place.pos, base, False, place.name)
            if isinstance(place, ir.Component):
                lead, base = self.once(place.base)
                return lead, dataclasses.replace(place, base=base)
            if isinstance(place, ir.Index):
                return self._element_once(place)
        pointed = place.base if isinstance(place, ir.Member) and place.arrow else None
        type = pointed.type if pointed is not None else Pointer(place.type, "private", volatile=self.unit.expressions.place(place).volatile)
        assert isinstance(type, Pointer)
        name = ir.Name(type, place.pos, self.unit.temporary(type, place.pos))
        lead = ir.Assign(type, place.pos, "=", name, pointed or ir.Unary(type, place.pos, "&", place))
        if isinstance(place, ir.Member) and pointed is not None:
            return lead, ir.Member(place.type, place.pos, name, True, place.name, place.volatile)
        return lead, ir.Unary(place.type, place.pos, "*", name)

    def _element_once(self, place: ir.Index) -> tuple[ir.Expr | None, ir.Expr]:
        """`once` of an element in a packed record: its subscript is kept, since a pointer would promise the alignment of its type."""
        lead, base = self.once(place.base)
        index = place.index
        if not self.unit.expressions.vectors.repeatable(index):
            kept = ir.Name(index.type, index.pos, self.unit.temporary(index.type, index.pos))
            kept_first = ir.Assign(index.type, index.pos, "=", kept, index)
            lead = kept_first if lead is None else ir.Sequence(index.type, index.pos, lead, kept_first)
            index = kept
        return lead, ir.Index(place.type, place.pos, base, index)

    def unbound(self, expr: ir.Expr) -> ir.Expr:
        """The value of what lies in a packed record, where C++ would bind a reference: the choice of two places is one."""
        return ir.Cast(expr.type, expr.pos, expr, False) if lies_packed(expr) else self.apart(expr)

    def apart(self, expr: ir.Expr) -> ir.Expr:
        """The object of which a part is taken. As such C++ takes an assignment for a reference, which promises that what lies in a packed
        record is aligned as its type: the value passes through a variable of our own, (copy = value, target = copy, copy)."""
        if isinstance(expr, ir.Sequence):
            right = self.apart(expr.right)
            return expr if right is expr.right else dataclasses.replace(expr, right=right)
        if not isinstance(expr, ir.Assign) or not self.is_packed_place(expr.target):
            return expr
        copy = ir.Name(expr.type, expr.pos, self.unit.temporary(expr.type, expr.pos))
        kept = ir.Assign(expr.type, expr.pos, "=", copy, expr.value)
        return ir.Sequence(expr.type, expr.pos, ir.Sequence(expr.type, expr.pos, kept, dataclasses.replace(expr, value=copy)), copy)

    def is_packed_place(self, expr: ir.Expr) -> bool:
        """Whether C++ binds no reference to the object, since it lies in a packed record. To copy it byte by byte, as the compilers
        then do, is as good as `volatile` can be."""
        return is_class(expr.type) and lies_packed(expr)
