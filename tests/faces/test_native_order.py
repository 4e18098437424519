"""What commands in C (runtime/native/order.c) come after: events of other queues, and all that a queue out of order was given. User events
in C (events.c)."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import weakref

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support import c_library
from support.fake_cuda import FakeCuda

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl.handles import to_python
from cl2cuda.runtime.cuda import module as cuda_module
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.launching import HELD, LET_GO, WAITED_NS
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.native import library
from cl2cuda.runtime.queue import event as runtime_event
from cl2cuda.runtime.queue.queue import CommandQueue

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS, STATUS = cl.mem_flags, cl.command_execution_status
UNORDERED = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]

# What each stream was given, in the order of the calls: 'L' a launch, 'C' a copy, 'R' a record and 'W' a wait, with the event.
CUDA = r"""
#include <stddef.h>
struct { long kind, stream, event; } entries[4096];
int logged, busy, fails;
long argument; /* of the last launch */
static int note(long kind, void *stream, long event)
{
    entries[logged].kind = kind, entries[logged].stream = (long)stream, entries[logged++].event = event;
    return fails;
}
void *current;
int context(void **found) { *found = current; return 0; }
int query(void *s) { return busy & 1 << ((long)s & 7) ? 600 : 0; }
int copied(long a, long b, long n, void *s) { return note('C', s, 0); }
int filled(long m, unsigned v, long n, void *s) { return note('C', s, 0); }
int record(long e, void *s) { return note('R', s, e); }
int wait_for(void *s, long e, unsigned flags) { return note('W', s, e); }
int copied_2d(void *d, void *s) { return note('C', s, 0); }
int launch(void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned h, void *s, void **p, void **x)
{
    argument = *(long *)p[0];
    return note('L', s, 0);
}
"""
STREAM_FUNCTIONS = ("context", "query", *("copied",) * 3, *("filled",) * 3, "record", "wait_for", "copied_2d")


class Entry(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_long), ("stream", ctypes.c_long), ("event", ctypes.c_long)]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return c_library.load(CUDA, tmp_path_factory.mktemp("order"))


class Imagined:
    """Queues of a CUDA whose functions are a C library's."""

    def __init__(self, compiled):
        self.logged, self.busy, self.fails = (ctypes.c_int.in_dll(compiled, name) for name in ("logged", "busy", "fails"))
        self.logged.value = self.busy.value = self.fails.value = 0
        self.argument = ctypes.c_long.in_dll(compiled, "argument")
        self.entries = (Entry * 4096).in_dll(compiled, "entries")
        cuda = FakeCuda()
        cuda.stream_addresses = tuple(ctypes.cast(getattr(compiled, name), ctypes.c_void_p).value for name in STREAM_FUNCTIONS)
        cuda.native_launching = library.calls().launching(ctypes.cast(compiled.launch, ctypes.c_void_p).value, HELD, LET_GO, WAITED_NS)
        cuda.runtime.streamQuery = lambda stream: 600 if self.busy.value & 1 << (stream & 7) else 0
        ctypes.c_void_p.in_dll(compiled, "current").value = cuda.driver.ctxGetCurrent()
        self.cuda = cuda
        self.context = cl.Context([to_python(Device(platforms.platforms()[0], "cuda", CudaDevice(cuda, 0)))])
        self.first, self.second = cl.CommandQueue(self.context), cl.CommandQueue(self.context)
        self.unordered = cl.CommandQueue(self.context, properties=UNORDERED)
        self.buffer = cl.Buffer(self.context, FLAGS.READ_WRITE, 4096)
        self.handles = {self.stream(queue): name for queue, name in ((self.first, "a"), (self.second, "b"), (self.unordered, "u"))}

    def stream(self, queue):
        return queue._core.stream.handle

    def taken(self):
        """What streams were given since the last time: "aL" is a launch in a, "b<a" a wait of b for a, where a has just been recorded
        "b<<a"."""
        found, recorded = [], None
        self.recordings = getattr(self, "recordings", {})
        for entry in self.entries[: self.logged.value]:
            kind, name = chr(entry.kind), self.handles.get(entry.stream) or self.names(entry.stream)
            if kind == "R":
                recorded = self.recordings[entry.event] = name
            elif kind == "W":
                found.append(f"{name}{'<<' if recorded else '<'}{self.recordings[entry.event]}")
                recorded = None
            else:
                found.append(name + kind)
        assert recorded is None
        self.logged.value = 0
        return " ".join(found)

    def names(self, handle):
        """Streams that the queue out of order has opened."""
        for number, timeline in enumerate(self.unordered._core.timelines):
            self.handles.setdefault(timeline.stream.handle, f"u{number}")
        return self.handles[handle]

    def make_busy(self, *handles):
        self.busy.value = sum({1 << (handle & 7) for handle in handles})

    @property
    def streams(self):
        return [timeline.stream.handle for timeline in self.unordered._core.timelines]


