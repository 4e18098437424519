"""Maps of buffers by the driver library itself (driver/maps.c), over a CUDA that is imagined, as Python's: what CUDA is called for, what is
left to Python, and that it knows of them when it is asked."""

import pytest
from support.driver_arrays import IMAGES, run


def test_a_map_is_one_copy_at_most():
    assert run("""
buffer = known_buffer()
mapped = map_buffer(buffer)
assert ctypes.string_at(mapped.value, 64) == bytes(range(16, 80))
assert taken() == "copy"
ok(unmap(buffer, mapped)), ok(cl.clFinish(queue))
assert taken() == ""
mapped = map_buffer(buffer, READ | WRITE)
ctypes.memmove(mapped.value, b"new", 3)
assert taken() == "copy"
ok(unmap(buffer, mapped))
assert taken() == "copy" and contents(buffer)[15:20] == bytes([15, *b"new", 19])
taken()
mapped = map_buffer(buffer, INVALIDATE, 0, 256)
assert taken() == ""
ctypes.memmove(mapped.value, bytes(256), 256)
ok(unmap(buffer, mapped)), ok(cl.clFinish(queue))
assert taken() == "copy" and not any(contents(buffer))
""") == ""


def test_events_of_maps():
    assert run("""
buffer, first, second = known_buffer(), P(), P()
mapped = map_buffer(buffer, WRITE, event=ctypes.byref(first))
ok(unmap(buffer, mapped, ctypes.byref(second)))
assert taken() == "copy copy"
assert told(first, 0x11D1) == 0x11FB and told(second, 0x11D1) == 0x11FD
assert told(first, 0x11D3) == 0
ok(cl.clWaitForEvents(1, ctypes.byref(second)))
assert told(second, 0x11D3) == 0
core = application.core(second.value, "E")
assert core.command_type == 0x11FD
for event in (first, second):
    ok(cl.clReleaseEvent(event))
ok(unmap(buffer, map_buffer(buffer), ctypes.byref(first)))
assert told(first, 0x11D3) == 0 and told(first, 0x11D1) == 0x11FD
""") == ""


def test_python_is_told_of_a_region_when_it_is_asked():
    assert run("""
buffer = known_buffer()
assert map_count(buffer) == 0
mapped = map_buffer(buffer, READ | WRITE)
assert taken() == "copy" and map_count(buffer) == 1
# It is Python's from then on, and the next one, as long as that is mapped.
assert map_status(buffer, WRITE, 32, 8) == -59 and map_status(buffer, WRITE, 128, 8) == 0
assert map_count(buffer) == 2
taken()
ok(unmap(buffer, mapped))
assert taken() and map_count(buffer) == 1
core = application.core(buffer.value, "M")
(address,) = core.mappings
ok(unmap(buffer, P(address)))
assert map_count(buffer) == 0 and unmap(buffer, P(address)) == -30
taken()
ok(unmap(buffer, map_buffer(buffer, WRITE)))
assert taken() == "copy copy"
""") == ""


def test_regions_of_parts_are_pythons():
    """They are the whole buffer's, too."""
    assert run("""
buffer = known_buffer()

class Region(ctypes.Structure):
    _fields_ = [("origin", ctypes.c_size_t), ("size", ctypes.c_size_t)]

part = handle("clCreateSubBuffer", buffer, W(0), 0x1220, ctypes.byref(Region(0, 128)))
mapped = map_buffer(buffer, WRITE)
assert taken() == "copy"
for _ in range(3):
    assert map_status(part, READ, 16, 8) == -59
ok(unmap(buffer, mapped))
for _ in range(3):
    inside = map_buffer(part, READ | WRITE, 16, 8)
    assert map_status(buffer, READ, 16, 8) == -59
    ok(unmap(part, inside))
assert map_count(buffer) == map_count(part) == 0
taken()
ok(unmap(buffer, map_buffer(buffer, READ)))
assert taken() == "copy"
""") == ""


def test_what_is_wrong_is_pythons_to_say():
    assert run("""
buffer = known_buffer()
other = handle("clCreateContext", None, 1, ctypes.byref(device), None, None)
foreign = handle("clCreateCommandQueueWithProperties", other, device, None)
number = W(5)
for blocking in (0, 1):
    for flags, offset, size, status in ((READ, 0, 0, -30), (READ, 250, 8, -30), (READ | INVALIDATE, 0, 8, -30), (8, 0, 8, -30)):
        assert map_status(buffer, flags, offset, size, blocking) == status, (flags, offset, size)
    assert map_status(P(ctypes.addressof(number)), blocking=blocking) == -38 and map_status(buffer, blocking=blocking, where=foreign) == -34
    assert map_status(known_buffer(1 << 7), READ, blocking=blocking) == -59
    assert map_status(known_buffer(1 << 8), WRITE, blocking=blocking) == -59
assert cl.clEnqueueUnmapMemObject(foreign, buffer, map_buffer(buffer), 0, None, None) == -34
assert map_count(buffer) == 1 and unmap(buffer, P(64)) == -30
""") == ""


