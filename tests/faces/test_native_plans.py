"""Plans of launches that code in C knows by the last launch's sizes (runtime/native/plans.c): the ones that Python's dictionary has."""

from __future__ import annotations

import contextlib
import gc
import os
import random
import weakref

import numpy as np
import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.threads import run_together

from cl2cuda import interop
from cl2cuda import pyopencl as cl
from cl2cuda.runtime.commands import nd_range
from cl2cuda.runtime.native import library

import pyopencl.array as cla  # isort: skip

DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]
compiled = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

SIZES = """
kernel void sizes(global int *out)
{
    if (get_global_id(0) == get_global_offset(0) && get_global_id(1) == get_global_offset(1)) {
        out[0] = get_global_size(0), out[1] = get_global_size(1);
        out[2] = get_local_size(0), out[3] = get_local_size(1);
        out[4] = get_global_offset(0), out[5] = get_global_offset(1);
    }
}
"""


class Bench:
    def __init__(self, device):
        self.context = cl.Context([device])
        self.queue, self.other = cl.CommandQueue(self.context), cl.CommandQueue(self.context)
        self.kernel = cl.Kernel(cl.Program(self.context, SIZES).build(), "sizes")
        self.buffer = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 24)
        self.kernel.set_args(self.buffer)

    def found(self, global_size, local_size=None, offset=None, queue=None):
        """What the kernel saw: its global and local sizes and offsets."""
        out, queue = np.zeros(6, np.int32), queue or self.queue
        cl.enqueue_nd_range_kernel(queue, self.kernel, global_size, local_size, offset)
        cl.enqueue_copy(queue, out, self.buffer)
        return out.tolist()

    def check(self, global_size, local_size=None, offset=None, queue=None):
        wide, groups, start = ((*each, one)[:2] if each else None for each, one in ((global_size, 1), (local_size, 1), (offset, 0)))
        found = self.found(global_size, local_size, offset, queue)
        assert found[:2] == list(wide) and found[4:] == list(start or (0, 0))
        if groups:
            assert found[2:4] == list(groups)


@pytest.fixture(params=DEVICES, ids=lambda device: device.name)
def bench(request):
    return Bench(request.param)


def test_each_launch_has_its_own_sizes(bench):
    draws = random.Random(7)
    launches = [(sizes, groups, offset) for sizes in ((8,), (16,), (8, 4), (4, 8)) for groups in (None, (4,), (4, 4), (2, 2)) if not groups
                or len(groups) == len(sizes) for offset in (None, (0,), (3,), (1, 2)) if not offset or len(offset) == len(sizes)]
    for _ in range(300):
        sizes, groups, offset = draws.choice(launches)
        for _ in range(draws.choice((1, 1, 3))):
            # Tuples of their own: equal, not the same.
            bench.check(*(each and tuple(list(each)) for each in (sizes, groups, offset)), queue=draws.choice((bench.queue, bench.other)))


