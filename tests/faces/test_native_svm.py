"""Shared virtual memory in C (runtime/native/svm.c, arguments.c): arguments, copies, fills, maps and unmaps are as Python's."""

from __future__ import annotations

import os
import sys
import threading

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.leaks import leaves_nothing
from support.shared_memory_bench import COPY, FILL, IN_PYTHON, MAPPED, NAMES, SIZE, SOURCE, UNMAPPED, Bench, allocation, numbers, ways

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import svm
from cl2cuda.pyopencl_cl.kernel import Kernel
from cl2cuda.runtime.context.shared_memory import Allocation, SharedMemory
from cl2cuda.runtime.kernel.arguments import ArgumentBlock
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, MAP, STATUS, COMMAND = cl.mem_flags, cl.map_flags, cl.command_execution_status, cl.command_type
DEVICES = [each for each in cl.get_platforms()[0].get_devices()
           if "remote" not in each.name and each.get_info(cl.device_info.SVM_CAPABILITIES)]


@pytest.fixture(params=DEVICES, ids=lambda device: device.name)
def bench(request):
    return Bench(cl.Context([request.param]))


def seen(event, queue):
    """What can be seen of an event."""
    return type(event), event.command_type, event.command_queue == queue, event.context == queue.context


def made_in_python(mem):
    made = cl.SVM.__new__(cl.SVM)
    made._make_in_python(mem)
    return made


@pytest.mark.parametrize("mem", [np.zeros(7, np.int32), np.zeros((4, 6), order="F"), bytearray(b"text"), np.zeros(0), memoryview(bytearray(9))[2:]],
                         ids=["an array", "Fortran's order", "bytes", "nothing", "a part"])
def test_the_hosts_memory_stands_for_itself(mem):
    ours, theirs = cl.SVM(mem), made_in_python(mem)
    assert (ours.svm_ptr, ours.size, ours.mem) == (theirs.svm_ptr, theirs.size, theirs.mem) or ours.mem is theirs.mem is mem
    assert type(ours._core) is type(theirs._core) and ours._core == theirs._core and cl.SVM(mem=mem).size == ours.size
    assert vars(ours).keys() == vars(theirs).keys()


@pytest.mark.parametrize("mem", [b"constant", np.zeros(8)[::2], 5, None])
def test_what_is_no_writable_memory_is_told_by_python(mem):
    errors = []
    for make in (cl.SVM, made_in_python):
        with pytest.raises(Exception) as failure:
            make(mem)
        errors.append((type(failure.value), str(failure.value)))
    assert errors[0] == errors[1]


# Arguments


@pytest.fixture
def in_python(monkeypatch):
    """The arguments that the kernels' methods in Python have set."""
    found = []
    for name in ("_argument_in_python", "_arguments_in_python"):
        genuine = getattr(Kernel, name)
        monkeypatch.setattr(Kernel, name, lambda self, *given, genuine=genuine: found.append(given) or genuine(self, *given))
    return found


@pytest.fixture(params=[False, True], ids=["clSVMAlloc's memory only", "any memory"])
def reach(request, monkeypatch):
    """What the devices reach, where kernels are given arguments."""
    monkeypatch.setattr(ArgumentBlock, "_reaches_all_memory", request.param)
    return request.param


def test_arguments_are_those_of_python(bench, in_python, reach):
    kernel = bench.kernel()
    kernel.set_arg(0, bench.a)
    for given in (bench.a, bench.b, bench.block, bench.inside, *[bench.host] * reach):
        in_python.clear()
        found = []
        for way in (lambda given=given: kernel.set_arg(0, given), lambda given=given: kernel.set_args(given, bench.b, np.int32(1))):
            kernel.set_arg(0, bench.b)
            way()
            found.append(kernel._core.arguments.value_bytes(0))
        assert not in_python
        kernel.set_arg(0, bench.b)
        kernel._argument_in_python(0, given)
        assert found == [kernel._core.arguments.value_bytes(0)] * 2 == [given.svm_ptr.to_bytes(8, "little")] * 2


