"""A queue's stream: when fences are made."""

import contextlib
import functools
import gc
import random
import weakref

import numpy as np
import pytest
from support.several_devices import devices_of
from support.threads import ends

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_write_buffer
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.driver.interface import DEFAULT_HINTS, DriverError
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.command import ISSUED
from cl2cuda.runtime.queue.event import Event
from cl2cuda.runtime.queue.out_of_order import OutOfOrderQueue
from cl2cuda.runtime.queue.queue import MUCH, CommandQueue
from cl2cuda.runtime.queue.stream_timeline import (
    FENCES_AHEAD,
    FENCES_AHEAD_WANTED,
    GIVEN,
    GIVEN_ENDED,
    KEPT,
    LATE,
    MOST_RESTING,
    NATIVE,
    NATIVE_ENDED,
    NEEDS_PYTHON,
    NEVER,
    REACHED,
    SETTLED,
    QueueStream,
    timeline_of,
)
from cl2cuda.runtime.spec import codes


def fills(fake, count):
    buffer = Buffer(fake.context, 0, 16)
    return [enqueue_fill_buffer(fake.queue, buffer, b"x", 0, 16) for _ in range(count)]


def test_fences_are_made_when_someone_asks(fake):
    fills(fake, 100)
    assert fake.driver.fences == 0


def test_streams_that_are_found_keep_no_timelines(fake):
    stream = fake.driver.open_stream()
    timeline = QueueStream(stream)
    gone = weakref.ref(timeline), weakref.ref(stream)
    assert timeline_of(stream) is timeline
    del stream, timeline
    assert [each() for each in gone] == [None, None]


def test_who_waits_for_an_earlier_command_soon_waits_for_little_more(fake):
    commands = fake.queue.stream.commands
    fills(fake, 20)[0].wait()
    assert not commands  # Only a fence made now could tell.
    events = fills(fake, 20)
    events[0].wait()
    assert len(commands) > 20 - 2 * LATE
    events[10].wait()
    assert 10 - 2 * LATE < len(commands) < 10 + LATE
    fake.queue.finish()


def test_fences_ahead_end_when_nobody_needs_them(fake):
    fills(fake, 20)[0].wait()
    fills(fake, (FENCES_AHEAD + 2) * (LATE + 1))
    assert fake.queue.timeline.fence_at == NEVER
    before = fake.driver.fences
    fills(fake, 100)
    assert fake.driver.fences == before
    fake.queue.finish()


def test_waiting_for_the_last_command_makes_none_ahead(fake):
    for _ in range(10):
        fills(fake, 3)[-1].wait()
    assert fake.queue.timeline.fence_at == NEVER


def test_the_last_command_needs_no_fence_where_it_ends_soon(fake, monkeypatch):
    stream = fake.queue.stream
    monkeypatch.setattr(stream, "poll_completed", lambda: stream.synchronize() is None)
    first, last = fills(fake, 2)
    last.wait()
    assert fake.driver.fences == 0 and not stream.commands and fake.queue.timeline.idle
    first.wait()
    assert fake.driver.fences == 0  # It came before one that has ended.
    first, last = fills(fake, 2)
    first.wait()
    assert fake.driver.fences == 1


@pytest.mark.parametrize("flushes, fences", [(1, 0), (2, 1)])
def test_a_flush_before_the_wait_makes_no_fence(fake, monkeypatch, flushes, fences):
    stream = fake.queue.stream
    monkeypatch.setattr(stream, "poll_completed", lambda: stream.synchronize() is None)
    _, last = fills(fake, 2)
    for _ in range(flushes):
        fake.queue.flush()
    last.wait()
    assert fake.driver.fences == fences and not stream.commands and last.status == codes.COMPLETE
    [later] = fills(fake, 1)
    assert later.status != codes.COMPLETE


def native_launches(fake, count):
    """As native code makes them; the number of the first."""
    timeline = fake.queue.timeline
    timeline.open_to_native_code()
    for _ in range(count):
        fake.queue.stream.add(lambda: None)
        timeline.native[NATIVE] += 1
    return timeline.native[NATIVE] - count + 1


def event_of(fake, number):
    timeline = fake.queue.timeline
    return Event(fake.queue, 0, timeline, timeline.position_of_native_command(number))