def test_what_cuda_refuses_is_pythons():
    assert run("""
buffer = known_buffer()
for blocking in (0, 1):
    cuda.status = 700
    mapped = map_buffer(buffer, WRITE, blocking=blocking)
    assert "submit" in taken() and map_count(buffer) == 1
    cuda.status = 0
    ok(unmap(buffer, mapped))
    taken()
mapped = map_buffer(buffer, WRITE)
unmap_what_cuda_refuses(buffer, mapped)
ok(unmap(buffer, map_buffer(buffer)))
assert taken() == "copy"
# What the stream does for long, and what comes behind commands that Python has to look at.
cuda.busy = True
cl.clEnqueueMarkerWithWaitList(queue, 0, None, None)
import threading
ended = threading.Timer(0.1, lambda: setattr(cuda, "busy", False))
ended.start()
mapped = map_buffer(buffer, INVALIDATE)
assert map_count(buffer) == 1
ok(unmap(buffer, mapped))
""") == ""


def test_a_map_that_nobody_waits_for_is_given_to_the_stream():
    """Its event tells when the contents are there, and what comes later in the queue comes after it."""
    assert run("""
buffer, event, behind = known_buffer(), P(), P()
cuda.busy = True
mapped = map_buffer(buffer, blocking=0, event=ctypes.byref(event))
assert taken() == "copy" and told(event, 0x11D3) == 2
ok(cl.clEnqueueMarkerWithWaitList(queue, 1, ctypes.byref(event), ctypes.byref(behind)))
assert told(behind, 0x11D3) == 2
cuda.busy = False
ok(cl.clWaitForEvents(1, ctypes.byref(event)))
assert told(event, 0x11D3) == told(behind, 0x11D3) == 0 and taken() == "" and told(event, 0x11D1) == 0x11FB
assert ctypes.string_at(mapped.value, 64) == bytes(range(16, 80)) and map_count(buffer) == 1
ok(unmap(buffer, mapped))
taken()
mapped = map_buffer(buffer, INVALIDATE, 0, 256, blocking=0)
assert taken() == ""
ctypes.memmove(mapped.value, bytes(256), 256)
ok(unmap(buffer, mapped))
assert taken() == "copy" and not any(contents(buffer))
taken()
ok(unmap(buffer, map_buffer(buffer, READ | WRITE, blocking=0)))
assert taken() == "copy copy" and map_count(buffer) == 0
for each in (event, behind):
    ok(cl.clReleaseEvent(each))
""") == ""


def test_events_of_maps_that_nobody_waits_for_are_pythons_too():
    assert run("""
import time
buffer, event, called = known_buffer(), P(), []

@ctypes.CFUNCTYPE(None, P, ctypes.c_int, P)
def call(event, status, data):
    called.append(status)

cuda.busy = True
mapped = map_buffer(buffer, blocking=0, event=ctypes.byref(event))
core = application.core(event.value, "E")
assert core.command_type == 0x11FB and core.queue is application.core(queue.value, "Q")
ok(cl.clSetEventCallback(event, 0, call, None))  # The imagined CUDA's events have ended, though its stream has not.
cuda.busy = False
for _ in range(1000):
    if called:
        break
    time.sleep(0.01)
assert called == [0]
# What has been released is mapped until it has gone.
ok(cl.clReleaseMemObject(buffer)), ok(cl.clReleaseEvent(event)), ok(cl.clFinish(queue))
""") == ""


def test_a_map_that_nobody_waits_for_behind_what_python_has_to_look_at():
    assert run("""
buffer, event = known_buffer(), P()
gate = handle("clCreateUserEvent", cl_context)
error = ctypes.c_int()
cl.clEnqueueMapBuffer.restype = P
mapped = P(cl.clEnqueueMapBuffer(queue, buffer, 0, W(READ), W(16), W(64), 1, ctypes.byref(gate), ctypes.byref(event), ctypes.byref(error)))
assert error.value == 0 and told(event, 0x11D3) == 3 and taken() == "submit"
assert map_status(buffer, WRITE, blocking=0) == -59 and map_count(buffer) == 1
ok(cl.clSetUserEventStatus(gate, -5))
assert told(event, 0x11D3) == -14 and cl.clWaitForEvents(1, ctypes.byref(event)) == -14
ok(unmap(buffer, mapped)), ok(cl.clFinish(queue))
taken()
ok(unmap(buffer, map_buffer(buffer, blocking=0)))
assert taken() == "copy"
""") == ""


