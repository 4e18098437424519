"""Shared virtual memory in C (runtime/native/svm.c) over an imagined CUDA: what its streams are given, and what is left to Python's own steps."""

from __future__ import annotations

import ctypes
import os
import threading

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.shared_memory_bench import COPY, FILL, IN_PYTHON, MAPPED, MIGRATED, SIZE, UNMAPPED, Bench, allocation, numbers
from support.threads import meeting_at

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import svm
from cl2cuda.runtime.cuda import own_kernels
from cl2cuda.runtime.cuda.shared_memory import FEW_PAGES, MOST_DUE, MOST_DUE_BYTES
from cl2cuda.runtime.driver.interface import STAGED
from cl2cuda.runtime.native import library
from cl2cuda.runtime.queue.stream_timeline import QueueStream

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

MAP, STATUS, HOST = cl.map_flags, cl.command_execution_status, cl.mem_migration_flags.HOST


def copy_kernel(imagined):
    return imagined.context._core.devices[0].driver_device.context.copy_kernel


@pytest.fixture
def shared(imagined):
    """Memory of an imagined CUDA, whose pages go to and fro. Of kernels that copy it has none."""
    made = Bench(imagined.context)
    copy_kernel(imagined).word.value = own_kernels.NONE
    made.queue = imagined.first
    imagined.taken()
    return made


def test_what_the_stream_is_given(imagined, shared, submitted):
    queue, a, b = imagined.first, shared.a, shared.b
    COPY(queue, True, b, a)
    COPY(queue, False, a, b)
    assert imagined.taken() == "aC aC" and numbers(b)[5] == 5
    COPY(queue, True, shared.host, a)
    COPY(queue, True, shared.block, shared.host)
    FILL(queue, a, np.int32(1))
    assert imagined.taken() == "aC aC aC"
    MAPPED(queue, True, MAP.READ, a)
    assert imagined.taken() == ""
    UNMAPPED(queue, a)
    assert imagined.taken() == "" and not submitted
    COPY(queue, True, b, a)
    assert imagined.taken() == "aP aC" and imagined.entries[0].event == SIZE and not submitted


@pytest.fixture
def launched(imagined, shared):
    """Launches of a kernel that has memory of the bench."""
    kernel = shared.kernel()
    for queue in (imagined.first, imagined.second):
        for _ in range(2):
            cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,))
    imagined.taken()
    return lambda queue=imagined.first: cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,))


def mapped_and_unmapped(queue, memory, size=None):
    MAPPED(queue, True, MAP.WRITE, memory, size=size)
    UNMAPPED(queue, memory)


def asked_for(imagined):
    """How many bytes each of the calls for pages was for."""
    return [each.event for each in imagined.entries[: imagined.logged.value] if each.kind == ord("P")]


def test_few_pages_wait_for_what_uses_them(imagined, shared, submitted, launched):
    queue, other = imagined.first, imagined.second
    for memory in (shared.a, shared.b, shared.a):
        mapped_and_unmapped(queue, memory)
    mapped_and_unmapped(queue, shared.a, 64)  # A part of what is due already.
    assert not imagined.logged.value
    launched()
    assert asked_for(imagined) == [SIZE, SIZE] and imagined.taken() == "aP aP aL"
    launched()
    assert imagined.taken() == "aL"
    mapped_and_unmapped(queue, shared.a)
    launched(other)
    assert imagined.taken() == "bP bL"
    mapped_and_unmapped(queue, shared.a, 64)
    mapped_and_unmapped(queue, shared.a)
    FILL(queue, shared.b, b"x")
    assert asked_for(imagined) == [SIZE] and imagined.taken() == "aP aC" and not submitted


def test_little_is_left_to_cuda(imagined, shared, launched):
    """What the host had mapped; what is to be migrated is asked for."""
    due = imagined.context._core.devices[0].driver_device.shared_memory.due
    due.few_bytes = SIZE
    mapped_and_unmapped(imagined.first, shared.a)
    launched()
    assert imagined.taken() == "aL"
    due.few_bytes = SIZE - 1
    mapped_and_unmapped(imagined.first, shared.a)
    launched()
    assert imagined.taken() == "aP aL"
    due.few_bytes = SIZE
    MIGRATED(imagined.first, [shared.a])
    launched()
    assert imagined.taken() == "aP aL"


