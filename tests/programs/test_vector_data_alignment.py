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


def test_pointers_that_are_computed_are_left_alone(compiler):
    """What would ask at each access costs more than it gains where loops are unrolled."""
    text = ptx("""kernel void k(global const float *restrict x, global float *y, int n) {
        float4 sum = 0;
        for (int i = 0; i < n; i++) sum += vload4(0, x + i * n + get_global_id(0));
        y[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
    }""")
    assert "ld.global.nc.v4" not in text and "ld.global.nc.f32" in text
