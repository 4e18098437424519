"""Reads, writes, fills and rectangles of buffers that the driver library gives to a stream without Python (driver/buffer_commands.c,
driver/host_copies.c, driver/rectangles.c), over a CUDA that is imagined: what it calls, and what it leaves to Python."""

from support import driver_commands


def run(text):
    assert driver_commands.run(text) == ""


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
assert by_python == ["submit"] and len(reads) == 5
answers[:] = [NOT_READY] * 100_000
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
