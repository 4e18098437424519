"""Launches of the driver library in queues out of order (driver/lanes.c), over a CUDA that notes what each stream was given."""

import pytest
from support import random_lanes

from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")


@pytest.mark.parametrize("calls", ["0", "1"])
def test_launches_need_no_python(run_lanes, calls, monkeypatch):
    """Nor Python's own calls in C."""
    monkeypatch.setenv("CL2CUDA_NATIVE_CALLS", calls)
    run_lanes("""
event = launch()
assert not submitted and state(event) == 0 and taken() == "0L"
make_busy(0)
event = launch()
assert state(event) == 2 and not submitted and taken() == "0L"
finish()
assert state(event) == 0
ok(cl.clWaitForEvents(1, ctypes.byref(event)))
ok(cl.clReleaseEvent(event))
launch(launch())
assert not submitted and taken() == "0L 0L"
""")


def test_a_chain_stays_in_its_lane(run_lanes):
    run_lanes("""
event = launch()
for _ in range(6):
    make_busy(0)
    event = launch(event)
assert not submitted and taken() == " ".join(["0L"] * 7)
""")


@pytest.mark.parametrize("calls", ["0", "1"])
def test_where_all_are_busy_python_opens_another(run_lanes, calls, monkeypatch):
    monkeypatch.setenv("CL2CUDA_NATIVE_CALLS", calls)
    run_lanes("""
launch()
make_busy(0)
launch()
assert submitted == ["clEnqueueNDRangeKernel"] and len(core.timelines) == 2
finish()
taken()
launch(), launch()
assert not submitted and taken() == "0L 1L"
make_busy(0)
events = [launch() for _ in range(3)]
assert not submitted and taken() == "1L 1L 1L"
for _ in range(32):
    make_busy(*range(len(core.timelines)))
    launch()
assert len(core.timelines) == 8
finish()
launch()
taken()
make_busy(*range(8))
for _ in range(16):
    launch()
assert not submitted
given = taken().split()
assert {given.count(f"{lane}L") for lane in range(8)} == {2}
finish()
""")


def test_behind_quick_launches_cuda_is_asked_seldom(run_lanes):
    run_lanes("""
two_that_run()
finish()
for _ in range(4):
    launch_many(2000)
    taken()
launch_many(400)
lanes = [entries[number].stream for number in range(400)]
assert not submitted and queries.value <= 200 and len(set(lanes)) > 1
# One that lasts is followed by few, and forgotten.
busy.value = 255
time.sleep(0.001)
for _ in range(64):
    launch()
taken()
lanes = []
for _ in range(16):
    launch()
    lanes.append(entries[logged.value - 1].stream)
assert not submitted and not [pair for pair in zip(lanes, lanes[1:]) if pair[0] == pair[1]]
finish()
""")


def test_what_comes_after_launches_of_other_lanes_and_queues(run_lanes):
    run_lanes("""
first, second = two_that_run()
launch(first, second)
assert not submitted and taken() == "0<<1 0L"
finish()
other = launch(queue=queue)
behind = launch(other)
launch(behind, queue=queue)
assert not submitted
given = taken()
assert given.startswith("aL ") and "<<a " in given and given.endswith(" aL") and given.count("<<") == 2
finish()
ok(cl.clFinish(queue))
# What has ended need not be waited for.
launch(first, queue=queue)
assert not submitted and taken() == "aL"
""")


def test_markers_follow_and_barriers_hold_back(run_lanes):
    """And what else Python enqueues beside launches comes after them."""
    run_lanes("""
first, second = two_that_run()
marker = P()
ok(cl.clEnqueueMarkerWithWaitList(unordered, 0, None, ctypes.byref(marker)))
assert not submitted and taken() == "0<<1" and state(marker) == 2
finish()
assert state(marker) == 0
first, second = two_that_run()
barrier()
assert not submitted and taken() == "0<<1"
launch()
assert not submitted and taken() == "0R 0L"  # All that comes later is behind it.
make_busy(0)
launch()
assert not submitted and taken() == "1<0 1L"  # Not behind the launch in the other lane.
launch()
assert not submitted and taken() == "1L"
finish()
launch(), launch()
assert not submitted and taken() == "0L 1L"
host = (ctypes.c_char * 64)()
event = launch()
busy.value = 0
ok(cl.clEnqueueReadBuffer(unordered, buffer, 1, W(0), W(64), host, 1, ctypes.byref(event), None))
assert state(event) == 0
finish()
""")


