"""Unmaps in C (runtime/native/maps.c)."""

from __future__ import annotations

import gc
import os
import sys

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, STATUS = cl.mem_flags, cl.command_execution_status
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]
WRITES = cl.map_flags.WRITE_INVALIDATE_REGION


def mapped(bench, flags=WRITES, offset=0, count=16, queue=None, **how):
    return cl.enqueue_map_buffer(queue or bench.first, bench.buffer, flags, offset, (count,), np.uint32, **how)[0]


def contents(bench):
    found = np.zeros(1024, np.uint32)
    cl.enqueue_copy(bench.first, found, bench.buffer)
    return found


def test_an_unmap_is_one_copy(imagined, submitted):
    array = mapped(imagined, offset=64)
    array[:] = 7
    event = array.base.release()
    assert imagined.taken() == "aC" and not submitted
    assert type(event) is cl.Event and event.command_type == cl.command_type.UNMAP_MEM_OBJECT
    assert not imagined.buffer._core.mappings and array.base._mapped is array.base._owner is None
    assert list(contents(imagined)[14:34]) == [0] * 2 + [7] * 16 + [0] * 2
    event.wait()
    with pytest.raises(Exception) as twice:
        array.base.release()
    with pytest.raises(type(twice.value)) as in_python:
        array.base._release_in_python()
    assert str(twice.value) == str(in_python.value)


def test_an_unmap_in_another_queue_behind_a_third(imagined, submitted):
    array, before = mapped(imagined), cl.enqueue_marker(imagined.first)
    array.base.release(queue=imagined.second, wait_for=[before])
    assert imagined.taken() == "b<<a bC" and not submitted
    array = mapped(imagined)
    gate = cl.UserEvent(imagined.context)
    event = array.base.release(imagined.second, [gate])
    assert submitted == ["clEnqueueUnmapMemObject"] and imagined.taken() == "" and event.command_execution_status == STATUS.QUEUED
    gate.set_status(STATUS.COMPLETE)
    event.wait()


def test_other_unmaps_are_pythons(imagined, submitted):
    array = mapped(imagined, cl.map_flags.READ)
    array.base.release()
    assert imagined.taken() == "" and not imagined.buffer._core.mappings
    array = mapped(imagined, queue=imagined.unordered)
    array.base.release()
    assert "clEnqueueUnmapMemObject" in submitted and not imagined.buffer._core.mappings


def test_an_unmap_that_cuda_refuses_is_pythons(imagined, submitted):
    array = mapped(imagined)
    array[:] = 3
    imagined.fails.value = 1
    array.base.release()
    assert submitted == ["clEnqueueUnmapMemObject"] and not imagined.buffer._core.mappings and array.base._mapped is None


def test_regions_mapped_twice_and_dropped_maps(imagined, submitted):
    first = mapped(imagined, count=4)
    imagined.buffer._core.mappings[first.base._mapped] *= 2  # As a second map of another thread's would be listed.
    first.base.release()
    assert [len(each) for each in imagined.buffer._core.mappings.values()] == [1]
    imagined.buffer._core.mappings.clear()
    array = mapped(imagined, offset=128)
    array[:] = 9
    del array, first
    gc.collect()
    assert not imagined.buffer._core.mappings and list(contents(imagined)[32:48]) == [9] * 16


def test_maps_leave_nothing_behind(imagined):
    storage, core = imagined.buffer._core._storage, imagined.buffer._core
    counted = (storage, core, storage.mappings, storage.shadow, imagined.first._core, None)
    for _ in range(30):
        mapped(imagined).base.release()
    imagined.first.finish()
    before = [sys.getrefcount(each) for each in counted]
    for _ in range(300):
        mapped(imagined).base.release()
        imagined.logged.value = 0
    imagined.first.finish()
    assert all(abs(new - old) < 100 for new, old in zip([sys.getrefcount(each) for each in counted], before, strict=True))


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_maps_one_after_the_other(device):
    context = cl.Context([device])
    queue, buffer = cl.CommandQueue(context), cl.Buffer(context, FLAGS.READ_WRITE, 4 << 20)
    found, expected = np.zeros(1 << 20, np.uint32), np.zeros(1 << 20, np.uint32)
    cl.enqueue_fill_buffer(queue, buffer, np.uint32(0), 0, buffer.size)
    for turn in range(60):
        start, count = turn * 7919 % 1000, (1000, 100_000, 1_000_000)[turn % 3]
        array, _ = cl.enqueue_map_buffer(queue, buffer, WRITES, 4 * start, (count,), np.uint32)
        array[:] = turn
        expected[start : start + count] = turn
        array.base.release(queue)
        if turn % 5 == 0:
            cl.enqueue_copy(queue, found, buffer)
            assert (found == expected).all()
    cl.enqueue_copy(queue, found, buffer)
    assert (found == expected).all()


