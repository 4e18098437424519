"""Commands in C in contexts of several devices (runtime/native/residents.c): what is resident they use without Python's steps, and they come
before what moves it, on the host device and over an imagined CUDA that runs late."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.several_in_c import SeveralWorld
from support.shared_memory_bench import COPY as SVM_COPY
from support.shared_memory_bench import FILL as SVM_FILL
from support.shared_memory_bench import MAPPED as SVM_MAP
from support.shared_memory_bench import UNMAPPED as SVM_UNMAP
from support.shared_memory_bench import allocation
from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import transfers
from cl2cuda.runtime.memory.replicated import Replicated
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

READ, WRITE, COPY, FILL = (getattr(transfers, f"_enqueue_{name}_buffer") for name in ("read", "write", "copy", "fill"))
READ_RECT, WRITE_RECT, COPY_RECT = (getattr(transfers, f"_enqueue_{name}_buffer_rect") for name in ("read", "write", "copy"))
N, ONE = 64, np.uint32(1)


@pytest.fixture(params=["host", "cuda"])
def world(request):
    try:
        made = SeveralWorld(request.param)
    except cl.RuntimeError as error:
        pytest.skip(f"no NVRTC: {error}")
    yield made
    assert made.cuda is None or not made.cuda.failures


@pytest.fixture
def acquired(monkeypatch):
    """What Python's own steps have acquired."""
    found, acquire = [], Replicated.acquire
    monkeypatch.setattr(Replicated, "acquire", lambda self, *rest: found.append(rest[2]) or acquire(self, *rest))
    return found


def numbers(count=N):
    return np.arange(count, dtype=np.uint32)


def test_launches_of_sizes_that_come_for_the_first_time(world):
    """Their plans are Python's there, or of arguments that are resident: no other launch is made like one of them."""
    if world.cuda is None:  # Nothing that prints has a plan in C on the host device.
        printing = cl.Kernel(cl.Program(world.context, 'kernel void f(int a) { if (a == 1) printf("never"); }').build(), "f")
        printing.set_args(np.int32(0))
        for size in (8, 16, 8, 24, 16, 8, 8, 32, 24, 40, 8):
            cl.enqueue_nd_range_kernel(world.queues[0], printing, (size,), (8,))
    buffer = world.buffer(np.zeros(N, np.uint32))
    expected, kernel = np.zeros(N, np.uint32), world.kernel("add", buffer, ONE)
    for turn, size in enumerate((8, 16, 8, 24, 16, 8, 8, 32, 24, 40, 8)):
        for queue in world.queues[: 1 + turn % 2]:
            cl.enqueue_nd_range_kernel(queue, kernel, (size,), (8,))
            expected[:size] += 1
            queue.finish()
    found = np.zeros(N, np.uint32)
    READ(world.queues[0], buffer, found)
    assert found.tolist() == expected.tolist()


def read(queue, buffer, wait_for=None):
    found = np.zeros(N, np.uint32)
    READ(queue, buffer, found, wait_for=wait_for)
    return found


def launch(queue, kernel, wait_for=None):
    return cl.enqueue_nd_range_kernel(queue, kernel, (N,), (16,), wait_for=wait_for)


def resident(world, *queues_and_buffers):
    """After the first command of a buffer, which brings it."""
    for queue, buffer in queues_and_buffers:
        launch(queue, world.kernel("add", buffer, np.uint32(0))).wait()
        queue.finish()
        launch(queue, world.kernel("add", buffer, np.uint32(0))).wait()


