"""Fences ahead of time in C (runtime/native/fences.c): waits for commands that others are behind already."""

from __future__ import annotations

import os
import random
import threading
import time

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.native import library

import pyopencl.array as cla  # isort: skip

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

STATUS = cl.command_execution_status
LATE, MOST_WANTED, FENCES = 4, 64, 8
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]


class Launches:
    """Of a kernel in the first queue of the imagined device, where the device has come to as many as it is told."""

    def __init__(self, imagined, kernel):
        self.imagined, self.kernel, self.queue = imagined, kernel, imagined.first
        imagined.launched.value = imagined.ended.value = 0

    def launch(self, count=1):
        return [cl.enqueue_nd_range_kernel(self.queue, self.kernel, (64,), (64,)) for _ in range(count)]

    def end(self, count):
        """So many have ended; the stream, asked as a whole, has not."""
        self.imagined.ended.value = count
        self.imagined.make_busy(self.imagined.stream(self.queue))


@pytest.fixture
def launches(imagined, kernel):
    return Launches(imagined, kernel)


def test_the_first_one_waits_for_all_there_are(launches, waited):
    events = launches.launch(3)
    launches.end(3)
    events[0].wait()
    assert not waited and launches.imagined.taken() == "aL aL aL aR"
    assert [event.command_execution_status for event in events] == [STATUS.COMPLETE] * 3
    events[1].wait()
    cl.wait_for_events(events)
    assert not waited and launches.imagined.taken() == ""


def test_afterwards_a_fence_stands_behind_every_few_commands(launches, waited):
    first = launches.launch(2)
    launches.end(2)
    first[0].wait()
    launches.imagined.taken()
    events = launches.launch(12)
    assert launches.imagined.taken() == " ".join(["aL aL aL aL aR"] * 3)
    launches.end(2 + 4)
    cl.wait_for_events(events[:4])  # whose last one has a fence of its own
    assert not waited and launches.imagined.taken() == ""
    assert events[3]._core.timeline.reached == events[3]._core.position
    launches.end(2 + 8)
    events[4].wait()
    assert not waited and events[7]._core.timeline.reached == events[7]._core.position


def test_they_end_where_nobody_waits(launches):
    first = launches.launch(2)
    launches.end(2)
    first[0].wait()
    launches.imagined.taken()
    launches.launch(LATE * (MOST_WANTED + 5))
    assert launches.imagined.taken().count("R") == MOST_WANTED


def test_they_go_on_where_somebody_does(launches, waited):
    """As PyOpenCL's arrays wait."""
    events = launches.launch(12)
    launches.end(1 << 20)
    launches.imagined.taken()
    for _ in range(3 * MOST_WANTED):
        events += launches.launch(4)
        cl.wait_for_events(events[:4])
        del events[:4]
    records = launches.imagined.taken().count("R")
    assert not waited and 3 * MOST_WANTED - 4 <= records <= 3 * MOST_WANTED + 1


@pytest.mark.parametrize("phase", range(LATE))
def test_who_waits_for_every_few_commands_waits_for_no_later_ones(launches, waited, phase):
    """Of batches of commands with a finish behind each, the last of every four is waited for while nine are behind it."""
    events, ended = [], 0
    for batch in range(6):
        for _ in range(20):
            if len(events) == 12 + (phase if not batch else 0):
                if batch > 1 and events[3]._core.position > ended:
                    launches.end(launches.imagined.launched.value - len(events) + LATE)
                cl.wait_for_events(events[:LATE])
                if batch > 1:
                    assert not waited and events[3]._core.timeline.reached == max(ended, events[3]._core.position)
                del events[:LATE]
            events += launches.launch()
        launches.end(1 << 20)
        launches.imagined.busy.value = 0
        launches.queue.finish()
        waited.clear()
        ended = events[-1]._core.timeline.reached


def test_waits_for_each_command_leave_fences_behind_every_few(launches, waited):
    """However those who wait come after each other."""
    events = launches.launch(8)
    launches.end(1 << 20)
    for _ in range(20):
        events.pop(0).wait()
        events += launches.launch()
    launches.imagined.taken()
    for _ in range(40):
        events.pop(0).wait()
        events += launches.launch()
    assert not waited and launches.imagined.taken().count("R") >= 10


def test_what_takes_long_is_pythons_and_waits_for_that_fence(launches, waited):
    events = launches.launch(3)
    launches.end(0)
    events[0].wait()
    assert waited == [events[0]._core] and events[0]._core.fence is not None
    assert launches.imagined.taken() == "aL aL aL aR"  # no other fence
    fence = events[0]._core.fence
    launches.end(3)
    again = launches.launch(3)
    launches.end(6)
    again[0].wait()
    assert waited == [events[0]._core] and again[0]._core.fence is None
    assert launches.imagined.taken().count("R") == 1
    assert events[0]._core.fence is fence and events[0].command_execution_status == STATUS.COMPLETE


