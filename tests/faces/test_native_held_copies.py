"""Copies, fills, markers and barriers that the driver library holds back behind user events (driver/held_commands.c), over a CUDA that notes
what each stream was given."""

import pytest
from support import driver_library

from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")


WRITES = """
source = ctypes.create_string_buffer(bytes(range(256)), 4096)

def write(*events, size=256, queue=queue, blocking=0, to=buffer, status=0):
    event = P()
    found = cl.clEnqueueWriteBuffer(queue, to, blocking, W(0), W(size), source, *waits_of(events), ctypes.byref(event))
    assert found == status, found
    return event

for number in range(2):
    for to in (buffer, other):
        write(to=to), ok(cl.clFinish(queue))
taken()
"""


def test_a_write_behind_a_user_event_needs_no_python(run_held):
    """With what comes behind it in the queue, also where that waits for its event."""
    run_held(WRITES + """
for _ in range(3):
    gate = new_gate()
    written = write(gate)
    launched, again = launch(written, queue=queue), write(to=other)
    assert [state(each) for each in (written, launched, again)] == [3, 3, 3] and taken() == ""
    ok(set_gate(gate))
    given = taken()
    assert not submitted and given.split() == ["aC", "aL", "aC"], given
    assert [state(each) for each in (written, launched, again)] == [0, 0, 0]
    ok(cl.clWaitForEvents(1, ctypes.byref(written))), ok(cl.clReleaseEvent(gate)), ok(cl.clReleaseEvent(written))
assert command_type(again) == 0x11F4
""")


def test_writes_that_python_is_told_of(run_held):
    """By who asks for an event, waits for what stands behind it, or releases what it writes to."""
    run_held(WRITES + """
for ask in (lambda event: command_type(event),
            lambda event: cl.clEnqueueMigrateMemObjects(queue, 1, ctypes.byref(buffer), W(0), 1, ctypes.byref(event), None),
            lambda event: cl.clReleaseMemObject(gone)):
    gone = handle("clCreateBuffer", cl_context, W(0), W(512), None)
    write(to=gone), ok(cl.clFinish(queue)), taken()
    gate = new_gate()
    written, behind = write(gate, to=gone), write()
    ask(written)
    assert state(written) == state(behind) == 3 and taken() == "" and len(in_order._deferred) >= 2
    ok(set_gate(gate)), ok(cl.clFinish(queue))
    assert state(written) == state(behind) == 0
    taken()
""")


def test_user_events_that_fail_before_writes(run_held):
    run_held(WRITES + """
gate = new_gate()
written, behind = write(gate), write()
last = launch(written, queue=queue)
ok(set_gate(gate, -5))
assert state(written) == state(last) == -14 and state(behind) == 0
ok(cl.clFinish(queue))
""")


def test_which_writes_are_pythons(run_held):
    """Those that are waited for, much, of parts that there are not, to what the host may not write, and in queues out of order."""
    run_held(WRITES + """
large = handle("clCreateBuffer", cl_context, W(0), W(1 << 20), None)
much = ctypes.create_string_buffer(1 << 20)
ok(cl.clEnqueueWriteBuffer(queue, large, 0, W(0), W(1 << 20), much, 0, None, None)), ok(cl.clFinish(queue)), taken()
gate = new_gate()
one = (P * 1)(gate)
ok(cl.clEnqueueWriteBuffer(queue, large, 0, W(0), W(1 << 20), much, 1, one, None))
assert len(submitted) == 1, (submitted, taken())
ok(set_gate(gate)), ok(cl.clFinish(queue)), taken()
gate = new_gate()
write(gate, queue=unordered)
assert len(submitted) == 1, (submitted, taken())
ok(set_gate(gate)), finish(), taken()
gate = new_gate()
one = (P * 1)(gate)
write(gate, size=5000, status=-30)
closed = handle("clCreateBuffer", cl_context, W(1 << 8), W(64), None)
write(gate, size=64, to=closed, status=-59)
assert cl.clEnqueueWriteBuffer(queue, buffer, 0, W(0), W(16), None, 1, one, None) == -30
ok(set_gate(gate)), ok(cl.clFinish(queue))
""")


