"""Device queues (API 5.1, OpenCL C 6.15.19): kernels that enqueue kernels, on both devices."""

from __future__ import annotations

import numpy as np
import pytest
from support.fails import fails

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.device_queue import DeviceQueue, set_default_device_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

ON_DEVICE = codes.QUEUE_ON_DEVICE | codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
DEFAULT = ON_DEVICE | codes.QUEUE_ON_DEVICE_DEFAULT


def device_queue(context, bits=ON_DEVICE, size=None):
    properties = [(codes.QUEUE_PROPERTIES, bits)] + ([] if size is None else [(codes.QUEUE_SIZE, size)])
    return create_command_queue(context, context.devices[0], properties)


class Bench:
    """One program on a device with a default queue; kernels are run with arrays (read back), queues and numbers."""

    def __init__(self, device, source, options="-cl-std=CL3.0", size=None, bits=DEFAULT, host=0):
        self.context = Context([device])
        self.queue = create_command_queue(self.context, device, host)
        self.default = device_queue(self.context, bits, size) if bits else None
        self.program = Program(self.context, source)
        self.program.build(options)

    def start(self, name, *args, size=1, local=None, wait_for=()):
        kernel = Kernel(self.program, name)
        buffers = []
        for index, arg in enumerate(args):
            if isinstance(arg, np.ndarray):
                buffers.append((Buffer(self.context, codes.MEM_COPY_HOST_PTR, arg.nbytes, arg), arg))
                kernel.set_arg(index, buffers[-1][0])
            else:
                kernel.set_arg(index, arg if isinstance(arg, DeviceQueue) else np.int32(arg))
        return enqueue_nd_range_kernel(self.queue, kernel, 1, None, (size,), local and (local,), wait_for), buffers

    def run(self, name, *args, **more):
        event, buffers = self.start(name, *args, **more)
        for buffer, array in buffers:
            buffer_commands.enqueue_read_buffer(self.queue, buffer, True, 0, array, (event,))
        self.queue.finish()
        return event


@pytest.fixture
def bench(real_device):
    return lambda source, *args, **more: Bench(real_device, source, *args, **more)


def zeros(n, dtype=np.int32):
    return np.zeros(n, dtype)


def test_a_block_runs_with_what_it_has_captured(bench):
    on = bench("""
        typedef struct { int a; float4 b; } pair;
        kernel void k(global int *r) {
            int x = 3; pair p = {4, (float4)(1, 2, 3, 5)}; int list[3] = {7, 8, 9}; const ulong16 wide = (ulong16)(6);
            size_t id = get_global_id(0);
            void (^b)(void) = ^{ r[id] = x + p.a + (int)p.b.w + list[1] + (int)wide.sF; };
            x = 100; list[1] = 100;
            if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), b) != CLK_SUCCESS) r[id] = -1;
        }""")
    r = zeros(64)
    on.run("k", r, size=64)
    assert (r == 3 + 4 + 5 + 8 + 6).all()
