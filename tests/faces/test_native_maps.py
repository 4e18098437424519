"""Maps and unmaps in C (runtime/native/maps.c, unmaps.c)."""

from __future__ import annotations

import gc
import os
import sys

import numpy as np
import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.threads import ends, run_together

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import transfers
from cl2cuda.runtime.commands import map as map_commands
from cl2cuda.runtime.memory import mapping, storage
from cl2cuda.runtime.memory.mapping import Mapping
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, STATUS = cl.mem_flags, cl.command_execution_status
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]
WRITES, READ, BOTH = cl.map_flags.WRITE_INVALIDATE_REGION, cl.map_flags.READ, cl.map_flags.READ | cl.map_flags.WRITE
# Python's own steps, behind the function in C.
IN_PYTHON = transfers.enqueue_map_buffer.__self__[1] if library.calls() is not None else None


def mapped(bench, flags=WRITES, offset=0, count=16, queue=None, **how):
    return cl.enqueue_map_buffer(queue or bench.first, bench.buffer, flags, offset, (count,), np.uint32, **how)[0]


def contents(bench):
    found = np.zeros(1024, np.uint32)
    cl.enqueue_copy(bench.first, found, bench.buffer)
    return found


@pytest.fixture
def by_python(monkeypatch):
    """The maps that Python's own steps have made."""
    made, genuine = [], map_commands.map_buffer
    monkeypatch.setattr(map_commands, "map_buffer", lambda *arguments: made.append(arguments) or genuine(*arguments))
    return made


@pytest.fixture
def ready(imagined):
    """A buffer that has been mapped once, since when there is memory to map into, with numbers in it."""
    mapped(imagined)[:] = 0
    gc.collect()
    cl.enqueue_copy(imagined.first, imagined.buffer, np.arange(1024, dtype=np.uint32))
    imagined.taken()
    return imagined


def told(array, event):
    """What can be seen of a map."""
    interface = array.__array_interface__
    return (array.dtype, array.shape, array.strides, array.flags.writeable, interface["data"], type(array.base), array.base._queue,
            array.base._memory, array.base._mapped, array.base._owner, hasattr(array.base, "__array_interface__"), type(event),
            event.command_type, event.command_execution_status, array.base._memory._core.mappings)


@pytest.mark.parametrize("flags", [READ, cl.map_flags.WRITE, BOTH, WRITES])
@pytest.mark.parametrize("arguments", [
    (0, (1024,), np.uint32), (64, (8, 4), np.float32), (8, 16, np.dtype("<u2")), (0, (1,), float), (4, (3, 1, 5), "i1"), (0, (2,), np.complex64)], ids=str)
def test_a_map_is_that_of_python(ready, by_python, flags, arguments):
    offset, shape, dtype = arguments
    found = []
    for way in (cl.enqueue_map_buffer, IN_PYTHON):
        array, event = way(ready.first, ready.buffer, flags, offset, shape, dtype)
        found.append((told(array, event), array.tobytes() if flags & READ else b""))
        array.base.release()
        ready.first.finish()
        assert len(by_python) == (way is IN_PYTHON)
    assert found[0] == found[1]
    assert not ready.buffer._core.mappings


@pytest.mark.parametrize("shape, strides", [((4,), (4,)), ((3, 1, 5), (20, 20, 4)), ((), ())], ids=str)
@pytest.mark.parametrize("waits", [list, tuple, None])
def test_a_map_of_an_array_of_pyopencls(ready, by_python, shape, strides, waits):
    """Which says the strides, and what to wait for: events of this queue and of another."""
    events = None if waits is None else waits([cl.enqueue_marker(ready.first), cl.enqueue_marker(ready.second)])
    array, _ = cl.enqueue_map_buffer(ready.first, ready.buffer, READ, 16, shape, np.uint32, strides=strides, wait_for=events)
    assert array.shape == shape and array.strides == strides and array.ravel()[0] == 4
    assert not by_python


def test_contents_are_those_of_the_stream(ready, by_python):
    array, _ = cl.enqueue_map_buffer(ready.first, ready.buffer, READ, 16, (4,), np.uint32)
    assert array.tolist() == [4, 5, 6, 7] and ready.taken() == "aC" and not by_python


@pytest.mark.parametrize("how", [
    {"order": "F"}, {"strides": (8,)}, {"is_blocking": None}, {"dtype": np.dtype([("a", np.int32)])}, {"dtype": ">u4"},
    {"flags": np.uint64(1)}, {"offset": np.int64(4)}, {"shape": [4]}, {"shape": (np.int64(4),)}, {"shape": (0,)}], ids=str)
