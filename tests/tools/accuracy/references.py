"""What the functions should give: exactly, from NumPy, or to 40 digits, from mpmath.

A reference is three arrays: the double near to the exact value, what remains in units in the last place of the function's type, and
the exponent of that unit. NaN as a remainder says that nothing is known: infinite arguments and poles belong to the tests of edge cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import numpy as np

from .functions import FORMATS, Function

mp = mpmath.mp
_DIGITS = 140  # bits


class Reference(NamedTuple):
    nearest: np.ndarray
    rest: np.ndarray
    exponent: np.ndarray


class Unknown(Exception):
    """The exact value does not tell the result: there are two zeros."""


def _real_root(x: Any, n: Any) -> Any:
    if not x:
        raise Unknown
    if n == 0 or (x < 0 and n % 2 == 0):
        return mp.nan
    root = mpmath.power(abs(x), mpmath.mpf(1) / n)
    return root if x >= 0 else -root


def _log_gamma(x: Any) -> Any:
    if x > 0:
        return mpmath.loggamma(x)
    return mpmath.log(mp.pi / abs(mpmath.sinpi(x))) - mpmath.loggamma(1 - x)


def _gamma(x: Any) -> Any:
    return mpmath.gamma(x) if x < 1e4 else mp.inf


def _angle(y: Any, x: Any) -> Any:
    if not y:
        raise Unknown  # the sign of a zero decides
    return mpmath.atan2(y, x)


def _power(x: Any, y: Any) -> Any:
    return mpmath.power(x, y) if x else mp.nan if y == 0 else mpmath.mpf(0) if y > 0 else mp.inf


# The functions of real numbers. A complex result means NaN.
REAL: dict[str, Callable[..., Any]] = {
    "acos": mpmath.acos,
    "acosh": mpmath.acosh,
    "acospi": lambda x: mpmath.acos(x) / mp.pi,
    "asin": mpmath.asin,
    "asinh": mpmath.asinh,
    "asinpi": lambda x: mpmath.asin(x) / mp.pi,
    "atan": mpmath.atan,
    "atan2": _angle,
    "atanh": mpmath.atanh,
    "atanpi": lambda x: mpmath.atan(x) / mp.pi,
    "atan2pi": lambda y, x: _angle(y, x) / mp.pi,
    "cbrt": lambda x: _real_root(x, 3),
    "cos": mpmath.cos,
    "cosh": mpmath.cosh,
    "cospi": mpmath.cospi,
    "degrees": mpmath.degrees,
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "exp": mpmath.exp,
    "exp10": lambda x: mpmath.exp(x * mp.ln10) if abs(x) < 400 else mp.inf if x > 0 else mpmath.mpf("1e-400"),
    "exp2": lambda x: mpmath.power(2, x),
    "expm1": mpmath.expm1,
    "hypot": mpmath.hypot,
    "lgamma": _log_gamma,
    "lgamma_r": _log_gamma,
    "log": mpmath.log,
    "log10": mpmath.log10,
    "log1p": mpmath.log1p,
    "log2": lambda x: mpmath.log(x, 2),
    "pow": mpmath.power,
    "pown": mpmath.power,
    "powr": lambda x, y: _power(x, y) if x >= 0 else mp.nan,
    "radians": mpmath.radians,
    "rootn": _real_root,
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "sin": mpmath.sin,
    "sincos": mpmath.sin,
    "sincos *cosval": mpmath.cos,
    "sinh": mpmath.sinh,
    "sinpi": mpmath.sinpi,
    "sqrt": mpmath.sqrt,
    "tan": mpmath.tan,
    "tanh": mpmath.tanh,
    "tanpi": lambda x: mpmath.sinpi(x) / mpmath.cospi(x),
    "tgamma": _gamma,
}


def _round(x: np.ndarray) -> np.ndarray:
    """Halves away from zero."""
    down = np.floor(np.abs(x))
    return np.copysign(np.where(np.abs(x) - down >= 0.5, down + 1, down), x)


def _quotient(x: float, y: float) -> int:
    """The low seven bits of the quotient nearest to x / y, with its sign."""
    if not (math.isfinite(x) and math.isfinite(y) and y):
        return 0
    nearest = round(Fraction(x) / Fraction(y))
    return -(-nearest & 127) if nearest < 0 else nearest & 127


def _remainder(x: float, y: float) -> float:
    return math.remainder(x, y) if math.isfinite(x) and y != 0 else math.nan


def _exponents(x: np.ndarray) -> np.ndarray:
    return np.frexp(x)[1].astype(np.float64) - 1


def _fract(x: np.ndarray) -> np.ndarray:
    return np.where(np.isinf(x) | (x == 0), np.copysign(0, x), x - np.floor(x))


# Results that are doubles, exactly. "If one argument is a NaN, fmax() returns the other argument", as NumPy's does.
EXACT: dict[str, Callable[..., np.ndarray]] = {
    "ceil": np.ceil,
    "clamp": lambda x, low, high: np.fmin(np.fmax(x, low), high),
    "copysign": np.copysign,
    "fabs": np.abs,
    "fdim": lambda x, y: np.where(x <= y, 0, x - y),
    "floor": np.floor,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "fmod": np.fmod,
    "fract": _fract,
    "fract *iptr": np.floor,
    "frexp": lambda x: np.frexp(x)[0],
    "frexp *exp": lambda x: np.frexp(x)[1].astype(np.float64),
    "ilogb": lambda x: np.where((x == 0) | np.isnan(x), -(2.0**31), np.where(np.isinf(x), 2.0**31 - 1, _exponents(x))),
    "ldexp": np.ldexp,
    "logb": lambda x: np.where(np.isfinite(x), np.where(x == 0, -np.inf, _exponents(x)), np.abs(x)),
    "max": np.fmax,
    "maxmag": lambda x, y: np.where(np.abs(x) > np.abs(y), x, np.where(np.abs(y) > np.abs(x), y, np.fmax(x, y))),
    "min": np.fmin,
    "minmag": lambda x, y: np.where(np.abs(x) < np.abs(y), x, np.where(np.abs(y) < np.abs(x), y, np.fmin(x, y))),
    "modf": lambda x: np.modf(x)[0],
    "modf *iptr": np.trunc,
    "remainder": np.vectorize(_remainder, otypes=[np.float64]),
    "remquo": np.vectorize(_remainder, otypes=[np.float64]),
    "remquo *quo": np.vectorize(_quotient, otypes=[np.float64]),
    "rint": np.rint,
    "round": _round,
    "sign": lambda x: np.where(np.isnan(x), 0, np.where(x == 0, x, np.sign(x))),
    "step": lambda edge, x: np.where(x < edge, 0.0, 1.0),
    "trunc": np.trunc,
    "x + y": np.add,
    "x - y": np.subtract,
    "x * y": np.multiply,
    "x / y": np.divide,
    "1 / x": lambda x: 1 / x,
}


# Where the specification says what the result is (6.15.4), and what it takes its sign from has one.
CONDITIONS: dict[str, Callable[..., np.ndarray]] = {
    "clamp": lambda x, low, high: low <= high,
    **dict.fromkeys(("half_cos", "half_sin", "half_tan"), lambda x: np.abs(x) <= 65536),
    "copysign": lambda x, y: ~np.isnan(y),
    "max": lambda x, y: np.isfinite(x) & np.isfinite(y),
    "min": lambda x, y: np.isfinite(x) & np.isfinite(y),
}


def _fused(x: float, y: float, z: float) -> Any:
    return mpmath.fadd(mpmath.fmul(x, y, exact=True), z, exact=True)


REAL["fma"] = _fused
KNOWN = (*REAL, *EXACT)


def reference(function: Function, arguments: Sequence[np.ndarray]) -> Reference:
    """What a function gives at these arguments."""
    if function.label in EXACT:
        with np.errstate(all="ignore"):
            arguments = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arguments]
            nearest = np.asarray(EXACT[function.label](*arguments), np.float64)
        if function.label == "fract":
            nearest = np.minimum(nearest, 1 - 2.0 ** -FORMATS[function.element].bits)
        known = CONDITIONS.get(function.label, lambda *x: np.full(len(x[0]), True))(*arguments)
        return Reference(nearest, np.where(known, 0.0, math.nan), _unit_exponents(nearest, function.element))
    found = np.empty((3, len(arguments[0])))
    with mp.workprec(_DIGITS):
        for i, values in enumerate(zip(*(a.tolist() for a in arguments), strict=True)):
            found[:, i] = _at(function, values)
    return Reference(found[0], found[1], found[2])


def _at(function: Function, values: tuple[Any, ...]) -> tuple[float, float, float]:
    unknown = (math.nan, math.nan, 0.0)
    if not all(map(math.isfinite, values)):
        return unknown
    try:
        exact = REAL[function.label](*(mpmath.mpf(v) if isinstance(v, float) else v for v in values))
    except (ValueError, ZeroDivisionError, OverflowError, Unknown):
        return unknown
    if isinstance(exact, mpmath.mpc) or mpmath.isnan(exact):
        return math.nan, 0.0, 0.0
    if mpmath.isinf(exact):
        return float(exact), 0.0, 0.0
    if not exact:
        return 0.0, 0.0, 0.0
    bits, least, greatest = FORMATS[function.element]
    mantissa, exponent = mpmath.frexp(exact)
    exponent = min(max(exponent - 1 - (abs(mantissa) == 0.5), least), greatest) - bits + 1
    nearest = float(exact)
    return nearest, float(mpmath.ldexp(exact - nearest, -exponent)) if math.isfinite(nearest) else 0.0, float(exponent)


def _unit_exponents(values: np.ndarray, element: str) -> np.ndarray:
    bits, least, greatest = FORMATS[element]
    mantissa, exponent = np.frexp(values)
    return np.clip(exponent - 1 - (np.abs(mantissa) == 0.5), least, greatest) - (bits - 1.0)


def distances(function: Function, got: np.ndarray, of: Reference) -> np.ndarray:
    """How far results are from a reference, in units in the last place; NaN where nothing is known."""
    nearest, rest, exponent = of
    # "Math functions are allowed to return infinity" as if it were the number that would follow the greatest.
    above = np.longdouble(2) ** (FORMATS[function.element].greatest + 1)
    with np.errstate(all="ignore"):
        number = np.where(np.isinf(got) & np.isfinite(nearest), np.copysign(above, got.astype(np.longdouble)), got)
        found = np.abs(np.ldexp(number - nearest, -exponent.astype(np.int32)) - rest).astype(np.float64)
        same = (np.isnan(got) & np.isnan(nearest)) | ((got == nearest) & (rest == 0))
        same |= np.isinf(got) & (np.abs(nearest) >= above) & (np.signbit(got) == np.signbit(nearest))
    found = np.where(same, 0, np.where(np.isnan(got) | np.isnan(found), np.inf, found))
    if function.signed_zeros and function.label in EXACT:
        found = np.where((got == 0) & (nearest == 0) & (np.signbit(got) != np.signbit(nearest)), np.inf, found)
    return np.where(np.isnan(rest), np.nan, found)
