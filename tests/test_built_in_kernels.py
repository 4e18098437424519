"""clCreateProgramWithBuiltInKernels: devices list what is registered, and only that."""

import pytest
from test_buffer import fails
from test_compile_and_link import run

from cl2cuda.runtime import built_in_kernels, codes
from cl2cuda.runtime.built_in_kernels import BuiltInKernel
from cl2cuda.runtime.context import Context
from cl2cuda.runtime.info import version
from cl2cuda.runtime.kernel import Kernel
from cl2cuda.runtime.link import program_with_built_in_kernels
from cl2cuda.runtime.program import Program


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(built_in_kernels, "BUILT_IN", kernels := dict(built_in_kernels.BUILT_IN))
    for module in ("device_queries", "link"):
        monkeypatch.setattr(f"cl2cuda.runtime.{module}.BUILT_IN", kernels)
    helper = "static float value(void) { return %d; } kernel void %s(global float *p) { p[%d] = value(); }"
    built_in_kernels.register(BuiltInKernel("one", helper % (1, "one", 0), version=(1, 2, 3)))
    built_in_kernels.register(BuiltInKernel("two", helper % (2, "two", 1)))


def test_devices_have_none_of_their_own(device):
    assert device.get_info(0x103F) == ""
    assert device.get_info(0x1062) == ()
    fails("INVALID_VALUE", program_with_built_in_kernels, Context([device]), [device], "one")


def test_registered_ones_run(real_device, registered):
    context = Context([real_device])
    assert real_device.get_info(0x103F) == "one;two"
    assert real_device.get_info(0x1062) == (("one", version(1, 2, 3)), ("two", version(1)))
    program = program_with_built_in_kernels(context, [real_device], "two;one")
    assert program.kernel_names == ("two", "one")
    assert run(program, "one")[:2] == [1.0, 0.0]
    assert run(program, "two")[:2] == [0.0, 2.0]
    kernel = Kernel(program, "one")
    assert kernel.get_info(codes.KERNEL_ATTRIBUTES) == ""
    assert all(size >= 2**32 for size in kernel.work_group_info(codes.KERNEL_GLOBAL_WORK_SIZE))
    del kernel
    only = program_with_built_in_kernels(context, [real_device], "one")
    assert only.kernel_names == ("one",)
    fails("INVALID_KERNEL_NAME", Kernel, only, "two")
    fails("INVALID_OPERATION", only.build)
    fails("INVALID_OPERATION", only.compile)
    own = Program(context, "kernel void k(global float *p) { }")
    own.build()
    fails("INVALID_VALUE", Kernel(own, "k").work_group_info, codes.KERNEL_GLOBAL_WORK_SIZE)


def test_what_is_refused(real_device, registered):
    context = Context([real_device])
    assert "'three'; there are: one, two" in fails("INVALID_VALUE", program_with_built_in_kernels, context, [real_device], "one;three")
    fails("INVALID_VALUE", program_with_built_in_kernels, context, [], "one")
    fails("INVALID_DEVICE", program_with_built_in_kernels, context, ["device"], "one")
