"""Kernels of a queue in order see what those before them have written, however soon one follows the other: long chains of short kernels, of
sizes that change, with kernels that do nothing, copies and kernels of other programs in between."""

import numpy as np
import pytest

from cl2cuda.runtime.commands.buffer import enqueue_copy_buffer, enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel, native_launch
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.kernel.nd_range import NDRange
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

SOURCE = """
kernel void step(global const int *restrict x, global int *y, int n, int shift) {
    int i = get_global_id(0);
    if (i < n) y[i] = x[(i + shift) % n] + 1;
}
kernel void nothing() {}
kernel void first(global int *x, int n) { if (get_global_id(0) == 0) x[0] += x[n - 1] - x[0]; }
"""
SIZES = (64, 256, 32)


class Chain:
    def __init__(self, device, n):
        self.n = n
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)
        self.buffers = [Buffer(self.context, codes.MEM_COPY_HOST_PTR, host=np.zeros(n, np.int32)) for _ in range(2)]
        programs = [Program(self.context, SOURCE) for _ in range(2)]
        for each in programs:
            each.build("")
        self.steps = [Kernel(each, "step") for each in programs]
        self.nothing = Kernel(programs[0], "nothing")
        self.first = Kernel(programs[1], "first")
        self.turn = 0

    def launch(self, kernel, size, group, *values):
        for index, value in enumerate(values):
            kernel.set_arg(index, value)
        enqueue_nd_range_kernel(self.queue, kernel, 1, None, (-(-size // group) * group,), (group,), ())

    def step(self, number):
        x, y = self.buffers[self.turn], self.buffers[1 - self.turn]
        self.turn = 1 - self.turn
        self.launch(self.steps[number % 2], self.n, SIZES[number % 3], x, y, np.int32(self.n), np.int32(number * 7919 % self.n))

    def result(self):
        found = np.empty(self.n, np.int32)
        enqueue_read_buffer(self.queue, self.buffers[self.turn], True, 0, found)
        return found


@pytest.mark.parametrize("n", [1000, 1 << 18])
@pytest.mark.parametrize("between", ["no more", "nothing", "one element", "a copy"])
def test_each_sees_what_the_one_before_it_wrote(device, n, between):
    if device.driver_name == "fake" or device.properties.name == "imagined":
        pytest.skip("kernels need a real device")
    chain = Chain(device, n)
    steps = 60 if n > 1000 else 200
    for number in range(steps):
        chain.step(number)
        if between == "nothing":
            chain.launch(chain.nothing, 64, 64)
        elif between == "one element":
            chain.launch(chain.first, 64, 64, chain.buffers[chain.turn], np.int32(n))
        elif between == "a copy":
            enqueue_copy_buffer(chain.queue, chain.buffers[chain.turn], chain.buffers[1 - chain.turn], 0, 0, 4 * n)
            chain.turn = 1 - chain.turn
    assert (chain.result() == steps).all()


def test_newer_gpus_begin_a_kernel_while_the_one_before_it_is_dealt_with(device):
    if device.driver_name != "cuda" or device.properties.name == "imagined":
        pytest.skip("a GPU's")
    chain = Chain(device, 1000)
    chain.step(0)
    found = native_launch(chain.queue, chain.steps[0], NDRange(1, None, (1024,), (SIZES[0],)))
    assert found.kind == ("dependent grid" if device.driver_device.capability >= (9, 0) else "grid")