@pytest.mark.parametrize("blocking", [0, 1])
def test_threads_map_the_same_buffer(blocking):
    assert run(f"BLOCKING = {blocking}" + """
import threading
buffer, wrong = known_buffer(), []

def work():
    try:
        for _ in range(300):
            mapped = map_buffer(buffer, blocking=BLOCKING)
            if not BLOCKING:
                ok(cl.clFinish(queue))
            if ctypes.string_at(mapped.value, 64) != bytes(range(16, 80)):
                wrong.append("contents")
            if _ % 50 == 0:
                map_count(buffer)
            status = unmap(buffer, mapped)
            if status:
                wrong.append(status)
    except BaseException as error:
        wrong.append(error)

threads = [threading.Thread(target=work) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not wrong and map_count(buffer) == 0, wrong[:3]
""") == ""


@pytest.mark.parametrize("blocking", [0, 1])
def test_times_of_maps(blocking):
    assert run(f"BLOCKING = {blocking}" + """
properties = (W * 3)(0x1093, 2, 0)
queue = handle("clCreateCommandQueueWithProperties", cl_context, device, properties)
buffer, event = new_buffer(), P()

def time(what):
    found = W()
    ok(cl.clGetEventProfilingInfo(event, what, W(8), ctypes.byref(found), None))
    return found.value

for _ in range(4):
    taken()
    mapped = map_buffer(buffer, READ | WRITE, blocking=BLOCKING, event=ctypes.byref(event))
    ok(cl.clWaitForEvents(1, ctypes.byref(event)))
    assert sorted(map(time, range(0x1280, 0x1284))) == list(map(time, range(0x1280, 0x1284)))
    ok(cl.clReleaseEvent(event))
    ok(unmap(buffer, mapped, ctypes.byref(event)))
    ok(cl.clReleaseEvent(event))
assert map_count(buffer) == 0
""") == ""


COUNTED = """
from cl2cuda.runtime.memory.memory_object import MemoryObject

genuine = MemoryObject.map_count.fget
MemoryObject.map_count = property(lambda self: by_python.append("counted") or genuine(self))

def image_over(buffer):
    described = Description(0x10F6, 16, memory=buffer)  # CL_MEM_OBJECT_IMAGE1D_BUFFER
    return handle("clCreateImage", cl_context, W(0), ctypes.byref(Format(RGBA, BYTES)), ctypes.byref(described), None)

def map_image(image, flags=READ):
    pitch = ctypes.c_size_t()
    return handle("clEnqueueMapImage", queue, image, 1, W(flags), three(0, 0, 0), three(16, 1, 1), ctypes.byref(pitch), None, 0, None, None)

def counted(memory, expected):
    taken()
    assert map_count(memory) == expected
    asked = taken()
    for _ in range(3):
        assert map_count(memory) == expected and taken() == ("counted" if expected else "")
    return asked
"""


def test_whether_a_buffer_with_images_is_mapped_is_asked_once():
    """Until Python has mapped or unmapped something: a buffer's regions are those of its images and parts, too."""
    assert run(IMAGES + COUNTED + """
buffer, other = known_buffer(), known_buffer()
early = map_buffer(buffer)
image = image_over(buffer)
assert counted(buffer, 1) == "counted" and counted(other, 0) == ""
on_image = map_image(image)
assert counted(buffer, 2) == "counted"
mapped = map_buffer(buffer, READ, 128, 64)
assert counted(buffer, 3) == "counted"
second = image_over(buffer)
on_second = map_image(second)
assert counted(buffer, 4) == "counted"
for memory, address, left in ((second, on_second, 3), (image, on_image, 2), (buffer, early, 1), (buffer, mapped, 0)):
    ok(unmap(memory, address))
    assert counted(buffer, left) == "counted"
assert unmap(buffer, mapped) == -30 and counted(buffer, 0) == ""
found = ctypes.c_uint(7)
assert cl.clGetMemObjectInfo(buffer, 0x1104, W(2), ctypes.byref(found), None) == -30 and found.value == 7
ok(cl.clGetMemObjectInfo(buffer, 0x1104, W(0), None, ctypes.byref(found)))
assert found.value == 4
ok(unmap(other, map_buffer(other)))  # Without Python.
assert counted(buffer, 0) == ""
for each in (image, second):
    ok(cl.clReleaseMemObject(each))
assert counted(buffer, 0) == ""
# What is mapped when its image goes is mapped no more.
image = image_over(buffer)
map_image(image)
assert counted(buffer, 1) == "counted"
ok(cl.clReleaseMemObject(image)), ok(cl.clFinish(queue))
assert counted(buffer, 0) == "counted"
ok(cl.clReleaseMemObject(buffer))
""") == ""


