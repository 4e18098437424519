"""ND-ranges on every kind of device: what each work-item knows of its place, against a model in NumPy (5.10)."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from support.fails import fails

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel, enqueue_task, suggested_local_work_size
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

# Each work-item writes a row of numbers at its place; `grouped` so that it must know its group.
FIELDS = 3 * 7 + 3
SOURCE = """
#define ROW(d) row[7*d] = get_global_id(d); row[7*d + 1] = get_local_id(d); row[7*d + 2] = get_group_id(d); \\
    row[7*d + 3] = get_num_groups(d); row[7*d + 4] = get_local_size(d); row[7*d + 5] = get_global_size(d); \\
    row[7*d + 6] = get_global_offset(d);
kernel void where(global long *out) {
    size_t place = get_global_id(0) - get_global_offset(0) + get_global_size(0) * (get_global_id(1) - get_global_offset(1)
        + get_global_size(1) * (get_global_id(2) - get_global_offset(2)));
    global long *row = out + place * 24;
    ROW(0) ROW(1) ROW(2)
    row[21] = get_work_dim();
    row[22] = LINEAR;
    row[23] = ENQUEUED;
}
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global long *out) { out[0] = get_local_size(0); }
kernel void count(global uint *out) {
    atomic_inc(out);
    if (get_global_id(1) == get_global_size(1) - 1 && get_global_id(2) == get_global_size(2) - 1) out[1] = get_group_id(1) + get_group_id(2);
}
"""
OPTIONS = {"CL1.2": "-cl-std=CL1.2 -DLINEAR=0 -DENQUEUED=0",
           "CL3.0": "-cl-std=CL3.0 -DLINEAR=get_local_linear_id() -DENQUEUED=get_enqueued_local_size(0)"}


@pytest.fixture(params=["CL1.2", "CL3.0"])
def on(request, real_device):
    context = Context([real_device])
    program = Program(context, SOURCE)
    program.build(OPTIONS[request.param])
    kernels = {name: Kernel(program, name) for name in program.kernel_names}
    return SimpleNamespace(device=real_device, context=context, queue=CommandQueue(context, real_device), version=request.param, **kernels)


def launch(on, kernel, size, local=None, offset=None, elements=24, fill=-1, dimensions=None):
    """What the kernel has written into a buffer of `fill`."""
    result = np.full(elements, fill, np.int64)
    buffer = Buffer(on.context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, result.nbytes, result)
    kernel.set_arg(0, buffer)
    enqueue_nd_range_kernel(on.queue, kernel, dimensions or len(size), offset, size, local)
    buffer_commands.enqueue_read_buffer(on.queue, buffer, True, 0, result)
    return result


def expected(size, local, offset, version):
    """One row for each work-item, in order of its place."""
    dimensions = len(size)
    size, local, offset = (tuple(given) + (fill,) * (3 - dimensions) for given, fill in ((size, 1), (local, 1), (offset, 0)))
    rows = np.zeros((*size[::-1], FIELDS), np.int64)
    linear, stride = np.zeros(size[::-1], np.int64), np.ones(size[::-1], np.int64)
    for d in range(3):
        along = np.arange(size[d]).reshape([-1 if axis == 2 - d else 1 for axis in range(3)])
        group = along // local[d]
        own_size = np.minimum(local[d], size[d] - group * local[d])
        values = (along + offset[d], along % local[d], group, -(-size[d] // local[d]), own_size, size[d], offset[d])
        for number, value in enumerate(values):
            rows[..., 7 * d + number] = value
        linear += stride * (along % local[d])
        stride = stride * own_size
    rows[..., 21] = dimensions
    if version == "CL3.0":
        rows[..., 22], rows[..., 23] = linear, local[0]
    return rows.reshape(-1)


UNIFORM = [((96,), (32,), None), ((96,), (1,), (5,)), ((12, 6), (4, 3), None), ((12, 6), (4, 3), (100, 1000)),
           ((4, 6, 10), (2, 3, 5), (1, 2, 3)), ((1, 1, 1), (1, 1, 1), None), ((8, 1, 64), (1, 1, 64), (0, 0, 1 << 33))]
UNEVEN = [((100,), (32,), None), ((5,), (64,), (7,)), ((13, 7), (4, 3), None), ((13, 6), (4, 3), (9, 9)),
          ((5, 7, 11), (2, 3, 4), (1, 2, 3)), ((3, 5, 2), (4, 8, 4), None)]


@pytest.mark.parametrize("size, local, offset", UNIFORM + UNEVEN)
def test_each_work_item_knows_its_place(on, size, local, offset):
    if (size, local, offset) in UNEVEN and on.version == "CL1.2":
        # "when non-uniform work-groups are not supported, the size of each work-group must be uniform"
        fails("INVALID_WORK_GROUP_SIZE", launch, on, on.where, size, local, offset)
        return
    found = launch(on, on.where, size, local, offset, FIELDS * int(np.prod(size)))
    np.testing.assert_array_equal(found, expected(size, local, offset or (0,) * len(size), on.version))


@pytest.mark.parametrize("size", [(1,), (7,), (1000,), (1031,), (64, 48), (7, 1031), (6, 10, 14), (1, 1, 127), (257, 3, 2)])
def test_the_chosen_size_is_the_suggested_one(on, size):
    assert "cl_khr_suggested_local_work_size" in dict(on.device.extensions)
    launch(on, on.where, (1,))  # its argument is set
    suggested = suggested_local_work_size(on.queue, on.where, len(size), None, size)
    assert len(suggested) == len(size)
    if on.version == "CL1.2":
        # "If local_work_size is NULL, the OpenCL runtime must choose a uniform work-group size."
        assert not any(whole % part for whole, part in zip(size, suggested, strict=True))
    found = launch(on, on.where, size, None, None, FIELDS * int(np.prod(size)))
    np.testing.assert_array_equal(found, expected(size, suggested, (0,) * len(size), on.version))


@pytest.mark.parametrize("size", [(1, 70_000), (1, 1, 70_000), (2, 65_537, 2), (1, 2, 131_072)])
def test_more_groups_than_cudas_grid_has(on, size):
    found = launch(on, on.count, size, (1,) * len(size), None, 1, fill=0).view(np.uint32)
    assert found.tolist() == [np.prod(size), sum(size[1:]) - (len(size) - 1)]


def test_the_required_size(on):
    assert launch(on, on.fixed, (8, 4), (4, 2))[0] == 4
    assert launch(on, on.fixed, (8, 4))[0] == 4
    assert launch(on, on.fixed, (8, 4, 3), (4, 2, 1))[0] == 4
    assert suggested_local_work_size(on.queue, on.fixed, 2, None, (8, 4)) == (4, 2)
    assert on.fixed.work_group_info(codes.KERNEL_COMPILE_WORK_GROUP_SIZE) == (4, 2, 1)
    assert on.where.work_group_info(codes.KERNEL_COMPILE_WORK_GROUP_SIZE) == (0, 0, 0)
    for local in ((2, 4), (8, 1), (4, 1)):
        assert "requires work-groups of (4, 2, 1)" in fails("INVALID_WORK_GROUP_SIZE", launch, on, on.fixed, (8, 4), local)
    fails("INVALID_WORK_GROUP_SIZE", enqueue_task, on.queue, on.fixed)
    if on.version == "CL1.2":
        fails("INVALID_WORK_GROUP_SIZE", launch, on, on.fixed, (9, 4))
    else:
        assert launch(on, on.fixed, (9, 4))[0] in (1, 4)  # whichever group wrote last


@pytest.mark.parametrize("size", [(0,), (0, 4), (4, 0, 4), None])
def test_nothing_to_run_succeeds(on, size):
    assert set(launch(on, on.where, size, None, None, dimensions=len(size or (1,)))) == {-1}


def test_a_task_is_one_work_item(on):
    launch(on, on.where, (4,), None, None, 4 * FIELDS)
    event = enqueue_task(on.queue, on.where)
    event.wait()
    assert event.get_info(codes.EVENT_COMMAND_TYPE) == codes.COMMAND_TASK
    assert fails("INVALID_KERNEL_ARGS", enqueue_task, on.queue, Kernel(on.where.program, "where")).startswith("clEnqueueTask")


def test_what_the_suggestion_refuses(on):
    suggest = suggested_local_work_size
    fresh = Kernel(on.where.program, "where")
    fails("INVALID_KERNEL_ARGS", suggest, on.queue, fresh, 1, None, (4,))
    launch(on, on.where, (1,))
    message = fails("INVALID_WORK_DIMENSION", suggest, on.queue, on.where, 4, None, (1, 1, 1, 1))
    assert message.startswith("clGetKernelSuggestedLocalWorkSizeKHR")
    for size in (None, (0,)):
        fails("INVALID_GLOBAL_WORK_SIZE", suggest, on.queue, on.where, 1, None, size)
    fails("INVALID_GLOBAL_WORK_SIZE", suggest, on.queue, on.where, 1, None, (2**64,))
    fails("INVALID_GLOBAL_OFFSET", suggest, on.queue, on.where, 1, (2**64 - 1,), (1,))
    other = Context([on.device])
    fails("INVALID_CONTEXT", suggest, CommandQueue(other, on.device), on.where, 1, None, (1,))
    on.where.release()
    fails("INVALID_KERNEL", suggest, on.queue, on.where, 1, None, (1,))
