"""What is measured: arithmetic and every scalar function of 6.15.2 and 6.15.4, for float, double and half, with the expression that calls it,
the expression in double that it is compared with, and its bound.

All of it derives from the signature table; FORMS adds what the table cannot know.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from cl2cuda.builtins.bounds import Bound, bound
from cl2cuda.builtins.rows import ROWS
from cl2cuda.builtins.table import Overload, overloads


class Format(NamedTuple):
    """Bits of the significand, exponents of the least and the greatest normal number."""

    bits: int
    least: int
    greatest: int


FORMATS = {"float": Format(24, -126, 127), "double": Format(53, -1022, 1023), "half": Format(11, -14, 15)}
SECTIONS = ("6.15.2", "6.15.4")
ELEMENTS = tuple(FORMATS)


@dataclass(frozen=True)
class Function:
    """One result of one function.

    label       the function's name, with the result that is meant where there are several
    parameters  "T" for the element, "int", or the integer of nan's code
    got         the call, in OpenCL C, of arguments x, y, z; T is the element
    exact       the same in double, of arguments X, Y, Z
    defined     the condition, in OpenCL C, under which the specification says what the result is
    """

    label: str
    name: str
    element: str
    parameters: tuple[str, ...]
    got: str
    exact: str
    bound: Bound
    defined: str
    relaxed: bool = False

    @property
    def signed_zeros(self) -> bool:
        """Whether the sign of a zero is told by the specification: which of two zeros is the greater is not, and
        -cl-unsafe-math-optimizations takes zeros for one."""
        return not self.relaxed and self.name not in ("fmax", "fmin", "max", "min", "maxmag", "minmag", "clamp")


# The results of each function: (label, call, reference).
FORMS: dict[str, list[tuple[str, str, str]]] = {
    "fract": [
        ("fract", "({ T w; fract(x, &w); })", "({ W = fract(X, &W); W > BELOW_ONE ? BELOW_ONE : W; })"),
        ("fract *iptr", "({ T w; fract(x, &w); w; })", "floor(X)"),
    ],
    "frexp": [
        ("frexp", "({ int k; frexp(x, &k); })", "({ int k; frexp(X, &k); })"),
        ("frexp *exp", "({ int k; frexp(x, &k); k; })", "({ int k; frexp(X, &k); k; })"),
    ],
    "modf": [
        ("modf", "({ T w; modf(x, &w); })", "modf(X, &W)"),
        ("modf *iptr", "({ T w; modf(x, &w); w; })", "trunc(X)"),
    ],
    "sincos": [
        ("sincos", "({ T c; sincos(x, &c); })", "sin(X)"),
        ("sincos *cosval", "({ T c; sincos(x, &c); c; })", "cos(X)"),
    ],
    "lgamma_r": [
        ("lgamma_r", "({ int s; lgamma_r(x, &s); })", "lgamma(X)"),
        ("lgamma_r *signp", "({ int s; lgamma_r(x, &s); s; })", "({ int s; lgamma_r(X, &s); s; })"),
    ],
    "remquo": [
        ("remquo", "({ int q; remquo(x, y, &q); })", "remainder(X, Y)"),
        ("remquo *quo", "({ int q; remquo(x, y, &q); q; })", "({ int q; remquo(X, Y, &q); q; })"),
    ],
    "half_divide": [("half_divide", "half_divide(x, y)", "X / Y")],
    "half_recip": [("half_recip", "half_recip(x)", "1 / X")],
    "native_divide": [("native_divide", "native_divide(x, y)", "X / Y")],
    "native_recip": [("native_recip", "native_recip(x)", "1 / X")],
}
# Operators, with the bounds of float, double and half and that of table 67.
_UNSAFE_QUOTIENT = "fabs(X) >= 0x1p-62 && fabs(X) <= 0x1p62 && fabs(Y) >= 0x1p-62 && fabs(Y) <= 0x1p62"
OPERATORS: list[tuple[str, str, str, tuple[str, str, str], str]] = [
    ("x + y", "x + y", "X + Y", ("0.5", "0.5", "0.5"), ""),
    ("x - y", "x - y", "X - Y", ("0.5", "0.5", "0.5"), ""),
    ("x * y", "x * y", "X * Y", ("0.5", "0.5", "0.5"), ""),
    ("x / y", "x / y", "X / Y", ("2.5", "0.5", "1"), _UNSAFE_QUOTIENT),
    ("1 / x", "(T)1 / x", "1 / X", ("2.5", "0.5", "1"), "fabs(X) >= 0x1p-126 && fabs(X) <= 0x1p126"),
]

# "If x or y are infinite or NaN, the return values are undefined", and so on (6.15.4); absolute errors are for moderate arguments;
# a NaN that goes through conversions has any sign.
_FINITE = "isfinite(x) && isfinite(y)"
DEFINED = {
    "max": _FINITE,
    "min": _FINITE,
    "clamp": "y <= z",
    # "x is an angle in radians, and must be in the range [-2^16, +2^16]" (6.15.2).
    **dict.fromkeys(("half_cos", "half_sin", "half_tan"), "fabs(x) <= 0x1p16 || isinf(x)"),
    "copysign": "!isnan(y)",
    "mix": "z >= 0 && z <= 1 && fabs(x) <= 8 && fabs(y) <= 8",
    "smoothstep": "x < y && fabs(x) <= 1e4 && fabs(y) <= 1e4 && fabs(z) <= 1e4",
}
# Table 67: "derived implementations may implement as exp2(y * log2(x))", where log2 may err by 2^-21: times more than this, that alone
# is worth thousands of units. Negative bases are for integers up to 2^24.
_DERIVED_POWER = "fabs((double)Y) <= 1024 && x != 0"
DEFINED_RELAXED = {
    "pow": f"{_DERIVED_POWER} && (x > 0 || Y == trunc(Y))",
    "powr": f"{_DERIVED_POWER} && x > 0",
    "pown": _DERIVED_POWER,
    "rootn": "Y != 0 && x != 0",
}
# Neither is a function of real numbers, so double says nothing of them; they have tests of their own.
NOT_MEASURED = ("nan", "nextafter")


def functions(element: str, *, relaxed: bool = False) -> list[Function]:
    """All functions of that type; with their bounds under -cl-unsafe-math-optimizations, only those that have one."""
    found: dict[str, Function] = {}
    for name in dict.fromkeys(row.name for row in ROWS if row.section in SECTIONS):
        if name in NOT_MEASURED:
            continue
        for overload in overloads(name):
            for function in _of(overload, element, relaxed):
                found.setdefault(function.label, function)
    return [*_operators(element, relaxed), *found.values()]


def _operators(element: str, relaxed: bool) -> Iterator[Function]:
    for label, got, exact, bounds, condition in OPERATORS:
        if relaxed and not condition:
            continue
        parameters = ("T",) * (1 if label == "1 / x" else 2)
        limit = bound(bounds[ELEMENTS.index(element)])
        yield Function(label, label, element, parameters, got, exact, limit, condition if relaxed else "", relaxed)


def _of(overload: Overload, element: str, relaxed: bool) -> Iterator[Function]:
    values = tuple(t for t in overload.parameters if not t.endswith("*"))
    if values[0] != element or set(values) - {element, "int"}:
        return
    limit = overload.row.relaxed if relaxed else overload.row.bound(element)
    if limit is None:
        return
    parameters = tuple("T" if t == element else t for t in values)
    plain = overload.name.removeprefix("half_").removeprefix("native_")
    small, large = ", ".join("xyz"[: len(values)]), ", ".join("XYZ"[: len(values)])
    for label, got, exact in FORMS.get(overload.name, [(overload.name, f"{overload.name}({small})", f"{plain}({large})")]):
        function = Function(label, overload.name, element, parameters, got, exact, limit, (DEFINED_RELAXED if relaxed else DEFINED).get(overload.name, ""), relaxed)
        yield function
        if limit.elsewhere is not None:
            low, high = limit.domain
            outside = Bound(f"{limit.elsewhere:g} elsewhere", "ulp", limit.elsewhere)
            yield dataclasses.replace(function, label=f"{label} elsewhere", bound=outside, defined=f"!(X >= {low!r} && X <= {high!r})")
