"""Launches over sizes that the work-groups do not divide, as one grid: of which kernels, and what CUDA is given (runtime/cuda/rounded_launch.py)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.cuda_text import SAXPY, CudaText
from support.fake_cuda import FakeCuda
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.program import CudaProgram, compile_for, compiler_spec, rounded_variant
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.translator import translate
from cl2cuda.translator.options import BuildOptions

CHECK = "if (ocl::is_past_range()) return;"
KERNELS = """
int helper(int x) { return x + get_global_size(0); }
kernel void plain(global int *x) { x[get_global_id(0)] = 1; }
kernel void sized(global int *x) { x[get_global_id(0)] = helper(1); }
kernel void linear(global int *x) { x[get_global_linear_id()] = 1; }
kernel void grouped(global int *x) { x[get_global_id(0)] = get_local_id(0); }
kernel void waits(global int *x) { x[get_global_id(0)] = 1; barrier(CLK_GLOBAL_MEM_FENCE); }
kernel void shares(global int *x) { local int y; y = 1; x[get_global_id(0)] = y; }
kernel void together(global int *x) { x[get_global_id(0)] = sub_group_all(1); }
"""
GIVEN = "kernel void given(global int *x, local int *y) { y[0] = 1; x[get_global_id(0)] = y[0]; }"
ALONE = {"plain", "sized", "linear"}


def rounds(source, waits=True, **options):
    translation = translate(source, BuildOptions(cl_std="CL3.0", **options))
    source, found = rounded_variant(translation, waits)
    assert source.count(CHECK) == len(found) and bool(source) == bool(found)
    return found


def test_kernels_that_cannot_tell_their_groups_may_be_rounded():
    assert rounds(KERNELS) == rounds(KERNELS, waits=False) == ALONE
    assert rounds(KERNELS + GIVEN) == {"plain"}, "another has local memory where these would have the surplus"
    assert rounds(KERNELS + 'kernel void told(global int *x) { asm("mov.u32 %0, %%tid.x;" : "=r"(x[0])); }') == set()
    assert rounds("kernel void surplus(global int *x) { x[0] = 1; }\nkernel void is_past_range(global int *x) { x[0] = 1; }") == {
        "surplus", "is_past_range"}


def test_what_a_program_calls_itself_is_no_matter():
    source = "int is_past_range(int x) { return x; } int surplus(int x) { return x; } kernel void f(global int *x) { x[0] = surplus(is_past_range(1)); }"
    program = compiled(source)
    assert program.rounds == {"f"} and program.rounded(nvrtc.nvrtc())


def compiled(source):
    try:
        newest = nvrtc.nvrtc().version[0]
    except DriverMissing as missing:
        pytest.skip(str(missing))
    return CudaProgram.unpack(compile_for(compiler_spec(newest, (9, 0)), translate(source, BuildOptions(cl_std="CL3.0")), BuildOptions()))


@pytest.mark.parametrize("more", ["", GIVEN])
def test_the_compiler_takes_both_libraries(more):
    program = compiled(KERNELS + more)
    assert program.rounds == ({"plain"} if more else ALONE) and program.rounded(nvrtc.nvrtc()) != program.plain[0]
    assert CudaProgram.unpack(program.pack()) == program
    assert not CudaProgram.unpack(replace(program, rounds=frozenset()).pack()).rounds


@pytest.fixture
def function():
    """Of a kernel, over a CUDA that is imagined."""
    try:
        nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))

    def made(**info):
        device = CudaDevice(FakeCuda(), 0)
        device.cuda.launch_addresses = (1001, 1002, 1003)
        kernel = kernel_info("saxpy", arg("y", "global"), arg("x", "global"), arg("a", "value", 4), **info)
        text = CudaText(SAXPY.replace("{ ", "{\n").replace("; }", ";\n}"), (kernel,))
        found = device.load(device.compile(text, BuildOptions())).function(kernel)
        stream = device.open_stream()

        def launched(size, local, offset=(0, 0, 0)):
            """Blocks, threads and bytes of shared memory of the launch by native code, and of that by Python."""
            native = found.native_launch(stream, 3, size, local, offset, 0, 4242)
            device.cuda.driver.launches.clear()
            found.prepare(stream, 3, size, local, offset, 0, 4242)()
            return (native and native.words[1:8]), [words[:7] for _, words, _ in device.cuda.driver.launches]

        launched.function = found
        return launched

    return made


def test_a_size_that_is_not_divided_is_one_grid(function):
    launched = function()
    assert launched.function.rounds and launched.function.handles_by_surplus == (0, 0)
    assert launched((1024, 1, 1), (256, 1, 1))[0] == (4, 1, 1, 256, 1, 1, 0) and launched.function.handles_by_surplus == (0, 0)
    native, grids = launched((1009, 1, 1), (256, 1, 1))
    assert native == (4, 1, 1, 256, 1, 1, 15) and grids == [native]
    plain, rounded = launched.function.handles_by_surplus
    assert plain and rounded and plain != rounded
    assert launched((1024, 1, 1), (256, 1, 1))[0] == (4, 1, 1, 256, 1, 1, 0)
    assert launched((13, 9, 4), (5, 3, 2))[0] == (3, 3, 2, 5, 3, 2, 2)
    # From an offset on, in other dimensions, and beyond what ids of 32 bits have, it is the general variant's.
    for size, local, offset in (((1009, 1, 1), (256, 1, 1), (1, 0, 0)), ((2**32 + 1, 1, 1), (256, 1, 1), (0, 0, 0)),
                                ((64, 9, 1), (32, 2, 1), (0, 0, 0)), ((64, 9, 5), (32, 3, 2), (0, 0, 0))):
        native, grids = launched(size, local, offset)
        assert native is None and len(grids) > 1


def test_a_block_that_has_too_many_registers_so_is_launched_in_pieces(function, monkeypatch):
    launched = function()
    get = launched.function.cuda.driver.funcGetAttribute
    monkeypatch.setattr(launched.function.cuda.driver, "funcGetAttribute", lambda number, handle: get(number, handle) if number else 896)
    assert launched((1009, 1, 1), (896, 1, 1))[0] == (2, 1, 1, 896, 1, 1, 783)
    native, grids = launched((2009, 1, 1), (1024, 1, 1))
    assert native is None and len(grids) == 2


def test_what_tells_its_groups_is_launched_in_pieces(function):
    launched = function(observes_groups=True)
    assert not launched.function.rounds
    native, grids = launched((1009, 1, 1), (256, 1, 1))
    assert native is None and len(grids) == 2
