"""Launches that the driver library makes without Python (driver/launches.c), over a CUDA that is imagined: what it calls, and when it
leaves a launch to Python."""

from support import driver_library

# The library finds this process's Python. Kernels of the host device are launched as CUDA's would be: by functions of the process.
HEAD = """
import ctypes, struct, sys
from dataclasses import replace
from cl2cuda.runtime.driver.device import NativeLaunch
from cl2cuda.runtime.driver.interface import DriverError
from cl2cuda.runtime.host.module import HostFunction

cl = ctypes.CDLL(%r)
W, P, U = ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint
native, by_python, context, status = [], [], [77], [0]

@ctypes.CFUNCTYPE(ctypes.c_int, P, U, U, U, U, U, U, U, P, P, P)
def launch_grid(*words):
    native.append(words)
    return status[0]

class Attribute(ctypes.Structure):
    _fields_ = [("id", U), ("unused", U), ("value", ctypes.c_int), ("rest", ctypes.c_char * 60)]

class Config(ctypes.Structure):
    _fields_ = [("sizes", U * 7), ("stream", P), ("attributes", ctypes.POINTER(Attribute)), ("count", U)]

@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Config), P, P, P)
def launch_dependent_grid(place, function, parameters, extra):
    config = place[0]
    assert (config.count, config.attributes[0].id, config.attributes[0].value) == (1, 6, 1)
    native.append((function, *config.sizes, config.stream, parameters, extra))
    return status[0]

@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(P))
def current(place):
    place[0] = context[0]
    return 0

@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(W))
def launch_range(words):
    native.append(words[:13])
    return status[0]

def address(function):
    return ctypes.cast(function, P).value

def prepare(self, *arguments):
    return lambda: by_python.append(arguments)

kind = "grid"

def native_launch(self, stream, work_dim, size, group, offset, dynamic, parameters):
    if kind != "range":
        called = launch_grid if kind == "grid" else launch_dependent_grid
        return NativeLaunch(kind, address(called), (11, *(s // g for s, g in zip(size, group)), *group, dynamic, 13, parameters, 0),
                            current=address(current), context=77)
    words = (work_dim, *size, *group, *offset, dynamic, parameters, 0)
    return NativeLaunch("range", address(launch_range), words, fault=lambda: DriverError("it was meant to fail", "OUT_OF_RESOURCES"))

HostFunction.prepare, HostFunction.native_launch = prepare, native_launch

""" + driver_library.OPENED + """
program = handle("clCreateProgramWithSource", cl_context, 1, ctypes.byref(ctypes.c_char_p(b"kernel void f(global int *a) {}")), None)
ok(cl.clBuildProgram(program, 0, None, None, None, None))
kernel = handle("clCreateKernel", program, b"f")
ok(cl.clSetKernelArg(kernel, 0, W(8), ctypes.byref(P(0))))

def launch(size=64, local=16, event=None, waits=()):
    array = (P * len(waits))(*waits) if waits else None
    return cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(W(size)), ctypes.byref(W(local)), len(waits), array, event)

def counts():
    return len(by_python), len(native)
"""


def run(text):
    return driver_library.run(HEAD, text)


def test_the_second_like_launch_is_a_call_of_cudas():
    run("""
for _ in range(5):
    ok(launch())
assert counts() == (1, 4)
function, *grid, shared, stream, parameters, extra = native[-1]
assert (function, grid, shared, stream, extra) == (11, [4, 1, 1, 16, 1, 1], 0, 13, None) and parameters == by_python[0][-1]
ok(launch(32, 32))
ok(launch(32, 32))
assert counts() == (1, 6)
""")


def test_one_of_another_size_is_made_of_it():
    run("""
for _ in range(2):
    ok(launch())
for size in (128, 16, 4096, 64, 1 << 20, 16):
    ok(launch(size))
    function, *grid, shared, stream, parameters, extra = native[-1]
    assert (function, grid, shared, stream, extra) == (11, [size // 16, 1, 1, 16, 1, 1], 0, 13, None) and parameters == by_python[0][-1]
assert counts() == (1, 7)
# What comes again is a launch of its own; so are many.
for size in range(16, 16 * 100, 16):
    ok(launch(size)), ok(launch(size))
    assert native[-1][1:4] == native[-2][1:4] == (size // 16, 1, 1)
assert counts() == (1, 7 + 2 * 99)
# What does not fit into one grid of CUDA's, or has groups of a size that Python refuses, is Python's.
for size, local in ((65, 16), (1 << 33, 16), (0, 16), (4096, 2048), (64, 0), (64, 128)):
    before = counts()
    launch(size, local)
    assert counts()[1] == before[1], (size, local)
before = counts()
for size, local in ((1280, 32), (1024, 1024), (1280, 64), (7, 7)):
    ok(launch(size, local))
    assert native[-1][1:7] == (size // local, 1, 1, local, 1, 1), (native[-1], size, local)
# Groups that are left open are those that Python chooses; offsets of 0 are none.
for size, local in ((1920, 960), (1921, 113), (1 << 20, 1024), (3, 3), (2 * 8191, 2)):
    ok(cl.clEnqueueNDRangeKernel(queue, kernel, 1, (W * 1)(0) if size % 2 else None, ctypes.byref(W(size)), None, 0, None, None))
    assert native[-1][1:7] == (size // local, 1, 1, local, 1, 1), native[-1]
assert counts() == (before[0], before[1] + 9)
status[0] = 700
before = counts()
ok(launch(48))
assert counts()[0] == before[0] + 1
""")


