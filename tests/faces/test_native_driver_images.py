"""Commands on images by the driver library itself (driver/images.c, maps.c), over a CUDA that is imagined, as Python's: what CUDA is called for,
and what is left to Python."""

import pytest
from support.driver_arrays import IMAGES
from support.driver_arrays import run as run_with

from cl2cuda.runtime.native import library as native
from cl2cuda.runtime.native.build import build_for_source_tree

TRANSFERS = """
def write(image, data, at=three(0, 0, 0), size=SIZE, row=0, plane=0, blocking=1, where=None, event=None):
    return cl.clEnqueueWriteImage(where or queue, image, blocking, at, size, W(row), W(plane), data, 0, None, event)

def read(image, at=three(0, 0, 0), size=SIZE, row=0, plane=0, blocking=1, where=None, event=None, into=None):
    read.found = into or ctypes.create_string_buffer(4096)
    return cl.clEnqueueReadImage(where or queue, image, blocking, at, size, W(row), W(plane), read.found, 0, None, event)

def known_image(**how):
    image = new_image(**how)
    ok(write(image, bytes(4096), size=three(8, 6, how.get("depth", 1))))
    ok(read(image)), ok(cl.clFinish(queue)), taken()
    return image
"""


def run(text):
    return run_with(text, IMAGES + TRANSFERS)


def run_compiled(text, cuda="CudaOfArrays"):
    """With the compiled calls, which copy between the host and images for the library."""
    if native.calls() is None:
        pytest.skip("the calls were not compiled")
    build_for_source_tree()  # into the test's own cache
    return run_with(text, IMAGES + TRANSFERS, cuda, native_calls="1")


def test_reads_and_writes_are_one_call():
    assert run_compiled("""
image, data = known_image(), bytes(range(192))
for _ in range(2):
    ok(write(image, data))
    assert taken() == "array"
    ok(read(image))
    assert taken() == "array" and read.found.raw[:193] == data + bytes(1)
# Parts, rows that lie apart, and planes.
ok(write(image, b"A" * 40 + b"B" * 40, three(1, 2, 0), three(2, 2, 1), row=40))
ok(read(image, three(0, 2, 0), three(8, 2, 1), row=64))
assert taken() == "array array" and read.found.raw[:32] == data[64:68] + b"A" * 8 + data[76:96]
assert read.found.raw[32:64] == bytes(32) and read.found.raw[64:96] == data[96:100] + b"B" * 8 + data[108:128]
solid = known_image(kind=IMAGE3D, depth=2)
ok(write(solid, bytes(range(256)) * 2, size=three(8, 6, 2), plane=200))
ok(read(solid, size=three(8, 6, 2)))
assert taken() == "array array" and read.found.raw[:384] == bytes(range(192)) + (bytes(range(256)) * 2)[200:392]
# With an event, which has ended; and one that is not waited for, which has read the host's memory.
event, later = P(), P()
ok(write(image, data, event=ctypes.byref(event)))
assert told(event, 0x11D1) == 0x11F7 and told(event, 0x11D3) == 0
taken()
own = ctypes.create_string_buffer(data[::-1], 192)
ok(write(image, own, blocking=0, event=ctypes.byref(later)))
ctypes.memset(own, 0, 192)
assert taken() == "array"
ok(cl.clWaitForEvents(1, ctypes.byref(later)))
assert told(later, 0x11D3) == 0 and pixels(image) == data[::-1]
taken()
ok(read(image, event=ctypes.byref(event)))
assert told(event, 0x11D1) == 0x11F6 and taken() == "array"
ok(cl.clFinish(queue))
""") == ""


def test_large_images_are_written_in_parts():
    assert run_compiled("""
import os
width, rows = 300, 257
described = Description(IMAGE2D, width, rows)
image = handle("clCreateImage", cl_context, W(0), ctypes.byref(Format(RGBA, BYTES)), ctypes.byref(described), None)
size, data = three(width, rows, 1), os.urandom(width * rows * 4)
found = ctypes.create_string_buffer(len(data))
for _ in range(3):
    ok(write(image, data, size=size)), ok(read(image, size=size, into=found))
    calls = taken()
assert set(calls.split()) == {"array"} and len(calls.split()) <= 4 and found.raw == data
""") == ""


