"""Workers that die, and networks that stall: commands end with errors in bounded time, other devices go on, nothing hangs."""

import contextlib
import time

import numpy as np
import pytest
from support.fails import fails

pytest.importorskip("msgpack", reason="the remote driver takes msgpack: pip install 'cl2cuda[cluster]'")
from support.remote_workers import WorkerProcess

from cl2cuda.runtime.commands.buffer import (
    enqueue_barrier,
    enqueue_copy_buffer,
    enqueue_fill_buffer,
    enqueue_marker,
    enqueue_read_buffer,
    enqueue_write_buffer,
)
from cl2cuda.runtime.commands.native_kernel import enqueue_native_kernel
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.driver.interface import DeviceLost
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.replicated import Ready
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.command import ISSUED
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError
from cl2cuda.runtime.spec.status import STATUS

SECONDS = 3
# What is bounded has ended by then, on a machine that does much else, too: without a bound it would never end.
SOON = 30
LOOP = "__kernel void spin(__global int *x, int n) { volatile int v = 0; for (int i = 0; i < n; i++) v += i; x[0] = v; }"
COPY = "__kernel void copy(__global uint *to, __global const uint *of) { to[get_global_id(0)] = of[get_global_id(0)]; }"
LONG = 2_000_000_000  # iterations: half a second on a quick machine, some seconds on others


class On:
    def __init__(self, *devices):
        self.context = Context(devices)
        self.queues = [create_command_queue(self.context, device) for device in devices]
        self.queue = self.queues[0]

    def buffer(self, data):
        return Buffer(self.context, codes.MEM_COPY_HOST_PTR, host=data)

    def read(self, buffer, queue=None):
        found = np.zeros(buffer.size, np.uint8)
        enqueue_read_buffer(queue or self.queue, buffer, True, 0, found)
        return found

    def kernel(self, source, name, *arguments):
        program = Program(self.context, source)
        program.build("")
        kernel = Kernel(program, name)
        for index, argument in enumerate(arguments):
            kernel.set_arg(index, argument)
        return kernel

    def spin(self, buffer, count):
        kernel = self.kernel(LOOP, "spin", buffer, np.int32(count))
        return [enqueue_nd_range_kernel(self.queue, kernel, 1, None, (1,), (1,)) for _ in range(6)][-1]


@pytest.fixture
def worker():
    started = WorkerProcess()
    yield started
    started.kill()


@pytest.fixture
def other():
    started = WorkerProcess("other")
    yield started
    started.kill()


def bounded(call, seconds):
    start = time.monotonic()
    result = call()
    assert time.monotonic() - start < seconds
    return result


