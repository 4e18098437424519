"""clGetKernelWorkGroupInfo of real kernels on every kind of device: what it says is what launches meet."""

from types import SimpleNamespace

import numpy as np
import pytest
from support.fails import fails

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

SOURCE = """
kernel void plain(global int *out) { out[get_global_id(0)] = 1; }
kernel void locals(global int *out, local int *given, local char *more) {
    local int own[100];
    own[get_local_id(0) % 100] = given[0] = more[0] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = own[0] + given[0] + more[0];
}
kernel __attribute__((reqd_work_group_size(32, 2, 1))) void fixed(global int *out) { out[get_global_linear_id()] = 1; }
kernel void heavy(global int *out) {
    int values[64];
    for (int i = 0; i < 64; i++) values[i] = out[i] + i;
    for (int i = 0; i < 64; i++) values[(values[i] & 63)] += i;
    out[get_global_id(0)] = values[out[0] & 63];
}
kernel __attribute__((work_group_size_hint(64, 1, 1), vec_type_hint(float4))) void hinted(global int *out) { out[0] = 1; }
"""


@pytest.fixture
def on(real_device):
    context = Context([real_device])
    program = Program(context, SOURCE)
    program.build("-cl-std=CL3.0")
    buffer = Buffer(context, codes.MEM_READ_WRITE, 4 * 4096)
    kernels = {name: Kernel(program, name) for name in program.kernel_names}
    for kernel in kernels.values():
        kernel.set_arg(0, buffer)
    return SimpleNamespace(device=real_device, queue=CommandQueue(context, real_device), buffer=buffer, **kernels)


def launch(on, kernel, size):
    enqueue_nd_range_kernel(on.queue, kernel, 1, None, (size,), (size,))
    result = np.zeros(4096, np.int32)
    buffer_commands.enqueue_read_buffer(on.queue, on.buffer, True, 0, result)
    return result


@pytest.mark.parametrize("name", ["plain", "heavy"])
def test_the_largest_work_group_runs_and_a_larger_one_is_refused(on, name):
    kernel = getattr(on, name)
    largest = kernel.work_group_info(codes.KERNEL_WORK_GROUP_SIZE)
    assert on.device.properties.sub_group_size <= largest <= on.device.properties.max_work_group_size
    launch(on, kernel, largest)
    fails("INVALID_WORK_GROUP_SIZE" if largest < on.device.properties.max_work_item_sizes[0] else "INVALID_WORK_ITEM_SIZE",
          launch, on, kernel, largest + 1)


def test_local_memory_is_that_of_variables_and_arguments(on):
    info = on.locals.work_group_info
    assert on.plain.work_group_info(codes.KERNEL_LOCAL_MEM_SIZE) == 0
    # "if the local memory size, for any pointer argument [...], is not specified, its size is assumed to be 0"
    assert 400 <= info(codes.KERNEL_LOCAL_MEM_SIZE) < 400 + 128
    on.locals.set_arg(1, LocalMemory(1000))
    on.locals.set_arg(2, LocalMemory(3))
    assert 1403 <= info(codes.KERNEL_LOCAL_MEM_SIZE) < 1403 + 3 * 128
    assert set(launch(on, on.locals, 64)[:64]) == {3}
    on.locals.set_arg(1, LocalMemory(on.device.properties.local_memory))
    assert info(codes.KERNEL_LOCAL_MEM_SIZE) > on.device.get_info(0x1023)
    fails("OUT_OF_RESOURCES", launch, on, on.locals, 64)


def test_the_rest(on):
    assert on.plain.work_group_info(codes.KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) == on.device.properties.sub_group_size
    assert on.plain.work_group_info(codes.KERNEL_COMPILE_WORK_GROUP_SIZE) == (0, 0, 0)
    assert on.fixed.work_group_info(codes.KERNEL_COMPILE_WORK_GROUP_SIZE, on.device) == (32, 2, 1)
    assert on.fixed.work_group_info(codes.KERNEL_WORK_GROUP_SIZE) >= 64
    assert on.hinted.get_info(codes.KERNEL_ATTRIBUTES) == "work_group_size_hint(64,1,1) vec_type_hint(float4)"
    private = on.heavy.work_group_info(codes.KERNEL_PRIVATE_MEM_SIZE)
    assert private >= 256 if on.device.is_cuda else private == 0  # the array is indexed by what nobody knows: it is in memory
    fails("INVALID_DEVICE", on.plain.work_group_info, codes.KERNEL_WORK_GROUP_SIZE, "device")
