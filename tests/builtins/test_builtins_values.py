"""Math, geometric and relational functions that `test_accuracy` says too little of: second results, integer arguments, lengths
that must not overflow, relations, vector forms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support.builtin_functions import DTYPES, Functions, functions_on, overload
from support.execute import execute

from cl2cuda.builtins.table import Overload, overloads
from cl2cuda.builtins.typenames import split

mpmath = pytest.importorskip("mpmath")
mp = mpmath.mp
FLOATS = ("float", "double")
NAN, INF = math.nan, math.inf


def real_root(x: Any, n: int) -> Any:
    root = mpmath.power(abs(x), mpmath.mpf(1) / n)
    return root if x >= 0 else -root


COUNT = 250


def sample(rng: np.random.Generator, bounds: tuple[float, float], dtype: Any) -> np.ndarray:
    """Magnitudes spread evenly over the exponents within the bounds, half of them evenly over the values."""
    low, high = bounds
    top = max(abs(low), abs(high))
    bottom = max(min(abs(low), abs(high)) if low * high > 0 else 0, top * 1e-8)
    logarithmic = np.exp(rng.uniform(math.log(bottom), math.log(top), COUNT))
    if low < 0:
        logarithmic *= rng.choice([-1, 1], COUNT)
    values = np.where(rng.random(COUNT) < 0.5, rng.uniform(low, high, COUNT), logarithmic)
    return np.clip(values, low, high).astype(dtype)


def ulps(got: Any, exact: Any, dtype: Any) -> float:
    """The distance from the exact value in units of the last place, as section 7.4 defines it."""
    info = np.finfo(dtype)
    if mpmath.isnan(exact):
        return 0 if math.isnan(got) else INF
    if math.isinf(got) or math.isnan(got):
        return 0 if got == exact or abs(exact) > float(info.max) else INF
    _, exponent = mpmath.frexp(exact) if exact else (0, 0)
    unit = mpmath.ldexp(1, max(exponent - 1, info.minexp) - info.nmant) if exact else mpmath.mpf(float(info.smallest_subnormal))
    return float(abs(mpmath.mpf(float(got)) - exact) / unit)


def scalar(name: str, element: str, count: int) -> Overload:
    return overload(name, *[element] * count)


FUNCTIONS = """
cbrt hypot frexp modf lgamma_r sincos remquo ilogb ldexp pown rootn nextafter nan clamp step fract dot length distance normalize cross fast_length
fast_normalize isequal isnotequal islessgreater isordered isunordered isfinite isinf isnan isnormal signbit select bitselect any all
"""


@pytest.fixture(scope="module", params=["library", "cuda"])
def library(request: pytest.FixtureRequest) -> Functions:
    found = []
    for name in FUNCTIONS.split():
        for o in overloads(name):
            words = {word for p in o.parameters for word in p.split()}
            if not words & {"global", "local", "constant", "generic"} and all(split(word)[1] <= 4 for word in words):
                found.append(o)
    return functions_on(request.param, found)


def same(got: Any, expected: float) -> bool:
    if math.isnan(expected):
        return math.isnan(got)
    return got == expected and (expected != 0 or math.copysign(1, got) == math.copysign(1, expected))


def with_pointer(library: Functions, name: str, element: str, pointee: str, *values: list[float]) -> list[np.ndarray]:
    o = overload(name, *[element] * len(values), f"private {pointee} *")
    arrays = [np.array(v, DTYPES[element]) for v in values]
    return library(o, *arrays, np.zeros(len(values[0]), DTYPES[pointee]))


@pytest.mark.parametrize("element", FLOATS)
def test_functions_with_a_second_result(library: Functions, element: str) -> None:
    dtype = DTYPES[element]
    below = np.nextafter(dtype(1), dtype(0))
    x = [0.0, -0.0, INF, -INF, NAN, 2.75, -0.25, -3.0, -1e-30]
    part, whole = with_pointer(library, "fract", element, element, x)
    expected = [0.0, -0.0, 0.0, -0.0, NAN, 0.75, 0.75, 0.0, below]
    assert all(map(same, part, map(float, expected))), part
    assert all(map(same, whole, [0.0, -0.0, INF, -INF, NAN, 2, -1, -3, -1]))
    part, whole = with_pointer(library, "modf", element, element, x)
    assert all(map(same, part, [0.0, -0.0, 0.0, -0.0, NAN, 0.75, -0.25, -0.0, float(dtype(-1e-30))]))
    assert all(map(same, whole, [0.0, -0.0, INF, -INF, NAN, 2, -0.0, -3, -0.0]))
    mantissa, exponent = with_pointer(library, "frexp", element, "int", x)
    assert all(map(same, mantissa[:7], [0.0, -0.0, INF, -INF, NAN, 0.6875, -0.5])) and list(exponent[:7]) == [0, 0, 0, 0, 0, 2, -1]
    _, sign = with_pointer(library, "lgamma_r", element, "int", [0.0, -0.0, -2, 0.5, -0.5, -1.5, -2.5, 4])
    assert list(sign) == [0, 0, 0, 1, -1, 1, -1, 1]
    sine, cosine = with_pointer(library, "sincos", element, element, [0.5, -3, 0])
    assert np.allclose(sine, np.sin([0.5, -3, 0])) and np.allclose(cosine, np.cos([0.5, -3, 0]))


@pytest.mark.parametrize("element", FLOATS)
def test_remquo_gives_seven_bits_of_the_quotient(library: Functions, element: str) -> None:
    rng = np.random.default_rng(3)
    dtype, info = DTYPES[element], np.finfo(DTYPES[element])
    x, y = sample(rng, (-1e6, 1e6), dtype), sample(rng, (-1e3, 1e3), dtype)
    x[:6], y[:6] = [5, 7, -5, float(info.max), float(info.max), 1], [2, 2, 2, 3, float(info.max) / 2, INF]
    x[6], y[6] = float(info.max) * 0.95, float(info.max) / 6.85  # the quotient times y is beyond the greatest number
    r, q = with_pointer(library, "remquo", element, "int", list(x), list(y))
    for a, b, rest, quotient in zip(x, y, r, q, strict=True):
        if math.isinf(b):
            assert (rest, quotient) == (a, 0)
            continue
        with mp.workprec(2200):
            exact = int(mpmath.nint(mpmath.mpf(float(a)) / mpmath.mpf(float(b))))
            assert mpmath.mpf(float(rest)) == mpmath.mpf(float(a)) - exact * mpmath.mpf(float(b)), (a, b, rest)
        assert quotient == (abs(exact) & 127) * (-1 if exact < 0 else 1), (a, b, quotient, exact)
    r, q = with_pointer(library, "remquo", element, "int", [INF, 1, NAN, 1], [1, 0, 1, NAN])
    assert all(map(math.isnan, r)) and not q.any()


@pytest.mark.parametrize("element", FLOATS)
def test_integer_exponents(library: Functions, element: str) -> None:
    rng = np.random.default_rng(5)
    dtype = DTYPES[element]
    eps = np.finfo(dtype).eps
    pown, rootn = overload("pown", element, "int"), overload("rootn", element, "int")
    x = np.concatenate([sample(rng, (-100, 100), dtype), 1 + eps * rng.integers(-20, 20, COUNT)]).astype(dtype)
    n = np.concatenate([rng.integers(-18, 18, COUNT), rng.integers(-(2**31), 2**31 - 1, COUNT)]).astype(np.int32)
    with mp.workprec(200):
        for a, k, got in zip(x, n, library(pown, x, n)[0], strict=True):
            assert ulps(got, mpmath.power(mpmath.mpf(float(a)), int(k)), dtype) <= 16, (a, k, got)
        n = np.where(n == 0, 1, n).astype(np.int32)
        x = np.where(n % 2 == 0, abs(sample(rng, (-1e30, 1e30), dtype).repeat(2)), x).astype(dtype)
        for a, k, got in zip(x, n, library(rootn, x, n)[0], strict=True):
            assert ulps(got, real_root(mpmath.mpf(float(a)), int(k)), dtype) <= 16, (a, k, got)
    zeros = [(-0.0, -3, -INF), (-0.0, -2, INF), (-0.0, 2, 0.0), (-0.0, 3, -0.0), (0.0, -3, INF)]
    cases = {
        "pown": [*zeros, (NAN, 0, 1), (-1, 2**31 - 1, -1)],
        "rootn": [*zeros, (-4, 2, NAN), (2, 0, NAN), (-8, 3, -2), (INF, 3, INF)],
    }
    for name, rows in cases.items():
        base, exponent, expected = zip(*rows, strict=True)
        got = library(overload(name, element, "int"), np.array(base, dtype), np.array(exponent, np.int32))[0]
        assert all(map(same, got, expected)), (name, got)


@pytest.mark.parametrize("element", FLOATS)
def test_exponents_and_neighbours(library: Functions, element: str) -> None:
    dtype, info = DTYPES[element], np.finfo(DTYPES[element])
    least = info.smallest_subnormal
    x = np.array([0, NAN, INF, 1, 10, least], dtype)
    expected = [-(2**31), -(2**31), 2**31 - 1, 0, 3, info.minexp - info.nmant]
    assert list(library(overload("ilogb", element), x)[0]) == expected
    k = np.array([0, 1, 2, 1100, -2, 3], np.int32)
    assert np.array_equal(library(overload("ldexp", element, "int"), x, k)[0], [0, NAN, INF, INF, 2.5, least * 8], equal_nan=True)
    got = library(scalar("nextafter", element, 2), np.array([0, -0.0, 1], dtype), np.array([-1, 1, 2], dtype))[0]
    assert list(got) == [-least, least, 1 + info.eps]
    code = "uint" if element == "float" else "ulong"
    bits = library(overload("nan", code), np.array([5], DTYPES[code]))[0]
    assert np.isnan(bits).all() and int(bits.view(DTYPES[code])[0]) & 0xFF == 5


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("width", [2, 3, 4])
def test_small_components_of_long_vectors_keep_their_bits(library: Functions, element: str, width: int) -> None:
    """The quotient is the same power of two below the length as the component is: nothing underflows on the way."""
    dtype, (long, small) = DTYPES[element], {"float": (2.0**100, 2.0**-20), "double": (2.0**581, 2.0**-439)}[element]
    longest = float(np.finfo(dtype).max)
    rows = np.array([[-1.66 * long] + [1.0009765625 * small] * (width - 1), [long] + [0.0] * (width - 2) + [-1.9 * small],
                     [1.7 * small] * (width - 1) + [-0.95 * longest], [longest] * (width - 1) + [1.0]], dtype)
    unit = library(overload("normalize", f"{element}{width}"), rows)[0]
    with mp.workprec(300):
        for row, got in zip(rows, unit, strict=True):
            exact = mpmath.sqrt(sum(mpmath.mpf(float(c)) ** 2 for c in row))
            for c, u in zip(row, got, strict=False):
                assert ulps(u, mpmath.mpf(float(c)) / exact, dtype) <= 2 + width, (row, got)


@pytest.mark.parametrize("element", FLOATS)
def test_hypot_reaches_the_largest_number(library: Functions, element: str) -> None:
    most = np.finfo(DTYPES[element]).max
    x, y = np.array([[-1, most, most, most, INF], [-most, most / 2**40, 0, most, most]], DTYPES[element])
    assert list(library(overload("hypot", element, element), x, y)[0]) == [most, most, most, INF, INF]


@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("width", [2, 3, 4])
def test_lengths_do_not_overflow(library: Functions, element: str, width: int) -> None:
    dtype, info = DTYPES[element], np.finfo(DTYPES[element])
    v = f"{element}{width}"
    rng = np.random.default_rng(1)
    rows = [rng.uniform(-1, 1, width) * scale for scale in (1, float(info.max) / 4, float(info.tiny), float(info.tiny) * 1e-3, 1e-20, 1e15)]
    x = np.array(rows, dtype)
    length, direction = library(overload("length", v), x)[0], library(overload("normalize", v), x)[0]
    with mp.workprec(300):
        for row, got, unit in zip(x, length, direction, strict=True):
            exact = mpmath.sqrt(sum(mpmath.mpf(float(c)) ** 2 for c in row))
            assert ulps(got, exact, dtype) <= 2.75 + 0.5 * width, (row, got)
            for c, u in zip(row, unit, strict=False):
                assert ulps(u, mpmath.mpf(float(c)) / exact, dtype) <= 2 + width, (row, unit)
    special = np.zeros((4, width), dtype)
    special[1, 0], special[2, 1], special[3, :2] = NAN, -INF, [INF, NAN]
    got = library(overload("normalize", v), special)[0][:, :width]
    assert not got[0].any() and np.isnan(got[1]).all() and np.isnan(got[3]).all()
    assert got[2, 1] == -1 and not got[2, 0]
    assert list(library(overload("length", v), special)[0][[0, 2]]) == [0, INF]
    ones = np.ones((1, width), dtype)
    assert library(overload("dot", v, v), ones, 2 * ones)[0][0] == 2 * width
    assert math.isclose(library(overload("distance", v, v), ones, 2 * ones)[0][0], math.sqrt(width), rel_tol=4 * info.eps)
    if element == "float":
        assert np.allclose(library(overload("fast_length", v), ones)[0], math.sqrt(width))
        assert np.allclose(library(overload("fast_normalize", v), 3 * ones)[0][:, :width], 1 / math.sqrt(width))
    if width > 2:
        a, b = rng.uniform(-1, 1, (2, 1, width)).astype(dtype)
        got = library(overload("cross", v, v), a, b)[0][0]
        assert np.allclose(got[:3], np.cross(a[0, :3], b[0, :3])) and (width == 3 or got[3] == 0)


@pytest.mark.parametrize("element", FLOATS)
def test_relations(library: Functions, element: str) -> None:
    dtype = DTYPES[element]
    least = float(np.finfo(dtype).smallest_subnormal)
    x = np.array([1, 2, NAN, INF, -INF, -0.0, least], dtype)
    y = np.array([1, 1, 1, INF, NAN, 0.0, 1], dtype)
    expected = {
        "isequal": [1, 0, 0, 1, 0, 1, 0],
        "isnotequal": [0, 1, 1, 0, 1, 0, 1],
        "islessgreater": [0, 1, 0, 0, 0, 0, 1],
        "isordered": [1, 1, 0, 1, 0, 1, 1],
        "isunordered": [0, 0, 1, 0, 1, 0, 0],
    }
    for name, values in expected.items():
        assert list(library(scalar(name, element, 2), x, y)[0]) == values, name
    classes = {
        "isfinite": [1, 1, 0, 0, 0, 1, 1],
        "isinf": [0, 0, 0, 1, 1, 0, 0],
        "isnan": [0, 0, 1, 0, 0, 0, 0],
        "isnormal": [1, 1, 0, 0, 0, 0, 0],
        "signbit": [0, 0, 0, 0, 1, 1, 0],
    }
    for name, values in classes.items():
        assert list(library(scalar(name, element, 1), x)[0]) == values, name
    # A vector's relations are -1 in the integer of the elements' size.
    v = f"{element}4"
    rows = x[:4].reshape(1, 4)
    mask = library(overload("isequal", v, v), rows, y[:4].reshape(1, 4))[0]
    assert mask.dtype.itemsize == np.dtype(dtype).itemsize and list(mask[0]) == [-1, 0, 0, -1]


def test_select(library: Functions) -> None:
    a, b = np.arange(4, dtype=np.float32).reshape(1, 4), np.arange(10, 14, dtype=np.float32).reshape(1, 4)
    c = np.array([[-1, 1, 0, -(2**31)]], np.int32)
    assert list(library(overload("select", "float4", "float4", "int4"), a, b, c)[0][0]) == [10, 1, 2, 13]
    assert list(library(overload("select", "float4", "float4", "uint4"), a, b, c.astype(np.uint32))[0][0]) == [10, 1, 2, 13]
    assert list(library(overload("select", "float", "float", "int"), a[0], b[0], c[0])[0]) == [10, 11, 2, 13]
    assert list(library(overload("any", "int4"), np.array([[0, 1, 2, 3], [0, -1, 0, 0]]))[0]) == [0, 1]
    assert list(library(overload("all", "char3"), np.array([[-1, -2, 3], [-1, -1, -1]]))[0]) == [0, 1]
    one, two = np.array([1.0], np.float32), np.array([-2.0], np.float32)
    sign = np.array([0x80000000], np.uint32).view(np.float32)
    assert library(overload("bitselect", "float", "float", "float"), one, two, sign)[0][0] == -1
    bytes_ = [np.array([v], np.uint8) for v in (0xF0, 0x3C, 0x0F)]
    assert library(overload("bitselect", "uchar", "uchar", "uchar"), *bytes_)[0][0] == 0xFC


def test_vector_forms_apply_the_scalar_one(library: Functions) -> None:
    x = np.array([[-1.5, 0.25, 7, 9]], np.float32)
    assert list(library(overload("clamp", "float4", "float", "float"), x, np.array([0.0]), np.array([5.0]))[0][0]) == [
        0,
        0.25,
        5,
        5,
    ]
    edge = np.array([1.0], np.float32)
    assert list(library(overload("step", "float", "float4"), edge, x)[0][0]) == [0, 0, 1, 1]
    part, whole = library(overload("fract", "float3", "private float3 *"), x[:, :3], np.zeros((1, 3), np.float32))
    assert list(part[0][:3]) == [0.5, 0.25, 0] and list(whole[0][:3]) == [-2, 0, 7]
    assert list(library(overload("ldexp", "float4", "int"), x, np.array([1], np.int32))[0][0]) == [-3, 0.5, 14, 18]


@pytest.mark.parametrize("options", ["", "-cl-fast-relaxed-math"])
def test_powers_of_negative_numbers(real_device, options):
    """NaN unless the exponent is an integer; the relaxed options ask for integers only (table 67)."""
    source = "kernel void f(global float *x, global float *y, global float *z) { int i = get_global_id(0); z[i] = pow(x[i], y[i]); }"
    x, y = np.array([-2, -2, -2, -2.5, -2.5], np.float32), np.array([3, 2, -1, 2.5, -0.5], np.float32)
    z = np.zeros(5, np.float32)
    execute(real_device, source, x, y, z, size=5, options=options)
    assert np.allclose(z[:3], [-8, 4, -0.5])
    assert options or np.isnan(z[3:]).all()


def test_cbrt_of_the_smallest_doubles_is_as_exact_as_any(library: Functions) -> None:
    random = np.random.default_rng(5)
    patterns = np.concatenate([random.integers(1, 1 << 52, 400), random.integers(1 << 52, 200 << 52, 200), 1 << np.arange(52),
                               random.integers(0x7FD << 52, 0x7FF << 52, 50), [0x19FFFFFFFFE00]])
    x = patterns.astype(np.uint64).view(np.float64)
    found = library(overload("cbrt", "double"), np.concatenate([x, -x]))[0]
    with mp.workprec(200):
        exact = [mpmath.cbrt(mpmath.mpf(float(each))) for each in x]
        errors = [abs(mpmath.mpf(float(got)) - right) / float(np.spacing(float(right)))
                  for got, right in zip(found, exact, strict=False)]
    assert max(errors) <= 1
    assert list(found[len(x):]) == list(-found[: len(x)])


@pytest.mark.parametrize("options", ["", "-cl-fast-relaxed-math"])
@pytest.mark.parametrize("element", [*FLOATS, "half"])
def test_the_greater_of_a_nan_and_a_number_is_the_number(real_device, element, options):
    """"If x or y are infinite or NaN, the return values are undefined" (6.15.4): programs rely on what GPUs make of them."""
    if element == "half":
        options += " -DHALF"
    source = f"""
    #ifdef HALF
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    #endif
    kernel void f(global {element} *o, {element} n, {element} one) {{
        {element} zero = one - one;
        o[0] = max(n, one); o[1] = max(one, n); o[2] = min(n, one); o[3] = min(one, n); o[4] = clamp(n, one, 2 * one);
        o[5] = max(({element}4)(n), one).z; o[6] = min(({element}2)(one), ({element}2)(one, n)).y;
        o[7] = max(-one, one); o[8] = min(2 * one, one); o[9] = max(zero, -zero) + one;
    }}"""
    dtype = {"half": np.float16, "float": np.float32, "double": np.float64}[element]
    found = np.zeros(10, dtype)
    execute(real_device, source, found, dtype(np.nan), dtype(1), options=options)
    assert found.tolist() == [1] * 10
