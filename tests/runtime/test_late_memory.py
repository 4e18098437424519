"""Buffers that have their memory from their first use on."""

import gc
import threading

import numpy as np
import pytest
from support.fails import fails, read
from support.image_objects import RGBA8
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.commands.buffer import enqueue_copy_buffer, enqueue_fill_buffer, enqueue_read_buffer
from cl2cuda.runtime.commands.image import enqueue_fill_image, enqueue_read_image
from cl2cuda.runtime.commands.image_map import enqueue_map_image
from cl2cuda.runtime.commands.map import enqueue_map_buffer
from cl2cuda.runtime.context import snapshots
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.driver.interface import DeviceLost, DriverError
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image, ImageKind
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory import late
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

SIZE = 1024
MIB = 1 << 20
NONE = "MEM_OBJECT_ALLOCATION_FAILURE"


def kernel(fake):
    fake.kernels[:] = [kernel_info("k", arg("x", "global"))]
    program = Program(fake.context, "source")
    program.build()
    return Kernel(program, "k")


USES = {
    "a command": lambda fake, buffer: enqueue_fill_buffer(fake.queue, buffer, b"a", 0, SIZE),
    "a copy": lambda fake, buffer: enqueue_copy_buffer(fake.queue, buffer, Buffer(fake.context, 0, SIZE), 0, 0, SIZE),
    "a map": lambda fake, buffer: enqueue_map_buffer(fake.queue, buffer, True, codes.MAP_READ, 0, SIZE),
    "an argument": lambda fake, buffer: kernel(fake).set_arg(0, buffer),
    "its address": lambda fake, buffer: buffer.address,
    "a part's address": lambda fake, buffer: buffer.sub_buffer(0, 0, 16).address,
}


@pytest.mark.parametrize("use", USES)
def test_memory_comes_with_the_first_use(fake, use):
    buffer = Buffer(fake.context, 0, SIZE)
    assert not fake.driver.memory
    USES[use](fake, buffer)
    assert buffer.address in fake.driver.memory
    before = buffer.address
    USES[use](fake, buffer)
    assert buffer.address == before


def test_a_buffer_that_is_never_used_leaves_nothing(fake):
    Buffer(fake.context, 0, SIZE).release()
    part = Buffer(fake.context, 0, SIZE).sub_buffer(0, 0, 16)
    del part
    gc.collect()
    fake.context.reclaim_all()
    assert not fake.driver.memory


def test_large_buffers_have_it_at_once(fake, monkeypatch):
    monkeypatch.setattr(late, "LARGEST", SIZE)
    small, large = Buffer(fake.context, 0, SIZE), Buffer(fake.context, 0, SIZE + 1)
    assert list(fake.driver.memory) == [large.address] and small.size == SIZE


@pytest.mark.parametrize("queues", [0, 1, 2])
def test_first_contents_are_those_of_the_call(fake, queues):
    """However many queues there are, and whatever the application does with its memory before the first use."""
    others = [create_command_queue(fake.context, fake.device) for _ in range(queues - 1)]
    if not queues:
        fake.queue.release()
    contents = bytearray(b"c" * SIZE)
    buffer = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, SIZE, contents)
    contents[:] = b"x" * SIZE
    if not queues:
        fake.queue = CommandQueue(fake.context, fake.device)
    for queue in (*others, fake.queue):
        found = bytearray(SIZE)
        enqueue_read_buffer(queue, buffer, True, 0, found)
        assert found == b"c" * SIZE


def test_many_first_contents_wait_in_page_locked_memory(fake):
    """It goes from one buffer to the next, and back to the driver with the context."""
    size = 200 << 10
    contents = bytearray(b"c" * size)
    buffer = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, 0, contents)
    contents[:] = b"x" * size
    assert not fake.driver.memory and len(fake.driver.host_memory) == 1
    assert read(fake, buffer) == b"c" * size and len(fake.driver.memory) == 1
    second = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, size, contents)
    assert len(fake.driver.host_memory) == 1, "the first one's is free since its use"
    third = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, size, b"d" * size)
    assert len(fake.driver.host_memory) == 2
    second.release()
    fourth = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, size, b"e" * size)
    assert (read(fake, third), read(fake, fourth)) == (b"d" * size, b"e" * size) and len(fake.driver.host_memory) == 2


