"""What OpSpecConstantOp computes: scalar integers and booleans, as the length of an array may need them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir import nodes as ir
from ..ir.types import BOOL, Scalar, Type
from . import build
from .errors import NotOffered
from .reader import Instruction


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def _quotient(a: int, b: int) -> int:
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# Results for operands without a sign, or for their bits where the sign matters.
_UNSIGNED: dict[str, Callable[..., int]] = {
    "OpIAdd": lambda a, b: a + b, "OpISub": lambda a, b: a - b, "OpIMul": lambda a, b: a * b,
    "OpSNegate": lambda a: -a, "OpNot": lambda a: ~a,
    "OpUDiv": lambda a, b: a // b if b else 0, "OpUMod": lambda a, b: a % b if b else 0,
    "OpShiftLeftLogical": lambda a, b: a << min(b, 64), "OpShiftRightLogical": lambda a, b: a >> b,
    "OpBitwiseAnd": lambda a, b: a & b, "OpBitwiseOr": lambda a, b: a | b, "OpBitwiseXor": lambda a, b: a ^ b,
    "OpIEqual": lambda a, b: a == b, "OpINotEqual": lambda a, b: a != b, "OpULessThan": lambda a, b: a < b,
    "OpULessThanEqual": lambda a, b: a <= b, "OpUGreaterThan": lambda a, b: a > b, "OpUGreaterThanEqual": lambda a, b: a >= b,
    "OpLogicalAnd": lambda a, b: a & b, "OpLogicalOr": lambda a, b: a | b, "OpLogicalNot": lambda a: not a,
    "OpLogicalEqual": lambda a, b: a == b, "OpLogicalNotEqual": lambda a, b: a != b, "OpUConvert": lambda a: a,
    "OpSelect": lambda c, a, b: a if c else b,
}  # fmt: skip
_SIGNED: dict[str, Callable[..., int]] = {
    "OpSDiv": _quotient, "OpSRem": lambda a, b: a - b * _quotient(a, b) if b else 0, "OpSMod": lambda a, b: a % b if b else 0,
    "OpShiftRightArithmetic": lambda a, b: a >> b, "OpSLessThan": lambda a, b: a < b, "OpSLessThanEqual": lambda a, b: a <= b,
    "OpSGreaterThan": lambda a, b: a > b, "OpSGreaterThanEqual": lambda a, b: a >= b, "OpSConvert": lambda a: a,
}  # fmt: skip
FOLDED = frozenset((*_UNSIGNED, *_SIGNED, "OpBitcast"))


def fold(name: str, type: Type, values: Sequence[ir.Expr], operands: Sequence[int], by: Instruction) -> ir.Expr:
    """The number that the instruction gives."""
    numbers = []
    for value in values:
        if not isinstance(value, ir.Number) or not isinstance(value.type, Scalar) or not isinstance(value.value, int):
            raise NotOffered(f"{name} of a constant that is no integer is not offered", by.offset, repr(by))
        bits = value.type.bits
        plain = value.value & ((1 << bits) - 1)
        numbers.append(_signed(plain, bits) if name in _SIGNED else plain)
    if not isinstance(type, Scalar) or type.kind == "float":
        raise NotOffered(f"{name} that gives a '{type}' is not offered in a constant", by.offset, repr(by))
    if name == "OpBitcast":
        return build.integer(type, numbers[0], by.offset)
    rule = _SIGNED.get(name) or _UNSIGNED[name]
    try:
        result = int(rule(*numbers))
    except TypeError:
        raise by.fail(f"{name} does not take {len(numbers)} operands") from None
    return build.boolean(bool(result), by.offset) if type == BOOL else build.integer(type, result, by.offset)