@pytest.fixture
def imagined(compiled):
    return Imagined(compiled)


@pytest.fixture
def kernel(imagined):
    try:
        made = cl.Kernel(cl.Program(imagined.context, "kernel void f(global int *a) { a[0] = 1; }").build(), "f")
    except cl.RuntimeError as error:
        pytest.skip(f"no NVRTC: {error}")
    made.set_args(imagined.buffer)
    for queue in (imagined.first, imagined.second, imagined.unordered):
        cl.enqueue_nd_range_kernel(queue, made, (64,), (64,))  # Python's, which makes the plan
        queue.finish()
    imagined.logged.value = 0
    return made


@pytest.fixture
def submitted(monkeypatch):
    """What Python's own steps have submitted."""
    found, submit = [], CommandQueue.submit

    def noted(self, routine, *arguments, **named):
        found.append(routine)
        return submit(self, routine, *arguments, **named)

    monkeypatch.setattr(CommandQueue, "submit", noted)
    return found


def launch(kernel, queue, wait_for=None):
    return cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,), wait_for=wait_for)


# -- Other queues ----------------------------------------------------------------------------------------------------------


def test_a_marker_waits_for_another_queue_by_two_calls(imagined, submitted):
    first = cl.enqueue_marker(imagined.first)
    second = cl.enqueue_marker(imagined.second, wait_for=[first])
    assert imagined.taken() == "b<<a" and not submitted
    cl.enqueue_marker(imagined.second, wait_for=(first, second))
    assert imagined.taken() == "b<a"  # The record is there.
    cl.enqueue_barrier(imagined.first, wait_for=[second])
    assert imagined.taken() == "a<<b"
    later = [cl.enqueue_marker(imagined.first) for _ in range(2)]
    cl.enqueue_marker(imagined.second, wait_for=later)
    assert imagined.taken() == "b<<a b<a" and not submitted


def test_launches_and_copies_wait_likewise(imagined, kernel, submitted):
    first = launch(kernel, imagined.first)
    launch(kernel, imagined.second, [first])
    cl.enqueue_copy(imagined.second, imagined.buffer, np.zeros(4, np.uint8), wait_for=[launch(kernel, imagined.first)])
    assert imagined.taken() == "aL b<<a bL aL b<<a bC" and not submitted


def test_what_has_ended_is_not_waited_for(imagined, submitted):
    event = cl.enqueue_marker(imagined.first)
    imagined.first.finish()
    cl.enqueue_marker(imagined.second, wait_for=[event])
    assert imagined.taken() == "" and not submitted


def test_an_old_event_gets_a_fence_by_python(imagined, submitted):
    """Which sees to it that the next ones have fences of their own."""
    event = cl.enqueue_marker(imagined.first)
    for _ in range(6):
        cl.enqueue_marker(imagined.first)
    cl.enqueue_marker(imagined.second, wait_for=[event])
    assert submitted == ["clEnqueueMarkerWithWaitList"]