def test_a_worker_that_dies(worker):
    on = On(*worker.devices(SECONDS))
    buffer = on.buffer(np.zeros(64, np.uint8))
    event = on.spin(buffer, LONG)
    on.queue.flush()
    assert event.status > 0
    time.sleep(0.2)
    worker.kill()
    bounded(lambda: fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", event.wait), SOON)
    assert event.status == STATUS["DEVICE_NOT_AVAILABLE"]
    fails("DEVICE_NOT_AVAILABLE", on.queue.finish)
    fails("DEVICE_NOT_AVAILABLE", enqueue_fill_buffer, on.queue, buffer, b"\1", 0, 64)
    fails("DEVICE_NOT_AVAILABLE", on.read, buffer)
    fails("DEVICE_NOT_AVAILABLE", on.buffer, np.zeros(64, np.uint8))
    fails("DEVICE_NOT_AVAILABLE", create_command_queue, on.context, on.queue.device)
    buffer.release()  # nobody is left to free it
    on.queue.release()


def test_callbacks_come_with_the_error(worker):
    on = On(*worker.devices(SECONDS))
    event = on.spin(on.buffer(np.zeros(64, np.uint8)), LONG)
    told = []
    event.set_callback(codes.COMPLETE, told.append)
    time.sleep(0.2)
    worker.kill()
    end = time.monotonic() + SOON
    while not told and time.monotonic() < end:
        time.sleep(0.01)
    assert told == [STATUS["DEVICE_NOT_AVAILABLE"]]


def test_a_network_that_stalls(worker):
    """The connections stay, and nothing comes: after CL2CUDA_CLUSTER_TIMEOUT the worker is lost."""
    on = On(*worker.devices(SECONDS))
    buffer = on.buffer(np.arange(64, dtype=np.uint8))
    worker.stop()
    bounded(lambda: fails("DEVICE_NOT_AVAILABLE", on.read, buffer), SOON)
    worker.go_on()
    fails("DEVICE_NOT_AVAILABLE", on.read, buffer)  # What is lost stays lost: the worker has given everything back.


def test_a_stall_while_much_is_sent(worker):
    on = On(*worker.devices(SECONDS))
    data = np.zeros(64 << 20, np.uint8)
    buffer = Buffer(on.context, 0, data.nbytes)
    worker.stop()
    bounded(lambda: fails("DEVICE_NOT_AVAILABLE", enqueue_write_buffer, on.queue, buffer, True, 0, data), SOON)


def test_a_short_stall_is_none(worker):
    on = On(*worker.devices(30))
    buffer = on.buffer(np.arange(64, dtype=np.uint8))
    worker.stop()
    time.sleep(1)
    worker.go_on()
    assert (on.read(buffer) == np.arange(64)).all()


def test_a_kernel_may_take_longer_than_silence_may_last(worker):
    on = On(*worker.devices(SECONDS))
    buffer, start = on.buffer(np.zeros(64, np.uint8)), time.monotonic()
    while time.monotonic() - start < 1.2 * SECONDS:
        on.spin(buffer, LONG)
        on.queue.finish()


def test_other_devices_go_on(worker, other):
    (lost,), (living,) = worker.devices(SECONDS), other.devices(SECONDS)
    on = On(lost, living)
    mine, theirs = on.buffer(np.arange(64, dtype=np.uint8)), on.buffer(np.arange(64, dtype=np.uint8))
    enqueue_fill_buffer(on.queues[0], mine, b"\7", 0, 64)
    enqueue_fill_buffer(on.queues[1], theirs, b"\5", 0, 64)
    for queue in on.queues:
        queue.finish()
    worker.kill()
    assert (on.read(theirs, on.queues[1]) == 5).all()
    fails("DEVICE_NOT_AVAILABLE", on.read, mine, on.queues[1])
    fails("DEVICE_NOT_AVAILABLE", on.read, mine, on.queues[0])
    # Neither the queue nor the context is worse for it.
    fresh = Context([living])
    queue = create_command_queue(fresh, living)
    buffer = Buffer(fresh, codes.MEM_COPY_HOST_PTR, host=np.full(64, 3, np.uint8))
    found = np.zeros(64, np.uint8)
    enqueue_read_buffer(queue, buffer, True, 0, found)
    assert (found == 3).all()
    enqueue_fill_buffer(on.queues[1], theirs, b"\6", 0, 64)
    assert (on.read(theirs, on.queues[1]) == 6).all()


def test_what_waits_for_a_lost_device_does_not_run(worker, other):
    on = On(*worker.devices(SECONDS), *other.devices(SECONDS))
    slow, target, others = (on.buffer(np.zeros(64, np.uint8)) for _ in range(3))
    for buffer in (target, others):
        enqueue_fill_buffer(on.queues[1], buffer, b"\1", 0, 64).wait()
    event = on.spin(slow, LONG)
    later = enqueue_fill_buffer(on.queues[1], target, b"\2", 0, 64, [event])
    on.queues[1].flush()
    time.sleep(0.3)
    worker.kill()
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", later.wait)
    assert later.status < 0
    enqueue_fill_buffer(on.queues[1], others, b"\2", 0, 64).wait()
    assert (on.read(others, on.queues[1]) == 2).all()
    assert (on.read(target, on.queues[1]) == 1).all()


def test_a_device_that_read_a_buffer_and_is_lost_takes_nothing_along(worker, other):
    """What the lost one did with the buffer has ended; what it did later has not."""
    devices = [*worker.devices(SECONDS), *other.devices(SECONDS), *other.devices(SECONDS)]
    on = On(*devices)
    buffer, slow = on.buffer(np.arange(64, dtype=np.uint8)), on.buffer(np.zeros(64, np.uint8))
    enqueue_fill_buffer(on.queues[0], buffer, b"\1", 0, 64).wait()
    enqueue_fill_buffer(on.queues[1], buffer, b"\2", 0, 64).wait()
    on.spin(slow, LONG)
    on.queue.flush()
    fence = on.queue.timeline.current_fence()
    worker.kill()
    assert (on.read(buffer, on.queues[2]) == 2).all()
    with pytest.raises(DeviceLost):
        fence.wait()
    assert [device.get_info(codes.DEVICE_AVAILABLE) for device in devices] == [False, True, True]


def test_contents_come_from_a_device_that_lives(worker, other):
    devices = [*worker.devices(SECONDS), *other.devices(SECONDS), *other.devices(SECONDS)]
    on = On(*devices)
    buffer = on.buffer(np.arange(64, dtype=np.uint8))
    enqueue_fill_buffer(on.queues[0], buffer, b"\1", 0, 64).wait()
    assert (on.read(buffer, on.queues[1]) == 1).all()
    worker.kill()
    fails("DEVICE_NOT_AVAILABLE", on.read, buffer)
    assert (on.read(buffer, on.queues[2]) == 1).all()
    assert (on.read(on.buffer(np.full(64, 5, np.uint8)), on.queues[1]) == 5).all()


@pytest.mark.parametrize("properties", [0, codes.QUEUE_PROFILING_ENABLE], ids=["", "timed"])
@pytest.mark.parametrize("way", ["blocking read", "finish", "another event", "native kernel"])
def test_a_failure_that_another_call_was_told_is_still_the_commands(worker, other, way, properties):
    """A command that was left out does not become a successful one because a call of another command has raised its failure."""
    on = On(*worker.devices(SECONDS), *other.devices(SECONDS))
    queue = create_command_queue(on.context, on.queues[1].device, properties)
    target, others = (on.buffer(np.zeros(64, np.uint8)) for _ in range(2))
    for buffer in (target, others):
        enqueue_fill_buffer(queue, buffer, b"\1", 0, 64).wait()
    event = on.spin(on.buffer(np.zeros(64, np.uint8)), LONG)
    before = enqueue_fill_buffer(queue, others, b"\2", 0, 64)
    before.wait()
    left_out = enqueue_fill_buffer(queue, target, b"\2", 0, 64, [event])
    worker.kill()
    # A queue that takes times knows each command's end: the other event is of one that has run.
    blameless = way == "another event" and properties
    with contextlib.nullcontext() if blameless else pytest.raises(CLError):
        if way == "blocking read":
            on.read(others, queue)
        elif way == "finish":
            queue.finish()
        elif way == "another event":
            enqueue_fill_buffer(queue, others, b"\3", 0, 64).wait()
        else:
            enqueue_native_kernel(queue, lambda block: None, bytes(8), [others], [0]).wait()
    queue.finish()
    enqueue_fill_buffer(queue, others, b"\4", 0, 64).wait()
    assert left_out.status < 0
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", left_out.wait)
    before.wait()
    assert (on.read(target, queue) == 1).all()
    assert (on.read(others, queue) == 4).all()


TIMED = pytest.mark.parametrize("properties", [0, codes.QUEUE_PROFILING_ENABLE], ids=["", "timed"])


@TIMED
@pytest.mark.parametrize("same", [False, True], ids=["two workers", "one worker"])
@pytest.mark.parametrize("enqueue", [enqueue_marker, enqueue_barrier])
def test_a_marker_that_waits_for_a_failure_fails_and_nothing_else_does(worker, other, enqueue, same, properties):
    on = On(*worker.devices(SECONDS), *other.devices(SECONDS))
    queue = create_command_queue(on.context, on.queues[1].device, properties)
    target = on.buffer(np.zeros(64, np.uint8))
    enqueue_fill_buffer(queue, target, b"\1", 0, 64).wait()
    failing = create_command_queue(on.context, on.queues[1].device) if same else on.queue
    event = failure_in(failing, on, worker)
    before = enqueue_fill_buffer(queue, target, b"\2", 0, 32)
    before.wait()
    marker = enqueue(queue, [event])
    later = enqueue_fill_buffer(queue, target, b"\3", 32, 32)
    if not same:
        worker.kill()
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", marker.wait)
    assert marker.status == STATUS["EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"]
    assert bytes(on.read(target, queue)) == 32 * b"\2" + 32 * b"\3"
    if properties:
        assert later.status == codes.COMPLETE
    before.wait()
    after = enqueue_fill_buffer(queue, target, b"\4", 0, 64)
    after.wait()
    assert after.status == codes.COMPLETE and (on.read(target, queue) == 4).all()


def failure_in(queue, on, worker):
    """The event of a command that has failed, or fails when the worker is killed."""
    if queue is on.queue:
        return on.spin(on.buffer(np.zeros(64, np.uint8)), LONG)
    position = queue.submit("a command that no worker knows", codes.COMMAND_MARKER, lambda stream: stream.add((99, "")) or ISSUED)
    with pytest.raises(CLError):
        position.wait()
    return position


@TIMED
def test_all_of_a_command_is_left_out(worker, other, properties):
    """A launch whose contents are on another worker is several commands of the stream. The contents come all the same, so that what needs
    them next finds them."""
    on = On(*worker.devices(SECONDS), *other.devices(SECONDS), *other.devices(SECONDS))
    queue = create_command_queue(on.context, on.queues[1].device, properties)
    source, target = on.buffer(np.full(64, 5, np.uint8)), on.buffer(np.full(64, 6, np.uint8))
    for buffer in (source, target):
        enqueue_fill_buffer(on.queues[2], buffer, b"\7", 0, 64).wait()
    event = on.spin(on.buffer(np.zeros(64, np.uint8)), LONG)
    copy = on.kernel(COPY, "copy", target, source)
    left_out = enqueue_nd_range_kernel(queue, copy, 1, None, (16,), (16,), [event])
    later = enqueue_fill_buffer(queue, source, b"\1", 0, 1)
    worker.kill()
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", left_out.wait)
    assert left_out.status == STATUS["EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"]
    queue.finish()
    assert bytes(on.read(source, queue)) == b"\1" + 63 * b"\7"
    assert (on.read(target, queue) == 7).all()
    if properties:
        assert later.status == codes.COMPLETE


def test_a_launch_whose_contents_do_not_come_is_left_out(worker, other):
    on = On(*worker.devices(SOON), *other.devices(SOON))
    gone, target, mine = (on.buffer(np.zeros(64, np.uint8)) for _ in range(3))
    enqueue_fill_buffer(on.queue, gone, b"\1", 0, 64).wait()
    for buffer in (target, mine):
        enqueue_fill_buffer(on.queues[1], buffer, b"\2", 0, 64).wait()
    copy = on.kernel(COPY, "copy", target, gone)
    worker.stop()  # which other workers can connect to all the same
    first = enqueue_nd_range_kernel(on.queues[1], copy, 1, None, (16,), (16,))
    second = enqueue_copy_buffer(on.queues[1], gone, mine, 0, 0, 32)  # the same contents, which are not known to be lost yet
    worker.kill()
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", first.wait)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", second.wait)
    assert first.status == second.status == STATUS["DEVICE_NOT_AVAILABLE"]
    enqueue_fill_buffer(on.queues[1], mine, b"\3", 0, 1).wait()
    assert bytes(on.read(mine, on.queues[1])) == b"\3" + 63 * b"\2"