def test_more_fences_than_there_are_places(launches, waited):
    """The oldest ones go; commands that were before them are before the others."""
    first = launches.launch(2)
    launches.end(2)
    first[0].wait()
    events = launches.launch(LATE * (FENCES + 4))
    launches.end(1 << 20)
    events[0].wait()
    reached = events[0]._core.timeline.reached
    assert not waited and events[LATE]._core.position < reached < events[-1]._core.position
    events[-2].wait()
    assert not waited


def test_without_a_call_to_ask_for_events_python_waits(imagined, kernel, waited):
    queue = cl.CommandQueue(imagined.context)
    assert queue._core.stream.native() is not None
    imagined.cuda.event_query_address = 0
    other = cl.CommandQueue(cl.Context(imagined.context.devices))
    native = other._core.stream.native()
    if native.query_event:
        pytest.skip("the stream had rested")
    made = cl.Kernel(cl.Program(other.context, "kernel void f(global int *a) { a[0] = 1; }").build(), "f")
    made.set_args(cl.Buffer(other.context, 0, 4096))
    events = [cl.enqueue_nd_range_kernel(other, made, (64,), (64,)) for _ in range(3)]
    events[0].wait()
    assert waited == [events[0]._core]


def test_an_error_is_pythons_to_tell(launches, monkeypatch):
    events = launches.launch(3)
    launches.imagined.fails.value = 719
    monkeypatch.setattr(launches.imagined.cuda.runtime, "eventQuery", lambda event: 719)
    with pytest.raises(cl.RuntimeError, match="terminated"):
        events[0].wait()
    with pytest.raises(cl.RuntimeError, match="terminated"):
        cl.wait_for_events(events[:2])


def test_an_error_of_a_fence_ahead_is_not_the_commands(launches):
    first = launches.launch(2)
    launches.end(2)
    first[0].wait()
    launches.launch(3)
    launches.imagined.fails_at.value = launches.imagined.logged.value + 2
    events = launches.launch(2)
    launches.imagined.fails_at.value = 0
    launches.end(1 << 20)
    events[0].wait()


def test_fences_go_with_their_queue(imagined, kernel):
    """Their CUDA events come back to the device."""
    context = imagined.cuda.runtime
    queue = cl.CommandQueue(imagined.context)
    handles = context.handles
    for _ in range(20):
        queue = cl.CommandQueue(imagined.context)
        events = [cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,)) for _ in range(60)]
        events[0].wait()
        events += [cl.enqueue_nd_range_kernel(queue, kernel, (64,), (64,)) for _ in range(60)]
        events[62].wait()
        del events, queue
    assert context.handles - handles < 4 * FENCES


def test_no_wait_ends_before_its_command(launches):
    """While a device works and others launch and wait."""
    launches.imagined.ended.value = 0
    stop, draws, failures = threading.Event(), random.Random(3), []
    lock = threading.Lock()

    def work():
        while not stop.is_set():
            launches.imagined.ended.value = min(launches.imagined.launched.value, launches.imagined.ended.value + draws.randint(0, 3))
            time.sleep(0.0002)

    device = threading.Thread(target=work)
    device.start()
    try:
        def program(index):
            mine = []
            for _ in range(150):
                with lock:
                    mine += [(launches.launch()[0], launches.imagined.launched.value)]
                if len(mine) > 12:
                    event, at = mine[random.randrange(4)]
                    event.wait()
                    if launches.imagined.ended.value < at:
                        failures.append((index, at))
                    del mine[:4]

        launches.imagined.make_busy(launches.imagined.stream(launches.queue))
        monkeypatched = launches.imagined.cuda.runtime.eventQuery
        launches.imagined.cuda.runtime.eventQuery = lambda event: 600 if launches.imagined.ended.value < recorded(launches, event) else 0
        run_together(program, (0,), (1,), (2,))
    finally:
        stop.set()
        device.join()
        launches.imagined.cuda.runtime.eventQuery = monkeypatched
        launches.imagined.ended.value = 1 << 62
        launches.imagined.busy.value = 0
    assert not failures


def recorded(launches, event):
    return launches.imagined.recorded[event & 1023]


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_arrays_that_are_added_again_and_again(device):
    queue = cl.CommandQueue(cl.Context([device]))
    a, b = cla.zeros(queue, 1000, np.float32), cla.zeros(queue, 1000, np.float32) + 1
    for _ in range(200):
        a += b
    assert (a.get() == 200).all() and len(a.events) <= 12


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_an_older_command_of_a_real_device(device, waited):
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    kernel = cl.Kernel(cl.Program(context, "kernel void add(global int *a) { a[get_global_id(0)] += 1; }").build(), "add")
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(64, np.int32))
    kernel.set_args(buffer)
    events = [cl.enqueue_nd_range_kernel(queue, kernel, (64,), None)]
    for _ in range(400):
        events.append(cl.enqueue_nd_range_kernel(queue, kernel, (64,), None))
        events[max(0, len(events) - 12)].wait()
    assert not waited
    found = np.zeros(64, np.int32)
    cl.enqueue_copy(queue, found, buffer)
    assert (found == 401).all()
