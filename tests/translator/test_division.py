"""Translations divided by their kernels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.run_language_cases import CASES

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.translator import compile_object, link, translate
from cl2cuda.translator.division import divided
from cl2cuda.translator.options import BuildOptions, parse_options

BENCHMARK = Path(__file__).parents[1] / "tools" / "benchmark"
SEVERAL = """
constant float table[3] = {1, 2, 3};
float more(float x);
kernel void a(global float *x) { x[0] = more(table[1]); }
float more(float x) { return x + 1; }
kernel void empty(void) {}
kernel void b(global float *x) { local float z; z = 1; a(x); x[1] = z; }
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void with_many_parameters_of_long_names(global const float *the_first_of_them, global float *restrict the_second_of_them, float4 the_third) {
    the_second_of_them[0] = the_first_of_them[0] + the_third.x;
}
"""


def kernels_of(parts):
    return [sorted(kernel.name for kernel in part.kernels) for part in parts]


def test_each_kernel_is_in_one_part():
    whole = translate(SEVERAL)
    parts = divided(whole, 4, 1)
    assert len(parts) == 4 and sorted(name for names in kernels_of(parts) for name in names) == ["a", "b", "empty", "with_many_parameters_of_long_names"]
    for part in parts:
        assert len(part.user_source.split("\n")) == len(whole.user_source.split("\n")) and part.line_map == whole.line_map
        [head] = re.findall(r"^__global__ .*", part.user_source, re.MULTILINE)
        assert f" {part.kernels[0].name}(" in head
        # What it lacks has no places either.
        assert not re.search(r"^#line .*\n(?:\n|#line)", part.source("cuda"), re.MULTILINE)
        assert "float more(float x) {" in part.user_source and "void a_body(float *x) {" in part.user_source and "table[3]" in part.user_source


def test_parts_are_of_about_the_same_length():
    bodies = {"a": 12, "b": 3, "c": 4, "d": 5}
    text = "".join(f"kernel void {name}(global int *x) {{ {'x[0]++; ' * lines} }}\n" for name, lines in bodies.items())
    assert kernels_of(divided(translate(text.replace("; ", ";\n")), 2, 1)) == [["a"], ["b", "c", "d"]]


@pytest.mark.parametrize(("most", "lines", "count"), [(1, 1, 1), (3, 1, 3), (9, 1, 4), (9, 12, 2), (9, 1000, 1)])
def test_how_many_parts_there_are(most, lines, count):
    assert len(divided(translate(SEVERAL), most, lines)) == count


def test_variables_are_not_divided():
    whole = translate("global int count; kernel void a(global int *x) { *x = count++; } kernel void b(global int *x) { *x = count++; }",
                      parse_options("-cl-std=CL3.0"))
    assert divided(whole, 2, 1) == (whole,)


@pytest.fixture(scope="module")
def compiler():
    try:
        return nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))


def compiles(compiler, parts, options=BuildOptions()):  # noqa: B008 - it is frozen
    for part in parts:
        names = [f"&ocl::user::{kernel.cxx_name}" for kernel in part.kernels]
        assert nvrtc.build(part.source("cuda"), "compute_90", flags(options, compiler.version, part.fp_contract), names, library=compiler).code


@pytest.mark.parametrize("name", ["kernels.cl", "more_kernels.cl", "work_groups.cl"])
def test_parts_of_programs_compile(compiler, name):
    parts = divided(translate((BENCHMARK / name).read_text()), 5, 1)
    assert len(parts) > 1
    compiles(compiler, parts)


def test_parts_of_a_linked_program_compile(compiler):
    """Whose objects are namespaces, from which the program's names come by `using`."""
    objects = [compile_object(text, BuildOptions()) for text in (
        "float half_of(float x) { return x / 2; } kernel void a(global float *x) { x[0] = half_of(x[1]); }",
        "float half_of(float x); kernel void b(global float *x) { x[0] = half_of(x[1]); } kernel void c(global float *x) { x[0] = 1; }")]
    parts = divided(link(objects), 3, 1)
    assert sorted(name for names in kernels_of(parts) for name in names) == ["a", "b", "c"] and len(parts) == 3
    compiles(compiler, parts)


def test_every_kernel_of_the_cases_is_found():
    """A definition that is not would keep its program whole, silently."""
    for case in CASES:
        if case.runs and not case.xfail and case.options in ("", "-cl-std=CL3.0"):
            text = case.path.read_text(encoding="utf-8")
            twice = text.count("kernel void") > 1
            whole = translate(text, parse_options(case.options)) if twice else None
            if whole is not None and len(whole.kernels) > 1 and not whole.global_size:
                assert len(divided(whole, 2, 1)) == 2, case.id
