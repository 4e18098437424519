"""CommandQueue.finish in C (runtime/native/waits.c)."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.context import reclaim
from cl2cuda.runtime.native import library
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.queue.stream_timeline import NATIVE, NATIVE_ENDED, REACHED

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, STATUS = cl.mem_flags, cl.command_execution_status
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]


@pytest.fixture
def finished(monkeypatch):
    """The queues that Python's own steps have finished."""
    found, genuine = [], CommandQueue.finish
    monkeypatch.setattr(CommandQueue, "finish", lambda self: found.append(self) or genuine(self))
    return found


def busy_for(bench, seconds):
    """The first queue's stream is busy so long: the timer that ends it."""
    bench.make_busy(bench.stream(bench.first))
    timer = threading.Timer(seconds, lambda: setattr(bench.busy, "value", 0))
    timer.start()
    return timer


def test_what_was_given_has_ended(imagined, kernel, finished):
    event = cl.enqueue_nd_range_kernel(imagined.first, kernel, (64,), (64,))
    timeline = imagined.first._core.timeline
    assert timeline.reached < event._core.position
    assert imagined.first.finish() is None
    assert timeline.reached >= event._core.position and event.command_execution_status == STATUS.COMPLETE and not finished
    reached = timeline.reached
    imagined.make_busy(imagined.stream(imagined.first))  # as CUDA would not be: it is not asked
    imagined.first.finish()
    assert timeline.reached == reached + 1 and not finished


def test_it_waits_and_other_threads_run(imagined, kernel, finished):
    cl.enqueue_nd_range_kernel(imagined.first, kernel, (64,), (64,))
    timer = busy_for(imagined, 0.0005)
    imagined.first.finish()
    assert imagined.busy.value == 0
    timer.join()


def test_commands_of_other_code_in_c_are_waited_for(imagined, finished):
    """As of programs in C, which Python hears of when it looks."""
    timeline = imagined.first._core.timeline
    timeline.open_to_native_code()
    imagined.first.finish()
    before = timeline.reached
    timeline.native[NATIVE] += 3
    timer = busy_for(imagined, 0.0005)
    imagined.first.finish()
    assert imagined.busy.value == 0 and timeline.position_of_native_command(3) <= timeline.reached
    timer.join()
    if not finished:  # else the machine was busy
        assert before + 3 < timeline.reached == timeline.native[REACHED]
    finished.clear()
    timeline.native[NATIVE] += 1
    timeline.native[NATIVE_ENDED] = 4  # It has seen the end of that itself.
    imagined.make_busy(imagined.stream(imagined.first))  # as CUDA would not be: it is not asked
    imagined.first.finish()
    assert not finished
    imagined.make_busy()


def test_what_takes_long_is_pythons(imagined, kernel, finished):
    cl.enqueue_nd_range_kernel(imagined.first, kernel, (64,), (64,))
    imagined.make_busy_until_asked(imagined.stream(imagined.first))
    imagined.first.finish()
    assert finished == [imagined.first._core] and imagined.busy.value == 0


def test_queues_that_take_times(imagined, kernel, finished):
    timed = cl.CommandQueue(imagined.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    event = cl.enqueue_nd_range_kernel(timed, kernel, (64,), (64,))
    timed.finish()
    assert timed._core.timeline.reached >= event._core.position and not finished
    assert event.profile.end >= event.profile.start


def test_all_streams_of_a_queue_out_of_order(imagined, kernel, finished):
    for _ in range(10):  # on a busy machine the timer may come after code in C has waited as long as it does
        finished.clear()
        events = []
        for _ in range(3):
            events.append(cl.enqueue_nd_range_kernel(imagined.unordered, kernel, (64,), (64,)))
            imagined.make_busy(*imagined.streams)
        assert len({event._core.timeline for event in events}) == 3
        imagined.make_busy(imagined.streams[2])
        timer = threading.Timer(0.0005, lambda: setattr(imagined.busy, "value", 0))
        timer.start()
        imagined.unordered.finish()
        timer.join()
        assert imagined.busy.value == 0
        if not finished:
            break
    assert not finished
    assert all(event._core.timeline.reached >= event._core.position for event in events)
    imagined.make_busy(*imagined.streams)  # as CUDA would not be: it is not asked
    imagined.unordered.finish()
    assert not finished


def test_a_stream_that_takes_long_is_pythons(imagined, kernel, finished):
    for _ in range(2):
        cl.enqueue_nd_range_kernel(imagined.unordered, kernel, (64,), (64,))
        imagined.make_busy(*imagined.streams)
    imagined.make_busy_until_asked(*imagined.streams)
    imagined.unordered.finish()
    assert finished == [imagined.unordered._core] and imagined.busy.value == 0


@pytest.mark.parametrize("name", ["first", "unordered"])
def test_what_is_held_back_is_pythons(imagined, finished, name):
    queue, gate = getattr(imagined, name), cl.UserEvent(imagined.context)
    marker = cl.enqueue_marker(queue, wait_for=[gate])
    threading.Timer(0.02, lambda: gate.set_status(STATUS.COMPLETE)).start()
    queue.finish()
    assert finished == [queue._core] and marker.command_execution_status == STATUS.COMPLETE
    queue.finish()
    assert len(finished) == 1
    queue._core.release()
    with pytest.raises(cl.LogicError, match="INVALID_COMMAND_QUEUE"):
        queue.finish()


def test_arguments_are_pythons(imagined, finished):
    with pytest.raises(TypeError):
        imagined.first.finish(1)


def test_kept_memory_of_the_host_is_let_go(imagined, finished):
    kept = []
    timeline = imagined.first._core.timeline
    timeline.keep(timeline.next_position(), None, kept)
    imagined.first.finish()
    assert finished == [imagined.first._core] and timeline.keeps_nothing


@pytest.mark.parametrize("gone", [False, True])
def test_what_was_retired_is_freed(imagined, kernel, finished, gone):
    core, freed = imagined.context._core, []
    cl.enqueue_nd_range_kernel(imagined.first, kernel, (64,), (64,))
    imagined.make_busy(imagined.stream(imagined.first))
    if gone:
        other = reclaim.Reclaimer(core._queues, core._reusable)
        other.retire(core.devices[0], lambda: freed.append(1))
        other.leave_over()
    else:
        core.retire(core.devices[0], lambda: freed.append(1))
    imagined.busy.value = 0
    imagined.first.finish()
    assert freed == [1] and not finished


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_results_are_there(device):
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, "kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }").build()
    add, array, _ = program.add, *cl.enqueue_map_buffer(
        queue, buffer := cl.Buffer(context, FLAGS.READ_WRITE | FLAGS.ALLOC_HOST_PTR, 4096), cl.map_flags.WRITE, 0, (1024,), np.int32)
    array[:] = 0
    array.base.release(queue)
    found = np.zeros(1024, np.int32)
    for turn in range(1, 51):
        add(queue, (1024,), None, buffer, np.int32(turn))
        cl.enqueue_copy(queue, found, buffer, is_blocking=False)
        queue.finish()
        assert (found == turn * (turn + 1) // 2).all()