def test_what_is_resident_is_used_without_pythons_steps(world, acquired, submitted):
    buffers = [(world.buffer(numbers()), world.buffer(numbers())) for _ in world.queues]
    kernels = [world.kernel("mix", x, y, ONE) for x, y in buffers]
    for queue, kernel, (x, y) in zip(world.queues, kernels, buffers, strict=True):
        resident(world, (queue, x), (queue, y))
        launch(queue, kernel)
    wanted = numbers() + (numbers() ^ ONE)
    del acquired[:], submitted[:]
    for _ in range(3):
        for queue, kernel, (x, y) in zip(world.queues, kernels, buffers, strict=True):
            kernel(queue, (N,), (16,), x, y, ONE)
            launch(queue, kernel)
            WRITE(queue, x, numbers(), is_blocking=False)
            COPY(queue, x, y, 32, 16, 16)
            FILL(queue, x, b"\x05\x00\x00\x00", 0, 16)
            cl.enqueue_marker(queue)
            cl.enqueue_barrier(queue)
            wanted_x = numbers()
            wanted_x[:4] = 5
            assert np.array_equal(read(queue, x), wanted_x)
            WRITE(queue, x, numbers())
            queue.finish()
    assert not acquired and not submitted
    for queue, (_, y) in zip(reversed(world.queues), buffers, strict=True):
        wanted = numbers() + (numbers() ^ ONE)
        for _ in range(3):
            wanted += 2 * (numbers() ^ ONE)
            wanted[4:12] = numbers()[4:12]
        assert np.array_equal(read(queue, y), wanted)


def test_rectangles_of_what_is_resident(acquired, submitted):
    world = SeveralWorld("host")
    x, y, found = world.buffer(numbers()), world.buffer(numbers()), np.zeros(4, np.uint32)
    queue, other = world.queues
    resident(world, (queue, x), (queue, y))
    del acquired[:], submitted[:]
    WRITE_RECT(queue, x, np.array([90, 91, 92, 93], np.uint32), (16, 1), (0, 0), (8, 2), (32,), (8,))
    COPY_RECT(queue, x, y, (16, 1), (0, 0), (8, 2), (32,), (32,))
    READ_RECT(queue, y, found, (0, 0), (0, 0), (8, 2), (32,), (8,))
    assert found.tolist() == [90, 91, 92, 93] and not acquired and not submitted
    READ_RECT(other, x, found, (16, 1), (0, 0), (8, 2), (32,), (8,))
    assert found.tolist() == [90, 91, 92, 93] and acquired
    COPY_RECT(queue, y, x, (0, 0), (16, 1), (8, 1), (32,), (32,))
    for each in (other, queue):
        READ_RECT(each, x, found, (16, 1), (0, 0), (8, 2), (32,), (8,))
        assert found.tolist() == [90, 91, 92, 93]


def test_queues_that_take_times_launch_so_too(acquired, submitted):
    world = SeveralWorld("host", properties=cl.command_queue_properties.PROFILING_ENABLE)
    x = world.buffer(numbers())
    resident(world, (world.queues[0], x))
    kernel = world.kernel("add", x, ONE)
    launch(world.queues[0], kernel)
    del acquired[:], submitted[:]
    event = launch(world.queues[0], kernel)
    event.wait()
    assert not acquired and not submitted and event.profile.end > event.profile.start
    assert np.array_equal(read(world.queues[1], x), numbers() + np.uint32(2))


def test_contents_that_are_elsewhere_are_pythons_to_bring(world, acquired):
    first, second = world.queues
    x = world.buffer(numbers())
    kernel = world.kernel("add", x, ONE)
    events = []
    for queue in (first, second, first, first, second):
        events.append(launch(queue, kernel, events[-1:]))
    assert len(acquired) >= 3
    assert np.array_equal(read(first, x, events), numbers() + np.uint32(5))


