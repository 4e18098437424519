"""Waits for events in C (runtime/native/waits.c); test_native_finish.py has those for queues."""

from __future__ import annotations

import gc
import os
import threading
import weakref

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.threads import ends

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.native import library
from cl2cuda.runtime.queue import event as runtime_event

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

STATUS = cl.command_execution_status
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]


def launch(kernel, queue, wait_for=None):
    return cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,), wait_for=wait_for)


def test_the_last_command_is_waited_for_by_its_stream(imagined, kernel, waited):
    for wait in (lambda event: event.wait(), lambda event: cl.wait_for_events([event]), lambda event: cl.wait_for_events((event,))):
        event = launch(kernel, imagined.first)
        assert wait(event) is None and not waited
        assert event._core.timeline.reached > event._core.position and event.command_execution_status == STATUS.COMPLETE
    imagined.make_busy(imagined.stream(imagined.first))  # as CUDA would not be: it is not asked
    event.wait()
    assert not waited


def test_of_a_list_the_last_tells_for_those_before(imagined, kernel, waited):
    events = [launch(kernel, imagined.first) for _ in range(4)]
    cl.wait_for_events(events)
    cl.wait_for_events(events[::-1])
    assert not waited


def test_what_takes_long_is_pythons(imagined, kernel, waited):
    event = launch(kernel, imagined.first)
    imagined.make_busy_until_asked(imagined.stream(imagined.first))
    event.wait()
    assert waited == [event._core] and event.command_execution_status == STATUS.COMPLETE
    again = launch(kernel, imagined.first)
    again.wait()
    assert waited == [event._core]


def test_events_of_several_queues_are_pythons(imagined, kernel, waited):
    events = [launch(kernel, imagined.first), launch(kernel, imagined.second)]
    cl.wait_for_events(events)
    assert set(waited) <= {event._core for event in events} and waited


def test_failures_are_raised(imagined, kernel):
    event = launch(kernel, imagined.first)
    timeline = event._core.timeline
    timeline.any_failed = True
    timeline._failures = ((0, event._core.position, runtime_event.CommandFailed("it failed", "OUT_OF_RESOURCES")),)
    with pytest.raises(cl.RuntimeError, match="it failed"):
        event.wait()
    with pytest.raises(cl.RuntimeError, match="EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"):
        cl.wait_for_events([event])


def write(imagined):
    return cl.enqueue_copy(imagined.first, imagined.buffer, np.arange(16, dtype=np.uint32), is_blocking=False)


def test_a_transfers_event_waits_before_it_goes(imagined, waited):
    event = write(imagined)
    core = event._core
    assert core.timeline.reached < core.position
    del event
    assert core.timeline.reached > core.position and core.status == STATUS.COMPLETE and not waited
    event = write(imagined)
    assert event.get_ward() is not None and event.wait() is None and event.get_ward() is None and not waited
    imagined.make_busy(imagined.stream(imagined.first))
    del event  # which has waited
    assert not waited
    imagined.busy.value = 0


def test_a_transfers_event_that_waits_long_is_pythons(imagined, waited):
    event = write(imagined)
    core = event._core
    imagined.make_busy_until_asked(imagined.stream(imagined.first))
    del event
    assert waited == [core] and core.status == STATUS.COMPLETE


def test_the_search_for_garbage_does_not_wait_for_a_transfer(imagined):
    """Its thread may have what the transfer needs. The host's memory stays until then."""
    gate, data = cl.UserEvent(imagined.context), np.arange(16, dtype=np.uint32)
    cycle, alive = [cl.enqueue_copy(imagined.first, imagined.buffer, data, is_blocking=False, wait_for=[gate])], weakref.ref(data)
    cycle.append(cycle)
    del cycle, data
    assert ends(gc.collect) and alive() is not None
    gate.set_status(STATUS.COMPLETE)
    imagined.first.finish()
    imagined.context._core.reclaim()
    assert alive() is None


def test_a_transfers_event_that_was_not_made_as_a_whole_goes(waited):
    cl.NannyEvent.__new__(cl.NannyEvent)
    gc.collect()
    assert not waited


def test_a_transfer_that_failed_is_told_by_wait_and_not_when_its_event_goes(imagined):
    event = write(imagined)
    timeline = event._core.timeline
    timeline.any_failed = True
    timeline._failures = ((0, event._core.position, runtime_event.CommandFailed("it failed", "OUT_OF_RESOURCES")),)
    with pytest.raises(cl.RuntimeError, match="it failed"):
        event.wait()
    assert event.get_ward() is not None
    del event


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_what_is_held_back_is_waited_for(device):
    context = cl.Context([device])
    queue, gate = cl.CommandQueue(context), cl.UserEvent(context)
    marker = cl.enqueue_marker(queue, wait_for=[gate])
    timer = threading.Timer(0.02, lambda: gate.set_status(STATUS.COMPLETE))
    timer.start()
    marker.wait()
    assert marker.command_execution_status == STATUS.COMPLETE and gate.command_execution_status == STATUS.COMPLETE
    gate.wait()
    cl.wait_for_events([gate, marker])
    timer.join()


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_events_of_queues_that_are_gone_or_released(device):
    context = cl.Context([device])
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
    for released in (False, True):
        queue = cl.CommandQueue(context)
        event = cl.enqueue_fill_buffer(queue, buffer, np.uint32(7), 0, 4096)
        if released:
            queue._core.release()
        del queue
        gc.collect()
        event.wait()
        cl.wait_for_events([event])


def test_a_transfer_lets_its_memory_go(imagined):
    event = cl.enqueue_copy(imagined.first, imagined.buffer, np.zeros(4, np.uint8), is_blocking=False)
    assert event.get_ward() is not None
    event.wait()
    assert event.get_ward() is None


def test_wrong_arguments_are_refused_as_by_python(imagined):
    event = cl.enqueue_marker(imagined.first)
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        cl.wait_for_events([])
    for wrong in ([event, imagined.buffer], [event, 3], [None], 3):
        with pytest.raises((TypeError, cl.LogicError)):
            cl.wait_for_events(wrong)
    with pytest.raises(TypeError):
        event.wait(1)
    with pytest.raises(TypeError):
        cl.wait_for_events()
    cl.wait_for_events(each for each in [event])


def test_other_threads_run_meanwhile(imagined, kernel):
    event, ran = launch(kernel, imagined.first), []
    imagined.make_busy(imagined.stream(imagined.first))
    other = threading.Thread(target=lambda: (ran.append(1), setattr(imagined.busy, "value", 0)))
    other.start()
    event.wait()
    other.join()
    assert ran


def test_no_number_is_drawn_for_a_command_that_others_are_behind(imagined, kernel, monkeypatch):
    """Of the numbers depends when the next fence is made ahead."""
    monkeypatch.setattr(runtime_event.Event, "wait", lambda self: None)
    events = [launch(kernel, imagined.first) for _ in range(3)]
    cl.wait_for_events(events[:2])
    events[0].wait()
    assert launch(kernel, imagined.first)._core.position == events[-1]._core.position + 1