def test_large_buffers_are_written_in_parts():
    """Once Python has got page-locked memory for that."""
    assert run_compiled("""
import os
size = 600 << 10
buffer, data, found = handle("clCreateBuffer", cl_context, W(0), W(size), None), os.urandom(size), ctypes.create_string_buffer(size)
for turn in range(4):
    ok(cl.clEnqueueWriteBuffer(queue, buffer, 1, W(turn), W(size - turn), data[turn:], 0, None, None))
    calls = taken()
assert set(calls.split()) == {"copy"} and len(calls.split()) <= 3
ok(cl.clEnqueueWriteBuffer(queue, buffer, 1, W(7), W(100 << 10), data[7:], 0, None, None))
assert taken() == "copy"
ok(cl.clEnqueueReadBuffer(queue, buffer, 1, W(0), W(size), found, 0, None, None))
assert found.raw == data
""") == ""


def test_times_are_those_of_the_copy():
    """What the processor moves is moved before the first event, or behind the second: of all but little writes, whose call does both."""
    assert run_compiled("""
import os
timed = handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 2, 0))
described = Description(IMAGE2D, 128, 96)
image = handle("clCreateImage", cl_context, W(0), ctypes.byref(Format(RGBA, BYTES)), ctypes.byref(described), None)
size, data, found = three(128, 96, 1), os.urandom(128 * 96 * 4), ctypes.create_string_buffer(128 * 96 * 4)

def times(event):
    told = [ctypes.c_uint64(), ctypes.c_uint64()]
    for what, place in zip((0x1282, 0x1283), told):
        ok(cl.clGetEventProfilingInfo(event, what, W(8), ctypes.byref(place), None))
    assert told[1].value >= told[0].value > 0
    ok(cl.clReleaseEvent(event))

for number in range(4):
    if number == 3:
        data = data[::-1]
    for blocking in (1, 0):
        event = P()
        ok(write(image, data, size=size, blocking=blocking, where=timed, event=ctypes.byref(event)))
        ok(cl.clWaitForEvents(1, ctypes.byref(event)))
        if number:
            assert taken() == "record array record", number
            times(event)
    event = P()
    ok(read(image, size=size, where=timed, event=ctypes.byref(event), into=found))
    assert found.raw == data and (taken() == "record array record" or not number)
    if number:
        times(event)
# Rows that lie apart, and little ones; without an event there are no times.
event = P()
ok(write(image, b"A" * 4000 + b"B" * 4000, three(1, 2, 0), three(100, 2, 1), row=4000, where=timed, event=ctypes.byref(event)))
ok(cl.clWaitForEvents(1, ctypes.byref(event)))
assert taken().count("record") == 2
times(event)
ok(read(image, three(1, 2, 0), three(100, 1, 1), into=found)), taken()
assert found.raw[:400] == b"A" * 400
ok(write(image, data, size=size, where=timed)), ok(read(image, size=size, where=timed, into=found))
assert "record" not in taken() and found.raw == data
cuda.status = 700
event = P()
write(image, data, size=size, where=timed, event=ctypes.byref(event))
cuda.status = 0
""", "TimedArrays") == ""