def test_threads_map_and_count_what_has_images():
    assert run(IMAGES + COUNTED + """
import threading
buffer, wrong = known_buffer(), []
image = image_over(buffer)

def work(number):
    try:
        for _ in range(150):
            mapped = map_buffer(buffer, READ, 16 * number, 16)
            before = map_count(buffer)
            if not 1 <= before <= 4:
                wrong.append(before)
            ok(unmap(buffer, mapped))
    except BaseException as error:
        wrong.append(error)

threads = [threading.Thread(target=work, args=(each,)) for each in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not wrong and map_count(buffer) == map_count(buffer) == 0, wrong[:3]
""") == ""


def test_memory_of_the_applications_is_mapped_without_being_page_locked():
    """Until Python page-locks it, with the last of the maps that are left."""
    assert run("""
from cl2cuda.runtime.memory import storage
storage.MAPS_UNTIL_LOCKED, locked = ((256, 12),), []
driver = platforms.platforms()[0]._devices[0].driver_device
driver.register_host = lambda address, size: locked.append(address) or True
driver.unregister_host = locked.remove
host = (ctypes.c_ubyte * 256)(*range(256))
buffer = handle("clCreateBuffer", cl_context, W(1 << 3), W(256), host)
at = ctypes.addressof(host)

def turn(flags, offset=16, size=64, blocking=1):
    mapped = map_buffer(buffer, flags, offset, size, blocking)
    assert mapped.value == at + offset
    found = ctypes.string_at(mapped.value, size)
    if flags != READ:
        ctypes.memmove(mapped.value, bytes(each ^ 255 for each in found), size)
    ok(unmap(buffer, mapped))
    return found

data = bytes(range(256))
for _ in range(2):
    assert turn(READ) == data[16:80] and "submit" in taken()
left = application.core(buffer.value, "M").used_storage().maps_left
assert left.value == 10
for number in range(3, 12):
    taken()
    flags = (READ, WRITE, INVALIDATE)[number % 3]
    found = turn(flags)
    assert flags == INVALIDATE or found == data[16:80]
    if flags != READ:
        data = data[:16] + bytes(each ^ 255 for each in found) + data[80:]
    calls = taken()
    assert calls == {READ: "copy", WRITE: "copy copy", INVALIDATE: "copy"}[flags], (flags, calls)
    assert left.value == 12 - number and not locked and contents(buffer) == data
taken()
assert turn(READ) == data[16:80] and locked == [at] and "submit" in taken() and left.value == 0
assert turn(READ | WRITE) == data[16:80] and taken() == "copy copy" and locked == [at]
ok(cl.clReleaseMemObject(buffer)), ok(cl.clFinish(queue))
assert not locked
""") == ""


def test_other_maps_of_memory_of_the_applications_are_pythons():
    assert run("""
from cl2cuda.runtime.memory import storage
storage.MAPS_UNTIL_LOCKED = ((256, 50),)
host = (ctypes.c_ubyte * 256)(*range(256))
buffer = handle("clCreateBuffer", cl_context, W(1 << 3), W(256), host)
for _ in range(2):
    ok(unmap(buffer, map_buffer(buffer)))
taken()
ok(unmap(buffer, map_buffer(buffer, blocking=0))), ok(cl.clFinish(queue))
assert "submit" in taken()
cuda.status = 700
mapped = map_buffer(buffer, READ | WRITE)
assert "submit" in taken() and map_count(buffer) == 1
cuda.status = 0
ctypes.memmove(mapped.value, bytes(64), 64)
ok(unmap(buffer, mapped))
assert contents(buffer) == bytes([*range(16), *[0] * 64, *range(80, 256)])
mapped = map_buffer(buffer, WRITE)
ctypes.memmove(mapped.value, b"given", 5)
unmap_what_cuda_refuses(buffer, mapped)
ok(unmap(buffer, map_buffer(buffer)))
assert taken() == "copy"
""") == ""
