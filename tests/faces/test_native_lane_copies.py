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


MAPS = COPIES + """
READ, BOTH, INVALIDATE = 1, 3, 4

def map_buffer(*events, blocking=0, flags=READ, size=64, status=0):
    event, error = P(), ctypes.c_int(77)
    cl.clEnqueueMapBuffer.restype = P
    found = P(cl.clEnqueueMapBuffer(unordered, buffer, blocking, W(flags), W(0), W(size), *waits_of(events), ctypes.byref(event), ctypes.byref(error)))
    assert error.value == status, error.value
    made.append(event)
    return found, event

def unmap(address, *events, status=0):
    event = P()
    assert cl.clEnqueueUnmapMemObject(unordered, buffer, address, *waits_of(events), ctypes.byref(event)) == status
    made.append(event)
    return event

def told(event, what):
    found = ctypes.c_uint()
    ok(cl.clGetEventInfo(event, what, W(4), ctypes.byref(found), None))
    return found.value

def map_count():
    found = ctypes.c_uint()
    ok(cl.clGetMemObjectInfo(buffer, 0x1104, W(4), ctypes.byref(found), None))
    return found.value

# Where mapped regions are is the library's to know after the first time.
unmap(map_buffer(blocking=1)[0])
finish(), taken()
"""


@pytest.mark.parametrize("calls", ["0", "1"])
def test_maps_and_unmaps_need_no_python(run_lanes, calls, monkeypatch):
    monkeypatch.setenv("CL2CUDA_NATIVE_CALLS", calls)
    run_lanes(MAPS + """
first, second = two_that_run()
mapped, event = map_buffer(first, second, flags=BOTH)
assert not submitted and taken() == "0<<1 0C" and state(event) == 2 and told(event, 0x11D1) == 0x11FB and map_count() == 1
copied = copy(event)
unmapped = unmap(mapped, copied)
behind = fill(unmapped)
assert not submitted and taken() == "0C 0C 0C" and state(behind) == 2 and map_count() == 0
busy.value = 0
ok(cl.clWaitForEvents(1, ctypes.byref(behind)))
assert state(event) == state(unmapped) == 0 and told(unmapped, 0x11D1) == 0x11FD
finish(), taken()
for flags, there, back in ((READ, "C", ""), (BOTH, "C", "C"), (INVALIDATE, "", "C")):
    for blocking in (0, 1):
        mapped, event = map_buffer(flags=flags, blocking=blocking)
        assert state(event) == 0 and [each[-1] for each in taken().split()] == list(there)
        event = unmap(mapped, event)
        assert state(event) == 0 and [each[-1] for each in taken().split()] == list(back)
assert not submitted
host.raw = b"mapped here too." * 4
write()
mapped, event = map_buffer(blocking=1)
assert ctypes.string_at(mapped.value, 16) == host.raw[:16]
unmap(mapped)
assert not submitted
hear_of(event)
known = application.core(event.value, "E")
assert known.queue is core and known.command_type == 0x11FB
finish()
""")


def test_maps_come_behind_barriers_and_other_queues(run_lanes):
    run_lanes(MAPS + """
first, second = two_that_run()
barrier()
taken()
mapped, event = map_buffer(flags=BOTH)
assert not submitted and taken() == "0R 0C"
make_busy(0)
unmap(mapped)
assert not submitted and taken() == "1<0 1C"
finish(), taken()
other = launch(queue=queue)
mapped, event = map_buffer(other)
given = taken().split()
assert not submitted and given[0] == "aL" and given[1].endswith("<<a") and given[2][-1] == "C"
unmap(mapped, event)
finish(), taken()
# What brings nothing waits for others' commands, too, though its own stream was given none.
other = launch(queue=queue)
make_busy(0, 1)
ended = threading.Timer(0.05, lambda: setattr(busy, "value", 0))
ended.start()
mapped, event = map_buffer(other, blocking=1, flags=INVALIDATE)
assert not busy.value and state(event) == 0
unmap(mapped)
finish()
""")


def test_a_map_in_a_lane_that_takes_long_is_one_copy(run_lanes):
    """Python could have another stream make another one, and the first would come after what the program writes there."""
    run_lanes(MAPS + """
first, second = two_that_run()
ended = threading.Timer(0.2, lambda: setattr(busy, "value", 0))
ended.start()
mapped, event = map_buffer(first, second, blocking=1)
assert not submitted and taken().count("C") == 1 and not busy.value and state(event) == 0
unmap(mapped)
finish()
""")


def test_what_is_wrong_with_maps_in_lanes_is_pythons_to_say(run_lanes):
    run_lanes(MAPS + """
map_buffer(size=5000, status=-30), map_buffer(flags=5, status=-30), map_buffer(flags=8, status=-30)
unmap(P(64), status=-30)
mapped, event = map_buffer(flags=BOTH)
assert map_count() == 1
map_buffer(flags=BOTH, status=-59)
assert map_count() == 1
unmap(mapped, event), unmap(mapped, status=-30)
assert map_count() == 0
gate = handle("clCreateUserEvent", cl_context)
mapped, event = map_buffer(gate)
assert state(event) == 3 and map_count() == 1
ok(cl.clSetUserEventStatus(gate, 0))
ok(cl.clWaitForEvents(1, ctypes.byref(event)))
unmap(mapped)
ok(cl.clSetUserEventStatus(handle("clCreateUserEvent", cl_context), -3))
failed = handle("clCreateUserEvent", cl_context)
ok(cl.clSetUserEventStatus(failed, -3))
map_buffer(failed, blocking=1, status=-14)
finish()
""")


def test_threads_map_beside_each_other(run_lanes):
    run_lanes(MAPS + """
buffers = [handle("clCreateBuffer", cl_context, W(0), W(256), None) for _ in range(4)]

def work(number):
    mine, error = buffers[number], ctypes.c_int()
    for turn in range(150):
        event, data = P(), bytes([number + turn & 255]) * 64
        mapped = cl.clEnqueueMapBuffer(unordered, mine, turn & 1, W(INVALIDATE), W(0), W(64), 0, None, ctypes.byref(event), ctypes.byref(error))
        ok(error.value), ok(cl.clWaitForEvents(1, ctypes.byref(event)))
        ctypes.memmove(mapped, data, 64)
        event = P()
        ok(cl.clEnqueueUnmapMemObject(unordered, mine, P(mapped), 0, None, ctypes.byref(event)))
        launch(event)
        if turn % 10 == 0:
            barrier()
        mapped = cl.clEnqueueMapBuffer(unordered, mine, 1, W(READ), W(0), W(64), 1, ctypes.byref(event), None, ctypes.byref(error))
        ok(error.value)
        assert ctypes.string_at(mapped, 64) == data
        ok(cl.clEnqueueUnmapMemObject(unordered, mine, P(mapped), 0, None, None))

in_four_threads(work)
""")