def test_a_copy_that_has_failed_is_made_again(worker, other):
    """From a device where the contents are, once it is known that they have not come."""
    on = On(*worker.devices(SOON), *other.devices(SOON), *other.devices(SOON))
    buffer = on.buffer(np.zeros(64, np.uint8))
    enqueue_fill_buffer(on.queues[2], buffer, b"\5", 0, 64).wait()
    device, stream = on.queues[1].device, on.queues[1].stream
    storage = buffer.storage
    assert (on.read(buffer, on.queues[1]) == 5).all()
    stream.begin_contents()
    stream.add((99, ""))
    failed = Ready(stream.fence(False), stream, "remote")
    stream.end_contents()
    stream.wait_until(failed.fence.number)
    with storage._lock:
        for piece in storage._directory.cut(0, 64):
            piece.valid[device] = failed
        storage._update(0, 64)
    enqueue_fill_buffer(on.queues[1], buffer, b"\6", 0, 1).wait()
    assert bytes(on.read(buffer, on.queues[1])) == b"\6" + 63 * b"\5"


def test_what_comes_after_a_barrier_is_not_what_failed_before_it(worker):
    on = On(*worker.devices(SECONDS))
    queue = create_command_queue(on.context, on.queue.device, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    buffer = on.buffer(np.zeros(64, np.uint8))
    failed = queue.submit("a command that no worker knows", codes.COMMAND_FILL_BUFFER, lambda stream: stream.add((99, "")) or ISSUED)
    barrier = enqueue_barrier(queue)
    later = enqueue_fill_buffer(queue, buffer, b"\2", 0, 64)
    assert len({event.timeline for event in (failed, barrier)}) == 2
    later.wait()
    barrier.wait()
    assert (on.read(buffer, on.queue) == 2).all()
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", failed.wait)


def test_a_command_that_waits_for_what_is_known_to_have_failed(worker):
    on = On(*worker.devices(SECONDS))
    second = create_command_queue(on.context, on.queue.device)
    buffer = on.buffer(np.full(64, 1, np.uint8))
    failed = failure_in(second, on, worker)
    fill = on.kernel(COPY, "copy", buffer, on.buffer(np.full(64, 2, np.uint8)))
    for queue in (on.queue, second):
        for event in (enqueue_fill_buffer(queue, buffer, b"\2", 0, 64, [failed]), enqueue_marker(queue, [failed]),
                      enqueue_nd_range_kernel(queue, fill, 1, None, (16,), (16,), [failed])):
            fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", event.wait)
            assert event.status == STATUS["EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"]
    assert (on.read(buffer) == 1).all()


def test_a_status_that_is_asked_tells_of_its_own_command(worker):
    """Asking notes a failure, as waiting does: commands of later fences are not taken for failed, nor earlier ones."""
    on = On(*worker.devices(SECONDS))
    queue, buffer = on.queue, on.buffer(np.zeros(64, np.uint8))
    earlier = enqueue_fill_buffer(queue, buffer, b"\1", 0, 64)
    earlier.end_fence()
    failed = queue.submit("a command that no worker knows", codes.COMMAND_MARKER, lambda stream: stream.add((99, "")) or ISSUED)
    failed.end_fence()
    later = [enqueue_fill_buffer(queue, buffer, b"\2", 0, 64) for _ in range(3)]
    for event in later:
        event.wait()
    assert [event.status for event in later] == [codes.COMPLETE] * 3
    assert earlier.status == codes.COMPLETE and failed.status == STATUS["OUT_OF_RESOURCES"]
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", failed.wait)


def test_the_start_of_a_command_is_not_what_failed_before_it(worker):
    """A queue that takes times has a fence before each command, too."""
    on = On(*worker.devices(SECONDS))
    queue = create_command_queue(on.context, on.queue.device, codes.QUEUE_PROFILING_ENABLE)
    buffer = on.buffer(np.zeros(64, np.uint8))
    failed = queue.submit("a command that no worker knows", codes.COMMAND_MARKER, lambda stream: stream.add((99, "")) or ISSUED)
    later = enqueue_fill_buffer(queue, buffer, b"\2", 0, 64)
    later.times[2].stream.wait_until(later.times[2].number)
    assert later.status >= codes.COMPLETE
    later.wait()
    assert later.profile(codes.PROFILING_COMMAND_END) >= later.profile(codes.PROFILING_COMMAND_START)
    assert failed.status == STATUS["OUT_OF_RESOURCES"]


def test_a_worker_gives_back_what_a_client_that_has_gone_had(worker):
    driver = worker.devices(SECONDS)[0].driver_device
    facts = []
    for _ in range(3):
        device = worker.devices(SECONDS)[0].driver_device
        device.allocate(1 << 30)
        device.session._watched.close()
    end = time.monotonic() + 10
    while time.monotonic() < end and not facts:
        try:
            address = driver.allocate(1 << 20)
        except CLError:
            continue
        facts.append(address)
    assert facts


def test_copies_of_a_buffer_survive(worker, other):
    """A buffer whose contents were copied to a living device by a command is whole there."""
    on = On(*worker.devices(SECONDS), *other.devices(SECONDS))
    source, copy = on.buffer(np.arange(64, dtype=np.uint8)), Buffer(on.context, 0, 64)
    enqueue_copy_buffer(on.queues[1], source, copy, 0, 0, 64).wait()
    worker.kill()
    assert (on.read(copy, on.queues[1]) == np.arange(64)).all()
