"""Commands that the driver library gives to a stream without Python (driver/commands.c), over a CUDA that is imagined: what it calls, and
what it leaves to Python. And buffers of which Python does not hear before they are used."""

import subprocess

import pytest
from support import driver_library

from cl2cuda.opencl_icd.build import compilers

# The library finds this process's Python. The host device's streams are as CUDA's would be: functions of the process.
HEAD = """
import ctypes
from cl2cuda.opencl_icd import application
from cl2cuda.runtime.driver.interface import NativeStream
from cl2cuda.runtime.host.stream import HostStream
from cl2cuda.runtime.memory import buffer as buffers
from cl2cuda.runtime.queue.queue import CommandQueue

cl = ctypes.CDLL(%r)
W, P = ctypes.c_uint64, ctypes.c_void_p
asked, reads, writes, by_python = [], [], [], []
context, answers, read_status, write_status = [77], [], [0], [0]

@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(P))
def current(place):
    place[0] = context[0]
    return 0

@ctypes.CFUNCTYPE(ctypes.c_int, P)
def query(stream):
    asked.append(stream)
    return answers.pop(0) if answers else 0

@ctypes.CFUNCTYPE(ctypes.c_int, P, W, ctypes.c_size_t, P)
def read(host, memory, size, stream):
    reads.append((host, memory, size, stream))
    if not read_status[0]:
        ctypes.memmove(host, memory, size)
    return read_status[0]

@ctypes.CFUNCTYPE(ctypes.c_int, W, P, ctypes.c_size_t, P)
def write(memory, host, size, stream):
    writes.append((memory, host, size, stream))
    if not write_status[0]:
        ctypes.memmove(memory, host, size)
    return write_status[0]

def address(function):
    return ctypes.cast(function, P).value

prints = W()
stream = NativeStream(address(query), 13, 10**12, address(read), address(write), most_read=64, most_written=32, current=address(current),
                      context=77, prints=ctypes.addressof(prints))
HostStream.native = lambda self: stream

def watched(kind, name):
    inner = getattr(kind, name)

    def call(self, *arguments, **named):
        by_python.append(name)
        return inner(self, *arguments, **named)

    setattr(kind, name, call)

watched(CommandQueue, "submit")
watched(CommandQueue, "finish")
watched(CommandQueue, "flush")
watched(buffers.Buffer, "__init__")

""" + driver_library.OPENED + """
core = application.core(queue.value, "Q")
host = (ctypes.c_char * 128)()

def new_buffer(size=128):
    return handle("clCreateBuffer", cl_context, W(0), W(size), None)

def get(buffer, size=8, offset=0, event=None):
    return cl.clEnqueueReadBuffer(queue, buffer, 1, W(offset), W(size), host, 0, None, event)

def put(buffer, size=8, offset=0, event=None, blocking=1):
    return cl.clEnqueueWriteBuffer(queue, buffer, blocking, W(offset), W(size), host, 0, None, event)

def marker():
    event = P()
    ok(cl.clEnqueueMarkerWithWaitList(queue, 0, None, ctypes.byref(event)))
    return event

def status(event):
    found = ctypes.c_int(77)
    ok(cl.clGetEventInfo(event, 0x11D3, W(4), ctypes.byref(found), None))
    return found.value

def known_buffer():
    buffer = new_buffer()
    for _ in range(3):
        ok(put(buffer))
    asked.clear(), reads.clear(), writes.clear(), by_python.clear()
    return buffer

NOT_READY, FAULT = 600, 700
"""


def run(text):
    assert driver_library.run(HEAD, text) == ""


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
ok(cl.clEnqueueReadBuffer(queue, known_buffer(), 0, W(0), W(100), host, 0, None, None))
ok(cl.clFinish(queue))
assert by_python == ["submit", "finish"]
ok(cl.clFinish(queue))
assert by_python == ["submit", "finish"]
freed = []
class Fence:
    def done(self): return bool(freed)
core.context.leave_fence(Fence())
core.context.retire(None, lambda: None)
ok(cl.clGetMemObjectInfo(new_buffer(), 0x1102, W(8), host, None))
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


