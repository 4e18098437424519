"""Transfers, fills, rectangles and mapping, checked on the fake driver for rules and on real devices for bytes."""

import gc
import weakref

import numpy as np
import pytest
from support.asynchronous_cuda import SeveralCuda
from support.fails import fails, read
from support.several_devices import PLATFORM

from cl2cuda.runtime.commands.buffer import (
    enqueue_copy_buffer,
    enqueue_fill_buffer,
    enqueue_migrate,
    enqueue_read_buffer,
    enqueue_write_buffer,
)
from cl2cuda.runtime.commands.buffer_rect import (
    enqueue_copy_buffer_rect,
    enqueue_read_buffer_rect,
    enqueue_write_buffer_rect,
)
from cl2cuda.runtime.commands.map import enqueue_map_buffer, enqueue_unmap
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


class On:
    """A device with context and queue, in the shape of the fake fixture."""

    def __init__(self, device):
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)


@pytest.fixture
def on(device):
    return On(device)


def test_write_and_read_parts(on):
    buffer = Buffer(on.context, 0, 1 << 16)
    data = np.random.default_rng(1).integers(0, 256, 1 << 16, dtype=np.uint8)
    enqueue_write_buffer(on.queue, buffer, False, 0, data)
    part = np.zeros(1000, np.uint8)
    enqueue_read_buffer(on.queue, buffer, True, 333, part)
    assert (part == data[333:1333]).all()


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32, 64, 128])
def test_fill_with_every_pattern_size(on, size):
    buffer = Buffer(on.context, codes.MEM_COPY_HOST_PTR, host=bytes(128 * 41))
    pattern = bytes(range(1, size + 1))
    enqueue_fill_buffer(on.queue, buffer, pattern, 128, 128 * 39)
    assert read(on, buffer) == bytes(128) + pattern * (128 * 39 // size) + bytes(128)


def test_copy_between_buffers(on):
    a = Buffer(on.context, codes.MEM_COPY_HOST_PTR, host=bytes(range(256)))
    b = Buffer(on.context, codes.MEM_COPY_HOST_PTR, host=bytes(256))
    enqueue_copy_buffer(on.queue, a, b, 10, 100, 50)
    assert read(on, b) == bytes(100) + bytes(range(10, 60)) + bytes(106)


def test_rectangles_there_and_back(on):
    shape = (5, 7, 32)  # slices, rows, bytes
    host = np.random.default_rng(2).integers(0, 256, shape, dtype=np.uint8)
    whole = np.zeros((6, 9, 64), np.uint8)
    buffer = Buffer(on.context, codes.MEM_COPY_HOST_PTR, host=bytes(whole.size))
    region, pitches = (20, 4, 3), (64, 64 * 9)
    enqueue_write_buffer_rect(on.queue, buffer, False, (8, 2, 1), (3, 1, 2), region, pitches, (32, 32 * 7), host)
    whole[1:4, 2:6, 8:28] = host[2:5, 1:5, 3:23]
    assert read(on, buffer) == whole.tobytes()
    back = np.zeros(shape, np.uint8)
    enqueue_read_buffer_rect(on.queue, buffer, True, (8, 2, 1), (0, 0, 0), region, pitches, (32, 32 * 7), back)
    assert (back[:3, :4, :20] == host[2:5, 1:5, 3:23]).all() and back.sum() == back[:3, :4, :20].sum()
    other = Buffer(on.context, codes.MEM_COPY_HOST_PTR, host=bytes(20 * 4 * 3))
    enqueue_copy_buffer_rect(on.queue, buffer, other, (8, 2, 1), (0, 0, 0), region, pitches, (0, 0))
    assert read(on, other) == host[2:5, 1:5, 3:23].tobytes()


@pytest.mark.parametrize("flags", [0, codes.MEM_ALLOC_HOST_PTR, codes.MEM_USE_HOST_PTR])
def test_map_and_unmap(on, flags):
    host = bytearray(1024) if flags == codes.MEM_USE_HOST_PTR else None
    buffer = Buffer(on.context, flags, 1024, host)
    enqueue_fill_buffer(on.queue, buffer, b"x", 0, 1024)
    view, event = enqueue_map_buffer(on.queue, buffer, True, codes.MAP_READ | codes.MAP_WRITE, 100, 200)
    assert event.command_type == codes.COMMAND_MAP_BUFFER and buffer.map_count == 1
    assert bytes(view) == b"x" * 200
    if host is not None:
        assert host[100:300] == b"x" * 200
    view[10:20] = b"0123456789"
    enqueue_unmap(on.queue, buffer, view)
    assert buffer.map_count == 0
    assert read(on, buffer) == b"x" * 110 + b"0123456789" + b"x" * 904


def test_map_to_discard_does_not_read(fake):
    buffer = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, host=b"abcdefgh")
    view, _ = enqueue_map_buffer(fake.queue, buffer, True, codes.MAP_WRITE_INVALIDATE_REGION, 0, 8)
    view[:] = b"ABCDEFGH"
    enqueue_unmap(fake.queue, buffer, view)
    assert read(fake, buffer) == b"ABCDEFGH"


