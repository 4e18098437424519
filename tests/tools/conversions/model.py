"""convert_type (6.4.3) and vstore_half (6.15.7) as NumPy computes them: exactly, then rounded once.

x86's long double holds every value of every type.
"""

from __future__ import annotations

import numpy as np

INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
FLOATS = ("half", "float", "double")
TYPES = (*INTEGERS, *FLOATS)
DTYPES = dict(zip(TYPES, map(np.dtype, ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")), strict=True))
ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")
_ROUND = {"": np.trunc, "_rte": np.rint, "_rtz": np.trunc, "_rtp": np.ceil, "_rtn": np.floor}

assert np.finfo(np.longdouble).nmant >= 63, "the model needs a long double of 64 bits"


def modes(to: str) -> list[str]:
    """What may follow convert_<to>: "The _sat modifier may not be used for conversions to floating-point formats."."""
    saturations = ("", "_sat") if to in INTEGERS else ("",)
    return [s + r for s in saturations for r in ROUNDINGS]


def convert(x: np.ndarray, to: str, mode: str) -> tuple[np.ndarray, np.ndarray]:
    """The results, and where they are defined."""
    with np.errstate(all="ignore"):
        saturates, rounding = mode.startswith("_sat"), mode.removeprefix("_sat")
        if to in FLOATS:
            return _to_float(x, DTYPES[to], rounding), np.full(x.shape, True)
        if x.dtype.kind != "f" and not saturates:
            # 6.4.3.3 leaves it to the implementation; C's conversion drops the high bits, and so does ours.
            return x.astype(DTYPES[to]), np.full(x.shape, True)
        return _to_integer(x.astype(np.longdouble), DTYPES[to], _ROUND[rounding], saturates)


def _to_integer(exact: np.ndarray, dtype: np.dtype, rounded, saturates: bool) -> tuple[np.ndarray, np.ndarray]:
    """ "Conversions to integer type may opt to convert using the optional saturated mode": out of range the nearest one that can be
    represented, and "NaN should be converted to 0"."""
    low, high = np.longdouble(np.iinfo(dtype).min), np.longdouble(np.iinfo(dtype).max)
    whole = rounded(exact)
    inside = (whole >= low) & (whole <= high)
    clamped = np.where(np.isnan(whole), 0, np.clip(whole, low, high))
    # NumPy's conversion of long double to the unsigned is C's, which does hold all of them.
    return clamped.astype(dtype), inside | saturates


def _to_float(x: np.ndarray, dtype: np.dtype, rounding: str) -> np.ndarray:
    exact = x.astype(np.longdouble)
    # NumPy goes from long double to half through float, which would round twice; what double cannot hold is beyond half anyway.
    nearest = (x.astype(np.float64) if dtype == np.float16 else exact).astype(dtype)
    too_high, too_low = nearest.astype(np.longdouble) > exact, nearest.astype(np.longdouble) < exact
    below, above = np.nextafter(nearest, dtype.type(-np.inf)), np.nextafter(nearest, dtype.type(np.inf))
    down, up = np.where(too_high, below, nearest), np.where(too_low, above, nearest)
    return {"_rtz": np.where(exact < 0, up, down), "_rtp": up, "_rtn": down}.get(rounding, nearest)


def inputs(source: str, count: int) -> np.ndarray:
    """All values of a type of 8 or 16 bits; of another, every boundary of every type with its neighbours, and about `count` more."""
    dtype = DTYPES[source]
    if dtype.itemsize <= 2:
        unsigned = np.arange(1 << 8 * dtype.itemsize, dtype=f"u{dtype.itemsize}")
        return unsigned.view(dtype)
    rng = np.random.default_rng(11)
    third = count // 3
    any_bits = rng.integers(0, 1 << 8 * dtype.itemsize, third, f"u{dtype.itemsize}", endpoint=False).view(dtype)
    with np.errstate(all="ignore"):
        if dtype.kind != "f":
            short = any_bits >> rng.integers(0, 8 * dtype.itemsize, third).astype(dtype)
            # The neighbourhood of what a float can hold: the bits that it drops are near a half.
            near = (short.astype(np.float32).astype(np.longdouble) + rng.integers(-2, 3, third)).clip(*_limits(dtype)).astype(dtype)
            return np.concatenate([_edges(dtype), any_bits, short, near])
        halves = rng.integers(-(1 << 18), 1 << 18, third) / 2
        powers = np.ldexp(rng.uniform(-1, 1, third), rng.integers(-30, 68, third))
        return np.concatenate([_edges(dtype), any_bits, halves.astype(dtype), powers.astype(dtype)])


def _limits(dtype: np.dtype) -> tuple[np.longdouble, np.longdouble]:
    return np.longdouble(np.iinfo(dtype).min), np.longdouble(np.iinfo(dtype).max)


def _edges(dtype: np.dtype) -> np.ndarray:
    """Around the powers of two at which types end, in steps of a half where the type has them."""
    found = {0, 1, 2, 3, 5, 65504, 65519, 65520, 65521, 65536, 10**30}
    for bits in (7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64):
        found |= {2**bits + d for d in (-3, -2, -1, 0, 1, 2, 3)}
    exact = sorted(found | {-value for value in found})
    if dtype.kind != "f":
        info = np.iinfo(dtype)
        return np.array([value for value in exact if info.min <= value <= info.max], dtype)
    info = np.finfo(dtype)
    values = np.array([part for value in exact for part in (value, value / 2)], dtype)
    special = np.array([-0.0, np.inf, -np.inf, np.nan, 65504, 2.0**-14, 2.0**-24, 2.0**-25, 3 * 2.0**-26, 2.0**-126, 2.0**-149, 2.0**-150,
                        np.finfo(np.float32).max, info.max, info.tiny, info.smallest_subnormal, 1 / 3, 1e-40]).astype(dtype)
    values = np.concatenate([values, special, -special])
    return np.concatenate([values, np.nextafter(values, dtype.type(np.inf)), np.nextafter(values, dtype.type(-np.inf))])


def differences(got: np.ndarray, expected: np.ndarray, defined: np.ndarray) -> np.ndarray:
    """Where a result is not the expected one, bit for bit, but for the bits of a NaN."""
    bits = f"u{got.dtype.itemsize}"
    same = got.view(bits) == expected.view(bits)
    if got.dtype.kind == "f":
        same |= np.isnan(got) & np.isnan(expected)
    return np.flatnonzero(~same & defined)