def test_small_reads_are_cudas():
    run("""
buffer = known_buffer()
event = P()
answers[:] = [NOT_READY, NOT_READY]
ok(get(buffer, 16, 8, ctypes.byref(event)))
(where, memory, size, stream), = reads
assert (where, size, stream) == (ctypes.addressof(host), 16, 13) and asked == [13] * 3 and not by_python
assert memory == application.core(buffer.value, "M").address + 8
assert status(event) == 0 and not by_python
ok(get(buffer, 65))  # more than is read so
read_status[0] = FAULT
ok(get(buffer))
read_status[0] = 0
answers[:] = [FAULT]
ok(get(buffer))
context[0] = 78
ok(get(buffer))
assert by_python == ["submit"] * 4 and len(reads) == 3
""")


def test_small_reads_that_nobody_waits_for_are_made_where_the_stream_ends_soon():
    run("""
buffer = known_buffer()

def get_later(size=8):
    event = P()
    ok(cl.clEnqueueReadBuffer(queue, buffer, 0, W(0), W(size), host, 0, None, ctypes.byref(event)))
    return event

event = get_later()
assert asked == [13] * 2 and len(reads) == 1 and status(event) == 0 and not by_python
asked.clear()
answers[:] = [NOT_READY]  # for a short time
get_later()
assert asked == [13] * 3 and len(reads) == 2 and not by_python
asked.clear()
answers[:] = [NOT_READY] * 100_000
get_later()
assert 1 < len(asked) < 50_000 and by_python == ["submit"]
asked.clear()
answers[:] = [NOT_READY] * 100_000
by_python.clear()
get_later()
by_hand = len(asked)
assert by_python == ["submit"] and by_hand < 5, "the last one was waited for in vain"
answers.clear()
get_later()
answers[:] = [NOT_READY]
get_later()
assert by_python == ["submit"]
get_later(65)
assert by_python == ["submit"] * 2
""")


def test_reads_go_through_page_locked_memory_of_the_streams():
    run("""
staging = (ctypes.c_char * 256)()
stream = stream._replace(staging=ctypes.addressof(staging), most_staged=64)
queue = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
taken = W.from_buffer(staging)
buffer = known_buffer()
reads.clear()
def place():
    (where, memory, size, of), = reads
    reads.clear()
    return where
host[:16] = b"x" * 16
for turn in range(2):
    ctypes.memmove(application.core(buffer.value, "M").address, bytes(range(16)), 16)
    ok(get(buffer, 16))
    assert place() == ctypes.addressof(staging) + 64 and host.raw[:16] == bytes(range(16)) and taken.value == 0
taken.value = 1  # Another thread has it.
ok(get(buffer, 16))
assert place() == ctypes.addressof(host) and taken.value == 1
taken.value = 0
assert not by_python
answers[:] = [FAULT]
ok(get(buffer, 16))
read_status[0] = FAULT
ok(get(buffer, 16))
assert by_python == ["submit"] * 2 and taken.value == 0
""")


def test_small_writes_are_cudas():
    """From memory that is pageable for certain: the application's is free on return."""
    run("""
buffer = known_buffer()
event = P()
host.raw = bytes(range(128))
ok(put(buffer, 16, 8, ctypes.byref(event), blocking=0))
(memory, where, size, stream), = writes
assert where not in range(ctypes.addressof(host), ctypes.addressof(host) + 128) and (size, stream) == (16, 13)
assert memory == application.core(buffer.value, "M").address + 8 and ctypes.string_at(memory, 16) == bytes(range(16))
assert not by_python and not asked and not core.idle
type_ = ctypes.c_uint()
ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(type_), None))
assert type_.value == 0x11F4
ok(put(buffer, 33))  # more than is written so
write_status[0] = FAULT
ok(put(buffer))
context[0] = 78
ok(put(buffer))
assert by_python == ["submit"] * 3 and len(writes) == 2
""")


