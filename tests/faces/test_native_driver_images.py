"""Commands on images by the driver library itself (driver/images.c, maps.c), over a CUDA that is imagined, as Python's: what CUDA is called for,
and what is left to Python."""

from support.driver_arrays import IMAGES
from support.driver_arrays import run as run_with


def run(text):
    return run_with(text, IMAGES)


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
