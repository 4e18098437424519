"""Markers, migration and waits that the driver library sees to without Python (driver/commands.c), over a CUDA that is imagined: what it
calls, and what it leaves to Python. And buffers of which Python does not hear before they are used."""

from pathlib import Path

import pytest
from support import driver_commands, driver_library

from cl2cuda.runtime.native import library


def run(text):
    assert driver_commands.run(text) == ""


def test_a_queue_is_finished_by_asking_cuda():
    run("""
ok(cl.clFinish(queue))
assert by_python == ["finish"] and not asked
first = marker()
answers[:] = [NOT_READY] * 5
ok(cl.clFinish(queue))
assert by_python == ["finish"] and asked == [13] * 6
assert status(first) == 0 and by_python == ["finish"]
ok(cl.clFinish(queue))
assert len(asked) == 6, "all is known to have ended"
ok(cl.clFlush(queue))
assert by_python == ["finish"]
""")


def test_a_fault_a_long_wait_and_another_context_are_pythons():
    run("""
ok(cl.clFinish(queue))
marker()
answers[:] = [FAULT]
ok(cl.clFinish(queue))
assert by_python == ["finish"] * 2 and len(asked) == 1
marker()
context[0] = 78
ok(cl.clFinish(queue))
assert by_python == ["finish"] * 3 and len(asked) == 1
context[0] = 77
stream = stream._replace(poll_ns=0)
other = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
queue, first = other, queue
ok(cl.clFinish(queue))
assert by_python == ["finish"] * 3, "there is none yet"
marker()
for _ in range(2):
    ok(cl.clFinish(queue))
assert by_python == ["finish"] * 4
marker()
answers[:] = [NOT_READY]
ok(cl.clFinish(queue))
assert by_python == ["finish"] * 5 and len(asked) == 2
""")


def test_python_finishes_as_long_as_it_has_something_to_let_go_of():
    """Memory that is kept for commands, or waits to be freed, and what kernels print."""
    run("""
ok(cl.clFinish(queue))
buffer = new_buffer()
ok(cl.clReleaseMemObject(buffer))
ok(cl.clFinish(queue))  # The buffer was made by Python, and released there.
assert by_python.count("finish") == 2
ok(cl.clFinish(queue))
assert by_python.count("finish") == 2
buffer = known_buffer()
answers[:] = [NOT_READY] * 100_000  # Elsewhere it is made at once.
ok(cl.clEnqueueReadBuffer(queue, buffer, 0, W(0), W(100), host, 0, None, None))
answers.clear()
ok(cl.clFinish(queue))
assert by_python == ["submit", "finish"]
ok(cl.clFinish(queue))
assert by_python == ["submit", "finish"]
freed = []
class Fence:
    def done(self): return bool(freed)
core.context.leave_fence(Fence())
core.context.retire(None, lambda: None)
ok(cl.clGetMemObjectInfo(new_buffer(), 0x110A, W(8), host, None))  # which enters Python
for count in (2, 3):
    ok(cl.clFinish(queue))
    assert by_python.count("finish") == count
freed.append(True)
for _ in range(3):
    ok(cl.clFinish(queue))
assert by_python.count("finish") == 4
prints.value = 1
for count in (5, 6):
    ok(cl.clFinish(queue))
    assert by_python.count("finish") == count
""")


@pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")
def test_what_a_finish_leaves_needs_no_other_one():
    """A few pieces of little memory."""
    head = f"""import ctypes, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from support import compiled_calls
W, P, cl = ctypes.c_uint64, ctypes.c_void_p, ctypes.CDLL(%r)
""" + driver_library.OPENED
    assert driver_library.run(head, """
from cl2cuda.opencl_icd import queue as queues
by_python = []
finish, core = queues._finish, application.core(queue.value, "Q")
queues._finish = lambda core: finish(core) or by_python.append("finish")

buffer = handle("clCreateBuffer", cl_context, W(0), W(64), None)
ok(cl.clEnqueueFillBuffer(queue, buffer, b"x", W(1), W(0), W(64), 0, None, None)), ok(cl.clFinish(queue))
for count in (1, 3, 7, 8, 20):
    for _ in range(count):
        core.context.retire(core.context.devices[0], lambda: None, 64)
    ok(cl.clGetMemObjectInfo(handle("clCreateBuffer", cl_context, W(0), W(64), None), 0x110A, W(8), ctypes.byref(W()), None))  # enters Python
    by_python.clear()
    for _ in range(3):
        ok(cl.clFinish(queue))
    assert by_python == ["finish"], (count, by_python)
""", native_calls="1") == ""


