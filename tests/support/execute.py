"""Runs one kernel on a device, for tests: NumPy arrays in and out through global buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


def execute(
    device: Device,
    source: str,
    *args: Any,
    size: Sequence[int] | int = 1,
    local: Sequence[int] | None = None,
    offset: Sequence[int] | None = None,
    options: str = "",
    kernel: str | None = None,
) -> None:
    """Builds the program and runs its (only) kernel. Arrays become buffers and are read back in place; NumPy scalars,
    structured scalars and bytes are values; LocalMemory is local memory."""
    size = (size,) if isinstance(size, int) else tuple(size)
    context = Context([device])
    queue = CommandQueue(context, device)
    program = Program(context, source)
    program.build(options)
    k = Kernel(program, kernel or program.kernel_names[0])
    buffers = []
    for index, value in enumerate(args):
        if isinstance(value, np.ndarray):
            buffer = Buffer(context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, value.nbytes, value)
            buffers.append((buffer, value))
            k.set_arg(index, buffer)
        else:
            k.set_arg(index, value if isinstance(value, (LocalMemory, bytes)) else np.asarray(value).tobytes())
    enqueue_nd_range_kernel(queue, k, len(size), offset, size, local)
    for buffer, array in buffers:
        buffer_commands.enqueue_read_buffer(queue, buffer, True, 0, array)
    queue.finish()
