"""Expressions of the representation, as SPIR-V's instructions ask for them: numbers, signs, conversions, places.

Pure functions. Integers have no sign in SPIR-V: `signed` and `unsigned` read a value as one that has.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from itertools import islice

from ..ir import nodes as ir
from ..ir.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    Opaque,
    Pointer,
    Record,
    Scalar,
    Type,
    Vector,
)  # fmt: skip
from ..ir.walk import expressions_of

SIGNED = {1: CHAR, 2: SHORT, 4: INT, 8: LONG}
UNSIGNED = {1: UCHAR, 2: USHORT, 4: UINT, 8: ULONG}
_SUFFIX = {UINT: "u", LONG: "l", ULONG: "ul"}


# -- numbers -----------------------------------------------------------------------------------------------------------


def integer(type: Scalar, value: int, pos: int) -> ir.Number:
    """The number with the value's low bits, as the type reads them."""
    value &= (1 << type.bits) - 1
    if type.signed and value >> (type.bits - 1):
        value -= 1 << type.bits
    if type == LONG and value == -(1 << 63):
        return ir.Number(type, pos, "(-0x7fffffffffffffffl - 1)", value)
    if type == INT and value == -(1 << 31):
        return ir.Number(type, pos, "(-2147483647 - 1)", value)
    if type.size < 4:
        return ir.Number(type, pos, f"({type.c_name}){value}", value)
    text = f"{value}{_SUFFIX.get(type, '')}"
    return ir.Number(type, pos, f"({text})" if value < 0 else text, value)


def braced(number: ir.Expr) -> ir.Expr:
    """The number as it stands in braces, where C++ takes any literal that fits."""
    if isinstance(number, ir.Number) and isinstance(number.value, int) and isinstance(number.type, Scalar) and number.type.size < 4:
        return ir.Number(number.type, number.pos, str(number.value), number.value) if number.type != BOOL else number
    return number


def boolean(value: bool, pos: int) -> ir.Number:
    return ir.Number(BOOL, pos, "true" if value else "false", int(value))


def floating(type: Scalar, bits: int, pos: int) -> ir.Expr:
    """The number of these bits."""
    if type == HALF:
        (value,) = struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))
        return ir.Number(HALF, pos, f"half{{{bits & 0xFFFF:#06x} /* {value!r}h */}}", value)
    if type == FLOAT:
        bits &= 0xFFFFFFFF
        (value,) = struct.unpack("<f", struct.pack("<I", bits))
    else:
        bits &= (1 << 64) - 1
        (value,) = struct.unpack("<d", struct.pack("<Q", bits))
    if not math.isfinite(value):
        raw = f"{bits:#x}u" if type == FLOAT else f"{bits:#x}ul"
        return ir.Number(type, pos, f"__builtin_bit_cast({type.name}, {raw})", value)
    text = repr(value) if type == DOUBLE else _shortest(value)
    if not any(c in text for c in ".e"):
        text += ".0"
    text += "f" * (type == FLOAT)
    return ir.Number(type, pos, f"({text})" if text[0] == "-" else text, value)


def _shortest(value: float) -> str:
    for precision in range(6, 10):
        text = f"{value:.{precision}g}"
        if struct.pack("<f", float(text)) == struct.pack("<f", value):
            return text
    return f"{value:.9g}"


def zero(type: Type, pos: int) -> ir.Expr:
    """The value whose bytes are 0."""
    if type == BOOL:
        return boolean(False, pos)
    if isinstance(type, Scalar):
        return integer(type, 0, pos) if type.kind == "int" else floating(type, 0, pos)
    if isinstance(type, Vector):
        return ir.Splat(type, pos, zero(type.element, pos))
    if isinstance(type, Pointer):
        return ir.Cast(type, pos, integer(INT, 0, pos), False)
    if isinstance(type, Opaque):
        return ir.CompoundLiteral(type, pos, ir.InitList(type, pos, []))
    return ir.CompoundLiteral(type, pos, ir.InitList(type, pos, []))


# -- signs and conversions ---------------------------------------------------------------------------------------------


def with_sign(type: Type, signed: bool) -> Type:
    """The integer type, or vector of it, of the same size with or without a sign; any other type itself."""
    if isinstance(type, Vector):
        return Vector(with_sign(type.element, signed), type.width)  # type: ignore[arg-type]
    if isinstance(type, Scalar) and type.kind == "int":
        return (SIGNED if signed else UNSIGNED)[type.size]
    return type


def read_as(expr: ir.Expr, signed: bool) -> ir.Expr:
    """An integer's bits as a number with or without a sign."""
    target = with_sign(expr.type, signed)
    if target == expr.type:
        return expr
    if isinstance(expr, ir.Number) and isinstance(target, Scalar):
        return integer(target, int(expr.value), expr.pos)
    if isinstance(target, Scalar):
        return cast(expr, target)
    if isinstance(expr, ir.Splat):
        return ir.Splat(target, expr.pos, read_as(expr.operand, signed))
    raise AssertionError(target)


