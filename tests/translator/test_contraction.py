"""Sums of products that a function has more than once: written as mad, since compilers that compute a product once contract none of its sums."""

import re

import pytest

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.translator import parse_options, translate

STEP = """
    kernel void k(global {type} *out, int limit) {{
        {type} re = out[0], im = out[1], c = out[2];
        for (int i = 0; i < limit && re * re + im * im < 4; i++) {{
            {type} next = re * re - im * im + c;
            im = 2 * re * im + c;
            re = next;
        }}
        out[0] = re;
    }}"""


def body(statements, before="", options=""):
    source = f"{before} kernel void k(global float *x, global double *d, global int *n, float a, float b, float c) {{ {statements} }}"
    return translate(source, parse_options(options)).source("cuda").rpartition("__global__")[2]


def test_a_repeated_product():
    text = translate(STEP.format(type="float")).source("cuda")
    assert "mad(re, re, im * im) < 4" in text
    assert "mad(re, re, -(im * im)) + c" in text
    assert "2 * re * im + c" in text, "the compiler contracts what occurs once"


@pytest.mark.parametrize(("statement", "printed"), [
    ("x[0] = a * b + c; x[1] = a * b - c;", ["mad(a, b, c)", "mad(a, b, -c)"]),
    ("x[0] = c + a * b; x[1] = c - b * a;", ["mad(a, b, c)", "mad(-b, a, c)"]),
    ("x[0] = a * b + c * c; x[1] = a * b;", ["a * b + c * c"]),  # that of c is contracted
    ("x[0] = c * c + a * b; x[1] = a * b;", ["c * c + a * b"]),
    ("x[0] = a * b; x[1] = a * b;", []),
    ("x[0] = a * b - b * a; x[1] = a * b + a * b;", ["a * b - b * a", "a * b + a * b"]),  # which is nothing, and not what is lost of a product
    ("x[0] = a * b + c; x[1] = a * c + b;", ["a * b + c", "a * c + b"]),
    ("float2 v = (float2)(a, b); v = v * v + v; x[0] = (v * v - v).x;", ["mad(v, v, v)", "mad(v, v, -v)"]),
    ("x[0] = x[n[0]] * a + b; x[1] = x[n[0]] * a - b;", ["mad(x[n[0]], a, b)", "mad(x[n[0]], a, -b)"]),
    ("x[0] = x[n[0]++] * a + b; x[1] = x[n[0]++] * a - b;", ["x[n[0]++] * a + b"]),
    ("n[0] = n[1] * n[1] + 1; n[2] = n[1] * n[1] - 1;", ["n[1] * n[1] + 1"]),
    ("d[0] = d[1] * d[1] + a; d[2] = d[1] * d[1] - a;", ["mad(d[1], d[1], (double)a)", "mad(d[1], d[1], -(double)a)"]),
    ("x[0] = a * b - 1; x[1] = a * b - n[0]; x[2] = 0.5f - a * b;", ["mad(a, b, -1.0f)", "mad(a, b, -(float)n[0])", "mad(-a, b, 0.5f)"]),
    ("d[0] = n[0] * d[1] + 1; d[2] = 2 - n[0] * d[1];", ["mad((double)n[0], d[1], 1.0)", "mad(-(double)n[0], d[1], 2.0)"]),
    ("x[0] = 2 * a + b; x[1] = 2 * a - b;", ["mad(2.0f, a, b)", "mad(2.0f, a, -b)"]),
], ids=lambda each: each if isinstance(each, str) else "")
def test_what_is_contracted(statement, printed):
    text = body(statement)
    for each in printed:
        assert each in text
    assert text.count("mad(") == sum(each.startswith("mad") for each in printed)


def test_only_where_the_program_allows_it():
    assert "mad" not in body("x[0] = a * b + c; x[1] = a * b - c;", "#pragma OPENCL FP_CONTRACT OFF\n")


def test_a_function_of_the_program_by_that_name():
    text = body("x[0] = a * b + c; x[1] = a * b - mad(c);", "float mad(float x) { return x; }")
    assert "ocl::mad(a, b, c)" in text and "ocl::mad(a, b, -user::mad(c))" in text


def test_a_long_product():
    """Products of thousands of factors are looked at neither in a recursion nor again and again."""
    text = body("x[0] = " + " * ".join(["a"] * 3000) + " + b;")
    assert text.count(" * ") == 2999 and "mad" not in text


@pytest.mark.parametrize("type", ["float", "double"])
def test_the_machine_multiplies_once_and_adds(compiler, type):
    """Of a step of Mandelbrot's set one product is left, and each sum takes in another one."""
    text = translate(STEP.format(type=type)).source("cuda")
    ptx = nvrtc.compile(text, "compute_90", ("--std=c++20", "-default-device")).decode()
    bits = "32" if type == "float" else "64"
    loop = max(re.split(r"\n\$L\w+:", ptx), key=lambda piece: piece.count(f"fma.rn.f{bits}"))
    assert loop.count(f"fma.rn.f{bits}") == 3 and loop.count(f"mul.f{bits}") == 1
