"""PyOpenCL's separate compilation and linking over cl2cuda, and its other ways to programs."""

import os

import numpy as np
import pytest
from support.spirv_assembler import assemble
from support.spirv_cases import whole

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl

DEVICES = cl.get_platforms()[0].get_devices()
TYPE = cl.program_binary_type

# PyOpenCL warns of every program that is compiled and not built.
pytestmark = pytest.mark.filterwarnings("ignore:Pre-build attribute access")


@pytest.fixture(params=DEVICES, ids=lambda device: device.name)
def ctx(request):
    return cl.Context([request.param])


def run(program, kernel="k"):
    ctx = program.context
    queue = cl.CommandQueue(ctx)
    out = np.zeros(4, np.float32)
    buffer = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    getattr(program, kernel)(queue, (1,), None, buffer)
    cl.enqueue_copy(queue, out, buffer)
    return out.tolist()


def test_a_module_of_spirv_is_a_program(ctx):
    module = assemble(whole("OpStore %out %chosen\nOpReturn\nOpFunctionEnd\n",
                            "OpDecorate %chosen SpecId 7\n%chosen = OpSpecConstant %uint 1\n"))
    program = cl.Program(ctx, module)
    assert program.get_info(cl.program_info.IL) == module
    program._get_prg().set_specialization_constant(7, np.uint32(5))  # cl.Program has no method for it
    program.build()
    out = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 4)
    queue = cl.CommandQueue(ctx)
    program.k(queue, (1,), None, out, out)
    found = np.zeros(1, np.uint32)
    cl.enqueue_copy(queue, found, out)
    assert found[0] == 5
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        cl.Program(ctx, module[:-4]).build()


def test_compile_and_link(ctx):
    (device,) = ctx.devices
    header = cl.Program(ctx, "float twice(float x);\n#define N 5\n")
    main = cl.Program(ctx, '#include "own.h"\nkernel void k(global float *p) { p[0] = twice(N + MORE); }')
    assert main.compile("-DMORE=1", headers=[("own.h", header)]) is main
    helper = cl.Program(ctx, '#include <own.h>\nfloat twice(float x) { return 2 * x; }').compile(headers=[("own.h", header)])
    assert main.get_build_info(device, cl.program_build_info.BINARY_TYPE) == TYPE.COMPILED_OBJECT
    library = cl.link_program(ctx, [helper], ["-create-library"])
    assert library.get_build_info(device, cl.program_build_info.BINARY_TYPE) == TYPE.LIBRARY
    program = cl.link_program(ctx, [main, library], devices=[device])
    assert program.get_build_info(device, cl.program_build_info.BINARY_TYPE) == TYPE.EXECUTABLE
    assert program.kernel_names == "k"
    assert run(program)[0] == 12.0
    again = cl.Program(ctx, [device], program.binaries).build()
    assert run(again)[0] == 12.0


def test_what_goes_wrong(ctx):
    with pytest.raises(cl.RuntimeError, match=r"COMPILE_PROGRAM_FAILURE.*undeclared identifier 'x'"):
        cl.Program(ctx, "kernel void k(global float *p) { p[0] = x; }").compile()
    part = cl.Program(ctx, "float f(int); kernel void k(global float *p) { p[0] = f(1); }").compile()
    with pytest.raises(cl.RuntimeError, match=r"LINK_PROGRAM_FAILURE.*undefined function 'f'") as failure:
        cl.link_program(ctx, [part])
    left_behind = failure.value.args[0]._program()
    assert "undefined function 'f'" in left_behind.get_build_info(ctx.devices[0], cl.program_build_info.LOG)
    with pytest.raises(cl.LogicError, match="INVALID_LINKER_OPTIONS"):
        cl.link_program(ctx, [part], ["-cl-std=CL1.2"])


def test_other_ways_to_programs(ctx):
    with pytest.raises(cl.LogicError, match=r"INVALID_VALUE.*'blur'; there are: none"):
        cl.create_program_with_built_in_kernels(ctx, ctx.devices, ["blur", "sharpen"])
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        cl.Program(ctx, b"\x03\x02\x23\x07").get_info(cl.program_info.DEVICES)  # SPIR-V begins like that
    program = cl.Program(ctx, "kernel void k(global float *p) { p[1] = 3; }").build()
    assert program.get_info(cl.program_info.IL) == b""
    cl.unload_platform_compiler(ctx.devices[0].platform)
    assert run(program)[1] == 3.0
