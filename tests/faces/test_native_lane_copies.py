"""Copies and fills of the driver library in queues out of order (driver/lanes.c), over a CUDA that notes what each stream was given."""

import pytest

from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

COPIES = """
host, value = (ctypes.c_char * 64)(*b"0123456789abcdef"), ctypes.c_int(0x01010101)

def given(name, *arguments, behind=(), queue=None):
    event = P()
    ok(getattr(cl, name)(queue or unordered, *arguments, *waits_of(behind), ctypes.byref(event)))
    made.append(event)
    return event

def read(*events, blocking=1, size=16):
    return given("clEnqueueReadBuffer", buffer, blocking, W(0), W(size), host, behind=events)

def write(*events, blocking=1, size=16):
    return given("clEnqueueWriteBuffer", buffer, blocking, W(0), W(size), host, behind=events)

def fill(*events):
    return given("clEnqueueFillBuffer", buffer, ctypes.byref(value), W(4), W(0), W(16), behind=events)

def copy(*events):
    return given("clEnqueueCopyBuffer", buffer, buffer, W(0), W(64), W(16), behind=events)

# What the buffer has is the library's to copy after the second time.
for each in (read, write, fill, copy):
    for _ in range(2):
        each()
        finish()
taken()
"""


@pytest.mark.parametrize("calls", ["0", "1"])
def test_copies_and_fills_need_no_python(run_lanes, calls, monkeypatch):
    monkeypatch.setenv("CL2CUDA_NATIVE_CALLS", calls)
    run_lanes(COPIES + """
first, second = two_that_run()
event = copy(first, second)
assert not submitted and taken() == "0<<1 0C" and state(event) == 2
behind = fill(event)
assert not submitted and taken() == "0C" and state(behind) == 2
launch(behind)
assert not submitted and taken() == "0L"
busy.value = 0
assert state(behind) == 0
finish(), taken()
host.raw = b"0123456789abcdef" * 4
write(write(blocking=0))
host.raw = bytes(64)
read(made[-1]), read(made[-1], blocking=0)
assert not submitted and len(taken().split()) == 4 and host.raw[:16] == b"0123456789abcdef"
ok(cl.clWaitForEvents(1, ctypes.byref(made[-1])))
found = ctypes.c_uint()
ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(found), None))
hear_of(event)
ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(found), None))
assert found.value == 0x11F5
""")


def test_copies_come_behind_barriers(run_lanes):
    run_lanes(COPIES + """
first, second = two_that_run()
barrier()
taken()
copy()
assert not submitted and taken() == "0R 0C"
make_busy(0)
fill()
assert not submitted and taken() == "1<0 1C"
finish()
""")


def test_what_is_wrong_with_copies_is_pythons_to_say(run_lanes):
    run_lanes(COPIES + """
event, none = launch(), P()
place = (unordered, buffer, 1, W(0))
assert cl.clEnqueueReadBuffer(*place, W(5000), host, 0, None, None) == -30
assert cl.clEnqueueReadBuffer(*place, W(4), None, 0, None, None) == -30
assert cl.clEnqueueReadBuffer(*place, W(4), host, 1, None, None) == -57
assert cl.clEnqueueReadBuffer(unordered, P(event.value), 1, W(0), W(4), host, 0, None, None) == -38
assert cl.clEnqueueCopyBuffer(unordered, buffer, buffer, W(0), W(8), W(16), 0, None, None) == -8
assert cl.clEnqueueFillBuffer(unordered, buffer, ctypes.byref(value), W(3), W(0), W(12), 0, None, None) == -30
gate = handle("clCreateUserEvent", cl_context)
ok(cl.clSetUserEventStatus(gate, -3))
assert cl.clEnqueueWriteBuffer(*place, W(4), host, 1, ctypes.byref(gate), None) == -14
finish()
""")


def test_threads_copy_beside_each_other(run_lanes):
    run_lanes(COPIES + """
buffers = [handle("clCreateBuffer", cl_context, W(0), W(256), None) for _ in range(4)]

def work(number):
    mine, data, found = buffers[number], bytes([number + 1]) * 64, (ctypes.c_char * 64)()
    for turn in range(150):
        written = given("clEnqueueWriteBuffer", mine, turn & 1, W(0), W(64), data)
        copied = given("clEnqueueCopyBuffer", mine, mine, W(0), W(128), W(64), behind=[written])
        launch(copied)
        if turn % 10 == 0:
            barrier()
        given("clEnqueueReadBuffer", mine, 1, W(128), W(64), found, behind=[copied])
        assert found.raw == data

in_four_threads(work)
""")