def test_other_maps_are_pythons(ready, by_python, how):
    given, queue = {"flags": READ, "offset": 0, "shape": (4,), "dtype": np.uint32} | how, ready.first
    try:
        array, event = cl.enqueue_map_buffer(queue, ready.buffer, **given)
    except (cl.Error, TypeError) as error:
        with pytest.raises(type(error)) as again:
            IN_PYTHON(queue, ready.buffer, **given)
        assert str(again.value) == str(error)
    else:
        event.wait()
        array.base.release()
    assert by_python or given["shape"] == (0,)


@pytest.mark.parametrize("wrong", [
    {"flags": 5}, {"flags": 8}, {"flags": -1}, {"offset": 4096}, {"offset": -4}, {"shape": (1025,)}, {"shape": (-1,)},
    {"shape": (1 << 40, 1 << 40)}, {"dtype": "no type"}, {"order": "Z"}, {"offset": 1 << 70}], ids=str)
def test_errors_are_those_of_python(ready, wrong):
    given = {"flags": READ, "offset": 0, "shape": (4,), "dtype": np.uint32} | wrong
    found = []
    for way in (cl.enqueue_map_buffer, IN_PYTHON):
        with pytest.raises(Exception) as raised:
            way(ready.first, ready.buffer, **given)
        found.append((raised.type, str(raised.value)))
    assert found[0] == found[1]
    ready.buffer._core.mappings.clear()  # of an array that could not be made


@pytest.mark.parametrize("refused, flags", [
    (FLAGS.HOST_WRITE_ONLY, READ), (FLAGS.HOST_READ_ONLY, WRITES), (FLAGS.HOST_NO_ACCESS, BOTH), (FLAGS.HOST_READ_ONLY, BOTH)])
def test_what_the_host_may_not_do(ready, refused, flags):
    buffer = cl.Buffer(ready.context, FLAGS.READ_WRITE | refused, 64)
    buffer._core.used_storage().make_shadow()
    with pytest.raises(cl.LogicError, match="INVALID_OPERATION"):
        cl.enqueue_map_buffer(ready.first, buffer, flags, 0, (4,), np.uint32)


def test_regions_that_overlap_are_refused_and_others_are_not(ready, by_python):
    first, _ = cl.enqueue_map_buffer(ready.first, ready.buffer, WRITES, 0, (4,), np.uint32)
    with pytest.raises(cl.LogicError, match="INVALID_OPERATION"):
        cl.enqueue_map_buffer(ready.first, ready.buffer, READ, 8, (4,), np.uint32)
    second, _ = cl.enqueue_map_buffer(ready.first, ready.buffer, READ, 64, (4,), np.uint32)
    assert len(by_python) == 2 and len(ready.buffer._core.mappings) == 2
    first.base.release()
    second.base.release()
    assert not ready.buffer._core.mappings


def test_a_region_that_another_thread_maps_meanwhile_stays_listed(ready, by_python, monkeypatch):
    """The other one's turn comes while what describes the region is made, which is Python's own step of a map."""
    others, make = [], Mapping.__new__

    def meanwhile(kind, *fields):
        monkeypatch.setattr(Mapping, "__new__", make)
        others.append(mapped(ready, READ))
        return make(kind, *fields)

    monkeypatch.setattr(Mapping, "__new__", meanwhile)
    array = mapped(ready, READ)
    assert [len(each) for each in ready.buffer._core.mappings.values()] == [2] and len(by_python) == 1
    for each in (array, *others):
        each.base.release()
    assert not ready.buffer._core.mappings


def test_a_map_that_waits_long_is_pythons(ready, by_python):
    ready.first._core.stream.poll_ns = 0
    ready.make_busy_until_asked(ready.stream(ready.first))
    array, event = cl.enqueue_map_buffer(ready.first, ready.buffer, READ, 0, (4,), np.uint32)
    assert array.tolist() == [0, 1, 2, 3] and event.command_execution_status == STATUS.COMPLETE and len(by_python) == 1
    (regions,) = ready.buffer._core.mappings.values()
    assert len(regions) == 1
    array.base.release()
    assert not ready.buffer._core.mappings


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
    assert str(twice.value) == str(in_python.value) and "unmapped before" in str(twice.value)


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


