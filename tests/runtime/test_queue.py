"""Command-queues: creation, order, ends; what is deferred by a user event."""

import gc
import threading
import weakref

import numpy as np
import pytest
from support.fails import fails, read
from support.fake_driver import FakeDevice
from support.threads import ends

from cl2cuda.runtime.commands.buffer import enqueue_barrier, enqueue_fill_buffer, enqueue_marker, enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverError, StreamHints
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.command import ISSUED
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError
from cl2cuda.runtime.spec.status import STATUS


def test_queries(fake):
    queue = create_command_queue(fake.context, fake.device, codes.QUEUE_PROFILING_ENABLE)
    assert queue.get_info(codes.QUEUE_CONTEXT) is fake.context
    assert queue.get_info(codes.QUEUE_DEVICE) is fake.device
    assert queue.get_info(codes.QUEUE_PROPERTIES) == codes.QUEUE_PROFILING_ENABLE
    fails("INVALID_VALUE", queue.get_info, 0x1234)
    fails("INVALID_COMMAND_QUEUE", queue.get_info, codes.QUEUE_SIZE)


def test_what_creation_refuses(fake):
    fails("INVALID_VALUE", create_command_queue, fake.context, fake.device, codes.QUEUE_ON_DEVICE)  # as clCreateCommandQueue
    fails("INVALID_VALUE", CommandQueue, fake.context, fake.device, 1 << 20)
    fails("INVALID_DEVICE", CommandQueue, fake.context, "device")


def test_property_lists(fake):
    """cl_khr_create_command_queue's, which OpenCL 2.0 took over."""
    given = ((codes.QUEUE_PROPERTIES, codes.QUEUE_PROFILING_ENABLE), (codes.QUEUE_PRIORITY_KHR, codes.QUEUE_PRIORITY_HIGH_KHR),
             (codes.QUEUE_THROTTLE_KHR, codes.QUEUE_THROTTLE_LOW_KHR))
    queue = create_command_queue(fake.context, fake.device, given)
    assert queue.get_info(codes.QUEUE_PROPERTIES) == codes.QUEUE_PROFILING_ENABLE
    assert queue.get_info(codes.QUEUE_PROPERTIES_ARRAY) == (*(word for pair in given for word in pair), 0)
    assert queue.hints == StreamHints("high", "low")
    assert fake.queue.get_info(codes.QUEUE_PROPERTIES_ARRAY) == ()
    for bad in ((codes.QUEUE_SIZE, 1000), (codes.QUEUE_PRIORITY_KHR, 3), (codes.QUEUE_THROTTLE_KHR, 0), (0x1234, 1),
                (codes.QUEUE_PROPERTIES, 1 << 20)):
        fails("INVALID_VALUE", CommandQueue, fake.context, fake.device, [bad])
    fails("INVALID_VALUE", CommandQueue, fake.context, fake.device, [given[1], given[1]])


