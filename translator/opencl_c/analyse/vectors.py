"""Vectors (specification 6.3.6, 6.3.7, 6.5.i): literals, components read and written, selection by a vector condition."""

from __future__ import annotations

from ...ir import nodes as ir
from ...ir.constants import integer_value
from ...ir.types import ULONG, Scalar, Type, Vector, is_integer
from ..parse import tree
from .scope import Unit

_XYZW, _RGBA = "xyzw", "rgba"
_HALVES = {
    "lo": lambda n: tuple(range(n // 2)),
    "hi": lambda n: tuple(range(n // 2, n)),
    "even": lambda n: tuple(range(0, n, 2)),
    "odd": lambda n: tuple(range(1, n, 2)),
}


def component_indices(name: str, width: int, version: int) -> tuple[int, ...] | None:
    """The components that a name stands for (6.3.7), None where it is no such name for that width."""
    if name in _HALVES:
        return _HALVES[name](4 if width == 3 else width)
    if name[0] in "sS" and len(name) > 1:
        try:
            indices = tuple(int(c, 16) for c in name[1:])
        except ValueError:
            return None
    else:
        letters = _RGBA if all(c in _RGBA for c in name) else _XYZW
        if not all(c in letters for c in name):
            return None
        indices = tuple(letters.index(c) for c in name)
    return indices if all(i < width for i in indices) and len(indices) in (1, 2, 3, 4, 8, 16) else None


class Vectors:
    def __init__(self, unit: Unit):
        self.unit = unit

    def literal(self, node: tree.VectorLiteral) -> ir.Expr:
        unit = self.unit
        type = unit.declarations.type_name(node.to_type)
        assert isinstance(type, Vector)
        parts = [unit.expressions.value(each) for each in node.elements]
        if len(parts) == 1 and isinstance(parts[0].type, Scalar):
            return ir.Splat(type, node.coord, unit.conversions.to_scalar(parts[0], type.element))
        if len(parts) == 1 and isinstance(parts[0].type, Vector):
            return unit.conversions.cast(parts[0], type, node.coord)
        return self.assembled(type, parts, node.coord)

    def assembled(self, type: Vector, parts: list[ir.Expr], pos: int) -> ir.Expr:
        """A vector of the components that all parts have together."""
        unit = self.unit
        made, count = [], 0
        for part in parts:
            if isinstance(part.type, Vector):
                if part.type.element != type.element:
                    raise unit.fail(part.pos, f"vector literal of type '{type}' cannot hold components of type '{part.type}'; "
                                              f"use convert_{type.element}{part.type.width}()")
                count += part.type.width
            elif isinstance(part.type, Scalar):
                part = unit.conversions.to_scalar(part, type.element)
                count += 1
            else:
                raise unit.fail(part.pos, f"vector literal of type '{type}' cannot hold a value of type '{part.type}'")
            made.append(part)
        if count != type.width:
            few = "too few" if count < type.width else "excess"
            raise unit.fail(pos, f"{few} elements in vector initialization (expected {type.width} elements, have {count})")
        return ir.MakeVector(type, pos, made)

    # -- components --------------------------------------------------------------------------------------------------

    def components(self, base: ir.Expr, name: str, pos: int) -> ir.Expr:
        """base.name, where the base may be a swizzle itself."""
        vector = base.type
        assert isinstance(vector, Vector)
        indices = component_indices(name, vector.width, self.unit.dialect.version)
        if indices is None:
            raise self.unit.fail(pos, f"vector component access '{name}' is invalid for type '{vector}'")
        if isinstance(base, ir.Swizzle):
            if max(indices) >= len(base.indices):  # .hi of three components: the fourth is undefined
                indices = tuple(min(i, len(base.indices) - 1) for i in indices)
            return self._access(base.base, tuple(base.indices[i] for i in indices), pos, None)
        return self._access(base, indices, pos, name)

    def _access(self, base: ir.Expr, indices: tuple[int, ...], pos: int, name: str | None) -> ir.Expr:
        vector = base.type
        assert isinstance(vector, Vector)
        if len(indices) == 1:
            return ir.Component(vector.element, pos, base, min(indices[0], vector.width - 1))
        type = Vector(vector.element, len(indices))
        return ir.Swizzle(type, pos, base, name if name in _HALVES else ir.swizzle_name(vector, indices), indices)

    def indexed(self, swizzle: ir.Swizzle, index: ir.Expr, pos: int) -> ir.Expr:
        """swizzle[index], which is a component of what the swizzle is of, and as such may be assigned to."""
        base, number = swizzle.base, integer_value(index)
        assert isinstance(swizzle.type, Vector) and isinstance(base.type, Vector)
        indices = [min(each, base.type.width - 1) for each in swizzle.indices]  # .hi of three: the fourth is undefined
        if number is not None:
            return ir.Component(swizzle.type.element, pos, base, indices[number % len(indices)])  # another one is undefined
        # Four bits for each.
        shift = ir.Binary(ULONG, pos, "*", ir.Cast(ULONG, pos, index, True), ir.Number(ULONG, pos, "4ul", 4))
        packed = sum(each << 4 * place for place, each in enumerate(indices))
        shifted = ir.Binary(ULONG, pos, ">>", ir.Number(ULONG, pos, f"{packed:#x}ul", packed), shift)
        component = ir.Binary(ULONG, pos, "&", shifted, ir.Number(ULONG, pos, "15ul", 15))
        unit = self.unit
        vector = base if unit.expressions.place(base).lvalue else unit.expressions.assignments.unbound(base)
        return ir.Index(swizzle.type.element, pos, vector, component)

    def assign(self, target: ir.Swizzle, op: str, value: ir.Expr, pos: int) -> ir.Expr:
        """target = value for several components at once (6.3.7: no component may stand twice)."""
        unit = self.unit
        place = unit.expressions.place(target.base)
        if not place.lvalue or place.const:
            raise unit.fail(pos, "vector is not assignable (const-qualified or not an lvalue)")
        if len(set(target.indices)) != len(target.indices):
            raise unit.fail(pos, "vector is not assignable (contains duplicate components)")
        base, lead = unit.conversions.nonvolatile(target.base), None
        whole = unit.expressions.assignments.is_packed_place(base)
        if op != "=" or whole:
            lead, base = unit.expressions.assignments.once(base)
        if op != "=":
            current = ir.Swizzle(target.type, target.pos, base, target.name, target.indices)
            value = unit.expressions.operators.binary(op[:-1], current, value, pos)
        value = unit.conversions.convert(value, target.type, "assigning to")
        change = ir.SetSwizzle(target.type, pos, base, target.name, value)
        result = self._through_copy(change, target.indices, pos) if whole else change
        return result if lead is None else ir.Sequence(target.type, pos, lead, result)

    def _through_copy(self, change: ir.SetSwizzle, indices: tuple[int, ...], pos: int) -> ir.Expr:
        """(copy = base, base = (copy.name = value, copy), copy.name): C++ binds no reference to the base."""
        copy = ir.Name(change.base.type, pos, self.unit.temporary(change.base.type, pos))
        type = copy.type
        changed = ir.Sequence(type, pos, ir.SetSwizzle(change.type, pos, copy, change.name, change.value), copy)
        result = ir.Sequence(type, pos, ir.Assign(type, pos, "=", copy, change.base), ir.Assign(type, pos, "=", change.base, changed))
        return ir.Sequence(change.type, pos, result, ir.Swizzle(change.type, pos, copy, change.name, indices))

    def step(self, target: ir.Swizzle, op: str, postfix: bool, pos: int) -> ir.Expr:
        """++ and -- of several components (6.5.b): of integers only."""
        if not is_integer(target.type):
            raise self.unit.fail(pos, f"cannot {'increment' if op == '++' else 'decrement'} value of type '{target.type}'")
        assert isinstance(target.type, Vector)
        one = ir.Number(target.type.element, pos, "1", 1)
        changed = self.assign(target, op[0] + "=", one, pos)
        if not postfix:
            return changed
        # The value before: what is now, less the step. Integers wrap.
        return self.unit.expressions.operators.binary("-" if op == "++" else "+", changed, one, pos)

    def repeatable(self, expr: ir.Expr) -> bool:
        """Whether evaluating the expression twice does what once does, at no cost."""
        if isinstance(expr, (ir.Name, ir.Number)):
            return True
        if isinstance(expr, ir.Member):
            return self.repeatable(expr.base)
        if isinstance(expr, ir.Index):
            return self.repeatable(expr.base) and self.repeatable(expr.index)
        if isinstance(expr, (ir.Cast, ir.VolatileObject)):
            return self.repeatable(expr.operand)
        return isinstance(expr, ir.Unary) and expr.op == "*" and self.repeatable(expr.operand)

    # -- selection ---------------------------------------------------------------------------------------------------

    def select(self, condition: ir.Expr, yes: ir.Expr, no: ir.Expr, pos: int) -> ir.Expr:
        """c ? a : b by components (6.5.i) is select(b, a, c)."""
        unit = self.unit
        vector = condition.type
        assert isinstance(vector, Vector)
        if not is_integer(vector):
            raise unit.fail(pos, f"used type '{vector}' where integer is required")
        type: Type
        if isinstance(yes.type, Scalar) and isinstance(no.type, Scalar):
            common = unit.conversions.arithmetic_type(yes.type, no.type)
            if common.size != vector.element.size:
                common = yes.type if yes.type.size == vector.element.size else common
            type = Vector(common, vector.width)
        else:
            _, _, type = unit.conversions.operands(yes, no, "?:", pos)
        if not isinstance(type, Vector) or type.width != vector.width or type.element.size != vector.element.size:
            types = f"vector condition type '{vector}' and result type '{type}'"
            raise unit.fail(pos, f"{types} do not have the same number and size of elements")
        yes, no = unit.conversions.convert(yes, type, "converting to"), unit.conversions.convert(no, type, "converting to")
        return unit.expressions.calls.builtin("select", [no, yes, condition], pos)