def test_mapping_rules(fake):
    buffer = Buffer(fake.context, 0, 64)
    view, _ = enqueue_map_buffer(fake.queue, buffer, True, codes.MAP_WRITE, 0, 16)
    fails("INVALID_OPERATION", enqueue_map_buffer, fake.queue, buffer, True, codes.MAP_READ, 8, 16)
    other, _ = enqueue_map_buffer(fake.queue, buffer, True, codes.MAP_READ, 16, 16)
    again, _ = enqueue_map_buffer(fake.queue, buffer, True, codes.MAP_READ, 16, 8)
    assert buffer.get_info(codes.MEM_MAP_COUNT) == 3
    for one in (view, other, again):
        enqueue_unmap(fake.queue, buffer, one)
    fails("INVALID_VALUE", enqueue_unmap, fake.queue, buffer, view)
    fails("INVALID_VALUE", enqueue_map_buffer, fake.queue, buffer, True, codes.MAP_READ | codes.MAP_WRITE_INVALIDATE_REGION, 0, 8)
    fails("INVALID_VALUE", enqueue_map_buffer, fake.queue, buffer, True, codes.MAP_READ, 60, 8)
    write_only = Buffer(fake.context, codes.MEM_HOST_WRITE_ONLY, 64)
    fails("INVALID_OPERATION", enqueue_map_buffer, fake.queue, write_only, True, codes.MAP_READ, 0, 8)


def test_a_mapped_view_keeps_its_memory(fake):
    buffer = Buffer(fake.context, 0, 64)
    view, _ = enqueue_map_buffer(fake.queue, buffer, True, codes.MAP_WRITE, 0, 16)
    del buffer
    fake.queue.finish()
    gc.collect()
    view[:] = bytes(16)
    assert fake.driver.host_memory
    del view
    gc.collect()
    fake.context.reclaim_all()
    assert not fake.driver.host_memory and not fake.driver.memory


def test_what_transfers_refuse(fake):
    buffer = Buffer(fake.context, 0, 64)
    q = fake.queue
    fails("INVALID_VALUE", enqueue_read_buffer, q, buffer, True, 60, bytearray(8))
    fails("INVALID_VALUE", enqueue_read_buffer, q, buffer, True, -1, bytearray(8))
    fails("INVALID_VALUE", enqueue_read_buffer, q, buffer, True, 0, b"read-only")
    fails("INVALID_VALUE", enqueue_write_buffer, q, buffer, True, 0, np.zeros((8, 8), np.uint8)[:, ::2])
    fails("INVALID_VALUE", enqueue_fill_buffer, q, buffer, b"abc", 0, 63)
    fails("INVALID_VALUE", enqueue_fill_buffer, q, buffer, b"abcd", 2, 8)
    fails("MEM_COPY_OVERLAP", enqueue_copy_buffer, q, buffer, buffer, 0, 8, 16)
    fails("MEM_COPY_OVERLAP", enqueue_copy_buffer, q, buffer.sub_buffer(0, 0, 64), buffer, 0, 8, 16)
    fails("INVALID_MEM_OBJECT", enqueue_copy_buffer, q, buffer, "buffer", 0, 8, 16)
    fails("INVALID_COMMAND_QUEUE", enqueue_copy_buffer, "queue", buffer, buffer, 0, 8, 16)
    fails("INVALID_VALUE", enqueue_migrate, q, [], 0)
    fails("INVALID_CONTEXT", enqueue_read_buffer, CommandQueue(Context([fake.device]), fake.device), buffer, True, 0, bytearray(8))
    for flag in (codes.MEM_HOST_NO_ACCESS, codes.MEM_HOST_WRITE_ONLY):
        fails("INVALID_OPERATION", enqueue_read_buffer, q, Buffer(fake.context, flag, 64), True, 0, bytearray(8))
    fails("INVALID_OPERATION", enqueue_write_buffer, q, Buffer(fake.context, codes.MEM_HOST_READ_ONLY, 64), True, 0, bytearray(8))