def test_hints_are_for_queues_of_the_host(fake):
    """cl_khr_priority_hints, cl_khr_throttle_hints. A value that is none is the first thing that is wrong."""
    on_device = (codes.QUEUE_PROPERTIES, codes.QUEUE_ON_DEVICE | codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    for hint in (codes.QUEUE_PRIORITY_KHR, codes.QUEUE_THROTTLE_KHR):
        for level in (1, 2, 4):
            fails("INVALID_QUEUE_PROPERTIES", create_command_queue, fake.context, fake.device, [on_device, (hint, level)])
        fails("INVALID_VALUE", create_command_queue, fake.context, fake.device, [on_device, (hint, 3)])


def test_hinted_queues_work(device):
    """cl_khr_priority_hints, cl_khr_throttle_hints."""
    context = Context([device])
    for hint in (codes.QUEUE_PRIORITY_KHR, codes.QUEUE_THROTTLE_KHR):
        for level in (1, 2, 4):
            queue = create_command_queue(context, device, [(hint, level)])
            buffer, host = Buffer(context, 0, 64), bytearray(64)
            enqueue_fill_buffer(queue, buffer, b"h", 0, 64)
            enqueue_read_buffer(queue, buffer, True, 0, host)
            queue.finish()
            assert host == b"h" * 64


def test_nothing_is_asked_of_the_driver_for_events_that_nobody_uses(fake):
    buffer = Buffer(fake.context, 0, 16)
    for _ in range(5):
        enqueue_fill_buffer(fake.queue, buffer, b"x", 0, 16)
    assert fake.driver.fences == 0


def test_finish_runs_everything(fake):
    event = enqueue_marker(fake.queue)
    assert event.status == codes.SUBMITTED
    fake.queue.finish()
    assert event.status == codes.COMPLETE
    assert fake.queue.idle


def test_another_queue_waits_in_its_stream_not_on_the_host(fake):
    other = create_command_queue(fake.context, fake.device)
    buffer = Buffer(fake.context, 0, 4)
    first = enqueue_fill_buffer(fake.queue, buffer, b"a", 0, 4)
    second = enqueue_fill_buffer(other, buffer, b"b", 0, 4, [first])
    assert first.status == second.status == codes.SUBMITTED
    second.wait()
    assert first.status == codes.COMPLETE
    assert read(fake, buffer) == b"bbbb"


def test_wait_lists_are_checked(fake):
    fails("INVALID_EVENT_WAIT_LIST", enqueue_marker, fake.queue, ["event"])
    stranger = UserEvent(Context([fake.device]))
    fails("INVALID_CONTEXT", enqueue_barrier, fake.queue, [stranger])


def test_a_user_event_holds_its_queue_back_but_not_the_host(fake):
    buffer = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, host=b"....")
    gate = UserEvent(fake.context)
    before = enqueue_fill_buffer(fake.queue, buffer, b"1", 0, 1)
    held = enqueue_fill_buffer(fake.queue, buffer, b"2", 1, 1, [gate])
    later = enqueue_fill_buffer(fake.queue, buffer, b"3", 1, 2)
    before.wait()
    assert held.status == later.status == codes.QUEUED
    gate.set_status(codes.COMPLETE)
    assert held.status == codes.SUBMITTED
    later.wait()
    assert held.status == codes.COMPLETE
    assert read(fake, buffer) == b"133."
    assert not fake.queue.needs_full_submit


def test_a_held_command_holds_those_in_other_queues_that_wait_for_it(fake):
    other = create_command_queue(fake.context, fake.device)
    gate = UserEvent(fake.context)
    first = enqueue_marker(fake.queue, [gate])
    second = enqueue_marker(other, [first])
    assert second.status == codes.QUEUED
    gate.set_status(0)
    second.wait()
    assert first.status == codes.COMPLETE


def test_a_marker_behind_a_user_event_keeps_its_place(fake):
    """Of another context's event it says so, and a queue that holds commands back has it behind those."""
    buffer = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, host=b"....")
    gate, second = UserEvent(fake.context), UserEvent(fake.context)
    fails("INVALID_CONTEXT", enqueue_marker, fake.queue, [UserEvent(Context([fake.device]))])
    marker = enqueue_marker(fake.queue, [gate])
    held = enqueue_fill_buffer(fake.queue, buffer, b"2", 1, 1)
    behind = enqueue_marker(fake.queue, [second])
    second.set_status(0)
    assert [each.status for each in (marker, held, behind)] == [codes.QUEUED] * 3
    gate.set_status(0)
    behind.wait()
    assert [each.status for each in (marker, held, behind)] == [codes.COMPLETE] * 3 and not fake.queue.needs_full_submit
    late = enqueue_marker(fake.queue, [gate])
    late.wait()
    fake.queue.release()
    fails("INVALID_COMMAND_QUEUE", enqueue_marker, fake.queue, [UserEvent(fake.context)])


