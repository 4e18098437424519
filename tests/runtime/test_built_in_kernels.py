"""clCreateProgramWithBuiltInKernels: devices list what is registered, and only that."""

import numpy as np
import pytest
from support.fails import fails
from support.kernel_facts import kernel_info
from support.run_program import run

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.devices import built_in_kernels
from cl2cuda.runtime.devices.built_in_kernels import BuiltInKernel, CompiledKernel, CudaKernel
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory, create_kernels_in_program
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.link import program_of_kernels, program_with_built_in_kernels
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.queries import version
from cl2cuda.translator.ir.kernel_info import ArgInfo


@pytest.fixture
def registered(monkeypatch):
    monkeypatch.setattr(built_in_kernels, "BUILT_IN", dict(built_in_kernels.BUILT_IN))
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


# Kernels that come as CUDA code. This one is laid out as Numba's: the words of an array, then a number.
SCALE = """
extern "C" __device__ float twice(float x);
extern "C" __global__ void scale_symbol(void *, void *, long long count, long long, float *a, long long, long long stride, float factor) {
    extern __shared__ float shared[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    shared[threadIdx.x] = i < count ? a[i] : 0;
    __syncthreads();
    if (i < count) a[i] = twice(factor) * shared[threadIdx.x];
}
"""
TWICE = 'extern "C" __device__ float twice(float x) { return 2 * x; }'
SCALE_INFO = kernel_info(
    "scale", ArgInfo("a", "float*", "global", 56, 8, "global", parts=7, dimensions=1, item_size=4, layout="C"),
    ArgInfo("factor", "float", "value", 4, 4), ArgInfo("shared", "void*", "local", 8, 8, "local", parameter=False), cuda_code=True)


def compiled_scale(capability):
    arch = "{}{}".format(*capability)
    return CompiledKernel(SCALE_INFO, "scale_symbol", (nvrtc.compile(SCALE, f"compute_{arch}", ["-rdc=true"]),
                                                       nvrtc.compile(TWICE, f"sm_{arch}", ["-rdc=true"])))


def whole_scale(capability):
    return CompiledKernel(SCALE_INFO, "scale_symbol", (nvrtc.compile(SCALE.replace(" twice(float x);", " twice(float x) { return 2 * x; }"),
                                                                     "compute_{}{}".format(*capability)),))


@pytest.fixture
def with_scale(registered):
    built_in_kernels.register(CudaKernel("scale", compiled_scale))


def test_cuda_devices_list_kernels_of_cuda_code(real_device, with_scale):
    listed = real_device.get_info(0x103F).split(";")
    assert listed == ["one", "two", *(["scale"] if real_device.is_cuda else [])]
    assert [name for name, _ in real_device.get_info(0x1062)] == listed
    if not real_device.is_cuda:
        context = Context([real_device])
        assert "CUDA" in fails("INVALID_VALUE", program_with_built_in_kernels, context, [real_device], "one;scale")


def arguments_of(kernel, context, values):
    buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, host=np.array(values, np.float32))
    for index, value in enumerate((buffer, np.float32(3), LocalMemory(4096))):
        kernel.set_arg(index, value)
    return buffer


def scaled(kernel, queue, **more):
    buffer = arguments_of(kernel, queue.context, range(100))
    enqueue_nd_range_kernel(queue, kernel, 1, None, (128,), (64,), **more)
    found = np.zeros(100, np.float32)
    enqueue_read_buffer(queue, buffer, True, 0, found)
    return found.tolist()


def test_cuda_code_runs_beside_opencl_c(cuda_device, with_scale):
    context = Context([cuda_device])
    queue = CommandQueue(context, cuda_device)
    program = program_with_built_in_kernels(context, [cuda_device], "scale;one")
    assert program.kernel_names == ("scale", "one")
    assert scaled(Kernel(program, "scale"), queue) == [6.0 * i for i in range(100)]
    assert run(program, "one")[:2] == [1.0, 0.0]
    again = Program.from_binaries(context, [cuda_device], program.binaries())
    again.build()
    assert scaled(Kernel(again, "scale"), queue) == [6.0 * i for i in range(100)]


def test_what_cuda_code_cannot_do(foreign_device, compiler):
    context = Context([foreign_device])
    queue = CommandQueue(context, foreign_device)
    kernel = Kernel(program_of_kernels(context, [foreign_device], [CudaKernel("scale", whole_scale)]), "scale")
    arguments_of(kernel, context, range(100))
    fails("INVALID_GLOBAL_OFFSET", enqueue_nd_range_kernel, queue, kernel, 1, (1,), (64,), (64,))
    assert "CUDA code" in fails("INVALID_WORK_GROUP_SIZE", enqueue_nd_range_kernel, queue, kernel, 1, None, (100,), (64,))
    assert "one grid" in fails("INVALID_GLOBAL_WORK_SIZE", enqueue_nd_range_kernel, queue, kernel, 2, None, (1, 65536), (1, 1))
    for size in ((128,), (101,)):  # a prime number of work-items goes in groups of one, and not in smaller groups at the end
        enqueue_nd_range_kernel(queue, kernel, 1, None, size, None)
    assert kernel.work_group_info(codes.KERNEL_GLOBAL_WORK_SIZE) == ((2**31 - 1) * 1024, 65535 * 1024, 65535 * 64)
    assert kernel.work_group_info(codes.KERNEL_LOCAL_MEM_SIZE) == 4096
    assert kernel.get_arg_info(0, codes.KERNEL_ARG_TYPE_NAME) == "float*"
    fails("INVALID_VALUE", program_of_kernels, context, [foreign_device], [])
    queue.finish()


def test_a_program_for_a_device_that_lacks_its_kernel(foreign_device, fake, compiler):
    """It has an executable where the kernel is, and there only."""
    context = Context([fake.device, foreign_device])
    program = program_of_kernels(context, context.devices, [CudaKernel("scale", whole_scale)])
    assert program.build_status(fake.device) == codes.BUILD_NONE and program.build_status(foreign_device) == codes.BUILD_SUCCESS
    kernel = Kernel(program, "scale")
    assert [each.name for each in create_kernels_in_program(program)] == ["scale"] == list(program.kernel_names)
    fails("INVALID_PROGRAM_EXECUTABLE", kernel.work_group_info, codes.KERNEL_WORK_GROUP_SIZE, fake.device)
    assert kernel.work_group_info(codes.KERNEL_WORK_GROUP_SIZE, foreign_device) == 1024
    assert "CUDA devices, of which there is none" in fails(
        "INVALID_VALUE", program_of_kernels, context, [fake.device], [CudaKernel("scale", whole_scale)])
