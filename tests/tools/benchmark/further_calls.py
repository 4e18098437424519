"""More of what programs spend in the host, call by call, in the shape of host_costs.py: arguments that change, events by the dozen, boxes
and images, page-locked and shared memory, queries, and operations of arrays. Plain PyOpenCL."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
import pyopencl.clmath as clmath
import pyopencl.clrandom as clrandom
from host_costs import FLAGS, MAP, Bench, Line, N, Times
from pyopencl.algorithm import RadixSort
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel
from pyopencl.tools import ImmediateAllocator, MemoryPool

FEW, SOME, MANY, SIDE, COUNT = 4 << 10, 64 << 10, 1 << 20, 256, 10_000

SOURCE = """
typedef struct { float4 a, b, c, d; } constants;
__kernel void add_one(__global float *x) { x[get_global_id(0)] += 1.0f; }
__kernel void tile(__global float *x, __local float *y)
{
    size_t i = get_local_id(0);
    y[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = y[get_local_size(0) - 1 - i];
}
__kernel void with_constants(__global float *x, constants by) { x[get_global_id(0)] += by.a.x; }
__kernel void many(__global float *a, __global float *b, __global float *c, __global float *d, int e, int f, float g, float h, int i, int j,
    float k, float l, uint m, uint n, float o, float p)
{
    a[get_global_id(0)] += b[0] + c[0] + d[0] + e + f + g + h + i + j + k + l + m + n + o + p;
}
__kernel void sampled(__read_only image2d_t image, sampler_t sampler, __global float *x)
{
    x[get_global_id(0)] = read_imagef(image, sampler, (float2)(get_global_id(0), 0.5f)).x;
}
__kernel void volume(__global float *x, int n) { x[(get_global_id(2) * n + get_global_id(1)) * n + get_global_id(0)] += 1; }
"""


class Further(Bench):
    """With the program of this list."""

    def __init__(self, devices: list[cl.Device], expect: Callable[[bool, str], None]):
        super().__init__(devices, expect)
        self.program = cl.Program(self.context, SOURCE).build()
        self.large, self.second = (self.buffer(MANY) for _ in range(2))
        self.host = np.random.default_rng(1).random(MANY // 4, np.float32)
        self.image_format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
        self.pixels = np.random.default_rng(2).integers(0, 255, (SIDE, SIDE, 4), np.uint8)
        self.image = cl.Image(self.context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, self.image_format, (SIDE, SIDE), hostbuf=self.pixels)
        kept, self.locked_buffer = (cl.Buffer(self.context, FLAGS.READ_WRITE | FLAGS.ALLOC_HOST_PTR, MANY) for _ in range(2))
        self.locked, _ = cl.enqueue_map_buffer(self.queue, kept, MAP.READ | MAP.WRITE, 0, (MANY // 4,), np.float32)


def arguments(bench: Further) -> Iterator[Line]:
    queue, settle, program = bench.queue, bench.settle, bench.program
    x = bench.buffers[0]
    tile, constants, many, sampled, volume = (cl.Kernel(program, name) for name in ("tile", "with_constants", "many", "sampled", "volume"))
    sizes, turn = [cl.LocalMemory(256 << i) for i in range(4)], 0

    def other_size() -> None:
        nonlocal turn
        turn += 1
        tile(queue, (N,), (64,), x, sizes[turn % 4])

    yield Line("local memory of another size, launch", other_size, 20, settle)
    struct = np.zeros(1, np.dtype([(name, np.float32, 4) for name in "abcd"]))[0]
    yield Line("kernel(queue, a struct of 64 B)", lambda: constants(queue, (N,), None, x, struct), 20, settle)
    numbers = [np.int32(1), np.int32(2), np.float32(3), np.float32(4)] * 2 + [np.float32(1)] * 2 + [np.uint32(2)] * 2
    given = [*numbers[:4], np.int32(5), np.int32(6), np.float32(7), np.float32(8), np.uint32(9), np.uint32(1), np.float32(2), np.float32(3)]
    yield Line("kernel(queue, 16 other arguments)", lambda: many(queue, (N,), (64,), *bench.buffers, *given), 20, settle)
    sampler = cl.Sampler(bench.context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.LINEAR)
    yield Line("kernel(queue, image, sampler, buffer)", lambda: sampled(queue, (N,), (64,), bench.image, sampler, x), 20, settle)
    volume.set_args(bench.large, np.int32(16))
    yield Line("launch of three dimensions", lambda: cl.enqueue_nd_range_kernel(queue, volume, (16, 16, 16), (8, 8, 4)), 20, settle)
    add = bench.kernel("add_one", x)
    yield Line("launch with an offset", lambda: cl.enqueue_nd_range_kernel(queue, add, (64,), (64,), (128,)), 20, settle)
    yield Line("launch, g_times_l", lambda: cl.enqueue_nd_range_kernel(queue, add, (4,), (64,), g_times_l=True), 20, settle)
    yield Line("launch, g_times_l, which may be empty",
               lambda: cl.enqueue_nd_range_kernel(queue, add, (4,), (64,), g_times_l=True, allow_empty_ndrange=True), 20, settle)
    yield Line("kernel(queue, sizes in lists)", lambda: add(queue, [N], [64], x), 20, settle)
    left = 0

    def of_other_size() -> None:
        nonlocal left
        left = (left or N) - 64
        add(queue, (left + 64,), (64,), x)

    yield Line("launches of less and less work-groups", of_other_size, 20, settle)
    sizes_so_far, large = itertools.count(), cl.Kernel(program, "add_one")
    large.set_args(bench.large)

    def once(local: tuple[int] | None, step: int, offset: bool = False) -> None:
        place = next(sizes_so_far) * step % (MANY // 8)
        cl.enqueue_nd_range_kernel(queue, large, (N if offset else place + step,), local, (place + step,) if offset else None)

    yield Line("launches of sizes that come once", lambda: once((64,), 64), 20, settle)
    yield Line("the same, the size of their groups left open", lambda: once(None, 61), 20, settle)
    yield Line("launches from offsets that come once", lambda: once((64,), 64, True), 20, settle)
    yield Line("set_arg of a number", lambda: volume.set_arg(1, np.int32(16)), 50)
    yield Line("set_arg of local memory", lambda: tile.set_arg(1, sizes[0]), 50)


def events(bench: Further) -> Iterator[Line]:
    queue, other, settle = bench.queue, bench.other, bench.settle
    add, second = bench.kernel("add_one", bench.buffers[0]), bench.kernel("add_one", bench.buffers[1])

    def launch(on: cl.CommandQueue, kernel: cl.Kernel, wait_for: list[cl.Event] | None = None) -> cl.Event:
        return cl.enqueue_nd_range_kernel(on, kernel, (N,), (64,), wait_for=wait_for)

    yield Line("wait_for_events of sixteen launches", lambda: cl.wait_for_events([launch(queue, add) for _ in range(16)]), 2, settle, 16)
    yield Line("sixteen launches of two queues, a marker", lambda: cl.enqueue_marker(queue, wait_for=[
        launch((queue, other)[i % 2], (add, second)[i % 2]) for i in range(16)]).wait(), 2, settle, 16)

    def to_and_fro() -> None:
        event = None
        for i in range(10):
            event = launch((queue, other)[i % 2], add, None if event is None else [event])
        queue.finish(), other.finish()

    yield Line("ten launches to and fro between two queues", to_and_fro, 2, settle, 10)

    def polled() -> None:
        event = launch(queue, add)
        queue.flush()
        while event.command_execution_status != cl.command_execution_status.COMPLETE:
            pass

    yield Line("launch, its status until it has ended", polled, 10, settle)
    yield Line("launch with times, wait, its time", lambda: _time_of(launch(bench.profiled, add)), 10, settle)
    small = np.zeros(16, np.float32)

    def step() -> None:
        cl.enqueue_copy(queue, bench.buffers[1], small, is_blocking=False)
        launch(queue, add)
        cl.enqueue_copy(queue, small, bench.buffers[0])

    yield Line("write 64 B, launch, read 64 B", step, 10, settle)
    ended = launch(queue, add)
    ended.wait()
    yield Line("event.get_info, four of an event", lambda: (ended.command_type, ended.command_queue, ended.context, ended.reference_count), 20)


def _time_of(event: cl.Event) -> int:
    event.wait()
    return event.profile.end - event.profile.start


def copies(bench: Further) -> Iterator[Line]:
    queue, settle, large, host, locked = bench.queue, bench.settle, bench.large, bench.host, bench.locked
    box = {"buffer_origin": (0, 0, 0), "host_origin": (0, 0, 0), "region": (128, 32, 16), "buffer_pitches": (256, 16384),
           "host_pitches": (128, 4096)}
    yield Line("write a box of 64 KiB", lambda: cl.enqueue_copy(queue, large, host, **box), 10, settle)
    yield Line("read a box of 64 KiB", lambda: cl.enqueue_copy(queue, host, large, **box), 10, settle)
    yield Line("copy a box of 64 KiB", lambda: cl.enqueue_copy(queue, bench.second, large, src_origin=(0, 0, 0), dst_origin=(0, 0, 0),
                                                              region=(128, 32, 16), src_pitches=(256, 16384), dst_pitches=(128, 4096)), 10, settle)

    def both_ways(part: np.ndarray) -> None:
        cl.enqueue_copy(queue, large, part, is_blocking=False)
        cl.enqueue_copy(queue, part, large, is_blocking=False)
        queue.finish()

    for size, label in ((FEW, "4 KiB"), (SOME, "64 KiB"), (MANY, "1 MiB")):
        part = locked[: size // 4]
        yield Line(f"page-locked: write {label}", lambda part=part: cl.enqueue_copy(queue, large, part), 10, settle)
        yield Line(f"page-locked: read {label}", lambda part=part: cl.enqueue_copy(queue, part, large), 10, settle)
        yield Line(f"page-locked: write, read {label}, finish()", lambda part=part: both_ways(part), 10, settle)
    image, pixels = bench.image, bench.pixels
    part = pixels[:64, :64].copy()
    yield Line("write a part of an image", lambda: cl.enqueue_copy(queue, image, part, origin=(32, 32), region=(64, 64)), 10, settle)
    yield Line("read a part of an image", lambda: cl.enqueue_copy(queue, part, image, origin=(32, 32), region=(64, 64)), 10, settle)
    yield Line("map a part of an image to write, unmap", lambda: cl.enqueue_map_image(
        queue, image, MAP.WRITE, (0, 0), (64, 64), (64, 64, 4), np.uint8)[0].base.release(queue).wait(), 10, settle)
    yield Line("fill 1 MiB with 16 B", lambda: cl.enqueue_fill_buffer(queue, large, np.arange(4, dtype=np.uint32), 0, MANY), 10, settle)
    yield Line("page-locked buffer: map to read, unmap", lambda: cl.enqueue_map_buffer(
        queue, bench.locked_buffer, MAP.READ, 0, (SOME // 4,), np.float32)[0].base.release(queue).wait(), 10, settle)


def objects(bench: Further) -> Iterator[Line]:
    context, queue, settle, pixels = bench.context, bench.queue, bench.settle, bench.pixels
    few = pixels[:32, :32].copy()
    yield Line("image of 32 x 32 with contents", lambda: cl.Image(
        context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, bench.image_format, (32, 32), hostbuf=few).release(), 10, settle)
    yield Line("image of 256 x 256 with contents", lambda: cl.Image(
        context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, bench.image_format, (SIDE, SIDE), hostbuf=pixels).release(), 5, settle)
    sampled = cl.Kernel(bench.program, "sampled")
    sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.LINEAR)

    def frame() -> None:
        made = cl.Image(context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, bench.image_format, (SIDE, SIDE), hostbuf=pixels)
        sampled(queue, (N,), (64,), made, sampler, bench.buffers[0])
        queue.finish()

    yield Line("image with contents, launch, finish()", frame, 5, settle)

    def queue_of_its_own() -> None:
        with cl.CommandQueue(context) as made:
            cl.enqueue_nd_range_kernel(made, one, (N,), (64,))

    def halo() -> None:
        cl.enqueue_copy(queue, bench.second.get_sub_region(8192, 4096), bench.large.get_sub_region(4096, 4096))

    one = cl.Kernel(bench.program, "add_one")
    one.set_args(bench.buffers[0])
    yield Line("queue made, a launch, finished, dropped", queue_of_its_own, 5, settle)
    yield Line("parts of buffers made, copied, dropped", halo, 10, settle)
    yield Line("page-locked buffer of 64 KiB made, released", lambda: cl.Buffer(
        context, FLAGS.READ_WRITE | FLAGS.ALLOC_HOST_PTR, SOME).release(), 10, settle)

    def whole() -> None:
        made = cl.Buffer(context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=bench.host[:N])
        cl.Kernel(bench.program, "add_one")(queue, (N,), None, made)
        cl.enqueue_copy(queue, bench.host[:N], made)

    yield Line("buffer with contents, launch, read", whole, 5, settle)
    yield Line("program.all_kernels()", lambda: bench.program.all_kernels(), 2)
    yield Line("program.kernel_names, num_kernels", lambda: (bench.program.kernel_names, bench.program.num_kernels), 20)
    kernel = cl.Kernel(bench.program, "many")
    yield Line("kernel.function_name, num_args", lambda: (kernel.function_name, kernel.num_args), 20)
    device = bench.device
    yield Line("ten device queries", lambda: (
        device.name, device.max_compute_units, device.max_work_group_size, device.global_mem_size, device.local_mem_size, device.version,
        device.extensions, device.max_work_item_sizes, device.double_fp_config, device.image_support), 10, per=10)
    yield Line("context.devices, queue.properties", lambda: (bench.context.devices, queue.properties), 20)
    yield Line("image.width, height, format", lambda: (bench.image.width, bench.image.height, bench.image.format), 20)


def arrays(bench: Further) -> Iterator[Line]:
    queue, settle = bench.queue, bench.settle
    rng = np.random.default_rng(3)
    on_host = rng.random(COUNT, np.float32)
    a, b = (cla.to_device(queue, rng.random(COUNT, np.float32)) for _ in range(2))
    indices = cla.to_device(queue, rng.permutation(COUNT).astype(np.int32))
    z = cla.to_device(queue, (on_host + 1j * on_host).astype(np.complex64))
    rows = a.reshape(100, 100)
    bench.expect(np.allclose((a * 2 + b).get(), a.get() * 2 + b.get()), "array arithmetic")
    operations: dict[str, Callable[[], Any]] = {
        "a * 2": lambda: a * 2,
        "a *= 1": lambda: a.__imul__(1),
        "a / b": lambda: a / b,
        "a ** 2": lambda: a ** 2,
        "a > b": lambda: a > b,
        "abs(a)": lambda: abs(a),
        "a.mul_add(2, b, 3)": lambda: a.mul_add(2, b, 3),
        "a.copy()": a.copy,
        "a.astype(float64)": lambda: a.astype(np.float64),
        "a.reshape(100, 100)": lambda: a.reshape(100, 100),
        "rows[10:20]": lambda: rows[10:20],
        "a[::2]": lambda: a[::2],
        "a.view(int32)": lambda: a.view(np.int32),
        "a[:100] = b[:100]": lambda: a.__setitem__(slice(100), b[:100]),
        "a.set(host)": lambda: a.set(on_host),
        "z * z": lambda: z * z,
        "z.real": lambda: z.real,
        "sin(a)": lambda: clmath.sin(a),
        "exp(a)": lambda: clmath.exp(a),
        "maximum(a, b)": lambda: cla.maximum(a, b),
        "if_positive(a, a, b)": lambda: cla.if_positive(a, a, b),
        "take(a, indices)": lambda: cla.take(a, indices),
        "arange(10,000)": lambda: cla.arange(queue, COUNT, dtype=np.int32),
        "concatenate((a, b))": lambda: cla.concatenate((a, b)),
        "b.fill(1)": lambda: b.fill(1),
        "max(a).get()": lambda: cla.max(a).get(),
        "sum(a > b)": lambda: cla.sum(a > b, dtype=np.int32),
        "vdot(a, b)": lambda: cla.vdot(a, b),
        "cumsum(a)": lambda: cla.cumsum(a),
        "a.map_to_host()": lambda: a.map_to_host().base.release(queue),
        "a[100:200].get()": lambda: a[100:200].get(),
    }
    for name, call in operations.items():
        yield Line(f"array {name}", call, 5, settle)
    pooled = cla.to_device(queue, on_host, allocator=MemoryPool(ImmediateAllocator(queue)))
    yield Line("array a + a, memory of a pool", lambda: pooled + pooled, 5, settle)
    double = ElementwiseKernel(bench.context, "float *x, float by, float *out", "out[i] = by * x[i]", "by")
    yield Line("ElementwiseKernel", lambda: double(a, np.float32(2), b), 5, settle)
    total = ReductionKernel(bench.context, np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]",
                            arguments="__global float *x, __global float *y")
    yield Line("ReductionKernel, get()", lambda: total(a, b).get(), 5, settle)
    scan = GenericScanKernel(bench.context, np.int32, arguments="__global int *x", input_expr="x[i]", scan_expr="a+b", neutral="0",
                             output_statement="x[i] = item;")
    yield Line("GenericScanKernel", lambda: scan(indices), 5, settle)
    keys = cla.to_device(queue, rng.integers(0, 1 << 30, COUNT).astype(np.uint32))
    sort = RadixSort(bench.context, "__global unsigned int *x", key_expr="x[i]", sort_arg_names=["x"])
    yield Line("RadixSort", lambda: sort(keys), 1, settle)
    generator = clrandom.PhiloxGenerator(bench.context)
    yield Line("PhiloxGenerator.uniform", lambda: generator.uniform(queue, COUNT, np.float32), 5, settle)


def shared(bench: Further) -> Iterator[Line]:
    queue, settle = bench.queue, bench.settle
    if not bench.device.svm_capabilities & cl.device_svm_capabilities.COARSE_GRAIN_BUFFER:
        return
    memory = cl.SVM(cl.csvm_empty(bench.context, N, np.float32))
    data = np.zeros(N, np.float32)
    add = cl.Kernel(bench.program, "add_one")

    def mapped() -> None:
        with memory.map_rw(queue) as array:
            array[:] = 1

    cl.enqueue_copy(queue, memory, data)
    yield Line("shared: write 4 KiB", lambda: cl.enqueue_copy(queue, memory, data), 10, settle)
    yield Line("shared: map, write, unmap", mapped, 5, settle)
    yield Line("shared: kernel(queue, memory)", lambda: add(queue, (N,), (64,), memory), 10, settle)


def measure_further_calls(devices: list[cl.Device], timed: Callable[..., Times], expect: Callable[[bool, str], None], *,
                          repeat: int) -> dict[str, Times]:
    bench, found = Further(devices, expect), {}
    for group in (arguments, events, copies, objects, arrays, shared):
        for line in group(bench):
            times = timed(line.call, repeat=repeat, batch=line.batch, between=line.between)
            found[f"further: {line.name}"] = {key: time / line.per for key, time in times.items()}
    return found