def test_a_failed_user_event_terminates_what_waits_for_it(fake):
    gate = UserEvent(fake.context)
    held = enqueue_marker(fake.queue, [gate])
    after = enqueue_marker(fake.queue, [held])
    gate.set_status(-5)
    assert held.status == after.status == -14
    with pytest.raises(CLError, match="EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"):
        held.wait()
    assert enqueue_marker(fake.queue, [gate]).status == -14
    enqueue_marker(fake.queue).wait()
    buffer = Buffer(fake.context, 0, 4)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", enqueue_read_buffer, fake.queue, buffer, True, 0, bytearray(4), [gate])


def test_blocking_commands_and_finish_wait_for_a_user_event_of_another_thread(fake):
    buffer = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, host=b"abcd")
    gate, host = UserEvent(fake.context), bytearray(4)
    timer = threading.Timer(0.05, gate.set_status, [0])
    timer.start()
    enqueue_read_buffer(fake.queue, buffer, True, 0, host, [gate])
    assert host == b"abcd"
    second = UserEvent(fake.context)
    event = enqueue_marker(fake.queue, [second])
    threading.Timer(0.05, second.set_status, [0]).start()
    fake.queue.finish()
    assert event.status == codes.COMPLETE


def test_without_a_thread_for_it_a_command_is_issued_where_its_gate_opens(fake, monkeypatch):
    """Else it would never be, and whoever waits for it waits for ever."""
    def refused(thread):
        raise RuntimeError("can't start new thread")

    gate, issued = UserEvent(fake.context), []
    event = fake.queue.submit("clEnqueueWriteBuffer", codes.COMMAND_WRITE_BUFFER, lambda stream: issued.append(stream) or ISSUED, [gate],
                              offload=True)
    monkeypatch.setattr(threading.Thread, "start", refused)
    gate.set_status(codes.COMPLETE)
    assert issued == [fake.queue.stream]
    event.wait()


def test_what_waits_for_a_failed_command_goes_on_whatever_the_contexts_callback_raises(fake, monkeypatch):
    told, raised = [], []
    monkeypatch.setattr(threading, "excepthook", raised.append)

    def callback(text):
        told.append(text)
        raise ValueError("it is wrong")

    def failing(stream):
        raise DriverError("the device has no more", "OUT_OF_RESOURCES")

    fake.context.callback, gate = callback, UserEvent(fake.context)
    event = fake.queue.submit("clEnqueueWriteBuffer", codes.COMMAND_WRITE_BUFFER, failing, [gate])
    gate.set_status(codes.COMPLETE)
    assert event.status == STATUS["OUT_OF_RESOURCES"] and len(told) == len(raised) == 1


def test_a_released_queue_refuses_work(fake):
    queue = create_command_queue(fake.context, fake.device)
    queue.release()
    queue.release()
    fails("INVALID_COMMAND_QUEUE", enqueue_marker, queue)
    fails("INVALID_COMMAND_QUEUE", queue.finish)


def test_order_across_queues_on_a_device(device):
    context = Context([device])
    queues = [create_command_queue(context, device) for _ in range(3)]
    buffer = Buffer(context, 0, 1 << 20)
    event = None
    for turn in range(30):
        event = enqueue_fill_buffer(queues[turn % 3], buffer, bytes([turn]), 0, 1 << 20, [event] if event else [])
    host = bytearray(1 << 20)
    enqueue_read_buffer(queues[0], buffer, True, 0, host, [event])
    assert host == bytes([29]) * (1 << 20)


def test_a_buffer_released_while_a_command_that_uses_it_is_held(fake):
    gate = UserEvent(fake.context)
    buffer, host = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, host=b"abcd"), bytearray(4)
    event = enqueue_read_buffer(fake.queue, buffer, False, 0, host, [gate])
    buffer.release()
    gate.set_status(0)
    event.wait()
    assert host == b"abcd"