def test_native_code_is_shut_out_where_python_has_something_to_do(fake):
    words = fake.queue.timeline.native
    assert not words[NEEDS_PYTHON] and not words[FENCES_AHEAD_WANTED]
    fills(fake, 20)[0].wait()
    assert words[FENCES_AHEAD_WANTED]
    fills(fake, (FENCES_AHEAD + 2) * (LATE + 1))
    assert not words[FENCES_AHEAD_WANTED]
    fake.queue.finish()
    fake.queue.release()
    assert words[NEEDS_PYTHON]


def test_launches_of_native_code_count_as_commands(fake):
    commands = fake.queue.stream.commands
    native_launches(fake, 3)
    assert not fake.queue.idle
    fake.queue.finish()
    assert not commands and fake.queue.idle
    first = native_launches(fake, 20)
    event_of(fake, first).wait()
    assert not commands and fake.queue.timeline.native[FENCES_AHEAD_WANTED]  # It was waited for in vain: Python takes over for a while.
    first = native_launches(fake, 2)
    event = event_of(fake, first)
    fake.queue.finish()
    made = fake.driver.fences
    assert event.status == 0 and event_of(fake, first + 1).status == 0 and fake.driver.fences == made


def test_no_fence_counts_that_was_made_before_the_launch(fake):
    """Whatever was looked at when: a fence that stands behind an event's position stands behind its launch."""
    timeline, made, order = fake.queue.timeline, {}, random.Random(7)
    for _ in range(2000):
        what = order.randrange(4)
        if what == 0:
            native_launches(fake, order.choice((1, 1, 2, 30)))
        elif what == 1:
            timeline.note_native_commands()
        elif what == 2:
            timeline.current_fence()
            made.setdefault(timeline._fences[-1][0], timeline.native[NATIVE])
        elif timeline.native[NATIVE]:
            number = order.randint(max(1, timeline.native[NATIVE] - 60), timeline.native[NATIVE])
            position = timeline.position_of_native_command(number)
            assert all(launches >= number for at, launches in made.items() if at > position)
    fake.queue.finish()


@pytest.mark.parametrize("give", [
    lambda fake, timeline: fake.queue.issued(codes.COMMAND_MARKER, timeline), lambda fake, timeline: timeline.note_given(),
    lambda fake, timeline: timeline.note_native_commands()], ids=["command", "launch", "of native code"])
def test_of_commands_that_threads_give_at_once_native_code_sees_the_last(fake, give):
    """Whichever thread writes its position last: native code would take the queue for idle else, while the later one runs."""
    timeline = fake.queue.timeline
    timeline.open_to_native_code()
    timeline.native[NATIVE], genuine = 1, timeline.next_position

    def drawn_before_another():
        position, timeline.next_position = genuine(), genuine
        assert timeline.native[GIVEN] < position
        QueueStream.note_given(timeline)  # of a thread that has its turn now
        return position

    timeline.next_position = drawn_before_another
    give(fake, timeline)
    assert timeline.native[GIVEN] == genuine() - 1


@pytest.mark.parametrize("destructor", [QueueStream.current_fence, QueueStream.end], ids=["wait", "release"])
def test_a_destructor_may_ask_for_a_fence_while_one_is_made(fake, monkeypatch, destructor):
    """Python's search for garbage calls it in the middle of that. Its fence is another one, which stands behind everything as well."""
    fills(fake, 1)
    timeline, stream, fences = fake.queue.timeline, type(fake.queue.stream), []
    genuine = stream.fence

    def fence(self, timing):
        monkeypatch.undo()
        fences.append(destructor(timeline))
        return genuine(self, timing)

    monkeypatch.setattr(stream, "fence", fence)
    assert ends(lambda: fences.append(timeline.current_fence()))
    assert len(fences) == fake.driver.fences == 2 and fences[0] is not fences[1] and not timeline.busy
    positions = [position for position, _ in timeline._fences]
    assert positions == sorted(positions) and timeline.current_fence() in fences


def test_while_a_fence_is_made_the_stream_is_not_idle(fake, monkeypatch):
    """Of what runs before it the last one that there is does not tell, and what commands use that run would be freed."""
    fills(fake, 1)
    timeline, stream, idle = fake.queue.timeline, type(fake.queue.stream), []
    genuine = stream.fence

    def fence(self, timing):
        idle.append(timeline.idle)  # of a thread that has its turn meanwhile
        return genuine(self, timing)

    monkeypatch.setattr(stream, "fence", fence)
    timeline.current_fence()
    assert idle == [False] and not timeline.idle
    fake.queue.finish()
    assert timeline.idle


