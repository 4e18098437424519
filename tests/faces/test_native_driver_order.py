"""Commands of the driver library behind those of other queues (driver/order.c), over a CUDA that is imagined."""

from types import SimpleNamespace

from support.driver_commands import TWO_QUEUES, run

from cl2cuda.opencl_icd.native_commands import mark_of


def test_commands_come_after_those_of_other_queues():
    assert run(TWO_QUEUES + """
early, late = marked(first), marked(first)
assert not taken()
marked(second, late)
assert taken() == [("record", 900 + a, a), ("wait", b, 900 + a)] and len(marks) == 1
marked(second, early)  # which is before the mark
marked(second, early, late)
assert taken() == [("wait", b, 900 + a)] * 3
third = marked(first)
behind = marked(second, third)
assert taken() == [("record", 900 + a, a), ("wait", b, 900 + a)]
marked(first, behind, third)
assert taken() == [("record", 900 + b, b), ("wait", a, 900 + b)] and len(marks) == 2
assert not by_python and not asked
# What is known to have ended need not be waited for.
ok(cl.clFinish(first)), ok(cl.clFinish(first))
by_python.clear()
marked(second, third)
assert not taken() and not by_python
# Nor is one that Python knows of the library's.
other = marked(first)
assert status(other) == 0
application.core(other.value, "E")
marked(second, other)
assert "submit" in by_python and not [each for each in given if each[0] == "record"]
""") == ""


def test_threads_that_ask_python_at_once_get_one_event():
    """Another one would be waited for before it was recorded, and the first one be any stream's."""
    made = []

    class Stream:
        def fence(self, timing):
            made.append(fence := SimpleNamespace(event=len(made)))
            if fence.event == 0:
                assert mark_of(queue) == 1  # of a thread that has its turn meanwhile
            return fence

    queue = SimpleNamespace(timeline=SimpleNamespace(mark=None), stream=Stream())
    assert mark_of(queue) == mark_of(queue) == 1 and len(made) == 2


def test_what_comes_after_other_queues_in_python():
    """Where there are many commands behind the event, other contexts and contexts of CUDA's, a queue that is not plain, and what CUDA refuses."""
    assert run(TWO_QUEUES + """
event = marked(first)
for _ in range(4):
    marked(first)
marked(second, event)
assert taken() == [("record", 900 + a, a), ("wait", b, 900 + a)] and not by_python
event = marked(first)
order_status[0] = FAULT
marked(second, event)
assert by_python == ["submit"] and taken() == [("record", 900 + a, a)]
order_status[0] = 0
event = marked(first)
context[0] = 78
marked(second, event)
assert by_python == ["submit"] * 2 and not taken()
context[0] = 77
event = marked(first)
application.core(first.value, "Q").timeline.native[0] = 1
marked(second, event)
assert by_python == ["submit"] * 3 and not taken()
application.core(first.value, "Q").timeline.native[0] = 0
elsewhere = handle("clCreateContext", None, 1, ctypes.byref(device), None, None)
foreign = handle("clCreateCommandQueueWithProperties", elsewhere, device, None)
event = marked(foreign)
assert cl.clEnqueueMarkerWithWaitList(second, 1, ctypes.byref(event), None) == -34 and not taken()
by_python.clear()
event = marked(first)
for _ in range(5):
    marked(first)
marked(second, event)
assert by_python == ["submit"] and not taken()
# The first queue goes before the event that others wait for.
first = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
event = marked(first)
ok(cl.clReleaseCommandQueue(first))
by_python.clear()
marked(second, event)
ok(cl.clReleaseEvent(event))
""") == ""


def test_threads_put_queues_after_each_other():
    assert run(TWO_QUEUES + """
import threading
from support_free import nothing
""".replace("from support_free import nothing\n", "") + """
def turns(one, other):
    for _ in range(100):
        marked(other, marked(one))

threads = [threading.Thread(target=turns, args=pair) for pair in ((first, second), (second, first)) * 2]
for each in threads: each.start()
for each in threads: each.join()
for kind, *words in given:
    assert words in ([900 + a, a], [900 + b, b]) if kind == "record" else words in ([a, 900 + b], [b, 900 + a])
assert {each[0] for each in given} == {"record", "wait"}
""") == ""
