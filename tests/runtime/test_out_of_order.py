"""Out-of-order queues: what may run side by side does, what must wait waits."""

import gc
import threading
import weakref

import numpy as np
import pytest
from support.fails import fails

from cl2cuda.runtime.commands import launch_checks
from cl2cuda.runtime.commands.buffer import (
    enqueue_barrier,
    enqueue_copy_buffer,
    enqueue_fill_buffer,
    enqueue_marker,
    enqueue_read_buffer,
)
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.driver.interface import DEFAULT_HINTS
from cl2cuda.runtime.kernel.argument_values import Layout
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent, wait_for_events
from cl2cuda.runtime.queue.out_of_order import MAX_STREAMS, OutOfOrderQueue
from cl2cuda.runtime.spec import codes

OUT_OF_ORDER = codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE


@pytest.fixture
def queue(fake):
    return create_command_queue(fake.context, fake.device, OUT_OF_ORDER)


def fill(queue, buffer, byte, wait_for=()):
    return enqueue_fill_buffer(queue, buffer, byte, 0, buffer.size, wait_for)


def test_the_property_makes_one(fake, queue):
    assert isinstance(queue, OutOfOrderQueue) and not isinstance(fake.queue, OutOfOrderQueue)
    assert queue.get_info(codes.QUEUE_PROPERTIES) == OUT_OF_ORDER
    assert fake.device.get_info(0x102A) & OUT_OF_ORDER


def test_independent_commands_take_lanes_of_their_own(fake, queue):
    buffers = [Buffer(fake.context, 0, 4) for _ in range(MAX_STREAMS + 2)]
    events = [fill(queue, buffer, b"x") for buffer in buffers]
    assert len(queue.timelines) == MAX_STREAMS
    events[3].wait()
    assert events[3].status == codes.COMPLETE and events[2].status == codes.SUBMITTED
    queue.finish()
    assert all(event.status == codes.COMPLETE for event in events) and queue.idle
    fill(queue, buffers[0], b"y")
    assert [timeline.stream.idle() for timeline in queue.timelines].count(False) == 1


def test_a_chain_stays_in_its_lane(fake, queue):
    buffer = Buffer(fake.context, 0, 4)
    event = fill(queue, buffer, b"a")
    for _ in range(5):
        event = fill(queue, buffer, b"b", [event])
    assert len(queue.timelines) == 1


def test_wait_lists_across_lanes_and_queues(fake, queue):
    buffers = [Buffer(fake.context, 0, 4) for _ in range(3)]
    first = [fill(queue, buffer, byte) for buffer, byte in zip(buffers, (b"a", b"b", b"c"), strict=True)]
    foreign = fill(fake.queue, buffers[2], b"d", [first[2]])
    host = bytearray(4)
    joined = enqueue_copy_buffer(queue, buffers[0], buffers[1], 0, 0, 2, first[:2])
    last = enqueue_copy_buffer(queue, buffers[2], buffers[1], 0, 2, 2, [joined, foreign])
    enqueue_read_buffer(queue, buffers[1], True, 0, host, [last])
    assert host == b"aadd"


def test_markers_and_barriers_without_a_wait_list(fake, queue):
    buffers = [Buffer(fake.context, 0, 4) for _ in range(4)]
    before = [fill(queue, buffer, b"x") for buffer in buffers]
    marker = enqueue_marker(queue)
    marker.wait()
    assert all(event.status == codes.COMPLETE for event in before)
    before = [fill(queue, buffer, b"x") for buffer in buffers]
    enqueue_barrier(queue)
    after = [fill(queue, buffer, b"y") for buffer in buffers]
    after[3].wait()
    assert all(event.status == codes.COMPLETE for event in before)


def test_a_marker_lets_later_commands_pass_a_barrier_does_not(fake, queue):
    gate, buffer = UserEvent(fake.context), Buffer(fake.context, 0, 4)
    marker = enqueue_marker(queue, [gate])
    fill(queue, buffer, b"x").wait()
    assert marker.status == codes.QUEUED
    held = fill(queue, buffer, b"y", [gate])
    all_before = enqueue_marker(queue)
    assert all_before.status == codes.QUEUED
    barrier = enqueue_barrier(queue)
    behind = fill(queue, buffer, b"z")
    assert barrier.status == behind.status == codes.QUEUED
    gate.set_status(0)
    behind.wait()
    assert held.status == marker.status == all_before.status == codes.COMPLETE