def test_without_a_fence_the_stream_is_not_idle(fake, monkeypatch):
    """Though it was about to have one."""
    fills(fake, 1)
    monkeypatch.setattr(type(fake.queue.stream), "fence", refused)
    with pytest.raises(DriverError):
        fake.queue.timeline.current_fence()
    assert fake.queue.timeline.busy
    monkeypatch.undo()
    fake.queue.timeline.current_fence()
    assert not fake.queue.timeline.busy


def refused(self, timing):
    raise DriverError("no event", "OUT_OF_RESOURCES")


def native_finish(fake):
    """As native code waits for the stream: it notes what had been given before."""
    words = fake.queue.timeline.native
    commands, given = words[NATIVE], words[GIVEN]
    fake.queue.stream.synchronize()
    words[NATIVE_ENDED], words[GIVEN_ENDED] = commands, given


def test_what_native_code_has_waited_for_has_ended(fake):
    """Without a fence: nothing is asked of the driver any more."""
    fake.queue.timeline.open_to_native_code()
    by_python = fills(fake, 2)
    first = native_launches(fake, 3)
    early = event_of(fake, first)
    native_finish(fake)
    late = event_of(fake, first + 1)
    assert [event.status for event in (*by_python, early, late)] == [0] * 4
    for event in (*by_python, early, late):
        event.wait()
    assert fake.queue.timeline.idle and fake.driver.fences == 0


def test_what_native_code_has_waited_for_is_known_without_a_look_at_its_commands(fake):
    fake.queue.timeline.open_to_native_code()
    polled, waited = fills(fake, 2)
    native_finish(fake)
    assert polled.status == 0
    waited.wait()
    assert fake.driver.fences == 0


def test_what_came_after_native_code_has_waited_has_not_ended(fake):
    timeline = fake.queue.timeline
    timeline.open_to_native_code()
    number = native_launches(fake, 1)
    native_finish(fake)
    after = fills(fake, 1)[0]
    assert event_of(fake, number).status == 0 and after.status > 0 and not timeline.idle
    later = event_of(fake, native_launches(fake, 1))
    assert later.status > 0 and fake.queue.stream.commands
    fake.queue.finish()
    assert after.status == later.status == 0


def test_an_event_is_complete_when_its_command_is_and_not_before(fake):
    """Commands of Python's and of native code's, waits of both sides, and looks, in any order."""
    stream, timeline, order, ended = fake.queue.stream, fake.queue.timeline, random.Random(11), set()
    timeline.open_to_native_code()
    events, numbers = {}, {}
    for each in range(1500):
        what = order.randrange(6)
        if what == 0:
            run = functools.partial(lambda end, stream: stream.add(end) or ISSUED, functools.partial(ended.add, each))
            events[each] = fake.queue.submit("clEnqueueMarkerWithWaitList", codes.COMMAND_MARKER, run)
        elif what == 1:
            stream.add(functools.partial(ended.add, each))
            timeline.native[NATIVE] += 1
            numbers[each] = timeline.native[NATIVE]
        elif what == 2 and order.randrange(4) == 0:
            native_finish(fake)
        elif what == 3:
            for _ in range(order.randrange(4)):
                stream.step()
        elif what == 4:
            timeline.note_native_commands()
        elif numbers or events:
            asked = order.choice([*numbers, *events])
            event = events.setdefault(asked, None) or event_of(fake, numbers[asked])
            events[asked] = event
            if event.status == 0:
                assert asked in ended
            elif order.randrange(3) == 0:
                event.wait()
                assert asked in ended
    fake.queue.finish()
    assert all(event.status == 0 for event in events.values())


def count_calls(fake, monkeypatch, name):
    calls, genuine = [], getattr(fake.queue.stream, name)
    monkeypatch.setattr(fake.queue.stream, name, lambda *arguments: (calls.append(1), genuine(*arguments))[1])
    return calls


