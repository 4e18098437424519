"""Literals: the type and value of numbers and characters (C99 6.4.4, specification 6.3.1), and their C++ spelling."""

from __future__ import annotations

import math
import re

from ...ir import nodes as ir
from ...ir.literals import characters
from ...ir.types import DOUBLE, FLOAT, INT, LONG, UINT, ULONG, Scalar
from . import halves
from .scope import Unit


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
            value = int.from_bytes(bytes(codes), "big", signed=len(codes) == 4)
            return ir.Number(INT, pos, str(value), value)
        value = codes[0] - 256 if codes[0] > 127 else codes[0]
        return ir.Number(INT, pos, text, value)
    if kind == "int" or re.fullmatch(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uUlL]*", text):
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
            raise unit.fail(pos, "integer literal is too large to be represented in any integer type")
        # `long long` is a type of its own in C++ and does not exist in OpenCL.
        return ir.Number(type, pos, digits + suffix.replace("ll", "l"), value)
    return _floating(unit, text, pos)


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
    if suffix == "f" or unit.options.single_precision_constant:
        return ir.Number(FLOAT, pos, digits + "f", value)
    return ir.Number(DOUBLE, pos, digits, value)
