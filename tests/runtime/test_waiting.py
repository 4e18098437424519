"""What waiting costs on CUDA: copies that a queue's thread is about to make are made by the thread that waits for them, and nobody asks the
driver of what is known to have ended."""

import threading

import numpy as np
import pytest
from support.fake_cuda import FakeCuda

from cl2cuda.runtime.commands import buffer as commands
from cl2cuda.runtime.commands import map as maps
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

SIZE = 2 << 20  # more than the calling thread takes upon itself


class Bench:
    """A queue of an imagined CUDA, whose own thread does nothing until it is `let_go`."""

    def __init__(self, properties=0):
        cuda = FakeCuda()
        cuda.is_pageable = lambda address: True
        self.runtime, self.copied_by = cuda.runtime, []
        copy = cuda.runtime.memcpyAsync

        def noted(*arguments):
            self.copied_by.append(threading.current_thread())
            copy(*arguments)

        cuda.runtime.memcpyAsync = noted
        device = Device(platforms.platforms()[0], "cuda", CudaDevice(cuda, 0))
        self.context = Context([device])
        self.queue = create_command_queue(self.context, device, properties)
        self.buffer = Buffer(self.context, codes.MEM_READ_WRITE, SIZE)
        self.data, self.found = np.random.default_rng(1).random(SIZE // 4, np.float32), np.zeros(SIZE // 4, np.float32)
        self.is_free = threading.Event()
        self.queue.workers.put(self.is_free.wait)

    def let_go(self):
        self.is_free.set()
        done = threading.Event()
        self.queue.workers.put(done.set)
        assert done.wait(60)

    def write(self):
        return commands.enqueue_write_buffer(self.queue, self.buffer, False, 0, self.data)

    def read(self):
        return commands.enqueue_read_buffer(self.queue, self.buffer, False, 0, self.found)


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.let_go()


def test_finish_copies(bench):
    events = [bench.write(), bench.read()]
    assert not bench.copied_by and events[0].status == codes.QUEUED
    bench.queue.finish()
    assert bench.copied_by == [threading.current_thread()] * 2 and (bench.found == bench.data).all()
    assert [event.status for event in events] == [codes.COMPLETE] * 2
    bench.let_go()
    assert len(bench.copied_by) == 2


def test_an_event_that_is_waited_for_copies(bench):
    bench.write()
    bench.read().wait()
    assert bench.copied_by == [threading.current_thread()] * 2 and (bench.found == bench.data).all()


def test_a_blocking_command_copies_what_is_before_it(bench):
    bench.write()
    commands.enqueue_read_buffer(bench.queue, bench.buffer, True, 0, bench.found)
    assert (bench.found == bench.data).all() and set(bench.copied_by) == {threading.current_thread()}


def test_the_queues_thread_copies_where_nobody_waits(bench):
    event = bench.write()
    bench.let_go()
    event.wait()
    assert bench.copied_by[0] is not threading.current_thread() and len(bench.copied_by) == 1


def test_an_interrupt_reaches_the_application_and_the_copy_is_made(bench):
    event, copy = bench.write(), bench.runtime.memcpyAsync

    def interrupted(*arguments):
        bench.runtime.memcpyAsync = copy
        raise KeyboardInterrupt

    bench.runtime.memcpyAsync = interrupted
    with pytest.raises(KeyboardInterrupt):
        bench.queue.finish()
    assert event.status > 0
    bench.let_go()
    bench.queue.finish()
    bench.read()
    bench.queue.finish()
    assert (bench.found == bench.data).all() and event.status == codes.COMPLETE


def test_what_fails_there_terminates_the_command(bench):
    def fails(*arguments):
        raise bench.queue.stream.cuda.Error[0](2)

    event, bench.runtime.memcpyAsync = bench.write(), fails
    behind = bench.read()
    bench.queue.finish()
    assert event.status < 0
    with pytest.raises(CLError, match="terminated"):
        event.wait()
    assert behind.status < 0 or behind.status == codes.COMPLETE


def test_commands_of_a_queue_out_of_order_wait_for_their_threads():
    bench = Bench(codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    event = bench.write()
    event.wait()
    bench.queue.finish()
    assert threading.current_thread() not in bench.copied_by
    bench.let_go()


def test_a_marker_behind_a_user_event_asks_nobody_where_nothing_runs(bench):
    asked = []
    bench.runtime.streamQuery = lambda stream: asked.append(stream) or 0
    for turn in range(3):
        gate = UserEvent(bench.context)
        marker = commands.enqueue_marker(bench.queue, [gate])
        assert marker.status == codes.QUEUED
        gate.set_status(codes.COMPLETE)
        marker.wait()
        assert marker.status == codes.COMPLETE and bool(asked) == (turn == 2)
        if turn == 1:
            commands.enqueue_fill_buffer(bench.queue, bench.buffer, b"a", 0, 4)  # The next one has to wait for that.


def test_a_marker_behind_another_queue_too_is_asked_for(bench):
    other, asked = create_command_queue(bench.context, bench.queue.device), []
    bench.runtime.eventQuery = lambda event: asked.append(event) or (600 if len(asked) < 3 else 0)
    bench.runtime.streamQuery = lambda stream: 600 if len(asked) < 3 else 0
    gate = UserEvent(bench.context)
    before = commands.enqueue_fill_buffer(other, bench.buffer, b"a", 0, 4)
    marker = commands.enqueue_marker(bench.queue, [gate, before])
    gate.set_status(codes.COMPLETE)
    assert marker.status == codes.SUBMITTED
    marker.wait()
    assert len(asked) >= 3


def test_a_map_without_a_copy_waits_for_what_is_before_it(bench):
    waited = []
    bench.runtime.streamQuery = lambda stream: waited.append(stream) or (600 if len(waited) < 3 else 0)
    commands.enqueue_fill_buffer(bench.queue, bench.buffer, b"a", 0, 4)
    view, event = maps.enqueue_map_buffer(bench.queue, bench.buffer, True, codes.MAP_WRITE_INVALIDATE_REGION, 0, 4)
    assert len(waited) == 3 and event.status == codes.COMPLETE and event.command_type == codes.COMMAND_MAP_BUFFER
    later = maps.enqueue_map_buffer(bench.queue, bench.buffer, False, codes.MAP_WRITE_INVALIDATE_REGION, 8, 4)[1]
    assert len(waited) == 3 and later.position <= bench.queue.timeline.reached
    view[:] = b"abcd"
    maps.enqueue_unmap(bench.queue, bench.buffer, view)
    commands.enqueue_read_buffer(bench.queue, bench.buffer, True, 0, bench.found)
    assert bytes(bench.found)[:4] == b"abcd"


def test_a_map_reports_what_has_failed_before_it(bench):
    commands.enqueue_fill_buffer(bench.queue, bench.buffer, b"a", 0, 4)
    bench.runtime.streamQuery = lambda stream: 719  # cudaErrorLaunchFailure
    with pytest.raises(CLError) as error:
        maps.enqueue_map_buffer(bench.queue, bench.buffer, True, codes.MAP_WRITE_INVALIDATE_REGION, 0, 4)
    assert error.value.routine == "clEnqueueMapBuffer" and not bench.buffer.mappings
    bench.runtime.streamQuery = lambda stream: 0


def test_many_threads_wait(bench):
    bench.let_go()
    for _ in range(30):
        events = [bench.write(), bench.read(), bench.write()]
        threads = [threading.Thread(target=event.wait) for event in events] + [threading.Thread(target=bench.queue.finish)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert [event.status for event in events] == [codes.COMPLETE] * 3
    assert len(bench.copied_by) == 90 and (bench.found == bench.data).all()
