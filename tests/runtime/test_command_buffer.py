"""Command-buffers: recording, order, replay, states, updates, and what every routine refuses."""

import gc
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from support.devices import needs_shared_memory
from support.fails import fails
from support.kernel_facts import arg, kernel_info
from support.recorded import FLAGS, SIMULTANEOUS, Built, On, imagine_graphs

from cl2cuda.runtime.command_buffer import recording
from cl2cuda.runtime.command_buffer.command_buffer import CommandBuffer
from cl2cuda.runtime.command_buffer.mutable_dispatch import update_mutable_commands
from cl2cuda.runtime.commands import svm as svm_commands
from cl2cuda.runtime.commands.buffer import enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.svm import svm_alloc, svm_free
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


@pytest.fixture
def on(device):
    return On(device)


@pytest.fixture
def built(real_device):
    return Built(real_device)


# Recording and replay


def test_copies_and_fills_are_replayed(on):
    data = np.arange(64, dtype=np.int32)
    source, middle, target = on.buffer(data), Buffer(on.context, 0, 256), on.buffer(np.zeros(64, np.int32))
    record = on.command_buffer()
    recording.fill_buffer(record, middle, bytes(range(16)), 0, 256)
    recording.copy_buffer(record, source, middle, 0, 64, 128)
    recording.copy_buffer_rect(record, middle, target, (0, 0, 0), (0, 0, 0), (16, 4, 4), (16, 64), (16, 64))
    assert (on.read(target) == 0).all()
    record.finalize()
    expected = np.tile(np.frombuffer(bytes(range(16)), np.int32), 16)
    expected[16:48] = data[:32]
    for _ in range(2):
        enqueue_write_buffer(on.queue, target, False, 0, np.zeros(64, np.int32))
        record.enqueue().wait()
        assert (on.read(target) == expected).all()
    enqueue_write_buffer(on.queue, source, False, 0, data[::-1].copy())
    record.enqueue()
    expected[16:48] = data[::-1][:32]
    assert (on.read(target) == expected).all()


def test_buffers_live_as_long_as_the_recording(on):
    source, target = on.buffer(np.full(16, 7, np.int32)), on.buffer(np.zeros(16, np.int32))
    record = on.command_buffer()
    recording.copy_buffer(record, source, target, 0, 0, 64)
    source.release()
    record.finalize()
    record.enqueue()
    assert (on.read(target) == 7).all()


def test_shared_memory_is_copied_and_filled(on):
    needs_shared_memory(on.device)
    first, second = (svm_alloc(on.context, 0, 256) for _ in range(2))
    record = on.command_buffer()
    recording.svm_fill(record, first, b"abcd", 256)
    recording.svm_memcpy(record, second, first, 128)
    record.finalize()
    record.enqueue()
    back = np.zeros(128, np.uint8)
    svm_commands.enqueue_svm_memcpy(on.queue, True, back.ctypes.data, second, 128)
    assert bytes(back) == b"abcd" * 32
    fails("INVALID_VALUE", lambda: recording.svm_fill(on.command_buffer(), 0, b"a", 8))
    fails("MEM_COPY_OVERLAP", lambda: recording.svm_memcpy(on.command_buffer(), first, first + 1, 8))
    for address in (first, second):
        svm_free(on.context, address)


def test_images_are_copied_and_filled(on):
    if on.device.properties.images.plane[0] < 8:
        pytest.skip("the imagined device has images of one element")
    first, second = image_of(on), image_of(on)
    data = np.arange(64, dtype=np.uint32)
    source, target = on.buffer(data), on.buffer(np.zeros(64, np.uint32))
    record = on.command_buffer()
    recording.fill_image(record, second, np.full(4, 9, np.uint32), (0, 0, 0), (8, 8, 1))
    recording.copy_buffer_to_image(record, source, first, 0, (0, 0, 0), (8, 8, 1))
    recording.copy_image(record, first, second, (0, 0, 0), (0, 4, 0), (8, 4, 1))
    recording.copy_image_to_buffer(record, second, target, (0, 0, 0), (8, 8, 1), 0)
    first.release()
    record.finalize()
    for _ in range(2):
        enqueue_write_buffer(on.queue, target, False, 0, np.zeros(64, np.uint32))
        record.enqueue().wait()
        assert (on.read(target, np.uint32) == [*[0x09090909] * 32, *range(32)]).all()
    fails("MEM_COPY_OVERLAP", recording.copy_image, on.command_buffer(), second, second, (0, 0, 0), (1, 1, 0), (4, 4, 1))
    other = Image(on.context, 0, (0x10B0, 0x10DA), ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 8, 8))
    fails("IMAGE_FORMAT_MISMATCH", recording.copy_image, on.command_buffer(), second, other, (0, 0, 0), (0, 0, 0), (4, 4, 1))


