"""The same twenty small kernels again and again: enqueued one by one, and as a command-buffer where the device has them.

PyOpenCL has no classes for command-buffers, so on cl2cuda this goes to the objects under its handles. NVIDIA's OpenCL does not
have the extension: there the second row is what a program has to do instead, which is the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyopencl as cl

KERNELS = 20
SIZE = 256
SOURCE = "__kernel void step(__global int *x) { x[get_global_id(0)] += 1; }"


def measure_replay(devices: list[cl.Device], timed: Callable[..., Any], expect: Callable[[bool, str], None], repeat: int) -> dict[str, Any]:
    """`timed` and `expect` are the caller's (measure.py)."""
    context = cl.Context(devices)
    queue = cl.CommandQueue(context)
    kernel = cl.Kernel(cl.Program(context, SOURCE).build(), "step")
    x = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(SIZE, np.int32))
    kernel.set_args(x)
    rounds = 0

    def one_by_one() -> None:
        nonlocal rounds
        rounds += 1
        for _ in range(KERNELS):
            cl.enqueue_nd_range_kernel(queue, kernel, (SIZE,), (SIZE,))

    replay = _recorded(queue, kernel) if "cl_khr_command_buffer" in devices[0].extensions.split() else None

    def at_once() -> None:
        nonlocal rounds
        if replay is None:
            one_by_one()
        else:
            rounds += 1
            replay()

    def finished(call: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            call()
            queue.finish()

        return run

    result = {
        f"{KERNELS} kernels, enqueue": timed(one_by_one, repeat=repeat, batch=20, between=queue.finish),
        f"{KERNELS} kernels, replay": timed(at_once, repeat=repeat, batch=20, between=queue.finish),
        f"{KERNELS} kernels, enqueue and finish": timed(finished(one_by_one), repeat=repeat, batch=5),
        f"{KERNELS} kernels, replay and finish": timed(finished(at_once), repeat=repeat, batch=5),
    }
    found = np.empty(SIZE, np.int32)
    cl.enqueue_copy(queue, found, x)
    expect(bool((found == KERNELS * rounds).all()), f"after {rounds} rounds of {KERNELS} kernels: {found[0]}")
    return result


def _recorded(queue: Any, kernel: Any) -> Callable[[], Any]:
    from cl2cuda.runtime.command_buffer import recording
    from cl2cuda.runtime.command_buffer.command_buffer import CommandBuffer
    from cl2cuda.runtime.spec import codes

    record = CommandBuffer([queue._core], ((codes.COMMAND_BUFFER_FLAGS_KHR, codes.COMMAND_BUFFER_SIMULTANEOUS_USE_KHR),))
    for _ in range(KERNELS):
        recording.nd_range_kernel(record, kernel._core, 1, None, (SIZE,), (SIZE,))
    record.finalize()
    return record.enqueue