def test_fills_are_cudas():
    run("""
fills = []

def filling(width):
    @ctypes.CFUNCTYPE(ctypes.c_int, W, ctypes.c_uint, ctypes.c_size_t, P)
    def fill(memory, value, count, stream):
        fills.append((width, memory - at, value, count, stream))
        return write_status[0]
    return fill

of_width = [filling(width) for width in (1, 2, 4)]
copies = []

@ctypes.CFUNCTYPE(ctypes.c_int, W, W, ctypes.c_size_t, P)
def copy(to, source, size, stream):
    copies.append((to - at, source - at, size, stream))
    return write_status[0] or ctypes.memmove(to, source, size) and 0

stream = stream._replace(copy=address(copy), **{f"fill_{1 << i}": address(each) for i, each in enumerate(of_width)})
queue = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
buffer = known_buffer()
at = application.core(buffer.value, "M").address
event = P()

def fill(pattern, offset=0, size=16, event=None):
    return cl.clEnqueueFillBuffer(queue, buffer, pattern, W(len(pattern)), W(offset), W(size), 0, None, event)

ok(fill(b"\\x07", 3, 5, ctypes.byref(event)))
type_ = ctypes.c_uint()
ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(type_), None))
assert type_.value == 0x1207 and status(event) == 0
asked.clear()
ok(fill(b"\\x01\\x02", 4))
ok(fill(b"\\x01\\x02\\x03\\x04", 8))
ok(fill(b"\\x05" * 32, 0, 64))
ok(fill(b"\\x06\\x00\\x00\\x00" * 4, 16, 32))
assert fills == [(1, 3, 7, 5, 13), (2, 4, 0x201, 8, 13), (4, 8, 0x4030201, 4, 13), (1, 0, 5, 64, 13), (4, 16, 6, 8, 13)], fills
assert not by_python and not asked
ok(fill(bytes(range(8)), 8, 64))  # no number of four bytes: a piece from the host
assert [(memory - at, size, where) for memory, _, size, where in writes] == [(8, 64, 13)] and not copies and len(fills) == 5
assert ctypes.string_at(at + 8, 64) == bytes(range(8)) * 8
write_status[0] = FAULT
ok(fill(b"\\x07"))
ok(fill(bytes(range(8))))
context[0] = 78
ok(fill(b"\\x07"))
assert by_python == ["submit"] * 3 and len(fills) == 6 and len(writes) == 2, (by_python, fills)
context[0], write_status[0] = 77, 0
writes.clear()
large = P(cl.clCreateBuffer(cl_context, W(1), W(50000), None, None))
at = application.core(large.value, "M").address
buffer = large
ok(fill(bytes(range(16)), 16, 16))
ok(fill(bytes(range(16)), 0, 49152))
by_python.clear()
writes.clear()
ok(fill(bytes(range(16)), 16, 49152))
assert [(memory - at, size) for memory, _, size, _ in writes] == [(16, 49152)] and not by_python and not copies
assert ctypes.string_at(at + 16, 49152) == bytes(range(16)) * 3072
for width, size in ((16, 32), (32, 64), (16, 65536), (16, 16), (8, 65536 + 8), (8, 200000), (128, 70016), (8, 8)):
    pattern = bytes(range(width - 1)) + b"x"
    large = handle("clCreateBuffer", cl_context, W(1), W(200000), None)
    buffer, at = large, application.core(large.value, "M").address
    ctypes.memset(at, 0, 200000)
    writes.clear(), copies.clear(), by_python.clear()
    ok(fill(pattern, 0, size))
    ok(fill(pattern, 0, size))
    first = min(size, 65536)
    assert [(memory - at, size) for memory, _, size, _ in writes] == [(0, first)] * 2 and not by_python
    assert ctypes.string_at(at, 200000) == pattern * (size // width) + bytes(200000 - size), (width, size)
    assert len(copies) == 2 * (0 if size == first else 1 if size < 131073 else 2), copies
""")