def test_what_is_written_on_the_host_device():
    """The host's memory as it is when the user event is set, in the order of the queue."""
    head = "import ctypes\ncl = ctypes.CDLL(%r)\nW, P = ctypes.c_uint64, ctypes.c_void_p\n" + driver_library.OPENED
    assert driver_library.run(head, """
buffer = handle("clCreateBuffer", cl_context, W(0), W(64), None)
found, source, late = (ctypes.create_string_buffer(bytes([letter]) * 64, 64) for letter in b"xab")
for _ in range(2):
    ok(cl.clEnqueueWriteBuffer(queue, buffer, 1, W(0), W(64), found, 0, None, None))
for number in range(4):
    gate = handle("clCreateUserEvent", cl_context)
    one, event = (P * 1)(gate), P()
    ok(cl.clEnqueueWriteBuffer(queue, buffer, 0, W(0), W(64), source, 1, one, ctypes.byref(event)))
    ok(cl.clEnqueueWriteBuffer(queue, buffer, 0, W(8), W(8), late, 1, ctypes.byref(event), None))
    source[1] = b"c"[0] + number
    if number == 3:
        assert application.core(event.value, "E") is not None
    ok(cl.clSetUserEventStatus(gate, 0))
    ok(cl.clEnqueueReadBuffer(queue, buffer, 1, W(0), W(64), found, 0, None, None))
    assert found.raw == b"a" + bytes([b"c"[0] + number]) + b"a" * 6 + b"b" * 8 + b"a" * 48
""") == ""


# The contents that are read come from the buffer as the copies before have left it. Of the second queue in order "b" is given commands.
READS = WRITES + """
second = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
name_of = {application.core(each.value, "Q").stream.handle: name for each, name in ((queue, "a"), (second, "b"))}
found = ctypes.create_string_buffer(4096)
fails_at = ctypes.c_int.in_dll(compiled, "fails_at")

def given():
    said = [name_of[entry.stream] + chr(entry.kind) for entry in entries[: logged.value] if chr(entry.kind) != "F"]
    logged.value = 0
    return " ".join(said)

def read(*events, size=256, queue=queue, blocking=0, of=buffer, offset=0, to=found, status=0):
    event = P()
    code = cl.clEnqueueReadBuffer(queue, of, blocking, W(offset), W(size), to, *waits_of(events), ctypes.byref(event))
    assert code == status, code
    return event

def place(*events, queue=queue, name="clEnqueueMarkerWithWaitList"):
    event = P()
    ok(getattr(cl, name)(queue, *waits_of(events), ctypes.byref(event)))
    return event

def copy(*events, queue=queue, size=256, offset=0, to=other, status=0):
    event = P()
    code = cl.clEnqueueCopyBuffer(queue, buffer, to, W(offset), W(0), W(size), *waits_of(events), ctypes.byref(event))
    assert code == status, code
    return event

def fill(*events, queue=queue, pattern=b"wxyz", size=256):
    event, given = P(), ctypes.create_string_buffer(pattern, len(pattern))
    ok(cl.clEnqueueFillBuffer(queue, buffer, given, W(len(pattern)), W(0), W(size), *waits_of(events), ctypes.byref(event)))
    given[:] = bytes(len(pattern))
    return event

def reset():
    for each in (queue, second):
        ok(cl.clFinish(each))
    logged.value = 0
    ctypes.memset(found, 0, 4096)
    submitted.clear()

for each in (queue, second):
    for _ in range(3):
        read(queue=each, blocking=1), launch(queue=each), place(queue=each)
# Each stream has its mark.
place(read(), queue=second), place(read(queue=second))
reset()
"""


def test_a_read_behind_a_user_event_needs_no_python(run_held):
    run_held(READS + """
for _ in range(3):
    gate = new_gate()
    written = write(gate)
    launched, first, again = launch(written, queue=queue), read(written), read(size=16, offset=8, to=ctypes.byref(found, 512))
    behind = launch(queue=queue)
    assert [state(each) for each in (written, launched, first, again, behind)] == [3] * 5 and given() == "" and found.raw == bytes(4096)
    ok(set_gate(gate))
    said = given()
    assert not submitted and said == "aC aL aC aC aL", (submitted, said)
    assert [state(each) for each in (written, launched, first, again, behind)] == [0] * 5
    assert found.raw[:256] == source.raw[:256] and found.raw[512:528] == source.raw[8:24]
    ok(cl.clWaitForEvents(2, (P * 2)(first, again))), ok(cl.clReleaseEvent(gate)), ok(cl.clReleaseEvent(first))
    reset()
assert command_type(again) == 0x11F3
""")


