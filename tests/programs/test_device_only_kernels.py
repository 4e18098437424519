"""Kernels with parameters that the host cannot give (OpenCL C 6.11.s), and device queues of few bytes (API 5.1), on both devices."""

from __future__ import annotations

import numpy as np

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.pipe import Pipe
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.spec import codes

ON_DEVICE = codes.QUEUE_ON_DEVICE | codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_ON_DEVICE_DEFAULT
CALLS = """
    kernel void waited(global int *r, clk_event_t e) { r[0] += is_valid_event(e); }
    kernel void ranged(global int *r, ndrange_t n) {
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, n, ^{ atomic_inc(&r[1]); });
    }
    kernel void reserved(global int *r, reserve_id_t id) { r[2] = is_valid_reserve_id(id); }
    kernel void k(global int *r, write_only pipe int p) {
        clk_event_t e = create_user_event();
        waited(r, e);
        set_user_event_status(e, CL_COMPLETE);
        release_event(e);
        ranged(r, ndrange_1D(5));
        reserve_id_t id = reserve_write_pipe(p, 1);
        reserved(r, id);
        commit_write_pipe(p, id);
    }"""
FILL = """
    kernel void k(global int *r, read_only pipe int p) {
        int done = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ atomic_inc(&r[1]); });
        atomic_inc(&r[done == CLK_SUCCESS ? 0 : 2]);
    }"""


def run(device, source, size, queue_size):
    context = Context([device])
    queue = create_command_queue(context, device, 0)
    on_device = create_command_queue(context, device, [(codes.QUEUE_PROPERTIES, ON_DEVICE), (codes.QUEUE_SIZE, queue_size)])
    assert on_device.get_info(codes.QUEUE_SIZE) == queue_size
    program = Program(context, source)
    program.build("-cl-std=CL3.0")
    kernel, r = Kernel(program, "k"), np.zeros(3, np.int32)
    buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, r.nbytes, r)
    kernel.set_arg(0, buffer)
    kernel.set_arg(1, Pipe(context, 0, 4, 10))
    enqueue_nd_range_kernel(queue, kernel, 1, None, (size,), None)
    buffer_commands.enqueue_read_buffer(queue, buffer, True, 0, r)
    return list(r)


def test_kernels_that_only_kernels_call(real_device):
    """Events, ranges and reservations cannot come from the host. A kernel that another one calls may have them, as clang has it."""
    assert run(real_device, CALLS, 1, 1 << 16) == [1, 5, 1]


def test_the_smallest_queue_takes_some_kernels(real_device):
    """AMD's test of dynamic parallelism asks for one byte, and tries again as long as the queue is full."""
    assert run(real_device, FILL, 128, 1) == [128, 128, 0]
