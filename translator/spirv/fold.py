"""What OpSpecConstantOp computes (section 3.49.7) where the value is wanted before anything runs: as an array's length, or as what a
variable of program scope begins with. Numbers and vectors component by component, and the parts of composites.

Vectors of booleans hold 0 and -1 (`type_table`).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..ir import nodes as ir
from ..ir.types import BOOL, CHAR, Array, Record, Scalar, Type, Vector
from . import build
from .errors import NotOffered
from .reader import Instruction

_FLOAT_FORMATS = {2: ("<e", "<H"), 4: ("<f", "<I"), 8: ("<d", "<Q")}


class _Operation(NamedTuple):
    """takes, gives: the kind of operands and result, where they are not integers or booleans; signed: whether integers are read so."""

    of: Callable[..., int | float]
    signed: bool = False
    takes: str = "int"
    gives: str = "int"


# -- numbers -----------------------------------------------------------------------------------------------------------


def _quotient(a: int, b: int) -> int:
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _divided(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if a == 0 or math.isnan(a) or math.isnan(b) else math.copysign(math.inf, a) * math.copysign(1, b)


def _remainder(a: float, b: float) -> float:
    return math.nan if math.isinf(a) or b == 0 else math.fmod(a, b)


def _modulo(a: float, b: float) -> float:
    rest = _remainder(a, b)
    return rest + b if rest and (rest < 0) != (b < 0) else rest


def _whole(a: float) -> int:
    return int(a) if math.isfinite(a) else 0


def _floating(of: Callable[..., float]) -> _Operation:
    return _Operation(of, takes="float", gives="float")


_OPERATIONS = {
    "OpIAdd": _Operation(lambda a, b: a + b), "OpISub": _Operation(lambda a, b: a - b), "OpIMul": _Operation(lambda a, b: a * b),
    "OpSNegate": _Operation(lambda a: -a), "OpNot": _Operation(lambda a: ~a),
    "OpUDiv": _Operation(lambda a, b: a // b if b else 0), "OpUMod": _Operation(lambda a, b: a % b if b else 0),
    "OpSDiv": _Operation(_quotient, True), "OpSRem": _Operation(lambda a, b: a - b * _quotient(a, b) if b else 0, True),
    "OpSMod": _Operation(lambda a, b: a % b if b else 0, True),
    "OpShiftLeftLogical": _Operation(lambda a, b: a << (b & 63)), "OpShiftRightLogical": _Operation(lambda a, b: a >> (b & 63)),
    "OpShiftRightArithmetic": _Operation(lambda a, b: a >> (b & 63), True),
    "OpBitwiseAnd": _Operation(lambda a, b: a & b), "OpBitwiseOr": _Operation(lambda a, b: a | b),
    "OpBitwiseXor": _Operation(lambda a, b: a ^ b),
    "OpIEqual": _Operation(lambda a, b: a == b), "OpINotEqual": _Operation(lambda a, b: a != b),
    "OpULessThan": _Operation(lambda a, b: a < b), "OpULessThanEqual": _Operation(lambda a, b: a <= b),
    "OpUGreaterThan": _Operation(lambda a, b: a > b), "OpUGreaterThanEqual": _Operation(lambda a, b: a >= b),
    "OpSLessThan": _Operation(lambda a, b: a < b, True), "OpSLessThanEqual": _Operation(lambda a, b: a <= b, True),
    "OpSGreaterThan": _Operation(lambda a, b: a > b, True), "OpSGreaterThanEqual": _Operation(lambda a, b: a >= b, True),
    "OpLogicalAnd": _Operation(lambda a, b: a & b), "OpLogicalOr": _Operation(lambda a, b: a | b),
    "OpLogicalNot": _Operation(lambda a: not a), "OpLogicalEqual": _Operation(lambda a, b: a == b),
    "OpLogicalNotEqual": _Operation(lambda a, b: a != b),
    "OpUConvert": _Operation(lambda a: a), "OpSConvert": _Operation(lambda a: a, True),
    "OpFNegate": _floating(lambda a: -a), "OpFAdd": _floating(lambda a, b: a + b), "OpFSub": _floating(lambda a, b: a - b),
    "OpFMul": _floating(lambda a, b: a * b), "OpFDiv": _floating(_divided), "OpFRem": _floating(_remainder), "OpFMod": _floating(_modulo),
    "OpFConvert": _floating(lambda a: a),
    "OpConvertFToS": _Operation(_whole, takes="float"), "OpConvertFToU": _Operation(_whole, takes="float"),
    "OpConvertSToF": _Operation(lambda a: a, True, gives="float"), "OpConvertUToF": _Operation(lambda a: a, gives="float"),
}  # fmt: skip


def fold(name: str, type: Type, values: Sequence[ir.Expr], by: Instruction) -> ir.Expr:
    """The number or vector that the instruction gives."""
    columns = [_components(value, name, by) for value in values]
    if name == "OpBitcast":
        return _reinterpreted(type, columns[0], by)
    count = type.width if isinstance(type, Vector) else 1
    if any(len(column) != count for column in columns[name == "OpSelect" :]):
        raise by.fail(f"{name} does not give a '{type}' of operands '{', '.join(str(value.type) for value in values)}'")
    rows = [[column[at % len(column)] for column in columns] for at in range(count)]
    return _value(type, [_component(name, _element(type, by), row, by) for row in rows], by)


def is_folded(name: str) -> bool:
    return name in _OPERATIONS or name in ("OpSelect", "OpBitcast", "OpVectorShuffle", "OpCompositeExtract", "OpCompositeInsert")


def _components(value: ir.Expr, name: str, by: Instruction) -> list[ir.Number]:
    parts = build.parts(value) if isinstance(value.type, Vector) else [value]
    numbers = [part for part in parts if isinstance(part, ir.Number)]
    if len(numbers) != len(parts):
        raise NotOffered(f"{name} of what is no number, such as an address, is not offered in a constant", by.offset, repr(by))
    return numbers


def _element(type: Type, by: Instruction) -> Scalar:
    element = type.element if isinstance(type, Vector) else type
    if not isinstance(element, Scalar):
        raise by.fail(f"it gives a '{type}'")
    return element


def _component(name: str, type: Scalar, operands: list[ir.Number], by: Instruction) -> ir.Expr:
    if name == "OpSelect":
        chosen = operands[1 if operands[0].value else 2]
        if chosen.type != type:
            raise by.fail(f"it gives a '{chosen.type}', not a '{type}'")
        return chosen
    operation = _OPERATIONS[name]
    numbers = [_read(operand, operation.signed) for operand in operands]
    if any(isinstance(number, float) != (operation.takes == "float") for number in numbers):
        raise by.fail(f"{name} does not take operands of '{', '.join(str(each.type) for each in operands)}'")
    if (type.kind == "float") != (operation.gives == "float"):
        raise by.fail(f"{name} does not give a '{type}'")
    return _number(type, operation.of(*numbers), by.offset)


def _read(number: ir.Number, signed: bool) -> int | float:
    type = number.type
    if not isinstance(type, Scalar) or type.kind == "float":
        return float(number.value)
    value = int(number.value) & ((1 << type.bits) - 1)
    return value - (1 << type.bits) if signed and value >> (type.bits - 1) else value


def _number(type: Scalar, value: int | float, pos: int) -> ir.Expr:
    if type == BOOL:
        return build.boolean(bool(value), pos)
    if type == CHAR:
        return build.integer(CHAR, -int(bool(value)), pos)
    if type.kind == "float":
        return build.floating(type, _float_bits(type.size, value), pos)
    return build.integer(type, int(value), pos)


def _float_bits(size: int, value: int | float) -> int:
    """Those of the floating-point number that is nearest."""
    if isinstance(value, int) and size < 8 and value.bit_length() > 53:
        value = (value >> 11 | bool(value & 0x7FF)) << 11  # rounded to odd, so that what a double loses does not round twice
    floats, integers = _FLOAT_FORMATS[size]
    try:
        data = struct.pack(floats, value)
    except OverflowError:
        data = struct.pack(floats, math.copysign(math.inf, value))
    return int(struct.unpack(integers, data)[0])


def _reinterpreted(type: Type, parts: list[ir.Number], by: Instruction) -> ir.Expr:
    data = b""
    for part in parts:
        assert isinstance(part.type, Scalar)
        number = _read(part, False)
        bits = _float_bits(part.type.size, number) if part.type.kind == "float" else int(number)
        data += bits.to_bytes(part.type.size, "little")
    element = _element(type, by)
    if len(data) != element.size * (type.width if isinstance(type, Vector) else 1):
        raise by.fail(f"a '{type}' has not {len(data)} bytes")
    pieces = [int.from_bytes(data[at : at + element.size], "little") for at in range(0, len(data), element.size)]
    make = build.floating if element.kind == "float" else build.integer
    return _value(type, [make(element, piece, by.offset) for piece in pieces], by)


def _value(type: Type, parts: list[ir.Expr], by: Instruction) -> ir.Expr:
    return ir.MakeVector(type, by.offset, parts) if isinstance(type, Vector) else parts[0]


# -- parts of composites -----------------------------------------------------------------------------------------------


def shuffled(type: Type, left: ir.Expr, right: ir.Expr, numbers: Sequence[int], by: Instruction) -> ir.Expr:
    """OpVectorShuffle's value; 0xFFFFFFFF is an undefined component."""
    parts = [*_components(left, "OpVectorShuffle", by), *_components(right, "OpVectorShuffle", by)]
    if not isinstance(type, Vector) or type.width != len(numbers):
        raise by.fail(f"{len(numbers)} components make no '{type}'")
    if any(len(parts) <= number != 0xFFFFFFFF for number in numbers):
        raise by.fail("the vectors have no such component")
    return _value(type, [build.zero(type.element, by.offset) if n == 0xFFFFFFFF else parts[n] for n in numbers], by)