def test_kernels_keep_the_arguments_of_their_recording(built):
    buffer = built.buffer(np.zeros(1000, np.int32))
    kernel = built.kernel("add", buffer, np.int32(1))
    record = built.command_buffer()
    recording.nd_range_kernel(record, kernel, 1, None, (1000,), None)
    kernel.set_arg(1, np.int32(10))
    recording.nd_range_kernel(record, kernel, 1, None, (500,), (50,))
    kernel.set_arg(1, np.int32(1000))
    record.finalize()
    for _ in range(3):
        record.enqueue().wait()
    assert (built.read(buffer) == np.repeat((33, 3), 500)).all()


def test_launches_that_need_more_than_one_grid(built):
    """An offset, and a size that the work-group size does not divide."""
    buffer = built.buffer(np.zeros(1001, np.int32))
    kernel = built.kernel("ids", buffer)
    record = built.command_buffer()
    recording.nd_range_kernel(record, kernel, 1, (70,), (1001,), (64,))
    recording.nd_range_kernel(record, kernel, 1, (5,), (500,), (100,))
    record.finalize()
    record.enqueue()
    expected = np.arange(70, 1071)
    expected[:500] = np.arange(5, 505)
    assert (built.read(buffer) == expected).all()
    other = CommandQueue(built.context, built.device)
    record.enqueue([other]).wait()
    assert (built.read(buffer) == expected).all()


def test_kernels_may_print(built, capfd):
    record = built.command_buffer()
    recording.nd_range_kernel(record, built.kernel("say", np.int32(42)), 1, None, (1,), None)
    record.finalize()
    record.enqueue()
    record.enqueue()
    built.queue.finish()
    assert capfd.readouterr().out.count("number 42") == 2


def test_commands_that_do_nothing(built):
    buffer = built.buffer(np.zeros(16, np.int32))
    kernel = built.kernel("add", buffer, np.int32(1))
    record = built.command_buffer()
    recording.fill_buffer(record, buffer, b"a", 0, 0)
    point = recording.barrier(record).sync_point
    recording.nd_range_kernel(record, kernel, 1, None, (0,), None, (point,))
    recording.nd_range_kernel(record, kernel, 1, None, (16,), None, (point,))
    record.finalize()
    record.enqueue()
    assert (built.read(buffer) == 1).all()
    empty = built.command_buffer()
    empty.finalize()
    empty.enqueue().wait()


def test_order_of_the_recording(fake):
    """What comes after what, in an in-order and in an out-of-order command-buffer."""
    on = On(fake.device)
    buffer = Buffer(on.context, 0, 64)

    def edges(in_order):
        record = on.command_buffer()
        record.queue.properties = 0 if in_order else codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
        fill = lambda *points: recording.fill_buffer(record, buffer, b"a", 0, 64, points)  # noqa: E731
        fill(), fill(), fill(1), recording.barrier(record, (2,)), fill(), recording.barrier(record), fill(3)
        on.queue.properties = 0
        return [command.after for command in record.commands]

    assert edges(False) == [(), (), (0,), (1,), (3,), (0, 1, 2, 3, 4), (2, 5)]
    assert edges(True) == [(), (0,), (0, 1), (1, 2), (3,), (4,), (2, 5)]


