"""Commands that the driver library gives to a stream without Python (driver/commands.c), over a CUDA that is imagined: what it calls, and
what it leaves to Python. And buffers of which Python does not hear before they are used."""

from support import driver_commands


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
    """Which reads the application's memory before it returns, or in the write's turn where that is page-locked."""
    run("""
buffer = known_buffer()
event = P()
host.raw = bytes(range(128))
ok(put(buffer, 16, 8, ctypes.byref(event), blocking=0))
(memory, where, size, stream), = writes
assert where == ctypes.addressof(host) and (size, stream) == (16, 13)
assert memory == application.core(buffer.value, "M").address + 8 and ctypes.string_at(memory, 16) == bytes(range(16))
assert not by_python and not asked and not core.idle
type_ = ctypes.c_uint()
ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(type_), None))
hear_of(event)
ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(type_), None))
assert type_.value == 0x11F4
ok(put(buffer, 33))  # more than is written so
write_status[0] = FAULT
ok(put(buffer))
context[0] = 78
ok(put(buffer))
assert by_python == ["submit"] * 3 and len(writes) == 2
""")


def test_writes_go_through_page_locked_memory_of_the_streams():
    """What is more than CUDA puts among its commands, and is waited for; rectangles of any size."""
    run("""
SIZE = 20 << 10
staging = (ctypes.c_char * (64 + (64 << 10)))()
given, status_2d = [], [0]

@ctypes.CFUNCTYPE(ctypes.c_int, P, P)
def copy_2d(words, stream):
    given.append([*ctypes.cast(words, ctypes.POINTER(W))[:16]])
    return status_2d[0]

@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint, P, ctypes.POINTER(P), W)
def attributes(count, which, found, where):
    ctypes.c_uint.from_address(found[0]).value = 0
    return 0

stream = stream._replace(staging=ctypes.addressof(staging), most_staged=64 << 10, most_written=64 << 10, poll_ns=2_000_000,
                         copy_2d=address(copy_2d), attributes=address(attributes))
queue = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
host = (ctypes.c_char * (64 << 10))(*b"abcd")
taken, left, place = W.from_buffer(staging), W.from_buffer(staging, 8), ctypes.addressof(staging) + 64
buffer = new_buffer(64 << 10)
for _ in range(3):
    ok(put(buffer))
asked.clear(), writes.clear(), by_python.clear()

def source():
    (memory, where, size, of), = writes
    writes.clear()
    assert size == SIZE
    return where

event = P()
ok(put(buffer, SIZE, 0, ctypes.byref(event)))
assert source() == place and staging.raw[64:68] == b"abcd" and taken.value == left.value == 0 and status(event) == 0
ok(put(buffer, SIZE, blocking=0))
assert source() == ctypes.addressof(host)
taken.value = 1  # Another thread has it.
ok(put(buffer, SIZE))
assert source() == ctypes.addressof(host) and taken.value == 1
taken.value = 0
assert not by_python
answers[:] = [NOT_READY] * 200_000  # which is longer than the stream is polled
ok(put(buffer, SIZE))
answers.clear()
assert by_python and (taken.value, left.value) == (0, 1) and source() == place
by_python.clear()
answers[:] = [NOT_READY]  # What was left may be under way.
ok(put(buffer, SIZE))
assert source() == ctypes.addressof(host) and left.value == 1 and not by_python
host[0] = b"x"
ok(put(buffer, SIZE))
assert source() == place and left.value == 0 and staging.raw[64:65] == b"x"
write_status[0] = FAULT
ok(put(buffer, SIZE))
assert by_python == ["submit"] and taken.value == 0
by_python.clear()

three = W * 3

def rectangle(rows, blocking=1, width=1024):
    given.clear()
    zero = three(0)
    ok(cl.clEnqueueWriteBufferRect(queue, buffer, blocking, zero, zero, three(width, rows, 1), W(0), W(0), W(0), W(0), host, 0, None, None))
    return given[0][3] if given else None

assert rectangle(4) == rectangle(20) == rectangle(64) == place and not by_python
assert place not in (rectangle(4, 0), rectangle(20, 0), rectangle(64, 0)) and given and not by_python
taken.value = 1
assert place not in (rectangle(4), rectangle(20), rectangle(64)) and given and not by_python
taken.value = 0
status_2d[0] = FAULT
rectangle(20)
assert by_python == ["submit"] and (taken.value, left.value) == (0, 1)
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
hear_of(event)
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
given, status_2d, locked = [], [0], [0]

@ctypes.CFUNCTYPE(ctypes.c_int, P, P)
def copy_2d(words, stream):
    given.append([*ctypes.cast(words, ctypes.POINTER(W))[:16]])
    return status_2d[0]

@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint, P, ctypes.POINTER(P), W)
def attributes(count, which, found, where):
    ctypes.c_uint.from_address(found[0]).value = locked[0]
    return 0

stream = stream._replace(copy_2d=address(copy_2d), most_read=96, attributes=address(attributes))
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
    hear_of(event)
    ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(type_), None))
    assert type_.value == code and status(event) == 0
assert not by_python and len(given) == 3
locked[0] = 1
for blocking in (0, 1):
    ok(rectangle("Write", one, blocking=blocking))
    assert given.pop() == [0, 0, 1, where + 32, 0, 0, 24, 0, 0, 2, 0, here + 36, 0, 32, 16, 3]
assert not by_python
locked[0] = 0

ok(rectangle("Read", one, blocking=0))
assert len(given) == 4 and not by_python
answers[:] = [NOT_READY] * 200_000
ok(rectangle("Read", one, blocking=0))
assert len(given) == 4 and by_python, "it would wait for others"
answers.clear(), by_python.clear()
for named in ({"size": three(16, 2, 2), "at": three(0), "back": three(0)}, {"size": three(32, 4, 1), "at": three(0)}):
    rectangle("Read", one, **named)  # of two planes, more than is read so
assert len(given) == 4 and len(by_python) in (1, 2)
rectangle("Copy", one, one)
status_2d[0] = FAULT
by_python.clear()
ok(rectangle("Write", one))
ok(rectangle("Copy", one, other))
assert len(given) == 6 and by_python == ["submit"] * 2
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
