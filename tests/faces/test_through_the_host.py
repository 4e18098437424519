"""Contents that a read brings to the host's memory, and that a write takes from there, while neither is waited for (5.2.2, 5.3.3)."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl

DEVICES = cl.get_platforms()[0].get_devices()
MOST = 1 << 16  # numbers
ITEMS = 64
SIZES = (16, 1024, 4096, 16384, MOST)
LATE = """
    kernel void late(global int *x, int number, int count) {
        float sum = get_global_id(0);
        for (int i = 0; i < 20000; i++) sum = sum * 0.5f + 1.0f;
        for (int i = get_global_id(0); i < count; i += get_global_size(0)) x[i] = number + (sum < 0.0f);
    }"""
FLAGS = cl.mem_flags


class Board:
    """A device's memory objects, and queues by what orders the write behind the read."""

    def __init__(self, device):
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)
        unordered = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        self.queues = {"its place": (self.queue, self.queue), "its event": (self.queue, cl.CommandQueue(self.context)),
                       "its event, out of order": (cl.CommandQueue(self.context, properties=unordered),) * 2}
        timed = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        self.queues["its place, with times"] = (timed, timed)
        self.kernel = cl.Kernel(cl.Program(self.context, LATE).build(), "late")
        self.source, self.target = (cl.Buffer(self.context, FLAGS.READ_WRITE, 4 * MOST) for _ in range(2))
        self.image = cl.create_image(self.context, FLAGS.READ_WRITE, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.SIGNED_INT32),
                                     (MOST // 16, 4))
        self.locked = cl.Buffer(self.context, FLAGS.READ_WRITE | FLAGS.ALLOC_HOST_PTR, 4 * MOST)
        self.number = 0

    def late(self, queue):
        self.number += 1
        return self.kernel(queue, (ITEMS,), None, self.source, np.int32(self.number), np.int32(MOST))

    def write(self, way, queue, host, wait_for, is_blocking):
        if way == "buffer":
            return cl.enqueue_copy(queue, self.target, host, is_blocking=is_blocking, wait_for=wait_for)
        if way == "rectangle":
            return cl.enqueue_copy(queue, self.target, host.reshape(4, -1), is_blocking=is_blocking, wait_for=wait_for, buffer_origin=(0, 0),
                                   host_origin=(0, 0), region=(host.nbytes // 4, 4))
        region = (len(host) // 16, 4)
        return cl.enqueue_copy(queue, self.image, host, origin=(0, 0), region=region, is_blocking=is_blocking, wait_for=wait_for)

    def written(self, way, count):
        found = np.zeros(count, np.int32)
        if way == "image":
            cl.enqueue_copy(self.queue, found, self.image, origin=(0, 0), region=(count // 16, 4))
        else:
            cl.enqueue_copy(self.queue, found, self.target)
        return found


@pytest.fixture(scope="module", params=DEVICES, ids=lambda device: device.name)
def board(request):
    return Board(request.param)


@pytest.fixture(params=["pageable", "page-locked"])
def host(request, board):
    if request.param == "pageable":
        yield np.zeros(MOST, np.int32)
        return
    memory, _ = cl.enqueue_map_buffer(board.queue, board.locked, cl.map_flags.READ | cl.map_flags.WRITE, 0, (MOST,), np.int32)
    yield memory
    memory.base.release(board.queue)


@pytest.mark.parametrize("is_blocking", [False, True], ids=["not waited for", "waited for"])
@pytest.mark.parametrize("way", ["buffer", "rectangle", "image"])
@pytest.mark.parametrize("order", ["its place", "its event", "its event, out of order", "its place, with times"])
def test_a_write_of_what_a_read_brings(board, host, order, way, is_blocking):
    reading, writing = board.queues[order]
    for _, (count, part) in itertools.product(range(2), itertools.combinations_with_replacement(reversed(SIZES), 2)):
        host[:count] = -1
        before = board.late(reading)
        read = cl.enqueue_copy(reading, host[:count], board.source, is_blocking=False, wait_for=[before])
        reading.flush()
        written = board.write(way, writing, host[:part], [read] if "event" in order else None, is_blocking)
        writing.finish()
        reading.finish()
        assert (board.written(way, part) == board.number).all(), (count, part)
        assert (host[:count] == board.number).all(), (count, part)
        del read, written


@pytest.mark.parametrize("kind", ["of its own", "page-locked", "the application's"])
@pytest.mark.parametrize("order", ["its place", "its event", "its event, out of order", "its place, with times"])
def test_a_write_of_what_a_map_brings(board, order, kind):
    reading, writing = board.queues[order]
    for count in SIZES:
        of_application = np.zeros(count, np.int32)
        flags = {"of its own": 0, "page-locked": FLAGS.ALLOC_HOST_PTR, "the application's": FLAGS.USE_HOST_PTR}[kind]
        buffer = cl.Buffer(board.context, FLAGS.READ_WRITE | flags, 4 * count, of_application if flags == FLAGS.USE_HOST_PTR else None)
        for _ in range(3):
            before = board.late(reading)
            copied = cl.enqueue_copy(reading, buffer, board.source, wait_for=[before])
            mapped, read = cl.enqueue_map_buffer(reading, buffer, cl.map_flags.READ, 0, (count,), np.int32, wait_for=[copied], is_blocking=False)
            reading.flush()
            written = cl.enqueue_copy(writing, board.target, mapped, is_blocking=False, wait_for=[read] if "event" in order else None)
            writing.finish()
            reading.finish()
            assert (board.written("buffer", count) == board.number).all(), count
            assert (mapped == board.number).all(), count
            mapped.base.release(reading)
            del written
        reading.finish()
