"""Calls of built-in functions: those that are alike are resolved once, and what is not alike is not taken for it."""

import pytest

from cl2cuda.translator import CompileError, parse_options, translate
from cl2cuda.translator.opencl_c.analyse import calls

OPTIONS = parse_options("-cl-std=CL2.0")


def kernel(*statements: str) -> str:
    return f"kernel void k(global float *p, local float *l, read_only image2d_t i, int n) {{ {' '.join(statements)} }}"


@pytest.mark.parametrize("call", [
    "*p = vload4(n, p).x;", "vstore3((float3)(n), 0, p);", "*p = read_imagef(i, 9, (int2)(n)).x;", "*p = fract((float)n, p);",
    "event_t e = async_work_group_copy(l, p, 4, 0); wait_group_events(1, &e);",
])
def test_calls_that_are_alike_are_resolved_once(call, monkeypatch):
    translate(kernel(call), OPTIONS)
    ranked = []
    monkeypatch.setattr(calls, "best", lambda *arguments: ranked.append(arguments))
    translate(kernel(f"{{ {call} }}", f"{{ {call} }}"), OPTIONS)
    assert not ranked


@pytest.mark.parametrize("good, bad", [
    ("*p = read_imagef(i, 9, (int2)(n)).x;", "*p = read_imagef(i, n, (int2)(n)).x;"),
    ("async_work_group_copy(l, p, 4, 0);", "async_work_group_copy(l, p, 4, 1);"),
    ("async_work_group_copy(l, p, 4, 0);", "async_work_group_copy(l, p, 4, n);"),
    ("*p = fract((float)n, p);", "*p = fract((float)n, n);"),
])  # fmt: skip
def test_a_call_that_fits_lends_nothing_to_one_that_does_not(good, bad):
    calls._builtins.cache_clear()
    with pytest.raises(CompileError) as before:
        translate(kernel(bad), OPTIONS)
    translate(kernel(good), OPTIONS)
    with pytest.raises(CompileError) as after:
        translate(kernel(bad), OPTIONS)
    assert str(after.value) == str(before.value)
