"""Numbers as C++ spells them."""

from __future__ import annotations

import math
import re
import struct

from ..ir import nodes as ir
from ..ir.constants import float_value
from ..ir.types import DOUBLE, FLOAT, Scalar

EXACT = 1 << 24  # up to which float holds every integer
_WHOLE = re.compile(r"\d+\.?0*[fF]")
_SUFFIX = {"uint": "u", "long": "l", "ulong": "ul"}


def number_text(number: ir.Number) -> str:
    """The literal as the user wrote it, but for an integer that float does not hold: NVRTC 13.0 takes its digits for the value where it
    computes constants."""
    if -EXACT < number.value < EXACT:
        return number.text
    decimal = number.type == FLOAT and _WHOLE.fullmatch(number.text)
    if decimal and abs(number.value) < 1 << 64 and float(number.text[:-1]) != number.value:
        return f"{float(number.value):.1f}f"
    return number.text


def converted_number(number: ir.Number, type: Scalar, sign: str = "") -> str | None:
    """The C++ literal of that type with the number's value, None where only a cast says it."""
    value = number.value
    if type.kind == "float" and type.name != "half":
        if type.name == "float" and not _is_float(value):
            return None
        suffix = "f" if type.name == "float" else ""
        if isinstance(value, int):
            return f"{sign}{value}.0{suffix}" if abs(value) <= 1 << 53 else None
        if math.isinf(value) or number.text.lower().startswith("0x"):
            return None
        digits = number.text.rstrip("fF")
        # The text is not the value where that has been rounded: 0.1f is not 0.1.
        return sign + digits + suffix if type == number.type or float(digits) == value else None
    if isinstance(value, int) and type.kind == "int" and type.size >= 4:
        if value >= 1 << (type.bits - 1) or (sign and not type.signed):
            return None
        return sign + number.text.rstrip("uUlL") + _SUFFIX.get(type.name, "")
    return None


def _is_float(value: float) -> bool:
    """Whether a float holds it as it is."""
    try:
        return bool(struct.unpack("f", struct.pack("f", value))[0] == value)
    except OverflowError:
        return False


def float_quotient(cast: ir.Cast) -> ir.Intrinsic | None:
    """A quotient that is computed in double for a constant's sake and becomes a float, `float x = 1.0 / y`, as one of floats.

    A double has more than twice a float's bits, so that the quotient of two floats, rounded to double and then to float, is the one that is
    rounded to float at once, with which GPUs are quicker. None for other expressions, and for those of which compilers make a product."""
    quotient = cast.operand
    if not (isinstance(quotient, ir.Binary) and quotient.op == "/" and cast.type == FLOAT and quotient.type == DOUBLE):
        return None
    left, right = _as_float(quotient.left), _as_float(quotient.right)
    if left is None or right is None or (isinstance(right, ir.Number) and abs(math.frexp(right.value)[0]) in (0, 0.5)):
        return None
    if isinstance(left, ir.Number) and isinstance(right, ir.Number):
        return None
    if isinstance(left, ir.Number) and left.value == 1:
        return ir.Intrinsic(FLOAT, cast.pos, "reciprocal_to_nearest", [right])
    return ir.Intrinsic(FLOAT, cast.pos, "divide_to_nearest", [left, right])


def _as_float(operand: ir.Expr) -> ir.Expr | None:
    """Of the same value; None where a float may not hold it."""
    value = float_value(operand)
    if value is not None:
        return ir.Number(FLOAT, operand.pos, f"{value!r}f", value) if _is_float(value) else None
    return operand.operand if isinstance(operand, ir.Cast) and operand.operand.type == FLOAT else None
