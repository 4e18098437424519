"""Conversions between types (section 3.49.11)."""

from __future__ import annotations

from ..ir import nodes as ir
from ..ir.types import BOOL, INT, Opaque, Pointer, Scalar, Vector, size_of
from . import build, library
from .arithmetic import is_float, signed
from .body import Body, Rule
from .grammar import enumerant_name
from .reader import Instruction

_ROUNDINGS = {"RTE": "_rte", "RTZ": "_rtz", "RTP": "_rtp", "RTN": "_rtn"}


def _converts(from_sign: bool | None, to_sign: bool | None, saturates: bool = False) -> Rule:
    """None: floating point."""

    def make(body: Body, each: Instruction) -> ir.Expr:
        value, type = body.operand(each, 0), body.value_type(each)
        if not isinstance(type, (Scalar, Vector)) or is_float(value.type) != (from_sign is None) or is_float(type) != (to_sign is None):
            raise each.fail(f"it does not convert a '{value.type}' to a '{type}'")
        if getattr(value.type, "width", 1) != getattr(type, "width", 1) or BOOL in (value.type, type):
            raise each.fail(f"it does not convert a '{value.type}' to a '{type}'")
        if from_sign is not None:
            value = signed(value, from_sign)
        if to_sign is not None:
            type = build.with_sign(type, to_sign)
        saturated = saturates or body.module.decoration(each.result, "SaturatedConversion") is not None
        rounding = body.module.decoration(each.result, "FPRoundingMode")
        suffix = "_sat" * saturated + (_ROUNDINGS[enumerant_name("FPRoundingMode", rounding[0])] if rounding else "")
        if saturated and to_sign is None:
            raise each.fail("a conversion to floating point cannot saturate")
        if suffix or isinstance(type, Vector):
            return value if value.type == type and not suffix else library.convert(value, type, suffix)
        if from_sign is not None and to_sign is not None and value.type == type:
            return value
        return build.cast(value, type)

    return Rule(make)


def _bitcast(body: Body, each: Instruction) -> ir.Expr:
    value, type = body.operand(each, 0), body.value_type(each)
    if isinstance(type, Pointer):
        if isinstance(value.type, Pointer):
            return build.cast(value, type)
        if isinstance(value.type, Scalar) and value.type.kind == "int" and value.type.size == 8:
            return ir.Cast(type, each.offset, value, False)
        if isinstance(value.type, Vector):
            return ir.Cast(type, each.offset, library.as_type(value, build.ULONG), False)
    elif isinstance(value.type, Pointer) and isinstance(type, (Scalar, Vector)):
        address = ir.Cast(build.ULONG, each.offset, value, False)
        return address if type == build.ULONG else library.as_type(address, type)
    if build.with_sign(value.type, False) == build.with_sign(type, False):
        return value
    if not isinstance(type, (Scalar, Vector)) or not isinstance(value.type, (Scalar, Vector)):
        raise each.fail(f"it does not convert a '{value.type}' to a '{type}'")
    if isinstance(value.type, Vector) and isinstance(type, Scalar) and _are_bits(value.type, type):
        return _bits_of(body, value, type, each)
    if isinstance(value.type, Scalar) and isinstance(type, Vector) and _are_bits(type, value.type):
        return _booleans_of(body, value, type, each)
    return library.as_type(value, type)


def _are_bits(vector: Vector, integer: Scalar) -> bool:
    """Whether the vector can only be one of booleans, by the integer that it becomes: LLVM's booleans have one bit, and llvm-spirv hands
    on what it casts them to. SPIR-V's have none that it would tell."""
    return integer.kind == "int" and vector.width == integer.bits and size_of(vector) != integer.size


def _bits_of(body: Body, booleans: ir.Expr, type: Scalar, each: Instruction) -> ir.Expr:
    """The first is the lowest bit. A true one has all bits set."""
    vector = body.define(body.variable(each, booleans.type, "_booleans"), booleans)
    found: ir.Expr | None = None
    for number, part in enumerate(build.parts(vector)):
        bit = ir.Binary(INT, each.offset, "&", build.cast(part, INT), build.integer(INT, 1 << number, each.offset))
        found = bit if found is None else ir.Binary(INT, each.offset, "|", found, bit)
    assert found is not None
    return build.cast(found, type)


def _booleans_of(body: Body, bits: ir.Expr, type: Vector, each: Instruction) -> ir.Expr:
    integer = body.define(body.variable(each, bits.type, "_bits"), bits)
    pos, parts = each.offset, []
    for number in range(type.width):
        shifted = ir.Binary(INT, pos, ">>", build.cast(integer, INT), build.integer(INT, number, pos))
        set_bit = ir.Binary(INT, pos, "&", shifted, build.integer(INT, 1, pos))
        parts.append(build.cast(ir.Unary(INT, pos, "-", set_bit), type.element))
    return ir.MakeVector(type, pos, list(parts))


def _pointer_to_integer(body: Body, each: Instruction) -> ir.Expr:
    value, type = body.operand(each, 0), body.value_type(each)
    if not isinstance(value.type, Pointer) or not isinstance(type, Scalar) or type.kind != "int":
        raise each.fail(f"it does not convert a '{value.type}' to a '{type}'")
    return ir.Cast(type, each.offset, value, False)


def _integer_to_pointer(body: Body, each: Instruction) -> ir.Expr:
    value, type = body.operand(each, 0), body.value_type(each)
    if type == Opaque("reserve_id_t") and build.constant_integer(value) is not None:
        return build.zero(type, each.offset)  # what llvm-spirv makes of CLK_NULL_RESERVE_ID
    if not isinstance(type, Pointer) or not isinstance(value.type, Scalar) or value.type.kind != "int":
        raise each.fail(f"it does not convert a '{value.type}' to a '{type}'")
    return ir.Cast(type, each.offset, build.cast(signed(value, False), build.ULONG), False)


RULES: dict[str, Rule] = {
    "OpConvertFToU": _converts(None, False), "OpConvertFToS": _converts(None, True), "OpConvertSToF": _converts(True, None),
    "OpConvertUToF": _converts(False, None), "OpUConvert": _converts(False, False), "OpSConvert": _converts(True, True),
    "OpFConvert": _converts(None, None), "OpSatConvertSToU": _converts(True, False, True), "OpSatConvertUToS": _converts(False, True, True),
    "OpBitcast": Rule(_bitcast), "OpConvertPtrToU": Rule(_pointer_to_integer), "OpConvertUToPtr": Rule(_integer_to_pointer),
}  # fmt: skip
