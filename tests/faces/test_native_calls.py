"""Launches in C (runtime/native): they give what Python's own steps give, leave to those what is not plain, and fail as they do."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support import c_library
from support.fake_cuda import FakeCuda
from support.imagined_device import device_of
from support.threads import turns_of_another_thread

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import kernel as kernels
from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.launching import HELD, LET_GO, WAITED_NS
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.native import build, library
from cl2cuda.runtime.queue.event import Event
from cl2cuda.runtime.queue.stream_timeline import FENCES_AHEAD_WANTED, GIVEN, LATE, NEEDS_PYTHON

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

IN_C = cl.enqueue_nd_range_kernel
SOURCE = """
kernel void add(global uint *x, uint by) { x[get_global_id(0)] += by; }
kernel void room(global uint *x, local uint *mine) { mine[get_local_id(0)] = 5; x[get_global_id(0)] += mine[get_local_id(0)]; }
kernel void out(global uint *x, ulong far) { x[far] = 1; }
"""
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]


def in_python(*arguments, **named):
    return IN_C.__self__[0](*arguments, **named)


class Launches:
    """A queue, and a kernel that has been launched, so that its plan is there; or as it is on an imagined CUDA whose launches are
    functions of a C library."""

    def __init__(self, device, **properties):
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context, **properties)
        self.program = cl.Program(self.context, SOURCE).build()
        self.x = cl.Buffer(self.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(64, np.uint32))
        self.kernel = cl.Kernel(self.program, "add")
        self.kernel.set_args(self.x, np.uint32(1))
        in_python(self.queue, self.kernel, (64,), (16,))
        self.expected = 1

    def run(self, enqueue=IN_C, *more, **named):
        self.expected += 1
        return enqueue(self.queue, self.kernel, (64,), (16,), *more, **named)

    def check(self):
        found = np.zeros(64, np.uint32)
        cl.enqueue_copy(self.queue, found, self.x)
        assert (found == self.expected).all()


@pytest.fixture(params=DEVICES, ids=lambda device: device.name)
def launches(request):
    return Launches(request.param)


def attributes(event):
    return {name: getattr(event._core, name) for name in Event.__slots__ if name != "__weakref__"}


def test_events_are_those_of_python(launches):
    events = [launches.run(each) for each in (in_python, IN_C, in_python, IN_C, IN_C)]
    first = attributes(events[0])
    for number, event in enumerate(events):
        found = attributes(event)
        assert found.pop("position") == first["position"] + number
        assert found == {name: value for name, value in first.items() if name != "position"}
        assert type(event) is cl.Event and type(event._core) is type(events[0]._core)
    events[-1].wait()
    assert {event.command_execution_status for event in events} == {cl.command_execution_status.COMPLETE}
    launches.check()


def test_the_words_stand_where_c_looks_for_them():
    assert (NEEDS_PYTHON, FENCES_AHEAD_WANTED, GIVEN) == (0, 1, 4)  # enum native_word of stream.h


def test_what_is_not_plain_is_left_to_python(launches):
    queue, kernel = launches.queue, launches.kernel
    event = launches.run(IN_C, None, None, False, False)
    launches.run(wait_for=[event])
    launches.run(IN_C, None, [event])
    launches.run(IN_C, None, ())
    launches.run(IN_C, (0,))
    launches.run(wait_for=None)
    launches.run(global_work_offset=None, g_times_l=False, allow_empty_ndrange=False, wait_for=(event, event))
    launches.run(wait_for=iter([event]))
    launches.run(wait_for=[cl.enqueue_marker(cl.CommandQueue(launches.context))])
    for sizes in (([64], [16]), ((np.int64(64),), (np.int64(16),)), ((64,), None), ((64, 1), (16, 1)), ((64, 1), (16, 1))):
        launches.expected += 1
        IN_C(queue, kernel, *sizes)
    launches.expected += 1
    IN_C(queue, kernel, (4,), (16,), g_times_l=True)
    IN_C(queue, kernel, (0,), None, allow_empty_ndrange=True)
    launches.check()


def test_sizes_in_work_groups_take_no_steps_of_pythons(launches, monkeypatch):
    """As PyOpenCL's scans give them."""
    queue, kernel, x, one = launches.queue, launches.kernel, launches.x, np.uint32(1)
    sizes = ((4,), (16,)), ((2, 1), (16, 1))
    for groups, local in sizes:
        kernel(queue, groups, local, x, one, g_times_l=True)  # makes the plan
    monkeypatch.setattr(kernels, "_sizes", None)
    for groups, local in sizes:
        kernel(queue, groups, local, x, one, g_times_l=True)
        IN_C(queue, kernel, groups, local, g_times_l=True)
    found = np.zeros(64, np.uint32)
    cl.enqueue_copy(queue, found, x)
    assert found.tolist() == [1 + 3 + 3] * 32 + [1 + 3] * 32