def test_events_with_fences_and_of_other_contexts_are_pythons(imagined, submitted):
    known = cl.enqueue_marker(imagined.first)
    known._core.end_fence()
    cl.enqueue_marker(imagined.second, wait_for=[known])
    timed = cl.CommandQueue(imagined.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    cl.enqueue_marker(imagined.second, wait_for=[cl.enqueue_marker(timed)])
    assert len(submitted) == 3
    foreign = cl.CommandQueue(cl.Context(imagined.context.devices))
    with pytest.raises(cl.LogicError, match="INVALID_CONTEXT"):
        cl.enqueue_marker(imagined.second, wait_for=[cl.enqueue_marker(foreign)])


def test_what_cuda_refuses_is_pythons(imagined, submitted):
    imagined.fails.value = 1
    cl.enqueue_marker(imagined.second, wait_for=[cl.enqueue_marker(imagined.first)])
    assert submitted == ["clEnqueueMarkerWithWaitList"]


def test_failures_spread(imagined, submitted):
    event = cl.enqueue_marker(imagined.first)
    event._core.timeline.any_failed = True
    event._core.timeline._failures = ((0, event._core.position, runtime_event.CommandFailed("it failed", "OUT_OF_RESOURCES")),)
    behind = cl.enqueue_marker(imagined.second, wait_for=[event])
    assert submitted and behind.command_execution_status < 0


def test_the_other_queue_may_be_gone(imagined):
    event = cl.enqueue_marker(imagined.first)
    imagined.first = None
    gc.collect()
    cl.enqueue_marker(imagined.second, wait_for=[event])
    assert imagined.taken() == "b<<a"


def test_queues_are_not_kept_alive(imagined):
    cl.enqueue_marker(imagined.second, wait_for=[cl.enqueue_marker(imagined.first)])
    cl.enqueue_marker(imagined.unordered, wait_for=[cl.enqueue_marker(imagined.first)])
    gone = [weakref.ref(queue._core) for queue in (imagined.first, imagined.unordered)]
    lines = [weakref.ref(queue._core.timeline) for queue in (imagined.first, imagined.unordered)]
    imagined.first = imagined.unordered = None
    gc.collect()
    assert not [each for each in gone + lines if each() is not None]


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_queues_of_a_device_pass_work_on(device):
    context = cl.Context([device])
    queues = [cl.CommandQueue(context), cl.CommandQueue(context), cl.CommandQueue(context, properties=UNORDERED)]
    kernel = cl.Kernel(cl.Program(context, "kernel void f(global int *a, int n) { for (int i = 0; i < 1000; i++) a[0] = a[0] * 3 + n; }")
                       .build(), "f")
    buffer = cl.Buffer(context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, hostbuf=np.zeros(1, np.int32))
    event, expected = None, 0
    for turn in range(60):
        kernel.set_args(buffer, np.int32(turn))
        event = cl.enqueue_nd_range_kernel(queues[turn % 3], kernel, (1,), (1,), wait_for=[event] if event else None)
        if turn % 7 == 0:
            event = cl.enqueue_marker(queues[turn % 2], wait_for=[event])
        for _ in range(1000):
            expected = (expected * 3 + turn) & 0xFFFFFFFF
    found = np.zeros(1, np.uint32)
    cl.enqueue_copy(queues[0], found, buffer, wait_for=[event])
    assert found[0] == expected


# -- Queues out of order -----------------------------------------------------------------------------------------------------


def test_a_chain_stays_in_its_stream(imagined, kernel, submitted):
    event = launch(kernel, imagined.unordered)
    for _ in range(4):
        imagined.make_busy(*imagined.streams)
        event = launch(kernel, imagined.unordered, [event])
    assert imagined.taken() == "uL uL uL uL uL" and not submitted


def test_launches_go_where_nothing_runs(imagined, kernel, submitted):
    first = launch(kernel, imagined.unordered)
    imagined.make_busy(*imagined.streams)
    second = launch(kernel, imagined.unordered)  # Python opens a stream.
    assert submitted == ["clEnqueueNDRangeKernel"] and len(imagined.streams) == 2
    imagined.make_busy(imagined.streams[0])
    third = launch(kernel, imagined.unordered)
    imagined.make_busy(*imagined.streams)
    launch(kernel, imagined.unordered, [first, third])
    assert len(submitted) == 1
    assert imagined.taken() == "uL u1L u1L u<<u1 uL"
    assert second._core.timeline is third._core.timeline is not first._core.timeline


def test_a_marker_follows_all(imagined, kernel, submitted):
    queue = imagined.unordered
    marker = cl.enqueue_marker(queue)
    assert imagined.taken() == "" and marker._core.timeline.last == marker._core.position and not submitted
    launch(kernel, queue)
    imagined.make_busy(*imagined.streams)
    launch(kernel, queue)
    imagined.taken()
    submitted.clear()
    cl.enqueue_marker(queue)
    assert imagined.taken() == "u<<u1" and not submitted
    imagined.make_busy()
    queue.finish()
    imagined.make_busy(imagined.streams[0])
    event = launch(kernel, queue)
    imagined.taken()
    marker = cl.enqueue_marker(queue, wait_for=[])
    assert imagined.taken() == "" and marker._core.timeline is event._core.timeline and not submitted


def test_a_marker_with_a_list_follows_it_alone(imagined, kernel, submitted):
    first = launch(kernel, imagined.unordered)
    imagined.make_busy(*imagined.streams)
    launch(kernel, imagined.unordered)
    imagined.taken()
    marker = cl.enqueue_marker(imagined.unordered, wait_for=[first])
    assert imagined.taken() == "" and marker._core.timeline is first._core.timeline
    cl.enqueue_marker(imagined.unordered, wait_for=[marker, cl.enqueue_marker(imagined.first)])
    assert imagined.taken() == "u<<a"


def test_barriers_and_what_comes_behind_them(imagined, kernel, submitted):
    queue = imagined.unordered
    launch(kernel, queue)
    imagined.make_busy(*imagined.streams)
    launch(kernel, queue)
    cl.enqueue_barrier(queue)
    imagined.make_busy()
    imagined.taken()
    submitted.clear()
    launch(kernel, queue)  # Python's: its stream may have to come behind the barrier first
    launch(kernel, queue)
    assert "clEnqueueNDRangeKernel" in submitted and submitted.count("clEnqueueNDRangeKernel") <= 2
    before = len(submitted)
    launch(kernel, queue)
    assert len(submitted) == before


def test_what_is_held_back_is_pythons(imagined, kernel, submitted):
    gate = cl.UserEvent(imagined.context)
    held = launch(kernel, imagined.unordered, [gate])
    marker = cl.enqueue_marker(imagined.unordered)
    assert len(submitted) == 2 and imagined.taken() == "" and marker.command_execution_status == STATUS.QUEUED
    gate.set_status(STATUS.COMPLETE)
    marker.wait()
    assert held.command_execution_status == STATUS.COMPLETE
    launch(kernel, imagined.unordered)
    assert len(submitted) == 2


# -- Launches that are held back ---------------------------------------------------------------------------------------------


@pytest.fixture
def held(imagined, kernel):
    """A launch behind a user event, whose kernel has got another argument since."""
    gate, other = cl.UserEvent(imagined.context), cl.Buffer(imagined.context, FLAGS.READ_WRITE, 64)
    event = launch(kernel, imagined.first, [gate])
    kernel.set_args(other)
    return gate, event


def test_a_launch_keeps_its_arguments(imagined, kernel, held, monkeypatch):
    prepared = []
    monkeypatch.setattr(cuda_module.CudaFunction, "prepare", lambda *arguments: prepared.append(arguments))
    gate, event = held
    assert imagined.taken() == ""
    gate.set_status(STATUS.COMPLETE)
    event.wait()
    assert imagined.taken() == "aL" and imagined.argument.value == imagined.buffer._core.address and not prepared


def test_a_launch_in_another_context_has_them_too(imagined, kernel, held, monkeypatch):
    """CUDA refuses it, and Python makes it where it belongs."""
    gate, event = held
    imagined.fails.value = 201
    monkeypatch.setattr(imagined.cuda.driver, "check_status", lambda status: setattr(imagined.fails, "value", 0), raising=False)
    gate.set_status(STATUS.COMPLETE)
    event.wait()
    assert imagined.taken() == "aL aL" and imagined.argument.value == imagined.buffer._core.address
    assert event.command_execution_status == STATUS.COMPLETE


def test_a_launch_that_fails_then_is_terminated(imagined, held):
    gate, event = held
    imagined.fails.value = 701
    gate.set_status(STATUS.COMPLETE)
    assert event.command_execution_status < 0
    with pytest.raises(cl.RuntimeError, match="terminated"):
        event.wait()


# -- User events -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def context():
    return cl.Context([DEVICES[0]])


def test_user_events_have_the_fields_of_pythons(context):
    made, core = cl.UserEvent(context), runtime_event.UserEvent(context._core)
    for name in ("queue", "command_type", "timeline", "position", "fence", "times", "own_end", "status", "shut", "pending", "error", "behind",
                 "theirs", "reason", "context", "_key", "_hooks"):
        assert getattr(made._core, name) == getattr(core, name), name
    assert type(made._core) is type(core) and made._core.gate is made._core
    assert made.command_execution_status == STATUS.SUBMITTED and made.command_type == cl.command_type.USER


@pytest.mark.parametrize("arguments", [(), (1,), (None,), ("context", 1)], ids=str)
def test_wrong_contexts_are_refused_alike(context, arguments):
    given = [context if each == "context" else each for each in arguments]
    found = []
    for begin in (cl.UserEvent._begin_in_python, cl.UserEvent.__init__):
        with pytest.raises(TypeError) as failure:
            begin(cl.UserEvent.__new__(cl.UserEvent), *given)
        found.append(str(failure.value).replace("__init__", "begin"))
    assert found[0] == found[1]


@pytest.mark.parametrize("status", [1, 3, 1.5, "0", None, 1 << 31, -(1 << 31) - 1, 1 << 70], ids=str)
def test_wrong_statuses_are_refused_alike(context, status):
    event, found = cl.UserEvent(context), []
    for call in (event._set_in_python, event.set_status):
        with pytest.raises(Exception) as failure:
            call(status)
        found.append((failure.type, str(failure.value)))
    assert found[0] == found[1] and event.command_execution_status == STATUS.SUBMITTED
    event.set_status(status=-1)
    assert event.command_execution_status == -1


@pytest.mark.parametrize("status", [0, -7, -(1 << 31), False, np.int32(-3)], ids=str)
def test_a_status_is_set_once(context, status):
    event, called = cl.UserEvent(context), []
    done = threading.Event()
    event.set_callback(STATUS.COMPLETE, lambda status: (called.append(status), done.set()))
    event.set_status(status)
    assert event.command_execution_status == int(status)
    assert done.wait(60) and called == [int(status)]
    for call in (event.set_status, event._set_in_python):
        with pytest.raises(cl.LogicError, match="set already"):
            call(0)


def test_one_thread_sets_it(context):
    for _ in range(100):
        event, begin, won = cl.UserEvent(context), threading.Barrier(4), []

        def set_it(call, event=event, begin=begin, won=won):
            begin.wait()
            try:
                call(0)
                won.append(call)
            except cl.LogicError:
                pass

        threads = [threading.Thread(target=set_it, args=(call,)) for call in (event.set_status, event._set_in_python) * 2]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert len(won) == 1


def test_subclasses_and_lifetimes(context):
    class Named(cl.UserEvent):
        def __init__(self, context, name):
            super().__init__(context)
            self.name = name

    event = Named(context, "n")
    event.set_status(STATUS.COMPLETE)
    event.wait()
    assert event.name == "n" and event.context == context
    gone = weakref.ref(event._core)
    del event
    assert gone() is None
    counted = (context._core, runtime_event.UserEvent, cl.UserEvent, True)
    before = [sys.getrefcount(each) for each in counted]
    for _ in range(300):
        cl.UserEvent(context).set_status(0)
    assert all(abs(new - old) < 100 for new, old in zip([sys.getrefcount(each) for each in counted], before, strict=True))
