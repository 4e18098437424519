"""What commands in C (runtime/native/order.c) come after: events of other queues, and all that a queue out of order was given."""

from __future__ import annotations

import gc
import itertools
import os
import time
import weakref

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.cuda.stream import CudaStream
from cl2cuda.runtime.native import library
from cl2cuda.runtime.queue import event as runtime_event
from cl2cuda.runtime.queue.out_of_order import MAX_STREAMS

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, STATUS = cl.mem_flags, cl.command_execution_status
UNORDERED = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]


@pytest.fixture(autouse=True)
def _launches_are_no_graphs(imagined):
    imagined.no_repeated.value = 1


def launch(kernel, queue, wait_for=None):
    return cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,), wait_for=wait_for)


# -- Other queues ----------------------------------------------------------------------------------------------------------


def test_a_marker_waits_for_another_queue_by_two_calls(imagined, submitted):
    first = cl.enqueue_marker(imagined.first)
    second = cl.enqueue_marker(imagined.second, wait_for=[first])
    assert imagined.taken() == "b<<a" and not submitted
    cl.enqueue_marker(imagined.second, wait_for=(first, second))
    assert imagined.taken() == "b<a"  # The record is there.
    cl.enqueue_barrier(imagined.first, wait_for=[second])
    assert imagined.taken() == "a<<b"
    later = [cl.enqueue_marker(imagined.first) for _ in range(2)]
    cl.enqueue_marker(imagined.second, wait_for=later)
    assert imagined.taken() == "b<<a b<a" and not submitted


def test_launches_and_copies_wait_likewise(imagined, kernel, submitted):
    first = launch(kernel, imagined.first)
    launch(kernel, imagined.second, [first])
    cl.enqueue_copy(imagined.second, imagined.buffer, np.zeros(4, np.uint8), wait_for=[launch(kernel, imagined.first)])
    assert imagined.taken() == "aL b<<a bL aL b<<a bC" and not submitted


def test_what_has_ended_is_not_waited_for(imagined, submitted):
    event = cl.enqueue_marker(imagined.first)
    imagined.first.finish()
    cl.enqueue_marker(imagined.second, wait_for=[event])
    assert imagined.taken() == "" and not submitted


def test_an_old_event_gets_a_fence_by_python(imagined, submitted):
    """Which sees to it that the next ones have fences of their own."""
    event = cl.enqueue_marker(imagined.first)
    for _ in range(6):
        cl.enqueue_marker(imagined.first)
    cl.enqueue_marker(imagined.second, wait_for=[event])
    assert submitted == ["clEnqueueMarkerWithWaitList"]


