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


def test_the_third_like_launch_is_a_call_of_cudas():
    run("""
for _ in range(5):
    ok(launch())
assert counts() == (2, 3)
function, *grid, shared, stream, parameters, extra = native[-1]
assert (function, grid, shared, stream, extra) == (11, [4, 1, 1, 16, 1, 1], 0, 13, None) and parameters == by_python[0][-1]
ok(launch(32))
ok(launch(32))
assert counts() == (3, 4)
""")


def test_a_kernel_that_waits_for_the_grid_before_it_is_launched_by_the_extended_call():
    run("""
kind = "dependent grid"
for _ in range(3):
    ok(launch())
assert counts() == (2, 1)
function, *grid, shared, stream, parameters, extra = native[-1]
assert (function, grid, shared, stream, extra) == (11, [4, 1, 1, 16, 1, 1], 0, 13, None) and parameters == by_python[0][-1]
status[0] = 700
ok(launch())
assert counts() == (3, 2)
""")


def test_another_context_is_entered_by_python():
    run("""
for _ in range(3):
    ok(launch())
context[0] = 78
ok(launch())
assert counts() == (3, 1)
context[0] = 77
ok(launch())
assert counts() == (3, 2)
""")


def test_a_launch_that_cuda_refuses_is_tried_by_python_which_says_why():
    run("""
for _ in range(2):
    ok(launch())
status[0] = 700
ok(launch())
assert counts() == (3, 1)
""")


def test_a_kernel_that_has_failed_is_not_run_again():
    said = run("""
kind = "range"
import os
for _ in range(3):
    ok(launch())
assert counts() == (2, 1) and native[0][:7] == [1, 64, 1, 1, 16, 1, 1]
status[0] = 1
assert launch() == -5
assert counts() == (2, 2)
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
assert not made and counts() == (2, 5)
found = ctypes.c_int()
ok(cl.clGetEventInfo(events[1], 0x11D3, W(4), ctypes.byref(found), None))
assert found.value == 0 and len(made) == 1
ok(launch(waits=events[1:]))  # One is Python's now, and so is what waits for it.
assert counts()[1] == 5
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
assert counts() == (2, 1) and not core.idle
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
assert counts() == (3, 1)
core.needs_full_submit = core.timeline.native[NEEDS_PYTHON] = 1
ok(launch())
assert counts() == (4, 1)
""")


def test_what_has_ended_takes_the_launches_before_it_along():
    """A blocking read that has ended tells of all that came before it in the stream: the queue is idle then."""
    run("""
from cl2cuda.opencl_icd import application
core = application.core(queue.value, "Q")
buffer = handle("clCreateBuffer", cl_context, W(0), W(16), None)
for _ in range(4):
    ok(launch())
assert counts() == (2, 2)
from cl2cuda.runtime.queue.command import ENDED
event = core.submit("clEnqueueReadBuffer", 0x11F3, lambda stream: ENDED)
assert core.idle
""")
