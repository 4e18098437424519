"""OpenCL C through the whole runtime on every real device: arguments, local memory, offsets, edges, caches, binaries."""

import numpy as np
import pytest
from support.fails import fails

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

SOURCE = """
__kernel void saxpy(__global float *y, __global const float *x, float a) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
__kernel void sum(__global const float *x, __global float *out, __local float *tile) {
    uint l = get_local_id(0);
    tile[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s) tile[l] += tile[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = tile[0];
}
__kernel void ids(__global uint *out) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    out[y * get_global_size(0) + x] = get_global_id(1) * 1000 + get_global_id(0);
}
__kernel void dimensions(__global uint *out) { *out = get_work_dim(); }
"""


class On:
    def __init__(self, device, options=""):
        self.device = device
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)
        self.program = Program(self.context, SOURCE)
        self.program.build(options)

    def buffer(self, array):
        return Buffer(self.context, codes.MEM_COPY_HOST_PTR, host=array)

    def run(self, name, size, *values, local=None, offset=None, wait_for=()):
        kernel = Kernel(self.program, name)
        for index, value in enumerate(values):
            kernel.set_arg(index, value)
        return enqueue_nd_range_kernel(self.queue, kernel, len(size), offset, size, local, wait_for)

    def read(self, buffer, dtype):
        array = np.empty(buffer.size // np.dtype(dtype).itemsize, dtype)
        enqueue_read_buffer(self.queue, buffer, True, 0, array)
        return array


@pytest.fixture
def real(device):
    if device.driver_name == "fake" or device.properties.name == "imagined":
        pytest.skip("kernels need a real device")
    return device


@pytest.fixture
def on(real):
    return On(real)


X = np.random.default_rng(3).random(1 << 14, np.float32)


def test_saxpy(on):
    y = on.buffer(X)
    on.run("saxpy", X.shape, y, on.buffer(X), np.float32(2))
    assert np.allclose(on.read(y, np.float32), 3 * X)
    assert on.program.build_log(on.device) == ""


def test_local_memory(on):
    out = on.buffer(np.zeros(len(X) // 64, np.float32))
    on.run("sum", X.shape, on.buffer(X), out, LocalMemory(64 * 4), local=(64,))
    assert np.allclose(on.read(out, np.float32), X.reshape(-1, 64).sum(1), rtol=1e-4)


@pytest.mark.parametrize(("local", "offset"), [(None, None), ((8, 2), (3, 5)), ((7, 3), None), ((16, 16), (1, 0))])
def test_offsets_and_edges(real, local, offset):
    on = On(real, "-cl-std=CL3.0")
    width, height = 40, 13
    out = on.buffer(np.zeros(width * height, np.uint32))
    on.run("ids", (width, height), out, local=local, offset=offset)
    dx, dy = offset or (0, 0)
    expected = (np.arange(height)[:, None] + dy) * 1000 + np.arange(width) + dx
    assert (on.read(out, np.uint32).reshape(height, width) == expected).all()


def test_work_dimensions(on):
    out = on.buffer(np.zeros(1, np.uint32))
    for size in ((1,), (1, 1), (1, 1, 1)):
        on.run("dimensions", size, out)
        assert on.read(out, np.uint32)[0] == len(size)


def test_a_user_event_starts_a_kernel(on):
    y, start = on.buffer(X), UserEvent(on.context)
    event = on.run("saxpy", X.shape, y, on.buffer(X), np.float32(1), wait_for=[start])
    assert event.status == codes.QUEUED
    start.set_status(0)
    event.wait()
    assert np.allclose(on.read(y, np.float32), 2 * X)


def test_binaries_run(on):
    again = Program.from_binaries(on.context, [on.device], on.program.binaries())
    again.build()
    on.program = again
    test_saxpy(on)
    test_work_dimensions(on)


def test_denormals_return_with_the_option_gone(real_device, monkeypatch):
    """The options decide what a program is, also where a compiler has seen its source before."""
    monkeypatch.setenv("CL2CUDA_NO_CACHE", "1")
    context = Context([real_device])
    queue = CommandQueue(context, real_device)
    least, got = np.array([1, 0], np.uint32), np.zeros(2, np.uint32)
    for option in ("-cl-denorms-are-zero", "", "-cl-fast-relaxed-math", ""):
        program = Program(context, "kernel void twice(global float *x) { x[1] = x[0] + x[0]; }")
        program.build(option)
        buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, 8, least)
        kernel = Kernel(program, "twice")
        kernel.set_arg(0, buffer)
        enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), None)
        enqueue_read_buffer(queue, buffer, True, 0, got)
        assert got[1] in ((0, 2) if option else (2,)), option


def test_a_compile_error_has_its_place(real):
    program = Program(Context([real]), "__kernel void f(__global int *x) {\n    *x = y;\n}\n")
    message = fails("BUILD_PROGRAM_FAILURE", program.build)
    assert ":2:" in message and "y" in message
    assert program.build_log(real) in message
