"""clGetKernelSubGroupInfo on every real device."""

from __future__ import annotations

import pytest

from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel import sub_groups
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError


@pytest.fixture
def kernel(real_device):
    program = Program(Context([real_device]), "kernel void f(global int *x) { x[0] = 1; }")
    program.build()
    return Kernel(program, "f")


def test_sizes_and_counts(kernel, real_device):
    def ask(param, given=None):
        return sub_groups.sub_group_info(kernel, real_device, param, given)

    assert ask(codes.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, (64, 2)) == 32
    assert ask(codes.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, (5,)) == 5
    assert ask(codes.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, (33, 2, 1)) == 3
    assert ask(codes.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 4) == (128, 1, 1)
    assert ask(codes.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 10**6) == (0, 0, 0)
    assert ask(codes.KERNEL_MAX_NUM_SUB_GROUPS) == 32
    assert ask(codes.KERNEL_COMPILE_NUM_SUB_GROUPS) == 0


@pytest.mark.parametrize("size", [8, 16, 32])
def test_kernels_that_require_a_size(real_device, size):
    program = Program(Context([real_device]), f"""__attribute__((intel_reqd_sub_group_size({size})))
    kernel void f(global uint *x) {{ x[get_local_id(0)] = get_max_sub_group_size(); }}""")
    program.build("-cl-std=CL3.0")
    kernel = Kernel(program, "f")

    def ask(param, given=None):
        return sub_groups.sub_group_info(kernel, real_device, param, given)

    assert ask(codes.KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL) == size and size in real_device.get_info(0x4108)
    assert ask(codes.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, (64, 2)) == size
    assert ask(codes.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, (5,)) == (5 if size == 32 else size)
    assert ask(codes.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, (size + 1, 2, 1)) == 3
    assert ask(codes.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 4) == (4 * size, 1, 1)
    assert ask(codes.KERNEL_MAX_NUM_SUB_GROUPS) == 1024 // size <= real_device.get_info(0x105C)
    assert kernel.work_group_info(codes.KERNEL_SPILL_MEM_SIZE_INTEL) == kernel.work_group_info(codes.KERNEL_PRIVATE_MEM_SIZE)


@pytest.mark.parametrize(("param", "given"), [(codes.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, None), (codes.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, (0,)),
                                              (codes.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 0), (0x9999, None)])  # fmt: skip
def test_wrong_questions(kernel, real_device, param, given):
    with pytest.raises(CLError, match="INVALID_VALUE"):
        sub_groups.sub_group_info(kernel, real_device, param, given)
