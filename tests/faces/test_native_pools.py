"""Pools of buffers and of shared virtual memory whose blocks are handed out and come back in C (runtime/native/pools.c): as by Python's
steps. What pools of shared memory have alone is in test_native_shared_pools.py."""

from __future__ import annotations

import gc
import os
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl.pool import MemoryPool, PooledBuffer, _Pool
from cl2cuda.pyopencl_cl.svm import PooledSVM, SVMAllocator, SVMPool
from cl2cuda.runtime.native import library

import pyopencl.array as cla  # isort: skip
from pyopencl.tools import ImmediateAllocator  # isort: skip

DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]


class Kind(NamedTuple):
    """allocator(queue) is what a pool takes; `method` is what hands a block out; place(block) is where it is, which no two blocks share that
    are there at once, and held(block) what the pool keeps of it."""

    pool: type
    block: type
    allocator: Callable[[cl.CommandQueue], Any]
    method: str
    place: Callable[[Any], Any]
    held: Callable[[Any], Any]

    def new_pool(self, queue, **options):
        return self.pool(self.allocator(queue), **options)


KINDS = {
    "buffers": Kind(MemoryPool, PooledBuffer, ImmediateAllocator, "allocate", lambda block: id(block._core), lambda block: block._core),
    "shared memory of a queue": Kind(SVMPool, PooledSVM, lambda queue: SVMAllocator(queue.context, queue=queue), "__call__",
                                     lambda block: block.svm_ptr, lambda block: block._core),
    "shared memory of none": Kind(SVMPool, PooledSVM, lambda queue: SVMAllocator(queue.context, queue=None), "__call__",
                                  lambda block: block.svm_ptr, lambda block: block._core),
}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def queue():
    return cl.CommandQueue(cl.Context([DEVICES[0]]))


@pytest.fixture
def pool(kind, queue):
    return kind.new_pool(queue)


@pytest.fixture
def stepped(monkeypatch):
    """What Python's own steps take and give back."""
    found = []
    for name in ("take", "give_back"):
        genuine = getattr(_Pool, name)
        monkeypatch.setattr(_Pool, name, lambda self, *arguments, name=name, genuine=genuine: found.append(name) or genuine(self, *arguments))
    return found


def counts(pool):
    return pool.held_blocks, pool.active_blocks, pool.active_bytes, pool.managed_bytes


@pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")
def test_held_blocks_take_no_steps_of_pythons(kind, pool, stepped):
    block = pool(1000)
    place, held, managed = kind.place(block), kind.held(block), pool.managed_bytes
    assert stepped == ["take"] and counts(pool) == (0, 1, 1000, managed)
    del block
    assert stepped == ["take"] and counts(pool) == (1, 0, 0, managed)
    for make in (pool, getattr(pool, kind.method), getattr(kind.pool, kind.method).__get__(pool)):
        again = make(1001)
        assert kind.place(again) == place and kind.held(again) is held and type(again) is kind.block
        assert counts(pool) == (0, 1, 1001, managed) and again.size >= 1001
        del again
    assert stepped == ["take"]


@pytest.mark.parametrize("bits", [1, 4, 7, 20])
def test_bins_are_those_of_python(kind, queue, bits):
    """Of all sizes that share a bin one gets the block of another; of other bins none does."""
    pool = kind.new_pool(queue, leading_bits_in_bin_id=bits)
    draws = np.random.default_rng(bits)
    sizes = sorted({*range(1, 70), *(2**k + d for k in range(6, 14) for d in (-1, 0, 1)), *draws.integers(1, 1 << 14, 60).tolist()})
    homes = {}
    for size in sizes:
        block, number = pool(size), pool.bin_number(size)
        if number in homes:
            assert kind.held(block) is homes[number]
        homes[number] = kind.held(block)
        del block
    assert len({id(held) for held in homes.values()}) == len(homes) == pool.held_blocks


@pytest.mark.parametrize("wrong", [(), (1.5,), ("16",), (None,), (-1,), (2**64,), (16, 16), ([],)], ids=repr)
def test_wrong_sizes_are_refused_as_by_python(kind, pool, wrong):
    del_me = pool(16)
    del del_me
    before = counts(pool)
    found = []
    for call in (getattr(pool, kind.method), pool._allocate_in_python):
        with pytest.raises(Exception) as failure:
            call(*wrong)
        found.append((type(failure.value), str(failure.value).replace("_allocate_in_python", kind.method)))
    assert found[0] == found[1] and counts(pool) == before


def test_nothing_true_and_numbers_of_numpy(kind, pool):
    allocate = getattr(pool, kind.method)
    assert allocate(np.int32(100)).size >= 100 and allocate(True).size >= 1
    try:
        expected = type(pool._allocate_in_python(0))
    except Exception as failure:
        with pytest.raises(type(failure)):
            allocate(0)
    else:
        assert type(allocate(0)) is expected
    with pytest.raises(TypeError):
        allocate(size=16, more=1)
    assert allocate(size=16).size >= 16