def test_sides_of_one_that_is_made_of_another():
    run("""
def launch(size, local=(4, 2, 1)):
    return cl.clEnqueueNDRangeKernel(queue, kernel, 3, None, (W * 3)(*size), (W * 3)(*local), 0, None, None)
for _ in range(2):
    ok(launch((8, 8, 2)))
for size in ((4, 2, 1), (16, 2, 5), (4, 65535 * 2, 1), (4, 2, 65535)):
    ok(launch(size))
    assert native[-1][1:7] == (size[0] // 4, size[1] // 2, size[2], 4, 2, 1)
for size in ((4, 65536 * 2, 1), (4, 2, 65536), (4, 3, 1)):
    before = len(native)
    launch(size)
    assert len(native) == before
# Arguments that are set anew are the same memory; where plans are dropped, they are made anew.
ok(cl.clSetKernelArg(kernel, 0, W(8), ctypes.byref(P(0))))
before = counts()
ok(launch((32, 4, 1)))
assert counts() == (before[0], before[1] + 1)
application.core(kernel.value, "K").drop_plans()
ok(launch((64, 4, 1)))
assert counts() == (before[0] + 1, before[1] + 1)
""")


def test_a_failure_of_one_that_is_made_of_another_is_told():
    run("""
kind = "range"
for _ in range(3):
    ok(launch())
status[0] = 1
assert launch(128) == -5 and native[-1][:7] == [1, 128, 1, 1, 16, 1, 1]
assert counts() == (1, 3)
""")


def test_a_kernel_that_waits_for_the_grid_before_it_is_launched_by_the_extended_call():
    run("""
kind = "dependent grid"
for _ in range(3):
    ok(launch())
assert counts() == (1, 2)
function, *grid, shared, stream, parameters, extra = native[-1]
assert (function, grid, shared, stream, extra) == (11, [4, 1, 1, 16, 1, 1], 0, 13, None) and parameters == by_python[0][-1]
status[0] = 700
ok(launch())
assert counts() == (2, 3)
""")


# A device's memory in which launches find what they are, as the general variant's do, and a stream that writes there.
RECORDED = """
import weakref
from cl2cuda.runtime.cuda.launch import LaunchRecord, pieces, GRID_LIMITS
from cl2cuda.runtime.cuda.turns import Turns
from cl2cuda.runtime.driver.interface import NativeStream
from cl2cuda.runtime.host.stream import HostStream

place, writes, write_status = LaunchRecord(), [], [0]

@ctypes.CFUNCTYPE(ctypes.c_int, W, P, ctypes.c_size_t, P)
def write(to, host, size, stream):
    assert (to, size, stream) == (ctypes.addressof(place), 128, 13)
    writes.append(LaunchRecord.from_buffer_copy(ctypes.string_at(host, size)))
    ctypes.memmove(to, host, size)
    return write_status[0]

filled = []

@ctypes.CFUNCTYPE(ctypes.c_int, W, U, ctypes.c_size_t, P)
def fill(to, value, count, stream):
    at = to - ctypes.addressof(place)
    assert (count, stream) == (1, 13) and at % 4 == 0 and at in range(0, 128)
    filled.append((at // 4, value))
    ctypes.memmove(to, ctypes.byref(U(value)), 4)
    return write_status[0]

@ctypes.CFUNCTYPE(ctypes.c_int, P)
def query(stream):
    return 0

@ctypes.CFUNCTYPE(ctypes.c_int, P, U, U, U, U, U, U, U, P, P, P)
def launch_recorded(*words):
    native.append((words[1:7], bytes(place)))
    return status[0]

nothing_printed = W()
HostStream.native = lambda self: NativeStream(address(query), 13, 10**9, address(query), address(write), current=address(current), context=77,
                                              prints=ctypes.addressof(nothing_printed))
queue = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
turns = Turns()

class Stream:
    handle, turns = 13, weakref.WeakSet()

stream = Stream()

def native_launch(self, given, work_dim, size, group, offset, dynamic, parameters):
    [(grid, block, record)] = pieces(work_dim, size, group, offset, GRID_LIMITS)
    return NativeLaunch("recorded grid", address(launch_recorded),
                        (11, *grid, *block, dynamic, 13, parameters, 0, turns.open_to_native_code(), ctypes.addressof(place)),
                        current=address(current), context=77, record=bytes(record))

def prepare(self, given, work_dim, size, group, offset, dynamic, parameters):
    def run():
        by_python.append(offset)
        with turns:
            turns.take(stream)
    return run

HostFunction.prepare, HostFunction.native_launch = prepare, native_launch

def launch(*offset, size=(64, 8), event=None):
    count = len(size)
    return cl.clEnqueueNDRangeKernel(queue, kernel, count, (W * count)(*offset) if offset else None, (W * count)(*size),
                                     (W * count)(16, 1), 0, None, event)

def offsets():
    found = [tuple(each.offset) for each in writes]
    writes.clear()
    return found
"""


