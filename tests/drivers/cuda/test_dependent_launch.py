"""Launches that begin before CUDA has dealt with the grid before them: which kernels wait for it, and which are launched so."""

import re
from dataclasses import replace

import pytest
from support.cuda_text import SAXPY, CudaText
from support.fake_cuda import FakeCuda
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.program import CudaProgram, plain_variant
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.translator import translate
from cl2cuda.translator.options import BuildOptions

SOURCE = """
kernel void nothing() {}
kernel void many_parameters(global const float *restrict first, global float *second, global float *third, global float *fourth,
                            int n, int m, local float *left, local float *right) {
    left[0] = first[0];
    second[0] = left[0];
}
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sized(global int *x) { x[get_global_id(0)] = 1; }
kernel void calls(global int *x) { sized(x); nothing(); }
kernel void enqueues(global int *x) {
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ x[0] = 1; });
}
"""
WAIT = "griddepcontrol.wait"


@pytest.fixture(scope="module")
def translation():
    return translate(SOURCE, BuildOptions(cl_std="CL3.0"))


def test_each_kernel_waits_before_all_else(translation):
    found, waits = plain_variant(translation, "sm_90")
    assert waits
    assert found.user_source.count(WAIT) == len(translation.kernels) == 6  # with the block's
    for name in (kernel.cxx_name for kernel in translation.kernels):
        assert re.search(rf"^__global__ [^;{{]*\b{name}\([^;{{]*\) {{ asm volatile\(\"{WAIT};\" ::: \"memory\"\);$", found.user_source, re.M)
    assert found.user_source.count("\n") == translation.user_source.count("\n")  # so that messages name the right lines


def test_the_compiler_moves_no_access_before_it(translation):
    try:
        nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    source = """
kernel void gathers(global const float *restrict x, global const int *restrict at, global float *y, constant float *c, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += x[at[i]] * c[i];
    y[get_global_id(0)] = sum + x[0];
}
"""
    found = plain_variant(translate(source, BuildOptions()), "compute_90")[0]
    ptx = nvrtc.build(found.source("cuda"), "compute_90", (), ["&ocl::user::gathers"]).code.decode()
    body = ptx[ptx.index(".entry"):]
    assert 0 < body.index(WAIT) < min(body.index(access) for access in ("ld.global", "st.global"))


@pytest.mark.parametrize("arch", ["sm_75", "sm_89", "compute_80"])
def test_older_architectures_have_no_such_launch(translation, arch):
    assert not plain_variant(translation, arch)[1]


@pytest.mark.parametrize("arch", ["sm_90", "sm_90a", "compute_100", "sm_120"])
def test_newer_ones_have(translation, arch):
    assert plain_variant(translation, arch)[1]


def test_a_program_of_which_a_kernel_is_not_found_is_left_as_it_is(translation):
    unfound = replace(translation, user_source=translation.user_source.replace("__global__ void nothing() {", "__global__ void nothing()\n{"))
    assert plain_variant(unfound, "sm_90") == (unfound, False)


def launched(text, info):
    """The kind of the kernel's launch by native code."""
    cuda = CudaDevice(FakeCuda(), 0)
    cuda.cuda.launch_addresses = (1001, 1002, 1003)
    function = cuda.load(cuda.compile(CudaText(text, (info,)), BuildOptions())).function(info)
    return function.native_launch(cuda.open_stream(), 1, (1024, 1, 1), (64, 1, 1), (0, 0, 0), 0, 4242)


def test_only_kernels_that_wait_are_launched_so():
    try:
        nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    info = kernel_info("saxpy", arg("y", "global"), arg("x", "global"), arg("a", "value", 4))
    found = launched(SAXPY, info)  # on one line, as no translated kernel is
    assert (found.kind, found.address, found.current) == ("grid", 1001, 1002)
    found = launched(SAXPY.replace("{ ", "{\n").replace("; }", ";\n}"), info)
    assert (found.kind, found.address, found.current) == ("dependent grid", 1003, 1002)


def test_that_kernels_wait_goes_with_the_program():
    program = CudaProgram("sm_90", (), {}, "general", "", (b"code",), {}, waits=True)
    assert CudaProgram.unpack(program.pack()) == program
    assert not CudaProgram.unpack(replace(program, waits=False).pack()).waits
