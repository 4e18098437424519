"""half with cl_khr_fp16, against NumPy's float16, which rounds each operation once, too."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from support.devices import first
from support.execute import execute

from cl2cuda.translator import CompileError, Dialect, translate

WITHOUT = dataclasses.replace(Dialect(), extensions=tuple(name for name in Dialect().extensions if name != "cl_khr_fp16"))


def values(seed: int, count: int) -> np.ndarray:
    """Halfs of every exponent, and the special ones."""
    bits = np.random.default_rng(seed).integers(0, 1 << 16, count).astype(np.uint16)
    special = np.array([0, 0x8000, 1, 0x3FF, 0x400, 0x3C00, 0xBC00, 0x7BFF, 0x7C00, 0xFC00, 0x7E00], np.uint16)
    bits[: special.size] = special
    return bits.view(np.float16)


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    """Bit for bit, but for the NaNs' own bits."""
    unsigned = found.dtype.str.replace("f", "u")
    return bool(np.all((found.view(unsigned) == expected.view(unsigned)) | (np.isnan(found) & np.isnan(expected))))


@pytest.mark.parametrize("operator", ["+", "-", "*", "/"])
def test_arithmetic_rounds_once(real_device, operator):
    n = 1 << 20
    a, b, r, s = values(1, n), values(2, n), np.zeros(n, np.float16), np.zeros(n, np.float16)
    source = f"""
    kernel void f(global half *a, global half *b, global half *r, global half4 *s) {{
        size_t i = get_global_id(0);
        r[i] = a[i] {operator} b[i];
        if (i < get_global_size(0) / 4) s[i] = vload4(i, a) {operator} (half4)(b[4 * i], b[4 * i + 1], b[4 * i + 2], b[4 * i + 3]);
    }}"""
    execute(real_device, source, a, b, r, s, size=n)
    with np.errstate(all="ignore"):
        expected = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[operator](a, b)
    assert same(r, expected) and same(s, expected)


def test_the_host_keeps_what_a_nan_carries():
    """IEEE 754-2008, 6.2.3: to a wider format and back, and through an operation with one NaN among its operands."""
    quiet = np.array([0x7E00, 0x7E01, 0x7F55, 0x7FFF, 0xFE00, 0xFEAA, 0xFFFF], np.uint16)
    signalling = np.array([0x7C01, 0xFDFF], np.uint16)
    given = np.concatenate([quiet, signalling])
    n = given.size
    wide, wider, sums, stored = (np.zeros(n, np.uint16) for _ in range(4))
    source = """
    kernel void f(global half *a, global half *wide, global half *wider, global half *sums, global half *stored) {
        size_t i = get_global_id(0);
        wide[i] = convert_half(convert_float(a[i]));
        wider[i] = convert_half(convert_double(a[i]));
        sums[i] = a[i] + 1.0h;
        vstore_half(vload_half(i, a), i, stored);
    }"""
    execute(first("host"), source, given, wide, wider, sums, stored, size=n)
    expected = given | 0x200
    for found in (wide, wider, sums, stored):
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("operator", ["==", "!=", "<", ">", "<=", ">="])
def test_comparisons(real_device, operator):
    a, b, r, m = values(3, 5000), values(4, 5000), np.zeros(5000, np.int32), np.zeros(10000, np.int16)
    b[::3] = a[::3]
    source = f"""
    kernel void f(global half *a, global half *b, global int *r, global short2 *m) {{
        size_t i = get_global_id(0);
        r[i] = a[i] {operator} b[i];
        m[i] = (half2)a[i] {operator} b[i];
    }}"""
    execute(real_device, source, a, b, r, m, size=5000)
    expected = eval(f"a {operator} b")
    assert np.array_equal(r, expected) and np.array_equal(m, -np.repeat(expected, 2).astype(np.int16))


@pytest.mark.parametrize("type_", ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"])
def test_conversions_both_ways(real_device, type_):
    dtype = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
             "float": "f4", "double": "f8"}[type_]
    rng = np.random.default_rng(5)
    if dtype[0] == "f":
        x = (rng.standard_normal(1000) * 10.0 ** rng.integers(-8, 6, 1000)).astype(dtype)
    else:
        x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, 1000, dtype=dtype, endpoint=True)
        x >>= rng.integers(0, 8 * x.itemsize, 1000).astype(dtype)
    h, i, f = np.zeros(1000, np.float16), np.zeros(1000, np.float16), np.zeros(1000, dtype)
    source = f"""
    kernel void f(global {type_} *x, global half *h, global half *i, global {type_} *back) {{
        size_t n = get_global_id(0);
        h[n] = x[n];
        i[n] = convert_half(x[n]);
        back[n] = fabs((float)h[n]) < 100 ? ({type_})h[n] : 0;
    }}"""
    execute(real_device, source, x, h, i, f, size=1000)
    with np.errstate(over="ignore"):
        expected = x.astype(np.float64).astype(np.float16) if dtype[0] == "f" else x.astype(np.float32).astype(np.float16)
    assert same(h, expected) and same(i, expected)
    near = np.abs(expected) < 100
    if dtype[0] != "u":
        assert np.array_equal(f[near], expected[near].astype(dtype))