def test_a_block_is_given_back_once(kind, pool):
    block = pool(64)
    block.release()
    with pytest.raises(cl.LogicError):
        block.release()
    del block
    assert counts(pool)[:3] == (1, 0, 0)
    first, second = pool(64), pool(64)
    assert kind.place(first) != kind.place(second) and first != second and counts(pool)[:3] == (0, 2, 128)


def test_a_block_that_was_used_in_a_circle_has_its_memory(queue):
    """Python finalizes what only the circle refers to in any order: the block must not be finalized before it is back."""
    pool, sent = MemoryPool(ImmediateAllocator(queue)), np.arange(64, dtype=np.int32)
    for turn in range(20):
        circle = [pool.allocate(sent.nbytes) for _ in range(4)]
        circle.append(circle)
        for block in circle[:4]:
            cl.enqueue_copy(queue, block, sent)
        del block, circle
        gc.collect()
        again, found = [pool.allocate(sent.nbytes) for _ in range(4)], np.empty_like(sent)
        others = [cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, again[0].size) for _ in range(8)]
        for number, buffer in enumerate((*again, *others)):
            cl.enqueue_copy(queue, buffer, sent + number + turn)
        for number, buffer in enumerate((*again, *others)):
            cl.enqueue_copy(queue, found, buffer)
            assert (found == sent + number + turn).all()
        del again, buffer
        gc.collect()


def test_a_pool_that_tells_what_it_does(pool, capsys):
    del_me = pool(64)
    pool._set_trace(True)
    del del_me
    del_me = pool(64)
    pool._set_trace(False)
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["block", "allocation"]
    del del_me
    assert not capsys.readouterr().out


def test_what_was_not_made_as_a_whole_goes(kind, pool):
    kind.block.__new__(kind.block)
    block = pool(64)
    del block._size
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "unraisablehook", lambda what: None)
        del block
    gc.collect()


def test_classes_of_others(kind, queue):
    def one_more(self, size):
        return getattr(kind.pool, kind.method)(self, size + 1)

    pool = type("Mine", (kind.pool,), {kind.method: one_more})(kind.allocator(queue))
    block = getattr(pool, kind.method)(64)
    assert pool.active_bytes == 65 and isinstance(block, kind.block)
    del block
    assert pool.active_bytes == 0 and pool.held_blocks == 1


def test_blocks_keep_their_pool(kind, queue):
    pool = kind.new_pool(queue)
    del_me = pool(64)
    del del_me
    block, gone = pool(64), weakref.ref(pool)
    del pool
    gc.collect()
    assert gone() is not None
    del block
    gc.collect()
    assert gone() is None


def test_nothing_is_left_behind(kind, pool, queue):
    block = pool(640)
    del block
    pool(640)
    counted = (pool, pool._bins[pool.bin_number(640)][0], kind.block, queue)
    leaves_nothing(lambda: pool(640), counted)


def test_threads_share_a_pool(kind, pool):
    lock, seen = threading.Lock(), set()

    def work(number):
        for turn in range(300):
            block = pool(100 + turn % 7)
            with lock:
                assert kind.place(block) not in seen
                seen.add(kind.place(block))
            with lock:
                seen.remove(kind.place(block))
            del block

    run_together(work, (0,), (1,), (2,))
    assert pool.active_blocks == pool.active_bytes == 0 and pool.held_blocks == sum(map(len, pool._bins.values()))


@pytest.mark.parametrize("kind", [KINDS["buffers"], KINDS["shared memory of a queue"]], ids=["buffers", "shared memory"])
@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_arrays(kind, device):
    queue = cl.CommandQueue(cl.Context([device]))
    pool = kind.new_pool(queue)
    host = np.arange(1000, dtype=np.float32)
    a = cla.to_device(queue, host, allocator=pool)
    for _ in range(50):
        b = 2 * a + a
        assert b.allocator is pool
    assert (b.get() == 3 * host).all() and pool.active_blocks == 2 and pool.held_blocks <= 3


# Buffers' alone


@pytest.fixture
def of_buffers(queue):
    return KINDS["buffers"].new_pool(queue)


def test_a_pool_that_holds_nothing_frees_what_comes_back(of_buffers):
    first, second = of_buffers.allocate(64), of_buffers.allocate(64)
    core = first._core
    of_buffers.stop_holding()
    del first
    assert core.released and counts(of_buffers)[:3] == (0, 1, 64)
    del second
    assert counts(of_buffers) == (0, 0, 0, 0)


def test_held_blocks_that_are_freed_are_not_handed_out(of_buffers):
    core = (block := of_buffers.allocate(64))._core
    del block
    of_buffers.free_held()
    assert core.released and of_buffers.allocate(64)._core is not core