def test_a_kernel_runs_with_them(bench, reach):
    kernel, expected = bench.kernel(), np.arange(SIZE // 4) + 7
    for to, of in ((bench.b, bench.a), (bench.block, bench.b), (bench.a, bench.block)):
        kernel(bench.queue, (SIZE // 4,), None, to, of, np.int32(7))
        bench.queue.finish()
        assert (numbers(to) == expected).all()
        expected += 7


def test_arguments_that_are_wrong(bench, in_python, reach):
    kernel, gone, other = bench.kernel(), allocation(bench.context), allocation(cl.Context([bench.context.devices[0]]))
    kernel.set_arg(0, bench.a)
    gone.release()
    for given in (*[gone, other, bench.host] * (not reach), bench.a.svm_ptr, object(), cl.SVMAllocation(bench.context, 0, 0, FLAGS.READ_WRITE)):
        found = []
        for way in (Kernel.set_arg, Kernel._argument_in_python):
            try:
                found.append(way(kernel, 0, given))
            except (cl.Error, TypeError) as error:
                found.append((type(error), str(error)))
            found[-1] = found[-1], kernel._core.arguments.value_bytes(0)
        assert found[0] == found[1]
    with pytest.raises(cl.LogicError, match="INVALID_ARG_VALUE"):
        kernel.set_arg(2, bench.a)  # a number
    with pytest.raises(TypeError, match="takes 3 arguments"):
        kernel.set_args(bench.a)
    with pytest.raises(TypeError):
        kernel.set_args(a=bench.a)


def test_all_arguments_at_once(bench, in_python):
    kernel = cl.Kernel(cl.Program(bench.context, SOURCE).build(), "f")
    kernel.set_args(bench.a, bench.b, np.int32(1))
    assert len(in_python) == 1  # The first ones are Python's.
    kernel.set_args(bench.b, cl.Buffer(bench.context, FLAGS.READ_WRITE, 64), np.int32(2))
    assert len(in_python) == 1 and kernel._core.arguments.value_bytes(2) == np.int32(2).tobytes()
    with pytest.raises(cl.LogicError, match=r"arg#3 .*perhaps|arg#3"):
        kernel.set_args(bench.b, bench.a, np.int64(2))


def test_allocations_come_and_go_in_other_threads(bench, monkeypatch):
    """Whatever they are doing, an argument in an allocation that lives is found."""
    monkeypatch.setattr(ArgumentBlock, "_reaches_all_memory", False)
    kernel, ended, failures = bench.kernel(), threading.Event(), []

    def come_and_go():
        while not ended.is_set():
            made = [allocation(bench.context, 64) for _ in range(20)]
            for each in made[::2] + made[1::2]:
                each.release()

    threads = [threading.Thread(target=come_and_go) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(3000):
            kernel.set_arg(0, bench.inside)
            if kernel._core.arguments.value_bytes(0) != bench.inside.svm_ptr.to_bytes(8, "little"):
                failures.append("another address")
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert not failures


def outcome(kernel, way, given):
    """What a way of setting the first argument makes of it: the argument's bytes, or the error."""
    try:
        way(kernel, 0, given)
    except (cl.Error, TypeError) as error:
        return type(error), str(error)
    return kernel._core.arguments.value_bytes(0)


def test_what_was_found_once_is_looked_for_anew_when_an_allocation_goes(bench, monkeypatch):
    """Another one may begin where it was, and be shorter; so may one of another context."""
    monkeypatch.setattr(ArgumentBlock, "_reaches_all_memory", False)
    known, other = bench.context._core.svm, cl.Context(bench.context.devices)
    kernel, elsewhere = bench.kernel(), Bench(other).kernel()
    first, second = (cl.SVM(bench.host.mem[at : at + 64]) for at in (0, 512))

    def check(of, given, is_found):
        found = outcome(of, Kernel.set_arg, given)
        assert found == outcome(of, Kernel.set_arg, given) == outcome(of, Kernel._argument_in_python, given)
        assert (found == given.svm_ptr.to_bytes(8, "little")) == is_found

    def allocated(size, context=bench.context):
        context._core.svm.add(Allocation(first.svm_ptr, size, FLAGS.READ_WRITE, context.devices[0]._core))

    for size in (SIZE, 64, SIZE):
        check(kernel, first, False)
        allocated(size)
        for of, given, is_found in ((kernel, first, True), (kernel, second, size == SIZE), (elsewhere, first, False), (kernel, bench.a, True)):
            check(of, given, is_found)
        known.remove(first.svm_ptr)
    allocated(SIZE, other)
    check(elsewhere, second, True)
    check(kernel, second, False)
    # A context that comes to lie where one that has gone lay knows nothing of that one's memory.
    elsewhere._core.context.svm = SharedMemory()
    check(elsewhere, second, False)


def test_many_addresses_are_told_apart(bench, monkeypatch):
    monkeypatch.setattr(ArgumentBlock, "_reaches_all_memory", False)
    kernel = bench.kernel()
    given = [allocation(bench.context, 256) for _ in range(200)] + [cl.SVM(numbers(bench.a)[at:]) for at in range(0, SIZE // 4, 5)]
    for way in (lambda each: kernel.set_arg(0, each), lambda each: kernel.set_args(each, bench.b, np.int32(1))):
        for each in (*given, *given[::-1]):
            way(each)
            assert kernel._core.arguments.value_bytes(0) == each.svm_ptr.to_bytes(8, "little")
    views = [(each, each.svm_ptr, cl.SVM(each.buf)) for each in given[:200]]
    for each in given[:200:2]:
        each.release()
    for each, address, view in views:
        assert (outcome(kernel, Kernel.set_arg, view) == address.to_bytes(8, "little")) == each._live


# Commands


def commands(bench):
    """Arguments of commands that are plain, and the memory that they change."""
    a, b, block, host, inside = bench.a, bench.b, bench.block, bench.host, bench.inside
    return [("_enqueue_svm_memcpy", given) for given in (
        (True, b, a), (False, b, a), (True, host, a), (True, a, host), (True, block, a), (True, b, inside, None, 64), (True, inside, b, None, 64),
        (False, b, a, [], 100), (True, b, a, None, 1))] + [("_enqueue_svm_memfill", given) for given in (
            (b, np.int32(7)), (b, b"ab", 10), (inside, np.arange(4, dtype=np.int32)), (block, np.float64(1)), (a, b"x", 3, []))] + [
        ("_enqueue_svm_map", given) for given in (
            (True, MAP.READ, a), (False, MAP.WRITE, a), (True, MAP.READ | MAP.WRITE, b, None, 64), (True, MAP.WRITE_INVALIDATE_REGION, inside),
            (True, MAP.READ, block))] + [("_enqueue_svm_migrate_mem", given) for given in (
            ([a],), ((a, block, inside), 0), ([b, b], cl.mem_migration_flags.HOST, []), ([a], 2, None))]


def test_commands_are_those_of_python(bench, submitted):
    kinds = dict(zip(NAMES, (COMMAND.SVM_MEMCPY, COMMAND.SVM_MEMFILL, COMMAND.SVM_MAP, COMMAND.SVM_UNMAP, COMMAND.SVM_MIGRATE_MEM), strict=True))
    mapped = bench.context._core.svm.mapped
    for name, given in commands(bench):
        found = []
        for way in ways(name):
            bench.fill()
            submitted.clear()
            event = way(bench.queue, *given)
            if name == "_enqueue_svm_memcpy" and "host" in str(bench.context.devices[0].name) and not given[0]:
                assert event.command_execution_status == STATUS.COMPLETE
            event.wait()
            assert event.command_type == kinds[name]
            found.append((seen(event, bench.queue), event.command_execution_status, bench.contents(),
                          {address: list(regions) for address, regions in mapped.items()}))
            if name == "_enqueue_svm_map":
                unmapping = ways("_enqueue_svm_unmap")[way is IN_PYTHON[name]](bench.queue, given[2])
                found[-1] += (seen(unmapping, bench.queue),)
                assert not mapped
        assert found[0] == found[1], given


def test_plain_commands_are_cs(bench, submitted):
    for name, given in commands(bench):
        submitted.clear()
        getattr(svm, name)(bench.queue, *given)
        if name == "_enqueue_svm_map":
            UNMAPPED(bench.queue, given[2])
        assert not submitted, given
    submitted.clear()
    named = COPY(queue=bench.queue, is_blocking=True, src=bench.a, dst=bench.b, byte_count=8, wait_for=None)
    assert not submitted and named.command_type == COMMAND.SVM_MEMCPY


@pytest.mark.parametrize("size", [8, 1000, 4096, 8192, 8200, 20000])
def test_little_copies_again_and_again(bench, size):
    """From the fifth on kernels of the runtime's own make some on CUDA devices (runtime/cuda/own_kernels.py)."""
    random = np.random.default_rng(size)
    memory = allocation(bench.context, size + 16)
    for turn in range(12):
        offset = int(random.integers(0, 2)) * 8 + (turn % 4 == 3)
        there, sent, found = cl.SVM(memory.buf[offset : offset + size]), random.integers(0, 256, size, np.uint8), np.zeros(size, np.uint8)
        bench.queue.finish()
        before = bytes(memory.buf)
        COPY(bench.queue, True, there, cl.SVM(sent))
        COPY(bench.queue, True, cl.SVM(found), there)
        assert (found == sent).all()
        bench.queue.finish()
        assert bytes(memory.buf) == before[:offset] + sent.tobytes() + before[offset + size :]
        FILL(bench.queue, memory, np.uint8(turn))
        made = getattr(bench.queue._core.device.driver_device, "context", None)
        if turn == 6 and hasattr(made, "copy_kernel"):
            made.copy_kernel.wait()


def wrong_commands(bench):
    a, b, host = bench.a, bench.b, bench.host
    small, gone, empty = allocation(bench.context, 16), allocation(bench.context), cl.SVMAllocation(bench.context, 0, 0, FLAGS.READ_WRITE)
    gone.release()
    bench.kept = small
    return [("_enqueue_svm_memcpy", given) for given in (
        (True, small, a), (True, small, a, None, 17), (True, a, a), (True, b, a, None, SIZE + 1), (True, b, a, None, -1), (True, b, a, None, 1 << 64),
        (True, empty, a, None, 4), (True, a, empty, None, 4), (True, b, a, None, "4"), (True, b, 5), (True, b, a, 5), (True, b, a, [None]),
        (True, bench.inside, a, None, 128))] + [("_enqueue_svm_memfill", given) for given in (
            (a, b"abc"), (a, b""), (a, np.int32(1), 6), (a, b"x", SIZE + 1), (empty, b"x", 4), (a, 5), (a, np.zeros(33, np.int32)),
            (cl.SVM(a.buf[1:9]), np.int32(1)), (a, b"x", -1))] + [("_enqueue_svm_map", given) for given in (
                (True, 8, a), (True, MAP.READ | MAP.WRITE_INVALIDATE_REGION, a), (True, MAP.READ, a, None, 0), (True, MAP.READ, a, None, -1),
                (True, MAP.READ, empty), (True, "1", a), (True, MAP.READ, a, None, "1"))] + [("_enqueue_svm_unmap", given) for given in (
                    (a,), (host,), (gone,), (empty,), (5,), (a, 5))]


def test_errors_are_those_of_python(bench):
    for name, given in wrong_commands(bench):
        found = []
        for way in ways(name):
            with pytest.raises(Exception) as raised:
                way(bench.queue, *given)
            found.append((raised.type, str(raised.value)))
        assert found[0] == found[1], given
    for function in (COPY, FILL, MAPPED, UNMAPPED):
        with pytest.raises(TypeError):
            function(bench.queue)
    assert not bench.context._core.svm.mapped


def other_commands(bench):
    """What is Python's, though nothing is wrong with it."""
    class Elsewhere(svm.SVMPointer):
        svm_ptr = property(lambda self: bench.b.svm_ptr + 8)
        size = property(lambda self: 16)

    class Derived(cl.SVM):
        size = property(lambda self: 16)

    other = cl.SVM(np.zeros(16, np.uint8))
    return [("_enqueue_svm_memcpy", (1, bench.b, bench.a)), ("_enqueue_svm_memcpy", (True, Elsewhere(), bench.a, None, 16)),
            ("_enqueue_svm_memcpy", (True, bench.host, cl.SVM(np.arange(SIZE // 4, dtype=np.int32)))),
            ("_enqueue_svm_memcpy", (True, Derived(np.zeros(64, np.uint8)), other)), ("_enqueue_svm_memcpy", (True, bench.b, bench.a, None, np.int64(8))),
            ("_enqueue_svm_memcpy", (True, bench.b, bench.a, (), 0)), ("_enqueue_svm_memfill", (Elsewhere(), b"x")),
            ("_enqueue_svm_map", (True, np.uint64(1), bench.a)), ("_enqueue_svm_map", (True, 0, bench.a)),
            ("_enqueue_svm_map", (True, 1, bench.a, None, SIZE + 1))]


def test_other_commands_are_pythons(bench, submitted):
    for name, given in other_commands(bench):
        found = []
        for way in ways(name):
            bench.fill()
            submitted.clear()
            try:
                event = way(bench.queue, *given)
                event.wait()
                found.append((seen(event, bench.queue), bench.contents()))
            except (cl.Error, TypeError, AttributeError) as error:
                found.append((type(error), str(error)))
            assert len(submitted) == (not isinstance(found[-1][1], str)), given
            bench.context._core.svm.mapped.clear()
        assert found[0] == found[1], given


def test_regions_mapped_again_and_again(bench, submitted):
    mapped, at = bench.context._core.svm.mapped, bench.a.svm_ptr
    MAPPED(bench.queue, True, MAP.READ, bench.a, size=8)
    IN_PYTHON["_enqueue_svm_map"](bench.queue, True, MAP.WRITE, bench.a, size=16)
    MAPPED(bench.queue, True, MAP.READ, bench.a, size=24)
    assert mapped == {at: [(8, MAP.READ), (16, MAP.WRITE), (24, MAP.READ)]}
    assert all(type(each) is int for each in mapped[at][2]) and type(mapped[at][2]) is tuple
    UNMAPPED(bench.queue, bench.a)
    IN_PYTHON["_enqueue_svm_unmap"](bench.queue, bench.a)
    assert mapped == {at: [(8, MAP.READ)]}
    UNMAPPED(bench.queue, bench.a)
    assert not mapped and submitted == ["clEnqueueSVMMap", "clEnqueueSVMUnmap"]


def test_the_faces_own_maps(bench, submitted):
    with bench.a.map_rw(bench.queue) as array:
        array.view(np.int32)[:] = 3
    assert (numbers(bench.a) == 3).all() and not bench.context._core.svm.mapped and not submitted
    cl.enqueue_copy(bench.queue, bench.b, bench.a)
    assert (numbers(bench.b) == 3).all() and not submitted
    found = np.zeros(SIZE // 4, np.int32)
    cl.enqueue_copy(bench.queue, found, bench.b)
    assert (found == 3).all() and not submitted


@pytest.mark.parametrize("properties", [cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                        cl.command_queue_properties.PROFILING_ENABLE], ids=["out of order", "profiling"])
def test_other_queues(bench, submitted, properties):
    queue, in_order = cl.CommandQueue(bench.context, properties=properties), properties == cl.command_queue_properties.PROFILING_ENABLE
    before = bench.queue
    for name, given in commands(bench):
        found = []
        for way in ways(name):
            bench.fill()
            submitted.clear()
            event = way(queue, *given)
            event.wait()
            queue.finish()
            assert len(submitted) == (not in_order or way is IN_PYTHON[name]), given
            found.append((seen(event, queue), bench.contents()))
            if in_order:
                times = [getattr(event.profile, each) for each in ("queued", "submit", "start", "end")]
                assert times == sorted(times) and times[0] > 0
        assert found[0] == found[1]
    bench.context._core.svm.mapped.clear()
    assert before == bench.queue


def test_commands_behind_a_user_event(bench, submitted):
    for name, given in (("_enqueue_svm_memcpy", (False, bench.b, bench.a)), ("_enqueue_svm_memfill", (bench.b, np.int32(9)))):
        for way in ways(name):
            bench.fill()
            gate = cl.UserEvent(bench.context)
            event = way(bench.queue, *given, wait_for=[gate])
            assert event.command_execution_status in (STATUS.QUEUED, STATUS.SUBMITTED) and not numbers(bench.b).any()
            gate.set_status(STATUS.COMPLETE)
            event.wait()
            assert numbers(bench.b).any()
    assert len(submitted) == 4
    failed = cl.UserEvent(bench.context)
    failed.set_status(-5)
    for way in ways("_enqueue_svm_memcpy"):
        with pytest.raises(cl.RuntimeError):
            way(bench.queue, True, bench.b, bench.a, wait_for=[failed])


def test_released_queues_and_memory(bench):
    queue, gone = cl.CommandQueue(bench.context), allocation(bench.context)
    queue._core.release()
    gone.release()
    for name, given in (*commands(bench), ("_enqueue_svm_unmap", (bench.a,))):
        for way in ways(name):
            with pytest.raises(cl.LogicError, match=r"INVALID_COMMAND_QUEUE|INVALID_VALUE"):
                way(queue, *given)
    for way in ways("_enqueue_svm_unmap"):
        with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
            way(bench.queue, gone)


def test_commands_leave_nothing_behind(bench):
    pointer, core = bench.a._core, bench.queue._core
    counted = (bench.a, bench.b, pointer, pointer.address, core, bench.context._core, bench.context._core.svm, None, svm.SVM)
    kernel = bench.kernel()
    kernel.set_arg(0, bench.a)

    def round_of_all():
        for name, given in commands(bench):
            getattr(svm, name)(bench.queue, *given)
            if name == "_enqueue_svm_map":
                UNMAPPED(bench.queue, given[2])
        kernel.set_arg(0, bench.a)
        kernel.set_args(bench.b, bench.inside, np.int32(3))
        with pytest.raises(cl.Error, match="MEM_COPY_OVERLAP"):
            COPY(bench.queue, True, bench.a, bench.a)
        bench.queue.finish()

    for _ in range(5):
        round_of_all()
    leaves_nothing(round_of_all, counted, blocks=150)


# What code in C goes by


@pytest.mark.parametrize("memory", [np.zeros(4), np.zeros((3, 4), order="F"), np.zeros(0), bytearray(5), np.zeros(8)[3:5],
                                    memoryview(bytearray(8))[2:], np.array(1.0), np.zeros(2, [("a", "u1"), ("b", "f8")])],
                         ids=["row", "columns", "empty", "bytearray", "part", "memoryview", "number", "records"])
def test_the_address_of_the_hosts_memory(memory):
    references = sys.getrefcount(memory)
    found = cl.SVM(memory)
    assert found.svm_ptr == np.asarray(memory).__array_interface__["data"][0] and found.size == memoryview(memory).nbytes
    assert sys.getrefcount(memory) == references + 1  # `found.mem`


def test_the_fields_are_those_that_code_in_c_knows():
    assert Allocation._fields[:2] == ("address", "size")  # START and LENGTH of svm.c
    assert set(SharedMemory.__slots__) | set(SharedMemory.__mro__[1].__slots__) == {"freed", "made", "mapped", "_allocations", "_starts",
                                                                                          "_lock"}
    for kind in (svm.SVM, svm.SVMAllocation, svm.PooledSVM):
        assert kind.svm_ptr is svm.SVMPointer.svm_ptr
