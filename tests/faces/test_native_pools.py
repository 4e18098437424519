"""Memory pools whose blocks are handed out and come back in C (runtime/native/pools.c): as by Python's steps."""

from __future__ import annotations

import gc
import os
import sys
import threading
import weakref

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl.pool import MemoryPool, PooledBuffer, _Pool
from cl2cuda.runtime.native import library

import pyopencl.array as cla  # isort: skip
from pyopencl.tools import ImmediateAllocator  # isort: skip

DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]


@pytest.fixture
def queue():
    return cl.CommandQueue(cl.Context([DEVICES[0]]))


@pytest.fixture
def pool(queue):
    return MemoryPool(ImmediateAllocator(queue))


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
def test_held_blocks_take_no_steps_of_pythons(pool, stepped):
    block = pool.allocate(1000)
    core, managed = block._core, pool.managed_bytes
    assert stepped == ["take"] and counts(pool) == (0, 1, 1000, managed)
    del block
    assert stepped == ["take"] and counts(pool) == (1, 0, 0, managed)
    for make in (pool, pool.allocate, MemoryPool.allocate.__get__(pool)):
        again = make(1001)
        assert again._core is core and type(again) is PooledBuffer and counts(pool) == (0, 1, 1001, managed)
        assert again.size == core.size >= 1001
        del again
    assert stepped == ["take"]


@pytest.mark.parametrize("bits", [1, 4, 7, 20])
def test_bins_are_those_of_python(queue, bits):
    """Of all sizes that share a bin one gets the block of another; of other bins none does."""
    pool = MemoryPool(ImmediateAllocator(queue), leading_bits_in_bin_id=bits)
    draws = np.random.default_rng(bits)
    sizes = sorted({*range(1, 70), *(2**k + d for k in range(6, 14) for d in (-1, 0, 1)), *draws.integers(1, 1 << 14, 60).tolist()})
    homes = {}
    for size in sizes:
        block, number = pool.allocate(size), pool.bin_number(size)
        if number in homes:
            assert block._core is homes[number]
        homes[number] = block._core
        del block
    assert len({id(core) for core in homes.values()}) == len(homes) == pool.held_blocks


@pytest.mark.parametrize("wrong", [(), (1.5,), ("16",), (None,), (-1,), (2**64,), (16, 16), ([],)], ids=repr)
def test_wrong_sizes_are_refused_as_by_python(pool, wrong):
    del_me = pool.allocate(16)
    del del_me
    before = counts(pool)
    found = []
    for call in (pool.allocate, pool._allocate_in_python):
        with pytest.raises(Exception) as failure:
            call(*wrong)
        found.append((type(failure.value), str(failure.value).replace("_allocate_in_python", "allocate")))
    assert found[0] == found[1] and counts(pool) == before


def test_nothing_true_and_numbers_of_numpy(pool):
    assert pool.allocate(np.int32(100)).size >= 100 and pool.allocate(True).size >= 1
    try:
        expected = type(pool._allocate_in_python(0))
    except Exception as failure:
        with pytest.raises(type(failure)):
            pool.allocate(0)
    else:
        assert type(pool.allocate(0)) is expected
    with pytest.raises(TypeError):
        pool.allocate(size=16, more=1)
    assert pool.allocate(size=16).size >= 16


def test_a_block_is_given_back_once(pool):
    block = pool.allocate(64)
    block.release()
    with pytest.raises(cl.LogicError):
        block.release()
    del block
    assert counts(pool)[:3] == (1, 0, 0)
    first, second = pool.allocate(64), pool.allocate(64)
    assert first._core is not second._core and counts(pool)[:3] == (0, 2, 128)


def test_a_pool_that_holds_nothing_frees_what_comes_back(pool):
    first, second = pool.allocate(64), pool.allocate(64)
    core = first._core
    pool.stop_holding()
    del first
    assert core.released and counts(pool)[:3] == (0, 1, 64)
    del second
    assert counts(pool) == (0, 0, 0, 0)


def test_a_pool_that_tells_what_it_does(pool, capsys):
    del_me = pool.allocate(64)
    pool._set_trace(True)
    del del_me
    del_me = pool.allocate(64)
    pool._set_trace(False)
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["block", "allocation"]
    del del_me
    assert not capsys.readouterr().out


def test_held_blocks_that_are_freed_are_not_handed_out(pool):
    core = (block := pool.allocate(64))._core
    del block
    pool.free_held()
    assert core.released and pool.allocate(64)._core is not core


def test_what_was_not_made_as_a_whole_goes(pool):
    PooledBuffer.__new__(PooledBuffer)
    block = pool.allocate(64)
    del block._size
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "unraisablehook", lambda what: None)
        del block
    gc.collect()


def test_classes_of_others(queue):
    class Mine(MemoryPool):
        def allocate(self, size):
            return super().allocate(size + 1)

    pool = Mine(ImmediateAllocator(queue))
    block = pool.allocate(64)
    assert pool.active_bytes == 65 and isinstance(block, PooledBuffer)
    del block
    assert pool.active_bytes == 0 and pool.held_blocks == 1


def test_blocks_keep_their_pool(queue):
    pool = MemoryPool(ImmediateAllocator(queue))
    del_me = pool.allocate(64)
    del del_me
    block, gone = pool.allocate(64), weakref.ref(pool)
    del pool
    gc.collect()
    assert gone() is not None
    del block
    gc.collect()
    assert gone() is None


def test_nothing_is_left_behind(pool):
    block = pool.allocate(640)
    del block
    pool.allocate(640)
    core = pool._bins[pool.bin_number(640)][0]
    before = sys.getrefcount(pool), sys.getrefcount(core), sys.getrefcount(PooledBuffer)
    for _ in range(1000):
        pool.allocate(640)
    gc.collect()
    assert (sys.getrefcount(pool), sys.getrefcount(core), sys.getrefcount(PooledBuffer)) == before


def test_threads_share_a_pool(pool):
    lock, seen = threading.Lock(), set()

    def work(number):
        for turn in range(300):
            block = pool.allocate(100 + turn % 7)
            with lock:
                assert id(block._core) not in seen
                seen.add(id(block._core))
            with lock:
                seen.remove(id(block._core))
            del block

    run_together(work, (0,), (1,), (2,))
    assert pool.active_blocks == pool.active_bytes == 0 and pool.held_blocks == sum(map(len, pool._bins.values()))


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_arrays(device):
    queue = cl.CommandQueue(cl.Context([device]))
    pool = MemoryPool(ImmediateAllocator(queue))
    host = np.arange(1000, dtype=np.float32)
    a = cla.to_device(queue, host, allocator=pool)
    for _ in range(50):
        b = 2 * a + a
        assert b.allocator is pool
    assert (b.get() == 3 * host).all() and pool.active_blocks == 2 and pool.held_blocks <= 3
