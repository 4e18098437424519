"""Buffers that have their memory from their first use on."""

import gc
import threading

import pytest
from support.fails import fails, read
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.commands.buffer import enqueue_copy_buffer, enqueue_fill_buffer, enqueue_read_buffer
from cl2cuda.runtime.commands.map import enqueue_map_buffer
from cl2cuda.runtime.driver.interface import DeviceLost, DriverError
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
