"""Several host threads, each with kernels, queues and buffers of its own, made of one program."""

import threading

import numpy as np

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

THREADS, LAUNCHES, SIZE = 8, 50, 1000
SOURCE = """
kernel void add(global int *p, int by) { p[get_global_id(0)] += by; }
kernel void scale(global int *p, int by, local int *part) {
    part[get_local_id(0)] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = part[get_local_id(0)] * by;
}
"""


def work(program, seed, found):
    context, random = program.context, np.random.default_rng(seed)
    queue = CommandQueue(context, context.devices[0])
    start = random.integers(-9, 9, SIZE, np.int32)
    buffer = Buffer(context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, start.nbytes, start)
    expected = start.copy()
    for _ in range(LAUNCHES):
        kernel, by = Kernel(program, random.choice(["add", "scale"])), int(random.integers(1, 5))
        kernel.set_arg(0, buffer)
        kernel.set_arg(1, by.to_bytes(4, "little"))
        if kernel.name == "scale":
            kernel.set_arg(2, LocalMemory(4 * 250))
        enqueue_nd_range_kernel(queue, kernel, 1, None, (SIZE,), (int(random.choice([50, 125, 250])),))
        expected = expected + by if kernel.name == "add" else expected * by
    result = np.empty_like(start)
    buffer_commands.enqueue_read_buffer(queue, buffer, True, 0, result)
    found[seed] = np.array_equal(result, expected)


def test_kernels_of_their_own(real_device):
    program = Program(Context([real_device]), SOURCE)
    program.build()
    found: dict[int, bool] = {}
    threads = [threading.Thread(target=work, args=(program, seed, found)) for seed in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(THREADS), True)


def test_programs_of_their_own(real_device, monkeypatch):
    """Builds overlap: on CUDA the later ones run in compiler processes."""
    monkeypatch.setenv("CL2CUDA_NO_CACHE", "1")
    context, found = Context([real_device]), {}

    def build(seed):
        program = Program(context, SOURCE + f"constant int unused = {seed};")
        program.build()
        work(program, seed, found)

    threads = [threading.Thread(target=build, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(4), True)
