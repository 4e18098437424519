"""#pragma OPENCL: what it is told apart from, and what FP_CONTRACT does. #pragma pack: how records lie."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute

from cl2cuda.translator import parse_options, translate

KERNEL = "kernel void f(global float *x) { x[3] = x[0] * x[1] + x[2]; }\n"


@pytest.mark.parametrize(("pragma", "message"), [
    ("EXTENSION cl_khr_fp64 : enable", None),
    ("EXTENSION cl_khr_fp64:disable", None),
    ("EXTENSION all : disable", None),
    ("EXTENSION all : enable", "expected 'disable' - ignoring"),
    ("EXTENSION cl_khr_fp64 : perhaps", "expected 'enable' or 'disable' - ignoring"),
    ("EXTENSION cl_khr_fp64", "missing ':' after 'cl_khr_fp64' - ignoring"),
    ("EXTENSION cl_khr_fp46 : enable", "unknown OpenCL extension 'cl_khr_fp46' - ignoring"),
    ("EXTENSION cl_khr_gl_msaa_sharing : enable", "unsupported OpenCL extension 'cl_khr_gl_msaa_sharing' - ignoring"),
    ("EXTENSION cl_khr_gl_msaa_sharing : disable", None),
    ("FP_CONTRACT ON", None),
    ("FP_CONTRACT MAYBE", "expected 'ON' or 'OFF' or 'DEFAULT' in pragma"),
])  # fmt: skip
def test_diagnostics(pragma, message):
    found = translate(f"#pragma OPENCL {pragma}\n{KERNEL}").diagnostics
    assert [d.message for d in found] == ([message] if message else [])


@pytest.mark.parametrize(("source", "contract"), [
    (KERNEL, True),
    ("#pragma OPENCL FP_CONTRACT DEFAULT\n" + KERNEL, True),
    ("#pragma OPENCL FP_CONTRACT OFF\n" + KERNEL, False),
    ("#pragma STDC FP_CONTRACT OFF\n" + KERNEL, False),
    ("#pragma clang fp contract(fast)\n" + KERNEL, True),
    ("#pragma clang fp contract ( off )\n" + KERNEL, False),
    (KERNEL.replace("{", "{\n#pragma OPENCL FP_CONTRACT OFF\n"), False),
])  # fmt: skip
def test_one_off_is_for_the_whole_program(source, contract):
    assert translate(source).fp_contract is contract


def test_pragmas_do_as_told_under_werror():
    assert translate("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + KERNEL, parse_options("-Werror")).diagnostics == ()


@pytest.mark.parametrize("options", ["", "-cl-mad-enable", "-cl-fast-relaxed-math"])
def test_products_round_when_contraction_is_off(real_device, options):
    x = np.array([1 + 2**-12, 1 + 2**-12, -1, 0], np.float32)
    execute(real_device, "#pragma OPENCL FP_CONTRACT OFF\n" + KERNEL, x, options=options)
    assert x[3] == np.float32(x[0] * x[1]) - np.float32(1)


LAYOUTS = [
    ("pack(1)", 1), ("pack ( 2 )", 2), ("pack(4)", 4), ("pack(8)", 8), ("pack(16)", 16), ("pack()", 16), ("pack(0)", 16),
    ("pack(push, 1)", 1), ("pack(push)", 16), ("pack(push, name, 2)", 2), ("pack(1)\n#pragma pack(push)", 1),
    ("pack(push, 1)\n#pragma pack(pop)", 16), ("pack(2)\n#pragma pack(push, 1)\n#pragma pack(pop)", 2),
    ("pack(push, a, 2)\n#pragma pack(push, b, 4)\n#pragma pack(push, 1)\n#pragma pack(pop, a)", 16),
    ("pack(push, a, 2)\n#pragma pack(push, b, 4)\n#pragma pack(push, 1)\n#pragma pack(pop, b)", 2),
    ("pack(push, 1)\n#pragma pack(pop, 4)", 4), ("pack(1)\n#pragma pack()", 16), ("pack(pop)", 16), ("pack(push, N)", 16),
]  # fmt: skip


@pytest.mark.parametrize(("pragma", "limit"), LAYOUTS)
def test_members_lie_no_further_apart_than_pack_says(real_device, pragma, limit):
    """Where each member begins, as C lays out members that are aligned to no more than the limit."""
    members = [("char", 1, 1), ("short", 2, 2), ("char", 1, 1), ("int", 4, 4), ("char", 1, 1), ("long", 8, 8), ("char", 1, 1), ("float4", 16, 16)]
    expected, end = [], 0
    for _, size, align in members:
        align = min(align, limit)
        end = -(-end // align) * align
        expected.append(end)
        end += size
    whole = min(16, limit)
    expected += [-(-end // whole) * whole, 29, 7, 5, 24]
    declared = " ".join(f"{type} m{i};" for i, (type, *_) in enumerate(members))
    offsets = " ".join(f"out[{i}] = (size_t)&((struct S *)0)->m{i};" for i in range(len(members)))
    source = f"""
    #pragma {pragma}
    struct S {{ {declared} }};
    #pragma pack()
    struct After {{ char c; int i; }};
    kernel void f(global int *out) {{
        {offsets}
        struct S s, *p = &s; s.m3 = 7; s.m7 = (float4)(1, 2, 3, 4); s.m5 = 5; p->m7.y += 3; p->m7 *= 2.0f; p->m3++; s.m1 = p->m7.y;
        out[8] = sizeof(struct S); out[9] = s.m1 + s.m7.x + s.m7.w + s.m3 + 1; out[10] = s.m3 - 1; out[11] = p->m5; out[12] = sizeof(struct After) * 3;
    }}
    """
    out = np.full(13, -1, np.int32)
    execute(real_device, source, out, kernel="f")
    assert out.tolist() == expected


def test_pack_and_attributes(real_device):
    source = """
    #pragma pack(push, 2)
    typedef struct { char a; int b __attribute__((aligned(8))); } capped;
    typedef struct { char a; int b; } __attribute__((packed)) packed;
    typedef struct { char a; int b; } __attribute__((aligned(8))) aligned;
    typedef union { char a; int b; struct { char c; short d; } e; } both;
    #pragma pack(pop)
    kernel void f(global int *out) {
        #pragma pack(1)
        struct local_one { char a; int b; };
        #pragma pack()
        struct around { char a;
        #pragma pack(1)
        int b; struct { char c; int d; } e; };
        out[0] = sizeof(capped); out[1] = sizeof(packed); out[2] = sizeof(aligned); out[3] = sizeof(both); out[4] = sizeof(struct local_one);
        out[5] = sizeof(struct around);
    }
    """
    out = np.full(6, -1, np.int32)
    execute(real_device, source, out, kernel="f")
    assert out.tolist() == [6, 5, 8, 4, 5, 16]


@pytest.mark.parametrize(("pragma", "message"), [
    ("pack(push, 3)", "expected #pragma pack parameter to be '1', '2', '4', '8', or '16' - ignoring"),
    ("pack(1, 2)", "expected #pragma pack parameter to be '1', '2', '4', '8', or '16' - ignoring"),
    ("pack 1", "missing '(' or ')' after '#pragma pack' - ignoring"),
    ("pack(pop)", "#pragma pack(pop, ...) failed: stack empty"),
    ("pack(pop, here)", "#pragma pack(pop, ...) failed: nothing was pushed as 'here'"),
    ("pack(show)", "value of #pragma pack(show) == any alignment"),
    ("pack(1)\n#pragma pack(show)", "value of #pragma pack(show) == 1"),
    ("package(1)", None),
])  # fmt: skip
def test_what_is_said_of_pack(pragma, message):
    assert [d.message for d in translate(f"#pragma {pragma}\n{KERNEL}").diagnostics] == ([message] if message else [])
