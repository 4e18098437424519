"""Commands in C of queues that take times (runtime/native/times.c): launches, copies on the device, fills and markers, with the fences around
them that Python's own steps make."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.imagined_device import device_of
from support.threads import run_together
from support.timed_arrays import TimedArrays

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import transfers
from cl2cuda.runtime.commands import nd_range
from cl2cuda.runtime.cuda.copy_sizes import SCRATCH
from cl2cuda.runtime.cuda.fence import CudaFence
from cl2cuda.runtime.cuda.stream import CudaStream, _Graphs
from cl2cuda.runtime.driver.interface import DriverError
from cl2cuda.runtime.host.stream import HostStream
from cl2cuda.runtime.native import library
from cl2cuda.runtime.process import trace

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

STATUS = cl.command_execution_status
TIMED = cl.command_queue_properties.PROFILING_ENABLE
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]


class Bench:
    """A queue that takes times, two buffers, and a kernel whose plan is there."""

    def __init__(self, context, properties=TIMED):
        self.queue = cl.CommandQueue(context, properties=properties)
        self.a, self.b = (cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096) for _ in range(2))
        self.kernel = cl.Kernel(cl.Program(context, "kernel void f(global int *a) { a[get_global_id(0)] = 5; }").build(), "f")
        self.kernel.set_args(self.a)
        self.data = np.arange(1024, dtype=np.int32)
        self.launch().wait()
        cl.enqueue_copy(self.queue, self.b, self.data)
        while self.queue._core._deferred:  # A thread that has made the copy may not have said so yet.
            time.sleep(0.001)

    def launch(self, **named):
        return cl.enqueue_nd_range_kernel(self.queue, self.kernel, (64,), (64,), **named)

    def commands(self):
        """One of each kind that is plain."""
        yield self.launch()
        yield cl.enqueue_copy(self.queue, self.a, self.b)
        yield cl.enqueue_copy(self.queue, self.b, self.a, src_origin=(4, 0), dst_origin=(8, 1), region=(16, 4), src_pitches=(32,), dst_pitches=(64,))
        yield cl.enqueue_marker(self.queue)
        yield cl.enqueue_barrier(self.queue)


@pytest.fixture(params=DEVICES, ids=lambda device: device.name)
def bench(request):
    return Bench(cl.Context([request.param]))


@pytest.fixture
def timed(imagined):
    try:
        found = Bench(imagined.context)
    except cl.RuntimeError as error:
        pytest.skip(f"no NVRTC: {error}")
    imagined.handles[imagined.stream(found.queue)] = "t"
    imagined.logged.value = 0
    return found


def test_commands_have_times_and_take_no_steps_of_pythons(bench, submitted):
    events = list(bench.commands())
    assert not submitted
    bench.queue.finish()
    for event in events:
        times = event.profile
        assert 0 < times.queued <= times.submit <= times.start <= times.end <= times.complete
        assert event.command_execution_status == STATUS.COMPLETE
    starts = [event.profile.start for event in events]
    assert starts == sorted(starts)
    found = np.empty_like(bench.data)
    cl.enqueue_copy(bench.queue, found, bench.a)
    assert (found == bench.data).all()


def test_events_are_those_of_python(bench, submitted):
    in_c = bench.launch()
    in_python = cl.enqueue_nd_range_kernel.__self__[0](bench.queue, bench.kernel, (64,), (64,))
    assert len(submitted) == (bench.queue._core.stream.timed_fences() is None)
    for one, other in zip(in_c._core.times, in_python._core.times, strict=True):
        assert type(one) is type(other)
    assert type(in_c._core.fence) is type(in_python._core.fence) and in_c._core.fence is not in_c._core.times[2]
    assert in_python._core.position > in_c._core.position
    in_c.wait()


def test_other_queues_wait_for_a_timed_launch(bench):
    """Whose event a graph records."""
    kernel = cl.Kernel(cl.Program(bench.queue.context, """kernel void slow(global int *a, int turn) {
        int x = get_global_id(0);
        for (int i = 0; i < 200000; i++) x = x * 1664525 + 1013904223;
        a[get_global_id(0)] = x == 7 ? 0 : turn;
    }""").build(), "slow")
    other, found = cl.CommandQueue(bench.queue.context), np.zeros(1024, np.int32)
    for turn in range(1, 6):
        kernel.set_args(bench.a, np.int32(turn))
        event = cl.enqueue_nd_range_kernel(bench.queue, kernel, (1024,), (64,))
        cl.enqueue_copy(other, found, bench.a, wait_for=[event])
        assert (found == turn).all() and event.command_execution_status == STATUS.COMPLETE
        assert event.profile.end > event.profile.start


@pytest.mark.parametrize("words", [1, 4096, 5000, 16384, 300_000, 600_000])
def test_copies_of_the_hosts_go_through_page_locked_memory(bench, submitted, words):
    """So their times are the device's. Little copies that are waited for, and the least writes, take no steps of Python's."""
    data, found = np.arange(words, dtype=np.int32), np.zeros(words, np.int32)
    buffer = cl.Buffer(bench.queue.context, cl.mem_flags.READ_WRITE, data.nbytes)
    # Python sees to it that the device's context is the thread's; another test may have left another device's.
    cl.enqueue_copy(bench.queue, bench.a, bench.data)
    bench.queue.finish()
    submitted.clear()
    steps = []
    for is_blocking in (True, False):
        written = cl.enqueue_copy(bench.queue, buffer, data + is_blocking, is_blocking=is_blocking)
        read = cl.enqueue_copy(bench.queue, found, buffer, is_blocking=is_blocking)
        bench.queue.finish()
        steps.append(submitted[:])
        submitted.clear()
        assert (found == data + is_blocking).all()
        assert written.profile.start <= written.profile.end <= read.profile.end and read.profile.start <= read.profile.end
    native = bench.queue._core.stream.native()
    written, read = ["clEnqueueWriteBuffer"], ["clEnqueueReadBuffer"]
    if native is None or not native.read:  # memory of the host's own
        assert steps == [[], []]
    else:
        assert steps[0] == written * (data.nbytes > native.most_staged) + read * (data.nbytes > native.most_read)
        # What is not waited for is made at once where the stream comes to its end soon, and a write where nothing is under way in the memory.
        most, least = written * (data.nbytes > SCRATCH) + read, written * (data.nbytes > native.most_staged)
        assert least <= steps[1] <= most if data.nbytes <= native.most_read else steps[1] == most


@pytest.mark.parametrize("words", [20_000, 75_000, 262_144])
def test_larger_reads_come_by_page_locked_memory_of_the_streams(bench, submitted, words):
    """Python's first one gets the memory; from there the processor moves what has come on."""
    data, found = np.arange(words, dtype=np.int32), np.zeros(words, np.int32)
    buffer = cl.Buffer(bench.queue.context, cl.mem_flags.READ_WRITE, data.nbytes)
    for turn in range(4):
        cl.enqueue_copy(bench.queue, buffer, data + turn)
        bench.queue.finish()
        submitted.clear()
        event = cl.enqueue_copy(bench.queue, found, buffer)
        assert (found == data + turn).all() and (turn < 2 or not submitted)
        assert 0 < event.profile.queued <= event.profile.submit <= event.profile.start <= event.profile.end
    assert event.profile.end - event.profile.start < 10**9