def test_a_queue_released_with_deferred_commands_runs_them(fake):
    gate, buffer = UserEvent(fake.context), Buffer(fake.context, codes.MEM_COPY_HOST_PTR, host=b"abcd")
    queue = create_command_queue(fake.context, fake.device)
    event = enqueue_fill_buffer(queue, buffer, b"x", 0, 2, [gate])
    queue.release()
    stream = queue.stream
    del queue
    assert not stream.closed
    released = Buffer(fake.context, 0, 4)
    assert released.address
    released.release()
    fake.context.reclaim()
    assert len(fake.driver.memory) == 2  # held commands might use it
    gate.set_status(0)
    assert event.status == codes.COMPLETE and stream.closed
    assert read(fake, buffer) == b"xxcd"
    fake.context.reclaim()
    assert fake.context._reusable.bytes == 4, "it waits for the next buffer"
    fake.context.reclaim_all()
    assert len(fake.driver.memory) == 1


@pytest.mark.parametrize("queues", [1, 2])
def test_a_long_chain_of_held_commands(fake, queues):
    """Longer than Python's stack, and from queue to queue."""
    chain = [fake.queue, create_command_queue(fake.context, fake.device)][:queues]
    gate = event = UserEvent(fake.context)
    for turn in range(3000):
        event = enqueue_marker(chain[turn % queues], [event])
    gate.set_status(0)
    event.wait()
    assert event.status == codes.COMPLETE


def test_waiting_in_one_thread_while_another_finishes_the_queue(real_device):
    """`finish` of one thread must not let another believe that a command has ended."""
    context = Context([real_device])
    queue = create_command_queue(context, real_device)
    buffer = Buffer(context, 0, 1 << 22)
    for turn in range(20):
        enqueue_marker(queue).wait()
        enqueue_fill_buffer(queue, buffer, bytes([turn] * 8), 0, 1 << 22)
        event = enqueue_marker(queue)
        other = threading.Thread(target=queue.finish)
        other.start()
        event.wait()
        assert event.status == codes.COMPLETE
        other.join()


def test_what_is_offloaded_keeps_its_place(fake):
    """A command that another thread runs: later ones of the queue wait for it, the caller does not."""
    turn, order = threading.Event(), []

    def slow(stream):
        turn.wait(5)
        order.append("slow")

    first = fake.queue.submit("clEnqueueWriteBuffer", codes.COMMAND_WRITE_BUFFER, slow, offload=True)
    second = fake.queue.submit("clEnqueueMarker", codes.COMMAND_MARKER, lambda stream: order.append("quick"))
    assert first.status > codes.SUBMITTED - 2 and second.status == codes.QUEUED and not order
    turn.set()
    second.wait()
    assert order == ["slow", "quick"]
    fake.queue.finish()
    assert not fake.queue.needs_full_submit


def test_what_is_offloaded_does_not_run_before_what_it_waits_for_has_ended(fake):
    turn, began, end, order = threading.Event(), threading.Event(), threading.Event(), []
    other = create_command_queue(fake.context, fake.device)
    first = other.submit("clEnqueueMarker", codes.COMMAND_MARKER, lambda stream: stream.add(lambda: turn.wait(5) and None))

    def slow(stream):
        order.append(first.status)
        began.set()
        end.wait(5)

    second = fake.queue.submit("clEnqueueWriteBuffer", codes.COMMAND_WRITE_BUFFER, slow, [first], offload=True)
    assert not began.wait(0.05) and first.status > codes.COMPLETE and second.status in (codes.QUEUED, codes.SUBMITTED)
    turn.set()
    assert began.wait(5) and second.status == codes.RUNNING and order == [codes.COMPLETE]
    end.set()
    second.wait()
    assert second.status == codes.COMPLETE


