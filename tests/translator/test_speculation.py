"""Operands of && and || that are evaluated in vain, on CUDA: those that read what an operand before them has read a part of, and no others."""

import re

import pytest

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.translator import parse_options, translate

PROGRAM = """
typedef struct {{ float low[2]; int kind; bool on; }} box;
typedef struct {{ int kind; volatile int state; }} lively;
typedef struct {{ float many[5]; }} large;
typedef struct {{ int size; struct {{ float a, b; }} inner; }} nested;
int call(int x) {{ return x; }}
kernel void k(global float4 *p, global int4 *n, global uint2 *u, global double2 *d, global double4 *e, global half4 *h, constant box *boxes, global box *one,
              global lively *m, global large *l, global nested *s, global volatile float4 *v, global float *x, global int *out, float4 own, int i, int j) {{
    local float4 t[8];
    volatile int changing = i;
    out[0] = {};
}}"""


def condition(text, item_loops=False):
    given = translate(PROGRAM.format(text), parse_options(""), item_loops=item_loops).user_source
    return " ".join(re.search(r"out\[0\] = (.*?);", given, re.DOTALL)[1].split())


@pytest.mark.parametrize(("given", "printed"), [
    ("p[i].x > 0 && p[i].y > 0", "(p[i].x > 0) & (p[i].y > 0)"),
    ("p[i].x < 0 || p[i].y < 0 || p[i].w < own.w", "(p[i].x < 0) | (p[i].y < 0) | (p[i].w < own.w)"),
    ("fabs(p[i].x - own.x) < 1 && fabs(p[i].y - own.y) < 1", "(fabs(p[i].x - own.x) < 1) & (fabs(p[i].y - own.y) < 1)"),
    ("t[i + 1].x > 0 && t[i + 1].y > 0", "(t[i + 1].x > 0) & (t[i + 1].y > 0)"),
    ("d[i].x > 0 && d[i].y * d[i].y < 3", "(d[i].x > 0) & (d[i].y * d[i].y < 3)"),
    ("u[i].x + 1 > 2 && u[i].y - 1 > 2", "(u[i].x + 1 > 2) & (u[i].y - 1 > 2)"),
    ("n[i].x == i && n[i].y == j && !(n[i].z == 3)", "((n[i].x == i) & (n[i].y == j)) && !(n[i].z == 3)"),
    ("one->low[0] < 1 && one->low[1] > 1 && (*one).kind == 2", "(one->low[0] < 1) & (one->low[1] > 1) & (one->kind == 2)"),
    ("boxes[i].low[0] < 1 && boxes[i].low[1] > 1", "(boxes[i].low[0] < 1) & (boxes[i].low[1] > 1)"),
    ("s[i].size > 0 && s[i].inner.b > 0", "(s[i].size > 0) & (s[i].inner.b > 0)"),
    ("out[i] > 0 && p[out[i]].x > 0 && p[out[i]].y > 0", "out[i] > 0 && ((p[out[i]].x > 0) & (p[out[i]].y > 0))"),
    ("i < j && p[i].x > 0 && p[i].y > 0", "i < j && ((p[i].x > 0) & (p[i].y > 0))"),
    ("i < j || p[i].x > 0 || p[i].y > 0", "i < j || ((p[i].x > 0) | (p[i].y > 0))"),
    ("p[i].x > 0 && p[i].y > 0 && i < j", "((p[i].x > 0) & (p[i].y > 0)) && i < j"),
    ("p[i].x > 0 && i < j && p[i].y > 0", "(p[i].x > 0) & (i < j) & (p[i].y > 0)"),
    ("p[i].x > 0 && i + 1 < j && p[i].y > 0", "p[i].x > 0 && i + 1 < j && p[i].y > 0"),
    ("i < j && (p[i].x > 0 || p[i].y > 0)", "i < j && ((p[i].x > 0) | (p[i].y > 0))"),
    ("(p[i].x > 0 && p[i].y > 0) || i < j", "((p[i].x > 0) & (p[i].y > 0)) || i < j"),
    ("p[i].x > 0 && p[j].x > 0 && p[j].y > 0 && p[i].y > 0", "p[i].x > 0 && ((p[j].x > 0) & (p[j].y > 0) & (p[i].y > 0))"),
    ("n[i].x + 1 > 0 && n[i].y > 0", "(n[i].x + 1 > 0) & (n[i].y > 0)"),  # the first is evaluated anyway
    ("sqrt(p[i].x) > 0 && p[i].y > 0", "(sqrt(p[i].x) > 0) & (p[i].y > 0)"),
    ("p[i].x > 0 && p[i].y > 0 ? 3 : 4", "(p[i].x > 0) & (p[i].y > 0) ? 3 : 4"),
], ids=lambda each: each)
def test_what_is_read_together(given, printed):
    assert condition(given) == printed