def test_what_is_mapped_again_is_not_due(imagined, shared, submitted, launched):
    mapped_and_unmapped(imagined.first, shared.a)
    mapped_and_unmapped(imagined.first, shared.b, 64)
    MAPPED(imagined.first, True, MAP.READ, shared.a)
    launched()
    assert asked_for(imagined) == [64] and imagined.taken() == "aP aL"
    UNMAPPED(imagined.first, shared.a)
    IN_PYTHON["_enqueue_svm_map"](imagined.first, True, MAP.READ, shared.a)
    launched()
    assert imagined.taken() == "aL"


def test_few_pages_that_are_migrated_wait_for_what_uses_them(imagined, shared, submitted, launched):
    before = cl.enqueue_marker(imagined.second)
    event = MIGRATED(imagined.first, [shared.a, shared.b, shared.inside], 0, [before])
    assert event.command_type == cl.command_type.SVM_MIGRATE_MEM and imagined.taken() == "a<<b"
    mapped_and_unmapped(imagined.first, shared.a)
    launched()
    assert asked_for(imagined) == [SIZE, SIZE] and imagined.taken() == "aP aP aL"
    MIGRATED(imagined.first, [shared.a], flags=cl.mem_migration_flags.CONTENT_UNDEFINED)
    MIGRATED(imagined.first, (shared.a, shared.b), HOST)
    launched()
    assert imagined.taken() == "aL" and not submitted
    MIGRATED(imagined.first, [shared.a])
    IN_PYTHON["_enqueue_svm_migrate_mem"](imagined.first, [shared.a])  # It asks for them at once.
    launched()
    assert imagined.taken() == "aL"


def test_what_was_migrated_to_the_device_is_not_taken_to_be_at_the_host(imagined, shared, submitted):
    some = allocation(imagined.context, 2 * FEW_PAGES)
    MIGRATED(imagined.first, [some])
    assert not imagined.logged.value
    MAPPED(imagined.first, True, MAP.READ, some)
    assert imagined.taken() == "aP"
    UNMAPPED(imagined.first, some)
    MIGRATED(imagined.first, [some])
    MAPPED(imagined.first, True, MAP.READ, some)  # It was there when it was unmapped.
    assert not imagined.logged.value
    UNMAPPED(imagined.first, some)
    for _ in range(2):
        MIGRATED(imagined.first, [some], HOST)
    assert imagined.taken() == "aP"  # The first one found it there.


def test_migrations_of_large_regions(imagined, shared, submitted):
    """They begin to move at once."""
    large = allocation(imagined.context, MOST_DUE_BYTES + 1)
    for flags in (0, HOST):
        MIGRATED(imagined.first, [large], flags)
        assert asked_for(imagined) == [MOST_DUE_BYTES + 1] and imagined.taken() == "aP"
    imagined.fails.value = 1
    MIGRATED(imagined.first, [large])
    assert imagined.taken() == "aP" and submitted == ["clEnqueueSVMMigrateMem"]
    imagined.fails.value = 0


def test_migrations_that_are_pythons(imagined, shared, submitted):
    """Of other memory, of too many regions, by other flags, and where times are taken that the pages' way counts for."""
    MIGRATED(imagined.first, [shared.a] * 17)
    MIGRATED(imagined.first, iter([shared.a]))
    assert submitted == ["clEnqueueSVMMigrateMem"] * 2
    for given in ([shared.a, shared.host],), ([],), ([shared.a], 4), ((), HOST):
        with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
            MIGRATED(imagined.first, *given)
    gone = allocation(imagined.context)
    gone.release()
    with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
        MIGRATED(imagined.first, [gone])