@pytest.mark.parametrize("type_, dtype", [("float", np.float32), ("double", np.float64)])
def test_directed_roundings_of_vectors(real_device, type_, dtype):
    n = 4096
    x = (np.random.default_rng(7).standard_normal(n) * np.exp2(np.linspace(-27, 18, n))).astype(dtype)
    x[:16] = [0.0, -0.0, np.inf, -np.inf, 65504, -65504, 65505, -65505, 65520, -65520, 65536, -65536, 2.0**-24, -2.0**-25, 1e30, -1e30]
    modes = ("rte", "rtz", "rtp", "rtn")
    found = np.zeros((4, n), np.float16)
    stores = "".join(f"r[{index} * n + i] = convert_half8_{mode}(x[i]); " for index, mode in enumerate(modes))
    execute(real_device, f"kernel void f(global {type_}8 *x, global half8 *r) {{ size_t i = get_global_id(0), n = get_global_size(0); {stores}}}",
            x, found, size=n // 8)
    with np.errstate(over="ignore"):
        nearest = x.astype(np.float64).astype(np.float16)
        up = np.where(nearest >= x, nearest, np.nextafter(nearest, np.float16(np.inf)))
        down = np.where(nearest <= x, nearest, np.nextafter(nearest, np.float16(-np.inf)))
    towards_zero = np.where(x < 0, up, down)
    for rounded, expected in zip(found, (nearest, towards_zero, up, down), strict=True):
        assert np.array_equal(rounded, expected)
        assert np.array_equal(np.signbit(rounded), np.signbit(x))


def test_everything_else(real_device):
    source = """
    constant half table[3] = {1.0h, 2, -0.5f};
    half scale(half a, float f) { half r = a * 2.5h; r += f; r -= a; r *= 2; r /= 3.0h; return -r; }
    kernel void f(global half *p, half by, global half4 *v, global int *n) {
        half x = p[0], y = p[1];
        p[2] = scale(x, 0.25f); p[3] = table[2] + by; p[4] = y++; p[5] = ++y; p[6] = as_half((ushort)0x3c01);
        int i = 3; i += y; n[0] = i; n[1] = x && 0.0h; n[2] = !x; n[3] = x > 0.5h ? 1 : 2; n[4] = sizeof(half3); n[5] = vec_step(half3);
        bool b = y; n[6] = b; n[7] = convert_int_sat_rte(2.5h); n[8] = as_short(-0.0h);
        v[1] = v[0].wzyx * by; v[1].xy += 1.0h; v[2] = convert_half4_rtz((float4)(1.9999f)); v[3] = (half4)(-0.0h);
    }"""
    p, n = np.zeros(8, np.float16), np.zeros(9, np.int32)
    p[:2] = 3, 0.5
    v = np.zeros(16, np.float16)
    v[:4] = 1, 2, 3, 4
    execute(real_device, source, p, np.float16(0.25), v, n)
    h = np.float16
    scaled = h(-(h(h(h(h(h(3) * h(2.5)) + h(0.25)) - h(3)) * h(2)) / h(3)))
    assert p.tolist() == [3, 0.5, scaled, -0.25, 0.5, 2.5, 1.0009765625, 0]
    assert n.tolist() == [5, 0, 0, 1, 8, 4, 1, 2, -32768]
    assert v.tolist() == [1, 2, 3, 4, 2, 1.75, 0.5, 0.25, *[h(1.999)] * 4, *[-0.0] * 4] and np.signbit(v[12:]).all()


def test_functions_of_the_bits(real_device):
    """Every half, and each with another one."""
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    y = np.random.default_rng(6).permutation(x)
    y[:100] = x[:100]
    classes, relations = ["isfinite", "isinf", "isnan", "isnormal", "signbit"], ["isequal", "isnotequal", "isgreater", "isgreaterequal",
                          "isless", "islessequal", "islessgreater", "isordered", "isunordered"]
    calls = [f"{name}(X[i])" for name in classes] + [f"{name}(X[i], Y[i])" for name in relations]
    scalars = "".join(f"r[{n} * N + i] = {call.replace('X', 'x').replace('Y', 'y')};" for n, call in enumerate(calls))
    vectors = "".join(f"m[{n} * N + i] = {call.replace('X[i]', '(half2)x[i]').replace('Y[i]', '(half2)y[i]')}.y;" for n, call in enumerate(calls))
    source = f"""
    #define N get_global_size(0)
    kernel void f(global half *x, global half *y, global char *r, global short *m, global half *o, global ushort *b) {{
        size_t i = get_global_id(0);
        {scalars} {vectors}
        o[i] = nextafter(x[i], y[i]); o[N + i] = copysign(x[i], y[i]); o[2 * N + i] = fabs(x[i]);
        o[3 * N + i] = select(x[i], y[i], (short)(i & 1)); o[4 * N + i] = select((half2)x[i], (half2)y[i], (short2)(0, (short)i)).y;
        b[i] = as_ushort(bitselect(x[i], y[i], (half)nan((ushort)0x55)));
        o[5 * N + i] = shuffle((half4)(x[i], y[i], 1, 2), (ushort2)(0, 1)).y;
    }}"""
    n = x.size
    r, m, o, b = np.zeros((14, n), np.int8), np.zeros((14, n), np.int16), np.zeros((6, n), np.float16), np.zeros(n, np.uint16)
    execute(real_device, source, x, y, r, m, o, b, size=n)
    with np.errstate(all="ignore"):
        expected = [np.isfinite(x), np.isinf(x), np.isnan(x), np.isfinite(x) & (np.abs(x) >= np.float16(2**-14)), np.signbit(x), x == y, x != y,
                    x > y, x >= y, x < y, x <= y, (x < y) | (x > y), ~np.isnan(x) & ~np.isnan(y), np.isnan(x) | np.isnan(y)]
        after = np.nextafter(x, y)
    assert np.array_equal(r, np.array(expected, np.int8)) and np.array_equal(m, -np.array(expected, np.int16))
    odd, negative = np.arange(n) & 1 == 1, np.arange(n) & 0x8000 != 0
    assert same(o[0], after) and same(o[3], np.where(odd, y, x)) and same(o[4], np.where(negative, y, x)) and same(o[5], y)
    bits, other = x.view(np.uint16), y.view(np.uint16)
    assert np.array_equal(o[1].view(np.uint16), (bits & 0x7FFF) | (other & 0x8000)) and np.array_equal(o[2].view(np.uint16), bits & 0x7FFF)
    assert np.array_equal(b, (bits & ~np.uint16(0x7E55)) | (other & 0x7E55))


def test_constants(real_device):
    source = """
    constant half table[4] = {M_PI_H, -M_E_H, HALF_MAX, M_SQRT2_H * 2.0h};
    #if HALF_MANT_DIG != 11 || HALF_MAX_EXP != 16 || HALF_MIN_10_EXP != -4
    #error wrong limits
    #endif
    kernel void f(global half *r, global int *n) {
        for (int i = 0; i < 4; i++) r[i] = table[i];
        r[4] = HALF_MIN; r[5] = HALF_EPSILON; r[6] = M_LN2_H + M_1_PI_H; r[7] = M_LOG2E_H;
        int sized[HALF_DIG]; n[0] = sizeof(sized); n[1] = HALF_MAX_10_EXP + HALF_RADIX + HALF_MIN_EXP;
    }"""
    r, n = np.zeros(8, np.float16), np.zeros(2, np.int32)
    execute(real_device, source, r, n)
    h = np.float16
    assert r.tolist() == [h(np.pi), -h(np.e), 65504, h(h(np.sqrt(2)) * 2), 2**-14, 2**-10, h(np.log(2)) + h(1 / np.pi), h(np.log2(np.e))]
    assert n.tolist() == [12, -7]


@pytest.mark.parametrize(("statement", "message"), [
    ("half x;", "declaring variable of type 'half' is not allowed without cl_khr_fp16"),
    ("half x[4];", r"declaring variable of type 'half \[4\]' is not allowed"),
    ("o[0] = p[1];", "loading directly from pointer to type 'half' requires cl_khr_fp16"),
    ("o[0] = *p + 1;", "loading directly from pointer to type 'half' requires cl_khr_fp16"),
    ("*p = 1.0f;", "assigning directly to pointer to type 'half' requires cl_khr_fp16"),
    ("p[0]++;", "assigning directly to pointer to type 'half' requires cl_khr_fp16"),
    ("o[0] = (half)1.0f;", "casting to type 'half' is not allowed"),
    ("o[0] = 1.0h;", "half precision constant requires cl_khr_fp16"),
    ("o[0] = convert_float(convert_half(1.0f));", "function 'convert_half' requires 'cl_khr_fp16'"),
    ("half4 v;", "type 'half4' requires cl_khr_fp16"),
])
def test_without_the_extension(statement, message):
    source = f"kernel void f(global half *p, global float *o) {{ {statement} }}"
    with pytest.raises(CompileError, match=message):
        translate(source, dialect=WITHOUT)


def test_pointers_need_no_extension():
    source = """
    void g(global half *p) { }
    kernel void f(global half *p, global float *o) { global half *q = &p[3]; q++; g(q + 1); o[0] = sizeof(half) + vload_half(1, q); }"""
    assert translate(source, dialect=WITHOUT).kernels[0].args[0].type_name == "half*"
