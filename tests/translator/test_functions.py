"""One function of a program, with no more of the program than it needs."""

import pytest

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.translator import CompileError, NoSuchFunction, parse_options, translate_function

SOURCE = """
typedef struct { float x; } pair;
constant float table[2] = {1, 2};
constant float other[2] = {3, 4};
constant float *constant pointer = other;
static float helper(float x) { return sqrt(x) + table[0]; }
float norm(float x, float y) { return helper(x * x + y * y); }
float second(global float *p, pair q) { return pointer[1] + p[get_global_id(0)] + q.x; }
void __attribute__((overloadable)) twice(float x) { }
void __attribute__((overloadable)) twice(int x) { }
kernel void k(global float *a) { a[get_local_id(0)] = norm(a[0], a[1]); }
"""


def test_what_a_function_reaches():
    translation, info = translate_function(SOURCE, "norm")
    text = translation.user_source
    assert (info.name, info.cxx_name, str(info.result)) == ("norm", "norm", "float")
    assert [(name, str(type)) for name, type in info.parameters] == [("x", "float"), ("y", "float")]
    assert info.builtins == {"sqrt"}
    assert all(word in text for word in ("table", "helper", "norm")) and not any(word in text for word in ("other", "second", "twice", "k("))
    assert translation.kernels == () and not any("get_local_id" in use for use in translation.used_builtins)


def test_variables_that_variables_need():
    translation, info = translate_function(SOURCE, "second")
    text = translation.user_source
    assert "other" in text and "pointer" in text and "table" not in text
    assert str(info.parameters[0][1]) == "__global float *" and info.builtins == {"get_global_id"}


@pytest.mark.parametrize("name", ["norm", "second"])
def test_it_compiles(name, compiler):
    translation, _ = translate_function(SOURCE, name)
    assert nvrtc.build(translation.source("cuda"), "compute_90", ["--minimal", "--std=c++20"], (), library=compiler).code


@pytest.mark.parametrize("name, reason", [
    ("nothing", "no function 'nothing'; it has: helper, norm, second, twice"),
    ("twice", "2 functions 'twice', which differ in their parameters"),
    ("k", "'k' is a kernel"),
])  # fmt: skip
def test_what_cannot_be_had(name, reason):
    with pytest.raises(NoSuchFunction) as caught:
        translate_function(SOURCE, name)
    assert reason in str(caught.value)


def test_options_and_errors_are_the_programs():
    translation, _ = translate_function("float f(float x) { return x * FACTOR; }", "f", parse_options("-DFACTOR=3"))
    assert "x * 3" in translation.user_source
    with pytest.raises(CompileError, match="FACTOR"):
        translate_function("float f(float x) { return x * FACTOR; }", "f")