def test_what_is_not_plain_is_pythons():
    assert run_compiled("""
image, data = known_image(), bytes(range(192))
timed = handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 2, 0))
for number in range(3):
    ok(write(image, data, where=timed)), ok(read(image, where=timed))
    assert taken().count("submit") == 1 + (number == 0)  # the reads, of which the compiled calls take no times
into, event = ctypes.create_string_buffer(192), P()
cuda.busy = True
ok(read(image, blocking=0, event=ctypes.byref(event), into=into))
cuda.busy = False
ok(cl.clWaitForEvents(1, ctypes.byref(event)))
assert into.raw == data and "submit" in taken()
cuda.busy = True  # longer than the library polls: Python waits
ok(write(image, data[::-1]))
cuda.busy = False
assert pixels(image) == data[::-1]
taken()
ok(read(image)), ok(write(image, data))
assert taken() == "array array"
cuda.status = 700
assert write(image, data) == 0 and "submit" in taken()
cuda.status = 0
assert pixels(image) == data
""") == ""


def test_reads_that_nobody_waits_for_are_made_where_the_stream_ends_soon():
    """And those to page-locked memory by the stream, whenever it comes to them."""
    assert run_compiled("""
image, data = known_image(), bytes(range(192))
for where in (queue, handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 1, 0))):
    for _ in range(3):
        ok(write(image, data, where=where)), ok(read(image, where=where))
    taken()
    into, event = ctypes.create_string_buffer(192), P()
    ok(read(image, blocking=0, event=ctypes.byref(event), into=into, where=where))
    assert into.raw == data and taken() == "array" and told(event, 0x11D3) == 0
    ok(read(image, three(1, 2, 0), three(2, 1, 1), blocking=0, into=into, where=where))
    assert into.raw[:8] == data[68:76] and taken() == "array"
described = Description(IMAGE2D, 100, 100)
large = handle("clCreateImage", cl_context, W(0), ctypes.byref(Format(RGBA, BYTES)), ctypes.byref(described), None)
data, into, whole = bytes(number % 251 for number in range(40000)), ctypes.create_string_buffer(40000), three(100, 100, 1)
for _ in range(3):
    ok(write(large, data, size=whole)), ok(read(large, size=whole, into=into))
cuda.locked = cuda.busy = True
taken(), ctypes.memset(into, 0, 40000)
ok(read(large, size=whole, into=into, blocking=0, event=ctypes.byref(event)))
assert taken() == "array" and told(event, 0x11D3) == 2
cuda.busy = False
ok(cl.clWaitForEvents(1, ctypes.byref(event)))
assert into.raw == data and taken() == ""
""") == ""


def test_what_is_wrong_with_a_read_or_a_write_is_pythons_to_say():
    assert run_compiled("""
image, solid, buffer, data = known_image(), known_image(kind=IMAGE3D, depth=2), new_buffer(), bytes(4096)
taken()
for call in (lambda of, *words, **named: write(of, data, *words, **named), read):
    START = three(0, 0, 0)
    assert call(image, None) == call(image, START, None) == call(image, three(1, 0, 0)) == call(image, START, three(0, 6, 1)) == -30
    assert call(image, row=31) == call(image, plane=192) == call(solid, size=three(8, 6, 2), plane=191) == -30
    assert call(image, three(2**63, 0, 0), three(2**63, 1, 1)) == call(image, row=2**63) == -30
    assert call(buffer) == -38 and call(None) == -38 and call(image, where=P(image.value)) == -36
assert write(image, None) == cl.clEnqueueReadImage(queue, image, 1, START, SIZE, W(0), W(0), None, 0, None, None) == -30
assert cl.clEnqueueReadImage(queue, image, 1, START, SIZE, W(0), W(0), ctypes.create_string_buffer(192), 1, None, None) == -57
refusing, unreadable = new_image(1 << 8), new_image(1 << 7)
for _ in range(2):
    assert write(refusing, data) == -59 and read(unreadable) == -59
    ok(read(refusing)), ok(write(unreadable, data))
""") == ""


def test_threads_write_and_read_images():
    assert run_compiled("""
import os
from support.threads import run_together
wrong = []

def work(number):
    image = known_image()
    for _ in range(60):
        data, into = os.urandom(192), ctypes.create_string_buffer(192)
        ok(write(image, data))
        ok(cl.clEnqueueReadImage(queue, image, 1, three(0, 0, 0), SIZE, W(0), W(0), into, 0, None, None))
        if into.raw != data:
            wrong.append(number)

run_together(work, *[(each,) for each in range(4)])
assert not wrong, wrong[0]
""") == ""