def test_finish_and_flush_ask_the_driver_only_where_there_is_something_new(fake, monkeypatch):
    waits, flushes = count_calls(fake, monkeypatch, "synchronize"), count_calls(fake, monkeypatch, "flush")
    buffer = Buffer(fake.context, 0, 16)
    for turn in range(1, 4):
        event = enqueue_fill_buffer(fake.queue, buffer, b"a", 0, 16)
        fake.queue.flush()
        fake.queue.flush()
        assert len(flushes) == 2 * turn and len(waits) == turn - 1
        for _ in range(3):
            fake.queue.finish()
        fake.queue.flush()
        assert len(waits) == turn and len(flushes) == 2 * turn and event.status == codes.COMPLETE


def test_finish_waits_for_what_an_event_was_asked_of(fake, monkeypatch):
    buffer = Buffer(fake.context, 0, 16)
    fake.queue.finish()
    waits = count_calls(fake, monkeypatch, "synchronize")
    first, second = (enqueue_fill_buffer(fake.queue, buffer, b"a", 0, 16) for _ in range(2))
    first.wait()
    fake.queue.finish()
    assert waits and second.status == codes.COMPLETE and not fake.queue.stream.commands


def write(fake, buffer, size):
    """A write that the device has not made, of memory that nobody else keeps."""
    data = np.full(size, 7, np.uint8)
    enqueue_write_buffer(fake.queue, buffer, False, 0, data)
    return weakref.ref(data)


@pytest.mark.parametrize("size, fences", [(16, 0), (MUCH, 1)])
def test_host_memory_lives_until_its_command_has_ended(fake, monkeypatch, size, fences):
    """Little memory costs no fence, and goes when somebody waits."""
    buffer = Buffer(fake.context, 0, MUCH)
    made = count_calls(fake, monkeypatch, "fence")
    data = write(fake, buffer, size)
    gc.collect()
    assert data() is not None and len(made) == fences
    fake.queue.finish()
    assert data() is None


def test_of_many_pieces_of_host_memory_the_oldest_are_asked_for(fake, monkeypatch):
    buffer = Buffer(fake.context, 0, 16)
    pieces = [write(fake, buffer, 16) for _ in range(KEPT)]
    fake.queue.stream.synchronize()  # the device is quick, and nobody waits for it
    made = count_calls(fake, monkeypatch, "fence")
    pieces += [write(fake, buffer, 16) for _ in range(3)]
    assert 1 <= len(made) <= 2
    fake.queue.stream.synchronize()
    pieces += [write(fake, buffer, 16) for _ in range(2 * KEPT)]
    assert sum(piece() is not None for piece in pieces) <= 2 * KEPT + 3
    assert pieces[-1]() is not None and pieces[0]() is None
    fake.queue.finish()
    assert not any(piece() is not None for piece in pieces)