def test_what_kernels_only_read_is_resident_on_both(world, acquired):
    table, sums, kernels = world.buffer(numbers()), [world.buffer(np.zeros(N, np.uint32)) for _ in world.queues], []
    for queue, y in zip(world.queues, sums, strict=True):
        resident(world, (queue, y))
        kernels.append(world.kernel("mix", table, y, np.uint32(0)))
        for _ in range(2):
            launch(queue, kernels[-1]).wait()
            queue.finish()
    del acquired[:]
    for queue, kernel in zip(world.queues, kernels, strict=True):
        launch(queue, kernel)
    assert not acquired
    event = launch(world.queues[0], world.kernel("add", table, ONE))
    assert acquired  # since it writes what is on both
    launch(world.queues[1], kernels[1], [event])
    for y, wanted in zip(sums, (3 * numbers(), 4 * numbers() + ONE), strict=True):
        assert np.array_equal(read(world.queues[1], y), wanted)
    assert np.array_equal(read(world.queues[0], table), numbers() + ONE)


def test_the_host_writes_buffers_that_kernels_only_read(world):
    """CL_MEM_READ_ONLY is about kernels."""
    first, second = world.queues
    x = world.buffer(numbers(), cl.mem_flags.READ_ONLY)
    for queue in (first, second):
        read(queue, x)
    event = FILL(first, x, b"\x07\x00\x00\x00", 0, 4 * N)
    for queue, other in ((first, second), (second, first)):
        assert (read(queue, x, [event]) == 7).all()
        event = FILL(other, x, b"\x07\x00\x00\x00", 0, 4 * N, wait_for=[event])
    y = world.buffer(np.zeros(N, np.uint32))
    resident(world, (second, y))
    COPY(second, y, x).wait()
    assert not read(first, x).any()


def test_what_code_in_c_has_written_comes_before_what_reads_it_elsewhere(world, acquired):
    """Programs that leave an order out find the one in which they enqueued where contents go from one device to another (memory/uses.py)."""
    first, second = world.queues
    if world.cuda is not None:
        world.cuda.run_late()
    x, y = world.buffer(numbers()), world.buffer(np.zeros(N, np.uint32))
    kernel, wanted = world.kernel("add", x, ONE), numbers()
    mix, sums = world.kernel("mix", x, y, np.uint32(0)), np.zeros(N, np.uint32)
    for times in (1, 3, 20):
        first.finish()
        second.finish()
        launch(first, kernel)
        first.finish()
        launch(first, kernel)
        del acquired[:]
        for _ in range(times):
            launch(first, kernel)
        assert not acquired
        times += 2
        wanted = wanted + np.uint32(times)
        launch(second, mix)
        sums = sums + wanted
        assert np.array_equal(read(second, y), sums)


def test_who_moves_contents_waits_for_the_launch_that_is_being_made():
    world = SeveralWorld("cuda")
    first, second = world.queues
    x = world.buffer(numbers())
    resident(world, (first, x))
    kernel, found, threads = world.kernel("add", x, ONE), [], []
    launch(first, kernel).wait()

    def during():
        threads.append(threading.Thread(target=lambda: found.append(read(second, x))))
        threads[0].start()
        threads[0].join(0.2)
        found.append(len(found))

    world.cuda.launched = during
    launch(first, kernel)
    threads[0].join()
    assert found[0] == 0 and np.array_equal(found[1], numbers() + np.uint32(2))
    assert not world.cuda.failures


def test_memory_stays_while_a_launch_that_reads_it_is_being_made():
    world = SeveralWorld("cuda")
    first, second = world.queues
    table, y = world.buffer(numbers()), world.buffer(np.zeros(N, np.uint32))
    resident(world, (first, y), (second, table))
    kernel, storage, dropped = world.kernel("mix", table, y, np.uint32(0)), table._core._storage, []
    for _ in range(2):
        launch(first, kernel).wait()
        first.finish()
        second.finish()
    storage.device = world.context.devices[1]._core  # The device whose memory always stays.

    def others():
        FILL(second, table, b"\x07\x00\x00\x00", 0, 4 * N).wait()
        dropped.append(storage.drop_copies())

    def during():
        thread = threading.Thread(target=others)
        thread.start()
        thread.join(10)

    world.cuda.launched = during
    launch(first, kernel)
    first.finish()
    assert dropped == [False] and storage.drop_copies()
    assert not world.cuda.failures