def test_what_cuda_copies_later():
    """By threads in one queue and in queues of their own, in order and out of order."""
    assert run_compiled("""
import os, random
from support.threads import run_together
done = []

def work(number, where):
    chance, zero = random.Random(number), three(0, 0, 0)
    image, expected = known_image(), bytearray(192)
    ok(write(image, bytes(192), where=where))
    for _ in range(120):
        rows, waits, event = chance.randint(1, 6), chance.random() < 0.7, P()
        size, kept, into = three(8, rows, 1), os.urandom(32 * rows), ctypes.create_string_buffer(192)
        given = ctypes.create_string_buffer(kept, len(kept))
        ok(write(image, given, zero, size, blocking=waits, where=where, event=ctypes.byref(event)))
        ctypes.memset(given, 7, len(kept))
        expected[: len(kept)] = kept
        ok(cl.clEnqueueReadImage(where, image, 1, zero, SIZE, W(0), W(0), into, 1, ctypes.byref(event), None))
        assert into.raw == expected
        ok(cl.clReleaseEvent(event))
    done.append(number)

unordered = [handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 1, 0)) for _ in range(2)]
run_together(work, (1, queue), (2, queue), (3, unordered[0]), (4, unordered[0]), (5, unordered[1]))
assert len(done) == 5
""", "LateCuda") == ""


def test_copies_are_one_call():
    assert run("""
one, other, buffer = new_image(), new_image(), new_buffer()
ok(fill(one))
START = three(0, 0, 0)

def copy(size=SIZE, at=START):
    return cl.clEnqueueCopyImage(queue, one, other, START, at, size, 0, None, None)

ok(copy()), taken(), ok(copy())
assert taken() == "array" and pixels(other) == bytes((1, 2, 3, 4)) * 48
ok(cl.clEnqueueCopyBufferToImage(queue, buffer, other, W(4), three(1, 1, 0), three(2, 2, 1), 0, None, None))
assert taken().startswith("array") and pixels(other)[36:44] == bytes(range(4, 12))
taken()
ok(cl.clEnqueueCopyImageToBuffer(queue, other, buffer, three(1, 1, 0), three(2, 1, 1), W(100), 0, None, None))
assert taken() == "array" and contents(buffer)[100:108] == bytes(range(4, 12))
# With an event, and behind one.
events = (P * 2)()
ok(cl.clEnqueueCopyImage(queue, one, other, START, START, SIZE, 0, None, ctypes.byref(events, 0)))
ok(cl.clEnqueueCopyImageToBuffer(queue, other, buffer, START, SIZE, W(0), 1, events, ctypes.byref(events, 8)))
found = ctypes.c_int()
for event, command in zip(events, (0x11F8, 0x11F9)):
    ok(cl.clGetEventInfo(P(event), 0x11D1, W(4), ctypes.byref(found), None))
    hear_of(P(event))
    ok(cl.clGetEventInfo(P(event), 0x11D1, W(4), ctypes.byref(found), None))
    assert found.value == command
ok(cl.clWaitForEvents(1, ctypes.byref(events, 8)))
""") == ""


def test_what_is_wrong_with_a_copy_is_pythons_to_say():
    assert run("""
one, other, buffer, floats = new_image(), new_image(), new_buffer(64), new_image(type=FLOATS)
START = three(0, 0, 0)

def copy(a, b, at=START, size=SIZE):
    return cl.clEnqueueCopyImage(queue, a, b, START, at, size, 0, None, None)

ok(fill(floats, (ctypes.c_float * 4)())), ok(copy(one, other))
assert copy(one, floats) == -9 and copy(one, other, three(1, 0, 0)) == -30 and copy(one, other, size=three(0, 1, 1)) == -30
assert copy(one, other, three(2**63, 0, 0), three(2**63, 1, 1)) == -30 and copy(one, other, None) == -30
assert copy(one, one) == -8 and copy(one, buffer) == -38
assert cl.clEnqueueCopyImageToBuffer(queue, one, buffer, START, SIZE, W(0), 0, None, None) == -30
assert fill(one, None) == -30 and fill(one, size=three(9, 1, 1)) == -30
# Overlapping nowhere, parts of one image are copied.
ok(cl.clEnqueueCopyImage(queue, one, one, START, three(0, 3, 0), three(8, 3, 1), 0, None, None))
assert taken().endswith("submit")
cuda.status = 700
ok(copy(one, other))
assert "submit" in taken()
""") == ""