def test_a_launch_and_its_events_are_one_graph(imagined, timed, submitted):
    for _ in range(2):
        event = timed.launch()
        times, fence = event._core.times, event._core.fence
        assert imagined.taken() == "tT" and imagined.timed[:] == [times[2].event, fence.event]
        assert isinstance(times[2], CudaFence) and isinstance(fence, CudaFence)
    timed.kernel.set_arg(0, timed.b)
    timed.launch()
    assert imagined.argument.value == timed.b._core.address and not submitted


def test_so_is_the_first_launch(imagined, timed, submitted):
    """Python makes its plan, no more."""
    cl.enqueue_nd_range_kernel(timed.queue, timed.kernel, (128,), (64,))
    assert imagined.taken() == "tT" and not submitted
    with pytest.raises(cl.LogicError, match="INVALID_WORK_ITEM_SIZE"):
        cl.enqueue_nd_range_kernel(timed.queue, timed.kernel, (128,), (1 << 20,))
    with pytest.raises(cl.LogicError, match="INVALID_KERNEL_ARGS"):
        cl.enqueue_nd_range_kernel(timed.queue, cl.Kernel(timed.kernel.program, "f"), (128,), (64,))
    assert imagined.taken() == ""


def test_a_launch_of_a_size_that_comes_once_is_timed_as_the_last_one(imagined, timed, submitted, monkeypatch):
    made, genuine = [], nd_range._plan
    monkeypatch.setattr(nd_range, "_plan", lambda *arguments: made.append(arguments) or genuine(*arguments))
    timed.launch()
    before = imagined.taken(), imagined.graphs.value
    for groups in (2, 5, 3, 100, 7):
        event = cl.enqueue_nd_range_kernel(timed.queue, timed.kernel, (64 * groups,), (64,))
        times, fence = event._core.times, event._core.fence
        assert imagined.taken() == "tT" and imagined.timed[:] == [times[2].event, fence.event]
    assert before == ("tT", imagined.graphs.value) and not made and not submitted
    for graphs in (0, 1, 1):
        cl.enqueue_nd_range_kernel(timed.queue, timed.kernel, (64 * 7,), (64,))
        assert imagined.graphs.value == before[1] + graphs and imagined.taken() == "tT", "one that comes again has a graph of its own"
    assert not made and not submitted
    imagined.graph_fails.value = 1
    event = cl.enqueue_nd_range_kernel(timed.queue, timed.kernel, (64 * 9,), (64,))
    assert imagined.taken() == "tL" and event._core.times  # between fences by CuPy