def test_pythons_launches_bring_what_is_due(imagined, shared, launched):
    mapped_and_unmapped(imagined.first, shared.a)
    gate = cl.UserEvent(imagined.context)
    cl.enqueue_nd_range_kernel(imagined.unordered, shared.kernel(), (64,), (64,), wait_for=[gate])
    assert not imagined.logged.value
    gate.set_status(STATUS.COMPLETE)
    assert imagined.taken() == "uP uL"


def test_what_was_freed_is_not_asked_for(imagined, shared, launched):
    gone = allocation(imagined.context)
    mapped_and_unmapped(imagined.first, gone)
    mapped_and_unmapped(imagined.first, shared.a, 64)
    gone.release()
    imagined.first.finish()
    imagined.context._core.reclaim_all()
    imagined.taken()
    launched()
    assert asked_for(imagined) == [64]


def test_more_regions_than_there_is_room_for(imagined, shared, launched):
    """Those beyond it are asked for at once."""
    many = allocation(imagined.context, 64 * (MOST_DUE + 3))
    parts = [cl.SVM(many.buf[64 * number :][:64]) for number in range(MOST_DUE + 3)]
    for part in parts:
        mapped_and_unmapped(imagined.first, part)
    assert imagined.taken() == "aP aP aP"
    launched()
    assert asked_for(imagined) == [64] * MOST_DUE and imagined.taken() == " ".join(["aP"] * MOST_DUE + ["aL"])


def test_threads_map_and_launch(imagined, shared, launched):
    """Each region is asked for as often as it was due, at most."""
    memories = [allocation(imagined.context) for _ in range(4)]

    def work(memory):
        for _ in range(200):
            mapped_and_unmapped(imagined.first, memory)
            launched()

    threads = [threading.Thread(target=work, args=(memory,)) for memory in memories]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    launched()
    assert 1 <= len(asked_for(imagined)) <= 800 and set(asked_for(imagined)) == {SIZE}
    imagined.taken()
    launched()
    assert imagined.taken() == "aG"  # a graph, by now


def test_little_copies_by_a_kernel(imagined, shared, submitted):
    queue, kernel = imagined.first, copy_kernel(imagined)
    kernel.word.value = own_kernels.UNKNOWN
    for number in range(own_kernels.FEW + 1):
        COPY(queue, True, shared.host, shared.a)
        assert len(submitted) == number + 1
    kernel.wait()
    kernel.word.value, at = 4711, shared.a.svm_ptr
    submitted.clear(), imagined.taken()
    COPY(queue, True, shared.host, shared.a)
    assert imagined.argument.value == queue._core.stream.native().staging + STAGED
    COPY(queue, True, shared.a, shared.host)
    assert imagined.argument.value == at and imagined.taken() == "aL aL"
    COPY(queue, True, shared.a, shared.b)
    COPY(queue, True, shared.a, shared.host, byte_count=4)
    COPY(queue, True, cl.SVM(shared.a.buf[4:]), shared.host, byte_count=8)
    assert imagined.taken() == "aC aC aC" and not submitted


def test_pages_of_many_bytes_are_asked_for(imagined, shared, submitted, launched):
    some = allocation(imagined.context, 2 * FEW_PAGES)
    MAPPED(imagined.first, True, MAP.READ, some, size=FEW_PAGES - 1)
    UNMAPPED(imagined.first, some)
    assert not submitted and not imagined.logged.value
    launched()
    imagined.taken()
    MAPPED(imagined.first, True, MAP.READ, some)
    assert asked_for(imagined) == [2 * FEW_PAGES] and imagined.taken() == "aP"
    UNMAPPED(imagined.first, some)
    MAPPED(imagined.first, True, MAP.READ, some, size=FEW_PAGES)  # The host has it still.
    UNMAPPED(imagined.first, some)
    mapped_and_unmapped(imagined.first, some)
    assert not imagined.logged.value
    launched()
    assert asked_for(imagined) == [2 * FEW_PAGES] and imagined.taken() == "aP aL"