def test_reads_that_python_is_told_of(run_held):
    run_held(READS + """
for ask in (lambda event: command_type(event),
            lambda event: cl.clEnqueueMigrateMemObjects(queue, 1, ctypes.byref(buffer), W(0), 1, ctypes.byref(event), None),
            lambda event: cl.clReleaseMemObject(gone)):
    gone = handle("clCreateBuffer", cl_context, W(0), W(512), None)
    write(to=gone), reset()
    gate = new_gate()
    written = write(gate, to=gone)
    first, behind = read(of=gone), read(queue=queue, of=gone, to=ctypes.byref(found, 1024))
    ask(first)
    assert [state(each) for each in (written, first, behind)] == [3, 3, 3] and len(in_order._deferred) >= 3
    ok(set_gate(gate)), ok(cl.clFinish(queue))
    assert [state(each) for each in (written, first, behind)] == [0, 0, 0]
    assert found.raw[:256] == found.raw[1024:1280] == source.raw[:256]
    reset()
""")


def test_a_read_of_what_does_not_end_soon_is_pythons(run_held):
    run_held(READS + """
gate = new_gate()
launched = launch(gate, queue=queue)
late, behind = read(launched), launch(queue=queue)
busy.value = 1 << (in_order.stream.handle & 7)
ok(set_gate(gate))
assert submitted == ["clEnqueueReadBuffer", "clEnqueueNDRangeKernel"]
busy.value = 0
ok(cl.clFinish(queue))
assert [state(each) for each in (launched, late, behind)] == [0, 0, 0]
reset()
""")


def test_user_events_that_fail_before_reads(run_held):
    """What is behind in the queue's order alone runs all the same."""
    run_held(READS + """
gate = new_gate()
written, behind = write(gate), read(size=8)
last, elsewhere = read(written, to=ctypes.byref(found, 1024)), read(written, queue=second, to=ctypes.byref(found, 2048))
free = place(behind, queue=second)
ok(set_gate(gate, -5))
assert [state(each) for each in (written, last, elsewhere)] == [-14] * 3
ok(cl.clFinish(queue)), ok(cl.clFinish(second))
assert state(behind) == state(free) == 0 and found.raw[1024:] == bytes(3072)
reset()
""")


def test_markers_copies_and_fills(run_held):
    run_held(READS + """
for _ in range(3):
    gate = new_gate()
    filled = fill(gate)
    copied, marked = copy(filled), place(filled)
    barred, last = place(name="clEnqueueBarrierWithWaitList"), fill(pattern=bytes(range(16)))
    ok(cl.clEnqueueMarker(queue, ctypes.byref(old := P())))
    ok(cl.clEnqueueBarrier(queue)), ok(cl.clEnqueueWaitForEvents(queue, 1, ctypes.byref(marked)))
    all_ = (filled, copied, marked, barred, last, old)
    assert [state(each) for each in all_] == [3] * 6 and given() == ""
    ok(set_gate(gate))
    said = given()
    assert not submitted and said.startswith("aC aC aC"), (submitted, said)
    reset()
    assert [state(each) for each in all_] == [0] * 6
assert [command_type(each) for each in all_] == [0x1207, 0x11F5, 0x11FE, 0x1205, 0x1207, 0x11FE]
# Python has them with their patterns.
gate = new_gate()
filled = fill(gate)
copied, marked = copy(filled), place(filled)
barred, last = place(name="clEnqueueBarrierWithWaitList"), fill(pattern=bytes(range(16)))
all_ = (filled, copied, marked, barred, last)
assert command_type(last) == 0x1207 and [state(each) for each in all_] == [3] * 5 and len(in_order._deferred) == 5
ok(set_gate(gate)), ok(cl.clFinish(queue))
assert [state(each) for each in all_] == [0] * 5
reset()
# What is wrong Python says.
gate = new_gate()
copy(gate, size=5000, status=-30), copy(gate, to=buffer, offset=8, status=-8)
ok(set_gate(gate))
""")