def image_with_contents(fake, contents, side=200):
    plane = ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, side, side)
    return Image(fake.context, codes.MEM_COPY_HOST_PTR, RGBA8.codes, plane, contents)


@pytest.mark.parametrize("side", [8, 200])
def test_first_contents_go_in_the_order_of_the_only_queue(fake, side):
    """Nobody waits for them; what the device reads then stays until it has."""
    size = 4 * side * side
    image = image_with_contents(fake, b"c" * size, side)
    enqueue_fill_buffer(fake.queue, Buffer(fake.context, 0, SIZE), b"a", 0, SIZE)
    assert image.argument(True) and len(fake.queue.stream.commands) == 2 and not fake.device.service_stream.commands
    for letter in (b"d", b"e"):  # Others do not get its page-locked memory.
        image_with_contents(fake, letter * size, side)
    found = bytearray(size)
    enqueue_read_image(fake.queue, image, True, (0, 0, 0), (side, side, 1), 0, 0, found)
    assert found == b"c" * size and fake.queue.timeline.keeps_nothing


@pytest.mark.parametrize("properties", [0, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, codes.QUEUE_PROFILING_ENABLE])
def test_first_contents_are_there_for_a_queue_that_comes_later(fake, properties):
    size = 200 << 10
    image, buffer = image_with_contents(fake, b"i" * size), Buffer(fake.context, codes.MEM_COPY_HOST_PTR, size, b"b" * size)
    assert image.argument(True) and buffer.address and len(fake.queue.stream.commands) == 2
    other, found = create_command_queue(fake.context, fake.device, properties), bytearray(size)
    enqueue_read_buffer(other, buffer, True, 0, found)
    assert found == b"b" * size
    found = bytearray(160000)
    enqueue_read_image(other, image, True, (0, 0, 0), (200, 200, 1), 0, 0, found)
    assert found == b"i" * 160000


@pytest.mark.parametrize("why", ["two queues", "times"])
def test_first_contents_of_several_orders_are_waited_for(fake, why):
    if why == "times":
        fake.queue.release()
        fake.queue = None
        gc.collect()
    queues = [create_command_queue(fake.context, fake.device, codes.QUEUE_PROFILING_ENABLE if why == "times" else 0)]
    image = image_with_contents(fake, b"i" * (200 << 10))
    assert image.argument(True)
    for queue in filter(None, (fake.queue, *queues)):
        assert not queue.stream.commands
        found = bytearray(160000)
        enqueue_read_image(queue, image, True, (0, 0, 0), (200, 200, 1), 0, 0, found)
        assert found == b"i" * 160000


def test_a_queue_made_while_first_contents_are_written_finds_them(fake, monkeypatch):
    """By another thread: it has not come after them."""
    image, genuine, others = image_with_contents(fake, b"i" * (200 << 10)), type(fake.queue).write_in_order, []

    def write(queue, *more):
        others.append(create_command_queue(fake.context, fake.device))
        genuine(queue, *more)

    monkeypatch.setattr(type(fake.queue), "write_in_order", write)
    assert image.argument(True) and not fake.queue.stream.commands
    found = bytearray(160000)
    enqueue_read_image(others[0], image, True, (0, 0, 0), (200, 200, 1), 0, 0, found)
    assert found == b"i" * 160000