def test_threads_record_together(on):
    """"All other OpenCL API calls are thread-safe" (A.2)."""
    buffer = on.buffer(np.zeros(400, np.int32))
    record = on.command_buffer()
    points = []

    def fill(first):
        for place in range(first, first + 100):
            points.append(recording.fill_buffer(record, buffer, np.int32(place).tobytes(), 4 * place, 4).sync_point)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(fill, range(0, 400, 100)))
    finally:
        sys.setswitchinterval(before)
    record.finalize()
    record.enqueue()
    assert sorted(points) == list(range(1, 401)) and (on.read(buffer) == range(400)).all()


def test_an_enqueue_waits_for_events_and_gives_one(on):
    buffer = on.buffer(np.zeros(16, np.int32))
    record = on.command_buffer(SIMULTANEOUS)
    recording.fill_buffer(record, buffer, b"\1\0\0\0", 0, 64)
    record.finalize()
    gate = UserEvent(on.context)
    event = record.enqueue(None, (gate,))
    assert event.command_type == codes.COMMAND_COMMAND_BUFFER_KHR and event.status == codes.QUEUED
    assert record.get_info(codes.COMMAND_BUFFER_STATE_KHR) == codes.COMMAND_BUFFER_STATE_EXECUTABLE_KHR
    record.enqueue()
    gate.set_status(0)
    event.wait()
    assert (on.read(buffer) == 1).all()
    fails("INVALID_EVENT_WAIT_LIST", record.enqueue, None, ("nothing",))
    fails("INVALID_CONTEXT", record.enqueue, None, (UserEvent(Context([on.device])),))


def test_times_of_a_replay(device):
    context = Context([device])
    queue = CommandQueue(context, device, codes.QUEUE_PROFILING_ENABLE)
    record = CommandBuffer([queue])
    recording.fill_buffer(record, Buffer(context, 0, 64), b"a", 0, 64)
    record.finalize()
    event = record.enqueue()
    event.wait()
    assert event.profile(codes.PROFILING_COMMAND_START) <= event.profile(codes.PROFILING_COMMAND_END)


def test_a_context_of_several_devices(fake):
    """The contents come to the command-buffer's device each time."""
    from support.fake_driver import FakeDevice

    from cl2cuda.runtime.devices.device import Device

    other = Device(fake.device.platform, "fake", FakeDevice())
    context = Context([fake.device, other])
    first, second = (CommandQueue(context, device) for device in context.devices)
    source, target = Buffer(context, codes.MEM_COPY_HOST_PTR, host=b"a" * 64), Buffer(context, 0, 64)
    record = CommandBuffer([second])
    recording.copy_buffer(record, source, target, 0, 0, 64)
    record.finalize()
    for letter in b"xy":
        enqueue_write_buffer(first, source, True, 0, bytes([letter]) * 64)
        record.enqueue().wait()
        back = bytearray(64)
        enqueue_read_buffer(first, target, True, 0, back)
        assert back == bytes([letter]) * 64


# States and queries


def test_life_of_a_command_buffer(on):
    buffer = Buffer(on.context, 0, 64)
    record = on.command_buffer(SIMULTANEOUS)
    ask = record.get_info
    assert ask(codes.COMMAND_BUFFER_STATE_KHR) == codes.COMMAND_BUFFER_STATE_RECORDING_KHR
    assert ask(codes.COMMAND_BUFFER_QUEUES_KHR) == (on.queue,) and ask(codes.COMMAND_BUFFER_NUM_QUEUES_KHR) == 1
    assert ask(codes.COMMAND_BUFFER_CONTEXT_KHR) is on.context and ask(codes.COMMAND_BUFFER_PROPERTIES_ARRAY_KHR) == SIMULTANEOUS
    assert ask(codes.COMMAND_BUFFER_REFERENCE_COUNT_KHR) == 1
    fails("INVALID_VALUE", ask, 0x7777)
    fails("INVALID_OPERATION", record.enqueue)
    recording.fill_buffer(record, buffer, b"a", 0, 64)
    record.finalize()
    assert ask(codes.COMMAND_BUFFER_STATE_KHR) == codes.COMMAND_BUFFER_STATE_EXECUTABLE_KHR
    fails("INVALID_OPERATION", record.finalize)
    fails("INVALID_OPERATION", lambda: recording.fill_buffer(record, buffer, b"a", 0, 64))
    for _ in range(100):
        record.enqueue()
    on.queue.finish()
    assert ask(codes.COMMAND_BUFFER_STATE_KHR) == codes.COMMAND_BUFFER_STATE_EXECUTABLE_KHR
    record.release()
    record.release()
    for use in (record.enqueue, record.finalize, lambda: ask(codes.COMMAND_BUFFER_STATE_KHR),
                lambda: recording.barrier(record), lambda: update_mutable_commands(record, ())):
        fails("INVALID_COMMAND_BUFFER_KHR", use)