def test_fills_go_by_the_streams_own_memory():
    assert run("""
one, other = new_image(), new_image(type=FLOATS)
ok(fill(one)), ok(fill(one)), taken(), ok(fill(one))
assert taken() == "array" and pixels(one) == bytes((1, 2, 3, 4)) * 48
taken()
ok(fill(one, (ctypes.c_uint * 4)(5, 6, 7, 300), three(2, 2, 0), three(1, 1, 1)))
assert taken() == "fill array" and pixels(one)[72:76] == bytes((5, 6, 7, 255))
for color in ((ctypes.c_float * 4)(1, 2, 3, 4), (ctypes.c_float * 4)(1, 2, 3, 5)) * 2:
    ok(fill(other, color))
    assert pixels(other, width=16) == bytes(color) * 48
assert pixels(one)[:4] == bytes((1, 2, 3, 4))
""") == ""


def test_threads_fill_images_of_their_own():
    assert run("""
import threading
wrong = []
buffer = new_buffer()

def work(number):
    try:
        image = new_image()
        color = (ctypes.c_uint * 4)(number, number + 1, 2, 3)
        for _ in range(100):
            ok(fill(image, color))
        if pixels(image) != bytes((number, number + 1, 2, 3)) * 48:
            wrong.append(pixels(image))
    except BaseException as error:
        wrong.append(error)

threads = [threading.Thread(target=work, args=(10 * each,)) for each in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not wrong, wrong[0]
""") == ""


def test_maps_of_images():
    assert run("""
image = new_image()
ok(fill(image))
mapped, row, plane = map_image(image)
ok(unmap(image, mapped)), ok(cl.clFinish(queue)), taken()
again, pitch, other = map_image(image)
assert (again.value, pitch, other) == (mapped.value, row, plane) and taken() == "array"
for y in range(3):
    assert ctypes.string_at(again.value + y * row, 16) == bytes((1, 2, 3, 4)) * 4
ok(unmap(image, again)), ok(cl.clFinish(queue))
assert taken() == ""
mapped, row, plane = map_image(image, READ | WRITE)
ctypes.memmove(mapped.value + row, b"abcd", 4)
ok(unmap(image, mapped))
assert taken() == "array array" and pixels(image)[(2 * 8 + 2) * 4:][:4] == b"abcd"
taken()
mapped, row, plane = map_image(image, INVALIDATE, three(0, 0, 0), SIZE)
assert taken() == "" and map_count(image) == 1
core = application.core(image.value, "M")
((address, (region,)),) = core.mappings.items()
assert address == mapped.value and region.region == (0, (0, 0, 0), (8, 6, 1)) and region.rows == (address, row, row * 6) and region.copy
assert region.flags == INVALIDATE
ctypes.memset(mapped.value, 7, row * 6)
ok(unmap(image, mapped))
assert map_count(image) == 0 and set(pixels(image)) == {7}
taken()
event, cuda.busy = P(), True
mapped, row, plane = map_image(image, blocking=0, event=ctypes.byref(event))
assert taken() == "array" and told(event, 0x11D3) == 2
cuda.busy = False
ok(cl.clWaitForEvents(1, ctypes.byref(event)))
assert ctypes.string_at(mapped.value + 2 * row, 16) == bytes([7]) * 16 and told(event, 0x11D1) == 0x11FC and map_count(image) == 1
ok(unmap(image, mapped)), ok(cl.clReleaseEvent(event))
solid = new_image(kind=IMAGE3D, depth=2)
for _ in range(3):
    mapped, row, plane = map_image(solid, WRITE, three(1, 0, 1), three(2, 6, 1))
    ctypes.memset(mapped.value, 9, 8)
    ok(unmap(solid, mapped))
assert plane == row * 6 and pixels(solid, three(8, 6, 2))[8 * 6 * 4 :][:16] == bytes((0, 0, 0, 0)) + bytes([9]) * 8 + bytes(4)
""") == ""