def test_of_page_locked_memory_there_is_an_end(fake, monkeypatch):
    size = 1 << 20
    monkeypatch.setattr(snapshots, "MOST", 2 * size)
    buffers = [Buffer(fake.context, codes.MEM_COPY_HOST_PTR, size, bytes([n]) * size) for n in range(3)]
    assert len(fake.driver.host_memory) == 2 and list(fake.driver.memory) == [buffers[2].address]
    large = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, 0, b"l" * (snapshots.LARGEST + 1))
    assert large.address in fake.driver.memory and len(fake.driver.host_memory) == 2
    assert [read(fake, each) for each in buffers] == [bytes([n]) * size for n in range(3)]

    def none(size):
        raise DriverError("nothing left", NONE)

    monkeypatch.setattr(fake.driver, "allocate_host", none)
    other = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, 0, b"o" * 4 * size)
    assert other.address in fake.driver.memory and read(fake, other) == b"o" * 4 * size


def test_page_locked_memory_goes_with_its_context(fake):
    size, driver, device = 1 << 20, fake.driver, fake.device
    used, unused = (Buffer(Context([device]), codes.MEM_COPY_HOST_PTR, size, b"c" * size) for _ in range(2))
    assert used.address and len(driver.host_memory) == 2
    del used, unused
    gc.collect()
    fake.context.reclaim_all()
    assert not driver.host_memory and not driver.memory


def test_an_image_has_memory_from_its_first_use_on(fake):
    rgba, plane = RGBA8.codes, ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 8, 8)
    image, unused = (Image(fake.context, 0, rgba, plane) for _ in range(2))
    again = Image.of_kind(fake.context, image.kind)
    assert not fake.driver.memory and again.size == image.size == 256
    found = bytearray(256)
    enqueue_fill_image(fake.queue, again, np.full(4, 1, np.float32), (0, 0, 0), (8, 8, 1))
    enqueue_read_image(fake.queue, again, True, (0, 0, 0), (8, 8, 1), 0, 0, found)
    assert found == b"\xff" * 256 and len(fake.driver.memory) == 1
    enqueue_map_image(fake.queue, image, True, codes.MAP_READ, (0, 0, 0), (8, 8, 1))
    assert len(fake.driver.memory) == 2
    for each in (image, unused, again):
        each.release()
    fake.queue.finish()
    fake.context.reclaim_all()
    assert not fake.driver.memory
    for flags, kind in ((codes.MEM_READ_ONLY, ImageKind), (codes.MEM_ALLOC_HOST_PTR, type(None))):
        assert type(Image(fake.context, flags, rgba, plane).kind) is kind


@pytest.mark.parametrize("side, gap", [(8, 0), (200, 0), (8, 64)])
def test_an_image_begins_with_what_the_host_had(fake, side, gap):
    """Little in bytes, more in page-locked memory, rows with gaps at once."""
    rows = np.random.default_rng(1).integers(0, 256, (side, 4 * side + gap), np.uint8)
    wanted = rows[:, : 4 * side].copy()
    plane = ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, side, side, row_pitch=gap and 4 * side + gap)
    image, unused = (Image(fake.context, codes.MEM_COPY_HOST_PTR, RGBA8.codes, plane, rows) for _ in range(2))
    rows[:] = 0
    assert len(fake.driver.memory) == 2 * (gap > 0) and len(fake.driver.host_memory) == 2 * (side > 8)
    found = np.zeros((side, side, 4), np.uint8)
    enqueue_read_image(fake.queue, image, True, (0, 0, 0), (side, side, 1), 0, 0, found)
    assert found.tobytes() == wanted.tobytes() and len(fake.driver.memory) == 1 + (gap > 0)
    assert image.size == wanted.nbytes and image.kind is None
    for each in (image, unused):
        each.release()
    del unused, image, each
    fake.context.reclaim_all()
    assert not fake.driver.memory


