"""Typedefs of less than their type's alignment (6.13.1): what a pointer to one leads to may lie at any such address."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.translator import parse_options, translate

TYPES = """
typedef int4 __attribute__((aligned(4))) int4_u;
typedef int int_u __attribute__((aligned(1)));
typedef struct { int a[4]; int4 v; } rec;
typedef rec rec_u __attribute__((aligned(4)));
typedef int4_u two[2];
int second(const private int4_u *p) { return p[1].y; }
"""
# What a body does, and the words that are then another number than their own.
CASES = {
    "read": ("w[0] = (*(global int4_u *)(w + 1)).w + ((global const int4_u *)(w + 3))[2].x;", {0: 15}),
    "written": ("global int4_u *p = (global int4_u *)(w + 5); *p = 1; p[1] = (int4)(2, 3, 4, 5);",
                {5: 1, 6: 1, 7: 1, 8: 1, 9: 2, 10: 3, 11: 4, 12: 5}),
    "components": ("global int4_u *p = (global int4_u *)(w + 1); p->x = 7; p[1].zw += 1; p[2].hi = p->lo;", {1: 7, 7: 8, 8: 9, 11: 7, 12: 2}),
    "compound": ("global int4_u *p = (global int4_u *)(w + 2); *p++ *= 2; p[get_local_id(0)] -= *p;",
                 {2: 4, 3: 6, 4: 8, 5: 10, 6: 0, 7: 0, 8: 0, 9: 0}),
    "steps": ("global int4_u *p = (global int4_u *)(w + 1); int4 old = (*p)++; ++p[1]; w[0] = old.x + old.w;",
              {0: 5, 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 7: 8, 8: 9}),
    "volatile": ("volatile global int4_u *p = (volatile global int4_u *)(w + 1); p[1] = *p; p[2].x += 1; int4 x = *p; w[0] = x.w;",
                 {0: 4, 5: 1, 6: 2, 7: 3, 8: 4, 9: 10}),
    "addresses": ("global int4_u *p = (global int4_u *)(w + 1), *q = &p[1]; q = &*q; *(w[0] ? p : q) = 0; w[0] = &q[1] - p;",
                  {0: 2, 5: 0, 6: 0, 7: 0, 8: 0}),
    "a choice of two kinds of pointers": ("global int4 *even = (global int4 *)w; *(w[0] ? even : (global int4_u *)(w + 1)) = 9;",
                                          {1: 9, 2: 9, 3: 9, 4: 9}),
    "integers": ("uchar b[32]; for (int i = 0; i < 32; i++) b[i] = 0; int_u *p = (int_u *)(b + 1); p[1] = 0x01020304; (*p)++; p[2]--;"
                 "p[3] |= p[1]; w[0] = b[1]; w[1] = b[5]; w[2] = b[9]; w[3] = b[13];", {0: 1, 1: 4, 2: 255, 3: 4}),
    "records": ("global rec_u *p = (global rec_u *)(w + 1); p->v = (int4)(p->a[1]); (*p).v.y = 3; p[1] = *p; w[0] = p[1].v.y;",
                {0: 3, 5: 2, 6: 3, 7: 2, 8: 2, 9: 1, 10: 2, 11: 3, 12: 4, 13: 2, 14: 3, 15: 2, 16: 2}),
    "arrays": ("global two *p = (global two *)(w + 1); (*p)[1] = (int4)(9); p[1][0].y = (*p)[1].x;", {5: 9, 6: 9, 7: 9, 8: 9, 10: 9}),
    "local memory": ("local int near[16]; local int4_u *p = (local int4_u *)(near + 1); *p = (int4)(1, 2, 3, 4); w[0] = near[4] + p->y;", {0: 6}),
    "an argument": ("int t[9]; for (int i = 0; i < 9; i++) t[i] = i; w[0] = second((int4_u *)(t + 1));", {0: 6}),
    "a record of a function's": ("typedef struct { int2 v; } own; typedef own own_u __attribute__((aligned(4)));"
                                 "global own_u *p = (global own_u *)(w + 1); p->v = 8; for (int i = 1; i < 2; i++) p[i].v.y = p->v.x;",
                                 {1: 8, 2: 8, 4: 8}),
    "sizes": ("struct { char c; int4_u v; } s; w[0] = sizeof(int4_u); w[1] = __alignof__(int4_u); w[2] = sizeof s; w[3] = __alignof__(int_u);",
              {0: 16, 1: 4, 2: 20, 3: 1}),
}  # fmt: skip


def kernel(body: str) -> str:
    return f"{TYPES} kernel void test(global int *w) {{ {body} }}"


@pytest.mark.parametrize("name", CASES)
def test_objects_that_lie_unaligned(real_device, name):
    body, changed = CASES[name]
    words = np.arange(64, dtype=np.int32)
    execute(real_device, kernel(body), words, kernel="test")
    assert {i: int(word) for i, word in enumerate(words) if word != i} == changed


def test_accesses_are_as_narrow_as_the_address_asks(compiler):
    text = translate(kernel("((global int4_u *)w)[get_global_id(0)] += ((global int4_u *)w)[5];"), parse_options("-cl-std=CL1.2")).source("cuda")
    ptx = nvrtc.compile(text, "compute_90", ("--minimal", "--std=c++20", "-w")).decode()
    assert re.findall(r"\b(?:ld|st)\.global[\w.]*", ptx) and not re.findall(r"\b(?:ld|st)\.global[\w.]*v[24]", ptx)
