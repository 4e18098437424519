"""The storage of buffers from their first use on, in C (runtime/native/storage.c): it is that which Python's own steps make. Without C, Python's
steps are looked at alone."""

from __future__ import annotations

import gc
import os
import sys
import threading

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.context.reclaim import LEFTOVERS, LITTLE
from cl2cuda.runtime.context.stream_ordered_memory import Block
from cl2cuda.runtime.driver.block_size import PAGE, rounded
from cl2cuda.runtime.memory import late
from cl2cuda.runtime.memory.buffer import Buffer as Core
from cl2cuda.runtime.native import library
from cl2cuda.runtime.process import debug_mode, trace

FLAGS = cl.mem_flags
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]
SIZE = 4096


class Bench:
    """A context with one queue or with several, in which memory of SIZE bytes waits for a buffer."""

    def __init__(self, device, queues):
        self.context = cl.Context([device])
        self.queues = [cl.CommandQueue(self.context) for _ in range(queues)]
        self.reusable = self.context._core._reusable
        gc.collect()
        self.context._core.reclaim_all()  # and what contexts before have left
        self.leave_memory()

    def leave_memory(self, count=4):
        buffers = [self.used(number) for number in range(count)]
        self.queues[0].finish()
        del buffers
        self.context._core.reclaim()

    def used(self, number, size=SIZE):
        buffer = cl.Buffer(self.context, FLAGS.READ_WRITE, size)
        cl.enqueue_fill_buffer(self.queues[0], buffer, np.uint32(number), 0, size - size % 4)
        return buffer

    def contents(self, buffer):
        found = np.empty(buffer.size // 4, np.uint32)
        cl.enqueue_copy(self.queues[0], found, buffer)
        return found


@pytest.fixture(params=[(device, queues) for device in DEVICES for queues in (1, 2)],
                ids=lambda param: f"{param[0].name}, {param[1]} queues")
def bench(request):
    return Bench(*request.param)


def storage_in_python(core):
    return late.StorageFromFirstUse().__get__(core, type(core))


def test_the_calls_in_c_make_it():
    assert (type(Core.__dict__["_storage"]) is late.StorageFromFirstUse) == (library.calls() is None)
    assert Core._storage is Core.__dict__["_storage"]


def test_storage_is_that_of_python(bench):
    first, second = (cl.Buffer(bench.context, FLAGS.READ_WRITE, SIZE)._core for _ in range(2))
    ours, theirs = first._storage, storage_in_python(second)
    assert theirs.have_memory() and ours.have_memory() and ours.memory != theirs.memory
    assert type(ours) is type(theirs) and vars(ours) == vars(theirs) == {}
    names = {name for base in type(ours).__mro__ for name in base.__dict__.get("__slots__", ()) if not name.startswith("__")}
    for name in names - {"memory", "mappings"}:
        assert getattr(ours, name) == getattr(theirs, name), name
    assert ours.mappings == {} and ours.mappings is not theirs.mappings
    assert first._storage is ours and vars(first)["_storage"] is ours


def test_memory_at_hand_is_taken_and_comes_back(bench):
    known = set(bench.reusable.free[SIZE])
    assert len(known) == 4 and bench.reusable.bytes == 4 * SIZE
    buffers = [bench.used(number) for number in range(6)]
    addresses = [buffer._core.address for buffer in buffers]
    assert len(set(addresses)) == 6 and known < set(addresses) and bench.reusable.bytes == 0
    for number, buffer in enumerate(buffers):
        assert (bench.contents(buffer) == number).all()
    del buffers, buffer
    bench.queues[0].finish()
    bench.context._core.reclaim()
    assert set(bench.reusable.free[SIZE]) == set(addresses) and bench.reusable.bytes == 6 * SIZE


def test_memory_goes_back_as_python_gives_it(bench):
    core = bench.context._core
    noted = core._reclaimer.noted
    if bench.reusable.queue is not None:
        pytest.skip("the next buffers take it")
    for go in (lambda storage: None, lambda storage: storage._let_go_in_python()):
        storage = bench.used(1)._core._storage
        address, waiting, count = storage.memory, core._reclaimer.waiting, len(noted)
        go(storage)
        if len(noted) > count:
            storage.has_memory = False  # It has gone back.
        del storage
        device, block = noted[-1]
        assert len(noted) == count + 1 and device is core.devices[0] is block.device and type(block) is Block
        assert (block.address, block.size) == (address, SIZE) and core._reclaimer.waiting == waiting + SIZE
    assert not core._reclaimer.pressing


@pytest.mark.parametrize("size", [4, 511, 513, 4097, 100_000, 524_289, PAGE - 1, PAGE, PAGE + 1])
def test_blocks_have_the_size_that_the_driver_has_given(bench, size):
    noted = bench.context._core._reclaimer.noted
    bench.reusable._refusals += 1  # of all that comes back
    bench.used(1, size=size)
    assert noted[-1][1].size == rounded(size) >= size
    bench.reusable._refusals -= 1


def test_a_buffer_of_nearly_the_same_size_has_it(bench, monkeypatch):
    """Sizes that come once take no memory of the driver's, nor Python's steps."""
    known, asked, made = set(bench.reusable.free[SIZE]), [], []
    driver, genuine = bench.context._core.devices[0].driver_device, late._storage_of
    monkeypatch.setattr(driver, "allocate", lambda size: asked.append(size))
    monkeypatch.setattr(late, "_storage_of", lambda buffer: made.append(True) or genuine(buffer))
    buffers = [bench.used(number, size=SIZE - 4 * number) for number in range(4)]
    assert {buffer._core.address for buffer in buffers} == known and bench.reusable.bytes == 0 and not asked
    assert not made or library.calls() is None
    for number, buffer in enumerate(buffers):
        assert (bench.contents(buffer) == number).all()
    del buffers, buffer
    bench.queues[0].finish()
    bench.context._core.reclaim()
    assert set(bench.reusable.free[SIZE]) == known and bench.reusable.bytes == 4 * SIZE


def test_first_contents_come_into_memory_that_was_used(bench):
    """With several queues into such as no command uses any more."""
    data = np.arange(SIZE // 4 - 7, dtype=np.uint32)
    known, buffer = set(bench.reusable.free[SIZE]), cl.Buffer(bench.context, FLAGS.COPY_HOST_PTR, hostbuf=data)
    assert (bench.contents(buffer) == data).all() and buffer._core.address in known


def test_debug_mode_keeps_nothing_from_its_beginning(bench, monkeypatch):
    """It has memory of the very size."""
    buffer, count = bench.used(1), bench.reusable.bytes
    monkeypatch.setattr(debug_mode, "_active", True)
    buffer.release()
    bench.queues[0].finish()
    bench.context._core.reclaim()
    assert bench.reusable.bytes == count


def test_storage_without_memory_and_large_or_mapped_memory(bench):
    core = bench.context._core
    storage = late.LateStorage(core, SIZE)
    count = len(core._reclaimer.noted)
    del storage
    assert len(core._reclaimer.noted) == count
    buffer = bench.used(3)
    array, _ = cl.enqueue_map_buffer(bench.queues[0], buffer, cl.map_flags.READ, 0, (SIZE,), np.uint8)
    has_shadow = buffer._core._storage.shadow is not None
    array.base.release(bench.queues[0])
    del array, buffer
    assert len(core._reclaimer.noted) == count + 1 + has_shadow
    large = cl.Buffer(bench.context, 0, LITTLE + 1)
    cl.enqueue_fill_buffer(bench.queues[0], large, np.uint8(1), 0, 1)
    del large
    assert core._reclaimer.pressing


def test_memory_that_comes_back_after_its_context(bench):
    """Python's search for cyclic garbage finalizes them in any order: other contexts free it."""
    core = bench.context._core
    storage = bench.used(1)._core._storage
    bench.queues[0].finish()
    core._reclaimer._context_gone, before = True, len(LEFTOVERS)
    del storage
    core._reclaimer._context_gone = False
    assert len(LEFTOVERS) == before + 1
    bench.context._core.reclaim()


def test_other_sizes_and_contents_have_memory_of_their_own(bench):
    known = set(bench.reusable.free[SIZE])
    data = np.arange(SIZE // 4, dtype=np.uint32)
    larger, filled = cl.Buffer(bench.context, 0, 2 * SIZE), cl.Buffer(bench.context, FLAGS.COPY_HOST_PTR, hostbuf=data)
    assert larger._core.address not in known and (bench.contents(filled) == data).all()


def test_a_released_buffer_takes_none(bench):
    buffer = cl.Buffer(bench.context, 0, SIZE)
    buffer.release()
    with pytest.raises(cl.LogicError, match="INVALID_MEM_OBJECT"):
        bench.contents(buffer)
    assert bench.reusable.bytes == 4 * SIZE


def test_memory_of_a_queue_that_has_gone_waits_for_the_next(device=DEVICES[0]):
    bench = Bench(device, 1)
    bench.queues.pop()
    gc.collect()
    buffer = cl.Buffer(bench.context, 0, SIZE)
    bench.queues.append(cl.CommandQueue(bench.context))
    cl.enqueue_fill_buffer(bench.queues[0], buffer, np.uint32(7), 0, SIZE)
    assert (bench.contents(buffer) == 7).all()


def test_a_trace_remembers_the_buffers(bench, tmp_path):
    trace.start(str(tmp_path / "trace.json"))
    try:
        from cl2cuda.runtime.memory import known_memory

        buffer = cl.Buffer(bench.context, 0, SIZE)
        assert known_memory.found(buffer._core.address) == (buffer._core._storage, buffer._core.address)
    finally:
        trace.stop()


def test_threads_never_get_the_same_memory(bench):
    """Sixteen of them make, use, check and drop buffers."""
    wrong, interval = [], sys.getswitchinterval()
    queue = bench.queues[-1]

    def work(number):
        for turn in range(40):
            value = np.uint32(number * 1000 + turn)
            buffer = cl.Buffer(bench.context, 0, SIZE)
            cl.enqueue_fill_buffer(queue, buffer, value, 0, SIZE)
            found = np.empty(SIZE // 4, np.uint32)
            cl.enqueue_copy(queue, found, buffer)
            if not (found == value).all():
                wrong.append((number, turn, found[0]))

    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong
    queue.finish()
    bench.context._core.reclaim()
    assert bench.reusable.bytes == sum(size * len(addresses) for size, addresses in bench.reusable.free.items())


def test_threads_that_use_one_buffer_first_find_the_same_storage(bench):
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(50):
            core, found, go = cl.Buffer(bench.context, 0, SIZE)._core, [], threading.Barrier(4)

            def use(core=core, found=found, go=go):
                go.wait()
                found.append(core.used_storage())

            threads = [threading.Thread(target=use) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len({id(each) for each in found}) == 1 and core._storage is found[0]
    finally:
        sys.setswitchinterval(interval)


def test_what_is_kept_goes_where_memory_is_short(bench, monkeypatch):
    """An allocation that fails is tried again when the device has back what was kept."""
    core, freed = bench.context._core, []
    driver = core.devices[0].driver_device
    genuine = driver.free
    monkeypatch.setattr(driver, "free", lambda address: freed.append(address) or genuine(address))
    core.reclaim_all()
    assert len(freed) == 4 and not bench.reusable.free and bench.reusable.bytes == 0
    bench.leave_memory()
    assert len(bench.reusable.free[SIZE]) == 4