def test_ranges_that_might_be_empty_take_no_steps_of_pythons_where_they_are_not(launches, monkeypatch):
    """As loopy's programs give them."""
    queue, kernel, x, one = launches.queue, launches.kernel, launches.x, np.uint32(1)
    for sizes in (((0,), (16,)), ((64,), (16,)), ([0], None), ((4, 0), (1, 1))):
        kernel(queue, *sizes, x, one, allow_empty_ndrange=True)
    monkeypatch.setattr(kernels, "_sizes", None)
    kernel(queue, (64,), (16,), x, one, allow_empty_ndrange=True)
    kernel(queue, [64], [16], x, one, allow_empty_ndrange=True)
    kernel(queue, (4,), (16,), x, one, g_times_l=True, allow_empty_ndrange=True)
    IN_C(queue, kernel, (64,), (16,), allow_empty_ndrange=True)
    launches.expected += 5
    monkeypatch.undo()
    for wrong in ((-64,), (64.0,), ("64",), (1 << 70,)):
        found = []
        for enqueue in (in_python, IN_C):
            with pytest.raises((cl.Error, TypeError, RuntimeError)) as failure:
                enqueue(queue, kernel, wrong, (16,), allow_empty_ndrange=True)
            found.append((failure.type, str(failure.value)))
        assert found[0] == found[1]
    launches.check()


@pytest.mark.parametrize("sizes", [
    ((4,), (16, 1)), ((4, 1), (16,)), ((0,), (16,)), ((4,), (0,)), ((-4,), (16,)), ((-4,), (-16,)), ((2**63,), (2,)), ((2**62,), (4,)),
    ((2**40,), (2**40,)),
    ((4.0,), (16,)), (("4",), (16,)), ((4,), None), ((), ()), ([4], [16]), ((np.int64(4),), (np.int32(16),)), (4, 16), ((True,), (64,))], ids=repr)
def test_sizes_in_work_groups_are_those_of_python(launches, sizes):
    found = []
    for enqueue in (in_python, IN_C, in_python, IN_C):
        try:
            enqueue(launches.queue, launches.kernel, *sizes, g_times_l=True)
            found.append(None)
        except Exception as failure:
            found.append((type(failure), str(failure)))
        launches.queue.finish()
    assert found[0] == found[1] == found[2] == found[3]


def test_an_offset_in_work_groups_is_pythons(launches):
    with pytest.raises(cl.LogicError, match="differing dimensions"):
        IN_C(launches.queue, launches.kernel, (4,), (16,), (0, 0), g_times_l=True)
    IN_C(launches.queue, launches.kernel, (2,), (16,), (2,), g_times_l=True)
    found = np.zeros(64, np.uint32)
    cl.enqueue_copy(launches.queue, found, launches.x)
    assert found.tolist() == [1] * 32 + [2] * 32


@pytest.mark.parametrize("arguments", [
    (), ("queue",), ("queue", "kernel", (64,)), ("kernel", "queue", (64,), (16,)), (None, "kernel", (64,), (16,)),
    ("queue", None, (64,), (16,)), ("queue", "kernel", (), ()), ("queue", "kernel", (65,), (16,)), ("queue", "kernel", (64,), (0,)),
    ("queue", "kernel", (64, 1), (16,)), ("queue", "kernel", (1.5,), (1,)), ("queue", "kernel", ("a",), None),
    ("queue", "kernel", (64,), (16,), None, [3]), ("queue", "kernel", (64,), (16,), None, None, False, False, 1),
    ("queue", "kernel", ([],), (16,)), ("queue", "kernel", (64,), (16,), {"wait_for": [None]}),
    ("queue", "kernel", (64,), (16,), {"wait_for": 5}), ("queue", "kernel", (64,), (16,), {"waits": None}),
    ("queue", "kernel", (64,), (16,), {"queue": None}), ("queue", "kernel", (64,), (16,), None, None, {"wait_for": None}),
    ("queue", "kernel", (64,), {"local_work_size": "16"}), ({"global_work_size": (64,), "local_work_size": (16,), "kernel": None},), ("queue", {"global_work_size": (64,), "local_work_size": (16,)})], ids=repr)