def extracted(type: Type, whole: ir.Expr, indices: Sequence[int], by: Instruction) -> ir.Expr:
    for index in indices:
        whole = _leading_parts(whole, index, by)[index]
    if isinstance(whole, ir.Number) and isinstance(type, Scalar) and type.kind != "float":
        return _number(type, whole.value, by.offset)  # not as braces hold it
    return whole


def inserted(part: ir.Expr, whole: ir.Expr, indices: Sequence[int], by: Instruction) -> ir.Expr:
    if not indices:
        return _number(CHAR, build.constant_integer(part) or 0, by.offset) if whole.type == CHAR and part.type == BOOL else part
    parts = _leading_parts(whole, indices[0], by)
    parts[indices[0]] = inserted(part, parts[indices[0]], indices[1:], by)
    return _value(whole.type, parts, by) if isinstance(whole.type, Vector) else ir.InitList(whole.type, whole.pos, list(parts))


_MOST = 1 << 16  # items of an array that are written out


def _leading_parts(whole: ir.Expr, index: int, by: Instruction) -> list[ir.Expr]:
    """A composite's parts, as braces hold them, up to that one at least."""
    type = whole.type
    if isinstance(type, Vector) and index < type.width:
        return list(_components(whole, "a part", by))
    if isinstance(type, Array) and index < (type.length or 0) and index < _MOST:
        types = [type.element] * (index + 1)
    elif isinstance(type, Record) and index < len(type.fields or ()):
        types = [field.type for field in type.fields or ()]
    else:
        raise by.fail(f"a '{type}' has no part {index}")
    assert isinstance(whole, ir.InitList)
    items = [*whole.items, *[None] * (len(types) - len(whole.items))]
    return [_zero(types[at if at < len(types) else -1], by.offset) if item is None else item for at, item in enumerate(items)]


def _zero(type: Type, pos: int) -> ir.Expr:
    return ir.InitList(type, pos, []) if isinstance(type, (Array, Record)) else build.zero(type, pos)