def test_a_barrier_with_a_wait_list_waits_for_that_only(fake, queue):
    gate, buffer = UserEvent(fake.context), Buffer(fake.context, 0, 4)
    held = enqueue_marker(queue, [gate])
    event = fill(queue, buffer, b"x")
    enqueue_barrier(queue, [event])
    fill(queue, buffer, b"y").wait()
    assert held.status == codes.QUEUED
    gate.set_status(0)
    queue.finish()
    assert held.status == codes.COMPLETE


def test_failure_spreads_along_wait_lists_only(fake, queue):
    gate, buffer = UserEvent(fake.context), Buffer(fake.context, 0, 4)
    failing = fill(queue, buffer, b"x", [gate])
    follower = enqueue_marker(queue, [failing])
    marker, barrier = enqueue_marker(queue), enqueue_barrier(queue, [failing])
    free = fill(queue, buffer, b"z")
    gate.set_status(-9)
    assert failing.status == follower.status == barrier.status == -14
    wait_for_events([marker, free])
    assert marker.status == free.status == codes.COMPLETE
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", follower.wait)


def test_callbacks_of_early_ends_do_not_wait_for_late_ones(fake, queue):
    """The callback of one command sets what another waits for, which was asked about first."""
    gate, done = UserEvent(fake.context), threading.Event()
    held = enqueue_marker(queue, [gate])
    held.set_callback(codes.COMPLETE, lambda status: done.set())
    enqueue_marker(queue, [completed(fake.context)]).set_callback(codes.COMPLETE, lambda status: gate.set_status(0))
    assert done.wait(5)


def completed(context):
    event = UserEvent(context)
    event.set_status(0)
    return event


@pytest.mark.parametrize("properties", [0, OUT_OF_ORDER])
def test_a_queue_goes_with_its_last_reference(fake, properties):
    gate, queue = UserEvent(fake.context), create_command_queue(fake.context, fake.device, properties)
    enqueue_marker(queue, [gate])
    enqueue_barrier(queue)
    gate.set_status(0)
    queue.finish()
    gone, stream = weakref.ref(queue), queue.stream
    gc.disable()
    try:
        del queue
        assert gone() is None and stream in [timeline.stream for timeline in fake.device.resting[DEFAULT_HINTS]]
    finally:
        gc.enable()


def test_a_command_whose_code_fails_does_not_hold_up_the_rest(fake, queue, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda arguments: None)

    def broken(stream):
        raise ZeroDivisionError

    event = queue.submit("clEnqueueNativeKernel", codes.COMMAND_NATIVE_KERNEL, broken, offload=True)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", event.wait)
    assert event.status == -5
    queue.finish()


def test_memory_outlives_commands_in_every_lane(fake, queue):
    buffers = [Buffer(fake.context, 0, 4) for _ in range(3)]
    for buffer in buffers:
        fill(queue, buffer, b"x")
        buffer.release()
    fake.context.reclaim()
    assert fake.driver.memory
    queue.finish()
    assert fake.context._reusable.bytes == 12, "it waits for the next buffers"
    fake.context.reclaim_all()
    assert not fake.driver.memory


def test_profiling(device):
    context = Context([device])
    queue = create_command_queue(context, device, OUT_OF_ORDER | codes.QUEUE_PROFILING_ENABLE)
    buffers = [Buffer(context, 0, 1 << 20) for _ in range(2)]
    first = fill(queue, buffers[0], b"x")
    second = fill(queue, buffers[1], b"y", [first])
    second.wait()
    codes_in_order = [codes.PROFILING_COMMAND_QUEUED, codes.PROFILING_COMMAND_SUBMIT, codes.PROFILING_COMMAND_START,
                      codes.PROFILING_COMMAND_END]
    for event in (first, second):
        times = [event.profile(code) for code in codes_in_order]
        assert times == sorted(times)
    assert first.profile(codes_in_order[3]) <= second.profile(codes_in_order[2])


def test_a_queue_that_goes_with_work_in_its_lanes(device):
    context = Context([device])
    buffers = [Buffer(context, 0, 1 << 20) for _ in range(4)]
    queue = create_command_queue(context, device, OUT_OF_ORDER)
    events = [fill(queue, buffer, b"q") for buffer in buffers]
    queue.flush()
    queue.release()
    fails("INVALID_COMMAND_QUEUE", enqueue_marker, queue)
    wait_for_events(events)
    host = bytearray(1 << 20)
    enqueue_read_buffer(create_command_queue(context, device), buffers[3], True, 0, host, [events[3]])
    assert host == b"q" * (1 << 20)