def cast(expr: ir.Expr, type: Type, implicit: bool = False) -> ir.Expr:
    """A scalar or pointer as another one."""
    if expr.type == type:
        return expr
    if isinstance(expr, ir.Cast) and not implicit and isinstance(type, Pointer) and isinstance(expr.type, Pointer) \
            and isinstance(expr.operand.type, Pointer):
        return cast(expr.operand, type)
    if isinstance(expr, ir.Cast) and isinstance(type, Scalar) and isinstance(expr.type, Scalar) and type.kind == "int" \
            and isinstance(expr.operand.type, Scalar) and expr.operand.type.kind == "int" and expr.type.kind == "int" \
            and expr.type.size == type.size:
        return cast(expr.operand, type)  # the first decides the bits, the second how they are read
    if isinstance(expr, ir.Number) and isinstance(type, Scalar) and type.kind == "int" and isinstance(expr.value, int):
        return integer(type, expr.value, expr.pos)
    return ir.Cast(type, expr.pos, expr, implicit)


# -- places ------------------------------------------------------------------------------------------------------------


def at(pointer: ir.Expr) -> ir.Expr:
    """What the pointer points to."""
    assert isinstance(pointer.type, Pointer)
    if isinstance(pointer, ir.Unary) and pointer.op == "&":
        return pointer.operand
    return ir.Unary(pointer.type.pointee, pointer.pos, "*", pointer)


def address(place: ir.Expr, type: Pointer) -> ir.Expr:
    """A pointer to the place."""
    if isinstance(place, ir.Unary) and place.op == "*" and place.operand.type == type:
        return place.operand
    return ir.Unary(type, place.pos, "&", place)


def element(pointer: ir.Expr, index: ir.Expr) -> ir.Expr:
    """The object so many after the one that is pointed to."""
    assert isinstance(pointer.type, Pointer)
    if isinstance(index, ir.Number) and index.value == 0:
        return at(pointer)
    return ir.Index(pointer.type.pointee, pointer.pos, pointer, index)


def subscript(index: ir.Expr) -> ir.Expr:
    """3.49.8: "all indexes are treated as signed"; what widens an integer does C++ by itself."""
    if isinstance(index, ir.Number):
        return integer(INT if -(1 << 31) <= read_as(index, True).value < 1 << 31 else LONG,  # type: ignore[attr-defined]
                       int(read_as(index, True).value), index.pos)  # type: ignore[attr-defined]
    while isinstance(index, ir.Cast) and isinstance(index.type, Scalar) and index.type.size == 8:
        inner = index.operand
        if not (isinstance(inner.type, Scalar) and inner.type.kind == "int" and inner.type.size <= 8):
            break
        index = inner
        if inner.type.size < 8:
            return index
    if isinstance(index.type, Scalar) and index.type.size < 8:
        return read_as(index, True)
    return index


def member(place: ir.Expr, record: Record, number: int) -> ir.Expr:
    assert record.fields is not None
    field = record.fields[number]
    assert field.name is not None
    return ir.Member(field.type, place.pos, place, False, field.name)


def component(vector: ir.Expr, number: int) -> ir.Expr:
    """One component as a value or place; of a vector that is made right here the component itself."""
    assert isinstance(vector.type, Vector)
    if isinstance(vector, ir.MakeVector) and all(isinstance(part.type, Scalar) for part in vector.parts):
        return vector.parts[number]
    if isinstance(vector, ir.Splat):
        return vector.operand
    return ir.Component(vector.type.element, vector.pos, vector, number)


def parts(vector: ir.Expr) -> list[ir.Expr]:
    assert isinstance(vector.type, Vector)
    return [component(vector, i) for i in range(vector.type.width)]


def negated(condition: ir.Expr) -> ir.Expr:
    """The opposite of a scalar boolean."""
    if isinstance(condition, ir.Unary) and condition.op == "!":
        return condition.operand
    if isinstance(condition, ir.Number):
        return boolean(not condition.value, condition.pos)
    if isinstance(condition, ir.Binary) and condition.type == BOOL:
        floats = isinstance(condition.left.type, Scalar) and condition.left.type.kind == "float"
        opposites = {"==": "!=", "!=": "=="} if floats else {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
        if condition.op in opposites:
            return dataclasses.replace(condition, op=opposites[condition.op])
    return ir.Unary(BOOL, condition.pos, "!", condition)


def is_larger(expr: ir.Expr, most: int) -> bool:
    """Whether an expression has more nodes than that."""
    return next(islice(expressions_of(expr), most, None), None) is not None


def constant_integer(expr: ir.Expr) -> int | None:
    while isinstance(expr, ir.Cast) and isinstance(expr.type, Scalar) and expr.type.kind == "int":
        expr = expr.operand
    return expr.value if isinstance(expr, ir.Number) and isinstance(expr.value, int) else None