def test_what_is_wrong_with_a_map_is_pythons_to_say():
    assert run("""
def status_of(image, flags=READ, at=three(0, 0, 0), size=SIZE, row=True, where=None):
    pitch, error = ctypes.c_size_t(), ctypes.c_int(77)
    cl.clEnqueueMapImage.restype = P
    found = cl.clEnqueueMapImage(where or queue, image, 1, W(flags), at, size, ctypes.byref(pitch) if row else None, None, 0, None, None,
                                 ctypes.byref(error))
    assert (found is None) == (error.value != 0)
    return error.value

image, solid, written = new_image(), new_image(kind=IMAGE3D, depth=2), new_image(1 << 7)
for each in (image, solid):
    for _ in range(2):
        ok(unmap(each, map_image(each, size=three(1, 1, 1), at=three(0, 0, 0))[0]))
for _ in range(2):
    ok(unmap(written, map_image(written, WRITE)[0]))
assert status_of(image, 8) == status_of(image, READ | INVALIDATE) == -30 and status_of(image, at=three(1, 0, 0)) == -30
assert status_of(image, size=None) == -30 and status_of(image, row=False) == -30
assert status_of(solid, size=three(8, 6, 2)) == -30 and status_of(written) == -59
mapped, _, _ = map_image(image, WRITE)
assert status_of(image) == -59 and unmap(image, P(mapped.value + 4)) == -30
ok(unmap(image, mapped))
assert map_count(image) == 0
""") == ""


def test_images_begin_with_contents_without_python():
    """Others like the first one of a context are a copy of their contents, and no more, until they are used; Python does not look at their
    descriptions again then."""
    assert run("""
entered = []
def counted(call):
    def enter(*given):
        entered.append(call.__name__)
        return call(*given)
    return enter
from cl2cuda.opencl_icd import image as package
count_before = package.images.Image.__init__
package.images.Image.__init__ = counted(count_before)
def with_contents(data, flags=0x20, **how):
    described = Description(how.get("kind", IMAGE2D), 8, how.get("height", 6), how.get("depth", 1))
    described.row = how.get("row", 0)
    return handle("clCreateImage", cl_context, W(flags), ctypes.byref(Format(RGBA, BYTES)), ctypes.byref(described), data)
for kind in ({}, {"kind": IMAGE3D, "depth": 2}):
    for number in range(4):
        before = len(entered)
        own = ctypes.create_string_buffer(bytes(range(number, number + 96)) * 4)
        image = with_contents(own, **kind)
        assert len(entered) - before == (number == 0)
        ctypes.memset(own, 255, 384)
        if number == 2:
            ok(cl.clReleaseMemObject(image))
            continue
        ok(read(image, size=three(8, 6, kind.get("depth", 1))))
        assert read.found.raw[:192] == bytes(range(number, number + 96)) * 2 and len(entered) - before == (number == 0)
        assert kind == {} or read.found.raw[192:384] == bytes(range(number, number + 96)) * 2
        ok(cl.clReleaseMemObject(image))
# Where there is no room for a copy of more than a little, the entry point writes them at once.
from cl2cuda.runtime.context.snapshots import Snapshots
genuine = Snapshots.take
for number in range(3):
    own = ctypes.create_string_buffer(bytes(range(number, number + 128)) * 513)
    image, before = with_contents(own, kind=IMAGE3D, height=513, depth=4), len(entered)
    Snapshots.take = lambda snapshots, size: None
    ok(read(image))
    assert read.found.raw[:192] == own.raw[:192] and len(entered) - before == 1
    ok(cl.clReleaseMemObject(image))
Snapshots.take = genuine
# Gaps between rows are Python's, and so is what is wrong, whatever was right before.
for turn in range(2):
    gaps = with_contents(b"".join(bytes([row]) * 32 + bytes(8) for row in range(6)), row=40)
    ok(read(gaps))
    assert read.found.raw[:192] == b"".join(bytes([row]) * 32 for row in range(6))
    status = ctypes.c_int32()
    described = Description(IMAGE2D, 8, 6)
    for host, flags in ((None, 0x20), (bytes(192), 0)):
        assert not cl.clCreateImage(cl_context, W(flags), ctypes.byref(Format(RGBA, BYTES)), ctypes.byref(described), host,
                                    ctypes.byref(status)) and status.value == -37
""") == ""


