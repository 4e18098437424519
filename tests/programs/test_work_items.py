"""Work-item functions (6.15.1) on both devices, for ranges of every kind: work dimensions, offsets, smaller last work-groups, and
dimension indices that no range has."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

FUNCTIONS = ("get_global_size", "get_global_id", "get_local_size", "get_enqueued_local_size", "get_local_id", "get_num_groups",
             "get_group_id", "get_global_offset")
# "Valid values of dimindx are 0 to get_work_dim() - 1. For other values of dimindx, get_global_size() returns 1", ids are 0.
OTHERWISE = (1, 0, 1, 1, 0, 1, 0, 0)
INDICES = (0, 1, 2, 3, 7, 2**32 - 1)
RANGES = [
    # global size, local size, offset
    ((64,), (16,), None), ((70,), (16,), None), ((5,), (5,), (1000,)), ((70,), (32,), (3,)), ((1,), (1,), None), ((33,), (64,), None),
    ((8, 6), (4, 3), None), ((9, 7), (4, 3), None), ((9, 7), (4, 3), (5, 11)), ((3, 1), (3, 1), (0, 2)), ((10, 3), (20, 2), None),
    ((4, 4, 4), (2, 2, 2), None), ((5, 4, 3), (2, 3, 2), None), ((5, 4, 3), (2, 3, 2), (7, 0, 9)), ((2, 3, 4), (2, 3, 4), (1, 1, 1)),
    ((3, 2), (3, 1), (2**33, 2**40)),
    # deeper than CUDA's blocks
    ((2, 3, 130), (2, 3, 65), None), ((1, 1, 200), (1, 1, 200), (0, 0, 5)), ((3, 2, 150), (2, 2, 100), (1, 2, 3)), ((1, 1, 90), (4, 1, 128), None),
]


def source(dimension: str) -> str:
    """All functions of all indices; `dimension` says how the index reaches them: as a constant or from memory."""
    calls = "".join(f"        *row++ = {name}({dimension.format(index=index, k=k)});\n"
                    for k, index in enumerate(INDICES) for name in FUNCTIONS)
    return f"""kernel void f(global ulong *out, global const uint *indices) {{
        size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
        size_t z = get_global_id(2) - get_global_offset(2);
        global ulong *row = out + ((z * get_global_size(1) + y) * get_global_size(0) + x) * {len(INDICES) * len(FUNCTIONS) + 3};
{calls}        *row++ = get_global_linear_id(); *row++ = get_local_linear_id(); *row++ = get_work_dim();
    }}"""


def expected(size, local, offset) -> np.ndarray:
    dims = len(size)
    offset = offset or (0,) * dims
    full = (*size, *(1,) * (3 - dims))
    rows = []
    for z, y, x in itertools.product(*(range(n) for n in reversed(full))):
        item = (x, y, z)[:dims]
        group = [i // g for i, g in zip(item, local, strict=True)]
        inside = [i % g for i, g in zip(item, local, strict=True)]
        own = [min(g, n - k * g) for g, n, k in zip(local, size, group, strict=True)]
        row: list[int] = []
        for index in INDICES:
            if index >= dims:
                row += OTHERWISE
                continue
            d = index
            row += [size[d], item[d] + offset[d], own[d], local[d], inside[d], -(-size[d] // local[d]), group[d], offset[d]]
        linear = sum(i * math.prod(size[:d]) for d, i in enumerate(item))
        rows.append([*row, linear, sum(i * math.prod(own[:d]) for d, i in enumerate(inside)), dims])
    return np.array(rows, np.uint64)


@pytest.mark.parametrize("dimension", ["{index}u", "indices[{k}]"], ids=["constant", "from memory"])
def test_every_function_of_every_dimension(real_device, dimension):
    context = Context([real_device])
    queue = CommandQueue(context, real_device)
    program = Program(context, source(dimension))
    program.build("-cl-std=CL3.0")
    kernel = Kernel(program, "f")
    indices = np.array(INDICES, np.uint32)
    held = [Buffer(context, codes.MEM_COPY_HOST_PTR, indices.nbytes, indices)]  # a kernel keeps no buffer alive
    kernel.set_arg(1, held[0])
    for size, local, offset in RANGES:
        model = expected(size, local, offset)
        out = np.zeros_like(model)
        buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, out.nbytes, out)
        held.append(buffer)
        kernel.set_arg(0, buffer)
        enqueue_nd_range_kernel(queue, kernel, len(size), offset, size, local)
        buffer_commands.enqueue_read_buffer(queue, buffer, True, 0, out)
        wrong = np.argwhere(out != model)
        assert not wrong.size, (size, local, offset, wrong[0], out[tuple(wrong[0])], model[tuple(wrong[0])])


def test_a_size_of_our_own_is_enqueued(real_device):
    """Where no local size is given, get_enqueued_local_size is the one that was chosen, and the groups make up the range."""
    context = Context([real_device])
    queue = CommandQueue(context, real_device)
    program = Program(context, """kernel void f(global ulong *out) {
        size_t i = get_global_id(0);
        out[3 * i] = get_enqueued_local_size(0); out[3 * i + 1] = get_num_groups(0); out[3 * i + 2] = get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0);
    }""")
    program.build("-cl-std=CL3.0")
    kernel = Kernel(program, "f")
    for n in (1, 64, 1000, 1009):
        out = np.zeros((n, 3), np.uint64)
        buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, out.nbytes, out)
        kernel.set_arg(0, buffer)
        enqueue_nd_range_kernel(queue, kernel, 1, None, (n,), None)
        buffer_commands.enqueue_read_buffer(queue, buffer, True, 0, out)
        local = int(out[0, 0])
        assert (out[:, 0] == local).all() and (out[:, 1] == -(-n // local)).all() and (out[:, 2] == np.arange(n)).all()
