"""Contents that a read brings to the host's memory, and that a write takes from there, while neither is waited for (5.2.2): by the runtime
of every driver. With kernels, images and page-locked memory, from Python and C: tests/faces/test_through_the_host.py,
tests/c/through_the_host.c."""

from __future__ import annotations

import numpy as np
import pytest

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.buffer_rect import enqueue_read_buffer_rect, enqueue_write_buffer_rect
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.queue import CommandQueue

SIZES = (64, 4096, 200_000, 3 << 20)
WHOLE = (0, 0), (0, 0)


def rows(size):
    return size // 4, 4, 1


READS = {
    "buffer": lambda queue, buffer, host: enqueue_read_buffer(queue, buffer, False, 0, host),
    "rectangle": lambda queue, buffer, host: enqueue_read_buffer_rect(queue, buffer, False, (0, 0, 0), (0, 0, 0), rows(host.nbytes), *WHOLE, host),
}
WRITES = {
    "buffer": lambda queue, buffer, blocking, host, wait: enqueue_write_buffer(queue, buffer, blocking, 0, host, wait),
    "rectangle": lambda queue, buffer, blocking, host, wait: enqueue_write_buffer_rect(
        queue, buffer, blocking, (0, 0, 0), (0, 0, 0), rows(host.nbytes), *WHOLE, host, wait),
}


@pytest.mark.parametrize("blocking", [False, True], ids=["not waited for", "waited for"])
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("order", ["its place", "its event"])
def test_a_write_of_what_a_read_brings(device, order, read, write, blocking):
    context = Context([device])
    queue = CommandQueue(context, device)
    other = queue if order == "its place" else CommandQueue(context, device)
    random = np.random.default_rng(len(order) + blocking)
    for size in SIZES:
        of, to = Buffer(context, 0, size), Buffer(context, 0, size)
        for _ in range(3):
            contents, host, found = random.integers(0, 256, size).astype(np.uint8), np.zeros(size, np.uint8), np.zeros(size, np.uint8)
            enqueue_write_buffer(queue, of, False, 0, contents)
            event = READS[read](queue, of, host)
            queue.flush()
            WRITES[write](other, to, blocking, host, () if other is queue else (event,))
            enqueue_read_buffer(other, to, True, 0, found)
            assert (found == contents).all() and (host == contents).all(), size
    other.finish()
    queue.finish()


def test_what_a_closed_queue_reads(device):
    """A read goes on when its queue is released; a write in another queue waits for its event."""
    context = Context([device])
    other = CommandQueue(context, device)
    of, to = Buffer(context, 0, 200_000), Buffer(context, 0, 200_000)
    contents, host, found = np.arange(200_000).astype(np.uint8), np.zeros(200_000, np.uint8), np.zeros(200_000, np.uint8)
    queue = CommandQueue(context, device)
    enqueue_write_buffer(queue, of, True, 0, contents)
    event = enqueue_read_buffer(queue, of, False, 0, host)
    queue.release()
    del queue
    enqueue_write_buffer(other, to, False, 0, host, (event,))
    enqueue_read_buffer(other, to, True, 0, found)
    assert (found == contents).all()
