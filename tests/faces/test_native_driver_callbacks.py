"""Callbacks of events in the driver library (driver/callbacks.c), over a CUDA that notes what each stream was given."""

import pytest

from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

HEAD = """
import pathlib
from cl2cuda.runtime.queue.event import Event

launched, ended = (ctypes.c_long.in_dll(compiled, name) for name in ("launched", "ended"))
called, by_python, set_callback = [], [], Event.set_callback
Event.set_callback = lambda self, *arguments: by_python.append(self) or set_callback(self, *arguments)

def come(count):
    for _ in range(1000):
        if len(called) >= count:
            break
        time.sleep(0.005)
    assert len(called) == count, called

@ctypes.CFUNCTYPE(None, P, ctypes.c_int, P)
def call(event, status, data):
    called.append((event, status, data))

def set_call(event, data=0, function=call):
    return cl.clSetEventCallback(event, 0, function, P(data))

def end_all():
    busy.value, ended.value = 0, launched.value

# The first ones are Python's, until the stream's fences are made.
def begin(queue):
    for tries in range(1, 1000):
        before = len(by_python)
        event = launch(queue=queue)
        ok(set_call(event))
        end_all()
        if len(by_python) == before:
            break
        time.sleep(0.005)
    assert len(by_python) == tries - 1
    come(tries)
    called.clear(), by_python.clear(), taken()

def watchers():
    names = [place.read_text().strip() for place in pathlib.Path("/proc/self/task").glob("*/comm")]
    return names.count("cl2cuda events")
"""


@pytest.fixture
def run(run_lanes):
    return lambda text: run_lanes(HEAD + text)


@pytest.mark.parametrize("where", ["queue", "unordered"])
def test_callbacks_need_no_python(run, where):
    run(f"""
begin({where})
event = launch(queue={where})
ok(set_call(event, 7))
end_all()
come(1)
assert called == [(event.value, 0, 7)] and not by_python
assert state(event) == 0
""")


def test_it_is_called_when_its_command_has_ended_whatever_comes_behind(run):
    run("""
begin(queue)
busy.value = -1
first = launch(queue=queue)
ok(set_call(first, 1))
number = launched.value
second = launch(queue=queue)
ok(set_call(second, 2))
launch(queue=queue)
time.sleep(0.02)
assert not called and not by_python
ended.value = number
come(1)
time.sleep(0.02)
assert called == [(first.value, 0, 1)]
ended.value = number + 1
come(2)
assert called[1] == (second.value, 0, 2)
""")


def test_pythons_own_is_called_when_its_command_has_ended_too(run):
    run("""
note_pythons_events()
cuda.runtime.eventQuery = lambda event: compiled.query_event(ctypes.c_long(event))
busy.value = -1
first = launch(queue=queue)
number = launched.value
ok(set_call(first, 1))
launch(queue=queue)
assert len(by_python) == 1
ended.value = number
come(1)
end_all()
""")


def test_a_command_with_others_behind_it_is_pythons(run):
    run("""
begin(queue)
busy.value = -1
first = launch(queue=queue)
launch(queue=queue)
ok(set_call(first, 1))
assert len(by_python) == 1
end_all()
come(1)
""")


def test_one_that_has_ended_is_called_at_once(run):
    run("""
begin(queue)
event = launch(queue=queue)
end_all()
ok(cl.clWaitForEvents(1, ctypes.byref(event)))
busy.value = -1
launch(queue=queue)
taken()
ok(set_call(event, 3))
come(1)
assert called == [(event.value, 0, 3)] and not by_python and "R" not in taken()
end_all()
""")


def test_the_event_stays_until_it_was_called(run):
    run("""
begin(queue)
busy.value = -1
events = [P() for _ in range(3)]
counts = []

@ctypes.CFUNCTYPE(None, P, ctypes.c_int, P)
def count(event, status, data):
    found = ctypes.c_uint()
    ok(cl.clGetEventInfo(P(event), 0x11D2, W(4), ctypes.byref(found), None))
    counts.append(found.value)
    ok(cl.clRetainEvent(P(event)))
    ok(cl.clReleaseEvent(P(event)))
    called.append(event)

for event in events:
    ok(cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, (W * 1)(64), (W * 1)(64), 0, None, ctypes.byref(event)))
    ok(set_call(event, function=count))
    ok(cl.clReleaseEvent(event))
    assert cl.clReleaseEvent(event) == -58  # What is left is the callback's.
end_all()
come(3)
assert called == [event.value for event in events] and counts == [1, 1, 1]
for _ in range(1000):
    if cl.clRetainEvent(events[2]) == -58:
        break
    time.sleep(0.005)
assert [cl.clRetainEvent(event) for event in events] == [-58] * 3
""")


def test_more_than_there_are_fences_for_are_pythons(run):
    run("""
begin(queue)
busy.value = -1
for number in range(20):
    ok(set_call(launch(queue=queue), number + 1))
assert len(by_python) == 4
end_all()
come(20)
assert sorted(each[2] for each in called) == list(range(1, 21))
called.clear(), by_python.clear(), begin(queue)
busy.value = -1
for number in range(16):
    ok(set_call(launch(queue=queue)))
assert not by_python
end_all()
come(16)
""")


def test_a_failure_is_told(run):
    run("""
begin(queue)
busy.value = -1
event = launch(queue=queue)
ok(set_call(event, 5))
fails = ctypes.c_int.in_dll(compiled, "fails")
cuda.runtime.eventQuery = cuda.runtime.streamQuery = lambda handle: 719
fails.value = 719
come(1)
assert called[0][0] == event.value and called[0][1] < 0
""")


def test_where_cuda_cannot_be_asked_of_events_all_are_pythons(run):
    run("""
cuda.event_query_address = 0
fresh = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
for _ in range(3):
    launch(queue=fresh)
    ok(cl.clFinish(fresh))
for number in range(3):
    ok(set_call(launch(queue=fresh), number + 1))
    time.sleep(0.05)
end_all()
come(3)
assert len(by_python) == 3
""")


def test_wrong_ones_are_pythons(run):
    run("""
begin(queue)
event = launch(queue=queue)
assert cl.clSetEventCallback(event, 0, None, None) == -30
assert cl.clSetEventCallback(event, 3, call, None) == -30
assert cl.clSetEventCallback(P(), 0, call, None) == -58
for status in 1, 2:
    ok(cl.clSetEventCallback(event, status, call, None))
end_all()
come(2)
assert sorted(each[1] for each in called) == [1, 2]
""")


def test_threads(run):
    run("""
begin(queue)

def work(number):
    for place in range(200):
        event = launch(queue=queue)
        ok(set_call(event, 1 + number * 1000 + place))
        ok(cl.clReleaseEvent(event))
        made.pop()
        if place % 3 == 0:
            end_all()

in_four_threads(work)
end_all()
come(800)
assert sorted(each[2] for each in called) == [1 + number * 1000 + place for number in range(4) for place in range(200)]
assert {each[1] for each in called} == {0}
""")


def test_a_watcher_without_work_ends_and_another_begins(run):
    run("""
begin(queue)
assert watchers() == 1
for _ in range(1000):
    if not watchers():
        break
    time.sleep(0.01)
assert not watchers() and not by_python
event = launch(queue=queue)
ok(set_call(event))
end_all()
come(1)
assert len(by_python) == 1
called.clear(), by_python.clear(), begin(queue)
""")