def test_sizes_that_come_once(bench):
    draws, queues, kernel = random.Random(11), (bench.queue, bench.other), bench.kernel._core
    for turn in range(400):
        dimensions = draws.choice((1, 1, 2))
        groups = tuple(draws.choice((1, 2, 4, 8, 12)) for _ in range(dimensions))
        sizes = tuple(each * draws.randint(1, 40) for each in groups)
        offset = draws.choice((None, None, tuple(draws.randint(0, 30) for _ in range(dimensions))))
        queue = queues[turn // 20 % 2]
        if turn % 3:
            bench.check(sizes, groups, offset, queue)
            continue
        chosen = nd_range.suggested_local_work_size(queue._core, kernel, dimensions, offset, sizes)
        bench.check(sizes, None, offset, queue)
        assert bench.found(sizes, None, offset, queue)[2:4] == [*chosen, 1][:2]


def test_plans_of_pythons_own_are_no_model(bench):
    """A kernel that prints has some on the host device."""
    source = SIZES.replace("out[0] = get_global_size(0)", 'if (get_global_size(0) == 7777) printf("never"); out[0] = get_global_size(0)')
    bench.kernel = cl.Kernel(cl.Program(bench.context, source).build(), "sizes")
    bench.kernel.set_args(bench.buffer)
    for size in (8, 16, 8, 24, 16, 8, 8, 32, 24):
        bench.check((size,), (4,)), bench.check((size, 4), None), bench.check((size,), (4,), (size,))


@compiled
def test_a_queue_in_another_librarys_stream_has_plans_of_pythons(imagined, kernel):
    queue = interop.queue_from_stream(imagined.context, 1 << 20)
    for one in (queue, imagined.first, queue):
        for size in (64, 64, 64, 128, 64, 128, 128):
            cl.enqueue_nd_range_kernel(one, kernel, (size,), (64,))
        one.finish()


@compiled
def test_a_size_that_comes_for_the_first_time_has_no_plan(imagined, kernel, monkeypatch):
    made, genuine = [], nd_range._plan
    monkeypatch.setattr(nd_range, "_plan", lambda *arguments: made.append(arguments) or genuine(*arguments))

    def launch(size, local, queue=imagined.first, offset=None):
        cl.enqueue_nd_range_kernel(queue, kernel, size, local, offset)
        return list(imagined.sizes)[:6]

    launch((8191,), None, imagined.second)  # which loads another variant of the program
    made.clear()
    imagined.taken()
    plans = len(kernel._core.plans)
    for queue in (imagined.first, imagined.second):
        launch((64,), (64,), queue)
        assert launch((640,), (64,), queue) == [10, 1, 1, 64, 1, 1]
        assert launch((1024,), (1024,), queue) == [1, 1, 1, 1024, 1, 1]
        assert launch((77,), (7,), queue) == [11, 1, 1, 7, 1, 1]
        for size in ((1920,), (1 << 20,), (96,)):
            (group,) = nd_range.suggested_local_work_size(queue._core, kernel._core, 1, None, size)
            assert launch(size, None, queue) == [size[0] // group, 1, 1, group, 1, 1]
        # The kernel cannot tell how it is grouped: sizes without good divisors are rounded up.
        functions = set()
        for size in (8191, 10_007, 1_000_003):
            assert launch((size,), None, queue) == [-(-size // 256), 1, 1, 256, 1, 1] and imagined.sizes[6] == -size % 256
            functions.add(imagined.function.value)
        assert launch((640,), (64,), queue) == [10, 1, 1, 64, 1, 1] and imagined.sizes[6] == 0
        assert len(functions) == 1 and imagined.function.value not in functions
    assert not made and imagined.taken().count("L") == 22
    for _ in range(3):
        assert launch((2048,), (64,)) == [32, 1, 1, 64, 1, 1]
    assert len(made) == 1, "the last plan was the other queue's"
    # One that comes again has a plan of its own in C, and other dimensions have one of Python's first.
    for size in (320, 320, 384, 320, 384, 384, 384, 320, 384, 2048, 320):
        assert launch((size,), (64,)) == [size // 64, 1, 1, 64, 1, 1]
    assert len(made) == 1 and len(kernel._core.plans) == plans + 2  # by the queue, and by its stream
    launch((64, 8), (8, 8))
    assert len(made) == 2 and launch((32, 64), (16, 4)) == [2, 16, 1, 16, 4, 1] and launch((2112,), (64,)) == [33, 1, 1, 64, 1, 1]
    assert len(made) == 3, "the last one had two dimensions"
    # What Python refuses, and what is no one grid of whole groups, is Python's.
    for size, local in (((65,), (16,)), ((64,), (2048,)), ((64,), (0,)), ((0,), (16,)), ((-64,), (64,)), ((64.0,), (64,)),
                        ((1 << 33,), (64,)), ((1 << 70,), (64,)), ((64,), (64, 1)), ((65536 * 64, 65536), (64, 1))):
        before = len(made)
        with contextlib.suppress(cl.Error, RuntimeError):
            launch(size, local)
        assert len(made) > before or size == (64,), (size, local)
    # The plans of other arguments are others.
    launch((64,), (64,))
    kernel._core.drop_plans()
    launch((128,), (64,))
    before = len(made)
    assert launch((192,), (64,)) == [3, 1, 1, 64, 1, 1] and len(made) == before
    imagined.fails.value = 700
    with pytest.raises(cl.Error):
        launch((256,), (64,))


@compiled
def test_sizes_that_come_again_in_any_order(imagined, kernel):
    """Each launch has its grid, stream and arguments of now, be its plan Python's, made in C, or none."""
    draws, queue, core = random.Random(5), imagined.first, kernel._core
    buffers = [imagined.buffer, cl.Buffer(imagined.context, cl.mem_flags.READ_WRITE, 4096)]
    sizes = [(64 * draws.randint(1, 400), draws.choice((None, 16, 32, 64))) for _ in range(300)]
    for turn in range(2000):
        if draws.random() < 0.05:
            queue = draws.choice((imagined.first, imagined.second, imagined.unordered))
        if draws.random() < 0.01:
            core.drop_plans()
        buffer = draws.choice(buffers)
        kernel.set_arg(0, buffer)
        size, local = draws.choice(sizes[:6] if turn % 3 else sizes)
        group = local or nd_range.suggested_local_work_size(queue._core, core, 1, None, (size,))[0]
        for _ in range(draws.choice((1, 2, 2, 3, 20))):
            cl.enqueue_nd_range_kernel(queue, kernel, (size,), local and (local,))
            given = imagined.taken().split()[-1:]
            if given and given[0].endswith("L"):
                assert list(imagined.sizes)[:6] == [size // group, 1, 1, group, 1, 1] and imagined.argument.value == buffer._core.address
            assert not given or given[0][0] == ("u" if queue is imagined.unordered else "a" if queue is imagined.first else "b")
    core.drop_plans()
    for turn in range(3):
        for count in range(1, 300):  # more than plans are kept
            for _ in range(2):
                cl.enqueue_nd_range_kernel(imagined.first, kernel, (32 * count,), (32,))
                given = imagined.taken()
                assert given == "aG" or (given.endswith("aL") and list(imagined.sizes)[:4] == [count, 1, 1, 32]) or (turn, count) == (0, 1)
    assert len(core.plans) == 2, "one of Python's, by the queue and by its stream"


@compiled
def test_a_size_of_local_memory_that_comes_for_the_first_time_has_no_plan(imagined, monkeypatch):
    source = "kernel void f(global int *a, local int *b) { b[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); a[0] = b[1]; }"
    try:
        kernel = cl.Kernel(cl.Program(imagined.context, source).build(), "f")
    except cl.RuntimeError as error:
        pytest.skip(f"no NVRTC: {error}")
    made, genuine = [], nd_range._plan
    monkeypatch.setattr(nd_range, "_plan", lambda *arguments: made.append(arguments) or genuine(*arguments))

    def check(local_memory, size=64, queue=imagined.first, plans=0):
        before = len(made)
        kernel(queue, (size,), (64,), imagined.buffer, cl.LocalMemory(local_memory))
        assert list(imagined.sizes) == [size // 64, 1, 1, 64, 1, 1, local_memory], local_memory
        assert len(made) - before == plans, local_memory

    for times in range(2):  # so many are kept
        for number in range(16):
            check(256 + 4 * number, plans=not times and 1)
    for number in range(100):
        check(1024 + 4 * (number * 7 % 2003))
        check(2048 + 4 * (number * 7 % 2003), 64 * (1 + number))
        check(256 + 4 * (number % 16))
    check(48 << 10)
    check((48 << 10) + 4, plans=1)  # CUDA is asked for more than 48 KiB.
    check((48 << 10) + 8, plans=1)
    check(4096, queue=imagined.second, plans=1)
    check(8192, queue=imagined.second)
    with pytest.raises(cl.Error, match="OUT_OF_RESOURCES"):
        check(1 << 20)
    with pytest.raises(cl.Error, match="OUT_OF_RESOURCES"):
        check(1 << 40)
    check(512, plans=1)  # The last plan was of the other queue.
    kernel._core.drop_plans()
    check(516, plans=1)


@compiled
@pytest.mark.parametrize("planned", ["by Python", "in C"])
@pytest.mark.parametrize("where", ["out of order", "in another context"])
def test_a_queue_that_has_the_stream_of_one_that_has_gone_has_its_plans(imagined, kernel, monkeypatch, planned, where):
    """Also for sizes that come once. Not so one out of order, and none of another context, to which the kernel does not belong."""
    made, genuine = [], nd_range._plan

    def launched_in_one(size):
        """In a queue of its own, of which the stream is left."""
        queue = cl.CommandQueue(imagined.context)
        cl.enqueue_nd_range_kernel(queue, kernel, size, (64,))
        queue.finish()
        return queue._core.stream

    first = launched_in_one((640,))
    imagined.handles[first.handle] = "n"
    for _ in range(3 if planned == "in C" else 0):
        launched_in_one((640,))
    assert launched_in_one((704,)) is first
    monkeypatch.setattr(nd_range, "_plan", lambda *arguments: made.append(arguments) or genuine(*arguments))
    imagined.taken()
    for groups in (10, 12, 13, 10, 14, 15):
        assert launched_in_one((64 * groups,)) is first
        assert imagined.taken().count("L") == 1 and list(imagined.sizes)[:6] == [groups, 1, 1, 64, 1, 1]
    assert not made
    if where == "out of order":
        unordered = cl.CommandQueue(imagined.context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
        assert unordered._core.stream is first
        cl.enqueue_nd_range_kernel(unordered, kernel, (640,), (64,))
        assert len(made) == 1
        unordered.finish()
    else:
        foreign = cl.CommandQueue(cl.Context(imagined.context.devices))
        assert foreign._core.stream is first
        for size in ((640,), (960,), (768,)):
            with pytest.raises(cl.LogicError, match="INVALID_CONTEXT"):
                cl.enqueue_nd_range_kernel(foreign, kernel, size, (64,))
        assert "L" not in imagined.taken()


@compiled
@pytest.mark.parametrize("launches", [1, 3])
def test_queues_out_of_order_have_the_plans_of_those_before(imagined, kernel, monkeypatch, launches):
    """Which are for any stream: a queue that goes is followed by one in another stream."""
    made, genuine = [], nd_range._plan
    unordered = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE

    def launched_in_one(*sizes, context=imagined.context):
        queue = cl.CommandQueue(context, properties=unordered)
        for size in sizes:
            cl.enqueue_nd_range_kernel(queue, kernel, size, (64,))
        imagined.handles[queue._core.stream.handle] = "n"
        assert imagined.taken().split() == ["nL"] * len(sizes)
        queue.finish()
        return queue

    first = launched_in_one(*[(640,)] * launches)
    monkeypatch.setattr(nd_range, "_plan", lambda *arguments: made.append(arguments) or genuine(*arguments))
    streams = {first._core.stream}
    for size in ((640,), (640,), (704,), (768,), (704,), (704,)):
        kept = launched_in_one(size)  # With the one before: this has another stream.
        assert list(imagined.sizes)[:6] == [size[0] // 64, 1, 1, 64, 1, 1]
        streams.add(kept._core.stream)
    assert not made and len(streams) > 1
    cl.enqueue_nd_range_kernel(cl.CommandQueue(imagined.context), kernel, (640,), (64,))
    assert len(made) == 1, "in order it is Python's"
    foreign = cl.CommandQueue(cl.Context(imagined.context.devices), properties=unordered)
    for size in ((640,), (832,)):
        with pytest.raises(cl.LogicError, match="INVALID_CONTEXT"):
            cl.enqueue_nd_range_kernel(foreign, kernel, size, (64,))


def test_numbers_of_other_types(bench):
    for sizes in ((8,), (np.int64(8),), (True,), (8,), (np.int32(16),), (16,)):
        for _ in range(3):
            bench.check(sizes)
    for wrong in ((-1,), (1 << 70,), ("8",), (None,), ()):
        for _ in range(2):
            with pytest.raises((cl.LogicError, RuntimeError)):
                bench.found(wrong)
        bench.check((16,))


@compiled
def test_sizes_in_lists_and_arrays_have_the_plans_of_tuples(bench, monkeypatch):
    kernel = bench.kernel
    for _ in range(2):
        bench.check((8, 4), (4, 2)), bench.check((8, 4), (4, 2), (1, 2)), bench.check((16,)), bench.check((8, 8), (4, 4))
    planned, plan = [], nd_range._plan
    monkeypatch.setattr(nd_range, "_plan", lambda *words: planned.append(words) or plan(*words))
    for _ in range(3):
        bench.check([8, 4], [4, 2]), bench.check((8, 4), [4, 2]), bench.check([8, 4], (4, 2)), bench.check([8, 4], [4, 2], [1, 2])
        bench.check([16]), bench.check(np.array([16]))
        assert bench.found(np.array([8, 4]), np.array([4, 2])) == [8, 4, 4, 2, 0, 0]
        cl.enqueue_nd_range_kernel(bench.queue, kernel, [2, 2], [4, 4], g_times_l=True)
        kernel(bench.queue, [2, 2], [4, 4], bench.buffer, g_times_l=True)
        kernel(bench.queue, [16], None, bench.buffer)
    assert not planned
    for wrong in ([], [-1], [None], ["8"], [8, 4, 2, 1], [[8]]):
        found = []
        for sizes in (wrong, tuple(wrong)):
            with pytest.raises((cl.LogicError, RuntimeError, TypeError)) as failure:
                bench.found(sizes)
            found.append((failure.type, str(failure.value)))
        assert found[0] == found[1]


@compiled
def test_the_last_one_is_known_until_plans_are_dropped(bench):
    kernel = bench.kernel._core
    assert kernel.last_launch is None
    for _ in range(3):
        bench.check((8,), (4,))
    assert type(kernel.last_launch).__name__ == "LastLaunch"
    kernel.drop_plans()
    assert kernel.last_launch is None and not kernel.plans
    bench.check((8,), (4,))
    bench.check((8,), (4,))
    assert kernel.last_launch is not None
    kernel.release()
    assert kernel.last_launch is None
    with pytest.raises(cl.LogicError, match="INVALID_KERNEL"):
        bench.found((8,), (4,))


@compiled
def test_it_takes_no_plan_of_pythons(imagined, kernel, monkeypatch):
    made = []
    genuine = nd_range._plan
    monkeypatch.setattr(nd_range, "_plan", lambda *arguments: made.append(arguments) or genuine(*arguments))
    for _ in range(5):
        for queue in (imagined.first, imagined.second, imagined.unordered):
            cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,))
    assert not made and imagined.taken().count("L") == 15
    kernel._core.drop_plans()
    cl.enqueue_nd_range_kernel(imagined.first, kernel, (64,), (64,))
    cl.enqueue_nd_range_kernel(imagined.first, kernel, (64,), (64,))
    assert len(made) == 1


@compiled
def test_many_plans_are_dropped_together(imagined, kernel):
    for turn in range(2 * nd_range.MAX_PLANS + 5):
        for _ in range(3):
            cl.enqueue_nd_range_kernel(imagined.first, kernel, (64 + turn,), None)
    assert 0 < len(kernel._core.plans) <= nd_range.MAX_PLANS
    assert len(imagined.taken().split()) == 3 * (2 * nd_range.MAX_PLANS + 5)


@compiled
def test_a_launch_behind_a_gate_waits(imagined, kernel):
    """In a queue whose launches are plain nobody looks for gates before the launch is."""
    gate = cl.UserEvent(imagined.context)
    before = cl.enqueue_nd_range_kernel(imagined.first, kernel, (64,), (64,))
    imagined.taken()
    for waits in ([gate], (before, gate), [before, gate, before]):
        held = cl.enqueue_nd_range_kernel(imagined.second, kernel, (64,), (64,), wait_for=waits)
        assert "L" not in imagined.taken() and held.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    imagined.second.finish()
    assert imagined.taken().count("bL") == 3


@compiled
def test_nothing_is_left_behind(imagined, kernel):
    queue, one, other = imagined.first, (64,), (128,)
    core = kernel._core

    def turn():
        for sizes in (one, one, other, (64,), (128,)):
            cl.enqueue_nd_range_kernel(queue, kernel, sizes, None)
        imagined.logged.value = 0

    for _ in range(20):
        turn()
    leaves_nothing(turn, (one, other, core.last_launch, *core.plans.values(), imagined.first._core.serial))


def test_a_kernel_goes_with_its_last_launch(bench):
    for _ in range(3):
        bench.check((8,))
    gone = weakref.ref(bench.kernel._core)
    del bench.kernel
    gc.collect()
    assert gone() is None


def test_threads_with_sizes_of_their_own(bench):
    """Each of a kernel and of a queue of its own; and one kernel whose plans are dropped all the while."""
    def work(number):
        kernel = cl.Kernel(bench.kernel.program, "sizes")
        queue, buffer, out = cl.CommandQueue(bench.context), cl.Buffer(bench.context, cl.mem_flags.READ_WRITE, 24), np.zeros(6, np.int32)
        kernel.set_args(buffer)
        for turn in range(100):
            size = 4 * (1 + (turn // 3 + number) % 5)
            cl.enqueue_nd_range_kernel(queue, kernel, (size,), (4,))
            cl.enqueue_nd_range_kernel(queue, bench.kernel, (size,), (4,))
            if not turn % 7:
                bench.kernel._core.drop_plans()
            cl.enqueue_copy(queue, out, buffer)
            assert out[0] == size and out[2] == 4

    run_together(work, (0,), (1,), (2,))


def test_an_array_that_is_given_twice_is_looked_at_once(bench):
    a = cla.to_device(bench.queue, np.arange(100, dtype=np.float32))
    for _ in range(20):
        a += a
        a *= 0.5
        a += 1
    assert a.get().tolist() == [i + 20 for i in range(100)]
    other = a.with_queue(bench.other)
    b = cla.to_device(bench.queue, np.ones(100, np.float32))
    kernel = cl.Kernel(cl.Program(bench.context, "kernel void add(global float *a, global float *b) { a[get_global_id(0)] += b[get_global_id(0)]; }")
                       .build(), "add")
    for one, two in ((a, a), (b, a), (a, b), (other, other)):
        kernel(one.queue, (100,), None, one.data, two.data)
    bench.queue.finish()
