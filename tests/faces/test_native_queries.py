"""What events and other objects answer in C (runtime/native/queries.c)."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.native import library
from cl2cuda.runtime.queue import event as runtime_event

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, INFO, STATUS = cl.mem_flags, cl.event_info, cl.command_execution_status


@pytest.fixture
def asked(monkeypatch):
    """The events whose status Python's own steps have found."""
    found, genuine = [], runtime_event.Event.status
    monkeypatch.setattr(runtime_event.Event, "status", property(lambda self: found.append(self) or genuine.fget(self)))
    return found


def answers(event):
    return [query(code) for query in (event.get_info, event._query_in_python)
            for code in (INFO.COMMAND_TYPE, INFO.REFERENCE_COUNT, INFO.COMMAND_EXECUTION_STATUS, INFO.CONTEXT, INFO.COMMAND_QUEUE)]


def test_an_end_that_is_known_is_told_at_once(imagined, kernel, asked):
    event = cl.enqueue_nd_range_kernel(imagined.first, kernel, (64,), (64,))
    imagined.make_busy(imagined.stream(imagined.first))
    imagined.cuda.runtime.eventQuery = lambda event: 600 if imagined.busy.value else 0
    assert event.command_execution_status == STATUS.SUBMITTED and asked == [event._core]
    imagined.make_busy()
    assert event.command_execution_status == STATUS.COMPLETE and len(asked) == 2
    imagined.make_busy(imagined.stream(imagined.first))
    assert event.command_execution_status == STATUS.COMPLETE and len(asked) == 2
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        event.get_info(1)
    for wrong in ((), (1, 2), ("x",), (1 << 70,)):
        with pytest.raises(TypeError):
            event.get_info(*wrong)


def test_events_of_every_kind_answer_as_in_python(imagined, kernel):
    gate, refused = cl.UserEvent(imagined.context), cl.UserEvent(imagined.context)
    timed = cl.CommandQueue(imagined.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    events = [gate, refused, cl.enqueue_marker(imagined.first), cl.enqueue_barrier(imagined.second), cl.enqueue_marker(timed),
              cl.enqueue_copy(imagined.first, imagined.buffer, np.zeros(4, np.uint8), is_blocking=False),
              cl.enqueue_marker(imagined.second, wait_for=[gate]), cl.enqueue_marker(imagined.unordered, wait_for=[refused])]
    for _ in range(2):
        for event in events:
            found = answers(event)
            assert found[:5] == found[5:]
        gate.set_status(STATUS.COMPLETE) if gate.command_execution_status else None
        refused.set_status(-7) if refused.command_execution_status > 0 else None
    assert [event.command_execution_status for event in events[:2]] == [0, -7] and events[-1].command_execution_status < 0
    failed = events[2]._core
    failed.timeline.any_failed = True
    failed.timeline._failures = ((0, failed.position, runtime_event.CommandFailed("it failed", "OUT_OF_RESOURCES")),)
    assert events[2].command_execution_status == -5


def test_integers_that_stand_for_objects(imagined):
    event, other = cl.enqueue_marker(imagined.first), cl.enqueue_marker(imagined.first)
    for handle in (imagined.context, imagined.context.devices[0], imagined.first, imagined.buffer, event):
        pointer = handle.int_ptr
        assert pointer == handle.int_ptr == handle._pointer_in_python and type(handle).from_int_ptr(pointer) == handle
        with pytest.raises(AttributeError):
            handle.int_ptr = 1
    event._core = other._core
    assert event.int_ptr == other.int_ptr == id(other._core)
    assert cl.Event.int_ptr.__doc__ == cl.Event._pointer_in_python.__doc__


def test_a_queue_that_was_left_says_where_it_is_asked(imagined):
    with imagined.first as queue:
        pass
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert queue.int_ptr
    assert caught and {os.path.basename(each.filename) for each in caught} == {"test_native_queries.py"}
