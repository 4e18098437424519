"""Arguments, and the parts of vector literals, are evaluated from left to right on every real device, as other implementations of OpenCL
do it: C leaves it open, and g++ goes from right to left."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.translator import compile_object, link, parse_options, translate

BEFORE = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
int next(int *s) { return ++*s; }
int two(int a, int b) { return a * 100 + b; }
int three(int a, int b, int c) { return a * 10000 + b * 100 + c; }
int twice(int a) { return 2 * a; }
typedef struct { int x, y; } pair;
int of_pair(pair p, int a) { return p.x * 10000 + p.y * 100 + a; }
pair make(int *s) { pair p = { next(s), next(s) }; return p; }
int counted;
int count_up(void) { return ++counted; }
int through_all(int a) { return count_up() + a; }
int __attribute__((overloadable)) over(int a, float b) { return a * 100 + (int)b; }
int __attribute__((overloadable)) over(float a, int b) { return (int)a * 100 + b + 5000; }
int at(global int *p, int i) { return p[0] * 100 + i; }
"""
CASES = {
    "two(next(&s), next(&s))": 102,
    "three(next(&s), next(&s), next(&s))": 10203,
    "three(next(&s), 7, next(&s))": 10702,
    "two(two(next(&s), next(&s)), two(next(&s), next(&s)))": 10504,
    "two(s, next(&s))": 1,
    "two(next(&s), s)": 101,
    "two(s, s++)": 0,
    "two(s = 5, s + 1)": 506,
    "two(twice(s), next(&s))": 1,
    "two(next(&s), twice(s))": 102,
    "two(through_all(0), through_all(10)) - 101 * (counted - 2)": 112,
    "of_pair(make(&s), next(&s))": 10203,
    "over(next(&s), (float)next(&s))": 102,
    "over((float)next(&s), next(&s))": 5102,
    "mad24(next(&s), 100, next(&s))": 102,
    "clamp(next(&s), next(&s), next(&s) + 5)": 2,
    "(int)fma((float)next(&s), 100.0f, (float)next(&s))": 102,
    "(int)dot((float4)(next(&s), next(&s), next(&s), next(&s)), (float4)(1000, 100, 10, 1))": 1234,
    "((int8)((int2)(next(&s), next(&s)), next(&s), (int4)(next(&s)), next(&s))).s7": 5,
    "((int8)((int2)(next(&s), next(&s)), next(&s), (int4)(next(&s)), next(&s))).s2": 3,
    "as_int((uchar4)((uchar)next(&s), (uchar2)(next(&s), next(&s)), (uchar)next(&s)))": 0x04030201,
    "((short8)((short4)(next(&s)), (short4)(next(&s)))).s0": 1,
    "two(({ int t = next(&s); t; }), next(&s))": 102,
    "two(at(out + 40, next(&s)), (out[40] = 3))": 70103,
    "two(select(next(&s), next(&s), 1), next(&s))": 203,
    "(vstore2((int2)(next(&s), next(&s)), s++, out + 42), s + out[46] * 10 + out[47] * 100)": 213,
    "atomic_add(out + 42 + next(&s), next(&s)) * 0 + out[43] * 10 + s": 22,
    "two(atomic_xchg(out + 44, next(&s)) * 0 + s, atomic_xchg(out + 44, next(&s)))": 101,
    "(int)(convert_half(next(&s)) + fma(convert_half(next(&s)), (half)10, convert_half(next(&s))))": 24,
    "((float2)(next(&s)) * 10.0f + (float2)(next(&s)) * 100.0f - (float2)(next(&s)) * (float2)(next(&s))).y == 198": 1,
    "dot(convert_float4((int4)(next(&s))) * next(&s), (float4)(1)) + next(&s)": 11,
    "((int2)(next(&s)) < (int2)(next(&s))).x": -1,
    "((int2)(next(&s)) - next(&s)).x": -1,
    "two(next(&s) < next(&s), min(next(&s), next(&s)))": 103,
    "two(^(int a, int b) { return a * 10 + b; }(next(&s), next(&s)), next(&s))": 1203,
}
OPTIONS = "-cl-std=CL2.0"


@pytest.fixture(params=CASES, ids=str)
def case(request):
    return request.param, CASES[request.param]


def kernel(expressions, body=""):
    lines = "\n".join(f"    {{ int s = 0; out[{i}] = {each}; }}" for i, each in enumerate(expressions))
    return f"{BEFORE}\nkernel void test(global int *out) {{\n    out[40] = 7; counted = 0; out[43] = out[44] = 0;\n{body}{lines}\n}}\n"


@pytest.fixture(scope="module")
def found():
    kept = {}

    def run(device, body=""):
        if (device, body) not in kept:
            out = np.zeros(48, np.int32)
            execute(device, kernel(CASES, body), out, kernel="test", options=OPTIONS)
            kept[device, body] = dict(zip(CASES, out.tolist(), strict=False))
        return kept[device, body]

    return run


def test_from_left_to_right(real_device, found, case):
    expression, expected = case
    assert found(real_device)[expression] == expected


def test_in_kernels_that_meet(real_device, found, case):
    """The host device runs those for a whole work-group at once."""
    expression, expected = case
    body = "    local int shared[2]; shared[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); out[41] = shared[0];\n"
    assert found(real_device, body)[expression] == expected


def test_names_of_the_programs_are_kept(real_device):
    out = np.zeros(4, np.int32)
    execute(real_device, BEFORE + """kernel void test(global int *out) {
        int first = 3, second = 4, s = 0;
        out[0] = three(next(&s), first + next(&s), second + next(&s));
    }""", out, kernel="test", options=OPTIONS)
    assert out[0] == 10507


def test_what_changes_nothing_is_printed_as_it_is():
    """On the host device, too; and for CUDA, whose compiler goes from left to right, everything is."""
    source = kernel(["two(twice(s), twice(s + 1))", "two(s, out[3])", "next(&s)", "twice(next(&s))", "mad24(next(&s), 2, 3)"])
    assert "[&]" not in translate(source, parse_options(OPTIONS), item_loops=True).user_source
    assert "[&] {" not in translate(kernel(CASES).replace("({ int t = next(&s); t; })", "s"), parse_options(OPTIONS)).user_source


def test_linked_programs_too():
    objects = [compile_object(BEFORE + "kernel void test(global int *out) { int s = 0; *out = two(next(&s), next(&s)); }", parse_options(OPTIONS))]
    assert "[&]" in link(objects, item_loops=True).user_source
    assert "[&]" not in link(objects).user_source