@pytest.mark.parametrize("calls", ["0", "1"])
def test_barriers_need_no_python(run_lanes, calls, monkeypatch):
    monkeypatch.setenv("CL2CUDA_NATIVE_CALLS", calls)
    run_lanes("""
first, second = two_that_run()
event = barrier(first)
assert not submitted and taken() == "" and state(event) == 2
launch()
assert not submitted and taken() == "0R 0L"
launch(second)
assert not submitted and taken() == "1<0 1L"
busy.value = 0
assert state(event) == 0
finish(), taken()
first, second = two_that_run()
third = barrier(second, first)
assert not submitted and taken() == "1<<0"
launch(third)
assert not submitted and taken() == "1R 1L"
barrier(), barrier()
assert not submitted
finish()
ok(cl.clWaitForEvents(1, ctypes.byref(third)))
assert state(third) == 0
found = ctypes.c_uint()
ok(cl.clGetEventInfo(third, 0x11D1, W(4), ctypes.byref(found), None))
hear_of(third)
ok(cl.clGetEventInfo(third, 0x11D1, W(4), ctypes.byref(found), None))
assert found.value == 0x1205
for each in (event, third):
    ok(cl.clReleaseEvent(each))
""")


@pytest.mark.parametrize("calls", ["0", "1"])
def test_python_knows_of_barriers(run_lanes, calls, monkeypatch):
    """What it enqueues comes after those of the library, whose launches come after its own."""
    monkeypatch.setenv("CL2CUDA_NATIVE_CALLS", calls)
    run_lanes("""
note_pythons_events()
known = handle("clCreateUserEvent", cl_context)  # What waits for it is Python's.
ok(cl.clSetUserEventStatus(known, 0))
first, second = two_that_run()
barrier()
assert not submitted and taken().endswith("0<<1")
value = ctypes.c_int(3)

def fill():
    ok(cl.clEnqueueFillBuffer(unordered, buffer, ctypes.byref(value), W(4), W(0), W(64), 1, ctypes.byref(known), None))

# In another lane than the barrier's.
launch()
make_busy(0)
taken()
fill()
assert submitted
given = taken()
assert "1<" in given and core._last_barrier().timeline is core.timelines[0], given
launch()  # With the compiled calls Python has opened another lane.
assert not submitted and taken() == ("1L" if len(core.timelines) == 2 else "2<0 2L")
gate = handle("clCreateUserEvent", cl_context)
held = barrier(gate)
assert submitted and state(held) == 3
launched = launch()
assert state(launched) == 3
barrier()
ok(cl.clSetUserEventStatus(gate, 0))
taken()
launch(), launch(), launch()
finish(), taken()
assert state(held) == state(launched) == 0
launch(), barrier(), launch()
assert not submitted
finish()
made = two_that_run()
barrier()
assert not submitted and taken() == "0<<1"
make_busy(0)
launch()
finish()
""")


def test_finish_and_flush_need_no_python(run_lanes):
    """As long as nobody has asked it anything since it has left nothing to do."""
    run_lanes("""
from cl2cuda.opencl_icd import queue as queues
asked = []
for place, name in ((queues, "note_finished"), (CommandQueue, "flush")):
    def noted(*arguments, name=name, inner=getattr(place, name)):
        asked.append(name)
        return inner(*arguments)

    setattr(place, name, noted)

first, second = two_that_run()
ok(cl.clFlush(unordered))
assert "flush" not in asked
for turn in range(5):
    if turn == 2:  # Lanes have their CUDA events by then, which Python makes.
        asked.clear(), taken()
    event = launch()
    launch(event)
    barrier()
    launch()
    finish()
    assert state(event) == 0
assert not asked and not submitted
cuda.runtime.eventQuery = lambda event: 600 if busy.value else 0
event = launch()
make_busy(0, 1)
threading.Timer(0.05, lambda: setattr(busy, "value", 0)).start()
ok(cl.clFinish(unordered))
assert busy.value == 0 and state(event) == 0
# What Python keeps until it is finished is let go.
host = (ctypes.c_char * 64)()
ok(cl.clEnqueueReadBuffer(unordered, buffer, 0, W(0), W(64), host, 0, None, None))
asked.clear()
finish()
assert asked == ["note_finished"]
assert cl.clFinish(P(event.value)) == cl.clFlush(P(event.value)) == -36
""")


