"""Pools of shared virtual memory whose blocks are handed out and come back in C (runtime/native/pools.c): as by Python's steps."""

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
from cl2cuda.pyopencl_cl import svm
from cl2cuda.pyopencl_cl.pool import _Pool
from cl2cuda.pyopencl_cl.svm import PooledSVM, SVMAllocator, SVMPool
from cl2cuda.runtime.native import library

import pyopencl.array as cla  # isort: skip

DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]


@pytest.fixture
def queue():
    return cl.CommandQueue(cl.Context([DEVICES[0]]))


@pytest.fixture(params=["of a queue", "of none"])
def pool(request, queue):
    return SVMPool(SVMAllocator(queue.context, queue=queue if request.param == "of a queue" else None))


@pytest.fixture
def stepped(monkeypatch):
    """What Python's own steps take and give back, and which commands they enqueue."""
    found = []
    for owner, name in ((_Pool, "take"), (_Pool, "give_back"), (svm, "_follow")):
        genuine = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *arguments, name=name, genuine=genuine: found.append(name) or genuine(*arguments))
    return found


def counts(pool):
    return pool.held_blocks, pool.active_blocks, pool.active_bytes, pool.managed_bytes


@pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")
def test_held_blocks_take_no_steps_of_pythons(pool, stepped):
    block = pool(1000)
    address, managed = block.svm_ptr, pool.managed_bytes
    assert stepped == ["take"] and counts(pool) == (0, 1, 1000, managed)
    del block
    assert stepped == ["take"] and counts(pool) == (1, 0, 0, managed)
    for make in (pool, pool.__call__):
        again = make(1001)
        assert again.svm_ptr == address and type(again) is PooledSVM and counts(pool) == (0, 1, 1001, managed)
        assert again.size == 1001 and again._queue is pool._queue and len(again.buf) == 1001
        del again
    assert stepped == ["take"]


@pytest.mark.parametrize("wrong", [(), (1.5,), ("16",), (None,), (-1,), (2**64,), (16, 16), ([],)], ids=repr)
def test_wrong_sizes_are_refused_as_by_python(pool, wrong):
    del_me = pool(16)
    del del_me
    before = counts(pool)
    found = []
    for call in (pool, pool._allocate_in_python):
        with pytest.raises(Exception) as failure:
            call(*wrong)
        found.append((type(failure.value), str(failure.value)))
    assert found[0] == found[1] and counts(pool) == before
    assert pool(size=16).size == 16 and pool(np.int32(16)).size == 16 and pool(0).size == 0


def test_a_block_is_given_back_once(pool):
    block = pool(64)
    block.release()
    with pytest.raises(cl.LogicError, match="double"):
        block.release()
    del block
    assert counts(pool)[:3] == (1, 0, 0)
    first, second = pool(64), pool(64)
    assert first.svm_ptr != second.svm_ptr and first != second and counts(pool)[:3] == (0, 2, 128)


def test_a_pool_that_holds_nothing_frees_what_comes_back(pool):
    blocks, known = [pool(64), pool(64)], pool._allocator._context.svm
    pool.stop_holding()
    while blocks:
        address = blocks[-1].svm_ptr
        assert known.find(address) is not None
        blocks.pop()
        assert known.find(address) is None and counts(pool)[:3] == (0, len(blocks), 64 * len(blocks))
    assert pool.managed_bytes == 0


def test_a_pool_that_tells_what_it_does(pool, capsys):
    del_me = pool(64)
    pool._set_trace(True)
    del del_me
    del_me = pool(64)
    pool._set_trace(False)
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["block", "allocation"]
    del del_me
    assert not capsys.readouterr().out


def test_blocks_that_are_bound_to_another_queue(queue, pool, stepped):
    """The next user knows nothing of that queue: the pool's waits for it, or the host does."""
    other = cl.CommandQueue(queue.context)
    gate = cl.UserEvent(queue.context)
    block = pool(64)
    block.bind_to_queue(other)
    assert block._queue is other
    if pool._queue is None:
        threading.Timer(0.05, gate.set_status, (cl.command_execution_status.COMPLETE,)).start()
    cl.enqueue_marker(other, wait_for=[gate])
    del stepped[:], block
    assert stepped == (["give_back"] if pool._queue is None else ["_follow", "give_back"]) and counts(pool)[:3] == (1, 0, 0)
    if pool._queue is None:
        assert gate.command_execution_status == cl.command_execution_status.COMPLETE
    else:
        behind = cl.enqueue_marker(queue)
        assert behind.command_execution_status != cl.command_execution_status.COMPLETE
        gate.set_status(cl.command_execution_status.COMPLETE)
        behind.wait()
    assert pool(64)._queue is pool._queue


def test_blocks_that_are_bound_to_no_queue_any_more(pool):
    block = pool(64)
    block.unbind_from_queue()
    assert block._queue is None
    del block
    assert counts(pool)[:3] == (1, 0, 0)


def test_what_was_not_made_as_a_whole_goes(pool):
    PooledSVM.__new__(PooledSVM)
    block = pool(64)
    del block._size
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "unraisablehook", lambda what: None)
        del block
    gc.collect()


def test_classes_of_others(queue):
    class Mine(SVMPool):
        def __call__(self, size):
            return super().__call__(size + 1)

    pool = Mine(SVMAllocator(queue.context, queue=queue))
    block = pool(64)
    assert pool.active_bytes == 65 and isinstance(block, PooledSVM)
    del block
    assert pool.active_bytes == 0 and pool.held_blocks == 1


def test_blocks_keep_their_pool(queue):
    pool = SVMPool(SVMAllocator(queue.context, queue=queue))
    del_me = pool(64)
    del del_me
    block, gone = pool(64), weakref.ref(pool)
    del pool
    gc.collect()
    assert gone() is not None
    del block
    gc.collect()
    assert gone() is None


def test_nothing_is_left_behind(pool):
    block = pool(640)
    del block
    pool(640)
    pointer, queue = pool._bins[pool.bin_number(640)][0], pool._queue
    before = [sys.getrefcount(each) for each in (pool, pointer, PooledSVM, queue)]
    for _ in range(1000):
        pool(640)
    gc.collect()
    after = [sys.getrefcount(each) for each in (pool, pointer, PooledSVM, queue)]
    assert after[:3] == before[:3] and (queue is None or after[3] == before[3])


def test_threads_share_a_pool(pool):
    lock, seen = threading.Lock(), set()

    def work(number):
        for turn in range(300):
            block = pool(100 + turn % 7)
            with lock:
                assert block.svm_ptr not in seen
                seen.add(block.svm_ptr)
            with lock:
                seen.remove(block.svm_ptr)
            del block

    run_together(work, (0,), (1,), (2,))
    assert pool.active_blocks == pool.active_bytes == 0 and pool.held_blocks == sum(map(len, pool._bins.values()))


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_arrays(device):
    queue = cl.CommandQueue(cl.Context([device]))
    pool = SVMPool(SVMAllocator(queue.context, queue=queue))
    host = np.arange(1000, dtype=np.float32)
    a = cla.to_device(queue, host, allocator=pool)
    for _ in range(50):
        b = 2 * a + a
        assert b.allocator is pool
    assert (b.get() == 3 * host).all() and pool.active_blocks == 2 and pool.held_blocks <= 3
