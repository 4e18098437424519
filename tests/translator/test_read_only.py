"""Which arguments a kernel only reads: in a context of several devices they are copied to each, and stay valid where they were."""

import pytest

from cl2cuda import translator
from cl2cuda.translator import Dialect, parse_options, translate


def read_only(source, std=200):
    (kernel, *_) = translate(source, dialect=Dialect(version=std)).kernels
    return {arg.name: arg.read_only for arg in kernel.args}


def test_const_and_constant_are_only_read():
    found = read_only("""
        float sum(global const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
        kernel void f(global const float *x, constant float *c, global float *y, const global float4 *v, global float *const z, int n,
                      local float *l, read_only image2d_t image, global void *p, const global void *q) {
            global const float *next = x + 1;
            const global float *other = (const global float *)q;
            y[get_global_id(0)] = sum(next, n) * c[0] + vload4(0, x).x + v[1].y + other[0] + (x ? 1 : 0) + (x == next);
        }""")
    assert found == {"x": True, "c": True, "y": False, "v": True, "z": False, "n": False, "l": False, "image": False, "p": False, "q": True}


@pytest.mark.parametrize("way", [
    "((global int *)x)[0] = 1;",
    "global int *y = (global int *)x; y[0] = 1;",
    "*(global int *)(ulong)x = 1;",
    "size_t y = (size_t)x; *(global int *)y = 1;",
    "*(int *)x = 1;",
    "global int *y = x; y[0] = 1;",  # which clang takes with a warning
    "write(x);",
    "atomic_inc((volatile global int *)x);",
    "global const int *y = x; **(global int **)&y = 1;",
    "union { global const int *of; global int *to; } both; both.of = x; both.to[0] = 1;",
    "struct { int n; union { global const int *of; global int *to; } u; } both; both.u.of = x; both.u.to[0] = 1;",
    "struct pair { global const int *of; } a; a.of = x; *((struct other { global int *of; } *)&a)->of = 1;",
], ids=lambda way: way.split(";")[0])
def test_const_that_a_program_may_drop_says_nothing(way):
    source = "void write(global int *x) { x[0] = 1; }\nkernel void f(global const int *x, constant int *c) { " + way + " }"
    assert read_only(source) == {"x": False, "c": True}


def test_what_a_block_does_counts_too():
    """Blocks are called by no name."""
    source = """kernel void f(global const int *x) {
        void (^write)(global const int *) = ^(global const int *y) { ((global int *)y)[0] = 1; };
        write(x);
    }"""
    assert read_only(source) == {"x": False}
    assert read_only(source.replace("((global int *)y)[0] = 1", "int z = y[0]")) == {"x": True}


def test_linked_programs():
    """One object drops const of what the other's kernel gets."""
    kernel = "void g(global const int *x); kernel void f(global const int *x) { g(x); }"
    for body, kept in (("int y = x[0];", True), ("((global int *)x)[0] = 1;", False)):
        objects = [translator.compile_object(each, parse_options("")) for each in (kernel, "void g(global const int *x) { " + body + " }")]
        (found,) = translator.link(objects).kernels
        assert found.args[0].read_only is kept


def test_it_survives_json():
    (kernel,) = translate("kernel void f(constant int *x) { }").kernels
    assert type(kernel).from_json(kernel.to_json()) == kernel and kernel.args[0].read_only