def test_barriers_behind_what_has_failed_are_pythons(run_lanes):
    run_lanes("""
gate = handle("clCreateUserEvent", cl_context)
ok(cl.clSetUserEventStatus(gate, -7))
event = barrier(gate)
assert submitted and state(event) == -14 and cl.clWaitForEvents(1, ctypes.byref(event)) == -14
taken()
launch(), launch(), launch()
finish(), taken()
launch(), barrier(), launch()
assert not submitted
elsewhere = handle("clCreateContext", None, 1, ctypes.byref(device), None, None)
other = handle("clCreateUserEvent", elsewhere)
for enqueue in (cl.clEnqueueBarrierWithWaitList, cl.clEnqueueMarkerWithWaitList):
    assert enqueue(unordered, 1, ctypes.byref(other), None) == -34
    assert enqueue(unordered, 1, ctypes.byref(P(unordered.value)), None) == -57
    assert enqueue(unordered, 1, None, None) == enqueue(unordered, 0, ctypes.byref(event), None) == -57
    assert enqueue(P(event.value), 0, None, None) == -36
finish()
""")


def test_what_is_held_back_makes_launches_pythons(run_lanes):
    run_lanes("""
two_that_run()
finish()
gate = handle("clCreateUserEvent", cl_context)
held = launch(gate)
assert submitted == ["clEnqueueNDRangeKernel"] and state(held) == 3
taken()
launch()
assert submitted
ok(cl.clSetUserEventStatus(gate, 0))
finish()
assert state(held) == 0
taken()
launch()
assert not submitted
finish()
""")


def test_events_are_pythons_too(run_lanes):
    run_lanes("""
first, second = two_that_run()
for number, event in enumerate((first, second)):
    known = application.core(event.value, "E")
    assert known.queue is core and known.timeline is core.timelines[number] and known.command_type == 0x11F0
    found = P()
    ok(cl.clGetEventInfo(event, 0x11D0, W(8), ctypes.byref(found), None))
    hear_of(event)
    ok(cl.clGetEventInfo(event, 0x11D0, W(8), ctypes.byref(found), None))
    assert found.value == unordered.value
finish()
called = []

@ctypes.CFUNCTYPE(None, P, ctypes.c_int, P)
def call(event, status, data):
    called.append(status)

event = launch()
assert taken() == "0L"
ok(cl.clSetEventCallback(event, 0, call, None))
for _ in range(1000):
    if called:
        break
    time.sleep(0.01)
assert called == [0]
""")


def test_wrong_lists_and_sizes_are_pythons(run_lanes):
    run_lanes("""
event = launch()
elsewhere = handle("clCreateContext", None, 1, ctypes.byref(device), None, None)
launch(handle("clCreateUserEvent", elsewhere), status=-34)
launch(P(unordered.value), status=-57)
assert cl.clEnqueueNDRangeKernel(unordered, kernel, 1, None, (W * 1)(64), (W * 1)(64), 1, None, None) == -57
assert cl.clEnqueueNDRangeKernel(unordered, kernel, 1, None, (W * 1)(64), (W * 1)(64), 0, ctypes.byref(event), None) == -57
assert cl.clEnqueueNDRangeKernel(unordered, kernel, 1, None, (W * 1)(64), (W * 1)(0), 0, None, None) == -54
""")


def test_a_queue_goes_with_its_last_event(run_lanes):
    run_lanes("""
two_that_run()
finish()
gone = weakref.ref(core)
core = None
ok(cl.clReleaseCommandQueue(unordered))
unordered = new_unordered()
gc.collect()
assert gone() is not None
for event in made:
    assert state(event) == 0
    ok(cl.clReleaseEvent(event))
launch()
finish()
gc.collect()
assert gone() is None
""")


KEPT = """
from cl2cuda.opencl_icd import queue as queues

created, create = [], queues.create_command_queue

def noted_creation(*arguments):
    created.append(arguments)
    return create(*arguments)

queues.create_command_queue = noted_creation

def let_go():
    for event in made:
        ok(cl.clReleaseEvent(event))
    made.clear()
    ok(cl.clReleaseCommandQueue(unordered))

# Python has been given the first one, for its core.
let_go()
unordered = new_unordered()
launch()
created.clear(), submitted.clear()
"""