def test_boxes_in_buffers_are_one_call():
    assert run_compiled("""
width, rows, planes = 12, 3, 4
one, other = new_buffer(1 << 10), new_buffer(1 << 10)
data = bytes(number % 251 for number in range(1 << 10))
for buffer in (one, other):
    ok(cl.clEnqueueWriteBuffer(queue, buffer, 1, W(0), W(1 << 10), data, 0, None, None))
    ok(cl.clEnqueueWriteBuffer(queue, buffer, 1, W(0), W(1 << 10), data, 0, None, None))
ok(cl.clFinish(queue)), taken()

def places(origin, pitch, slice_pitch):
    return [origin[0] + origin[1] * pitch + origin[2] * slice_pitch + y * pitch + z * slice_pitch for z in range(planes) for y in range(rows)]

def moved(to, there, start, here):
    to = bytearray(to)
    for target, source in zip(there, here):
        to[target : target + width] = start[source : source + width]
    return bytes(to)

def box(name, *buffers, host=None, blocking=1):
    both = name == "Copy"
    middle = [three(5, 1, 2), three(8, 2, 1), three(width, rows, planes), W(20), W(160), W(24), W(144)]
    return getattr(cl, f"clEnqueue{name}BufferRect")(queue, *buffers, *([] if both else [blocking]), *middle, *([] if both else [host]), 0, None, None)

there, here = places((5, 1, 2), 20, 160), places((8, 2, 1), 24, 144)
host = ctypes.create_string_buffer(bytes(1 << 10), 1 << 10)
ok(box("Read", one, host=host))
assert taken() == "array" and host.raw == moved(bytes(1 << 10), here, data, there)
own = bytes(255 - number % 200 for number in range(1 << 10))
for blocking in (1, 0):
    ok(box("Write", one, host=own, blocking=blocking))
    assert taken() == "array"
    ok(cl.clFinish(queue)), taken()
    changed = moved(data, there, own, here)
    assert contents(one, 1 << 10) == changed
    taken()
ok(box("Copy", one, other))
assert taken() == "array"
assert contents(other, 1 << 10) == moved(data, here, changed, there)
taken()
# Within a buffer of other pitches, beyond its end, and of no size.
assert box("Copy", one, one) == -30
size = three(width, rows, 8)
assert cl.clEnqueueReadBufferRect(queue, one, 1, three(0, 0, 0), three(0, 0, 0), size, W(20), W(160), W(0), W(0), host, 0, None, None) == -30
assert cl.clEnqueueReadBufferRect(queue, one, 1, three(0, 0, 0), three(0, 0, 0), three(4, 0, 2), W(0), W(0), W(0), W(0), host, 0, None, None) == -30
assert cl.clEnqueueReadBufferRect(queue, one, 1, three(0, 0, 0), three(0, 0, 0), three(4, 2, 2), W(8), W(20), W(0), W(0), host, 0, None, None) == -30
""") == ""