def test_an_image_whose_first_contents_do_not_come_has_no_memory(fake, monkeypatch):
    image = Image(fake.context, codes.MEM_COPY_HOST_PTR, RGBA8.codes, ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 8, 8), bytes(256))
    genuine, failing = type(fake.device.service_stream).copy_image, [True]

    def copy_image(stream, *words):
        if failing[0]:
            raise DriverError("no copy", "OUT_OF_RESOURCES")
        return genuine(stream, *words)

    monkeypatch.setattr(type(fake.device.service_stream), "copy_image", copy_image)
    found = bytearray(256)
    fails("OUT_OF_RESOURCES", enqueue_read_image, fake.queue, image, True, (0, 0, 0), (8, 8, 1), 0, 0, found)
    fake.context.reclaim_all()
    assert not fake.driver.memory
    failing[0] = False
    enqueue_read_image(fake.queue, image, True, (0, 0, 0), (8, 8, 1), 0, 0, found)
    assert found == bytes(256)


def test_a_deferred_command_on_an_image_uses_it_first(fake):
    image, gate = Image(fake.context, 0, RGBA8.codes, ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 8, 8)), UserEvent(fake.context)
    event = enqueue_fill_image(fake.queue, image, np.zeros(4, np.float32), (0, 0, 0), (8, 8, 1), (gate,))
    assert fake.driver.memory
    image.release()
    gate.set_status(codes.COMPLETE)
    event.wait()


def test_a_deferred_command_uses_it_first(fake):
    other = create_command_queue(fake.context, fake.device)
    buffer, gate = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, SIZE, bytearray(b"c" * SIZE)), UserEvent(fake.context)
    event = enqueue_fill_buffer(other, buffer, b"a", 0, 4, [gate])
    assert fake.driver.memory, "it is had by the thread that enqueues, who hears where there is none"
    buffer.release()
    gate.set_status(codes.COMPLETE)
    event.wait()
    assert event.status == codes.COMPLETE



@pytest.mark.parametrize("use", ["a command", "a copy", "an argument", "its address"])
def test_where_there_is_none_the_use_says_so(fake, use, monkeypatch):
    create_command_queue(fake.context, fake.device)
    buffer = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, SIZE, bytearray(b"c" * SIZE))
    genuine, room = fake.driver.allocate, [False]

    def allocate(size):
        if not room[0]:
            raise DriverError("nothing left", NONE)
        return genuine(size)

    monkeypatch.setattr(fake.driver, "allocate", allocate)
    message = fails(NONE, USES[use], fake, buffer)
    assert "nothing left" in message and f"the {SIZE} bytes of a buffer that is used for the first time" in message
    room[0] = True
    assert read(fake, buffer) == b"c" * SIZE


def test_what_only_a_cycle_keeps_makes_room(fake, monkeypatch):
    genuine = fake.driver.allocate
    ring = [Buffer(fake.context, 0, SIZE)]
    ring.append(ring)
    taken = ring[0].address

    def allocate(size):
        if taken in fake.driver.memory:
            raise DriverError("nothing left", NONE)
        return genuine(size)

    monkeypatch.setattr(fake.driver, "allocate", allocate)
    create_command_queue(fake.context, fake.device)  # so that memory does not pass from buffer to buffer
    gc.disable()
    try:
        del ring
        assert Buffer(fake.context, 0, SIZE).address
    finally:
        gc.enable()


def test_a_lost_device_is_told_as_lost(fake, monkeypatch):
    def allocate(size):
        raise DeviceLost("gone")

    buffer = Buffer(fake.context, 0, SIZE)
    monkeypatch.setattr(fake.driver, "allocate", allocate)
    with pytest.raises(CLError) as caught:
        kernel(fake).set_arg(0, buffer)
    assert caught.value.status == DeviceLost("gone").status and isinstance(caught.value, DeviceLost)


def test_threads_that_meet_at_the_first_use_have_one_memory(fake, monkeypatch):
    genuine, both = fake.driver.allocate, threading.Barrier(2)

    def allocate(size):
        both.wait(10)
        return genuine(size)

    monkeypatch.setattr(fake.driver, "allocate", allocate)
    create_command_queue(fake.context, fake.device)
    buffer, found = Buffer(fake.context, 0, SIZE), []
    threads = [threading.Thread(target=lambda: found.append(buffer.address)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1] == buffer.address
    fake.context.reclaim_all()
    assert list(fake.driver.memory) == [buffer.address]
