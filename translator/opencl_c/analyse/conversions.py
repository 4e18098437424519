"""Conversions (specification 6.4, 6.5): implicit ones made explicit, casts checked, operand types brought together."""

from __future__ import annotations

from pycparser import c_ast

from ...ir import nodes as ir
from ...ir.constants import address_value, integer_value
from ...ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    ULONG,
    Array,
    BlockType,
    FunctionType,
    Opaque,
    Pointer,
    Record,
    Scalar,
    Type,
    Vector,
    Void,
    is_float,
    is_integer,
)  # fmt: skip
from ..parse import tree
from . import halves
from .overloads import place_space, spaces_convert
from .scope import Unit


def is_null(expr: ir.Expr) -> bool:
    """A null pointer constant: 0, or 0 cast to void *."""
    if isinstance(expr, ir.Cast) and isinstance(expr.type, Pointer) and isinstance(expr.type.pointee, Void):
        return is_null(expr.operand)
    return isinstance(expr.type, Scalar) and expr.type.kind != "float" and integer_value(expr) == 0


def conversion_rank(type: Scalar) -> tuple[int, int, bool]:
    """6.4.6: bool, then integers by precision, unsigned above signed, then floating-point types."""
    return ("bool", "int", "float").index(type.kind), type.size, not type.signed


