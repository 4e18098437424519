"""Global sizes that no work-group divides (API 5.10), of kernels that can tell how they are grouped and of others: each work-item runs
once, and nothing else does, by Python's own steps and by those in C."""

from __future__ import annotations

import itertools
import os
import random

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.execute import execute

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.native import library

DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]
WIDTH = 1 << 18
SIZES = [(1,), (31,), (257,), (1009,), (10_007,), (65_537,), (3, 1021), (1021, 3), (61, 67), (509, 257), (7, 11, 13), (1, 1, 127), (67, 2, 71)]

AT = "size_t at = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));"
KERNELS = {
    "plain": f"kernel void f(global int *out) {{ {AT} atomic_inc(out + at); }}",
    "counts": "kernel void f(global int *out) { atomic_inc(out); }",
    "told": f"kernel void f(global int *out) {{ {AT} if (get_local_id(0) < get_local_size(0)) atomic_inc(out + at); }}",
    "shared": f"""kernel void f(global int *out) {{
        local int x; x = 1; barrier(CLK_LOCAL_MEM_FENCE); {AT} if (x) atomic_inc(out + at); }}""",
    "given": f"kernel void f(global int *out, local int *x) {{ {AT} x[0] = 1; atomic_add(out + at, x[0]); }}",
    "helped": f"""size_t place(void) {{ {AT} return at; }} kernel void f(global int *out) {{ atomic_inc(out + place()); }}
        kernel void g(global int *out, local int *x) {{ x[0] = place(); out[0] = x[0]; }}""",
    "linear": "kernel void f(global int *out) { atomic_inc(out + get_global_linear_id()); }",
    "early": f"kernel void f(global int *out) {{ {AT} if (at % 3 == 0) return; for (int i = 0; i < (int)(at % 3); i++) atomic_inc(out + at); }}",
}


def expected(name, count):
    if name == "counts":
        return np.array([count] + [0] * (count - 1), np.int32)
    return (np.arange(count) % 3 if name == "early" else np.ones(count)).astype(np.int32)


class Bench:
    def __init__(self, device, name, options="", properties=0):
        self.name, self.context = name, cl.Context([device])
        self.queue = cl.CommandQueue(self.context, properties=properties)
        self.out = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 4 * WIDTH)
        self.kernel = cl.Kernel(cl.Program(self.context, KERNELS[name]).build(options), "f")
        self.kernel.set_args(*([self.out, cl.LocalMemory(4)] if name == "given" else [self.out]))

    def check(self, size, local=None, queue=None):
        queue, found = queue or self.queue, np.empty(WIDTH, np.int32)
        cl.enqueue_fill_buffer(queue, self.out, np.zeros(1, np.int32), 0, 4 * WIDTH)
        cl.enqueue_nd_range_kernel(queue, self.kernel, size, local)
        cl.enqueue_copy(queue, found, self.out)
        count = int(np.prod(size))
        assert (found[:count] == expected(self.name, count)).all() and not found[count:].any(), (size, local)


@pytest.fixture(params=DEVICES, ids=lambda device: device.name)
def device(request):
    return request.param


@pytest.mark.parametrize("name", KERNELS)
def test_each_work_item_runs_once(device, name):
    bench = Bench(device, name, "-cl-std=CL2.0")
    for size in SIZES:
        for _ in range(2):
            bench.check(size)
    for size, local in (((1000,), (64,)), ((1009,), (100,)), ((1009,), (256,)), ((61, 67), (16, 16)), ((61, 67), (5, 3)), ((5, 6, 7), (4, 4, 4)),
                        ((64,), (64,)), ((3,), (8,))):
        bench.check(size, local)


@pytest.mark.parametrize("properties", [0, cl.command_queue_properties.PROFILING_ENABLE, cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE])
def test_sizes_that_come_in_any_order(device, properties):
    draws, bench = random.Random(9), Bench(device, "plain", properties=properties)
    queue = cl.CommandQueue(bench.context)
    for turn in range(120):
        size = draws.choice(SIZES) if turn % 3 else (draws.randint(1, 5000),)
        for _ in range(draws.choice((1, 1, 3))):
            bench.check(size, queue=bench.queue if properties != cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE else queue)
        if turn % 10 == 0:
            bench.check((1024,), (64,), queue)


def test_groups_have_to_divide_the_size_where_the_version_says_so(device):
    bench = Bench(device, "plain")
    bench.check((1009,))
    with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
        bench.check((1009,), (64,))
    bench.check((1009,), (1009,))


def test_a_required_size(real_device):
    source = """kernel __attribute__((reqd_work_group_size(24, 1, 1))) void f(global int *out) { atomic_inc(out + get_global_id(0)); }"""
    out = np.zeros(1100, np.int32)
    execute(real_device, source, out, size=1009, options="-cl-std=CL2.0")
    assert (out[:1009] == 1).all() and not out[1009:].any()


def test_images_are_written_within_the_size(device):
    if not device.image_support:
        pytest.skip("no images")
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    kernel = cl.Kernel(cl.Program(context, """
        kernel void f(read_only image2d_t from, write_only image2d_t to) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imageui(to, at, read_imageui(from, at) + (uint4)(1)); }""").build(), "f")
    for order, shape in itertools.product((cl.channel_order.RGBA, cl.channel_order.BGRA), ((61, 67), (127, 3), (64, 32))):
        whole = (shape[0] + 5, shape[1] + 5)
        data = np.random.default_rng(1).integers(0, 200, (whole[1], whole[0], 4)).astype(np.uint8)
        format = cl.ImageFormat(order, cl.channel_type.UNSIGNED_INT8)
        if format not in cl.get_supported_image_formats(context, cl.mem_flags.READ_ONLY, cl.mem_object_type.IMAGE2D):
            continue
        read = cl.create_image(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, format, whole, hostbuf=data)
        write = cl.create_image(context, cl.mem_flags.READ_WRITE, format, whole)
        cl.enqueue_fill_image(queue, write, np.zeros(4, np.uint32), (0, 0), whole)
        for _ in range(2):
            kernel(queue, shape, None, read, write)
        found = np.empty_like(data)
        cl.enqueue_copy(queue, found, write, origin=(0, 0), region=whole)
        wanted = np.zeros_like(data)
        wanted[: shape[1], : shape[0]] = data[: shape[1], : shape[0]] + 1
        assert (found == wanted).all()


@pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")
def test_a_launch_of_a_new_size_takes_no_steps_of_pythons(device, monkeypatch):
    from cl2cuda.runtime.commands import nd_range

    bench = Bench(device, "plain")
    if not bench.kernel._core.function("", bench.context.devices[0]._core).rounds:
        pytest.skip("another device's launches")
    made, genuine = [], nd_range._plan
    bench.check((1024,)), bench.check((2003,))  # the first size that no good work-group divides, for which the variant is made
    monkeypatch.setattr(nd_range, "_plan", lambda *arguments: made.append(arguments) or genuine(*arguments))
    for size in (1009, 10_007, 997, 1024, 4096, 37 * 1009):
        bench.check((size,))
    assert not made