@pytest.mark.parametrize("properties", [(), SIMULTANEOUS])
def test_enqueued_again_while_it_is_under_way(on, properties):
    """In order it needs no flag: "Using a single in-order queue [...] would [...] be ways to avoid simultaneous use"."""
    source, target = on.buffer(np.full(16, 1, np.int32)), on.buffer(np.zeros(16, np.int32))
    record = on.command_buffer(properties)
    recording.copy_buffer(record, source, target, 0, 0, 64)
    record.finalize()
    gate, seen = UserEvent(on.context), [np.zeros(16, np.int32) for _ in range(2)]
    record.enqueue(None, (gate,))
    enqueue_read_buffer(on.queue, target, False, 0, seen[0])
    enqueue_write_buffer(on.queue, source, False, 0, np.full(16, 2, np.int32))
    record.enqueue()
    enqueue_read_buffer(on.queue, target, False, 0, seen[1])
    record.release()
    gate.set_status(0)
    on.queue.finish()
    assert (seen[0] == 1).all() and (seen[1] == 2).all()


def test_simultaneous_use(on):
    """Two enqueues without an order between them: the second need not wait for the first."""
    queue = create_command_queue(on.context, on.device, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    buffer = on.buffer(np.zeros(16, np.int32))
    record = CommandBuffer([queue], SIMULTANEOUS)
    recording.fill_buffer(record, buffer, b"\1\0\0\0", 0, 64)
    record.finalize()
    gate = UserEvent(on.context)
    first = record.enqueue(None, (gate,))
    record.enqueue().wait()
    assert first.status == codes.QUEUED and (on.read(buffer) == 1).all()
    enqueue_write_buffer(on.queue, buffer, False, 0, np.zeros(16, np.int32)).wait()
    gate.set_status(0)
    first.wait()
    assert (on.read(buffer) == 1).all()


def test_streams_of_recording_go_with_their_command_buffers(on):
    gone = []
    for _ in range(3):
        record = on.command_buffer()
        recording.barrier(record)
        record.finalize()
        record.enqueue()
        gone += [weakref.ref(record.recorder), weakref.ref(record.recorder.timeline)]
        record.release()
        del record
    on.queue.finish()
    gc.collect()
    assert [each() for each in gone] == [None] * 6


def test_a_graph_stays_while_an_enqueue_needs_it(fake):
    """Released before it could run, and run once only."""
    graphs, on = imagine_graphs(fake.driver), On(fake.device)
    buffer = on.buffer(np.zeros(16, np.int32))
    record = on.command_buffer()
    recording.fill_buffer(record, buffer, b"\1\0\0\0", 0, 64)
    record.finalize()
    gate = UserEvent(on.context)
    record.enqueue(None, (gate,))
    record.release()
    on.context.reclaim()
    assert [graph.closed for graph in graphs] == [False]
    gate.set_status(0)
    assert (on.read(buffer) == 1).all()
    on.context.reclaim()
    assert [graph.closed for graph in graphs] == [True]


def test_what_cannot_be_created(on):
    queue = on.queue
    for queues in ((), (queue, queue)):
        fails("INVALID_VALUE", CommandBuffer, queues)
    fails("INVALID_COMMAND_QUEUE", CommandBuffer, (None,))
    fails("INVALID_VALUE", CommandBuffer, (queue,), ((0x1234, 1),))
    fails("INVALID_VALUE", CommandBuffer, (queue,), SIMULTANEOUS * 2)
    # A flag of cl_khr_command_buffer_multi_device, and what is no flag at all.
    fails("INVALID_PROPERTY", CommandBuffer, (queue,), ((FLAGS, codes.COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR),))
    for flags in (8, 2**64 - 1):
        fails("INVALID_VALUE", CommandBuffer, (queue,), ((FLAGS, flags),))
    fails("INVALID_VALUE", CommandBuffer, (queue,), ((codes.COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 2),))
    closed = CommandQueue(on.context, on.device)
    closed.release()
    fails("INVALID_COMMAND_QUEUE", CommandBuffer, (closed,))


def test_other_queues(on):
    """Of any properties that the device supports."""
    supported = on.device.get_info(codes.DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR)
    assert supported == codes.QUEUE_PROFILING_ENABLE | codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
    assert on.device.get_info(codes.DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR) == 0
    source, target = on.buffer(np.full(16, 3, np.int32)), on.buffer(np.zeros(16, np.int32))
    record = on.command_buffer()
    recording.fill_buffer(record, target, b"\0", 0, 64)
    recording.copy_buffer(record, source, target, 0, 0, 64)
    record.finalize()
    fails("INVALID_VALUE", record.enqueue, ())
    fails("INVALID_COMMAND_QUEUE", record.enqueue, (None,))
    fails("INVALID_COMMAND_QUEUE", record.enqueue, (record.recorder,))
    fails("INVALID_CONTEXT", record.enqueue, (CommandQueue(Context([on.device]), on.device),))
    for properties in (0, codes.QUEUE_PROFILING_ENABLE, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, supported):
        enqueue_write_buffer(on.queue, target, False, 0, np.zeros(16, np.int32)).wait()
        event = record.enqueue((create_command_queue(on.context, on.device, properties),))
        event.wait()
        assert (on.read(target) == 3).all()
        if properties & codes.QUEUE_PROFILING_ENABLE:
            assert event.profile(codes.PROFILING_COMMAND_START) <= event.profile(codes.PROFILING_COMMAND_END)


def test_queues_on_the_device_take_no_command_buffers(built):
    bits = codes.QUEUE_ON_DEVICE | codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
    queue = create_command_queue(built.context, built.device, ((codes.QUEUE_PROPERTIES, bits),))
    record = built.command_buffer()
    record.finalize()
    fails("INCOMPATIBLE_COMMAND_QUEUE_KHR", record.enqueue, (queue,))
    fails("INVALID_COMMAND_QUEUE", CommandBuffer, (queue,))


def test_a_queue_of_another_device(fake):
    from support.fake_driver import FakeDevice

    from cl2cuda.runtime.devices.device import Device

    context = Context([fake.device, Device(fake.device.platform, "fake", FakeDevice())])
    first, second = (CommandQueue(context, device) for device in context.devices)
    record = CommandBuffer([first])
    record.finalize()
    fails("INVALID_DEVICE", record.enqueue, (second,))
    record.enqueue((first,)).wait()


def test_errors_of_recording(on):
    buffer, foreign = Buffer(on.context, 0, 64), Buffer(Context([on.device]), 0, 64)
    record = on.command_buffer()
    fill = recording.fill_buffer
    message = fails("INVALID_CONTEXT", fill, record, foreign, b"a", 0, 64)
    assert message.startswith("clCommandFillBufferKHR")
    fails("INVALID_COMMAND_BUFFER_KHR", fill, None, buffer, b"a", 0, 64)
    fails("INVALID_MEM_OBJECT", fill, record, "buffer", b"a", 0, 64)
    fails("INVALID_VALUE", fill, record, buffer, b"abc", 0, 64)
    for points in ((1,), (0,), (-1,)):
        fails("INVALID_SYNC_POINT_WAIT_LIST_KHR", fill, record, buffer, b"a", 0, 64, points)
    fails("INVALID_COMMAND_QUEUE", lambda: fill(record, buffer, b"a", 0, 64, queue=on.queue))
    fails("INVALID_VALUE", lambda: fill(record, buffer, b"a", 0, 64, properties=((1, 1),)))
    fails("INVALID_MEM_OBJECT", recording.copy_buffer, record, buffer, None, 0, 0, 64)
    fails("MEM_COPY_OVERLAP", recording.copy_buffer, record, buffer, buffer, 0, 8, 16)
    fails("INVALID_VALUE", recording.copy_buffer_rect, record, buffer, buffer, (0,), (32,), (4, 4), (4, 0), (8, 0))
    fails("MEM_COPY_OVERLAP", recording.copy_buffer_rect, record, buffer, buffer, (0,), (2,), (4, 4), (8, 0), (8, 0))
    fails("INVALID_KERNEL", recording.nd_range_kernel, record, None, 1, None, (1,), None)
    assert not record.commands


def image_of(on):
    return Image(on.context, 0, (0x10B5, 0x10DA), ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 8, 8))