def test_buffers_that_stay_where_they_are_migrate_by_a_marker():
    run("""
ok(cl.clReleaseMemObject(new_buffer()))
one, other, fresh = known_buffer(), known_buffer(), new_buffer()

def migrate(*buffers, flags=0, event=None, waits=()):
    array, list_ = (P * len(buffers))(*buffers), (P * len(waits))(*waits) if waits else None
    return cl.clEnqueueMigrateMemObjects(queue, len(buffers), array if buffers else None, W(flags), len(waits), list_, event)

by_python.clear()
event = P()
ok(migrate(one, event=ctypes.byref(event)))
for flags in range(4):
    ok(migrate(one, other, fresh, flags=flags, waits=[event]))
type_ = ctypes.c_uint()
ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(type_), None))
hear_of(event)
ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(type_), None))
assert type_.value == 0x1206 and status(event) == 0 and by_python == ["__init__"], by_python  # of the fresh one
by_python.clear()
assert migrate() == migrate(one, flags=4) == migrate(one, flags=1 << 40) == -30
assert migrate(one, queue) == -38 and cl.clEnqueueMigrateMemObjects(None, 1, ctypes.byref(one), W(0), 0, None, None) == -36
assert cl.clEnqueueMigrateMemObjects(queue, 0, ctypes.byref(one), W(0), 0, None, None) == -30
assert cl.clEnqueueMigrateMemObjects(queue, 1, ctypes.byref(one), W(0), 1, None, None) == -57
elsewhere = handle("clCreateContext", None, 1, ctypes.byref(device), None, None)
foreign = handle("clCreateBuffer", elsewhere, W(0), W(8), None)
assert migrate(one, foreign) == -34
gate = handle("clCreateUserEvent", cl_context)
ok(migrate(one, waits=[gate], event=ctypes.byref(event)))
assert by_python.count("submit") == 1 and status(event) > 0
ok(cl.clSetUserEventStatus(gate, 0))
ok(cl.clFinish(queue))
assert status(event) == 0
# What has its memory later, as large buffers have, is known from the second time on.
large = new_buffer((1 << 20) + 1)
by_python.clear()
for _ in range(3):
    ok(migrate(large))
assert by_python == ["submit"] * 2
context[0] = 78
ok(migrate(one))
assert by_python == ["submit"] * 3
""")


def test_markers_and_barriers_are_numbers():
    run("""
watched(CommandQueue, "hold")
first = marker()
ok(cl.clEnqueueBarrierWithWaitList(queue, 1, ctypes.byref(first), None))
second = P()
ok(cl.clEnqueueBarrierWithWaitList(queue, 1, ctypes.byref(first), ctypes.byref(second)))
assert not by_python
user = handle("clCreateUserEvent", cl_context)
ok(cl.clEnqueueMarkerWithWaitList(queue, 1, ctypes.byref(user), None))
assert by_python == ["hold"]
marker()
assert by_python == ["hold", "submit"], "the queue holds back what comes behind"
ok(cl.clSetUserEventStatus(user, 0))
ok(cl.clFinish(queue))
marker()
assert by_python == ["hold", "submit", "finish"]
""")


def test_a_queue_out_of_order_is_pythons():
    """It has several streams, and what its commands wait for decides which of them they go to."""
    run("""
buffer = known_buffer()
properties = (W * 3)(0x1093, 1, 0)  # CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
queue = handle("clCreateCommandQueueWithProperties", cl_context, device, properties)
marker()
ok(put(buffer))
ok(get(buffer))
ok(cl.clFinish(queue))
assert by_python == ["submit"] * 3 + ["finish"] and not reads and not writes
""")


def test_a_buffer_is_made_when_it_is_used():
    run("""
ok(cl.clReleaseMemObject(new_buffer()))
assert by_python == ["__init__"]
made = [new_buffer() for _ in range(5)]
ok(cl.clRetainMemObject(made[0]))
for each in (made[0], made[0], made[1]):
    ok(cl.clReleaseMemObject(each))
assert cl.clReleaseMemObject(made[1]) == -38 and by_python == ["__init__"]
for _ in range(2):
    ok(put(made[2]))
assert by_python.count("__init__") == 2
assert application.core(made[2].value, "M") is application.core(made[2].value, "M")
array = (P * 2)(made[3], made[4])
ok(cl.clEnqueueMigrateMemObjects(queue, 2, array, W(0), 0, None, None))
assert by_python.count("__init__") == 4
large = new_buffer((1 << 20) + 1)
assert by_python.count("__init__") == 5
""")


