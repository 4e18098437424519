"""Sums that stay under their condition, on CUDA: those for which NVRTC would compute a sum and a choice, and no others."""

import re

import pytest

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.translator import parse_options, translate

PROGRAM = """
int call(float4 v) {{ return v.x > v.y; }}
kernel void k(global const int *x, global const float *f, global const float4 *q, global const double *d, global int *out, int n, int a, float r) {{
    int c = 0, e = 0, m[4]; uint u = 0; double s = 0, t = 0; float z = 0; long l = 0; short w = 0; int4 v = 0; volatile int changing = 0;
    local int tile[64];
    {}
    out[0] = c + e + u + s + t + z + l + w + v.x + changing + m[0];
}}"""
LOOP = "for (int i = 0; i < n; i++) {{ {} }}"


def printed(body, item_loops=False):
    text = translate(PROGRAM.format(body), parse_options(""), item_loops=item_loops).user_source
    return " ".join(text[text.index("tile[64];") + 9 : text.index("out[0] = c + e")].split())


def marks(body):
    """The variables that are marked in the body of a loop."""
    return re.findall(r"stays_conditional\((\w+)\)", printed(LOOP.format(body)))


@pytest.mark.parametrize(("given", "shown"), [
    ("if (x[i] > a) c++;", "if (x[i] > a) { c++; stays_conditional(c); }"),
    ("if (x[i] > a) { --c; }", "if (x[i] > a) { --c; stays_conditional(c); }"),
    ("if (x[i] > a) u -= 3;", "if (x[i] > a) { u -= 3; stays_conditional(u); }"),
    ("if (d[i] > r) s += d[i];", "if (d[i] > r) { s += d[i]; stays_conditional(s); }"),
    ("if (x[i] > a) { z++; c++; l++; }", "if (x[i] > a) { z++; c++; l++; stays_conditional(c); }"),
    ("if (x[i] > a) c++; else e--;", "if (x[i] > a) { c++; stays_conditional(c); } else { e--; stays_conditional(e); }"),
    ("if (x[i] > a) c++; else z += r;", "if (x[i] > a) { c++; stays_conditional(c); } else z += r;"),
    ("if (x[i] > a) if (x[i] < n) c++;", "if (x[i] > a) if (x[i] < n) { c++; stays_conditional(c); }"),
    ("c += x[i] > a;", "if (x[i] > a) { c++; stays_conditional(c); }"),
    ("u -= x[i] > a && x[i] < 2 * a;", "if (x[i] > a && x[i] < 2 * a) { u--; stays_conditional(u); }"),
    ("c += !x[i];", "if (!x[i]) { c++; stays_conditional(c); }"),
    ("c += x[i] > a ? 1 : 0;", "if (x[i] > a) { c++; stays_conditional(c); }"),
    ("c += x[i] > a ? x[i] : 0;", "if (x[i] > a) { c += x[i]; stays_conditional(c); }"),
    ("x[i] == a ? c++ : c; if (f[i] < r) c++;", "x[i] == a ? c++ : c; if (f[i] < r) { c++; stays_conditional(c); }"),
], ids=lambda each: each)
def test_what_stays_conditional(given, shown):
    assert printed(LOOP.format(given)) == f"for (int i = 0; i < n; i++) {{ {shown} }}"


@pytest.mark.parametrize("given", [
    "if (f[i] < r || (f[i] == r && i < a)) c++;",  # operands that cost as little as a branch, and read what is there
    "if (q[i].x > r && q[i].y > r && fabs(q[i].z) < r) c++;",
    "if (call(q[i])) c++;",
    "if (i < a) c++;",
    "int own = x[i]; if (own > 3) c++;",
    "a = a * 5 + 1; if (a > 3) c++;",
    "if (x[i] & a) c++;",
    "if (x[i] & 1) c += x[i];",
    "if (x[i] > a) break; if (f[i] > r) c++;",
    "if (x[i] > a) continue; if (f[i] > r) c++;",
    "for (int k = 0; k < 8; k++) if (x[i] >> k & a) c++;",
    "tile[a] = x[i]; if (x[i] > a) c++;",
    "int own = 0; for (int k = 0; k < 8; k++) if (x[i] > k) own++; out[i] = own;",
    "if (tile[i] < a) c++;",
    "if (a > 3) { for (int k = 0; k < n; k++) if (x[k] > i) c++; }",
], ids=lambda each: each)
def test_what_is_marked(given):
    assert len(marks(given)) == 1