def test_what_rectangles_refuse(fake):
    buffer, q, host = Buffer(fake.context, 0, 64), fake.queue, bytearray(64)

    def rect(region=(4, 4, 1), buffer_pitches=(8, 0), host_pitches=(0, 0), origin=(0, 0, 0)):
        enqueue_read_buffer_rect(q, buffer, True, origin, (0, 0, 0), region, buffer_pitches, host_pitches, host)

    rect()
    fails("INVALID_VALUE", rect, (0, 4, 1))
    fails("INVALID_VALUE", rect, (4, 4, 1), (3, 0))
    fails("INVALID_VALUE", rect, (4, 4, 1), (8, 36))
    fails("INVALID_VALUE", rect, (4, 4, 1), (8, 24))
    fails("INVALID_VALUE", rect, (4, 4, 1), (8, 0), (32, 0))
    fails("INVALID_VALUE", rect, (4, 4, 1), (8, 0), (0, 0), (0, 5, 0))


@pytest.mark.parametrize(("there", "here", "overlaps"), [
    ((0, 0, 0), (4, 0, 0), False),  # beside each other within the rows
    ((0, 0, 0), (3, 0, 0), True),
    ((0, 0, 0), (0, 4, 0), False),
    ((0, 0, 0), (2, 3, 0), True),
    ((4, 1, 0), (0, 2, 0), False),
])
def test_overlap_of_rectangles_in_one_buffer(fake, there, here, overlaps):
    buffer = Buffer(fake.context, 0, 64)
    call = (enqueue_copy_buffer_rect, fake.queue, buffer, buffer, there, here, (4, 4, 1), (8, 0), (8, 0))
    if overlaps:
        fails("MEM_COPY_OVERLAP", *call)
    else:
        call[0](*call[1:])


def test_host_memory_lives_until_a_transfer_has_ended(fake):
    class Host(bytearray):
        pass

    host = Host(b"abcdefgh")
    gone = weakref.ref(host)
    buffer = Buffer(fake.context, 0, 8)
    enqueue_write_buffer(fake.queue, buffer, False, 0, host)
    del host
    gc.collect()
    assert gone() is not None
    fake.queue.finish()
    assert gone() is None
    assert read(fake, buffer) == b"abcdefgh"


def test_fortran_order_is_contiguous_too(fake):
    array = np.asfortranarray(np.arange(12, dtype=np.int32).reshape(3, 4))
    buffer = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, host=array)
    assert read(fake, buffer) == array.tobytes("F")


def test_a_read_that_has_ended_tells_nothing_of_what_other_threads_enqueued_meanwhile(fake, monkeypatch):
    """A driver may take a read's whole time within the call; others' commands come after it in the stream then."""
    source, other, host, late = Buffer(fake.context, 0, 8), Buffer(fake.context, 0, 8), bytearray(8), []
    stream = fake.queue.stream
    plain = stream.copy

    def copy(*arguments):
        plain(*arguments)
        stream.synchronize()
        late.append(enqueue_fill_buffer(fake.queue, other, b"x", 0, 8))
        return True

    monkeypatch.setattr(stream, "copy", copy)
    before = enqueue_fill_buffer(fake.queue, source, b"r", 0, 8)
    event = enqueue_read_buffer(fake.queue, source, True, 0, host)
    assert host == b"r" * 8 and before.status == event.status == codes.COMPLETE
    assert late[0].status == codes.SUBMITTED
    fake.queue.finish()
    assert late[0].status == codes.COMPLETE


def test_a_blocking_write_has_ended_when_it_returns():
    """"does not return until the command is complete, including transfer of the data" (5.2.2): another queue finds it without an event."""
    device = SeveralCuda(1).devices_of(PLATFORM)[0]
    context = Context([device])
    first, second = CommandQueue(context, device), CommandQueue(context, device)
    buffer, found = Buffer(context, 0, 4 * 1024), np.zeros(1024, np.int32)
    for number in range(40):
        enqueue_write_buffer(first, buffer, True, 0, np.full(1024, number, np.int32))
        enqueue_read_buffer(second, buffer, True, 0, found)
        assert (found == number).all()