def test_errors_are_those_of_python(launches, arguments):
    named = arguments[-1] if arguments and isinstance(arguments[-1], dict) else {}
    arguments = [each for each in arguments if not isinstance(each, dict)]
    given = [{"queue": launches.queue, "kernel": launches.kernel}.get(each, each) if isinstance(each, str) else each for each in arguments]
    found = []
    for enqueue in (in_python, IN_C):
        with pytest.raises(Exception) as failure:
            enqueue(*given, **named)
        found.append((failure.type, str(failure.value)))
    assert found[0] == found[1]
    launches.check()


def test_a_plan_that_was_dropped_is_not_launched(launches):
    kernel = cl.Kernel(launches.program, "room")
    for size in (64, 128, 64):
        kernel.set_args(launches.x, cl.LocalMemory(size))
        for _ in range(3):
            IN_C(launches.queue, kernel, (64,), (16,))
            launches.expected += 5
    launches.check()


def test_released_objects(launches):
    launches.run()
    other = cl.CommandQueue(launches.context)
    IN_C(other, launches.kernel, (64,), (16,))
    IN_C(other, launches.kernel, (64,), (16,))
    launches.expected += 2
    other.finish()
    other._core.release()
    with pytest.raises(cl.LogicError, match="INVALID_COMMAND_QUEUE"):
        IN_C(other, launches.kernel, (64,), (16,))
    launches.check()


@pytest.mark.parametrize("properties", [cl.command_queue_properties.PROFILING_ENABLE,
                                        cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE], ids=str)
@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_queues_that_are_not_plain(device, properties):
    launches = Launches(device, properties=properties)
    launches.queue.finish()
    for _ in range(3):
        event = launches.run()
        event.wait()
    if properties == cl.command_queue_properties.PROFILING_ENABLE:
        assert event.profile.end >= event.profile.start
    launches.check()


def test_launches_wait_for_what_is_held_back(launches):
    gate = cl.UserEvent(launches.context)
    held = launches.run(IN_C, None, [gate])
    behind = launches.run()
    assert held.command_execution_status > 0 and behind.command_execution_status > 0
    gate.set_status(cl.command_execution_status.COMPLETE)
    behind.wait()
    launches.run()
    launches.check()


def test_fences_ahead_are_made(launches):
    """They are wanted where someone has waited for a command that others were behind already."""
    timeline = launches.queue._core.timeline
    for _ in range(3):
        events = [launches.run() for _ in range(40)]
        events[0].wait()
        assert timeline.reached >= events[0]._core.position
    launches.check()


def test_a_fence_is_made_behind_so_many_launches(launches, monkeypatch):
    stream, fences = launches.queue._core.timeline.stream, []
    genuine = type(stream).fence
    monkeypatch.setattr(type(stream), "fence", lambda self, timing: fences.append(1) or genuine(self, timing))
    first, *_ = [launches.run() for _ in range(40)]
    first._core.wait()  # by Python's steps: those in C see to it by themselves
    launches.run()
    fences.clear()
    for _ in range(8 * LATE):
        launches.run()
    assert len(fences) == 8
    launches.check()


def test_many_launches_leave_nothing_behind(launches):
    queue, kernel, size, group = launches.queue, launches.kernel, (64,), (16,)
    counted = (queue._core, kernel._core, queue._core.timeline, cl.Event, Event, None, True, False, (), size, group)

    def launch():
        for _ in range(1000):
            IN_C(queue, kernel, size, group)
        queue.finish()
        gc.collect()

    launch()
    before = [sys.getrefcount(each) for each in counted]
    launch()
    after = [sys.getrefcount(each) for each in counted]
    launches.expected += 2000
    launches.check()
    assert max(abs(a - b) for a, b in zip(after, before, strict=True)) < 100