@pytest.mark.parametrize("given", [
    "if (x[i] > a) z += r;",  # sums of float, long and short are as short without
    "if (x[i] > a) l++;",
    "if (x[i] > a) w++;",
    "if (x[i] > a) v.x++;",  # no variables of their own
    "if (x[i] > a) m[0]++;",
    "if (x[i] > a) changing++;",
    "if (x[i] > a) out[i]++;",
    "int own = 0; if (x[i] > a) own++; out[i] = own;",  # which does not go on with the loop
    "int *p = &c; if (x[i] > a) c++; *p = 0;",
    "if (x[i] > c) c = x[i];",
    "if (x[i] > a) { c++; e = i; }",
    "if (x[i] > a) c++; else e = 0;",
    "if (x[i] > a) { c++; c++; c++; c++; c++; }",
    "if (x[i] > a) c += call(q[i]);",
    "if (x[i] > a) c += e++;",
    "if (x[i] > a) c++; else c--;",  # one sum, of one or the other value
    "if (x[i] > a) c += out[i];",  # what has to be read, or costs more, has a branch anyway
    "if (x[i] > a) c += x[i] / a;",
    "if (x[i] > a && f[i] > r) c++;",
    "if (x[i] > a || x[i] % a == 0) c++;",
    "if (q[i].x < r && sqrt(q[i].y) < r) c++;",
    "if (x[i] > a) c++; else if (x[i] < n) e++;",  # branches would be left
    "if (x[i] > a) { e++; if (x[i] < n) c++; }",
    "if (x[i] > a) { if (x[i] < n) c++; else e++; }",
    "if (x[i] == 1 || x[i] == 5 || x[i] == 9) c++;",
    "if (x[i] == 1) c++; if (x[i] == 5) e++;",
    "switch (x[i]) { case 1: if (f[i] > r) c++; }",
    "if (x[i] > a) out[c++] = i; if (x[i] > n) e++;",
    "if (x[i] > a) atomic_inc(&tile[i]); if (x[i] > n) e++;",
    "out[c] = x[i]; if (x[i] > a) c++;",
    "if (x[i] & 1) c++;",  # the bit itself is added
    "if (x[i] % 2 == 0) c++; else e++;",
    "c += (x[i] & 1) == 0;",
    "if (x[i] & a) c += a;",
    "if (x[i] < 0) c++;",
    "u += x[i]; if (u >= a) u -= a;",  # what its own value decides
    "c += x[i]; if (c >= a) c -= a;",
    "if (x[i] > a && c < n) c++;",
    "if (3 > 2) c++;",  # what the compiler may know
    "if (i & 2) c++;",
    "for (int k = 0; k < 8; k++) if ((k & 2) && i) c++;",
    "const int size = 3; int own = size * 2; if (own > i) c++;",
    "if (a > n) c++;",  # what it takes out of the loop
    "if (get_local_id(0) == a) c++;",
    "for (int k = 0; k < a; k++) l += x[k]; if (l > a) c++;",  # beside a loop it is little
    "for (int k = 0; k < 81; k++) if (x[k] > a) c++;",  # it would be unrolled in part
    "c += a;",
    "c += x[i] > a ? 1 : 2;",
    "z += x[i] > a;",
    "l += x[i] > a;",
    "v += q[i].xyzw > r;",
], ids=lambda each: each)
def test_what_the_compiler_gets_as_it_is(given):
    assert marks(given) == []


def test_loops_only():
    assert "stays_conditional" not in printed("if (x[0] > a) c++; e += x[1] > a;")
    for loop in ("while (n--) { if (x[n] > a) c++; }", "do { if (x[n] > a) c++; } while (n--);", "for (; n; n--) if (x[n] > a) c++;"):
        assert printed(loop).count("stays_conditional(c)") == 1


def test_an_else_stays_with_its_if():
    body = "if (call(q[i])) c += x[i] > a; else out[i] = 1;"
    assert printed(LOOP.format(body)) == "for (int i = 0; i < n; i++) { if (call(q[i])) c += x[i] > a; else out[i] = 1; }"


def test_constants_of_a_program():
    program = "constant int LIMIT = 3; kernel void k(global int *out, int n) { int c = 0, v = LIMIT; for (int i = 0; i < n; i++) if (v > i) c++; *out = c; }"
    assert "stays_conditional" not in translate(program).user_source


def test_names_of_the_program():
    program = """int stays_conditional(int x) { return x; }
        kernel void k(global int *x, global int *out, int n) { int c = 0; for (int i = 0; i < n; i++) if (x[i] > n) c++; *out = stays_conditional(c); }"""
    text = translate(program).user_source
    assert "ocl::stays_conditional(c);" in text and "= stays_conditional(c);" in text


def test_long_chains():
    chain = " else ".join(f"if (x[i] == {number}) c += {number};" for number in range(3000))
    assert marks(chain) == []


def test_processors_choose():
    """On the host device a choice costs less than a branch that is not foreseen."""
    assert "stays_conditional" not in printed(LOOP.format("if (x[i] > a) c++; c += x[i] > a;"), item_loops=True)


COUNTING = """
    kernel void counts(global const int *x, global const double *d, global int *out, global double *sums, int n, int a) {
        int c = 0; uint u = 0; double s = 0;
        for (int i = 0; i < n; i++) { if (x[i] > a) c++; u += x[i] < a; if (d[i] > a) s += d[i]; }
        out[0] = c; out[1] = u; sums[0] = s;
    }"""


@pytest.mark.parametrize("architecture", ["compute_75", "compute_90"])
def test_the_compiler_chooses_nothing(compiler, architecture):
    ptx = nvrtc.compile(translate(COUNTING).source("cuda"), architecture, ("--std=c++20", "-default-device")).decode()
    assert "selp" not in ptx and ptx.count("add.s32") >= 2 and "add.f64" in ptx


def test_only_what_is_used_comes_along():
    assert "stays_conditional" not in translate("kernel void k(global int *out) { out[0] = 1; }").source("cuda")
    assert translate(COUNTING).source("cuda").count("stays_conditional(double& sum)") == 1