def test_a_brief_copy_is_the_callers_where_nothing_comes_before(fake, monkeypatch):
    """Another thread would take longer to begin with it; what has to wait for other commands is that thread's, however little it is."""
    stream, other = fake.queue.stream, create_command_queue(fake.context, fake.device)
    monkeypatch.setattr(type(stream), "blocks_caller", lambda self, kind, host, size: True)
    monkeypatch.setattr(type(stream), "brief_copy", 64)

    def is_another_threads(queue, size, wait_for=()):
        return queue.blocks_caller("host_to_device", 0, size, wait_for)

    assert not is_another_threads(fake.queue, 64) and is_another_threads(fake.queue, 65)
    assert is_another_threads(fake.queue, 64, [enqueue_marker(other)])
    fake.queue.submit("clEnqueueMarker", codes.COMMAND_MARKER, lambda stream: stream.add(lambda: None))
    assert is_another_threads(fake.queue, 64)
    fake.queue.finish()
    assert not is_another_threads(fake.queue, 64)
    gate = UserEvent(fake.context)
    enqueue_marker(fake.queue, [gate])
    assert is_another_threads(fake.queue, 64)
    gate.set_status(codes.COMPLETE)
    fake.queue.finish()
    unordered = create_command_queue(fake.context, fake.device, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    assert is_another_threads(unordered, 64)
    enqueue_write_buffer(fake.queue, Buffer(fake.context, 0, 64), False, 0, bytes(64))
    assert not fake.queue.has_deferred


@pytest.mark.parametrize("properties", [0, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE])
def test_waiting_until_a_command_is_issued(fake, properties):
    """Another thread's work is waited for, the application is not: it may be this thread that opens its user event."""
    queue = create_command_queue(fake.context, fake.device, properties)
    turn, waits = threading.Event(), threading.Event()
    copied = queue.submit("clEnqueueWriteBuffer", codes.COMMAND_WRITE_BUFFER, lambda stream: waits.set() or turn.wait(5), offload=True)
    behind = enqueue_marker(queue, [copied])
    assert waits.wait(5) and behind.pending
    threading.Timer(0.02, turn.set).start()
    assert behind.wait_until_issued() and turn.is_set() and not behind.pending
    gate = UserEvent(fake.context)
    held = enqueue_marker(queue, [enqueue_marker(queue, [gate])])
    assert not gate.wait_until_issued() and not held.wait_until_issued() and held.pending
    gate.set_status(codes.COMPLETE)
    assert held.wait_until_issued() and not held.pending


def test_a_wait_for_another_drivers_event_does_not_block_the_caller(monkeypatch):
    """The drivers cannot wait for each other: a thread does."""
    platform, turn = object(), threading.Event()
    devices = [Device(platform, name, FakeDevice()) for name in ("fake", "other")]
    context = Context(devices)
    queues = [create_command_queue(context, device) for device in devices]
    buffer, host = Buffer(context, codes.MEM_COPY_HOST_PTR, host=b"abcd"), bytearray(4)
    first = queues[0].submit("clEnqueueMarker", codes.COMMAND_MARKER, lambda stream: stream.add(lambda: turn.wait(5) and None))
    filled = enqueue_fill_buffer(queues[0], buffer, b"x", 0, 2, [first])
    read = enqueue_read_buffer(queues[1], buffer, False, 0, host, [filled])
    assert read.status == codes.QUEUED
    turn.set()
    read.wait()
    assert host == b"xxcd"
    gate = UserEvent(context)
    failed = enqueue_marker(queues[1], [enqueue_marker(queues[0], [gate])])
    gate.set_status(-3)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", failed.wait)


def test_a_held_command_that_cannot_be_frozen_holds_nothing_up(fake):
    def cannot():
        raise ValueError

    gate = UserEvent(fake.context)
    with pytest.raises(ValueError):
        fake.queue.submit("clEnqueueNDRangeKernel", codes.COMMAND_NDRANGE_KERNEL, lambda stream: None, [gate], freeze=cannot)
    enqueue_marker(fake.queue).wait()


def test_the_search_for_garbage_does_not_wait_for_a_queues_commands(fake):
    """Its thread may be the one that hears of their end. The host's memory stays until then."""
    queue, buffer, host = create_command_queue(fake.context, fake.device), Buffer(fake.context, 0, 64), np.zeros(64, np.uint8)
    stream, alive = queue.stream, weakref.ref(host)
    stream.close = lambda: None  # CUDA's does not wait either
    enqueue_read_buffer(queue, buffer, False, 0, host)
    queue.itself = queue
    del queue, host
    assert ends(gc.collect) and stream.commands and alive() is not None
    fake.context.reclaim()
    assert alive() is not None
    stream.synchronize()
    fake.context.reclaim()
    assert alive() is None
