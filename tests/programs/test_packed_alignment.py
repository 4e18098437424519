"""Packed records (6.13.1): NVRTC makes no access of one that is wider than the address allows, which a GPU would refuse."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.execute import execute
from support.spirv_modules import can_compile, compiled

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.translator import parse_options, translate, translate_il

RECORDS = """
typedef struct { ushort a[2]; int i; ushort4 v; } plain;
typedef struct __attribute__((packed)) { char c; ushort a[4]; int n[2][2]; ushort4 v[2]; volatile short w[2]; } tight;
typedef struct __attribute__((packed)) { char c; plain p; plain several[2]; struct { char c; int i[2]; } in; struct { char d; int j[2]; }; } wide;
typedef struct { char c; ushort a[4] __attribute__((packed)); } field;
"""
# Each leaves something in `p`; what is done with its bytes keeps the record in memory.
BODIES = {
    "elements": "tight t = { 1, { x, y, 2, 3 }, { { x, y }, { y, x } }, { (ushort4)(x), (ushort4)(y) }, { x, y } };",
    "literal": "tight t; t = (tight){ 1, { x, y }, { { x } }, { (ushort4)(x) }, { y } };",
    "records": "plain q = { { y, x }, y, (ushort4)(y, x, 1, 2) }; wide t = { 1, { { x, y }, x, (ushort4)(x, y, 2, 3) }, { { { x, y }, x, (ushort4)(x) }, q } };",
    "anonymous": "wide t = { .in = { 1, { x, y } }, .j = { y, x } };",
    "field": "field t = { 1, { x, y, 2, 3 } };",
    "several": "tight several[2] = { { 1, { x, y } }, { 2, { y, x } } }, t = several[n & 1];",
    "first": "tight t = *(global tight *)p; *t.a = *((global tight *)p)->a; **t.n = x; p[7] = *((global tight *)p)->n[1] + **t.n;",
    "swizzles": "global tight *g = (global tight *)p; tight t = *g; t.v[0].xy = g->v[0].wz; g->v[0].yx += g->v[1].lo; t.v[1].hi = t.v[0].even;",
    "volatile copy": "global tight *g = (global tight *)p; tight t = *g; volatile ushort4 v = g->v[0]; t.v[1] = v;",
}


def kernel(body: str) -> str:
    return f"{RECORDS} kernel void k(global uchar *p, ushort x, ushort y, int n) {{ {body} ((uchar *)&t)[n] = 4; for (int i = 0; i < sizeof t; i++) p[i] = ((uchar *)&t)[i]; }}"


def too_wide(ptx: str) -> list[str]:
    """Loads and stores at a distance, from what is aligned, that is no multiple of their size."""
    found = []
    for access, vector, bits, distance in re.findall(r"\b((?:ld|st)\.(?!param)[\w.]*?(?:\.v(\d))?\.[bfsu](\d+))\s[^\[]*\[[^\]+]+(?:\+(\d+))?\]", ptx):
        if int(distance or 0) % (int(bits) // 8 * int(vector or 1)):
            found.append(f"{access} +{distance}")
    return found


@pytest.mark.parametrize("body", BODIES)
def test_accesses_are_as_narrow_as_the_address_asks(compiler, body):
    text = translate(kernel(BODIES[body]), parse_options("-cl-std=CL1.2")).source("cuda")
    assert not too_wide(nvrtc.compile(text, "compute_90", ("--minimal", "--std=c++20", "-w")).decode())


@pytest.mark.skipif(not can_compile(), reason="clang and llvm-spirv are not installed")
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("body", BODIES)
def test_those_of_modules_are_too(compiler, body, level):
    """SPIR-V 3.26: Aligned says what is known of an address."""
    text = translate_il(compiled(kernel(BODIES[body]), "-cl-std=CL1.2", level)).source("cuda")
    assert not too_wide(nvrtc.compile(text, "compute_90", ("--minimal", "--std=c++20", "-w")).decode())


@pytest.mark.parametrize("body", BODIES)
def test_they_run(real_device, body):
    """A misaligned access ends a kernel on a GPU with an error."""
    memory = np.zeros(256, np.uint8)
    execute(real_device, kernel(BODIES[body]), memory, np.uint16(0x102), np.uint16(0x304), np.int32(0), size=1, kernel="k")
    assert memory[0] == 4
    if re.search(r"\by\b", BODIES[body]):
        assert set(memory) >= {1, 2, 3, 4}, "the bytes of x and y"


@pytest.mark.parametrize("statement", [
    "*out = p->v[i];", "p->v[i] = 2;", "p->v[j] += *out;", "p[j].w[i]++;", "*out = --p->w[j];", "*out = p->w[j]--;",
    "*out = p->v[i] * p[1].v[j] + p->w[i];", "p->d[i] = p->v[2];", "p->s[i] |= 3;", "*out = p->s[i]++;",
    "p->rows[j][i] = p->rows[i][j] + 1;", "*out = (*p).v[i] > 1 ? p->v[i] : p->v[j];", "p->v.s1 = 3;", "p->v.s3++;", "p->v.xy += 1;",
    "p->v.s23 = p->v.s10;", "p->h[i] = p->h[j] + 1;", "*out = twice(p->w[i]);", "p->v[twice(j)] -= 1;",
    "*out = (p->v = x).x;", "*out = (p->v += x).lo.y;", "*out = (++p->w)[i];", "*out = (p->d = p->d + 1)[j];", "*out = (i++, p->v = x).x;",
    "*out = (p[1].v = p->v = x).y;", "*out = (i ? (p->v = x) : (p[1].v = x)).x;", "*out = (p->h = (half4)(1)).x;", "p[1] = p[0];"])
def test_components_wherever_they_lie(compiler, statement):
    """By a subscript or a name, of a record that is aligned to a byte, or of what it is assigned: byte by byte."""
    text = translate(f"""#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        typedef struct __attribute__((packed)) {{ char tag; float4 v; int3 w; double2 d; short8 s; float4 rows[2]; half4 h; }} packed;
        int twice(int x) {{ return x * 2; }}
        kernel void k(global packed *p, local float *out, int i, int j, float4 x) {{ {statement} }}""", parse_options("-cl-std=CL1.2")).source("cuda")
    ptx = nvrtc.compile(text, "compute_90", ("--minimal", "--std=c++20", "-w")).decode()
    found = set(re.findall(r"\b(?:ld|st)\.(?:global\.)?(?:nc\.)?(?:v\d\.)?[bfsu]\d+", ptx))
    assert found and all(each.endswith("8") for each in found), found