def test_a_launch_with_an_offset_writes_what_it_is_where_that_has_changed():
    run(RECORDED + """
for _ in range(4):
    ok(launch(5, 3))
assert counts() == (1, 3) and offsets() == [(5, 3, 0)]
sizes, record = native[-1]
record = LaunchRecord.from_buffer_copy(record)
assert sizes == (4, 8, 1, 16, 1, 1) and (record.work_dim, *record.global_size, *record.groups) == (2, 64, 8, 1, 4, 8, 1)
event = P()
for offset in ((7, 0), (7, 0), (0, 9), (5, 3), (2**40, 1)):  # Another offset is no other launch.
    ok(launch(*offset, event=ctypes.byref(event)))
    assert tuple(LaunchRecord.from_buffer_copy(native[-1][1]).offset) == (*offset, 0)
assert counts() == (1, 8) and offsets() == [(7, 0, 0), (0, 9, 0), (5, 3, 0), (2**40, 1, 0)]
found = ctypes.c_int(7)
ok(cl.clGetEventInfo(event, 0x11D3, W(4), ctypes.byref(found), None))
assert found.value == 0
for wrong in ((2**64 - 1, 0), (0, 2**64 - 8)):
    assert launch(*wrong) == -56
assert counts() == (1, 8)
# Other sizes are another launch, and so is one without an offset.
ok(launch(5, 3, size=(32, 8)))
ok(launch(5, 3, size=(32, 8)))
ok(launch())
assert counts() == (3, 9)
ok(launch(0, 0))
assert counts()[0] == 4
""")


def test_one_number_of_an_offset_is_written_by_itself():
    run(RECORDED.replace("current=address(current)", "fill_4=address(fill), current=address(current)", 1) + """
for _ in range(3):
    ok(launch(5, 3))
assert len(offsets()) == 1 and not filled
for offset, expected in (((6, 3), (0, 6)), ((6, 0), (2, 0)), ((6, 2**33), (3, 2)), ((6, 2**33), None), ((0, 2**33), (0, 0))):
    ok(launch(*offset))
    assert filled == [expected] * (expected is not None) and not writes
    filled.clear()
    assert tuple(LaunchRecord.from_buffer_copy(native[-1][1]).offset) == (*offset, 0)
ok(launch(1, 1))  # several numbers
assert offsets() == [(1, 1, 0)] and not filled
with turns:
    turns.forget_written()
ok(launch(2, 1))
assert offsets() == [(2, 1, 0)] and not filled
write_status[0] = 700
before = counts()[0]
ok(launch(3, 1))
assert counts()[0] == before + 1 and filled == [(0, 3)]
write_status[0] = 0
ok(launch(3, 1))
assert offsets() == [(3, 1, 0)]
""")


def test_where_it_is_another_streams_turn_python_launches():
    run(RECORDED + """
for _ in range(3):
    ok(launch(5, 3))
assert counts() == (1, 2) and len(offsets()) == 1
class Other(Stream):
    handle = 14
    def after(self, fence): pass
other = Other()
with turns:
    turns.take(other)
ok(launch(5, 3))
assert counts() == (2, 2)
with turns:
    turns.forget_written()
ok(launch(5, 3))
assert counts() == (2, 3) and len(offsets()) == 1
write_status[0] = 700
ok(launch(6, 3))
assert counts() == (3, 3) and len(offsets()) == 1
write_status[0] = 0
ok(launch(6, 3))
assert counts() == (3, 4) and len(offsets()) == 1  # What the failed write has left there is not known.
status[0] = 700
ok(launch(6, 3))
assert counts() == (4, 5)
status[0] = 0
context[0] = 78
ok(launch(6, 3))
assert counts() == (5, 5)
""")