def test_pages_of_large_regions(imagined, shared, submitted, launched):
    """They begin to move when they are unmapped."""
    large = allocation(imagined.context, MOST_DUE_BYTES + 1)
    for _ in range(2):
        mapped_and_unmapped(imagined.first, large)
        assert asked_for(imagined) == [MOST_DUE_BYTES + 1] * 2 and imagined.taken() == "aP aP"
    launched()
    assert imagined.taken() == "aL" and not submitted
    imagined.fails.value = 1
    MAPPED(imagined.first, False, MAP.READ, large)
    assert imagined.taken() == "aP" and submitted == ["clEnqueueSVMMap"]
    imagined.fails.value = 0
    UNMAPPED(imagined.first, large)


def test_memory_that_stays_where_it_is(imagined, shared, submitted):
    """Page-locked memory of the host's (SharedMemory.managed)."""
    shared_memory = imagined.context._core.devices[0].driver_device.shared_memory
    shared_memory.managed = False
    queue = cl.CommandQueue(imagined.context)
    queue._core.timeline._native_stream = queue._core.stream._native = None
    queue._core.native_target = queue._core._native_target(queue._core.timeline)
    imagined.handles[imagined.stream(queue)] = "s"
    large = allocation(imagined.context, 2 * FEW_PAGES)
    MAPPED(queue, True, MAP.READ, large)
    UNMAPPED(queue, large)
    COPY(queue, True, shared.b, shared.a)
    assert imagined.taken() == "sC" and not submitted
    large.release()
    queue.finish()
    shared_memory.managed = True


def test_copies_not_waited_for_of_other_memory_are_pythons(imagined, shared, submitted):
    """It is kept alive until they have ended."""
    COPY(imagined.first, False, shared.b, shared.host)
    COPY(imagined.first, False, shared.block, shared.a)
    assert submitted == ["clEnqueueSVMMemcpy"] * 2


@pytest.mark.parametrize("size", [4, SIZE, 64 << 10])
def test_little_of_the_hosts_memory_comes_by_page_locked_memory(imagined, shared, submitted, size):
    """And is waited for: shared memory is the host's at once."""
    of, to = cl.SVM(np.arange(size, dtype=np.uint8)), allocation(imagined.context, size)
    staging = imagined.first._core.stream.native().staging
    taken, staged = ctypes.c_uint64.from_address(staging), (ctypes.c_ubyte * size).from_address(staging + STAGED)
    imagined.make_busy(imagined.stream(imagined.first))
    timer = threading.Timer(0.05, lambda: setattr(imagined.busy, "value", 0))
    timer.start()
    event = COPY(imagined.first, True, to, of)
    assert not imagined.busy.value
    timer.join()
    assert event.command_execution_status == STATUS.COMPLETE and imagined.taken() == "aC" and not submitted
    assert (to.buf == of.mem).all() and (np.frombuffer(staged, np.uint8) == of.mem).all() and not taken.value


def test_all_else_of_the_hosts_memory_comes_by_itself(imagined, shared, submitted):
    """Much, and where another thread's contents are in the page-locked memory, or such may still come there."""
    size = (64 << 10) + 4
    large, of = allocation(imagined.context, size), cl.SVM(np.ones(size, np.uint8))
    staging = imagined.first._core.stream.native().staging
    taken, left = (ctypes.c_uint64.from_address(staging + 8 * word) for word in range(2))
    staged = (ctypes.c_ubyte * SIZE).from_address(staging + STAGED)
    ctypes.memset(staged, 9, SIZE)

    def copied(to, of):
        ctypes.memset(to.svm_ptr, 5, to.size)
        COPY(imagined.first, True, to, of)
        assert imagined.taken() == "aC" and not submitted and bytes(to.buf) == bytes(of.mem) and set(staged) == {9}

    copied(large, of)
    taken.value = 1
    copied(shared.b, shared.host)
    assert taken.value == 1
    taken.value, left.value = 0, 1
    imagined.make_busy(imagined.stream(imagined.first))
    timer = threading.Timer(0.05, lambda: setattr(imagined.busy, "value", 0))
    timer.start()
    copied(shared.b, shared.host)
    timer.join()
    assert (taken.value, left.value) == (0, 1)
    COPY(imagined.first, True, shared.b, shared.host)  # All in the stream has ended.
    assert left.value == 0 and bytes(staged) == bytes(shared.host.mem)