def test_events_with_fences_and_of_other_contexts_are_pythons(imagined, submitted):
    known = cl.enqueue_marker(imagined.first)
    known._core.end_fence()
    cl.enqueue_marker(imagined.second, wait_for=[known])
    timed = cl.CommandQueue(imagined.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    cl.enqueue_marker(imagined.second, wait_for=[cl.enqueue_marker(timed)])
    assert len(submitted) == 2
    foreign = cl.CommandQueue(cl.Context(imagined.context.devices))
    with pytest.raises(cl.LogicError, match="INVALID_CONTEXT"):
        cl.enqueue_marker(imagined.second, wait_for=[cl.enqueue_marker(foreign)])


def test_an_interrupt_of_pythons_steps_comes_again(imagined, monkeypatch):
    event = cl.enqueue_marker(imagined.first)

    def interrupted(self, timing):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(CudaStream, "fence", interrupted)  # of which the stream's own event is
    with pytest.raises(KeyboardInterrupt):
        cl.enqueue_marker(imagined.second, wait_for=[event])
    cl.enqueue_marker(imagined.second, wait_for=[event])
    assert imagined.taken().endswith("b<<a")


def test_threads_that_meet_have_one_event_of_the_stream(imagined, monkeypatch):
    """The first one that is made stays with the timeline: code in C of another kind may know it by then."""
    event, genuine, kept = cl.enqueue_marker(imagined.first), CudaStream.fence, []

    def met(self, timing):
        monkeypatch.undo()
        cl.enqueue_marker(imagined.second, wait_for=[event])  # of a thread that has its turn meanwhile
        kept.append(imagined.first._core.timeline.mark)
        return genuine(self, timing)

    monkeypatch.setattr(CudaStream, "fence", met)
    cl.enqueue_marker(imagined.second, wait_for=[event])
    assert kept == [imagined.first._core.timeline.mark] and imagined.taken() == "b<<a b<a"


def test_what_cuda_refuses_is_pythons(imagined, submitted):
    imagined.fails.value = 1
    cl.enqueue_marker(imagined.second, wait_for=[cl.enqueue_marker(imagined.first)])
    assert submitted == ["clEnqueueMarkerWithWaitList"]


def test_failures_spread(imagined, submitted):
    event = cl.enqueue_marker(imagined.first)
    event._core.timeline.any_failed = True
    event._core.timeline._failures = ((0, event._core.position, runtime_event.CommandFailed("it failed", "OUT_OF_RESOURCES")),)
    behind = cl.enqueue_marker(imagined.second, wait_for=[event])
    assert submitted and behind.command_execution_status < 0


def test_the_other_queue_may_be_gone(imagined):
    event = cl.enqueue_marker(imagined.first)
    imagined.first = None
    gc.collect()
    cl.enqueue_marker(imagined.second, wait_for=[event])
    assert imagined.taken() == "b<<a"


def test_queues_are_not_kept_alive(imagined):
    cl.enqueue_marker(imagined.second, wait_for=[cl.enqueue_marker(imagined.first)])
    cl.enqueue_marker(imagined.unordered, wait_for=[cl.enqueue_marker(imagined.first)])
    gone = [weakref.ref(queue._core) for queue in (imagined.first, imagined.unordered)]
    lines = [weakref.ref(queue._core.timeline) for queue in (imagined.first, imagined.unordered)]
    imagined.first = imagined.unordered = None
    gc.collect()
    assert not [each for each in gone if each() is not None]
    assert all(line._closed for each in lines if (line := each()) is not None), "they rest for other queues"


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_queues_of_a_device_pass_work_on(device):
    context = cl.Context([device])
    queues = [cl.CommandQueue(context), cl.CommandQueue(context), cl.CommandQueue(context, properties=UNORDERED)]
    kernel = cl.Kernel(cl.Program(context, "kernel void f(global int *a, int n) { for (int i = 0; i < 1000; i++) a[0] = a[0] * 3 + n; }")
                       .build(), "f")
    buffer = cl.Buffer(context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=np.zeros(1, np.int32))
    event, expected = None, 0
    for turn in range(60):
        kernel.set_args(buffer, np.int32(turn))
        event = cl.enqueue_nd_range_kernel(queues[turn % 3], kernel, (1,), (1,), wait_for=[event] if event else None)
        if turn % 7 == 0:
            event = cl.enqueue_marker(queues[turn % 2], wait_for=[event])
        for _ in range(1000):
            expected = (expected * 3 + turn) & 0xFFFFFFFF
    found = np.zeros(1, np.uint32)
    cl.enqueue_copy(queues[0], found, buffer, wait_for=[event])
    assert found[0] == expected


# -- User events -----------------------------------------------------------------------------------------------------------


def test_a_launch_behind_a_user_event_has_the_arguments_of_then(imagined, kernel, submitted):
    gate, other = cl.UserEvent(imagined.context), cl.Buffer(imagined.context, FLAGS.READ_WRITE, 4096)
    launch(kernel, imagined.first)
    first = imagined.argument.value
    imagined.taken()
    held = launch(kernel, imagined.first, [gate])
    assert not submitted and imagined.taken() == "" and held.command_execution_status == STATUS.QUEUED
    kernel.set_args(other)
    behind = cl.enqueue_marker(imagined.first)
    assert behind.command_execution_status == STATUS.QUEUED
    gate.set_status(STATUS.COMPLETE)
    assert imagined.taken() == "aL" and imagined.argument.value == first
    imagined.first.finish()
    assert held.command_execution_status == behind.command_execution_status == STATUS.COMPLETE
    launch(kernel, imagined.first)
    assert imagined.argument.value != first
    kernel.set_args(imagined.buffer)


def test_a_launch_behind_a_user_event_that_fails_is_not_made(imagined, kernel, submitted):
    gate = cl.UserEvent(imagined.context)
    held = launch(kernel, imagined.first, [gate])
    gate.set_status(-5)
    assert imagined.taken() == "" and held.command_execution_status == -14
    launch(kernel, imagined.first)
    assert imagined.taken() == "aL" and not submitted


def test_a_user_event_that_is_set_is_not_waited_for(imagined, kernel, submitted):
    gate = cl.UserEvent(imagined.context)
    gate.set_status(STATUS.COMPLETE)
    for queue in (imagined.first, imagined.unordered):
        launch(kernel, queue, [gate])
        cl.enqueue_marker(queue, [gate])
    assert imagined.taken() == "aL uL" and not submitted
    foreign = cl.UserEvent(cl.Context(imagined.context.devices))
    foreign.set_status(STATUS.COMPLETE)
    with pytest.raises(cl.LogicError, match="INVALID_CONTEXT"):
        launch(kernel, imagined.first, [foreign])


@pytest.mark.parametrize("others", ["two", "a marker"])
def test_lists_of_several_events_have_launches_held_back(imagined, kernel, submitted, others):
    gate, second = cl.UserEvent(imagined.context), cl.UserEvent(imagined.context)
    waits = {"two": [gate, second], "a marker": [gate, cl.enqueue_marker(imagined.second)]}[others]
    held = launch(kernel, imagined.first, waits)
    assert not submitted and held.command_execution_status == STATUS.QUEUED
    gate.set_status(STATUS.COMPLETE)
    second.set_status(STATUS.COMPLETE)
    imagined.first.finish()
    assert held.command_execution_status == STATUS.COMPLETE
    foreign = cl.UserEvent(cl.Context(imagined.context.devices))
    with pytest.raises(cl.LogicError, match="INVALID_CONTEXT"):
        launch(kernel, imagined.first, [foreign])


# -- Queues out of order -----------------------------------------------------------------------------------------------------


def test_a_chain_stays_in_its_stream(imagined, kernel, submitted):
    event = launch(kernel, imagined.unordered)
    for _ in range(4):
        imagined.make_busy(*imagined.streams)
        event = launch(kernel, imagined.unordered, [event])
    assert imagined.taken() == "uL uL uL uL uL" and not submitted


def test_launches_go_where_nothing_runs(imagined, kernel, submitted):
    first = launch(kernel, imagined.unordered)
    imagined.make_busy(*imagined.streams)
    second = launch(kernel, imagined.unordered)  # Python opens a stream.
    assert submitted == ["clEnqueueNDRangeKernel"] and len(imagined.streams) == 2
    imagined.make_busy(imagined.streams[0])
    third = launch(kernel, imagined.unordered)
    imagined.make_busy(*imagined.streams)
    launch(kernel, imagined.unordered, [first, third])
    assert len(submitted) == 1
    assert imagined.taken() == "uL u1L u1L u<<u1 uL"
    assert second._core.timeline is third._core.timeline is not first._core.timeline


@pytest.mark.parametrize("by_python", [False, True])
def test_streams_known_to_rest_are_not_asked(imagined, kernel, submitted, by_python):
    queue = imagined.unordered
    for _ in range(3):
        launch(kernel, queue)
        imagined.make_busy(*imagined.streams)
    imagined.make_busy()
    queue.finish()
    imagined.taken()
    submitted.clear()
    imagined.make_busy(*imagined.streams)  # as CUDA would not be
    others = [[cl.enqueue_marker(imagined.first)] if by_python else None] * 3
    if by_python:
        others[0][0]._core.end_fence()  # which makes what waits for it Python's
    found = [launch(kernel, queue, others[i])._core.timeline for i in range(3)]
    assert found == list(queue._core.timelines) and len(submitted) == (3 if by_python else 0)
    imagined.make_busy(*imagined.streams[::2])
    assert launch(kernel, queue)._core.timeline is found[1]


def test_where_all_streams_are_busy_launches_take_turns(imagined, kernel, submitted):
    """As many as there may be: few of them are asked, and the one that was given something longest ago is given more."""
    queue = imagined.unordered
    for _ in range(MAX_STREAMS):
        launch(kernel, queue)
        imagined.make_busy(*imagined.streams)
    timelines = list(queue._core.timelines)
    assert len(timelines) == MAX_STREAMS
    submitted.clear()
    imagined.taken()
    found = [launch(kernel, queue)._core.timeline for _ in range(2 * MAX_STREAMS)]
    first = timelines.index(found[0])
    assert found == [timelines[(first + i) % MAX_STREAMS] for i in range(2 * MAX_STREAMS)] and not submitted
    assert imagined.taken().count("L") == 2 * MAX_STREAMS
    free = (first + 2) % MAX_STREAMS
    imagined.make_busy(*(stream for i, stream in enumerate(imagined.streams) if i != free))
    assert timelines[free] in [launch(kernel, queue)._core.timeline for _ in range(3)]
    imagined.make_busy()
    queue.finish()


@pytest.fixture
def quick(imagined, kernel, submitted):
    """The queue, whose three streams code in C has launched in again and again, each launch of which has ended at once."""
    queue = imagined.unordered
    for _ in range(3):
        launch(kernel, queue)
        imagined.make_busy(*imagined.streams)
    imagined.make_busy()
    for _ in range(2000):
        launch(kernel, queue)
        imagined.logged.value = 0
    imagined.queries.value = 0
    submitted.clear()
    return queue


def in_a_row(queue, launches):
    """The numbers of the streams, and the most that one was given in a row."""
    timelines = list(queue._core.timelines)
    places = [timelines.index(event._core.timeline) for event in launches]
    return places, max(len(list(each)) for _, each in itertools.groupby(places))


def test_behind_quick_launches_cuda_is_asked_seldom(imagined, kernel, submitted, quick):
    launches = []
    for _ in range(400):
        launches.append(launch(kernel, quick))
        imagined.logged.value = 0
    places, most = in_a_row(quick, launches)
    assert not submitted and imagined.queries.value <= 130 and most <= 8 and len(set(places)) > 1


def test_what_is_quick_no_more_is_forgotten(imagined, kernel, submitted, quick):
    imagined.make_busy(*range(8))
    time.sleep(0.001)
    launches = [launch(kernel, quick) for _ in range(8)]
    time.sleep(0.001)
    launches += [launch(kernel, quick) for _ in range(40)]
    assert len(quick._core.timelines) == MAX_STREAMS, "Python has opened more"
    assert in_a_row(quick, launches[-24:])[1] == 1


def test_behind_what_is_not_known_to_be_quick_nothing_comes_unasked(imagined, kernel, submitted, quick):
    other = cl.Kernel(kernel.program, "f")
    other.set_args(imagined.buffer)
    for _ in range(2):  # The first one is Python's.
        imagined.make_busy()
        quick.finish()
        slow = launch(other, quick)
        imagined.make_busy(imagined.stream_of(slow))
        assert slow._core.timeline not in [launch(kernel, quick)._core.timeline for _ in range(12)]


@pytest.mark.parametrize("what", ["another queue", "a copy", "a marker"])
def test_nor_where_something_else_is_behind_the_launches(imagined, kernel, submitted, quick, what):
    for _ in range(4):  # One of four launches is asked for anyhow.
        quick.finish()
        if what == "another queue":
            last = launch(kernel, quick, [cl.enqueue_marker(imagined.first)])
        elif what == "a copy":
            last = cl.enqueue_copy(quick, imagined.buffer, np.zeros(4, np.uint8), wait_for=[launch(kernel, quick)], is_blocking=False)
        else:
            last = cl.enqueue_marker(quick, wait_for=[launch(kernel, quick), cl.enqueue_marker(imagined.first)])
        imagined.make_busy(imagined.stream_of(last))
        assert launch(kernel, quick)._core.timeline is not last._core.timeline
        imagined.make_busy()


def test_a_barrier_behind_quick_launches_needs_no_other_stream(imagined, kernel, submitted, quick):
    def kept_to_one():
        """Where the process was kept waiting between two launches, the first has ended by the clock, and the next may go elsewhere."""
        quick.finish()
        imagined.queries.value = imagined.logged.value = 0
        for _ in range(20):
            before = [launch(kernel, quick) for _ in range(2)]
            _, most = in_a_row(quick, [*before, cl.enqueue_barrier(quick)])
            if most < 3:
                return False
        given = imagined.taken().split(" ")
        return not imagined.queries.value and given == [imagined.names(imagined.stream_of(before[0])) + "L"] * 40

    assert any(kept_to_one() for _ in range(10)) and not submitted


def test_what_follows_a_barrier_does_so_in_its_stream(imagined, kernel, submitted):
    queue = imagined.unordered
    two_that_run(imagined, kernel, submitted)
    barrier = cl.enqueue_barrier(queue)
    imagined.make_busy(*range(8))
    events = [launch(kernel, queue) for _ in range(2)]
    assert [event._core.timeline is barrier._core.timeline for event in events] == [True, False]


def test_a_marker_follows_all(imagined, kernel, submitted):
    queue = imagined.unordered
    marker = cl.enqueue_marker(queue)
    assert imagined.taken() == "" and marker._core.timeline.last == marker._core.position and not submitted
    launch(kernel, queue)
    imagined.make_busy(*imagined.streams)
    launch(kernel, queue)
    imagined.taken()
    submitted.clear()
    cl.enqueue_marker(queue)
    assert imagined.taken() == "u<<u1" and not submitted
    imagined.make_busy()
    queue.finish()
    imagined.make_busy(imagined.streams[0])
    event = launch(kernel, queue)
    imagined.taken()
    marker = cl.enqueue_marker(queue, wait_for=[])
    assert imagined.taken() == "" and marker._core.timeline is event._core.timeline and not submitted


def test_a_marker_with_a_list_follows_it_alone(imagined, kernel, submitted):
    first = launch(kernel, imagined.unordered)
    imagined.make_busy(*imagined.streams)
    launch(kernel, imagined.unordered)
    imagined.taken()
    marker = cl.enqueue_marker(imagined.unordered, wait_for=[first])
    assert imagined.taken() == "" and marker._core.timeline is first._core.timeline
    cl.enqueue_marker(imagined.unordered, wait_for=[marker, cl.enqueue_marker(imagined.first)])
    assert imagined.taken() == "u<<a"


def test_barriers_and_what_comes_behind_them(imagined, kernel, submitted):
    queue = imagined.unordered
    launch(kernel, queue)
    imagined.make_busy(*imagined.streams)
    launch(kernel, queue)
    imagined.taken()
    submitted.clear()
    barrier = cl.enqueue_barrier(queue)
    assert imagined.taken() == "u<<u1"  # Its place is in the first stream, behind the other one.
    imagined.make_busy(imagined.streams[0])
    assert launch(kernel, queue)._core.timeline is barrier._core.timeline
    assert imagined.taken() == "uL"  # What is before it there, all that comes later waits for.
    assert launch(kernel, queue)._core.timeline is not barrier._core.timeline
    assert imagined.taken() == "u1<<u u1L"
    launch(kernel, queue)
    assert imagined.taken() == "u1L" and not submitted  # That stream is behind it now.
    imagined.make_busy()
    queue.finish()


def two_that_run(imagined, kernel, submitted):
    """Launches out of order, each in a stream of its own, of which nothing is noted any more."""
    events = []
    for _ in range(2):
        events.append(launch(kernel, imagined.unordered))
        imagined.make_busy(*imagined.streams)
    imagined.taken()
    submitted.clear()
    return events


def test_a_barrier_with_a_list_follows_it_alone_and_holds_back_what_comes_later(imagined, kernel, submitted):
    queue = imagined.unordered
    first, second = two_that_run(imagined, kernel, submitted)
    barrier = cl.enqueue_barrier(queue, wait_for=[first])
    assert imagined.taken() == "" and barrier._core.timeline is first._core.timeline
    launch(kernel, queue, [second])
    assert imagined.taken() == "u1<<u u1L" and not submitted


def test_barriers_follow_each_other(imagined, kernel, submitted):
    queue = imagined.unordered
    first, second = two_that_run(imagined, kernel, submitted)
    cl.enqueue_barrier(queue, wait_for=[first])
    cl.enqueue_barrier(queue, wait_for=[second])
    assert imagined.taken() == "u1<<u" and not submitted
    # What Python makes comes behind the last one, too.
    held = launch(kernel, queue, [cl.UserEvent(imagined.context)])
    assert held._core.position == 0


def test_a_barrier_behind_what_is_held_back_is_pythons(imagined, kernel, submitted):
    gate = cl.UserEvent(imagined.context)
    launch(kernel, imagined.unordered, [gate])
    barrier = cl.enqueue_barrier(imagined.unordered)
    later = launch(kernel, imagined.unordered)
    assert len(submitted) == 3 and barrier.command_execution_status == later.command_execution_status == STATUS.QUEUED
    gate.set_status(STATUS.COMPLETE)
    later.wait()
    assert barrier.command_execution_status == STATUS.COMPLETE


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_barriers_order_what_a_device_does(device):
    """Launches between two barriers write parts of a buffer; what comes behind reads all of it."""
    context = cl.Context([device])
    queue = cl.CommandQueue(context, properties=UNORDERED)
    program = cl.Program(context, """
        kernel void put(global uint *a, uint part, uint n) { for (int i = 0; i < 2000; i++) a[part] = a[part] * 5 + n; }
        kernel void add(global uint *a, uint parts) { uint sum = 0; for (uint i = 0; i < parts; i++) sum += a[i]; a[parts] = sum; }""").build()
    put, add = cl.Kernel(program, "put"), cl.Kernel(program, "add")
    parts = 6
    buffer = cl.Buffer(context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=np.zeros(parts + 1, np.uint32))
    expected = np.zeros(parts + 1, np.uint64)
    for turn in range(12):
        for part in range(parts):
            put.set_args(buffer, np.uint32(part), np.uint32(turn + part))
            cl.enqueue_nd_range_kernel(queue, put, (1,), (1,))
            for _ in range(2000):
                expected[part] = (expected[part] * 5 + turn + part) & 0xFFFFFFFF
        cl.enqueue_barrier(queue)
        add.set_args(buffer, np.uint32(parts))
        cl.enqueue_nd_range_kernel(queue, add, (1,), (1,))
        expected[parts] = expected[:parts].sum() & 0xFFFFFFFF
        cl.enqueue_barrier(queue)
        found = np.zeros(parts + 1, np.uint32)
        cl.enqueue_copy(queue, found, buffer)
        assert (found == expected).all()


def test_what_is_held_back_is_pythons(imagined, kernel, submitted):
    gate = cl.UserEvent(imagined.context)
    held = launch(kernel, imagined.unordered, [gate])
    marker = cl.enqueue_marker(imagined.unordered)
    assert len(submitted) == 2 and imagined.taken() == "" and marker.command_execution_status == STATUS.QUEUED
    gate.set_status(STATUS.COMPLETE)
    marker.wait()
    assert held.command_execution_status == STATUS.COMPLETE
    launch(kernel, imagined.unordered)
    assert len(submitted) == 2


