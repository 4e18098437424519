"""Literals: the type and value of numbers and characters (C99 6.4.4, specification 6.3.1), and their C++ spelling."""

from __future__ import annotations

import math
import re
import struct

from ...ir import nodes as ir
from ...ir.literals import character_value, characters
from ...ir.types import DOUBLE, FLOAT, INT, LONG, UINT, ULONG, Scalar
from . import halves
from .scope import Unit

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uUlL]*")
# A number that is not zero: decimal and hexadecimal.
_SIGNIFICANT = re.compile(r"[0.]*[1-9]"), re.compile(r"0[xX][0.]*[1-9a-fA-F]")


def integer_type(value: int, decimal: bool, unsigned: bool, long: bool) -> Scalar | None:
    """The first type of C99 6.4.4.1's list that can hold the value."""
    for type in (INT, UINT, LONG, ULONG):
        if (unsigned and type.signed) or (long and type.size < 8) or (decimal and not unsigned and not type.signed):
            continue
        if value < 1 << (type.bits - type.signed):
            return type
    return ULONG if value < 1 << 64 else None


def number(unit: Unit, kind: str, text: str, pos: int) -> ir.Expr:
    if kind == "char":
        codes = characters(text[text.index("'") + 1 : -1])
        if not 1 <= len(codes) <= 4:
            raise unit.fail(pos, "empty character constant" if not codes else "character constant too long for its type")
        if len(codes) > 1:
            unit.warning(pos, "multi-character character constant")
        value = character_value(codes)
        return ir.Number(INT, pos, str(value) if len(codes) > 1 else text, value)
    if kind == "int" or _INTEGER.fullmatch(text):
        if len(text) < 10 and text.isdecimal() and (text[0] != "0" or text == "0"):
            return ir.Number(INT, pos, text, int(text))  # as most are
        digits = text.rstrip("uUlL")
        suffix = text[len(digits) :].lower()
        base = 16 if digits[:2] in ("0x", "0X") else 2 if digits[:2] in ("0b", "0B") else 8 if digits[0] == "0" and digits != "0" else 10
        if len(digits) > 100:  # Python refuses to read thousands of decimal digits
            raise unit.fail(pos, "integer literal is too large to be represented in any integer type")
        try:
            value = int(digits, base)
        except ValueError:
            raise unit.fail(pos, f"invalid digit in octal constant '{text}'") from None
        type = integer_type(value, base == 10, "u" in suffix, "l" in suffix)
        if type is None:
            return _kept(unit, value, pos)
        if base == 10 and "u" not in suffix and not type.signed:
            # C99 has no type for it. Its value in C++ would be another compiler's choice; ours is clang's.
            unit.warning(pos, "integer literal is too large to be represented in a signed integer type, interpreting as unsigned")
            return ir.Number(type, pos, digits + "ul", value)
        # `long long` is a type of its own in C++ and does not exist in OpenCL.
        return ir.Number(type, pos, digits + suffix.replace("ll", "l"), value)
    return _floating(unit, text, pos)


def _kept(unit: Unit, value: int, pos: int) -> ir.Number:
    """What conversion to ulong keeps of a constant beyond 64 bits: for clang it has 128, and is converted where it is used."""
    if value >= 1 << 128:
        raise unit.fail(pos, "integer literal is too large to be represented in any integer type")
    kept = value & ((1 << 64) - 1)
    unit.warning(pos, f"integer literal is too large to be represented in 64 bits, of which {kept:#x} is kept")
    return ir.Number(ULONG, pos, f"{kept:#x}ul", kept)


def least_long(literal: ir.Expr, pos: int) -> ir.Expr | None:
    """-9223372036854775808, which programs write for the least long, as NVIDIA's compiler takes it; None for any other number."""
    if not (isinstance(literal, ir.Number) and literal.type == ULONG and literal.text == "9223372036854775808ul"):
        return None
    number = ir.Number(LONG, pos, "9223372036854775807l", (1 << 63) - 1)
    return ir.Binary(LONG, pos, "-", ir.Unary(LONG, pos, "-", number), ir.Number(LONG, pos, "1l", 1))


def _floating(unit: Unit, text: str, pos: int) -> ir.Expr:
    hexadecimal = text[:2] in ("0x", "0X")
    suffix = text[-1].lower() if text[-1] in "hHlL" or (text[-1] in "fF" and not (hexadecimal and "p" not in text.lower())) else ""
    digits = text[: len(text) - len(suffix)]
    try:
        value = float.fromhex(digits) if hexadecimal else float(digits)
    except OverflowError:
        value = math.inf
    if suffix == "h":
        if not unit.dialect.has("cl_khr_fp16"):
            raise unit.fail(pos, "half precision constant requires cl_khr_fp16")
        return halves.number(value, pos, text)
    single = suffix == "f" or unit.options.single_precision_constant
    type, held = (FLOAT, _single(value)) if single else (DOUBLE, value)
    spelling = digits + "f" * single
    # CUDA's compiler refuses a literal that its type cannot hold.
    if math.isinf(held):
        unit.warning(pos, f"magnitude of floating-point constant too large for type '{type}'")
        spelling = f"__builtin_bit_cast({type}, {0x7F800000 if single else 0x7FF0000000000000:#x})"
    elif held == 0 and _SIGNIFICANT[hexadecimal].match(digits):
        unit.warning(pos, f"magnitude of floating-point constant too small for type '{type}'")
        spelling = "0.0" + "f" * single
    return ir.Number(type, pos, spelling, held)


def _single(value: float) -> float:
    """The float nearest to the value."""
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.inf
