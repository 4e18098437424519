"""#pragma OPENCL: what it is told apart from, and what FP_CONTRACT does."""

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