def test_memory_that_runs_out_is_told_at_the_first_use():
    run("""
ok(cl.clReleaseMemObject(new_buffer()))
from cl2cuda.runtime.driver.interface import DriverError
def fail(*arguments):
    raise DriverError("there is no memory", "MEM_OBJECT_ALLOCATION_FAILURE")
buffer = new_buffer()
core.context.take_memory, core.context.allocate = lambda size, unused=False: 0, fail
assert put(buffer) == -4 and get(buffer) == -4
del core.context.take_memory
core.context.allocate = core.context._reclaimer.allocate
ok(put(buffer))
ok(cl.clReleaseMemObject(buffer))
""")


def test_the_first_copy_of_a_new_buffer_is_cudas():
    run("""
ok(cl.clReleaseMemObject(new_buffer()))
by_python.clear()
buffer = new_buffer()
assert put(buffer, 8, 128) == -30 and put(buffer, 8, 121) == -30
assert by_python == ["__init__"], "the errors are Python's, which has made it for them"
host.raw = bytes(range(128))
ok(put(buffer, 16, 112))
ok(get(buffer, 8, 120))
assert host.raw[:8] == bytes(range(8, 16)) and by_python == ["__init__"] and (len(writes), len(reads)) == (1, 1)
ok(cl.clReleaseMemObject(buffer))
second = new_buffer()
ok(get(second))
assert by_python == ["__init__"] * 2 and len(reads) == 2
part = (W * 2)(0, 64)
sub = handle("clCreateSubBuffer", second, W(0), 0x1220, part)
for count in range(3):
    ok(put(sub))
assert by_python == ["__init__"] * 2 and len(writes) == 4, "a part begins bare, too"
""")


def test_an_event_is_waited_for_and_polled_at_cuda():
    run("""
first, second = marker(), marker()
answers[:] = [NOT_READY]
assert status(second) == 2 and asked == [13]
answers[:] = [NOT_READY] * 3
ok(cl.clWaitForEvents(2, (P * 2)(first, second)))
assert asked == [13] * 5 and status(first) == status(second) == 0
third = marker()
assert status(third) == 0 and len(asked) == 6
ok(cl.clWaitForEvents(1, ctypes.byref(third)))
assert len(asked) == 6
assert cl.clWaitForEvents(0, None) == -30 and cl.clWaitForEvents(1, None) == -30
waited = []
from cl2cuda.runtime.queue.event import Event
inner = Event.wait
Event.wait = lambda self: (waited.append(self), inner(self))[1]
fourth = marker()
answers[:] = [FAULT]
ok(cl.clWaitForEvents(1, ctypes.byref(fourth)))
assert len(waited) == 1
""")


def test_a_destructor_waits_when_the_names_of_all_modules_have_gone():
    """Stock PyOpenCL's events do, with Python's lock, at the end of Python. Commands behind the event's are waited for with it."""
    told = driver_commands.run("""
import os, sys
buffer, events = known_buffer(), (P * 3)()
for place in range(3):
    ok(put(buffer, event=ctypes.byref(events, 8 * place), blocking=0))
assert not by_python

class Left:
    def __del__(self, wait=ctypes.PyDLL(cl._name).clWaitForEvents, event=ctypes.byref(events), tell=os.write, asked=asked):
        tell(2, b"%d %d" % (wait(1, event), len(asked)))

asked.clear()
answers[:] = [NOT_READY] * 5
sys.left = Left()
""")
    assert told == "0 6"


def test_an_event_with_commands_behind_it_is_pythons():
    """The stream's end would be theirs."""
    run("""
first = marker()
marker()
assert status(first) == 0 and not asked
buffer, second = known_buffer(), marker()
core.submit("clEnqueueMarkerWithWaitList", 0x11FE, lambda stream: __import__("cl2cuda").runtime.queue.command.ISSUED)
assert status(second) == 0 and not asked
prints.value = 1
third = marker()
ok(cl.clWaitForEvents(1, ctypes.byref(third)))
assert not asked
""")
