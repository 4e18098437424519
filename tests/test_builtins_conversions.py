"""convert_type against exact arithmetic: every pair of scalar types, saturation and rounding mode (6.4.3)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from builtin_functions import DTYPES, Functions, functions_on, overload

from cl2cuda.builtins.typenames import ARITHMETIC, FLOATS, INTEGERS

ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")
ROUND = {"_rte": round, "_rtz": math.trunc, "_rtp": math.ceil, "_rtn": math.floor}


def names(to: str) -> list[str]:
    saturations = ("", "_sat") if to in INTEGERS else ("",)
    return [f"convert_{to}{s}{r}" for s in saturations for r in ROUNDINGS]


@pytest.fixture(scope="module", params=["library", "cuda"])
def library(request: pytest.FixtureRequest) -> Functions:
    found = [overload(name, source) for source in ARITHMETIC for to in ARITHMETIC for name in names(to)]
    return functions_on(request.param, [*found, overload("convert_uchar4_sat_rte", "float4"), overload("convert_double3", "int3")])


def values(source: str) -> np.ndarray:
    """Every boundary of every type and its neighbours, as far as the type can hold them."""
    edges = {
        Fraction(0),
        Fraction(1, 2),
        Fraction(3, 2),
        Fraction(5, 2),
        Fraction(1, 3),
        Fraction(2**24 + 1),
        Fraction(2**53 + 1),
        Fraction(10**30),
    }
    for bits in (7, 8, 15, 16, 24, 31, 32, 53, 63, 64):
        edges |= {Fraction(2**bits + d, 2) for d in (-3, -2, -1, 0, 1, 2, 3)} | {Fraction(2**bits + d) for d in (-2, -1, 0, 1, 2)}
    dtype = DTYPES[source]
    exact = sorted(edges | {-e for e in edges})
    if source in FLOATS:
        floats = np.array([float(e) for e in exact], dtype)
        special = np.array(
            [
                -0.0,
                np.inf,
                -np.inf,
                np.nan,
                np.finfo(np.float32).max,
                np.finfo(dtype).max,
                1e-40,
                np.finfo(dtype).smallest_subnormal,
            ]
        )
        with np.errstate(over="ignore"):
            return np.concatenate(
                [floats, np.nextafter(floats, dtype(np.inf)), np.nextafter(floats, dtype(-np.inf)), special.astype(dtype)]
            )
    info = np.iinfo(dtype)
    return np.array([int(e) for e in exact if e.denominator == 1 and info.min <= e <= info.max], dtype)


def to_integer(x: int | float, to: str, saturate: bool, rounding: str) -> int | None:
    """None where the result is the implementation's to choose."""
    info = np.iinfo(DTYPES[to])
    if isinstance(x, int):
        return min(max(x, info.min), info.max) if saturate else (x - info.min) % (info.max - info.min + 1) + info.min
    if not math.isfinite(x):
        return (0 if math.isnan(x) else info.max if x > 0 else info.min) if saturate else None
    rounded = ROUND[rounding or "_rtz"](Fraction(x))
    if info.min <= rounded <= info.max:
        return rounded
    return min(max(rounded, info.min), info.max) if saturate else None


def to_float(x: int | float, dtype: type, rounding: str) -> np.floating:
    if isinstance(x, float) and (not math.isfinite(x) or x == 0):
        return dtype(x)
    with np.errstate(over="ignore"):
        # An integer goes to float32 through NumPy's long double, which holds it exactly.
        nearest = dtype(np.longdouble(x)) if isinstance(x, float) else dtype(np.longdouble(str(x)))
    exact = Fraction(x)
    if not np.isfinite(nearest):
        too_high, too_low = nearest > 0, nearest < 0
    else:
        too_high, too_low = Fraction(float(nearest)) > exact, Fraction(float(nearest)) < exact
    down = np.nextafter(nearest, dtype(-np.inf)) if too_high else nearest
    up = np.nextafter(nearest, dtype(np.inf)) if too_low else nearest
    return {"_rtz": up if x < 0 else down, "_rtp": up, "_rtn": down}.get(rounding, nearest)


@pytest.mark.parametrize("source", ARITHMETIC)
def test_to_integers(library: Functions, source: str) -> None:
    x = values(source)
    for to in INTEGERS:
        for name in names(to):
            rounding = next((r for r in ROUNDINGS[1:] if name.endswith(r)), "")
            got = library(overload(name, source), x)[0]
            for given, result in zip(x.tolist(), got.tolist(), strict=True):
                expected = to_integer(given, to, "_sat" in name, rounding)
                assert expected is None or result == expected, (name, source, given, result, expected)


@pytest.mark.parametrize("source", ARITHMETIC)
def test_to_floats(library: Functions, source: str) -> None:
    x = values(source)
    for to in FLOATS:
        for rounding in ROUNDINGS:
            got = library(overload(f"convert_{to}{rounding}", source), x)[0]
            expected = np.array([to_float(v, DTYPES[to], rounding) for v in x.tolist()], DTYPES[to])
            wrong = np.flatnonzero(~((got == expected) | (np.isnan(got) & np.isnan(expected))))
            assert not wrong.size, (to, rounding, x[wrong[0]], got[wrong[0]], expected[wrong[0]])


def test_vectors(library: Functions) -> None:
    got = library(overload("convert_uchar4_sat_rte", "float4"), np.array([[-3, 2.5, 300, np.nan]], np.float32))[0]
    assert list(got[0]) == [0, 2, 255, 0]
    got = library(overload("convert_double3", "int3"), np.array([[-3, 2, 2**31 - 1]], np.int32))[0]
    assert list(got[0, :3]) == [-3, 2, 2**31 - 1]
