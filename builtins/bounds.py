"""What the specification allows a function to err by: the entries of tables 65, 68 and 69 (7.4), and of table 67, which holds
under -cl-unsafe-math-optimizations.

Owns the notation in which `rows` writes them, and what each means in numbers. A bound is one of:

    4            units in the last place; 0 where nothing is rounded, 0.5 where the result is the exact one, rounded
    2.5+2n       the same, for a vector of n components
    2n-1 max^2   an absolute error: so many times the type's epsilon times the greatest argument's square
    1e-3 absolute
    any, undefined, implementation-defined, fused or not: no number, and why

A relaxed bound may hold only `in` a domain of the argument, and may differ from that of the rest:

    8192 in -1..1
    2^-11 absolute in -pi..pi
    3, 2^-21 absolute in 0.5..2
    3+2x         "3 + floor(fabs(2 * x)) ulp"
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

REASONS = ("any", "undefined", "implementation-defined", "fused or not")


class Bound(NamedTuple):
    """kind: "ulp", "squares" (times epsilon and the greatest argument's square), "absolute", or "none" with a reason. `slope`
    times the width is added to `constant`, or in a relaxed bound times the argument; `domain` is where it holds, `elsewhere`
    what holds outside."""

    text: str
    kind: str = "none"
    constant: float = math.inf
    slope: float = 0
    domain: tuple[float, float] = (-math.inf, math.inf)
    elsewhere: float | None = None

    def at(self, width: int = 1) -> float:
        """The number for that width; infinite where there is none."""
        return self.constant + self.slope * width


def _number(text: str) -> float:
    if "^" in text:
        base, exponent = text.split("^")
        return float(base) ** int(exponent)
    return math.copysign(math.pi, -1 if text[0] == "-" else 1) if text.endswith("pi") else float(text)


def _linear(text: str) -> tuple[float, float]:
    """(constant, slope) of "4", "2.5+2n", "2n-1", "2n"."""
    if "n" not in text and "x" not in text:
        return _number(text), 0
    before, _, after = text.partition("n" if "n" in text else "x")
    constant, _, slope = before.rpartition("+")
    return float(constant or 0) + float(after or 0), float(slope or 1)


@cache
def bound(text: str) -> Bound:
    """The bound that the table's text says."""
    if text in REASONS:
        return Bound(text)
    rest, _, domain = text.partition(" in ")
    low, high = map(_number, domain.split("..")) if domain else (-math.inf, math.inf)
    elsewhere = None
    if ", " in rest:
        usual, rest = rest.split(", ")
        elsewhere = float(usual)
    number, _, kind = rest.partition(" ")
    constant, slope = _linear(number)
    named = {"": "ulp", "max^2": "squares", "absolute": "absolute"}[kind]
    return Bound(text, named, constant, slope, (low, high), elsewhere)