RECORDINGS = {
    "barrier": lambda record, it, **more: recording.barrier(record, **more),
    "copy": lambda record, it, **more: recording.copy_buffer(record, it.first, it.second, 0, 0, 64, **more),
    "copy_rect": lambda record, it, **more: recording.copy_buffer_rect(
        record, it.first, it.second, (0,), (0,), (8, 8), (0, 0), (0, 0), **more),
    "fill": lambda record, it, **more: recording.fill_buffer(record, it.first, b"a", 0, 64, **more),
    "image": lambda record, it, **more: recording.copy_image(
        record, it.image, it.other_image, (0, 0, 0), (0, 0, 0), (8, 8, 1), **more),
    "image_to_buffer": lambda record, it, **more: recording.copy_image_to_buffer(
        record, it.image, it.first, (0, 0, 0), (4, 4, 1), 0, **more),
    "buffer_to_image": lambda record, it, **more: recording.copy_buffer_to_image(
        record, it.first, it.image, 0, (0, 0, 0), (4, 4, 1), **more),
    "fill_image": lambda record, it, **more: recording.fill_image(record, it.image, bytes(16), (0, 0, 0), (8, 8, 1), **more),
    "svm_memcpy": lambda record, it, **more: recording.svm_memcpy(record, it.address, it.address + 64, 64, **more),
    "svm_fill": lambda record, it, **more: recording.svm_fill(record, it.address, b"a", 64, **more),
    "kernel": lambda record, it, **more: recording.nd_range_kernel(record, it.kernel, 1, None, (1,), None, **more),
}


