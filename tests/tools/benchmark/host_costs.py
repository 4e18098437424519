"""What programs spend in the host, call by call: objects made and dropped, queues, launches in every order, small copies and maps,
queries, arrays. Plain PyOpenCL; every line that computes is checked once.

A context here has several queues, as programs with copies beside their kernels have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cla

Times = dict[str, float]
Nothing = Callable[[], Any]
FLAGS, MAP = cl.mem_flags, cl.map_flags
SIZES = {4 << 10: "4 KiB", 64 << 10: "64 KiB", 1 << 20: "1 MiB", 64 << 20: "64 MiB"}
N = 1024

SOURCE = """
__kernel void add_one(__global float *x) { x[get_global_id(0)] += 1.0f; }
__kernel void sum(__global float *out, __global const float *a, __global const float *b)
{
    int i = get_global_id(0);
    out[i] = a[i] + b[i];
}
__kernel void scale(__global float *x, float a, float b, int n)
{
    int i = get_global_id(0);
    if (i < n)
        x[i] = a * x[i] + b;
}
"""


@dataclass
class Line:
    """A row of the table: `call` is timed in batches, `between` runs untimed after each. `work` of its calls is one."""

    name: str
    call: Nothing
    batch: int = 20
    between: Nothing = lambda: None
    per: int = 1


class Bench:
    """What the lines share: a context, its queues, a program, buffers."""

    def __init__(self, devices: list[cl.Device], expect: Callable[[bool, str], None]):
        self.device, self.expect = devices[0], expect
        self.context = cl.Context(devices)
        properties = cl.command_queue_properties
        self.queue, self.other = cl.CommandQueue(self.context), cl.CommandQueue(self.context)
        self.profiled = cl.CommandQueue(self.context, properties=properties.PROFILING_ENABLE)
        self.unordered = cl.CommandQueue(self.context, properties=properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
        self.program = cl.Program(self.context, SOURCE).build()
        self.buffers = [self.buffer(4 * N) for _ in range(4)]

    def kernel(self, name: str, *arguments: Any) -> cl.Kernel:
        kernel = cl.Kernel(self.program, name)
        kernel.set_args(*arguments)
        return kernel

    def buffer(self, size: int) -> cl.Buffer:
        made = cl.Buffer(self.context, FLAGS.READ_WRITE, size)
        cl.enqueue_fill_buffer(self.queue, made, np.float32(0), 0, size)
        self.queue.finish()
        return made

    def settle(self) -> None:
        for queue in (self.queue, self.other, self.profiled, self.unordered):
            queue.finish()

    def read(self, buffer: cl.Buffer) -> np.ndarray:
        found = np.empty(N, np.float32)
        cl.enqueue_copy(self.queue, found, buffer)
        return found


def objects(bench: Bench) -> Iterator[Line]:
    context, settle = bench.context, bench.settle
    for size, label in SIZES.items():
        batch = 20 if size <= 1 << 20 else 4
        yield Line(f"buffer of {label} made, released", lambda size=size: cl.Buffer(context, FLAGS.READ_WRITE, size).release(), batch, settle)
        if size <= 1 << 20:
            data = np.random.default_rng(size).random(size // 4, np.float32)
            found = np.empty_like(data)
            cl.enqueue_copy(bench.queue, found, cl.Buffer(context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=data))
            bench.expect(np.array_equal(found, data), f"COPY_HOST_PTR of {label}")
            yield Line(f"COPY_HOST_PTR buffer of {label} made, released",
                       lambda data=data: cl.Buffer(context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=data).release(), 10, settle)
    used = bench.buffer(4 << 10)
    add = bench.kernel("add_one", used)

    def used_and_released() -> None:
        made = cl.Buffer(context, FLAGS.READ_WRITE, 4 << 10)
        add.set_arg(0, made)
        cl.enqueue_nd_range_kernel(bench.queue, add, (N,), None)
        made.release()

    yield Line("buffer made, used by a launch, released", used_and_released, 20, settle)
    yield Line("buffer of 4 KiB kept, another dropped", lambda: cl.Buffer(context, FLAGS.READ_WRITE, 4 << 10), 20, settle)
    yield Line("sub-buffer made, released", lambda: used.get_sub_region(0, 1024).release(), 20)
    own = np.zeros(N, np.float32)
    yield Line("USE_HOST_PTR buffer of 4 KiB made, released", lambda: cl.Buffer(
        context, FLAGS.READ_WRITE | FLAGS.USE_HOST_PTR, hostbuf=own).release(), 10, settle)
    image_format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    yield Line("image of 64 x 64 made, released", lambda: cl.Image(context, FLAGS.READ_WRITE, image_format, (64, 64)).release(), 10, settle)
    yield Line("sampler made, dropped", lambda: cl.Sampler(context, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST), 20)
    yield Line("kernel made, dropped", lambda: cl.Kernel(bench.program, "scale"), 20)
    yield Line("user event made, set", lambda: cl.UserEvent(context).set_status(cl.command_execution_status.COMPLETE), 20)
    yield Line("queue made, dropped", lambda: cl.CommandQueue(context), 5)
    yield Line("out-of-order queue made, dropped", lambda: cl.CommandQueue(
        context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE), 5)
    yield Line("context made, dropped", lambda: cl.Context(bench.context.devices), 1)


def queues(bench: Bench) -> Iterator[Line]:
    queue, other, settle = bench.queue, bench.other, bench.settle
    yield Line("finish() of an empty queue", queue.finish, 100)
    yield Line("flush() of an empty queue", queue.flush, 100)
    yield Line("enqueue_barrier", lambda: cl.enqueue_barrier(queue), 50, settle)
    yield Line("marker after an event of its queue", lambda: cl.enqueue_marker(queue, wait_for=[cl.enqueue_marker(queue)]), 50, settle)
    yield Line("marker after an event of another queue", lambda: cl.enqueue_marker(other, wait_for=[cl.enqueue_marker(queue)]), 20, settle)
    yield Line("marker of an out-of-order queue", lambda: cl.enqueue_marker(bench.unordered), 20, settle)


def launches(bench: Bench) -> Iterator[Line]:
    queue, other, unordered, settle = bench.queue, bench.other, bench.unordered, bench.settle
    a, b, c, d = bench.buffers
    calls = 0
    add = bench.kernel("add_one", a)
    left, right, joined = bench.kernel("add_one", b), bench.kernel("add_one", c), bench.kernel("sum", d, b, c)

    def launch(on: cl.CommandQueue = queue, wait_for: list[cl.Event] | None = None) -> cl.Event:
        nonlocal calls
        calls += 1
        return cl.enqueue_nd_range_kernel(on, add, (N,), (64,), wait_for=wait_for)

    def gated() -> None:
        gate = cl.UserEvent(bench.context)
        launch(queue, [gate])
        gate.set_status(cl.command_execution_status.COMPLETE)
        queue.finish()

    def across() -> None:
        launch(other, [launch()])
        launch(queue, [cl.enqueue_marker(other)])

    def profiled() -> None:
        events = [launch(bench.profiled) for _ in range(100)]
        bench.profiled.finish()
        bench.expect(all(event.profile.end >= event.profile.start for event in events), "times of launches")

    ends: list[cl.Event] = []

    def chain() -> None:
        """Behind the chain before it, whose kernels change the same buffer."""
        for _ in range(10):
            ends[:] = [launch(unordered, list(ends))]

    def diamond() -> None:
        first = cl.enqueue_nd_range_kernel(unordered, joined, (N,), (64,))
        sides = [cl.enqueue_nd_range_kernel(unordered, kernel, (N,), (64,), wait_for=[first]) for kernel in (left, right)]
        cl.enqueue_nd_range_kernel(unordered, joined, (N,), (64,), wait_for=sides)
        settle()

    def independent() -> None:
        for kernel in (left, right, left, right):
            cl.enqueue_nd_range_kernel(unordered, kernel, (N,), (64,))
        settle()

    def waited_for() -> None:
        launch().wait()

    scale = cl.Kernel(bench.program, "scale")
    scale.set_scalar_arg_dtypes([None, np.float32, np.float32, np.int32])
    yield Line("launch", launch, 100, settle)
    yield Line("launch with four new arguments", lambda: scale(queue, (N,), (64,), d, 1.0, 0.0, N), 100, settle)
    yield Line("launch, the size of its groups left open", lambda: cl.enqueue_nd_range_kernel(queue, left, (N,), None), 100, settle)
    yield Line("launch of two dimensions", lambda: cl.enqueue_nd_range_kernel(queue, left, (32, 32), (8, 8)), 100, settle)
    yield Line("launch after an event of its queue", lambda: launch(queue, [launch()]), 50, settle)
    yield Line("launch and event.wait()", waited_for, 20)
    yield Line("launch and finish()", lambda: (launch(), queue.finish()), 20)
    yield Line("user event that gates a launch, and finish()", gated, 10)
    yield Line("three launches over two queues", across, 10, settle)
    yield Line("100 launches of a profiling queue, with times", profiled, 1, per=100)
    yield Line("out-of-order queue: a chain of 10 launches", chain, 5, settle, per=10)
    yield Line("out-of-order queue: a diamond, and finish()", diamond, 5)
    yield Line("out-of-order queue: four launches, and finish()", independent, 5)
    settle()
    bench.expect(bool((bench.read(a) == calls).all()), f"after {calls} launches")


def copies(bench: Bench) -> Iterator[Line]:
    queue, settle = bench.queue, bench.settle
    for size, label in list(SIZES.items())[:3]:
        data, buffer, second = np.random.default_rng(1).random(size // 4, np.float32), bench.buffer(size), bench.buffer(size)
        found = np.empty_like(data)
        batch = 20 if size < 1 << 20 else 4
        write = {"src": data, "dest": buffer}
        yield Line(f"write {label}", lambda to=write: cl.enqueue_copy(queue, **to), batch)
        yield Line(f"read {label}", lambda found=found, buffer=buffer: cl.enqueue_copy(queue, found, buffer), batch)
        yield Line(f"write {label}, not blocking, and finish()",
                   lambda to=write: (cl.enqueue_copy(queue, is_blocking=False, **to), queue.finish()), batch)
        yield Line(f"copy {label} on the device", lambda b=buffer, s=second: cl.enqueue_copy(queue, s, b), batch, settle)
        yield Line(f"fill {label}", lambda s=second, n=size: cl.enqueue_fill_buffer(queue, s, np.float32(0), 0, n), batch, settle)
        for name, how in (("read", MAP.READ), ("write", MAP.WRITE_INVALIDATE_REGION)):

            def mapped(how: int = how, buffer: cl.Buffer = second, count: int = size // 4) -> None:
                array, _ = cl.enqueue_map_buffer(queue, buffer, how, 0, (count,), np.float32)
                array.base.release(queue)

            yield Line(f"map {label} to {name}, unmap", mapped, batch, settle)
        bench.expect(np.array_equal(found, data), f"copies of {label}")
    host, there = np.arange(4096, dtype=np.float32).reshape(64, 64), bench.buffer(4 * 4096)
    back = np.zeros_like(host)
    region = {"buffer_origin": (64, 16, 0), "host_origin": (64, 16, 0), "region": (128, 32, 1), "buffer_pitches": (256,), "host_pitches": (256,)}
    yield Line("write a rectangle of 32 x 32", lambda: cl.enqueue_copy(queue, there, host, **region), 20)
    yield Line("read a rectangle of 32 x 32", lambda: cl.enqueue_copy(queue, back, there, **region), 20)
    bench.expect(np.array_equal(back[16:48, 16:48], host[16:48, 16:48]) and not back[:16].any(), "rectangles")


def images(bench: Bench) -> Iterator[Line]:
    queue, settle, buffer = bench.queue, bench.settle, bench.buffer(1 << 18)
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    first, second = (cl.create_image(bench.context, FLAGS.READ_WRITE, form, (256, 256)) for _ in range(2))
    host = np.random.default_rng(1).integers(0, 256, (256, 256, 4), np.uint8)
    back, color = np.zeros_like(host), np.ones(4, np.float32)
    whole = {"origin": (0, 0), "region": (256, 256)}

    def mapped() -> None:
        array, *_ = cl.enqueue_map_image(queue, second, MAP.READ, (0, 0), (256, 256), (256, 256, 4), np.uint8)
        array.base.release(queue)

    yield Line("write an image of 256 KiB", lambda: cl.enqueue_copy(queue, first, host, **whole), 10)
    yield Line("copy it", lambda: cl.enqueue_copy(queue, second, first, src_origin=(0, 0), dest_origin=(0, 0), region=(256, 256)), 20, settle)
    yield Line("read an image of 256 KiB", lambda: cl.enqueue_copy(queue, back, second, **whole), 10)
    bench.expect(np.array_equal(back, host), "an image there, copied, and back")
    yield Line("map it to read, unmap", mapped, 10, settle)
    yield Line("copy it into a buffer", lambda: cl.enqueue_copy(queue, buffer, second, offset=0, **whole), 20, settle)
    yield Line("copy the buffer into an image", lambda: cl.enqueue_copy(queue, first, buffer, offset=0, **whole), 20, settle)
    yield Line("fill the image", lambda: cl.enqueue_fill_image(queue, first, color, (0, 0), (256, 256)), 20, settle)
    cl.enqueue_copy(queue, back, first, **whole)
    bench.expect(bool((back == 255).all()), "a filled image")


def shared_memory(bench: Bench) -> Iterator[Line]:
    """Nothing of devices without it."""
    queue, settle = bench.queue, bench.settle
    if not bench.device.get_info(cl.device_info.SVM_CAPABILITIES):
        return
    first, second = (cl.SVMAllocation(bench.context, 4 * N, 0, cl.svm_mem_flags.READ_WRITE) for _ in range(2))
    host, found, one = np.arange(N, dtype=np.float32), np.zeros(N, np.float32), np.float32(1)
    kernel = bench.kernel("add_one", first)
    cl.enqueue_copy(queue, first, host)
    cl.enqueue_copy(queue, second, first)
    cl.enqueue_copy(queue, found, second)
    bench.expect(np.array_equal(found, host), "shared memory there, copied, and back")
    yield Line("set_arg of shared memory", lambda: kernel.set_arg(0, first), 100)
    yield Line("copy 4 KiB of shared memory", lambda: cl.enqueue_copy(queue, second, first), 20)
    yield Line("copy 4 KiB of shared memory, not blocking", lambda: cl.enqueue_copy(queue, second, first, is_blocking=False), 20, settle)
    yield Line("read 4 KiB of shared memory", lambda: cl.enqueue_copy(queue, found, first), 20)
    yield Line("fill 4 KiB of shared memory", lambda: cl.enqueue_svm_memfill(queue, second, one), 20, settle)
    yield Line("map 4 KiB of shared memory to read, unmap", lambda: first.map_ro(queue).release(queue), 20, settle)
    yield Line("map 4 KiB of shared memory to write, unmap", lambda: first.map_rw(queue).release(queue), 20, settle)
    cl.enqueue_copy(queue, found, second)
    bench.expect(bool((found == 1).all()), "filled shared memory")


def queries(bench: Bench) -> Iterator[Line]:
    event = cl.enqueue_marker(bench.queue)
    event.wait()
    kernel, buffer, device = bench.kernel("add_one", bench.buffers[0]), bench.buffers[0], bench.device
    info = cl.kernel_work_group_info.WORK_GROUP_SIZE
    yield Line("device.max_work_group_size", lambda: device.max_work_group_size, 100)
    yield Line("kernel.get_work_group_info", lambda: kernel.get_work_group_info(info, device), 100)
    yield Line("event.command_execution_status", lambda: event.command_execution_status, 100)
    yield Line("buffer.size", lambda: buffer.size, 100)
    yield Line("buffer.get_info(REFERENCE_COUNT)", lambda: buffer.get_info(cl.mem_info.REFERENCE_COUNT), 100)
    yield Line("queue.context, queue.device", lambda: (bench.queue.context, bench.queue.device), 100)
    yield Line("kernel of a program, by attribute", lambda: bench.program.add_one, 50)
    yield Line("set_arg of a buffer", lambda: kernel.set_arg(0, buffer), 100)


def arrays(bench: Bench) -> Iterator[Line]:
    queue, settle = bench.queue, bench.settle
    for size in (1_000, 1_000_000):
        host = np.arange(size, dtype=np.float32) % 251
        a, b = cla.to_device(queue, host), cla.to_device(queue, host + 1)
        bench.expect(np.array_equal((a * b + a).get(), host * (host + 1) + host), f"arithmetic of {size} numbers")
        bench.expect(np.isclose(float(cla.sum(a).get()), host.sum(dtype=float), rtol=1e-5), f"the sum of {size} numbers")
        batch = 10 if size < 10_000 else 2
        named = f", {size:,} floats"
        yield Line(f"array a + b{named}", lambda a=a, b=b: a + b, batch, settle)
        yield Line(f"array a * b + a{named}", lambda a=a, b=b: a * b + a, batch, settle)
        yield Line(f"array -a{named}", lambda a=a: -a, batch, settle)
        yield Line(f"array fill{named}", lambda b=b: b.fill(1), batch, settle)
        yield Line(f"array empty_like{named}", lambda a=a: cla.empty_like(a), batch, settle)
        yield Line(f"array zeros{named}", lambda size=size: cla.zeros(queue, size, np.float32), batch, settle)
        yield Line(f"array to_device{named}", lambda host=host: cla.to_device(queue, host), batch, settle)
        yield Line(f"array get(){named}", a.get, batch)
        yield Line(f"array slice{named}", lambda a=a: a[10:-10], batch)
        yield Line(f"array sum().get(){named}", lambda a=a: cla.sum(a).get(), batch)
        yield Line(f"array dot().get(){named}", lambda a=a, b=b: cla.dot(a, b).get(), batch)


GROUPS = (objects, queues, launches, copies, images, shared_memory, queries, arrays)


def measure_host_costs(devices: list[cl.Device], timed: Callable[..., Times], expect: Callable[[bool, str], None], repeat: int) -> dict[str, Times]:
    bench = Bench(devices, expect)
    result = {}
    for group in GROUPS:
        for line in group(bench):
            times = timed(line.call, repeat=repeat, batch=line.batch, between=line.between)
            result[f"host: {line.name}"] = {name: seconds / line.per for name, seconds in times.items()}
        bench.settle()
    return result