def test_threads_launch_on_queues_of_their_own(launches):
    queues = [cl.CommandQueue(launches.context) for _ in range(4)]
    parts = [Launches(launches.queue.device) for _ in queues]

    def work(part):
        for _ in range(500):
            part.run()
        part.queue.finish()

    threads = [threading.Thread(target=work, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for part in parts:
        part.check()


@pytest.mark.parametrize("device", [each for each in DEVICES if "host" in each.name], ids=lambda device: device.name)
def test_a_fault_on_the_host_device_is_told_once(device):
    launches = Launches(device)
    kernel, found = cl.Kernel(launches.program, "out"), []
    kernel.set_args(launches.x, np.uint64(0))
    IN_C(launches.queue, kernel, (1,), (1,))
    kernel.set_args(launches.x, np.uint64(1 << 44))
    for enqueue in (in_python, IN_C):
        with pytest.raises(cl.RuntimeError) as failure:
            enqueue(launches.queue, kernel, (1,), (1,))
        found.append(str(failure.value))
    assert found[0] == found[1]


# -- arguments -----------------------------------------------------------------------------------------------------------

NUMBERS = "char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i, double j"
TAKES = f"kernel void takes(global uint *x, {NUMBERS}, constant float *y) {{ if (x) x[0] = a; }}"
FORMATS = [None, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64, None]
VALUES = [0, 1, -1, 127, 128, 255, 256, -128, -129, 2**15, 2**16, 2**31 - 1, 2**31, 2**32, -(2**31) - 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64,
          True, 0.0, -0.0, 0.5, 1e-45, 3.4028235e38, 3.4028236e38, 1e39, -1e39, float("inf"), float("-inf"), float("nan"), "text", None,
          1j, b"\1\2\3\4", np.float32(2.5), np.float64(-2.5), np.float16(3), np.int32(-7), np.uint64(2**63), np.int64(-1), np.bool_(True),
          np.complex64(1), np.array(5), np.array([1, 2], np.int32), np.void(b"12345678"), np.longlong(3), np.ulonglong(3)]


class Takes:
    """Two kernels of the same arguments, one that is called in C and one in Python."""

    def __init__(self, device, types):
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)
        program = cl.Program(self.context, TAKES).build()
        self.buffers = [cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 64) for _ in range(2)]
        self.plain = [self.buffers[0], *[kind(3) for kind in FORMATS[1:-1]], self.buffers[1]]
        self.kernels = [cl.Kernel(program, "takes") for _ in range(2)]
        for kernel in self.kernels:
            if types:
                kernel.set_arg_types(FORMATS)
            kernel(self.queue, (1,), (1,), *self.plain)
        assert self.kernels[0]._packing

    def both(self, *arguments):
        """What is in the blocks then, or the error: by C, and by Python."""
        found = []
        for kernel, call in zip(self.kernels, (lambda k: k, lambda k: k._call_in_python), strict=True):
            try:
                call(kernel)(self.queue, (1,), (1,), *arguments)
            except Exception as error:
                found.append((type(error), str(error)))
            found.append([kernel._core.arguments.value_bytes(index) for index in range(len(FORMATS))])
        return found[: len(found) // 2], found[len(found) // 2 :]


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("types", [False, True], ids=["NumPy's numbers", "declared types"])
@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_arguments_are_written_as_python_writes_them(device, types):
    takes = Takes(device, types)
    for index in range(1, len(FORMATS) - 1):
        for value in VALUES:
            arguments = [*takes.plain[:index], value, *takes.plain[index + 1 :]]
            native, python = takes.both(*arguments)
            assert native == python, (index, value)
            takes.both(*takes.plain)


@pytest.mark.parametrize("types", [False, True], ids=["NumPy's numbers", "declared types"])
@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_pointers_are_written_as_python_writes_them(device, types):
    takes = Takes(device, types)
    released, part = cl.Buffer(takes.context, cl.mem_flags.READ_WRITE, 64), cl.Buffer(takes.context, cl.mem_flags.READ_WRITE, 4096)
    released.release()
    elsewhere = cl.Buffer(cl.Context([device]), cl.mem_flags.READ_WRITE, 64)
    for value in (takes.buffers[1], part, part[1024:2048], released, elsewhere, None, cl.LocalMemory(16), 5, np.int64(5), takes.queue, "text"):
        for index in (0, len(FORMATS) - 1):
            native, python = takes.both(*takes.plain[:index], value, *takes.plain[index + 1 :])
            assert native == python, (index, value)


def test_calls_that_are_not_plain(launches):
    kernel, queue, one = launches.kernel, launches.queue, np.uint32(1)
    for _ in range(2):
        event = kernel(queue, (64,), (16,), launches.x, one)
        kernel(queue, (64,), (16,), launches.x, one, wait_for=[event])
        kernel(queue, (64,), (16,), launches.x, one, wait_for=(), g_times_l=False, allow_empty_ndrange=False)
        kernel(queue, (64,), (16,), launches.x, one, global_offset=(0,))
        kernel(queue, (0,), None, launches.x, one, allow_empty_ndrange=True)
        launches.expected += 2
        kernel(queue, (4,), (16,), launches.x, one, g_times_l=True)
        kernel(queue, [64], None, launches.x, one)
        launches.expected += 4
    for wrong in ({"global_work_offset": None}, {"waits": None}, {"queue": queue}, {"wait_for": [None]}):
        found = []
        for call in (kernel, kernel._call_in_python):
            with pytest.raises(Exception) as failure:
                call(queue, (64,), (16,), launches.x, one, **wrong)
            found.append((failure.type, str(failure.value).replace("_call_in_python", "__call__")))
        assert found[0] == found[1]
    for wrong in ((), (queue,), (queue, (64,), (16,), launches.x), (queue, (64,), (16,), launches.x, one, one), (None, (64,), None, launches.x, one)):
        with pytest.raises((TypeError, AttributeError, cl.Error)):
            kernel(*wrong)
    launches.check()


def test_a_kernel_whose_arguments_are_not_set_yet(launches):
    """The first call is Python's, the second is C's; types may be declared later."""
    kernel = cl.Kernel(launches.program, "add")
    assert kernel._packing is None
    for _ in range(3):
        kernel(launches.queue, (64,), (16,), launches.x, np.uint32(2))
    kernel.set_arg_types([None, np.uint32])
    for number in (3, np.uint8(4), 5):
        kernel(launches.queue, (64,), (16,), launches.x, number)
    launches.expected += 3 * 2 + 12
    launches.check()


OTHERS = """
kernel void local_sum(global int *a, local int *mine, int by) {
    mine[get_local_id(0)] = by; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = mine[0] + get_local_size(0); }
kernel void look(read_only image2d_t image, sampler_t s, global int *a, int by) {
    a[get_global_id(0)] = read_imagei(image, s, (int2)(0, 0)).x + by; }
kernel void maybe(global int *a, global int *b, int by) { a[get_global_id(0)] = b ? by : -by; }
"""


@pytest.fixture
def others(launches):
    if not launches.context.devices[0].image_support:
        pytest.skip("no images")
    return cl.Program(launches.context, OTHERS).build()


def test_arguments_that_are_more_than_memory_have_their_setters_called(launches, others, monkeypatch):
    """Sizes of local memory, images and samplers; NULL for pointers; in turn, each time as Python sets them."""
    queue, context, a, found = launches.queue, launches.context, launches.x, np.zeros(64, np.int32)
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.SIGNED_INT32)
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    images = [cl.create_image(context, flags, form, (4, 4), hostbuf=np.full(64, number, np.int32)) for number in (3, 5)]
    sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
    local_sum, look, maybe = (cl.Kernel(others, name) for name in ("local_sum", "look", "maybe"))
    calls = [(local_sum, (a, cl.LocalMemory(4 * 16), np.int32(7)), 7 + 16), (local_sum, (a, cl.LocalMemory(4 * 64), np.int32(8)), 8 + 16)]
    calls += [(look, (image, sampler, a, np.int32(9)), number + 9) for image, number in zip(images, (3, 5), strict=True)]
    calls += [(maybe, (a, None, np.int32(2)), -2), (maybe, (a, a, np.int32(3)), 3)]
    for kernel, arguments, _ in calls:
        kernel(queue, (64,), (16,), *arguments)  # Python's, with which all have had a value

    def refused(self, *words):
        raise AssertionError(words)

    monkeypatch.setattr(cl.Kernel, "_call_in_python", refused)
    monkeypatch.setattr(cl.Kernel, "_arguments_in_python", refused)
    for turn in range(3):
        for kernel, arguments, expected in calls[:: 1 if turn % 2 else -1]:
            kernel(queue, (64,), (16,), *arguments)
            cl.enqueue_copy(queue, found, a)
            assert (found == expected).all(), (arguments, found)
            kernel.set_args(*arguments)
            IN_C(queue, kernel, (64,), (16,))
            cl.enqueue_copy(queue, found, a)
            assert (found == expected).all(), (arguments, found)


