"""What pools of shared virtual memory, whose blocks are handed out and come back in C (runtime/native/pools.c), have beside those of
buffers (test_native_pools.py): queues, and sizes to the byte."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")


from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import svm
from cl2cuda.pyopencl_cl.pool import _Pool
from cl2cuda.pyopencl_cl.svm import SVMAllocator, SVMPool

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


def test_blocks_are_as_large_as_was_asked_for(pool):
    assert pool(size=16).size == 16 and pool(np.int32(16)).size == 16 and pool(0).size == 0
    del_me = pool(1000)
    del del_me
    block = pool(1001)
    assert block.size == 1001 and len(block.buf) == 1001 and block._queue is pool._queue


def test_a_block_that_is_given_back_twice_is_named(pool):
    block = pool(64)
    block.release()
    with pytest.raises(cl.LogicError, match="double"):
        block.release()


def test_a_pool_that_holds_nothing_frees_what_comes_back(pool):
    blocks, known = [pool(64), pool(64)], pool._allocator._context.svm
    pool.stop_holding()
    while blocks:
        address = blocks[-1].svm_ptr
        assert known.find(address) is not None
        blocks.pop()
        assert known.find(address) is None and counts(pool)[:3] == (0, len(blocks), 64 * len(blocks))
    assert pool.managed_bytes == 0


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