@pytest.mark.parametrize("name", RECORDINGS)
def test_errors_that_every_recording_has(fake, name):
    on = On(fake.device)
    fake.kernels[:] = [kernel_info("k")]
    fake.driver.bodies["k"] = lambda parameters, sizes: None
    program = Program(on.context, "")
    program.build()
    it = SimpleNamespace(first=Buffer(on.context, 0, 64), second=Buffer(on.context, 0, 64), kernel=Kernel(program, "k"),
                         address=svm_alloc(on.context, 0, 256), image=image_of(on), other_image=image_of(on))
    record, call = on.command_buffer(), RECORDINGS[name]
    fails("INVALID_COMMAND_BUFFER_KHR", call, None, it)
    fails("INVALID_SYNC_POINT_WAIT_LIST_KHR", lambda: call(record, it, sync_points=(1,)))
    fails("INVALID_COMMAND_QUEUE", lambda: call(record, it, queue=on.queue))
    fails("INVALID_VALUE", lambda: call(record, it, properties=((0x9999, 1),)))
    assert call(record, it).sync_point == 1
    assert call(record, it, sync_points=(1,)).get_info(codes.MUTABLE_COMMAND_COMMAND_BUFFER_KHR) is record
    record.finalize()
    fails("INVALID_OPERATION", call, record, it)
    record.enqueue().wait()
    foreign = CommandBuffer([CommandQueue(Context([on.device]), on.device)])
    if name not in ("barrier", "svm_memcpy", "svm_fill"):
        fails("INVALID_CONTEXT", call, foreign, it)
    svm_free(on.context, it.address)


