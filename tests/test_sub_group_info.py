"""clGetKernelSubGroupInfo on every real device."""

from __future__ import annotations

import pytest

from cl2cuda.runtime import codes, sub_groups
from cl2cuda.runtime.context import Context
from cl2cuda.runtime.errors import CLError
from cl2cuda.runtime.kernel import Kernel
from cl2cuda.runtime.program import Program


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


@pytest.mark.parametrize(("param", "given"), [(codes.KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, None), (codes.KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, (0,)),
                                              (codes.KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 0), (0x9999, None)])  # fmt: skip
def test_wrong_questions(kernel, real_device, param, given):
    with pytest.raises(CLError, match="INVALID_VALUE"):
        sub_groups.sub_group_info(kernel, real_device, param, given)
