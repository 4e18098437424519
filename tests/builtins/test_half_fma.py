"""fma of halfs, rounded once: against fractions, with sums at and near the middle of two halfs among them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from support.execute import execute

from cl2cuda.runtime.devices.device import Device

COUNT = 4096
LARGEST = Fraction(65504)


def nearest(exact: Fraction) -> np.float16:
    """"round to nearest even" (7.1)"""
    if abs(exact) >= LARGEST + 16:
        return np.float16(np.copysign(np.inf, exact))
    close = np.float16(float(exact))
    near = [each for each in (np.nextafter(close, np.float16(-np.inf)), close, np.nextafter(close, np.float16(np.inf))) if np.isfinite(each)]
    return min(near, key=lambda each: (abs(Fraction(float(each)) - exact), int(each.view(np.uint16)) & 1))


def operands() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of a third the sum is about a middle; of a third the product is far smaller than the other number, or larger."""
    choice = np.random.default_rng(5)
    a, b = (choice.choice([-1, 1], COUNT) * np.ldexp(choice.integers(1024, 2048, COUNT), choice.integers(-14, -5, COUNT)) for _ in range(2))
    c = choice.choice([-1, 1], COUNT) * np.ldexp(choice.integers(1, 2048, COUNT), choice.integers(-24, 3, COUNT))
    third = COUNT // 3
    middles = np.ldexp(2 * choice.integers(1024, 2048, third) + 1, choice.integers(-13, -8, third))
    c[:third] = middles - a[:third] * b[:third]
    b[third : 2 * third] = np.ldexp(b[third : 2 * third], choice.integers(-10, 8, third))
    with np.errstate(over="ignore"):
        return a.astype(np.float16), b.astype(np.float16), c.astype(np.float16)


def test_they_are_rounded_once(real_device: Device) -> None:
    a, b, c = operands()
    one, four = np.zeros(COUNT, np.float16), np.zeros(COUNT, np.float16)
    execute(real_device, """
    kernel void f(global half *a, global half *b, global half *c, global half *one, global half *four) {
        for (int i = get_global_id(0); i < 4096; i++)
            one[i] = fma(a[i], b[i], c[i]);
        for (int i = get_global_id(0); i < 1024; i++)
            vstore4(fma(vload4(i, a), vload4(i, b), vload4(i, c)), i, four);
    }""", a, b, c, one, four)
    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    exact = [Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)) for x, y, z in zip(a[finite], b[finite], c[finite], strict=True)]
    wanted = np.array([nearest(each) for each in exact], np.float16)
    assert finite.sum() > 4000 and sum(each.denominator.bit_length() > 24 for each in exact) > 300
    assert np.array_equal(one[finite], wanted) and np.array_equal(four[finite], wanted)


def test_what_is_no_number(real_device: Device) -> None:
    a = np.array([np.inf, np.inf, np.nan, 65504, -65504, 0.0, 2e-4, -2e-4], np.float16)
    b = np.array([1, 0, 1, 2, 2, -1, 1e-4, 1e-4], np.float16)
    c = np.array([-np.inf, 1, 1, 1, 1, 0.0, 0, 0], np.float16)
    found = np.zeros(8, np.float16)
    execute(real_device, """
    kernel void f(global half *a, global half *b, global half *c, global half *found) {
        for (int i = get_global_id(0); i < 8; i++)
            found[i] = fma(a[i], b[i], c[i]);
    }""", a, b, c, found)
    assert np.isnan(found[:3]).all() and found[3:5].tolist() == [np.inf, -np.inf] and found[5:].tolist() == [0, 0, 0]
    assert np.signbit(found).tolist()[5:] == [False, False, True]
