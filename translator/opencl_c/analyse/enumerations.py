"""The types of enumerations and of their constants (C99 6.7.2.2), where C leaves them open as clang chooses them."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import nodes as ir
from ...ir.constants import wrap
from ...ir.types import CHAR, INT, LONG, SHORT, UCHAR, UINT, ULONG, USHORT, Scalar


def _holds(type: Scalar, value: int) -> bool:
    return wrap(value, type) == value


def within_definition(value: int, given: Scalar) -> Scalar:
    """The type of a constant with a value of its own, until the definition ends."""
    return INT if _holds(INT, value) else given


def following(value: int, type: Scalar) -> tuple[int, Scalar]:
    """The value behind another constant's, and its type until the definition ends."""
    value += 1
    if not _holds(type, value):
        type = LONG if type.signed and type != LONG else ULONG
    return wrap(value, type), type


def settle(enumerators: Sequence[ir.Enumerator], packed: bool) -> Scalar:
    """The enumeration's type. Its constants are int from now on where that holds them, and of the enumeration's type otherwise."""
    values = [each.value for each in enumerators]
    signed = min(values) < 0
    narrow = ((CHAR, SHORT) if signed else (UCHAR, USHORT)) if packed else ()
    choices = (*narrow, *((INT, LONG) if signed else (UINT, ULONG)))
    type = next((each for each in choices if _holds(each, min(values)) and _holds(each, max(values))), choices[-1])
    for each in enumerators:
        each.type = INT if _holds(INT, each.value) else type
    return type


def given(enumerators: Sequence[ir.Enumerator], type: Scalar) -> Scalar:
    """The type that the program says, which its constants have, too (C23 6.7.3.3)."""
    for each in enumerators:
        each.type, each.value = type, wrap(each.value, type)
    return type
