"""Numbers as C++ spells them."""

from __future__ import annotations

import math
import re
import struct

from ..ir import nodes as ir
from ..ir.types import FLOAT, Scalar

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
        if type.name == "float":
            try:
                exact = struct.unpack("f", struct.pack("f", value))[0] == value
            except OverflowError:
                exact = False
            if not exact:
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

