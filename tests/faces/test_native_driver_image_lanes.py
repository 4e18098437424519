"""Commands on images in queues out of order by the driver library itself (driver/images.c, lanes.c), over a CUDA that is imagined."""

from faces.test_native_driver_images import run_compiled


def test_reads_and_writes_in_a_queue_out_of_order():
    assert run_compiled("""
unordered = handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 1, 0))
image, data = known_image(), bytes(range(192))
for number in range(8):
    ok(write(image, data[number:] + bytes(number), where=unordered)), ok(read(image, where=unordered))
    assert read.found.raw[:192] == data[number:] + bytes(number)
    calls = taken()
assert calls == "array array", calls
event = P()
ok(write(image, data, where=unordered, blocking=0, event=ctypes.byref(event)))
assert taken() == "array"
into = ctypes.create_string_buffer(192)
ok(cl.clEnqueueReadImage(unordered, image, 1, three(0, 0, 0), SIZE, W(0), W(0), into, 1, ctypes.byref(event), None))
assert taken() == "array" and into.raw == data
ok(cl.clFinish(unordered))
""") == ""


def test_copies_and_fills_are_one_call_in_queues_out_of_order():
    assert run_compiled("""
unordered = handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 1, 0))
image, other, buffer, data, zero = known_image(), known_image(), new_buffer(), bytes(range(192)), three(0, 0, 0)
for turn in range(4):
    ok(write(image, data, where=unordered)), taken()
    ok(cl.clEnqueueCopyImage(unordered, image, other, zero, zero, SIZE, 0, None, None)), ok(cl.clFinish(unordered))
    assert turn < 2 or taken() == "array"
    assert pixels(other) == data
    taken()
    ok(cl.clEnqueueCopyImageToBuffer(unordered, other, buffer, zero, SIZE, W(0), 0, None, None)), ok(cl.clFinish(unordered))
    assert turn < 2 or taken() == "array"
    assert contents(buffer, 192) == data
    taken()
    ok(cl.clEnqueueFillImage(unordered, image, (ctypes.c_uint * 4)(1, 2, 3, 4), zero, SIZE, 0, None, None)), ok(cl.clFinish(unordered))
    assert turn < 2 or "submit" not in taken()
    assert pixels(image) == bytes([1, 2, 3, 4]) * 48
    taken()
    ok(cl.clEnqueueCopyBufferToImage(unordered, buffer, image, W(0), zero, SIZE, 0, None, None)), ok(cl.clFinish(unordered))
    assert turn < 2 or taken() == "array"
    assert pixels(image) == data
""") == ""


def test_a_write_that_takes_long_is_given_once():
    """A second one could be another stream's in a queue out of order, and the first one come after what is written next."""
    assert run_compiled("""
import time
from support.late_cuda import LateStream
unordered = handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 1, 0))
image, buffer, into, zero = known_image(), new_buffer(), ctypes.create_string_buffer(192), three(0, 0, 0)

def write_buffer(data):
    ok(cl.clEnqueueWriteBuffer(unordered, buffer, 1, W(0), W(192), data, 0, None, None))

def read_buffer():
    ok(cl.clEnqueueReadBuffer(unordered, buffer, 1, W(0), W(192), into, 0, None, None))

def read_image():
    ok(cl.clEnqueueReadImage(unordered, image, 1, zero, SIZE, W(0), W(0), into, 0, None, None))

for put, get in ((write_buffer, read_buffer), (lambda data: ok(write(image, data, where=unordered)), read_image)):
    for each in (1, 2, 3):
        put(bytes([each]) * 192), get()
    ok(cl.clFinish(unordered))
    LateStream.delays = [0.2]
    put(bytes(192))
    LateStream.delays = []
    put(b"x" * 192)
    time.sleep(0.4)
    get()
    assert into.raw == b"x" * 192, into.raw
""", "LateCuda") == ""