def test_errors_of_recording_kernels(built):
    record = built.command_buffer()
    kernel = built.kernel("add")
    nd_range = recording.nd_range_kernel
    fails("INVALID_KERNEL_ARGS", nd_range, record, kernel, 1, None, (1,), None)
    kernel.set_arg(0, None)
    kernel.set_arg(1, np.int32(0))
    fails("INVALID_WORK_DIMENSION", nd_range, record, kernel, 4, None, (1,), None)
    fails("INVALID_GLOBAL_WORK_SIZE", nd_range, record, kernel, 1, None, (1, 1), None)
    fails("INVALID_WORK_GROUP_SIZE", nd_range, record, kernel, 1, None, (64,), (0,))
    for properties in (((0x1234, 0),), ((codes.MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 0x20),),
                       ((codes.MUTABLE_DISPATCH_ASSERTS_KHR, 2),), ((codes.MUTABLE_DISPATCH_ASSERTS_KHR, 1),) * 2):
        fails("INVALID_VALUE", lambda: nd_range(record, kernel, 1, None, (1,), None, properties=properties))  # noqa: B023
    fails("INVALID_COMMAND_QUEUE", lambda: nd_range(record, kernel, 1, None, (1,), None, queue=built.queue))
    assert not record.commands
    # What is asserted of the number of work-groups needs a local size.
    few = ((codes.MUTABLE_DISPATCH_ASSERTS_KHR, codes.MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR),)
    all_few = built.command_buffer(((codes.COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, few[0][1]),))
    fails("INVALID_VALUE", lambda: nd_range(record, kernel, 1, None, (1,), None, properties=few))
    fails("INVALID_VALUE", nd_range, all_few, kernel, 1, None, (1,), None)
    nd_range(record, kernel, 1, None, (1,), (1,), properties=few)
    nd_range(all_few, kernel, 1, None, (1,), (1,))


def test_queries_of_commands(fake):
    on = On(fake.device)
    fake.kernels[:] = [kernel_info("k")]
    fake.driver.bodies["k"] = lambda parameters, sizes: None
    program = Program(on.context, "")
    program.build()
    kernel = Kernel(program, "k")
    record = on.command_buffer()
    properties = ((codes.MUTABLE_DISPATCH_ASSERTS_KHR, 1),)
    launch = recording.nd_range_kernel(record, kernel, 2, None, (4, 2), (2, 1), properties=properties)
    barrier = recording.barrier(record)
    assert [launch.get_info(code) for code in range(0x12A0, 0x12A8)] == [
        on.queue, record, properties, kernel, 2, (0, 0), (4, 2), (2, 1)]
    unsaid = recording.nd_range_kernel(record, kernel, 2, None, None, None)
    assert [unsaid.get_info(code) for code in range(0x12A5, 0x12A8)] == [(0, 0)] * 3
    assert launch.get_info(codes.MUTABLE_COMMAND_COMMAND_TYPE_KHR) == codes.COMMAND_NDRANGE_KERNEL
    assert [barrier.get_info(code) for code in range(0x12A2, 0x12A8)] == [()] * 6
    assert barrier.get_info(codes.MUTABLE_COMMAND_COMMAND_TYPE_KHR) == codes.COMMAND_BARRIER
    fails("INVALID_VALUE", launch.get_info, 0x7777)


# Clones, which mutable commands are made of


def test_a_clone_has_the_arguments_of_its_kernel(fake):
    fake.kernels[:] = [kernel_info("k", arg("n", "value", 4, parameter=True), arg("t", "local", parameter=False))]
    program = Program(fake.context, "")
    program.build()
    kernel = Kernel(program, "k")
    from cl2cuda.runtime.kernel.kernel import LocalMemory

    kernel.set_arg(1, LocalMemory(100))
    clone = kernel.clone()
    assert clone.arguments.unset == {0} and clone.arguments.dynamic_local == kernel.arguments.dynamic_local
    clone.set_arg(0, b"abcd")
    clone.set_arg(1, LocalMemory(1000))
    assert kernel.arguments.unset == {0} and kernel.arguments.dynamic_local == 100
    kernel.release()
    fails("INVALID_KERNEL", kernel.clone)