def test_wrong_ones_are_refused_as_python_refuses_them(launches, others):
    kernel, a, one = cl.Kernel(others, "local_sum"), launches.x, np.int32(1)
    kernel.set_args(a, cl.LocalMemory(64), one)
    for wrong in (None, a, 64, (cl.LocalMemory(64),), [cl.LocalMemory(64)], cl.LocalMemory(0), np.int32(64)):
        found = []
        for call in (kernel.set_args, kernel._arguments_in_python):
            with pytest.raises((cl.Error, TypeError)) as failure:
                call(a, wrong, one)
            found.append((failure.type, str(failure.value)))
        assert found[0] == found[1]
    with pytest.raises(cl.LogicError, match="INVALID_ARG_VALUE"):
        kernel.set_args(a, cl.LocalMemory(64), None)
    kernel(launches.queue, (64,), (16,), a, cl.LocalMemory(64), one)


# -- cuLaunchKernel, imagined --------------------------------------------------------------------------------------------

LAUNCHES = r"""
#include <unistd.h>
long launches, words[16];
int status, sleeps_us, asleep;
static int launch(void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned s, void *t, void **p, void **x)
{
    long w[] = { (long)f, a, b, c, d, e, g, s, (long)t, (long)p, (long)x };
    for (int i = 0; i < 11; i++)
        words[i] = w[i];
    if (sleeps_us) {
        asleep = 1;
        usleep(sleeps_us);
        asleep = 0;
    }
    if (!status)
        __atomic_add_fetch(&launches, 1, __ATOMIC_SEQ_CST);
    return status;
}
int cuLaunchKernel(void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned s, void *t, void **p, void **x)
{
    return launch(f, a, b, c, d, e, g, s, t, p, x);
}
struct attribute { int id; char unused[4]; int value; char rest[60]; };
struct config { unsigned blocks[3], threads[3], shared; void *stream; const struct attribute *attributes; unsigned count; };
long given_attribute[4];
int cuLaunchKernelEx(const struct config *c, void *f, void **p, void **x)
{
    long w[] = { c->count, c->attributes->id, c->attributes->value, sizeof *c->attributes };
    for (int i = 0; i < 4; i++)
        given_attribute[i] = w[i];
    return launch(f, c->blocks[0], c->blocks[1], c->blocks[2], c->threads[0], c->threads[1], c->threads[2], c->shared, c->stream, p, x);
}
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return c_library.load(LAUNCHES, tmp_path_factory.mktemp("launches"))


@pytest.fixture
def imagined(compiled):
    """What `compiled` holds, zeroed."""
    for name in ("launches", "status", "sleeps_us"):
        number(compiled, name).value = 0
    return compiled


def number(compiled, name):
    return (ctypes.c_long if name == "launches" else ctypes.c_int).in_dll(compiled, name)


def launching(compiled):
    addresses = (ctypes.cast(function, ctypes.c_void_p).value for function in (compiled.cuLaunchKernel, compiled.cuLaunchKernelEx))
    return library.calls().launching(tuple(addresses), HELD, LET_GO, WAITED_NS, ())


def prepared(compiled, failed=None, is_dependent=False):
    return launching(compiled).prepared((1 << 40, 2, 3, 4, 5, 6, 7, 8, 9 << 40, 10 << 40), is_dependent, failed, 0)


@pytest.mark.parametrize("is_dependent", [False, True])
def test_cuda_is_given_its_words(imagined, is_dependent):
    (ctypes.c_long * 4).in_dll(imagined, "given_attribute")[:] = [0] * 4
    prepared(imagined, is_dependent=is_dependent)()
    assert (ctypes.c_long * 11).in_dll(imagined, "words")[:] == [1 << 40, 2, 3, 4, 5, 6, 7, 8, 9 << 40, 10 << 40, 0]
    # One attribute of CUDA's 72 bytes: CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION is allowed.
    assert (ctypes.c_long * 4).in_dll(imagined, "given_attribute")[:] == ([1, 6, 1, 72] if is_dependent else [0] * 4)


def test_a_status_goes_to_python(imagined):
    statuses = []
    launch = prepared(imagined, statuses.append)
    number(imagined, "status").value = 700
    launch()
    assert statuses == [700]

    def fail(status):
        raise ValueError(status)

    with pytest.raises(ValueError, match="700"):
        prepared(imagined, fail)()
    with pytest.raises(TypeError, match="no arguments"):
        launch(1)


def test_other_threads_run_while_a_launch_waits(imagined):
    launch = prepared(imagined)
    launch()
    number(imagined, "sleeps_us").value = 100_000
    assert turns_of_another_thread(launch) > 5


def test_threads_that_meet_keep_the_lock_until_a_launch_waits(imagined):
    """As cuda/launching.py has it: while one thread is in a launch, another comes; the next launches are held. One that waits longer ends
    that."""
    launch = prepared(imagined)
    number(imagined, "sleeps_us").value = 200_000
    first = threading.Thread(target=launch)
    first.start()
    while not number(imagined, "asleep").value and first.is_alive():
        time.sleep(0.001)
    number(imagined, "sleeps_us").value = 0
    launch()
    first.join()
    number(imagined, "sleeps_us").value = 60_000
    assert turns_of_another_thread(launch) <= 2
    assert turns_of_another_thread(launch) > 5


class OtherContext(FakeCuda):
    """Its launches are C's; `current` is the context that it says is current."""

    def __init__(self, compiled):
        super().__init__()
        self.current = self.driver.ctxGetCurrent()
        self.driver.ctxGetCurrent = lambda: self.current
        self.native_launching = launching(compiled)


