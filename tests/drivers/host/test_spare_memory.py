"""Memory that the host device's buffers have left serves the next ones."""

from __future__ import annotations

import resource
import threading

import numpy as np
import pytest
from support.devices import first

from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.host.spare_memory import LIMIT, UNIT, SpareMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.spec import codes


class Heap:
    """Counts addresses up; knows what is out."""

    def __init__(self, room: int = 1 << 40):
        self.room = room
        self.next = 1 << 20
        self.out: dict[int, int] = {}

    def allocate(self, size: int) -> int:
        if sum(self.out.values()) + size > self.room:
            return 0
        self.next += size
        self.out[self.next] = size
        return self.next

    def free(self, address: int) -> None:
        del self.out[address]


def test_the_next_piece_of_the_size_is_the_last():
    heap = Heap()
    spare = SpareMemory(heap.allocate, heap.free)
    first, other = spare.take(UNIT + 1), spare.take(UNIT)
    assert spare.give(first) and spare.give(other)
    assert spare.take(2 * UNIT) == first
    assert spare.take(2 * UNIT) not in (first, other)
    assert spare.take(1) == other
    assert not spare.give(12345)


def test_no_more_is_kept_than_the_limit():
    heap = Heap()
    spare = SpareMemory(heap.allocate, heap.free)
    pieces = [spare.take(LIMIT // 4) for _ in range(6)]
    assert all(map(spare.give, pieces))
    assert sorted(heap.out) == sorted(pieces[2:])
    assert spare.give(spare.take(2 * LIMIT))
    assert not heap.out


def test_what_is_spare_makes_room():
    heap = Heap(room=8 * UNIT)
    spare = SpareMemory(heap.allocate, heap.free)
    spare.give(spare.take(6 * UNIT))
    assert spare.take(7 * UNIT)
    assert not spare.take(7 * UNIT)


def test_threads_never_share_a_piece():
    heap, lock = Heap(), threading.Lock()
    spare, busy, twice = SpareMemory(heap.allocate, heap.free), set(), []

    def work() -> None:
        for turn in range(500):
            address = spare.take(UNIT * (1 + turn % 3))
            with lock:
                if address in busy:
                    twice.append(address)
                busy.add(address)
            with lock:
                busy.discard(address)
            spare.give(address)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not twice


def test_buffers_that_follow_each_other_take_no_page_faults():
    device = first("host")
    context, data = Context([device]), np.zeros(1 << 20, np.uint8)

    def faults() -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(50):
            Buffer(context, codes.MEM_COPY_HOST_PTR, data.nbytes, data)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    faults()
    assert faults() < 50 * 256 // 10  # of 256 pages each


@pytest.mark.parametrize("size", [1, UNIT - 1, UNIT, (1 << 20) + 5])
def test_pieces_are_aligned(size: int):
    driver = first("host").driver_device
    address = driver.allocate(size)
    assert address % driver.properties.base_address_align == 0
    driver.free(address)