def test_a_child_of_fork_waits_for_no_thread_of_its_parents():
    world = SeveralWorld("host")
    first, second = world.queues
    x, kernel = world.buffer(numbers()), world.kernel("spin")
    for times in (0, 0, 1 << 29):  # the last one for a while
        kernel.set_args(x, np.uint32(times))
        if not times:
            cl.enqueue_nd_range_kernel(first, kernel, (1,), (1,))
    thread = threading.Thread(target=cl.enqueue_nd_range_kernel, args=(first, kernel, (1,), (1,)))
    thread.start()
    time.sleep(0.05)
    assert thread.is_alive()
    child = os.fork()
    if not child:
        threading.Thread(target=lambda: (time.sleep(20), os._exit(1)), daemon=True).start()
        os._exit(0 if len(read(second, x)) == N else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    thread.join()


def test_a_launch_that_fails_is_told_once(acquired):
    world = SeveralWorld("host")
    x = world.buffer(numbers())
    resident(world, (world.queues[0], x))
    kernel = world.kernel("out", x, np.uint64(0))
    launch(world.queues[0], kernel)
    kernel.set_arg(1, np.uint64(1 << 45))
    with pytest.raises(cl.RuntimeError, match="OUT_OF_RESOURCES"):
        launch(world.queues[0], kernel)
    assert len(read(world.queues[0], x)) == N


def test_a_buffer_that_was_released_is_refused(world):
    x = world.buffer(numbers())
    resident(world, (world.queues[0], x))
    kernel = world.kernel("add", x, ONE)
    launch(world.queues[0], kernel).wait()
    core = x._core
    x.release()
    for call in (lambda: launch(world.queues[0], kernel), lambda: kernel(world.queues[0], (N,), (16,), x, ONE)):
        with pytest.raises((cl.LogicError, RuntimeError)):
            call()
    assert core.released


def test_what_only_lets_go_leaves_the_context_that_is_current():
    """Commands and waits make the queue's own current, as Python's steps do."""
    world = SeveralWorld("cuda")
    current, contexts = world.cuda.driver.ctxGetCurrent, [device._core.driver_device.context.handle for device in world.context.devices]
    buffers = [world.buffer(numbers()) for _ in world.queues]
    kernels = [world.kernel("add", buffer, ONE) for buffer in buffers]
    resident(world, *zip(world.queues, buffers, strict=True))
    for queue, kernel, context in zip(world.queues, kernels, contexts, strict=True):
        other = next(each for each in contexts if each != context)
        for wait in (lambda event, queue: event.wait(), lambda event, queue: cl.wait_for_events([event]), lambda event, queue: queue.finish()):
            world.cuda.driver.ctxSetCurrent(other)
            event = launch(queue, kernel)
            assert current() == context
            world.cuda.driver.ctxSetCurrent(other)
            wait(event, queue)
            assert event.command_execution_status == 0
        event = WRITE(queue, buffers[0], numbers(), is_blocking=False)
        world.cuda.driver.ctxSetCurrent(other)
        del event
        assert current() == other
    assert not world.cuda.failures


def test_parts_of_buffers_are_pythons(world):
    x = world.buffer(numbers())
    resident(world, (world.queues[0], x))
    align = world.context.devices[0].mem_base_addr_align // 8
    large = world.buffer(numbers(2 * align))
    part = large.get_sub_region(align, 4 * N)
    kernel = world.kernel("add", part, ONE)
    for queue in (world.queues[0], world.queues[0], world.queues[1]):
        launch(queue, kernel).wait()
    assert np.array_equal(read(world.queues[0], part), numbers(2 * align)[align // 4 : align // 4 + N] + np.uint32(3))


def test_arguments_go_to_the_buffers_that_were_set_last(world):
    """By calls and by set_arg in C, and by Python's setters."""
    a, b = world.buffer(numbers()), world.buffer(numbers())
    kernel = world.kernel("add", a, ONE)
    resident(world, (world.queues[0], a), (world.queues[1], b))
    for each, queue in ((a, world.queues[0]), (b, world.queues[1])) * 2:
        kernel(queue, (N,), (16,), each, ONE).wait()
        kernel.set_arg(0, each)
        launch(queue, kernel).wait()
        kernel._core.set_arg(0, each._core)
        launch(queue, kernel).wait()
    for each in (a, b):
        assert np.array_equal(read(world.queues[0], each), numbers() + np.uint32(6))


def test_null_is_no_buffer():
    world = SeveralWorld("host")
    x, y = world.buffer(numbers()), world.buffer(numbers())
    kernel = world.kernel("either", x, y)
    for queue in world.queues:
        for _ in range(3):
            kernel(queue, (N,), (16,), x, None)
            assert (read(queue, x) == 7).all()
            kernel(queue, (N,), (16,), x, y)
            assert np.array_equal(read(queue, x), numbers())


def test_kernels_go_when_nobody_has_them(world):
    x = world.buffer(numbers())
    gc.collect()
    gc.disable()
    try:
        kernel = world.kernel("add", x, ONE)
        for queue in world.queues:
            launch(queue, kernel).wait()
        known, storage = weakref.ref(kernel._core), weakref.ref(x._core._storage)
        del kernel
        assert known() is None
        del x
        assert storage() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("in_c", ["1", "0"])
@pytest.mark.parametrize("kind", ["host", "cuda"])
def test_random_sequences(kind, in_c):
    """In a process of its own, since a process has the calls in C or has none."""
    tests = Path(__file__).parents[1]
    paths = os.pathsep.join([str(tests.parent), str(tests), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-m", "support.several_sequences", kind, "12"], cwd=tests, capture_output=True, text=True, timeout=300,
                          env={**os.environ, "CL2CUDA_NATIVE_CALLS": in_c, "PYTHONPATH": paths}, check=False)
    if "no NVRTC" in done.stdout:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_threads_that_pass_contents_on(world):
    """Each has its queue and a buffer, and all add to one more, in the order of events."""
    shared, turn, last = world.buffer(np.zeros(N, np.uint32)), threading.Lock(), []
    table, failures = world.buffer(numbers()), []

    def work(queue, rounds):
        try:
            own = world.buffer(np.zeros(N, np.uint32))
            add, mix, wanted = world.kernel("add", shared, ONE), world.kernel("mix", table, own, np.uint32(0)), np.zeros(N, np.uint32)
            for step in range(rounds):
                launch(queue, mix)
                wanted = wanted + numbers()
                with turn:
                    event = launch(queue, add, last[-1:])
                    last[:] = [event]
                if step % 7 == 0:
                    assert np.array_equal(read(queue, own), wanted)
            queue.finish()
            assert np.array_equal(read(queue, own), wanted)
        except BaseException as failure:
            failures.append(failure)

    rounds = 60
    others = [cl.CommandQueue(world.context, device) for device in world.context.devices]
    run_together(work, *((queue, rounds) for queue in [*world.queues, *others]))
    assert not failures, failures
    assert (read(world.queues[0], shared, last) == 4 * rounds).all()


def test_shared_memory_is_that_of_every_device(submitted):
    world = SeveralWorld("host")
    a, b = (allocation(world.context, 4 * N) for _ in range(2))
    kernel = world.kernel("mix", a, b, ONE)
    submitted.clear()
    for turn, queue in enumerate(world.queues, 1):
        SVM_COPY(queue, True, a, cl.SVM(numbers()))
        SVM_FILL(queue, b, np.uint32(turn))
        launch(queue, kernel)
        SVM_MAP(queue, True, cl.map_flags.READ, b)
        assert np.array_equal(b.buf.view(np.uint32), turn + (numbers() ^ ONE))
        SVM_UNMAP(queue, b)
    assert set(submitted) <= {"clEnqueueNDRangeKernel"} and not world.context._core.svm.mapped