def test_an_unmap_of_what_was_read_is_no_command_of_cudas(imagined, submitted):
    array = mapped(imagined, READ)
    imagined.taken()
    submitted.clear()
    event = array.base.release()
    assert imagined.taken() == "" and not submitted and not imagined.buffer._core.mappings and array.base._mapped is None
    event.wait()


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

    def turn():
        mapped(imagined).base.release()
        imagined.logged.value = 0
        imagined.first.finish()

    leaves_nothing(turn, counted)


@pytest.fixture(params=["in order", "out of order"])
def place(ready, request):
    """A queue that has had its first commands."""
    queue = ready.first if request.param == "in order" else ready.unordered
    cl.enqueue_fill_buffer(queue, cl.Buffer(ready.context, FLAGS.READ_WRITE, 64), np.uint32(0), 0, 64)
    queue.finish()
    ready.taken()
    return queue


@pytest.mark.parametrize("flags", [READ, cl.map_flags.WRITE, BOTH, WRITES])
@pytest.mark.parametrize("blocking", [True, False])
def test_maps_and_unmaps_are_those_of_python_in_all_queues(ready, place, by_python, submitted, flags, blocking):
    found = []
    for way in (cl.enqueue_map_buffer, IN_PYTHON):
        submitted.clear()
        before = cl.enqueue_marker(place)
        array, event = way(place, ready.buffer, flags, 64, (16,), np.uint32, is_blocking=blocking, wait_for=[before])
        event.wait()
        found.append((told(array, event), dict(ready.buffer._core.mappings), array.tobytes() if flags & READ else b""))
        unmapped = array.base.release(place, [event])
        unmapped.wait()
        found[-1] += (type(unmapped), unmapped.command_type, unmapped.command_execution_status, unmapped.command_queue)
        assert len(by_python) == (way is IN_PYTHON) and (submitted == ["clEnqueueMapBuffer"] if by_python else not submitted)
    assert found[0] == found[1] and not ready.buffer._core.mappings


@pytest.mark.parametrize("flags, copies", [(READ, "C"), (WRITES, "")])
def test_maps_that_nobody_waits_for_are_behind_other_queues_commands(ready, kernel, place, by_python, submitted, flags, copies):
    submitted.clear()
    launched = cl.enqueue_nd_range_kernel(ready.second, kernel, (64,), (64,))
    ready.taken()
    ready.make_busy(ready.stream(ready.second), ready.stream(place))
    array, event = cl.enqueue_map_buffer(place, ready.buffer, flags, 0, (4,), np.uint32, is_blocking=False, wait_for=[launched])
    name = ready.handles[ready.stream(place)]
    assert ready.taken() == f"{name}<<b" + (f" {name}C" if copies else "") and not by_python
    assert event._core.position > event._core.timeline.reached
    behind = cl.enqueue_fill_buffer(place, ready.buffer, np.uint32(1), 64, 64, wait_for=[event])
    assert ready.stream_of(behind) == ready.stream_of(event)
    unmapped = array.base.release(place, [behind])
    assert unmapped._core.position > unmapped._core.timeline.reached and not submitted
    ready.make_busy()
    unmapped.wait()
    assert event.command_execution_status == unmapped.command_execution_status == STATUS.COMPLETE


def test_a_map_that_brings_nothing_waits_for_other_queues_commands(ready, kernel, place, by_python):
    """Though its own stream was given none."""
    place._core.stream.poll_ns = 0
    launched = cl.enqueue_nd_range_kernel(ready.second, kernel, (64,), (64,))
    place.finish()
    ready.make_busy_until_asked(ready.stream(ready.second), ready.stream(place))
    array, event = cl.enqueue_map_buffer(place, ready.buffer, WRITES, 0, (4,), np.uint32, wait_for=[launched])
    assert not ready.busy.value and event.command_execution_status == STATUS.COMPLETE
    array.base.release()


def test_a_map_out_of_order_that_takes_long_is_one_copy(ready, by_python):
    """Another one could be in another stream, and the first would come after what the program writes there."""
    queue = ready.unordered
    cl.enqueue_map_buffer(queue, ready.buffer, READ, 0, (4,), np.uint32)[0].base.release()
    queue.finish()
    by_python.clear(), ready.taken()
    queue._core.stream.poll_ns = 0
    ready.make_busy_until_asked(ready.stream(queue))
    array, event = cl.enqueue_map_buffer(queue, ready.buffer, READ, 0, (4,), np.uint32)
    assert array.tolist() == [0, 1, 2, 3] and event.command_execution_status == STATUS.COMPLETE and not by_python
    assert ready.taken().count("C") == 1
    array.base.release()