def test_host_memory_outlives_a_wait_that_is_interrupted(fake, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    def run(stream):
        stream.add(lambda: None)
        return ISSUED

    data = np.full(16, 7, np.uint8)
    known = weakref.ref(data)
    with monkeypatch.context() as patch:
        patch.setattr(fake.queue.stream, "synchronize", interrupted)
        with contextlib.suppress(KeyboardInterrupt):
            fake.queue.submit("clEnqueueMapBuffer", codes.COMMAND_MAP_BUFFER, run, blocking=True, keep=data)
    del data
    gc.collect()
    assert known() is not None and fake.queue.stream.commands
    fake.queue.finish()
    assert known() is None


def test_a_queue_that_goes_waits_for_host_memory(fake):
    buffer = Buffer(fake.context, 0, 16)
    data = write(fake, buffer, 16)
    stream = fake.queue.stream
    fake.queue.release()
    fake.queue = None
    gc.collect()
    assert not stream.commands and data() is None


# -- Timelines at rest -----------------------------------------------------------------------------------------------------


def used(queue):
    """The queue's timeline, whose commands have ended."""
    events = [enqueue_fill_buffer(queue, Buffer(queue.context, 0, 16), b"x", 0, 16) for _ in range(3)]
    events[0].wait()
    queue.finish()
    return queue.timeline


def test_the_next_queue_has_the_timeline_of_one_that_has_gone(fake):
    timeline = used(fake.queue)
    fake.queue = None
    again, other = CommandQueue(fake.context, fake.device), CommandQueue(fake.context, fake.device)
    assert again.timeline is timeline is not other.timeline
    before = timeline.reached
    events = [enqueue_fill_buffer(again, Buffer(fake.context, 0, 16), b"x", 0, 16) for _ in range(2)]
    assert before < events[0].position < events[1].position and events[0].status == codes.SUBMITTED
    again.finish()
    assert [event.status for event in events] == [codes.COMPLETE] * 2


def test_whoever_has_a_released_queue_has_its_timeline_alone(fake):
    timeline = used(fake.queue)
    fake.queue.release()
    queue = CommandQueue(fake.context, fake.device)
    assert queue.timeline is not timeline and timeline.stream.closed


def test_what_still_runs_does_not_rest(fake):
    stream = fake.queue.stream
    enqueue_fill_buffer(fake.queue, Buffer(fake.context, 0, 16), b"x", 0, 16)
    fake.queue = None
    assert not fake.device.resting[DEFAULT_HINTS] and stream.closed and fake.driver.fences == 1


def test_what_another_queue_could_not_have_does_not_rest(fake):
    assert fake.queue.timeline.watcher
    stream = fake.queue.stream
    fake.queue = None
    assert not fake.device.resting[DEFAULT_HINTS] and stream.closed


@pytest.mark.parametrize("ended", [0, 2, 3])
def test_what_native_code_has_counted_is_not_the_next_queues(fake, ended):
    """Where all that it has counted has ended; else the stream does not rest."""
    timeline = fake.queue.timeline
    timeline.open_to_native_code()
    timeline.native[NATIVE], timeline.native[NATIVE_ENDED], timeline.native[SETTLED] = 3, ended, 1
    fake.queue = None
    assert (timeline in fake.device.resting.get(DEFAULT_HINTS, ())) == (ended == 3)
    if ended == 3:
        queue = CommandQueue(fake.context, fake.device)
        assert queue.timeline is timeline and not timeline.has_native and list(timeline.native) == [0] * len(timeline.native)
        timeline.open_to_native_code()
        event = enqueue_fill_buffer(queue, Buffer(fake.context, 0, 16), b"x", 0, 16)
        timeline.native[NATIVE] = 1
        assert timeline.position_of_native_command(1) > event.position and not timeline.has_reached(event.position)
        queue.finish()
        assert timeline.has_reached(event.position) and timeline.native[REACHED] == timeline.reached


def test_timelines_serve_queues_that_ask_for_the_same(fake):
    urgent = CommandQueue(fake.context, fake.device, [(codes.QUEUE_PRIORITY_KHR, codes.QUEUE_PRIORITY_HIGH_KHR)])
    timeline = urgent.timeline
    del urgent
    assert CommandQueue(fake.context, fake.device).timeline is not timeline
    assert CommandQueue(Context([fake.device]), fake.device,
                        [(codes.QUEUE_PRIORITY_KHR, codes.QUEUE_PRIORITY_HIGH_KHR)]).timeline is timeline


def test_nothing_of_the_queue_before_matters_to_the_next(fake):
    timeline = fake.queue.timeline
    fills(fake, 20)[0].wait()
    fake.queue.finish()
    timeline.barrier = object()
    assert timeline.fence_at != NEVER and timeline.native[FENCES_AHEAD_WANTED]
    fake.queue = None
    assert timeline.native[NEEDS_PYTHON]
    queue = CommandQueue(fake.context, fake.device)
    assert queue.timeline is timeline and timeline.barrier is None and timeline.fence_at == NEVER
    assert not timeline.native[FENCES_AHEAD_WANTED] and not timeline.native[NEEDS_PYTHON]


def test_so_many_rest(fake):
    queues = [CommandQueue(fake.context, fake.device) for _ in range(MOST_RESTING + 3)]
    streams = [queue.stream for queue in queues]
    queues.clear()
    assert len(fake.device.resting[DEFAULT_HINTS]) == MOST_RESTING and sum(stream.closed for stream in streams) == 3


def test_all_streams_of_a_queue_out_of_order_rest(fake):
    queue = OutOfOrderQueue(fake.context, fake.device, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    for _ in range(3):
        enqueue_fill_buffer(queue, Buffer(fake.context, 0, 16), b"x", 0, 16)
    timelines = queue.timelines
    assert len(timelines) == 3
    queue.finish()
    del queue
    assert fake.device.resting[DEFAULT_HINTS] == list(timelines)


def test_timelines_that_are_found_by_their_stream_do_not_rest(fake):
    [other] = devices_of("fake", 1)
    queue = CommandQueue(Context([fake.device, other]), fake.device)
    stream = queue.stream
    del queue
    assert stream.closed and not any(fake.device.resting.values())