@pytest.mark.parametrize("given", [
    "i > 0 && i < j && j < 7",  # which compilers evaluate together by themselves
    "own.x > 0 && own.y > 0",
    "x[i] > 0 && x[i] < 1",
    "p[i].x > 0 && p[j].y > 0",
    "p[i].x > 0 && p[i + 1].y > 0",
    "p[i].x > 0 && x[i] > 0",
    "p[i].x > 0 && t[i].x > 0",
    "p[i].x > 0 && p[i].y > *x",
    "p[i].x > 0 && p[i].y > one->low[0]",
    "n[i].x > 0 && p[n[i].y].x > 0",
    "(i < j || p[i].x > 0) && p[i].y > 0",  # the first may not read it
    "(i < j ? p[i].x : p[j].x) > 0 && p[i].y > 0",
    "&p[i] != 0 && p[i].y > 0",  # nor this one
    "p[i++].x > 0 && p[i++].y > 0",
    "p[i].x > 0 && p[i].y > (i = 2)",
    "p[i].x > 0 && call(i) > 0 && p[i].y > call(j)",
    "call(n[i].x) > 0 && n[i].y > 0",  # who knows what it changes
    "p[i].x > 0 && sqrt(p[i].y) > 0",
    "p[i].x > 0 && p[i].y / p[i].z > 0",
    "n[i].x > 0 && n[i].y % n[i].x > 0",
    "n[i].x > 0 && n[i].y + 1 > 0",  # which overflows where the first may have excluded that
    "n[i].x > 0 && -n[i].y > 0",
    "n[i].x > 0 && 1 << n[i].y > 0",
    "p[i].x > 0 && (int)p[i].y > 0",
    "n[i].x > 0 && n[i].y",
    "n[i].x && n[i].y > 0",
    "p[changing].x > 0 && p[changing].y > 0",
    "p[i].x > 0 && p[i].y > changing",
    "one->low[0] < 1 && one->low[i] > 1",
    "one->kind == 1 && one->on == true",
    "m->kind == 1 && m->state == 1",
    "l[i].many[0] > 0 && l[i].many[4] > 0",  # which are more than one access
    "e[i].x > 0 && e[i].w > 0",
    "p[i].x > 0 && p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z + p[i].w * p[i].w < own.x * own.y + own.z * own.w",
], ids=lambda each: each)
def test_what_is_read_when_its_turn_comes(given):
    assert "&&" in condition(given) and not re.search(r"\) [&|] \(", condition(given))


def test_volatile_vectors():
    assert "&&" in condition("v[i].x > 0 && v[i].y > 0")


def test_vectors_of_conditions_are_something_else():
    assert condition("(p[i].xy > 0 && p[i].zw > 0).x") == "(p[i].xy() > 0.0f && p[i].zw() > 0.0f).x"


def test_processors_foresee_branches():
    """On the host device a branch that mostly goes one way costs less than what it saves."""
    assert condition("p[i].x > 0 && p[i].y > 0", item_loops=True) == "p[i].x > 0 && p[i].y > 0"


def test_many_operands():
    text = " && ".join(f"p[{number % 50}].x > {number}" for number in range(2000))
    assert condition(text).count("p[") == 2000


def test_the_machine_reads_once_and_does_not_branch(compiler):
    source = """
        kernel void boxes(global const float4 *box, global int *out, int n, float x, float y) {
            int hits = 0;
            for (int i = 0; i < n; i++) if (x >= box[i].x && x < box[i].z && y >= box[i].y && y < box[i].w) hits++;
            out[get_global_id(0)] = hits;
        }"""
    ptx = nvrtc.compile(translate(source).source("cuda"), "compute_90", ("--std=c++20", "-default-device")).decode()
    loop = max(re.split(r"\n\$L\w+:", ptx), key=lambda piece: piece.count("ld.global"))
    assert loop.count("ld.global.v4") == loop.count("ld.global") and loop.count("bra") == 1
