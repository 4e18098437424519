"""Events: status, waiting, profiling, callbacks; user events."""

import threading

import pytest
from support.fails import fails

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_marker
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.event import Event, UserEvent, wait_for_events
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

TIMES = (codes.PROFILING_COMMAND_QUEUED, codes.PROFILING_COMMAND_SUBMIT, codes.PROFILING_COMMAND_START,
         codes.PROFILING_COMMAND_END, codes.PROFILING_COMMAND_COMPLETE)


def test_queries(fake):
    event = enqueue_marker(fake.queue)
    assert event.get_info(codes.EVENT_COMMAND_TYPE) == codes.COMMAND_MARKER
    assert event.get_info(codes.EVENT_COMMAND_QUEUE) is fake.queue
    assert event.get_info(codes.EVENT_CONTEXT) is fake.context
    assert event.get_info(codes.EVENT_COMMAND_EXECUTION_STATUS) == codes.SUBMITTED
    assert UserEvent(fake.context).get_info(codes.EVENT_COMMAND_QUEUE) is None
    fails("INVALID_VALUE", event.get_info, codes.CONTEXT_DEVICES)


def test_a_late_wait_covers_an_early_event(fake):
    events = [enqueue_marker(fake.queue) for _ in range(4)]
    events[1].wait()
    assert events[0].status == codes.COMPLETE
    assert fake.driver.fences == 1


def test_a_mark_is_made_once(fake):
    events = [enqueue_marker(fake.queue) for _ in range(4)]
    for event in reversed(events):
        event.wait()
        event.wait()
    assert fake.driver.fences == 1


def test_wait_for_events(fake):
    other = CommandQueue(fake.context, fake.device)
    events = [enqueue_marker(fake.queue), enqueue_marker(other)]
    wait_for_events(events)
    assert [event.status for event in events] == [0, 0]
    fails("INVALID_VALUE", wait_for_events, [])
    fails("INVALID_EVENT", wait_for_events, ["event"])
    fails("INVALID_CONTEXT", wait_for_events, [events[0], UserEvent(Context([fake.device]))])


def test_profiling_times_are_in_order(device):
    context = Context([device])
    queue = CommandQueue(context, device, codes.QUEUE_PROFILING_ENABLE)
    buffer = Buffer(context, 0, 1 << 22)
    first = enqueue_fill_buffer(queue, buffer, b"x", 0, 1 << 22)
    second = enqueue_fill_buffer(queue, buffer, b"x", 0, 1 << 22)
    second.wait()
    times = [event.profile(code) for event in (first, second) for code in TIMES]
    assert times[:4] == sorted(times[:4]) and times[5:9] == sorted(times[5:9])
    assert times[2] < times[3] <= times[7] < times[8]
    assert times[3] - times[2] < 10**9


def test_profiling_needs_a_profiling_queue_and_an_ended_command(fake):
    fails("PROFILING_INFO_NOT_AVAILABLE", enqueue_marker(fake.queue).profile, TIMES[0])
    fails("PROFILING_INFO_NOT_AVAILABLE", UserEvent(fake.context).profile, TIMES[0])
    queue = CommandQueue(fake.context, fake.device, codes.QUEUE_PROFILING_ENABLE)
    event = enqueue_marker(queue)
    fails("PROFILING_INFO_NOT_AVAILABLE", event.profile, TIMES[3])
    event.wait()
    assert [event.profile(code) for code in TIMES] == sorted(event.profile(code) for code in TIMES)
    fails("INVALID_VALUE", event.profile, 1)


def called(event, status):
    """Sets a callback; returns the function that waits for it and gives its argument."""
    done, got = threading.Event(), []

    def callback(given):
        got.append(given)
        done.set()

    event.set_callback(status, callback)

    def result():
        assert done.wait(5)
        return got[0]

    return result


def test_callbacks(fake):
    event = enqueue_marker(fake.queue)
    results = [called(event, status) for status in (codes.COMPLETE, codes.RUNNING, codes.SUBMITTED)]
    assert [result() for result in results] == [codes.COMPLETE, codes.RUNNING, codes.SUBMITTED]
    fails("INVALID_VALUE", event.set_callback, codes.QUEUED, print)


def test_a_callback_is_told_of_failure(fake):
    gate = UserEvent(fake.context)
    held = called(enqueue_marker(fake.queue, [gate]), codes.COMPLETE)
    of_gate = called(gate, codes.COMPLETE)
    gate.set_status(-7)
    assert held() == -14
    assert of_gate() == -7


def test_a_failing_callback_does_not_stop_the_next(fake, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda arguments: None)
    event = enqueue_marker(fake.queue)

    def bad(status):
        raise ValueError

    event.set_callback(codes.COMPLETE, bad)
    assert called(event, codes.COMPLETE)() == codes.COMPLETE


def test_user_events(fake):
    event = UserEvent(fake.context)
    assert event.status == codes.SUBMITTED
    fails("INVALID_VALUE", event.set_status, 1)
    event.set_status(0)
    event.wait()
    fails("INVALID_OPERATION", event.set_status, 0)
    failed = UserEvent(fake.context)
    failed.set_status(-3)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", failed.wait)


def test_queues_make_events_of_the_class_they_are_told(fake):
    class Mine(Event):
        __slots__ = ()

    fake.queue.event_type = Mine
    assert isinstance(enqueue_marker(fake.queue), Mine)


@pytest.mark.parametrize("polls", [1, 3])
def test_asking_for_the_status_makes_progress_visible(fake, polls):
    event = enqueue_marker(fake.queue)
    for _ in range(polls):
        assert event.status == codes.SUBMITTED
    fake.queue.stream.synchronize()
    assert event.status == codes.COMPLETE
