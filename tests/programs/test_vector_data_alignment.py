"""vload and vstore through pointers to global memory: wide where the memory is aligned, right wherever it is (6.15.7)."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.translator import parse_options, translate

TYPES = {"uchar": np.uint8, "short": np.int16, "float": np.float32, "double": np.float64}
WIDTHS = (2, 3, 4, 8, 16)


def copies(element: str) -> str:
    """A kernel for each width that copies vectors from any element to any other, by a helper."""
    return "".join(f"""
    void copy{n}(global const {element} *from, global {element} *to, size_t i) {{ vstore{n}(vload{n}(i, from), i, to); }}
    kernel void k{n}(global const {element} *in, global {element} *out, int from, int to) {{
        copy{n}(in + from, out + to, get_global_id(0));
    }}""" for n in WIDTHS)


@pytest.mark.parametrize("element", TYPES)
def test_every_alignment(real_device, element):
    """"The computed address must be 8-bit aligned if gentype is char or uchar; 16-bit aligned if gentype is half, short or ushort"."""
    source, count = copies(element), 8
    for n in WIDTHS:
        values = np.random.default_rng(n).integers(0, 100, n * count + 8).astype(TYPES[element])
        for start, end in ((0, 0), (0, 1), (1, 0), (2, 4), (3, 3), (4, 2)):
            out = np.zeros_like(values)
            execute(real_device, source, values, out, np.int32(start), np.int32(end), size=count, kernel=f"k{n}")
            expected = np.zeros_like(values)
            expected[end : end + n * count] = values[start : start + n * count]
            assert (out == expected).all(), (n, start, end)


def ptx(source: str) -> str:
    text = translate(source, parse_options("-cl-std=CL1.2")).source("cuda")
    return nvrtc.compile(text, "compute_90", ("--std=c++20", "-default-device")).decode()


@pytest.mark.parametrize(("vector", "load", "store"), [
    ("float2", "nc.v2.f32", "v2.f32"), ("float4", "nc.v4.f32", "v4.f32"), ("float16", "nc.v4.f32", "v4.f32"), ("double2", "nc.v2.f64", "v2.f64"),
    ("double4", "nc.v2.f64", "v2.f64"), ("uchar4", "nc.v4.u8", "v4.u8"), ("uchar16", "nc.v4.u32", "v4.u32"),
    ("short4", "nc.v4.u16", "v4.u16"), ("short16", "nc.v4.u32", "v4.u32")])
def test_wide_accesses(compiler, vector, load, store):
    """One access where the memory is aligned, and it is still known that memory is only read."""
    element, n = re.fullmatch(r"([a-z]+)(\d+)", vector).groups()
    text = ptx(f"""kernel void k(global const {element} *restrict x, global {element} *restrict y) {{
        size_t i = get_global_id(0);
        vstore{n}(vload{n}(i, x) + ({vector})(1), i, y);
    }}""")
    assert f"ld.global.{load}" in text and f"st.global.{store}" in text
    assert "ld.global.f" not in text and "ld.global.u" not in text, "all loads are .nc"


def test_memory_of_work_items_stays_in_registers(compiler):
    text = ptx("""kernel void k(global float *y) {
        float own[8];
        for (int i = 0; i < 8; i++) own[i] = y[i];
        vstore4(vload4(0, own) + vload4(1, own), get_global_id(0), y);
    }""")
    assert ".local" not in text


# Where four floats are, and the condition that translated text asks for, if any. `k` is the counter of a loop.
PLACES = {
    "x + k * n": "aligned<4>(n, x)", "&x[k * n]": "aligned<4>(n, x)", "x + n * 2 * k + 8": "aligned<4>(n, x)", "row": "aligned<4>(x)",
    "x + (k << 2)": "aligned<4>(x)", "x + mad24(k, n, item)": "aligned<4>(n, x)", "x + mul24(item, k)": "aligned<4>(x)",
    "x + (size_t)m * k - item": "aligned<4>(x, m)", "x - n": "aligned<4>(n, x)", "(global const float *)x + 4 * k": "aligned<4>(x)",
    "x + k": None, "x + n * k + 2": None, "x + changed * k": None, "x + (k << 1)": None, "x + get_global_id(0)": None, "walking": None,
    "x + n / 4": None, "x + (int)f * k": None, "x + table[k]": None, "(global const float *)(bytes + 16 * k)": None,
}


@pytest.mark.parametrize("place", PLACES)
def test_what_tells_that_a_computed_place_is_aligned(place):
    text = translate(f"""kernel void f(int n, global const float *x, global const int *table, uint m, int changed, float f, global float *y,
                                       global const char *bytes) {{
        const int item = 4 * get_global_id(0);
        global const float *row = x + n * item, *walking = x;
        changed++;
        float4 sum = 0;
        for (int k = 0; k < n; k++) {{ sum += vload4(0, {place}); walking += 4; }}
        y[item] = sum.x + sum.y + sum.z + sum.w;
    }}""", parse_options("")).source("cuda")
    call = re.search(r"sum \+= (vload4\w*\((?:aligned<\d+>\([\w, ]*\), )?)", text)[1]
    assert call == (f"vload4_if({PLACES[place]}, " if PLACES[place] else "vload4(")


def test_accesses_of_a_loop_are_asked_for_together():
    text = translate("""kernel void f(int n, global const double *x, global const double *y, global double *z, global const uchar *c) {
        double4 sum = 0;
        for (int k = 0; k < n; k++) sum += vload4(0, x + k * n) * vload4(k, y) + convert_double4(vload4(0, c + 4 * k));
        vstore4(sum, 0, z);
    }""", parse_options("")).source("cuda")
    assert "vload4_if(aligned<2>(n, x, y), 0, x + k * n) * vload4_if(aligned<2>(n, x, y), k, y)" in text
    assert "vload4_if(aligned<4>(c), 0, c + 4 * k)" in text and "vstore4_global(sum, 0, z)" in text


def test_loops_that_do_much_are_left_alone():
    """Of them compilers make no two, but one with both kinds of accesses."""
    body = "".join(f"sums[{i}] += vload4({i}, x + k * n);" for i in range(12))
    text = translate(f"""kernel void f(int n, global const float *x, global float *y) {{
        float4 sums[12] = {{0}};
        for (int k = 0; k < n; k++) {{ {body} }}
        for (int i = 0; i < 12; i++) vstore4(sums[i], 0, y + i * n);
    }}""", parse_options("")).source("cuda")
    assert "vload4_if" not in text and "vstore4_if(aligned<4>(n, y), sums[i], 0, y + i * n)" in text


def test_a_loop_becomes_two(compiler):
    """Wide accesses where all is aligned, single ones elsewhere, and still of memory that is only read."""
    text = ptx("""kernel void k(int n, global const float *restrict x, global float *restrict y) {
        float4 sum = 0;
        for (int i = 0; i < n; i++) sum += vload4(0, x + i * n);
        vstore4(sum, 0, y);
    }""")
    assert "ld.global.nc.v4.f32" in text and "ld.global.nc.f32" in text and "ld.global.f" not in text and "ld.global.v" not in text
    assert len(re.findall(r"ld\.global\.nc\.v4\.f32", text)) > 1, "unrolled, so in a loop of its own"


@pytest.mark.parametrize("element", TYPES)
def test_computed_places_of_every_alignment(real_device, element):
    """Rows of a matrix that begin anywhere, of lengths that are multiples of a vector's and that are not."""
    source = "".join(f"""
    void rows{n}(global const {element} *from, global {element} *to, int length, int rows) {{
        for (int i = 0; i < rows; i++) vstore{n}(vload{n}(0, from + i * length + {n}), 0, to + length * i);
    }}
    kernel void k{n}(global const {element} *in, global {element} *out, int from, int to, int length, int rows) {{
        rows{n}(in + from, out + to, length, rows);
    }}""" for n in (2, 4, 8, 16))
    rows = 5
    for n in (2, 4, 8, 16):
        for start, end, length in ((0, 0, 2 * n), (0, 0, 2 * n + 1), (1, 0, 2 * n), (0, 1, 2 * n), (0, 0, 2 * n + n // 2), (n, n, 3 * n)):
            values = np.random.default_rng(n).integers(0, 100, start + rows * length + 3 * n).astype(TYPES[element])
            out, expected = np.zeros_like(values), np.zeros_like(values)
            execute(real_device, source, values, out, *map(np.int32, (start, end, length, rows)), kernel=f"k{n}")
            for row in range(rows):
                expected[end + row * length :][:n] = values[start + row * length + n :][:n]
            assert (out == expected).all(), (n, start, end, length)


def test_places_that_may_be_anywhere_are_left_alone(compiler):
    """What would ask at each access costs more than it gains where loops are unrolled."""
    text = ptx("""kernel void k(global const float *restrict x, global float *y, int n) {
        float4 sum = 0;
        for (int i = 0; i < n; i++) sum += vload4(0, x + i * n + get_global_id(0));
        y[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
    }""")
    assert "ld.global.nc.v4" not in text and "ld.global.nc.f32" in text