def test_maps_and_unmaps_out_of_order_come_behind_barriers(ready, kernel, by_python, submitted):
    queue = ready.unordered
    for _ in range(2):
        cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,))
        ready.make_busy(*ready.streams)
    first = ready.streams[0]
    ready.make_busy(first)
    barrier = cl.enqueue_barrier(queue)
    ready.make_busy(ready.stream_of(barrier))
    submitted.clear(), ready.taken()
    array, event = cl.enqueue_map_buffer(queue, ready.buffer, BOTH, 0, (4,), np.uint32, is_blocking=False)
    assert ready.stream_of(event) == ready.stream_of(barrier) and ready.taken().endswith("C"), "there all is behind it"
    ready.make_busy(ready.stream_of(barrier))
    unmapped = array.base.release()
    there, here = (ready.handles[ready.stream_of(each)] for each in (barrier, unmapped))
    assert ready.taken() == f"{here}<<{there} {here}C" and not submitted and not by_python
    ready.make_busy()
    queue.finish()


def test_what_is_held_back_is_mapped_by_python(ready, place, by_python):
    gate = cl.UserEvent(ready.context)
    array, event = cl.enqueue_map_buffer(place, ready.buffer, READ, 0, (4,), np.uint32, is_blocking=False, wait_for=[gate])
    assert len(by_python) == 1 and ready.taken() == "" and event.command_execution_status == STATUS.QUEUED
    gate.set_status(STATUS.COMPLETE)
    event.wait()
    assert array.tolist() == [0, 1, 2, 3]
    array.base.release()


def test_a_map_that_cuda_refuses_is_pythons_in_all_queues(ready, place, by_python):
    for blocking in (True, False):
        by_python.clear()
        ready.fails.value = 1
        array, event = cl.enqueue_map_buffer(place, ready.buffer, READ, 0, (4,), np.uint32, is_blocking=blocking)
        ready.fails.value = 0
        event.wait()
        assert len(by_python) == 1 and [len(each) for each in ready.buffer._core.mappings.values()] == [1]
        array.base.release()
        assert not ready.buffer._core.mappings


def test_threads_map_in_one_queue_out_of_order(imagined):
    queue = imagined.unordered

    def work(number):
        buffer = cl.Buffer(imagined.context, FLAGS.READ_WRITE, 64)
        for turn in range(200):
            array, event = cl.enqueue_map_buffer(queue, buffer, WRITES, 0, (16,), np.uint32, is_blocking=bool(turn % 2))
            event.wait()
            array[:] = 1000 * number + turn
            event = array.base.release(queue)
            array, event = cl.enqueue_map_buffer(queue, buffer, READ, 0, (16,), np.uint32, wait_for=[event], is_blocking=bool(turn % 3))
            event.wait()
            assert (array == 1000 * number + turn).all()
            array.base.release()
            imagined.logged.value = 0

    run_together(work, (1,), (2,), (3,))
    queue.finish()


class HostBench:
    """A buffer of the host device, with numbers in it."""

    def __init__(self):
        device = next((each for each in DEVICES if each.type & cl.device_type.CPU), None)
        if device is None:
            pytest.skip("no host device")
        self.context = cl.Context([device])
        self.first = cl.CommandQueue(self.context)
        self.buffer = cl.Buffer(self.context, FLAGS.READ_WRITE, 4096)
        cl.enqueue_copy(self.first, self.buffer, np.arange(1024, dtype=np.uint32))


@pytest.mark.parametrize("flags", [READ, cl.map_flags.WRITE, BOTH, WRITES])
@pytest.mark.parametrize("arguments", [(0, (1024,), np.uint32), (64, (8, 4), np.float32), (4, (3, 1, 5), "i1")], ids=str)
def test_maps_of_the_hosts_own_memory(by_python, submitted, flags, arguments):
    bench, (offset, shape, dtype), found = HostBench(), arguments, []
    for way in (cl.enqueue_map_buffer, IN_PYTHON):
        array, event = way(bench.first, bench.buffer, flags, offset, shape, dtype)
        found.append((told(array, event)[:-1], dict(bench.buffer._core.mappings), array.tobytes()))
        event = array.base.release()
        found[-1] += (type(event), event.command_type, event.command_execution_status)
        assert len(by_python) == (way is IN_PYTHON) and not submitted and not bench.buffer._core.mappings
    assert found[0] == found[1]