SPIN = """
// Each item takes `turns` steps, long for one and short for another.
__kernel void spin(__global uint *out, uint turns, uint value) {
    uint x = value;
    for (uint i = 0; i < turns; i++) x = x * 1664525u + 1013904223u;
    out[get_global_id(0)] = x == 1u ? 0u : value;
}
"""


def test_kernels_overlap(real_device):
    """Short kernels end while a long one runs that was enqueued before them; arguments are those of the enqueueing."""
    context = Context([real_device])
    queue = create_command_queue(context, real_device, OUT_OF_ORDER | codes.QUEUE_PROFILING_ENABLE)
    program = Program(context, SPIN)
    program.build()
    kernel = Kernel(program, "spin")
    buffers = [Buffer(context, codes.MEM_COPY_HOST_PTR, host=np.zeros(64, np.uint32)) for _ in range(5)]

    def launch(buffer, turns, value, wait_for=()):
        for index, argument in enumerate((buffer, np.uint32(turns), np.uint32(value))):
            kernel.set_arg(index, argument)
        return enqueue_nd_range_kernel(queue, kernel, 1, None, (64,), (64,), wait_for)

    launch(buffers[0], 1, 1).wait()
    turns = 20_000_000
    long = launch(buffers[0], turns, 7)
    short = [launch(buffer, 1, number) for number, buffer in enumerate(buffers[1:])]
    wait_for_events(short)
    assert long.status > codes.COMPLETE
    queue.finish()
    for number, buffer in zip((7, 0, 1, 2, 3), buffers, strict=True):
        host = np.empty(64, np.uint32)
        enqueue_read_buffer(queue, buffer, True, 0, host)
        assert (host == number).all()
    assert long.profile(codes.PROFILING_COMMAND_END) > max(event.profile(codes.PROFILING_COMMAND_END) for event in short)


def test_several_threads_on_one_queue(real_device):
    context = Context([real_device])
    queue = create_command_queue(context, real_device, OUT_OF_ORDER)
    failures = []

    def work(number):
        try:
            buffer, event = Buffer(context, 0, 4096), None
            for turn in range(50):
                event = enqueue_fill_buffer(queue, buffer, bytes([number * 16 + turn % 16]), 0, 4096, [event] if event else ())
                if turn % 10 == 0:
                    enqueue_barrier(queue)
            host = bytearray(4096)
            enqueue_read_buffer(queue, buffer, True, 0, host, [event])
            assert host == bytes([number * 16 + 49 % 16]) * 4096
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_equal_launches_are_checked_once(real_device, monkeypatch):
    """What a launch of an out-of-order queue costs: its plan is checked once, its arguments are laid out once and copied."""
    context = Context([real_device])
    queue = create_command_queue(context, real_device, OUT_OF_ORDER)
    program = Program(context, SPIN)
    program.build()
    kernel = Kernel(program, "spin")
    buffers = [Buffer(context, codes.MEM_COPY_HOST_PTR, host=np.zeros(64, np.uint32)) for _ in range(40)]
    counts = {"checked_sizes": 0, "of": 0}

    def counted(where, name):
        original = getattr(where, name)

        def count(*arguments, **more):
            counts[name] += 1
            return original(*arguments, **more)

        monkeypatch.setattr(where, name, count)

    counted(launch_checks, "checked_sizes")
    counted(Layout, "of")
    for number, buffer in enumerate(buffers):
        for index, argument in enumerate((buffer, np.uint32(1), np.uint32(number + 10))):
            kernel.set_arg(index, argument)
        enqueue_nd_range_kernel(queue, kernel, 1, None, (64,), (16,))
    queue.finish()
    assert counts == {"checked_sizes": 1, "of": 0}
    for number, buffer in enumerate(buffers):
        host = np.empty(64, np.uint32)
        enqueue_read_buffer(queue, buffer, True, 0, host)
        assert (host == number + 10).all()


def test_a_change_of_local_memory_is_checked_again(real_device):
    context = Context([real_device])
    queue = create_command_queue(context, real_device, OUT_OF_ORDER)
    program = Program(context, "kernel void f(local int *room) { room[0] = 1; }")
    program.build()
    kernel = Kernel(program, "f")
    kernel.set_arg(0, LocalMemory(64))
    enqueue_nd_range_kernel(queue, kernel, 1, None, (4,), (4,)).wait()
    kernel.set_arg(0, LocalMemory(1 << 30))
    fails("OUT_OF_RESOURCES", enqueue_nd_range_kernel, queue, kernel, 1, None, (4,), (4,))