def test_commands_of_another_queue_behind_what_is_held_back(run_held):
    """Behind the user event that they wait for so, and behind the command itself where it has not ended."""
    run_held(READS + """
for turn in range(3):
    gate = new_gate()
    launched = launch(gate, queue=queue)
    more, elsewhere, marked = launch(queue=queue), read(launched, queue=second), place(launched, queue=second)
    joined = place(elsewhere, marked, more, queue=second)
    ok(cl.clReleaseEvent(elsewhere)), ok(cl.clReleaseEvent(launched))
    assert [state(each) for each in (more, marked, joined)] == [3] * 3 and given() == ""
    busy.value = (1 << (in_order.stream.handle & 7)) * (turn == 2)
    ok(set_gate(gate))
    busy.value = 0
    said = given()
    assert not submitted, (submitted, said)
    assert said == "aL aL aR bW bC bW bW" and [state(each) for each in (more, marked, joined)] == [0] * 3, said
    reset()
# Told in between: the first is made before the second fails to be.
gate = new_gate()
launched = launch(gate, queue=queue)
late, last = launch(launched, queue=second), launch(queue=second)
ok(cl.clReleaseEvent(launched))
assert command_type(last) == 0x11F0 and len(application.core(second.value, "Q")._deferred) == 2 and given() == ""
ok(set_gate(gate)), reset()
assert state(late) == state(last) == 0
gate = new_gate()
launched = launch(gate, queue=queue)
written = write(launched)
late = write(launched, written, queue=second)
fails_at.value = logged.value + 3
ok(set_gate(gate))
fails_at.value = 0
ok(cl.clFinish(queue)), ok(cl.clFinish(second))
assert [state(each) for each in (launched, written, late)] == [0, 0, 0]
reset()
# Behind another user event, in a queue that holds others back, it is Python's.
gates = [new_gate() for _ in range(2)]
launched, elsewhere = launch(gates[0], queue=queue), launch(gates[1], queue=second)
late = place(launched, queue=second)
ok(set_gate(gates[0]))
assert state(launched) == 0 and state(late) == 3
ok(set_gate(gates[1])), ok(cl.clFinish(second))
assert state(elsewhere) == state(late) == 0
""")


def test_parts_of_buffers_that_python_is_told_of(run_held):
    run_held(READS + """
class Region(ctypes.Structure):
    _fields_ = [("origin", W), ("size", W)]

region = Region(512, 512)
part = handle("clCreateSubBuffer", buffer, W(0), 0x1220, ctypes.byref(region))
gate = new_gate()
written, last = write(gate, to=part), read(of=part)
assert command_type(written) == 0x11F4 and len(in_order._deferred) == 2
ok(set_gate(gate)), ok(cl.clFinish(queue))
assert state(written) == state(last) == 0 and found.raw[:256] == source.raw[:256]
""")


def test_reads_held_back_by_threads(run_held):
    run_held(READS + """
failures = []

def work(seed):
    try:
        mine, result = queue if seed % 2 else second, ctypes.create_string_buffer(64)
        target = ctypes.create_string_buffer(bytes([seed] * 64), 64)
        for turn in range(60):
            gate = new_gate()
            event = P()
            ok(cl.clEnqueueWriteBuffer(mine, buffer, 0, W(64 * seed), W(64), target, 1, (P * 1)(gate), ctypes.byref(event)))
            got = read(event, queue=second if turn % 3 else mine, offset=64 * seed, size=64, to=result)
            if turn % 7 == seed:
                command_type(event)
            fails = turn % 11 == 10
            ok(set_gate(gate, -3 if fails else 0))
            assert cl.clWaitForEvents(1, ctypes.byref(got)) == (-14 if fails else 0)
            assert fails or result.raw == target.raw, (seed, turn)
            target[0] = turn
            for each in (gate, event, got):
                ok(cl.clReleaseEvent(each))
    except BaseException as failure:
        failures.append(failure)

threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
reset()
assert not failures, failures
""")