def test_what_a_read_that_failed_has_left_is_noted(imagined, shared, submitted, monkeypatch):
    staging = imagined.first._core.stream.native().staging
    taken, left = (ctypes.c_uint64.from_address(staging + 8 * word) for word in range(2))
    host = np.zeros(16, np.uint8)
    cl.enqueue_copy(imagined.first, host, imagined.buffer)
    assert (taken.value, left.value) == (0, 0)
    imagined.fails_at.value = 0
    waits = []
    monkeypatch.setattr(QueueStream, "synchronize_to", lambda self, position: waits.append(position) or 1 / 0)
    monkeypatch.setattr(imagined.cuda.runtime, "streamQuery", lambda stream: 0)
    imagined.make_busy(imagined.stream(imagined.first))
    with pytest.raises(ZeroDivisionError):
        COPY(imagined.first, True, shared.host, shared.a)
    assert waits and (taken.value, left.value) == (0, 1)
    imagined.make_busy()
    left.value = 0


def test_a_stream_that_does_not_share(imagined, shared, submitted):
    imagined.cuda.shared_memory_addresses = None  # of an older driver
    queue = cl.CommandQueue(imagined.context)
    queue._core.timeline._native_stream = queue._core.stream._native = None
    queue._core.native_target = queue._core._native_target(queue._core.timeline)
    COPY(queue, True, shared.b, shared.a)
    FILL(queue, shared.a, np.int32(1))
    MAPPED(queue, True, MAP.READ, shared.a)
    UNMAPPED(queue, shared.a)
    assert len(submitted) == 4


def test_behind_another_queue(imagined, shared, submitted):
    before = cl.enqueue_marker(imagined.second)
    COPY(imagined.first, False, shared.b, shared.a, [before])
    MAPPED(imagined.first, False, MAP.READ, shared.a, wait_for=[before])
    assert imagined.taken() == "a<<b aC a<b" and not submitted


@pytest.mark.parametrize("command", [lambda q, s: COPY(q, True, s.b, s.a), lambda q, s: MAPPED(q, True, MAP.READ, s.a)], ids=["copy", "map"])
def test_what_takes_long_is_waited_for_by_python(imagined, shared, submitted, monkeypatch, command):
    """It is not made again: another thread may have given the stream commands behind it."""
    waits, genuine = [], QueueStream.synchronize_to
    monkeypatch.setattr(QueueStream, "synchronize_to", lambda self, position: waits.append(position) or genuine(self, position))
    imagined.make_busy_until_asked(imagined.stream(imagined.first))
    event = command(imagined.first, shared)
    assert not submitted and waits == [event._core.position] and event.command_execution_status == STATUS.COMPLETE
    assert imagined.taken() in ("aC", "")


def test_what_comes_to_other_memory_of_the_hosts_comes_by_page_locked_memory(imagined, shared, submitted):
    """Where it is little, waited for, and no other thread's contents are there."""
    staging = imagined.first._core.stream.native().staging
    taken, staged = ctypes.c_uint64.from_address(staging), (ctypes.c_ubyte * SIZE).from_address(staging + STAGED)

    def copied(*given, by_staging):
        ctypes.memset(staged, 7, SIZE)
        shared.fill()
        COPY(imagined.first, *given)
        to, of = given[1:]
        assert bytes(to.buf) == bytes(of.buf)[: to.size] and any(each != 7 for each in staged) == by_staging and not submitted
        assert taken.value == expected

    expected = 0
    copied(True, shared.host, shared.a, by_staging=True)
    copied(True, shared.b, shared.a, by_staging=False)
    expected = taken.value = 1
    copied(True, shared.host, shared.a, by_staging=False)
    expected = taken.value = 0
    large, host = allocation(shared.context, 1 << 17), cl.SVM(np.zeros(1 << 17, np.uint8))
    copied(True, host, large, by_staging=False)
    imagined.make_busy_until_asked(imagined.stream(imagined.first))
    COPY(imagined.first, True, shared.host, shared.a)  # Python waits.
    assert (shared.host.mem == numbers(shared.a)).all() and not taken.value
    imagined.fails.value = 1
    COPY(imagined.first, True, shared.host, shared.a)
    assert submitted == ["clEnqueueSVMMemcpy"] and not taken.value