def test_cuda_refuses_a_launch(imagined):
    """Which Python makes again where another context is current, and explains where it is this one."""
    try:
        nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    cuda = OtherContext(imagined)
    launches = Launches(device_of(cuda))
    before = number(imagined, "launches").value
    launches.run()
    assert number(imagined, "launches").value == before + 1 and not cuda.driver.launches
    number(imagined, "status").value = 400
    with pytest.raises(cl.RuntimeError, match="OUT_OF_RESOURCES"):
        launches.run()
    cuda.current = 0
    event = launches.run()
    assert len(cuda.driver.launches) == 1 and event._core.position


# -- with and without ----------------------------------------------------------------------------------------------------


def test_they_can_be_turned_off():
    program = """
from cl2cuda import pyopencl as cl
from cl2cuda.runtime.native import library
import numpy as np
print(library.calls() is None, type(cl.enqueue_nd_range_kernel).__name__)
"""
    for value, expected in (("0", "True function"), ("1", "False builtin_function_or_method")):
        cache = str(Path(library.calls().__file__).parents[2])
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                              env={**os.environ, "CL2CUDA_NATIVE_CALLS": value, "CL2CUDA_CACHE_DIR": cache})
        assert done.stdout.strip() == expected


def test_a_library_for_another_machine_is_not_loaded(tmp_path, monkeypatch):
    place = tmp_path / library.NAME
    place.write_bytes(b"\x7fELF, but no more")
    monkeypatch.setattr(library, "HERE", tmp_path)
    assert library.calls.__wrapped__() is None


def test_building_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "compilers", list)
    with pytest.raises(DriverMissing, match="install gcc or clang"):
        build.build(tmp_path / library.NAME)
    monkeypatch.setattr(build, "compilers", lambda: [(sys.executable, "-c", "import sys; sys.exit('it cannot')")])
    with pytest.raises(DriverMissing, match="it cannot"):
        build.build(tmp_path / library.NAME)
    assert not list(tmp_path.iterdir())
