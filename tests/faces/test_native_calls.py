"""Launches in C (runtime/native): they give what Python's own steps give, leave to those what is not plain, and fail as they do."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from support.launch_bench import DEVICES, IN_C, Launches, in_python
from support.leaks import leaves_nothing

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import kernel as kernels
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.native import build, library
from cl2cuda.runtime.queue.event import Event
from cl2cuda.runtime.queue.stream_timeline import FENCES_AHEAD_WANTED, GIVEN, LATE, NEEDS_PYTHON

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")


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
        IN_C(queue, kernel, size, group)
        launches.expected += 1

    leaves_nothing(launch, counted)
    queue.finish()
    launches.check()


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
