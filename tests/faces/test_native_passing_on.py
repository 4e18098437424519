"""Memory of a context with one queue in order, which the next buffer has as soon as one lets go of it (`pass_on` in runtime/native/storage.c)."""

from __future__ import annotations

import gc
import os
import threading

import numpy as np
import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.context.stream_ordered_memory import MOST_BYTES
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

SIZE = 4096


class One:
    """A context of the imagined device with one queue, which knows of memory of SIZE bytes."""

    def __init__(self, imagined):
        self.imagined = imagined
        self.context = cl.Context(imagined.context.devices)
        self.queue = cl.CommandQueue(self.context)
        self.core, self.reusable = self.context._core, self.context._core._reusable
        self.used()
        self.queue.finish()
        self.core.reclaim()
        assert list(self.reusable.free) == [SIZE] and self.reusable.bytes == SIZE

    def used(self, value=1, size=SIZE):
        buffer = cl.Buffer(self.context, 0, size)
        cl.enqueue_fill_buffer(self.queue, buffer, np.uint32(value), 0, size)
        return buffer

    @property
    def noted(self):
        return len(self.core._reclaimer.noted)


@pytest.fixture
def one(imagined):
    return One(imagined)


def test_the_next_buffer_has_it_at_once(one):
    buffer = one.used()
    address = buffer._core.address
    assert one.reusable.bytes == 0 and one.reusable.free[SIZE] == []
    del buffer
    assert one.noted == 0 and one.reusable.free[SIZE] == [address] and one.reusable.bytes == SIZE
    again = one.used(2)
    assert again._core.address == address and one.reusable.bytes == 0
    again.release()
    assert one.noted == 0 and one.reusable.bytes == SIZE


def test_the_next_queue_comes_after_what_used_it(one):
    """As where Python has passed it on."""
    one.reusable._reused = False
    one.used(2).release()
    assert one.reusable._reused
    one.imagined.make_busy(one.imagined.stream(one.queue))
    one.used(3).release()
    seen, genuine = [], type(one.queue._core).come_after
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(one.queue._core), "come_after", lambda self, fences: seen.append(list(fences)) or genuine(self, fences))
        second = cl.CommandQueue(one.context)
    one.imagined.busy.value = 0
    assert len(seen) == 1 and seen[0] and one.reusable.queue is None and not one.reusable.bytes
    count = one.noted
    del second
    one.used(4).release()
    assert one.noted == count + 1  # There were two queues.


def test_memory_of_other_sizes_goes_the_way_of_all(one):
    one.used(size=2 * SIZE).release()
    assert one.noted == 1 and one.reusable.bytes == SIZE
    one.core.reclaim()
    assert one.reusable.free[2 * SIZE] and one.noted == 0
    one.used(size=2 * SIZE).release()
    assert one.noted == 0


def test_the_second_buffer_of_a_new_size_has_what_the_first_one_left(one):
    """Nothing but that asks Python: later ones find the size known."""
    first = one.used(size=2 * SIZE)
    address = first._core.address
    first.release()
    assert one.noted == 1 and not one.reusable.knows(2 * SIZE)
    second = one.used(size=2 * SIZE)
    assert second._core.address == address and one.noted == 0 and one.reusable.knows(2 * SIZE)
    second.release()
    third = one.used(size=2 * SIZE - 4)
    assert third._core.address == address and one.noted == 0


def test_no_more_is_kept_than_may_be(one):
    one.reusable.bytes = MOST_BYTES - SIZE
    first, second = one.used(), one.used()
    one.reusable.bytes = MOST_BYTES - SIZE
    first.release()
    assert one.noted == 0 and one.reusable.bytes == MOST_BYTES
    second.release()
    assert one.noted == 1


@pytest.mark.parametrize("name, value", [("_keeps", False), ("_refusals", 1), ("_device", None)])
def test_what_is_kept_no_more(one, name, value):
    buffer = one.used()
    setattr(one.reusable, name, value)
    buffer.release()
    assert one.noted == 1 and not one.reusable.free[SIZE]


def test_a_queue_that_was_released_or_has_gone(one):
    first, second = one.used(), one.used()
    one.queue._core.release()
    first.release()
    assert one.noted == 1
    one.queue = None
    gc.collect()
    second.release()
    assert one.noted == 2


def test_a_queue_that_holds_commands_back(one):
    buffer, gate = one.used(), cl.UserEvent(one.context)
    held = cl.enqueue_copy(one.queue, one.used(), np.zeros(SIZE, np.uint8), is_blocking=False, wait_for=[gate])
    buffer.release()
    assert one.noted == 1
    gate.set_status(cl.command_execution_status.COMPLETE)
    held.wait()


def test_a_context_that_goes_first(one):
    buffer = one.used()
    core = buffer._core
    one.queue = None
    del one.context, buffer
    one.core = None
    gc.collect()
    del core
    gc.collect()


def test_nothing_is_left_behind(one):
    one.used().release()
    objects = one.core, one.queue._core, one.reusable, one.reusable.free

    def turn():
        one.used().release()
        one.imagined.logged.value = 0

    leaves_nothing(turn, objects)
    assert one.noted == 0 and one.reusable.bytes == SIZE


def test_threads_never_have_the_same_memory(one):
    lock, taken, wrong = threading.Lock(), set(), []

    def work(number):
        for _ in range(120):
            buffer = one.used(number)
            address = buffer._core.address
            with lock:
                wrong.extend([address] if address in taken else [])
                taken.add(address)
                one.imagined.logged.value = 0
            with lock:
                taken.remove(address)
            buffer.release()

    run_together(work, (0,), (1,), (2,))
    assert not wrong and one.reusable.bytes == SIZE * len(one.reusable.free[SIZE])
    assert len(set(one.reusable.free[SIZE])) == len(one.reusable.free[SIZE])