def test_threads_launch_with_offsets_of_their_own():
    """What each launch finds is its own record: the write and the launch behind it are one turn."""
    run(RECORDED + """
import threading
ok(launch(1, 1)), ok(launch(1, 1))
kernels = []
for turn in range(4):
    made = handle("clCreateKernel", program, b"f")
    ok(cl.clSetKernelArg(made, 0, W(8), ctypes.byref(P(0))))
    kernels.append(made)

def launches(number):
    sizes, offset = (W * 2)(64 + 16 * number, 8), (W * 2)(0, 0)
    for turn in range(200):
        offset[0] = 1 + turn % 3
        ok(cl.clEnqueueNDRangeKernel(queue, kernels[number], 2, offset, sizes, (W * 2)(16, 1), 0, None, None))

threads = [threading.Thread(target=launches, args=(number,)) for number in range(4)]
for each in threads: each.start()
for each in threads: each.join()
assert len(by_python) <= 2 + 4 * 2 and len(native) + len(by_python) == 2 + 800
for sizes, record in native:
    record = LaunchRecord.from_buffer_copy(record)
    assert tuple(record.groups)[:2] == sizes[:2] and tuple(record.global_size)[0] == 16 * sizes[0]
""")


def test_another_context_is_entered_by_python():
    run("""
for _ in range(3):
    ok(launch())
context[0] = 78
ok(launch())
assert counts() == (2, 2)
context[0] = 77
ok(launch())
assert counts() == (2, 3)
""")


def test_a_launch_that_cuda_refuses_is_tried_by_python_which_says_why():
    run("""
for _ in range(2):
    ok(launch())
status[0] = 700
ok(launch())
assert counts() == (2, 2)
""")


def test_a_kernel_that_has_failed_is_not_run_again():
    said = run("""
kind = "range"
import os
for _ in range(3):
    ok(launch())
assert counts() == (1, 2) and native[0][:7] == [1, 64, 1, 1, 16, 1, 1]
status[0] = 1
assert launch() == -5
assert counts() == (1, 3)
""")
    assert said == ""


def test_an_event_is_pythons_when_python_is_asked_of_it():
    run("""
for _ in range(3):
    ok(launch())
from cl2cuda.runtime.queue.event import Event
made = []
start = Event.__init__
Event.__init__ = lambda self, *arguments: (made.append(arguments), start(self, *arguments))[1]
events = [P() for _ in range(3)]
for each in events:
    ok(launch(event=ctypes.byref(each)))
ok(launch(waits=events))
assert not made and counts() == (1, 6)
found = ctypes.c_int()
ok(cl.clGetEventInfo(events[1], 0x11D3, W(4), ctypes.byref(found), None))
assert found.value == 0 and len(made) == 1
ok(launch(waits=events[1:]))  # One is Python's now, and so is what waits for it.
assert counts()[1] == 6
for each in events:
    ok(cl.clReleaseEvent(each))
""")


def test_launches_of_the_library_are_known_to_the_queue():
    """A queue that has native launches is not idle until it has been waited for, and fences stand behind them."""
    run("""
from cl2cuda.opencl_icd import handles, application
from cl2cuda.runtime.queue.queue import CommandQueue
core = application.core(queue.value, "Q")
for _ in range(2):
    ok(launch())
ok(cl.clFinish(queue))
assert core.idle
ok(launch())
assert counts() == (1, 2) and not core.idle
fence = core.timeline.current_fence()
assert core.timeline.current_fence() is fence
ok(launch())
assert core.timeline.current_fence() is not fence
ok(cl.clFinish(queue))
assert core.idle
""")


def test_debug_mode_and_dropped_plans_leave_launches_to_python():
    run("""
from cl2cuda.opencl_icd import application
from cl2cuda.runtime.queue.stream_timeline import NEEDS_PYTHON
core = application.core(queue.value, "Q")
for _ in range(3):
    ok(launch())
application.core(kernel.value, "K").drop_plans()
ok(launch())
assert counts() == (2, 2)
core.needs_full_submit = core.timeline.native[NEEDS_PYTHON] = 1
ok(launch())
assert counts() == (3, 2)
""")


def test_what_has_ended_takes_the_launches_before_it_along():
    """A blocking read that has ended tells of all that came before it in the stream: the queue is idle then."""
    run("""
from cl2cuda.opencl_icd import application
core = application.core(queue.value, "Q")
buffer = handle("clCreateBuffer", cl_context, W(0), W(16), None)
for _ in range(4):
    ok(launch())
assert counts() == (1, 3)
from cl2cuda.runtime.queue.command import ENDED
event = core.submit("clEnqueueReadBuffer", 0x11F3, lambda stream: ENDED)
assert core.idle
""")
