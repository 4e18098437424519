"""Copies and fills of buffers in a queue out of order, and waits for what it was given, without Python's steps (runtime/native/commands.c,
order.c, waits.c)."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.native import library
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.queue.stream_timeline import QueueStream

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, STATUS = cl.mem_flags, cl.command_execution_status
DATA = np.arange(16, dtype=np.uint32)


@pytest.fixture(autouse=True)
def _launches_are_no_graphs(imagined):
    imagined.no_repeated.value = 1


@pytest.fixture
def queue(imagined):
    """One with two streams, which have nothing to do."""
    queue = imagined.unordered
    other = cl.Buffer(imagined.context, FLAGS.READ_WRITE, 4096)
    for buffer in (imagined.buffer, other):  # They have memory.
        cl.enqueue_fill_buffer(queue, buffer, np.uint8(1), 0, 64)
        imagined.make_busy(*imagined.streams)
    assert len(imagined.streams) == 2
    imagined.make_busy()
    queue.finish()
    imagined.taken()
    imagined.other = other
    return queue


def write(imagined, wait_for=None, blocking=False, data=DATA):
    return cl.enqueue_copy(imagined.unordered, imagined.buffer, data, is_blocking=blocking, wait_for=wait_for)


RECTANGLE = {"buffer_origin": (0, 1), "host_origin": (8, 0), "region": (16, 2), "buffer_pitches": (32,), "host_pitches": (32,)}


def rectangle(imagined, host, reads=False, blocking=False, wait_for=None):
    """Of 4 numbers in each of two rows of 8."""
    ends = (host, imagined.buffer) if reads else (imagined.buffer, host)
    return cl.enqueue_copy(imagined.unordered, *ends, is_blocking=blocking, wait_for=wait_for, **RECTANGLE)


def launch(imagined, kernel, wait_for=None):
    return cl.enqueue_nd_range_kernel(imagined.unordered, kernel, (64,), (64,), wait_for=wait_for)


def all_kinds(imagined, event):
    """A chain of commands of each kind behind the event."""
    queue = imagined.unordered
    for command in (
            lambda event: write(imagined, [event]),
            lambda event: cl.enqueue_copy(queue, imagined.other, imagined.buffer, wait_for=[event]),
            lambda event: cl.enqueue_fill_buffer(queue, imagined.other, np.uint8(2), 64, 64, wait_for=[event]),
            lambda event: cl.enqueue_copy(queue, imagined.buffer, imagined.other, byte_count=8, src_offset=64, wait_for=[event]),
            lambda event: cl.enqueue_copy(queue, imagined.other, imagined.buffer, src_origin=(0, 0), dst_origin=(0, 8), region=(4, 2),
                                          src_pitches=(16,), dst_pitches=(16,), wait_for=[event])):
        event = command(event)
    return event


def test_a_chain_of_all_kinds_stays_in_its_stream(imagined, kernel, queue, submitted):
    submitted.clear()  # what has made the queue's streams
    first = write(imagined)
    imagined.make_busy(*imagined.streams)
    last = launch(imagined, kernel, [all_kinds(imagined, first)])
    assert not submitted and last._core.timeline is first._core.timeline
    streams = {name[:-1] for name in imagined.taken().split()}
    assert len(streams) == 1
    imagined.make_busy()
    found = np.zeros(16, np.uint32)
    cl.enqueue_copy(queue, found, imagined.buffer, wait_for=[last])
    assert not submitted and (found[4:] == DATA[4:]).all()


def test_what_waits_for_nothing_goes_where_nothing_runs(imagined, kernel, queue, submitted):
    submitted.clear()
    first = write(imagined)
    imagined.make_busy(*imagined.streams)  # as CUDA would not be: of the other one it is known that it rests
    second = write(imagined)
    third = cl.enqueue_copy(queue, imagined.other, imagined.buffer, wait_for=[first, second])
    assert imagined.taken() == "uC u1C u<<u1 uC" and not submitted
    assert third._core.timeline.last == third._core.position
    write(imagined)
    assert submitted == ["clEnqueueWriteBuffer"] and len(imagined.streams) == 3, "Python opens another one"


def test_behind_other_queues_and_barriers(imagined, kernel, queue, submitted):
    submitted.clear()
    elsewhere = cl.enqueue_nd_range_kernel(imagined.first, kernel, (64,), (64,))
    event = write(imagined, [elsewhere])
    name = imagined.handles[imagined.stream_of(event)]
    assert imagined.taken() == f"aL {name}<<a {name}C" and not submitted
    cl.enqueue_barrier(queue)
    imagined.make_busy(*imagined.streams[:1])
    later = write(imagined)
    cl.enqueue_marker(imagined.first, wait_for=[later])
    assert imagined.taken().split()[-1] == f"a<<{imagined.handles[imagined.stream_of(later)]}" and not submitted


def test_rectangles_of_the_hosts(imagined, kernel, queue, submitted):
    """They go where other copies go, behind what they wait for."""
    submitted.clear()
    before = cl.enqueue_nd_range_kernel(imagined.first, kernel, (64,), (64,))
    data = DATA.copy()
    count = sys.getrefcount(data)
    event = rectangle(imagined, data, wait_for=[before])
    name = imagined.handles[imagined.stream_of(event)]
    assert imagined.taken() == f"aL {name}<<a {name}C" and not submitted
    assert event._core.timeline.last == event._core.position > event._core.timeline.reached
    assert (event.command_type, type(event), event.get_ward()) == (cl.command_type.WRITE_BUFFER_RECT, cl.NannyEvent, data)
    imagined.make_busy(*imagined.streams)
    behind = cl.enqueue_copy(queue, imagined.other, imagined.buffer, wait_for=[event])
    assert imagined.taken() == f"{name}C" and behind._core.timeline is event._core.timeline
    imagined.make_busy()
    del event
    assert sys.getrefcount(data) == count and not submitted
    written = rectangle(imagined, data, blocking=True)
    read = rectangle(imagined, np.zeros(16, np.uint32), reads=True, blocking=True, wait_for=[written, behind])
    for each in (written, read):
        assert each.command_execution_status == STATUS.COMPLETE and each.get_ward() is None
    assert read.command_type == cl.command_type.READ_BUFFER_RECT and not submitted
    timeline = read._core.timeline
    assert timeline.last <= timeline.reached, "nothing is left there"


def test_a_rectangle_that_takes_long_to_read_is_read_once(imagined, queue, submitted):
    submitted.clear()
    event = write(imagined)
    imagined.taken()
    imagined.make_busy_until_asked(*imagined.streams)
    read = rectangle(imagined, np.zeros(16, np.uint32), reads=True, blocking=True, wait_for=[event])
    assert imagined.taken().count("C") == 1 and not submitted
    assert read._core.timeline is event._core.timeline and read.command_execution_status == STATUS.COMPLETE


def test_rectangles_behind_barriers_and_gates(imagined, queue, submitted):
    submitted.clear()
    rectangle(imagined, DATA)
    barrier = cl.enqueue_barrier(queue)
    imagined.make_busy(imagined.stream_of(barrier))
    first = rectangle(imagined, DATA)
    assert first._core.timeline is barrier._core.timeline, "there all is behind it"
    imagined.taken()
    event = rectangle(imagined, DATA)
    there, here = (imagined.names(imagined.stream_of(each)) for each in (barrier, event))
    assert there != here and imagined.taken() == f"{here}<<{there} {here}C" and not submitted
    imagined.make_busy()
    queue.finish()
    gate = cl.UserEvent(imagined.context)
    held = rectangle(imagined, DATA, wait_for=[gate])
    assert submitted == ["clEnqueueWriteBufferRect"] and imagined.taken() == ""
    gate.set_status(STATUS.COMPLETE)
    held.wait()


def test_flushes_need_no_python(imagined, kernel, queue, monkeypatch):
    asked, genuine = [], CommandQueue.flush
    monkeypatch.setattr(CommandQueue, "flush", lambda self: asked.append(self) or genuine(self))
    for each in (imagined.first, imagined.unordered):
        cl.enqueue_nd_range_kernel(each, kernel, (64,), (64,))
        imagined.make_busy(imagined.stream(each))
        queries = imagined.queries.value
        assert each.flush() is None and not asked and imagined.queries.value > queries
        imagined.make_busy()
        each.finish()
        queries = imagined.queries.value
        each.flush()
        assert not asked and imagined.queries.value == queries, "nothing was given since"
    gate = cl.UserEvent(imagined.context)
    held = launch(imagined, kernel, [gate])
    imagined.unordered.flush()
    assert asked == [imagined.unordered._core]
    gate.set_status(STATUS.COMPLETE)
    held.wait()
    with pytest.raises(TypeError):
        imagined.first.flush(1)
    with pytest.warns(cl.CommandQueueUsedAfterExit) as warned:
        with imagined.first as entered:
            pass
        entered.flush()
    assert warned[0].filename == __file__


def test_what_is_held_back_is_pythons(imagined, queue, submitted):
    submitted.clear()
    gate = cl.UserEvent(imagined.context)
    held = write(imagined, [gate])
    behind = cl.enqueue_copy(queue, imagined.other, imagined.buffer, wait_for=[held])
    assert submitted == ["clEnqueueWriteBuffer", "clEnqueueCopyBuffer"] and imagined.taken() == ""
    gate.set_status(STATUS.COMPLETE)
    behind.wait()
    assert held.command_execution_status == STATUS.COMPLETE


@pytest.mark.parametrize("blocking", [True, False])
def test_copies_of_the_hosts_that_end_at_once(imagined, queue, submitted, blocking):
    submitted.clear()
    event = write(imagined, blocking=blocking)
    found = np.zeros(16, np.uint32)
    read = cl.enqueue_copy(queue, found, imagined.buffer, is_blocking=blocking, wait_for=[event])
    assert (found == DATA).all() and read.command_execution_status == STATUS.COMPLETE and not submitted
    timeline = read._core.timeline
    assert timeline.last <= timeline.reached, "nothing is left there"


def test_a_read_that_takes_long_is_made_once(imagined, queue, submitted):
    """Another one could be in another stream, and the first would come after what the program does next."""
    submitted.clear()
    event, found = write(imagined), np.zeros(16, np.uint32)
    imagined.taken()
    imagined.make_busy_until_asked(*imagined.streams)
    read = cl.enqueue_copy(queue, found, imagined.buffer, wait_for=[event])
    assert imagined.taken().count("C") == 1 and not submitted and (found == DATA).all()
    assert read._core.timeline is event._core.timeline and read.command_execution_status == STATUS.COMPLETE


def test_an_interrupt_of_a_read_comes_through(imagined, queue, monkeypatch):
    event, found = write(imagined), np.zeros(16, np.uint32)
    genuine = QueueStream.synchronize_to

    def interrupted(self, position):
        monkeypatch.setattr(QueueStream, "synchronize_to", genuine)
        imagined.make_busy()
        raise KeyboardInterrupt

    monkeypatch.setattr(QueueStream, "synchronize_to", interrupted)
    imagined.make_busy(*imagined.streams)
    with pytest.raises(KeyboardInterrupt):
        cl.enqueue_copy(queue, found, imagined.buffer, wait_for=[event])
    cl.enqueue_copy(queue, found, imagined.buffer, wait_for=[event])
    assert (found == DATA).all()


def test_what_cuda_refuses_python_gives_it_again(imagined, queue, submitted):
    event, found = write(imagined), np.zeros(16, np.uint32)
    submitted.clear()
    imagined.fails.value = 700
    cl.enqueue_copy(queue, found, imagined.buffer, wait_for=[event])
    write(imagined, blocking=True)
    assert submitted == ["clEnqueueReadBuffer", "clEnqueueWriteBuffer"] and (found == DATA).all()


def test_events_are_waited_for_in_their_streams(imagined, kernel, queue, waited):
    for wait in (lambda event: event.wait(), lambda event: cl.wait_for_events([event])):
        event = launch(imagined, kernel)
        wait(event)
        assert not waited and event._core.timeline.reached > event._core.position
    launch(imagined, kernel)
    imagined.make_busy(imagined.streams[0])
    event = launch(imagined, kernel)
    assert imagined.stream_of(event) == imagined.streams[1]
    event.wait()
    assert not waited and event.command_execution_status == STATUS.COMPLETE


def test_an_event_with_others_behind_it_is_waited_for_by_a_fence(imagined, kernel, queue, waited):
    event = write(imagined)
    launch(imagined, kernel, [event])
    imagined.taken()
    event.wait()
    assert not waited and imagined.taken() == imagined.handles[imagined.stream_of(event)] + "R"


def test_what_a_thread_waits_for_long_is_pythons(imagined, kernel, queue, waited):
    event = launch(imagined, kernel)
    imagined.make_busy_until_asked(*imagined.streams)
    event.wait()
    assert waited == [event._core]


def test_the_hosts_memory_is_let_go_of_without_python(imagined, queue, waited):
    data = DATA.copy()
    count = sys.getrefcount(data)
    event = write(imagined, data=data)
    assert sys.getrefcount(data) == count + 1
    del event
    assert sys.getrefcount(data) == count and not waited


def test_threads_copy_in_one_queue(imagined, queue):
    def work(number):
        buffer, found = cl.Buffer(imagined.context, FLAGS.READ_WRITE, 64), np.zeros(16, np.uint32)
        for turn in range(200):
            event = cl.enqueue_copy(queue, buffer, DATA + np.uint32(1000 * number + turn), is_blocking=bool(turn % 2))
            event = cl.enqueue_copy(queue, found, buffer, wait_for=[event])
            assert (found == DATA + np.uint32(1000 * number + turn)).all()
            imagined.logged.value = 0

    run_together(work, (1,), (2,), (3,))
    queue.finish()
