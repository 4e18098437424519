"""Copies of page-locked memory by the driver library itself (driver/host_copies.c), over a CUDA that is imagined."""

import pytest
from support.driver_arrays import run

from cl2cuda.runtime.native import library as native

KNOWN = """
SIZE = 32 << 10
host = (ctypes.c_char * SIZE)(*bytes(range(256)) * (SIZE // 256))
back = ctypes.create_string_buffer(SIZE)

def write(blocking, size=SIZE, event=None, where=None):
    return cl.clEnqueueWriteBuffer(where or queue, buffer, blocking, W(0), W(size), host, 0, None, event)

def read(blocking, size=SIZE, event=None, where=None):
    return cl.clEnqueueReadBuffer(where or queue, buffer, blocking, W(0), W(size), back, 0, None, event)

buffer = handle("clCreateBuffer", cl_context, W(0), W(SIZE), None)
for _ in range(2):
    ok(write(1, 256)), ok(read(1, 256))
taken()
"""


@pytest.mark.parametrize("blocking", [0, 1])
def test_page_locked_memory_is_one_copy(blocking):
    assert run(KNOWN + f"""
cuda.locked = True
event, other = P(), P()
ok(write({blocking}, event=ctypes.byref(event))), ok(read({blocking}, event=ctypes.byref(other)))
assert taken() == "copy copy"
ok(cl.clFinish(queue))
assert back.raw == host.raw
assert told(event, 0x11D1) == 0x11F4 and told(other, 0x11D1) == 0x11F3 and told(event, 0x11D3) == 0
""") == ""


def test_a_write_that_nobody_waits_for_reads_page_locked_memory_later():
    """Where CUDA does: a program that changes it before the event's end has its change in the buffer, or not."""
    assert run(KNOWN + """
pinned = handle("clCreateBuffer", cl_context, W(1 << 4), W(SIZE), None)
memory = map_buffer(pinned, READ | WRITE, 0, SIZE)
ctypes.memset(memory, 7, SIZE)
taken()
event = P()
ok(cl.clEnqueueWriteBuffer(queue, buffer, 0, W(0), W(SIZE), memory, 0, None, ctypes.byref(event)))
assert not by_python
ok(cl.clWaitForEvents(1, ctypes.byref(event)))
ctypes.memset(memory, 8, SIZE)
ok(cl.clEnqueueReadBuffer(queue, buffer, 0, W(0), W(SIZE), memory, 0, None, ctypes.byref(event)))
assert not by_python
ok(cl.clWaitForEvents(1, ctypes.byref(event)))
assert ctypes.string_at(memory, SIZE) == bytes([7]) * SIZE
""", cuda="LateCuda") == ""


def test_pageable_memory_is_copied_as_before():
    assert run(KNOWN + """
ok(write(0)), ok(cl.clFinish(queue))
ctypes.memset(host, 0, SIZE)
ok(read(0)), ok(cl.clFinish(queue))
assert back.raw == bytes(range(256)) * (SIZE // 256)
""") == ""


@pytest.mark.skipif(native.calls() is None, reason="the calls were not compiled")
def test_larger_reads_with_times_come_by_page_locked_memory():
    """From where the processor moves them on when CUDA's copy, whose times they have, has ended. Python's first one gets the memory."""
    assert run("""
timed = handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 2, 0))
event, times = P(), (W * 4)()
buffer = handle("clCreateBuffer", cl_context, W(0), W(1 << 20), None)
for size, blocking, turn in [(size, blocking, turn) for size in (100_000, 1 << 20) for blocking in (1, 0) for turn in range(4)]:
    data, found = bytes((number * 7 + turn) % 251 for number in range(size)), ctypes.create_string_buffer(size)
    ok(cl.clEnqueueWriteBuffer(timed, buffer, 1, W(0), W(size), data, 0, None, None)), taken()
    ok(cl.clEnqueueReadBuffer(timed, buffer, blocking, W(8), W(size - 8), found, 0, None, ctypes.byref(event)))
    if turn < 2:
        ok(cl.clWaitForEvents(1, ctypes.byref(event)))
    assert found.raw[: size - 8] == data[8:]
    calls = taken()
    assert turn < 2 or calls == "record copy record", calls
    assert told(event, 0x11D3) == 0
    for number, what in enumerate(range(0x1280, 0x1284)):
        ok(cl.clGetEventProfilingInfo(event, what, W(8), ctypes.byref(times, 8 * number), None))
    assert 0 < times[0] <= times[1] <= times[2] <= times[3]
    ok(cl.clReleaseEvent(event))
cuda.busy = True  # longer than the library polls
import threading
threading.Timer(0.2, lambda: setattr(cuda, "busy", False)).start()
found, _ = ctypes.create_string_buffer(size), taken()
ok(cl.clEnqueueReadBuffer(timed, buffer, 1, W(0), W(size), found, 0, None, ctypes.byref(event)))
assert found.raw == data and "submit" in taken()
""", cuda="TimedArrays", native_calls="1") == ""