class Conversions:
    def __init__(self, unit: Unit):
        self.unit = unit

    def decay(self, expr: ir.Expr) -> ir.Expr:
        """An array as a pointer to its first element (C99 6.3.2.1). C++ does the same, so nothing is printed for it."""
        type = expr.type
        if type.is_plain:
            return expr
        if isinstance(type, Array):
            array, space = type, place_space(expr)
            self.unit.expressions.materialise(expr)
            const = array.const or space == "constant" or self.unit.expressions.place(expr).const
            return ir.Cast(Pointer(array.element, space, const, array.volatile), expr.pos, expr, True)  # type: ignore[arg-type]
        self.unit.restrictions.check_load(expr)
        if isinstance(expr, ir.Swizzle) and self.unit.expressions.place(expr.base).volatile:
            return ir.Swizzle(expr.type, expr.pos, ir.VolatileObject(expr.base.type, expr.pos, expr.base, False), expr.name, expr.indices)
        return ir.VolatileObject(expr.type, expr.pos, expr, False) if self.is_volatile_object(expr) else expr

    def is_volatile_object(self, expr: ir.Expr) -> bool:
        """Whether it is a volatile vector, record or half, which C++ would not copy."""
        type = expr.type
        if type.is_plain:
            return False
        return (isinstance(type, (Vector, Record)) or type == HALF) and self.unit.expressions.place(expr).volatile

    def nonvolatile(self, expr: ir.Expr) -> ir.Expr:
        """A place to be changed; a volatile vector as if it were not volatile."""
        return ir.VolatileObject(expr.type, expr.pos, expr, True) if self.is_volatile_object(expr) else expr

    def nonvolatile_base(self, base: ir.Expr) -> ir.Expr:
        """The record, or the pointer to one, in front of a member, as if the record were not volatile."""
        if isinstance(base.type, Pointer):
            plain = Pointer(base.type.pointee, base.type.space, base.type.const)
            return ir.Cast(plain, base.pos, base, False) if base.type.volatile else base
        return self.nonvolatile(base)

    def promote(self, expr: ir.Expr) -> ir.Expr:
        """Integer promotion (C99 6.3.1.1); C++ does the same by itself."""
        type = expr.type
        if isinstance(type, Scalar) and type.kind != "float" and type.size < 4:
            return ir.Cast(INT, expr.pos, expr, True)
        return expr

    def arithmetic_type(self, left: Scalar, right: Scalar) -> Scalar:
        """The usual arithmetic conversions (6.4.4)."""
        if left is right and left.kind == "int" and left.size >= 4:
            return left
        if left.kind == "float" or right.kind == "float":
            names = left.name, right.name
            return DOUBLE if DOUBLE.name in names else FLOAT if FLOAT.name in names else HALF
        left, right = left if left.size >= 4 else INT, right if right.size >= 4 else INT
        if left.size != right.size:
            return left if left.size > right.size else right
        return left if not left.signed else right

    def to_scalar(self, expr: ir.Expr, type: Scalar, implicit: bool = True) -> ir.Expr:
        source = expr.type
        if source is type or source == type:
            return expr
        if type.is_plain and source.is_plain:
            return ir.Cast(type, expr.pos, expr, implicit)
        if type == HALF:
            if source == BOOL:
                expr = ir.Cast(INT, expr.pos, expr, True)
            return halves.rounded(expr) or ir.Cast(type, expr.pos, expr, implicit)
        if type == BOOL and source == HALF:
            return ir.Cast(type, expr.pos, self.to_scalar(expr, FLOAT), implicit)
        return ir.Cast(type, expr.pos, expr, implicit)

    def convert(self, expr: ir.Expr, target: Type, doing: str, pos: int | None = None) -> ir.Expr:
        """The implicit conversion of an assignment, argument, initialiser or return (6.4.1). `doing` begins the message:
        "assigning to", "passing argument to parameter of type", "initializing"."""
        pos = expr.pos if pos is None else pos
        if not expr.type.is_plain:
            expr = self.decay(expr)
        source = expr.type
        if source is target or source == target:
            return expr
        if isinstance(target, Scalar):
            if isinstance(source, Scalar):
                return self.to_scalar(expr, target)
            if isinstance(source, Pointer) and target == BOOL:
                return ir.Cast(BOOL, expr.pos, expr, True)
            if isinstance(source, Pointer) and target.kind == "int":
                self.unit.warning(pos, f"incompatible pointer to integer conversion {doing} '{target}' from '{source}'")
                return ir.Cast(target, expr.pos, expr, False)
        if isinstance(target, Vector) and isinstance(source, Scalar):
            return ir.Splat(target, expr.pos, self.to_scalar(expr, target.element))
        if isinstance(target, Opaque) and isinstance(source, Scalar):
            return self.unit.restrictions.from_integer(expr, target, doing, pos)
        if isinstance(target, Pointer):
            converted = self._to_pointer(expr, target, doing, pos)
            if converted is not None:
                return converted
        if isinstance(target, BlockType) and isinstance(source, BlockType):
            raise self.unit.fail(pos, f"incompatible block pointer types {doing} '{target}' from '{source}'")
        raise self.unit.fail(pos, f"{doing} '{target}' from an expression of incompatible type '{source}'")

    def _to_pointer(self, expr: ir.Expr, target: Pointer, doing: str, pos: int) -> ir.Expr | None:
        source = expr.type
        if is_null(expr):
            return ir.Cast(target, expr.pos, expr, True)
        if isinstance(source, Scalar) and source.kind != "float":
            self.unit.warning(pos, f"incompatible integer to pointer conversion {doing} '{target}' from '{source}'")
            return ir.Cast(target, expr.pos, expr, False)
        if not isinstance(source, Pointer):
            return None
        if not spaces_convert(source.space, target.space):
            raise self.unit.fail(pos, f"{doing} '{target}' from '{source}' changes address space of pointer")
        same = source.pointee == target.pointee
        to_or_from_void = isinstance(source.pointee, Void) or isinstance(target.pointee, Void)
        if not same and not to_or_from_void and not self._function_pointers(source, target):
            if isinstance(source.pointee, Pointer) and isinstance(target.pointee, Pointer) and (
                    source.pointee.space != target.pointee.space):
                raise self.unit.fail(pos, f"{doing} '{target}' from '{source}' changes address space of nested pointer")
            self.unit.warning(pos, f"incompatible pointer types {doing} '{target}' from '{source}'")
        if (source.const and not target.const) or (source.volatile and not target.volatile):
            self.unit.warning(pos, f"{doing} '{target}' from '{source}' discards qualifiers")
            return ir.Cast(target, expr.pos, expr, False)
        # C++ adds const, and converts to void *, by itself.
        free = same or isinstance(target.pointee, Void)
        return ir.Cast(target, expr.pos, expr, free)

    def _function_pointers(self, source: Pointer, target: Pointer) -> bool:
        return isinstance(source.pointee, FunctionType) and isinstance(target.pointee, FunctionType)

    def condition(self, expr: ir.Expr, where: str) -> ir.Expr:
        """The controlling expression of if, while, ?:, &&: a scalar or a pointer (6.5.e, 6.11)."""
        expr = self.decay(expr)
        if not isinstance(expr.type, (Scalar, Pointer)):
            raise self.unit.fail(expr.pos, f"statement requires expression of scalar type ('{expr.type}' invalid)" if where == "statement"
                                 else f"used type '{expr.type}' where arithmetic or pointer type is required")
        # C++ knows a condition of every scalar but ours.
        return expr if expr.type.is_plain else self.to_scalar(expr, FLOAT)

    # -- explicit casts ----------------------------------------------------------------------------------------------

    def cast(self, expr: ir.Expr, target: Type, pos: int) -> ir.Expr:
        """(type)expr of scalar, pointer or void type (6.4.2)."""
        expr = self.decay(expr)
        source = expr.type
        if isinstance(target, Void):
            return ir.Cast(target, pos, expr, False)
        if isinstance(target, Vector):
            if isinstance(source, Scalar):
                return ir.Splat(target, pos, self.vector_component(expr, target))
            if source == target:
                return expr
            raise self.unit.fail(pos, f"invalid conversion between vector type '{target}' and '{source}'; "
                                      f"use convert_{target}() or as_{target}()")
        if isinstance(target, Scalar):
            self.unit.restrictions.check_cast(target, pos)
            if isinstance(source, Scalar):
                return self.to_scalar(expr, target, implicit=False) if HALF in (source, target) else ir.Cast(target, pos, expr, False)
            if isinstance(source, Pointer) and target.kind != "float":
                address = address_value(expr)  # a constant for C, but none for C++
                return ir.Cast(target, pos, expr if address is None else ir.Number(ULONG, pos, f"{address}ul", address), False)
            if isinstance(source, Vector):
                raise self.unit.fail(pos, f"invalid conversion between vector type '{source}' and scalar type '{target}'")
        if isinstance(target, Pointer):
            if isinstance(source, Scalar) and source.kind != "float":
                return ir.Cast(target, pos, expr, False)
            if isinstance(source, Pointer):
                if not spaces_convert(source.space, target.space) and not spaces_convert(target.space, source.space):
                    raise self.unit.fail(pos, f"casting '{source}' to type '{target}' changes address space of pointer")
                return ir.Cast(target, pos, expr, False)
        if isinstance(target, Record) and source == target:
            return expr
        if isinstance(target, Record) and target.kind == "union" and target.fields is not None:
            return self._to_union(expr, target, pos)
        if isinstance(target, (Opaque, BlockType)) and source == target:
            return expr
        if isinstance(target, Opaque) and isinstance(source, Scalar) and target.kind != "atomic":
            return self.unit.restrictions.from_integer(expr, target, "casting to", pos)
        raise self.unit.fail(pos, f"cannot cast from type '{source}' to type '{target}'")

    def _to_union(self, expr: ir.Expr, union: Record, pos: int) -> ir.Expr:
        """GNU C's cast to a union: one whose member of that type has the value."""
        field = next((each for each in union.fields or () if each.type == expr.type), None)
        if field is None:
            raise self.unit.fail(pos, f"cast to union type from type '{expr.type}' not present in union")
        member = c_ast.NamedInitializer([c_ast.ID(field.name, pos)], tree.Analysed(expr, pos))
        type, init = self.unit.initialisers.analyse(c_ast.InitList([member], pos), union)
        return ir.CompoundLiteral(type, pos, init)

    def vector_component(self, expr: ir.Expr, vector: Vector) -> ir.Expr:
        """The scalar that is cast to a vector as its element type: a true bool sets all bits of integers (6.4.2)."""
        if expr.type == BOOL and is_integer(vector):
            expr = ir.Unary(INT, expr.pos, "-", ir.Cast(INT, expr.pos, expr, True))
        return self.to_scalar(expr, vector.element)

    # -- operands ----------------------------------------------------------------------------------------------------

    def operands(self, left: ir.Expr, right: ir.Expr, op: str, pos: int, integers: bool = False) -> tuple[ir.Expr, ir.Expr, Type]:
        """Both operands of an arithmetic operator brought to what it computes in, which is the third value (6.4.4, 6.5.a).
        A scalar beside a vector becomes the vector's element type and is not widened: the operators take it so."""
        a, b = left.type, right.type
        result: Type
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            result = common = self.arithmetic_type(a, b)
            left = left if a is common else self.to_scalar(left, common)
            right = right if b is common else self.to_scalar(right, common)
        elif isinstance(a, Vector) and isinstance(b, Vector):
            if a != b:
                raise self.invalid_operands(left, right, pos)
            result = a
        elif isinstance(a, Vector) and isinstance(b, Scalar):
            self._check_rank(a, b, pos)
            right, result = self.to_scalar(right, a.element), a
        elif isinstance(b, Vector) and isinstance(a, Scalar):
            self._check_rank(b, a, pos)
            left, result = self.to_scalar(left, b.element), b
        else:
            raise self.invalid_operands(left, right, pos)
        if integers and is_float(result):
            raise self.invalid_operands(left, right, pos)
        return left, right, result

    def _check_rank(self, vector: Vector, scalar: Scalar, pos: int) -> None:
        """6.4.6: an error shall occur if any scalar operand has greater rank than the type of the vector element."""
        if conversion_rank(scalar) > conversion_rank(vector.element):
            types = f"('{vector}' and '{scalar}')"
            raise self.unit.fail(pos, f"scalar operand type has greater rank than the type of the vector element. {types}")

    def invalid_operands(self, left: ir.Expr, right: ir.Expr, pos: int) -> Exception:
        return self.unit.fail(pos, f"invalid operands to binary expression ('{left.type}' and '{right.type}')")