def test_rectangles_are_one_call_of_cudas():
    run("""
given, status_2d = [], [0]

@ctypes.CFUNCTYPE(ctypes.c_int, P, P)
def copy_2d(words, stream):
    given.append([*ctypes.cast(words, ctypes.POINTER(W))[:16]])
    return status_2d[0]

stream = stream._replace(copy_2d=address(copy_2d), most_read=96)
queue = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
one, other = known_buffer(), known_buffer()
here, there = (application.core(each.value, "M").address for each in (one, other))
three = W * 3
where = ctypes.addressof(host)

def rectangle(name, *buffers, at=three(4, 1, 0), back=three(8, 1, 0), size=three(16, 3, 1), blocking=1, event=None):
    both = name.startswith("Copy")
    middle = [at, back, size, W(32), W(0), W(32 if both else 24), W(0)]
    return getattr(cl, f"clEnqueue{name}BufferRect")(queue, *buffers, *([] if both else [blocking]), *middle, *([] if both else [host]),
                                                     0, None, event)

# CUDA_MEMCPY2D: x, y, kind (1 the host's, 2 the device's), host, device, array, pitch of both ends; width and rows
events = [P() for _ in range(3)]
ok(rectangle("Read", one, event=ctypes.byref(events[0])))
assert given[-1] == [0, 0, 2, 0, here + 36, 0, 32, 0, 0, 1, where + 32, 0, 0, 24, 16, 3], given
ok(rectangle("Write", one, blocking=0, event=ctypes.byref(events[1])))
assert given[-1][:3] == [0, 0, 1] and given[-1][4:] == [0, 0, 16, 0, 0, 2, 0, here + 36, 0, 32, 16, 3]
assert given[-1][3] not in range(where, where + 128)
ok(rectangle("Copy", one, other, event=ctypes.byref(events[2])))
assert given[-1] == [0, 0, 2, 0, here + 36, 0, 32, 0, 0, 2, 0, there + 40, 0, 32, 16, 3]
type_ = ctypes.c_uint()
for event, code in zip(events, (0x1201, 0x1202, 0x1203)):
    ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(type_), None))
    assert type_.value == code and status(event) == 0
assert not by_python and len(given) == 3

for named in ({"blocking": 0}, {"size": three(16, 2, 2), "at": three(0), "back": three(0)}, {"size": three(32, 4, 1), "at": three(0)}):
    rectangle("Read", one, **named)  # which the caller does not wait for, of two planes, more than is read so
assert len(given) == 3 and len(by_python) in (1, 2, 3)
rectangle("Copy", one, one)
status_2d[0] = FAULT
by_python.clear()
ok(rectangle("Write", one))
ok(rectangle("Copy", one, other))
assert len(given) == 5 and by_python == ["submit"] * 2
""")


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


# Two queues, each with a stream of its own, and what both were given.
TWO_QUEUES = """
import itertools
from cl2cuda.opencl_icd import native_commands

handles, given, order_status = itertools.count(21), [], [0]

@ctypes.CFUNCTYPE(ctypes.c_int, P, P)
def record(event, stream):
    given.append(("record", event, stream))
    return order_status[0]

@ctypes.CFUNCTYPE(ctypes.c_int, P, P, ctypes.c_uint)
def wait(stream, event, flags):
    given.append(("wait", stream, event))
    return order_status[0]

def of_its_own(self):
    if id(self) not in known:
        known[id(self)] = stream._replace(handle=next(handles), record=address(record), wait=address(wait))
    return known[id(self)]

known, marks = {}, []
HostStream.native = of_its_own
native_commands.mark_of = lambda queue: marks.append(queue) or 900 + queue.stream.native().handle
first, second = (handle("clCreateCommandQueueWithProperties", cl_context, device, None) for _ in range(2))
a, b = (application.core(each.value, "Q").stream.native().handle for each in (first, second))

def marked(where, *events):
    event = P()
    ok(cl.clEnqueueMarkerWithWaitList(where, len(events), (P * len(events))(*events) if events else None, ctypes.byref(event)))
    return event

def taken():
    found = list(given)
    given.clear()
    return found
"""


def test_commands_come_after_those_of_other_queues():
    run(TWO_QUEUES + """
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
""")


def test_what_comes_after_other_queues_in_python():
    """Where there are many commands behind the event, other contexts and contexts of CUDA's, a queue that is not plain, and what CUDA refuses."""
    run(TWO_QUEUES + """
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
""")


def test_threads_put_queues_after_each_other():
    run(TWO_QUEUES + """
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
""")


