"""Literals: the type and value of numbers and characters (C99 6.4.4, specification 6.3.1), and their C++ spelling."""

from __future__ import annotations

import math
import re
import struct
from functools import lru_cache
from typing import NamedTuple

from ...ir import nodes as ir
from ...ir.constants import wrap
from ...ir.literals import character_value, characters, wide_characters
from ...ir.types import DOUBLE, FLOAT, INT, LONG, UINT, ULONG, Scalar
from . import halves
from .scope import Unit

_TOO_LARGE = "integer literal is too large to be represented in any integer type"
# A number that is not zero: decimal and hexadecimal.
_SIGNIFICANT = re.compile(r"[0.]*[1-9]"), re.compile(r"0[xX][0.]*[1-9a-fA-F]")
# OpenCL's, and C's for _Float16, which clang takes in OpenCL C, too.
_HALF_SUFFIX = re.compile(r"([hH]|[fF]16)$")


def integer_type(value: int, decimal: bool, unsigned: bool, long: bool) -> Scalar | None:
    """The first type of C99 6.4.4.1's list that can hold the value."""
    for type in (INT, UINT, LONG, ULONG):
        if (unsigned and type.signed) or (long and type.size < 8) or (decimal and not unsigned and not type.signed):
            continue
        if value < 1 << (type.bits - type.signed):
            return type
    return ULONG if value < 1 << 64 else None


def number(unit: Unit, kind: str, text: str, pos: int) -> ir.Expr:
    if len(text) < 10 and text.isdecimal() and (text[0] != "0" or text == "0"):
        return ir.Number(INT, pos, text, int(text))  # as most are
    if kind == "char" and text[0] == "L":
        return _wide_character(unit, text, pos)
    if kind == "char":
        codes = characters(text[1:-1])
        if not 1 <= len(codes) <= 4:
            raise unit.fail(pos, "empty character constant" if not codes else "character constant too long for its type")
        if len(codes) > 1:
            unit.warning(pos, "multi-character character constant")
        value = character_value(codes)
        return ir.Number(INT, pos, str(value) if len(codes) > 1 else text, value)
    if kind == "int":
        return _checked(unit, _integer(text), pos)
    if half := _HALF_SUFFIX.search(text):
        if not unit.dialect.has("cl_khr_fp16"):
            raise unit.fail(pos, "half precision constant requires cl_khr_fp16")
        return halves.number(_value(text[: half.start()]), pos, text)
    return _checked(unit, _floating(text, unit.options.single_precision_constant), pos)


def _wide_character(unit: Unit, text: str, pos: int) -> ir.Expr:
    """Its type is wchar_t, which is int here (C99 6.4.4.4)."""
    codes = wide_characters(text[2:-1])
    if len(codes) > 1:
        unit.warning(pos, "extraneous characters in character constant ignored")
    value = wrap(codes[-1], INT)
    return ir.Number(INT, pos, str(value), value)


class _Read(NamedTuple):
    """What a literal says. Its `complaint` is an error where it has no type, else a warning."""

    type: Scalar | None
    spelling: str
    value: int | float
    complaint: str = ""


def _checked(unit: Unit, read: _Read, pos: int) -> ir.Expr:
    type, spelling, value, complaint = read
    if type is None:
        raise unit.fail(pos, complaint.format(spelling))
    if complaint:
        unit.warning(pos, complaint)
    return ir.Number(type, pos, spelling, value)


@lru_cache(maxsize=4096)
def _integer(text: str) -> _Read:
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :].lower()
    base = 16 if digits[:2] in ("0x", "0X") else 2 if digits[:2] in ("0b", "0B") else 8 if digits[0] == "0" and digits != "0" else 10
    if len(digits) > 100:  # Python refuses to read thousands of decimal digits
        return _Read(None, text, 0, _TOO_LARGE)
    try:
        value = int(digits, base)
    except ValueError:
        return _Read(None, text, 0, "invalid digit in octal constant '{}'")
    type = integer_type(value, base == 10, "u" in suffix, "l" in suffix)
    if type is None:
        return _kept(text, value)
    if base == 10 and "u" not in suffix and not type.signed:
        # C99 has no type for it. Its value in C++ would be another compiler's choice; ours is clang's.
        return _Read(type, digits + "ul", value,
                     "integer literal is too large to be represented in a signed integer type, interpreting as unsigned")
    # `long long` is a type of its own in C++ and does not exist in OpenCL.
    return _Read(type, digits + suffix.replace("ll", "l"), value)


def _kept(text: str, value: int) -> _Read:
    """What conversion to ulong keeps of a constant beyond 64 bits: for clang it has 128, and is converted where it is used."""
    if value >= 1 << 128:
        return _Read(None, text, 0, _TOO_LARGE)
    kept = value & ((1 << 64) - 1)
    return _Read(ULONG, f"{kept:#x}ul", kept, f"integer literal is too large to be represented in 64 bits, of which {kept:#x} is kept")


def least_long(literal: ir.Expr, pos: int) -> ir.Expr | None:
    """-9223372036854775808, which programs write for the least long, as NVIDIA's compiler takes it; None for any other number."""
    if not (isinstance(literal, ir.Number) and literal.type == ULONG and literal.text == "9223372036854775808ul"):
        return None
    number = ir.Number(LONG, pos, "9223372036854775807l", (1 << 63) - 1)
    return ir.Binary(LONG, pos, "-", ir.Unary(LONG, pos, "-", number), ir.Number(LONG, pos, "1l", 1))


@lru_cache(maxsize=4096)
def _floating(text: str, single_precision: bool) -> _Read:
    """A number of single or double precision."""
    hexadecimal = _is_hexadecimal(text)
    suffix = text[-1].lower() if text[-1] in "lL" or (text[-1] in "fF" and not (hexadecimal and "p" not in text.lower())) else ""
    digits = text[: len(text) - len(suffix)]
    value = _value(digits)
    single = suffix == "f" or single_precision
    type, held = (FLOAT, _single(value)) if single else (DOUBLE, value)
    # CUDA's compiler refuses a literal that its type cannot hold.
    if math.isinf(held):
        bits = 0x7F800000 if single else 0x7FF0000000000000
        return _Read(type, f"__builtin_bit_cast({type}, {bits:#x})", held,
                     f"magnitude of floating-point constant too large for type '{type}'")
    if held == 0 and _SIGNIFICANT[hexadecimal].match(digits):
        return _Read(type, "0.0" + "f" * single, held, f"magnitude of floating-point constant too small for type '{type}'")
    return _Read(type, digits + "f" * single, held)


def _is_hexadecimal(text: str) -> bool:
    return text[:2] in ("0x", "0X")


def _value(digits: str) -> float:
    try:
        return float.fromhex(digits) if _is_hexadecimal(digits) else float(digits)
    except OverflowError:
        return math.inf


def _single(value: float) -> float:
    """The float nearest to the value."""
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.inf
