"""What programs spend in the host where no call is like the one before: sizes, offsets, regions, colours, images, local memory, kernels, queues
and slices of arrays that vary, in the shape of host_costs.py. Plain PyOpenCL."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
import pyopencl.clmath as clmath
from host_costs import FLAGS, MAP, Bench, Line, N, Times
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel

PART, SIDE, BYTES, STEPS, STRIDE, KERNELS, MANY = 4 << 10, 256, 1 << 20, 10_007, 7, 48, 64

SOURCE = """
__kernel void add(__global int *x, int by) { x[get_global_id(0)] += by; }
__kernel void tile(__global int *x, __local int *y)
{
    size_t i = get_local_id(0);
    y[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = y[get_local_size(0) - 1 - i];
}
__kernel void look(__read_only image2d_t image, __global float *x)
{
    x[get_global_id(0)] = read_imagef(image, (int2)(get_global_id(0) % 8, 1)).x;
}
""" + "\n".join(f"__kernel void k{number}(__global int *x) {{ x[get_global_id(0)] += {number}; }}" for number in range(KERNELS))

Of = TypeVar("Of")


class Varied(Bench):
    """With the program of this list."""

    def __init__(self, devices: list[cl.Device], expect: Callable[[bool, str], None]):
        super().__init__(devices, expect)
        self.varied_program = cl.Program(self.context, SOURCE).build()
        self.large, self.second = (self.buffer(BYTES) for _ in range(2))
        self.many = [self.buffer(PART) for _ in range(MANY)]
        self.host = np.zeros(BYTES, np.uint8)
        self.image_format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
        self.image, self.other_image = (self.new_image((SIDE, SIDE)) for _ in range(2))
        self._turns = itertools.count()

    def number(self, most: int = STEPS) -> int:
        """From 1 on to so many, in an order in which neighbours are far from each other."""
        return 1 + next(self._turns) * STRIDE % most

    def bytes(self) -> int:
        return 4 * self.number()

    def one(self, some: Sequence[Of]) -> Of:
        return some[self.number(len(some)) - 1]

    def new_image(self, shape: tuple[int, int], contents: np.ndarray | None = None) -> cl.Image:
        flags = FLAGS.READ_WRITE if contents is None else FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR
        return cl.create_image(self.context, flags, self.image_format, shape, hostbuf=contents)

    def image_of_any_size(self, contents: np.ndarray | None = None) -> cl.Image:
        return self.new_image((8 + self.number(131), 8 + self.number(137)), contents)

    def varied(self, name: str) -> cl.Kernel:
        return cl.Kernel(self.varied_program, name)


def buffers(bench: Varied) -> Iterator[Line]:
    queue, settle, large, host, number = bench.queue, bench.settle, bench.large, bench.host, bench.number

    def mapped(buffer: cl.Buffer, flags: int) -> None:
        array, _ = cl.enqueue_map_buffer(queue, buffer, flags, 0, (N,), np.float32)
        array[0] = 1
        array.base.release(queue)

    def rectangle() -> dict[str, Any]:
        return {"buffer_origin": (4 * number(13), number(17)), "host_origin": (0, 0), "region": (4 * number(61), number(59)),
                "buffer_pitches": (1024,), "host_pitches": (1024,)}

    calls: dict[str, Callable[[], Any]] = {
        "write sizes that vary": lambda: cl.enqueue_copy(queue, large, host[:bench.bytes()]),
        "the same without waiting": lambda: cl.enqueue_copy(queue, large, host[:bench.bytes()], is_blocking=False),
        "read sizes that vary": lambda: cl.enqueue_copy(queue, host[:bench.bytes()], large),
        "copy sizes that vary": lambda: cl.enqueue_copy(queue, bench.second, large, byte_count=bench.bytes()),
        "fill sizes with values that vary": lambda: cl.enqueue_fill_buffer(queue, large, np.int32(number()), 0, bench.bytes()),
        "map one buffer of many, unmap": lambda: mapped(bench.one(bench.many), MAP.WRITE),
        "write rectangles that vary": lambda: cl.enqueue_copy(queue, large, host, **rectangle()),
        "read rectangles that vary": lambda: cl.enqueue_copy(queue, host, large, **rectangle()),
    }
    for name, call in calls.items():
        yield Line(name, call, 10, settle)
    made: dict[str, Callable[[], Any]] = {
        "buffers of sizes that vary": lambda: cl.Buffer(bench.context, FLAGS.READ_WRITE, bench.bytes()),
        "buffers with contents of sizes that vary": lambda: cl.Buffer(
            bench.context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=host[:bench.bytes()]),
        "parts of a buffer": lambda: large.get_sub_region(PART * number(61), PART),
    }
    for name, call in made.items():
        yield Line(name, call, 10, settle)
    add, one = bench.varied("add"), np.int32(1)

    def whole_step() -> None:
        count = number()
        buffer = cl.Buffer(bench.context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=host[:4 * count])
        add(queue, (count,), None, buffer, one)
        cl.enqueue_copy(queue, host[:4 * count], buffer)

    yield Line("buffer with contents of any size, launch, read", whole_step, 5, settle)


def images(bench: Varied) -> Iterator[Line]:
    queue, settle, image, host, number = bench.queue, bench.settle, bench.image, bench.host, bench.number
    look = bench.varied("look")

    def region() -> dict[str, Any]:
        return {"origin": (number(13), number(17)), "region": (number(101), number(97))}

    def color() -> np.ndarray:
        return np.array([number(1000) * 1e-3, 0, 0, 1], np.float32)

    def picture() -> None:
        made = bench.image_of_any_size(host)
        look(queue, (N,), None, made, bench.large)
        queue.finish()

    calls: dict[str, Callable[[], Any]] = {
        "write regions of an image": lambda: cl.enqueue_copy(queue, image, host, **region()),
        "read regions of an image": lambda: cl.enqueue_copy(queue, host, image, **region()),
        "copy regions between images": lambda: cl.enqueue_copy(
            queue, bench.other_image, image, src_origin=(number(13), number(17)), dest_origin=(0, 0), region=(number(101), number(97))),
        "fill regions with colours that vary": lambda: cl.enqueue_fill_image(
            queue, image, color(), (number(13), number(17)), (number(101), number(97))),
        "images of sizes that vary": bench.image_of_any_size,
        "images with contents of sizes that vary": lambda: bench.image_of_any_size(host),
        "image with contents of any size, launch, finish": picture,
    }
    for name, call in calls.items():
        yield Line(name, call, 5, settle)


def launches(bench: Varied) -> Iterator[Line]:
    queue, settle, number, large = bench.queue, bench.settle, bench.number, bench.large
    add, tile, kernels = bench.varied("add"), bench.varied("tile"), [bench.varied(f"k{each}") for each in range(KERNELS)]

    def in_new_queue() -> None:
        made = cl.CommandQueue(bench.context)
        add(made, (number(),), None, large, np.int32(1))
        made.finish()

    calls: dict[str, Callable[[], Any]] = {
        "one buffer of many and a number, launch": lambda: add(queue, (N,), (64,), bench.one(bench.many), np.int32(number())),
        "local memory of sizes that vary, launch": lambda: tile(queue, (N,), (64,), large, cl.LocalMemory(256 + 4 * number(4001))),
        "launches of sizes that vary": lambda: add(queue, (number(),), None, large, np.int32(1)),
        "launches of odd sizes above 100,000": lambda: add(queue, (100_001 + 2 * number(),), None, large, np.int32(1)),
        "launches of rectangles that vary": lambda: add(queue, (number(301), number(37)), None, large, np.int32(1)),
        "launches of one kernel of many": lambda: bench.one(kernels)(queue, (N,), (64,), large),
        "kernel made, launched": lambda: bench.varied(f"k{number(KERNELS) - 1}")(queue, (N,), None, large),
        "queue made, launch of any size, finish": in_new_queue,
    }
    for name, call in calls.items():
        yield Line(name, call, 5, settle)


def events(bench: Varied) -> Iterator[Line]:
    queue, settle, number, large, host = bench.queue, bench.settle, bench.number, bench.large, bench.host
    add, one, few = bench.varied("add"), np.int32(1), host[:PART]

    def timed(event: cl.Event) -> None:
        event.wait()
        event.profile.end - event.profile.start

    def gated() -> None:
        gate = cl.UserEvent(bench.context)
        written = cl.enqueue_copy(queue, large, few, is_blocking=False, wait_for=[gate])
        added = add(queue, (N,), None, large, one, wait_for=[written])
        gate.set_status(cl.command_execution_status.COMPLETE)
        added.wait()

    def in_turn() -> None:
        written = cl.enqueue_copy(bench.unordered, large, few, is_blocking=False)
        added = add(bench.unordered, (N,), None, large, one, wait_for=[written])
        cl.enqueue_copy(bench.unordered, few, large, wait_for=[added])

    profiled = bench.profiled
    calls: dict[str, Callable[[], Any]] = {
        "launch of any size with times, wait, times": lambda: timed(add(profiled, (number(),), None, large, one)),
        "write of any size with times, wait, times": lambda: timed(cl.enqueue_copy(profiled, large, host[:bench.bytes()], is_blocking=False)),
        "read of any size with times, wait, times": lambda: timed(cl.enqueue_copy(profiled, host[:bench.bytes()], large, is_blocking=False)),
        "image's region with times, wait, times": lambda: timed(cl.enqueue_copy(
            profiled, bench.image, host, origin=(0, 0), region=(number(64), number(64)), is_blocking=False)),
        "write and launch behind a user event": gated,
        "out of order: write, launch, read": in_turn,
    }
    for name, call in calls.items():
        yield Line(name, call, 5, settle)


def arrays(bench: Varied) -> Iterator[Line]:
    queue, settle, number = bench.queue, bench.settle, bench.number
    a, b = (cla.zeros(queue, STEPS + 1, np.float32) for _ in range(2))
    on_host = np.zeros(STEPS + 1, np.float32)
    axpy = ElementwiseKernel(bench.context, "float *x, float *y, float a", "y[i] += a * x[i]", "axpy")
    dot = ReductionKernel(bench.context, np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]", arguments="float *x, float *y")

    def slices() -> tuple[cla.Array, cla.Array]:
        count = number()
        return a[:count], b[:count]

    calls: dict[str, Callable[[], Any]] = {
        "zeros": lambda: cla.zeros(queue, number(), np.float32),
        "to_device": lambda: cla.to_device(queue, on_host[:number()]),
        "empty, get": lambda: cla.empty(queue, number(), np.float32).get(),
        "arange": lambda: cla.arange(queue, number(), dtype=np.float32),
        "x + y": lambda: (lambda x, y: x + y)(*slices()),
        "2 * x - 3": lambda: 2 * slices()[0] - 3,
        "exp(x)": lambda: clmath.exp(slices()[0]),
        "x > y": lambda: (lambda x, y: x > y)(*slices()),
        "x.fill(3)": lambda: slices()[0].fill(3),
        "sum(x).get()": lambda: cla.sum(slices()[0]).get(),
        "ElementwiseKernel": lambda: axpy(*slices(), np.float32(2)),
        "ReductionKernel, get()": lambda: dot(*slices()).get(),
    }
    for name, call in calls.items():
        yield Line(f"array of any size: {name}", call, 5, settle)


def measure_varied_calls(devices: list[cl.Device], timed: Callable[..., Times], expect: Callable[[bool, str], None], *,
                         repeat: int) -> dict[str, Times]:
    bench, found = Varied(devices, expect), {}
    for group in (buffers, images, launches, events, arrays):
        for line in group(bench):
            times = timed(line.call, repeat=repeat, batch=line.batch, between=line.between)
            found[f"varied: {line.name}"] = {key: time / line.per for key, time in times.items()}
    return found