def test_what_a_read_has_waited_for_has_ended_for_python_too():
    run("""
buffer = known_buffer()
by_hand = core.submit("clEnqueueMarkerWithWaitList", 0x11FE, lambda stream: __import__("cl2cuda").runtime.queue.command.ISSUED)
early = marker()
assert not core.timeline.has_reached(by_hand.position)
ok(get(buffer))
assert core.timeline.has_reached(by_hand.position) and status(early) == 0 and core.idle
late = marker()
assert not core.idle
""")


def test_markers_and_barriers_are_numbers():
    run("""
first = marker()
ok(cl.clEnqueueBarrierWithWaitList(queue, 1, ctypes.byref(first), None))
second = P()
ok(cl.clEnqueueBarrierWithWaitList(queue, 1, ctypes.byref(first), ctypes.byref(second)))
assert not by_python
user = handle("clCreateUserEvent", cl_context)
ok(cl.clEnqueueMarkerWithWaitList(queue, 1, ctypes.byref(user), None))
assert by_python == ["submit"]
marker()
assert by_python == ["submit"] * 2, "the queue holds back what comes behind"
ok(cl.clSetUserEventStatus(user, 0))
ok(cl.clFinish(queue))
marker()
assert by_python == ["submit"] * 2 + ["finish"]
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
core.context.take_memory, core.context.allocate = lambda size: 0, fail
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
assert by_python == ["__init__"] * 2 + ["submit"] * 2 and len(writes) == 2, "a part has begun in Python"
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


# Copies that have been made when their calls return, in a stream that often says that it has not come to their end.
CUDA = """
#include <stdint.h>
#include <string.h>
static int asked;
int query(void *stream) { (void)stream; return __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) % 3 ? 600 : 0; }
int copy_to_host(void *host, uint64_t memory, size_t size, void *stream) { (void)stream; memcpy(host, (void *)memory, size); return 0; }
int copy_from_host(uint64_t memory, const void *host, size_t size, void *stream) { (void)stream; memcpy((void *)memory, host, size); return 0; }
"""


def test_eight_threads_in_one_queue(tmp_path):
    if not compilers():
        pytest.skip("no C compiler")
    (tmp_path / "cuda.c").write_text(CUDA)
    subprocess.run([*compilers()[0], "-shared", "-fPIC", str(tmp_path / "cuda.c"), "-o", str(tmp_path / "cuda.so")], check=True)
    run(f"""
import threading
cuda = ctypes.CDLL({str(tmp_path / "cuda.so")!r})
stream = NativeStream(address(cuda.query), 13, 10**12, address(cuda.copy_to_host), address(cuda.copy_from_host))
queue = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
failed = []

def work(mine):
    try:
        kept, mark, copied = new_buffer(), P(), P()
        for number in range(300):
            fresh = new_buffer()
            buffer = fresh if number % 3 else kept
            text = bytes([mine, number % 251]) * 16
            given, found = ctypes.create_string_buffer(text, 32), ctypes.create_string_buffer(32)
            ok(cl.clEnqueueWriteBuffer(queue, buffer, number % 2, W(16), W(32), given, 0, None, ctypes.byref(copied)))
            ok(cl.clEnqueueMarkerWithWaitList(queue, 1, ctypes.byref(copied), ctypes.byref(mark)))
            if number % 4 == 0:
                ok(cl.clFinish(queue))
                assert status(mark) == status(copied) == 0
            elif number % 4 == 1:
                ok(cl.clWaitForEvents(1, ctypes.byref(mark)))
                assert status(copied) == 0
            elif number % 4 == 2:
                ok(cl.clEnqueueReadBuffer(queue, buffer, 0, W(16), W(32), found, 0, None, None))
                ok(cl.clFlush(queue))
            ok(cl.clEnqueueReadBuffer(queue, buffer, 1, W(16), W(32), found, 1, ctypes.byref(mark), None))
            assert found.raw == text and status(mark) == 0, (mine, number)
            for each in (mark, copied):
                ok(cl.clReleaseEvent(each))
            ok(cl.clReleaseMemObject(fresh))
        ok(cl.clReleaseMemObject(kept))
    except BaseException as error:
        failed.append(error)
        raise

threads = [threading.Thread(target=work, args=(mine,)) for mine in range(8)]
for each in threads: each.start()
for each in threads: each.join()
assert not failed
ok(cl.clFinish(queue))
""")
