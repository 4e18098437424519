"""Queues out of order that take times of the commands that the driver library gives them (driver/lanes.c, driver/times.c), over a CUDA that notes
what each stream was given."""

import pytest

from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

TIMED = """
unordered = handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 3, 0))
core = application.core(unordered.value, "Q")
elapsed = compiled.elapsed

def between(start, end):
    found = ctypes.c_float()
    assert not elapsed(ctypes.byref(found), ctypes.c_long(start), ctypes.c_long(end))
    return found.value

places = (ctypes.c_long * 1024).in_dll(compiled, "places")
cuda.runtime.eventElapsedTime = between
cuda.runtime.eventQuery = lambda event: 600 if busy.value & 1 << (places[event & 1023] & 7) else 0

def times(event):
    found = [W() for _ in range(5)]
    codes = {cl.clGetEventProfilingInfo(event, 0x1280 + i, W(8), ctypes.byref(each), None) for i, each in enumerate(found)}
    assert len(codes) == 1
    return codes.pop() or [each.value for each in found]

def is_right(event):
    found = times(event)
    return sorted(found) == found

for _ in range(3):
    launch()
    finish()
taken()
"""


@pytest.mark.parametrize("calls", ["0", "1"])
def test_queues_that_take_times(run_lanes, calls, monkeypatch):
    """A launch whose event is wanted is one graph with its events, in each lane; others have no times."""
    monkeypatch.setenv("CL2CUDA_NATIVE_CALLS", calls)
    run_lanes(TIMED + """
event = launch()
assert not submitted and taken() == "0T" and state(event) == 0 and is_right(event)
first, second = two_that_run_with_times()
third = launch(first, second)
fourth = launch(third)
assert not submitted and taken() == "0<<1 0T 0T" and state(fourth) == 2 and times(second) == -7
busy.value = 0
for each in (first, second, third, fourth):
    assert state(each) == 0 and is_right(each)
finish(), taken()
ok(cl.clEnqueueNDRangeKernel(unordered, kernel, 1, None, (W * 1)(64), (W * 1)(64), 0, None, None))
assert not submitted and taken() == "0L"
finish()
""")


def test_markers_and_barriers_with_times(run_lanes):
    run_lanes(TIMED + """
first, second = two_that_run_with_times()
taken()
held, marker = barrier(), P()
assert not submitted and taken() == "0<<1 0R 0R" and state(held) == 2
ok(cl.clEnqueueMarkerWithWaitList(unordered, 1, ctypes.byref(second), ctypes.byref(marker)))
assert not submitted and times(held) == times(marker) == -7
busy.value = 0
assert is_right(held) and is_right(marker) and state(held) == state(marker) == 0
found = application.core(held.value, "E")
assert found.queue is core and found.command_type == 0x1205 and is_right(held)
finish()
""")


def test_events_with_times_are_pythons_too(run_lanes):
    run_lanes(TIMED + """
event = launch()
finish()
known = application.core(event.value, "E")
before = times(event)
assert known.queue is core and known.timeline is core.timelines[0] and sorted(before) == before
other = launch(event)  # Python's, which knows of it.
assert is_right(other) and times(other)[2] >= before[3]
for each in made:
    ok(cl.clReleaseEvent(each))
made.clear()
gone = weakref.ref(core)
core = known = None
ok(cl.clReleaseCommandQueue(unordered))
unordered = new_unordered()
gc.collect()
assert gone() is None
""")


def test_threads_with_times(run_lanes):
    run_lanes(TIMED + """
def work(number):
    for turn in range(200):
        event = launch()
        if turn % 10 == 0:
            event = barrier(event)
        if turn % 3 == 0:
            ok(cl.clWaitForEvents(1, ctypes.byref(event)))
            assert is_right(event)

in_four_threads(work)
""")