def test_a_queue_that_has_gone_is_the_next_one_like_it(run_lanes):
    """With its lanes, as long as nothing is left of it."""
    run_lanes(KEPT + """
for turn in range(4):
    first, second = launch(), launch()
    event = launch(first, second)
    if turn & 1:
        barrier()
        launch()
    ok(cl.clFlush(unordered))
    let_go()
    before, unordered = unordered.value, new_unordered()
    assert unordered.value == before and not submitted
    count = ctypes.c_uint()
    ok(cl.clGetCommandQueueInfo(unordered, 0x1092, W(4), ctypes.byref(count), None))
    assert count.value == 1
assert not created
launch()
busy.value = 255  # What still runs there is not to come before commands of others.
let_go()
busy.value = 0
unordered = new_unordered()
launch()
assert len(created) == 1 and not submitted
# One that somebody has an event of, and one that Python was given.
events = [launch()]
ok(cl.clReleaseCommandQueue(unordered))
unordered = new_unordered()
launch()
assert len(created) == 2 and state(events[0]) == 0
gate = handle("clCreateUserEvent", cl_context)
launch(barrier(gate))
assert submitted
ok(cl.clSetUserEventStatus(gate, 0))
finish()
let_go()
unordered = new_unordered()
launch()
assert len(created) == 3
# Another kind of queue is another one's.
let_go()
kept, unordered = unordered.value, handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 3, 0))
launch()
assert len(created) == 4 and unordered.value != kept
let_go()
both = [new_unordered(), new_unordered()]
assert both[0].value == kept and both[1].value != kept
for unordered in both:
    launch()
assert len(created) == 5
finish()
""")


def test_threads_make_and_release_queues(run_lanes):
    run_lanes("""
def work(number):
    for turn in range(100):
        mine = new_unordered()
        event, behind = launch(queue=mine), P()
        if turn % 7 == 0:
            ok(cl.clEnqueueBarrierWithWaitList(mine, 0, None, None))
        ok(cl.clEnqueueNDRangeKernel(mine, kernel, 1, None, (W * 1)(64), (W * 1)(64), 1, ctypes.byref(event), ctypes.byref(behind)))
        made.remove(event)
        ok(cl.clWaitForEvents(1, ctypes.byref(behind)))
        for each in (event, behind):
            ok(cl.clReleaseEvent(each))
        ok(cl.clReleaseCommandQueue(mine))

in_four_threads(work)
""")


def test_a_queue_that_takes_the_streams_of_another_one_knows_no_barriers_of_that(run_lanes):
    run_lanes("""
for _ in range(3):
    two_that_run()
    finish()
    barrier()
    launch(), launch(), launch()
    finish()
    taken()
    core = None
    ok(cl.clReleaseCommandQueue(unordered))
    unordered = new_unordered()
    core = application.core(unordered.value, "Q")
    launch(), launch()
    finish()
    taken()
    launch()
    assert not submitted and taken() == "0L"
""")


def test_threads_launch_beside_each_other(run_lanes):
    run_lanes("""
set_event = handle("clCreateUserEvent", cl_context)
ok(cl.clSetUserEventStatus(set_event, 0))

def work(number):
    event = launch()
    for turn in range(100):
        event = launch(event) if turn % 3 else launch()
        if turn % 5 == 0:
            barrier(*[set_event] * (turn % 20 == 0))  # Python's and the library's
    ok(cl.clWaitForEvents(1, ctypes.byref(event)))

in_four_threads(work)
given = taken().split()
assert len([each for each in given if each.endswith("L")]) == 404
""")


def test_threads_that_meet_at_the_first_use_find_the_same_lanes(run_lanes, monkeypatch):
    """Two are told of the queue's only stream, which is one lane."""
    monkeypatch.setenv("CL2CUDA_NATIVE_CALLS", "0")
    run_lanes("""
from cl2cuda.runtime.queue.out_of_order import OutOfOrderQueue
other, met, genuine = new_unordered(), [], OutOfOrderQueue.open_to_native_code

def open_to_native_code(self):
    found = genuine(self)
    if not met:
        met.append(threading.Thread(target=launch, kwargs={"queue": other}))
        met[0].start(), met[0].join()
    return found

OutOfOrderQueue.open_to_native_code = open_to_native_code
launch(queue=other)
assert met
submitted.clear()
launch(queue=other)
assert not submitted
ok(cl.clFinish(other))
""")


@pytest.mark.parametrize("seed", range(3))
def test_random_commands_come_after_what_they_wait_for(run_lanes, seed):
    run_lanes(f"SEED, STEPS = {seed}, 1500\n{random_lanes.RANDOM}")