@pytest.mark.parametrize("name, given, kind", [
    ("_enqueue_svm_memcpy", lambda s: (True, s.b, s.a), "clEnqueueSVMMemcpy"), ("_enqueue_svm_memcpy", lambda s: (False, s.b, s.a), "clEnqueueSVMMemcpy"),
    ("_enqueue_svm_memfill", lambda s: (s.b, b"x"), "clEnqueueSVMMemFill"), ("_enqueue_svm_unmap", lambda s: (s.large,), "clEnqueueSVMUnmap")])
def test_what_cuda_refuses_is_pythons(imagined, shared, submitted, name, given, kind):
    shared.large = allocation(imagined.context, MOST_DUE_BYTES + 1)
    MAPPED(imagined.first, True, MAP.READ, shared.large)
    imagined.fails.value = 1
    event = getattr(svm, name)(imagined.first, *given(shared))
    assert submitted == [kind] and event.command_type
    assert bool(shared.context._core.svm.mapped) == (name != "_enqueue_svm_unmap")


def test_times_stand_around_the_command(imagined, shared, submitted, monkeypatch):
    queue = cl.CommandQueue(imagined.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    imagined.handles[imagined.stream(queue)] = "t"
    for command in (lambda: COPY(queue, True, shared.b, shared.a), lambda: FILL(queue, shared.b, b"x")):
        imagined.taken()
        event = command()
        assert [(chr(each.kind), each.stream) for each in imagined.entries[:3]] == [
            (kind, imagined.stream(queue)) for kind in ("R", "C", "R")] and imagined.logged.value == 3
        assert event._core.times is not None and event._core.fence is not None
        imagined.logged.value = 0
    recorded, genuine = [], QueueStream.synchronize_to
    monkeypatch.setattr(QueueStream, "synchronize_to", lambda self, position: recorded.append(imagined.logged.value) or genuine(self, position))
    imagined.make_busy_until_asked(imagined.stream(queue))
    MAPPED(queue, True, MAP.READ, shared.a)
    assert recorded == [2] and not submitted  # Both events come before the wait.


def test_memory_is_freed_behind_the_commands_that_use_it(imagined, shared, submitted):
    core = imagined.first._core
    COPY(imagined.first, False, shared.b, shared.a)
    assert core.timeline.busy and not core.timeline._kept
    imagined.make_busy(imagined.stream(imagined.first))
    imagined.cuda.runtime.eventQuery = lambda event: 600 if imagined.busy.value else 0
    address, memory = shared.a.svm_ptr, imagined.cuda.runtime.memory
    shared.inside = None
    shared.a.release()
    assert address in memory
    imagined.busy.value = 0
    imagined.first.finish()
    assert address not in memory


def test_another_thread_maps_the_same_address(imagined, shared):
    """Wherever the two meet, both regions are known."""
    queue, a = imagined.first, shared.a
    mapped = imagined.context._core.svm.mapped
    MAPPED(queue, True, MAP.READ, a)
    (address,) = mapped
    UNMAPPED(queue, a)
    for number in range(20):
        mapped.clear()
        with meeting_at(number, lambda: mapped.setdefault(address, []).append((4, MAP.READ))):
            MAPPED(queue, True, MAP.READ, a)
        met = len(mapped[address]) - 1
        assert sorted(mapped[address]) == [(4, MAP.READ)] * met + [(SIZE, MAP.READ)] and (met or number > 1)
    mapped.clear()
