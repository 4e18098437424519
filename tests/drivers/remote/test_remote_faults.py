"""Workers that die, and networks that stall: commands end with errors in bounded time, other devices go on, nothing hangs."""

import time

import numpy as np
import pytest
from support.fails import fails

pytest.importorskip("msgpack", reason="the remote driver takes msgpack: pip install 'cl2cuda[cluster]'")
from support.remote_workers import WorkerProcess

from cl2cuda.runtime.commands.buffer import enqueue_copy_buffer, enqueue_fill_buffer, enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.native_kernel import enqueue_native_kernel
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.driver.interface import DeviceLost
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError
from cl2cuda.runtime.spec.status import STATUS

SECONDS = 3
# What is bounded has ended by then, on a machine that does much else, too: without a bound it would never end.
SOON = 30
LOOP = "__kernel void spin(__global int *x, int n) { volatile int v = 0; for (int i = 0; i < n; i++) v += i; x[0] = v; }"
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

    def spin(self, buffer, count):
        program = Program(self.context, LOOP)
        program.build("")
        kernel = Kernel(program, "spin")
        kernel.set_arg(0, buffer)
        kernel.set_arg(1, np.int32(count))
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
    with pytest.raises(CLError):
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