def test_maps_of_the_hosts_own_memory_behind_kernels(by_python, submitted):
    bench = HostBench()
    kernel = cl.Kernel(cl.Program(bench.context, "kernel void f(global uint *a) { a[get_global_id(0)] *= 2; }").build(), "f")
    kernel.set_args(bench.buffer)
    for turn in range(1, 5):
        cl.enqueue_nd_range_kernel(bench.first, kernel, (1024,), None)
        array, event = cl.enqueue_map_buffer(bench.first, bench.buffer, BOTH, 0, (1024,), np.uint32)
        assert (array == np.arange(1024) << turn).all() and event.command_execution_status == STATUS.COMPLETE
        array.base.release()
    assert not by_python
    own = np.arange(16, dtype=np.uint32)
    buffer = cl.Buffer(bench.context, FLAGS.READ_WRITE | FLAGS.USE_HOST_PTR, hostbuf=own)
    for _ in range(2):
        array, _ = cl.enqueue_map_buffer(bench.first, buffer, BOTH, 0, (16,), np.uint32)
        assert np.array_equal(array, own)
        array.base.release()


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




def test_threads_map_one_buffer_by_code_in_c_and_by_python():
    """In queues in order, and out of order, which are Python's on the host device."""
    bench, failures = HostBench(), []
    unordered = cl.CommandQueue(bench.context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)

    def work(queue):
        try:
            for _ in range(2000):
                mapped(bench, READ, queue=queue).base.release()
        except Exception as error:
            failures.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        run_together(work, (bench.first,), (unordered,), (unordered,))
    finally:
        sys.setswitchinterval(before)
    assert not failures and not bench.buffer._core.mappings


def test_what_the_search_for_garbage_finds_is_unmapped_later(ready):
    """Its thread may be giving the queue a command, with any lock."""
    core, cycle = ready.first._core, [mapped(ready, BOTH)]
    cycle[0][:] = 7
    cycle.append(cycle)
    del cycle
    with core._lock, mapping._changing:
        assert ends(gc.collect)
    assert ready.buffer._core.map_count == 1
    core.context.reclaim()
    assert ready.buffer._core.map_count == 0 and (contents(ready)[:16] == 7).all()


@pytest.fixture
def shared(imagined, monkeypatch):
    """A buffer over the application's memory, and that: by the twelfth map it is page-locked."""
    monkeypatch.setattr(storage, "MAPS_UNTIL_LOCKED", ((4096, 12),))
    own = np.arange(1024, dtype=np.uint32)
    imagined.buffer = cl.Buffer(imagined.context, FLAGS.READ_WRITE | FLAGS.USE_HOST_PTR, hostbuf=own)
    imagined.own = own
    imagined.first.finish(), imagined.taken()
    return imagined


def test_memory_of_the_applications_is_mapped_without_being_page_locked(shared, by_python, submitted, monkeypatch):
    locked, driver = [], shared.context.devices[0]._core.driver_device
    monkeypatch.setattr(driver, "register_host", lambda address, size: locked.append(address) or True)
    monkeypatch.setattr(driver, "unregister_host", locked.remove)
    for number in range(1, 15):
        expected, flags = shared.own.copy(), (READ, BOTH, WRITES)[number % 3]
        array = mapped(shared, flags, 64, 32)
        assert array.ctypes.data == shared.own.ctypes.data + 64
        assert flags == WRITES or (array == expected[16:48]).all()
        if flags != READ:
            array[:] = expected[16:48] = number
        array.base.release()
        assert (contents(shared) == expected).all()
        assert len(by_python) == (number >= 12) and bool(locked) == (number >= 12)
        assert submitted == ["clEnqueueMapBuffer"] * (number >= 12)
    assert shared.buffer._core.used_storage().maps_left.value == 0
    shared.buffer.release()
    shared.first.finish()
    gc.collect()
    assert not locked


def test_the_applications_memory_is_pythons_to_map_where_nobody_waits_or_cuda_refuses(shared, by_python, submitted):
    array = mapped(shared, BOTH, is_blocking=False)
    shared.first.finish()
    assert len(by_python) == 1 and array.tolist() == list(range(16))
    array.base.release()
    shared.fails.value = 1
    array = mapped(shared, READ)
    shared.fails.value = 0
    assert len(by_python) == 2 and array.tolist() == list(range(16))
    array.base.release()
    assert not shared.buffer._core.mappings
    array = mapped(shared, BOTH)
    array[:] = 7
    submitted.clear()
    array.base.release()
    assert not submitted and (contents(shared)[:17] == [7] * 16 + [16]).all()
