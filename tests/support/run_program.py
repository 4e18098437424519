"""Runs a kernel of a built program that has one argument, and reads what it wrote."""

from __future__ import annotations

import numpy as np

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


def run(program, kernel="run", size=1, elements=4, device=None):
    """The floats that the kernel has written to its only argument."""
    context = program.context
    queue = CommandQueue(context, device or context.devices[0])
    result = np.zeros(elements, np.float32)
    buffer = Buffer(context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, result.nbytes, result)
    k = Kernel(program, kernel)
    k.set_arg(0, buffer)
    enqueue_nd_range_kernel(queue, k, 1, None, (size,), None)
    buffer_commands.enqueue_read_buffer(queue, buffer, True, 0, result)
    return result.tolist()