def test_launches_that_python_makes_are_graphs_too(imagined, timed, submitted):
    """Held back with arguments that change meanwhile, and of a queue out of order."""
    gate = cl.UserEvent(imagined.context)
    held = timed.launch(wait_for=[gate])
    timed.kernel.set_arg(0, timed.b)
    assert imagined.taken() == ""
    gate.set_status(STATUS.COMPLETE)
    assert imagined.taken() == "tT" and imagined.argument.value == timed.a._core.address
    assert imagined.timed[:] == [held._core.times[2].event, held._core.fence.event]
    event = cl.enqueue_nd_range_kernel.__self__[0](timed.queue, timed.kernel, (64,), (64,))
    assert imagined.taken() == "tT" and imagined.timed[:] == [event._core.times[2].event, event._core.fence.event]
    assert submitted == ["clEnqueueNDRangeKernel"]  # what was held back
    unordered = cl.CommandQueue(imagined.context, properties=TIMED | cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    imagined.handles[imagined.stream(unordered)] = "o"
    event = cl.enqueue_nd_range_kernel(unordered, timed.kernel, (64,), (64,))
    assert imagined.taken() == "oT" and event._core.times
    imagined.graph_fails.value = 1
    cl.enqueue_nd_range_kernel(unordered, timed.kernel, (64,), (64,))
    assert imagined.taken() == "oL"  # between fences by CuPy
    assert len(submitted) == 3


def test_graphs_end_with_their_plans(imagined, timed):
    timed.launch()
    before = imagined.graphs.value
    timed.kernel = None
    gc.collect()
    assert imagined.graphs.value < before


def test_copies_on_the_device_are_graphs_too(imagined, timed, submitted):
    """In C and by Python, with the places and events of now."""
    for copy in (transfers._enqueue_copy_buffer, transfers._enqueue_copy_buffer.__self__[1]):
        for size, source, goal in ((64, 0, 128), (4096, 0, 0)):
            event = copy(timed.queue, timed.a, timed.b, size, source, goal)
            assert imagined.taken() == "tD" and imagined.copied_by.value == 2
            assert imagined.copies[:] == [timed.b._core.address + goal, timed.a._core.address + source, size]
            assert imagined.timed[:] == [event._core.times[2].event, event._core.fence.event]
    assert submitted == ["clEnqueueCopyBuffer"] * 2


def test_copies_of_the_hosts_are_graphs_where_they_are_not_little(imagined, timed, monkeypatch):
    """A write's memory is read later, so it is page-locked memory of ours."""
    monkeypatch.setattr(imagined.cuda, "is_pageable", lambda address: True)
    data, found = np.arange(25_000, dtype=np.int32), np.zeros(25_000, np.int32)
    buffer = cl.Buffer(imagined.context, cl.mem_flags.READ_WRITE, data.nbytes)
    for _ in range(2):
        event = cl.enqueue_copy(timed.queue, buffer, data)
        assert imagined.taken() == "tD" and imagined.copied_by.value == 0
        assert imagined.copies[0] == buffer._core.address and imagined.copies[1] != data.ctypes.data
        assert imagined.timed[:] == [event._core.times[2].event, event._core.fence.event]
        event = cl.enqueue_copy(timed.queue, found, buffer)
        assert imagined.taken() == "tD" and imagined.copied_by.value == 1 and (found == data).all()
        assert imagined.timed[:] == [event._core.times[2].event, event._core.fence.event]
        data += 1


@pytest.mark.parametrize("word", ["no_graphs", "graph_fails"])
def test_where_cuda_makes_no_graphs_of_copies_events_are_recorded_around_them(imagined, timed, submitted, word):
    getattr(imagined, word).value = 1
    for _ in range(2):
        event = cl.enqueue_copy(timed.queue, timed.a, timed.b)
        assert imagined.taken() == "tR tC tR" and event._core.times and not submitted
    getattr(imagined, word).value = 0
    cl.enqueue_copy(timed.queue, timed.a, timed.b)
    assert imagined.taken() == "tR tC tR"  # CUDA is not asked again.


def test_two_threads_do_not_launch_one_graph(imagined, timed, submitted):
    cl.enqueue_copy(timed.queue, timed.a, timed.b)
    graphs = _Graphs.from_address(timed.queue._core.stream.native().graphs)
    assert imagined.taken() == "tD" and not graphs.copies[2][5]
    graphs.copies[2][5] = 1
    cl.enqueue_copy(timed.queue, timed.a, timed.b)
    assert imagined.taken() == "tR tC tR" and graphs.copies[2][5] == 1 and not submitted


def test_graphs_of_copies_end_with_their_stream(imagined, timed, monkeypatch):
    ended = []
    monkeypatch.setattr(imagined.cuda, "driver_call", lambda name, *arguments: ended.append(name))
    cl.enqueue_copy(timed.queue, timed.a, timed.b)
    stream = timed.queue._core.stream
    address = stream._graphs_address()
    stream._end_native(stream.handle)
    assert ended == ["cuGraphExecDestroy", "cuGraphDestroy"] and stream._graphs is None and address


def test_without_code_in_c_a_copy_on_the_device_stands_between_records(imagined, timed, monkeypatch):
    monkeypatch.setattr(library, "calls", lambda: None)
    assert timed.queue._core.stream.timed_copy("device_to_device", timed.b._core.address, timed.a._core.address, 64) is None


@pytest.mark.parametrize("word", ["no_graphs", "graph_fails"])
def test_where_cuda_makes_no_graphs_events_are_recorded_around_the_launch(imagined, timed, submitted, word):
    kernel = cl.Kernel(timed.kernel.program, "f")
    kernel.set_args(timed.a)
    getattr(imagined, word).value = 1
    for turn in range(3):
        event = cl.enqueue_nd_range_kernel(timed.queue, kernel, (64,), (64,))
        if turn:  # What fails once is Python's to launch.
            assert imagined.taken() == "tR tL tR" and len(submitted) == (word == "graph_fails")
            assert event._core.times and event._core.fence
        imagined.logged.value = 0


def test_a_read_ends_with_its_copy(imagined, timed, submitted):
    """Not with the host's wait for it."""
    imagined.make_busy(imagined.stream(timed.queue))
    timer = threading.Timer(0.0005, lambda: setattr(imagined.busy, "value", 0))
    timer.start()
    event = cl.enqueue_copy(timed.queue, np.zeros(64, np.int32), timed.a)
    assert imagined.taken() == "tR tC tR" and event._core.times and not submitted
    timer.join()


def test_a_little_read_that_is_not_waited_for_is_made_where_nothing_comes_before_it(imagined, timed, submitted):
    found = np.ones(64, np.int32)
    event = cl.enqueue_copy(timed.queue, found, timed.a, is_blocking=False)
    assert imagined.taken() == "tR tC tR" and event._core.times and not submitted
    assert event.command_execution_status == cl.command_execution_status.COMPLETE and event.profile.end >= event.profile.start
    imagined.make_busy(imagined.stream(timed.queue))
    cl.enqueue_copy(timed.queue, found, timed.a, is_blocking=False)
    assert submitted == ["clEnqueueReadBuffer"] and "C" not in imagined.taken()


def test_other_commands_stand_between_records(imagined, timed, submitted):
    for _ in timed.commands():
        pass
    assert imagined.taken() == "tT tD tR tC tR tR tR tR tR" and not submitted


def test_commands_wait_for_other_queues(imagined, timed, submitted):
    timed.launch(wait_for=[cl.enqueue_marker(imagined.first)])
    assert imagined.taken() == "t<<a tT" and not submitted


def test_what_is_held_back_is_pythons_and_later_commands_are_not(bench, submitted):
    gate = cl.UserEvent(bench.queue.context)
    held, behind = bench.launch(wait_for=[gate]), bench.launch()
    assert submitted == ["clEnqueueNDRangeKernel"] * 2
    gate.set_status(STATUS.COMPLETE)
    behind.wait()
    assert held.profile.end <= behind.profile.end
    bench.launch().wait()
    assert len(submitted) == 2


def test_traced_queues_are_pythons(bench, submitted, monkeypatch, tmp_path):
    monkeypatch.setattr(trace, "_RECORDER", trace.Recorder(tmp_path / "trace.json"))
    queue = cl.CommandQueue(bench.queue.context, properties=TIMED)
    for _ in range(2):
        cl.enqueue_marker(queue)
    assert len(submitted) == 2


@pytest.mark.parametrize("raised", [KeyboardInterrupt("now"), SystemExit(7)], ids=lambda raised: type(raised).__name__)
def test_what_a_signals_handler_raises_before_the_launch_is_not_lost(timed, imagined, monkeypatch, raised):
    def fences(self):
        raise raised

    monkeypatch.setattr(CudaStream, "timed_fences", fences)
    with pytest.raises(type(raised)) as caught:
        timed.launch()
    assert caught.value is raised and imagined.taken() == ""


class Handlers:
    """Of signals: each raises what it was made with."""

    def __init__(self, raised):
        self.raised = raised
        self.all = {"function": lambda number, frame: self.fail(), "method": self.method, "any arguments": lambda *_: self.fail(),
                    "partial": functools.partial(self.method), "object": self}

    def fail(self):
        raise self.raised

    def method(self, number, frame):
        self.fail()

    def __call__(self, number, frame):
        self.fail()


@pytest.mark.parametrize("kind", Handlers(None).all)
@pytest.mark.parametrize("raised", [ValueError("now"), TypeError("now"), TimeoutError("now"), AttributeError("now"),
                                    cl.LogicError("now", -5)], ids=lambda raised: type(raised).__name__)
def test_nor_are_other_exceptions_of_handlers(timed, imagined, monkeypatch, raised, kind):
    genuine, came = CudaStream.timed_fences, []

    def fences(self):
        if not came:
            came.append(1)
            signal.raise_signal(signal.SIGUSR1)
        return genuine(self)

    monkeypatch.setattr(CudaStream, "timed_fences", fences)
    before = signal.signal(signal.SIGUSR1, Handlers(raised).all[kind])
    try:
        with pytest.raises(type(raised)) as caught:
            timed.launch()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert caught.value is raised and imagined.taken() == ""


def test_an_exception_of_pythons_steps_comes_once(timed, imagined, monkeypatch):
    """A signal has come before it, whose handler raised nothing."""
    failed, genuine = [], CudaStream.timed_fences

    def fences(self):
        signal.raise_signal(signal.SIGUSR1)
        if not failed:
            failed.append(1)
            raise ValueError("of the steps in C alone")
        return genuine(self)

    monkeypatch.setattr(CudaStream, "timed_fences", fences)
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        timed.launch()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert failed and imagined.taken()


def test_nor_is_what_ends_another_thread(imagined, monkeypatch):
    """It is that thread's: one has another raise an exception by its class (PyThreadState_SetAsyncExc)."""
    queue, after = cl.CommandQueue(imagined.context, properties=TIMED), []

    def fences(self):
        raise SystemExit

    def work():
        with contextlib.suppress(SystemExit):
            cl.enqueue_marker(queue)
            after.append(queue)

    monkeypatch.setattr(CudaStream, "timed_fences", fences)
    run_together(work, ())
    assert not after


@pytest.mark.parametrize("fails_at", [1, 2])
def test_an_interrupt_is_not_lost_on_the_host_device(monkeypatch, fails_at):
    bench, calls, genuine = Bench(cl.Context([DEVICES[-1]])), [], HostStream.fence

    def fence(self, timing):
        calls.append(timing)
        if len(calls) == fails_at:
            raise KeyboardInterrupt
        return genuine(self, timing)

    monkeypatch.setattr(HostStream, "fence", fence)
    with pytest.raises(KeyboardInterrupt):
        bench.launch()
    monkeypatch.undo()
    bench.launch().wait()


def test_without_fences_nothing_is_launched(timed, imagined, monkeypatch):
    def fence(self, *timing):
        raise DriverError("the device is lost", "OUT_OF_RESOURCES")

    monkeypatch.setattr(CudaStream, "timed_fences", fence)
    monkeypatch.setattr(CudaStream, "fence", fence)
    with pytest.raises(cl.RuntimeError, match="OUT_OF_RESOURCES"):
        timed.launch()
    assert imagined.taken() == ""


def test_fences_without_events_are_left_alone(imagined, monkeypatch):
    """What `times` has it owns, also where the rest of the driver's answer is of no use."""
    queue, fence = cl.CommandQueue(imagined.context, properties=TIMED), object()
    monkeypatch.setattr(CudaStream, "timed_fences", lambda stream: (fence, fence, 1, "no event"))
    before = sys.getrefcount(fence)
    cl.enqueue_marker(queue).wait()
    assert sys.getrefcount(fence) == before


def test_without_a_second_record_the_event_has_no_times(timed, imagined, monkeypatch):
    marker = cl.enqueue_marker(timed.queue)
    assert marker._core.times
    imagined.logged.value, imagined.fails_at.value = 0, 3
    event = cl.enqueue_copy(timed.queue, timed.a, timed.data, is_blocking=False)
    assert imagined.taken() == "tR tC tR" and event._core.times is None
    with pytest.raises(cl.RuntimeError, match="PROFILING_INFO_NOT_AVAILABLE"):
        _ = event.profile.end


def test_fences_are_given_back(timed, imagined):
    """Events that nobody has any more give their two fences' CUDA events back to the context."""
    timed.launch()
    resting = timed.queue._core.stream.context._events[True]
    before = len(resting)
    events = [timed.launch() for _ in range(5)]
    del events
    assert len(resting) >= max(before, 10)


def test_larger_reads_are_one_copy_between_their_events(submitted):
    cuda = TimedArrays()
    context = cl.Context([device_of(cuda)])
    queue, data = cl.CommandQueue(context, properties=TIMED), np.arange(75_000, dtype=np.int32)
    buffer, found = cl.Buffer(context, cl.mem_flags.READ_WRITE, data.nbytes), np.zeros_like(data)
    for turn in range(4):
        cl.enqueue_copy(queue, buffer, data + turn)
        queue.finish()
        submitted.clear(), cuda.calls.clear()
        cl.enqueue_copy(queue, found, buffer)
        assert (found == data + turn).all() and (turn < 2 or (cuda.calls == ["record", "copy", "record"] and not submitted))
    cuda.status = 700  # of the functions that code in C calls
    found[:] = 0
    cl.enqueue_copy(queue, found, buffer)
    assert submitted == ["clEnqueueReadBuffer"] and (found == data + 3).all()
