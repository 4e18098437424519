"""What a signal's handler of a Python program raises while the program's OpenCL calls are in the driver library's own Python: the exception
is the program's, and comes out where it runs on."""

import pytest
from support import driver_library

HEAD = """
import ctypes, signal
from cl2cuda.runtime.context.context import Context

cl = ctypes.CDLL(%r)
W, P = ctypes.c_uint64, ctypes.c_void_p

class Ours(Exception):
    pass

create = cl.clCreateContext
create.restype = P

def interrupts_once(kind, name):
    genuine = getattr(kind, name)
    def step(self, *arguments):
        setattr(kind, name, genuine)
        signal.raise_signal(signal.SIGUSR1)
        return genuine(self, *arguments)
    setattr(kind, name, step)

def runs_on():
    for _ in range(100):
        pass

def raises(kind, call):
    try:
        call()
        runs_on()
    except kind:
        return
    raise AssertionError("nothing was raised")

""" + driver_library.OPENED


@pytest.mark.parametrize("raised", ["ValueError", "Ours", "KeyboardInterrupt", "SystemExit(3)", "MemoryError"])
def test_an_entry_points_step(raised):
    said = driver_library.run(HEAD, f"""
signal.signal(signal.SIGUSR1, lambda number, frame: interrupted(number, frame))
def interrupted(number, frame):
    raise {raised}
error = ctypes.c_int()
def make():
    return create(None, 1, ctypes.byref(device), None, None, ctypes.byref(error))
interrupts_once(Context, "__init__")
raises({raised.split("(")[0]}, make)
assert error.value == -5, error.value
assert make() and error.value == 0
runs_on()
""")
    assert not said


def test_what_nobody_hears_of():
    """The library asks for a kernel's arguments when it is made."""
    said = driver_library.run(HEAD, """
from cl2cuda.opencl_icd import launches
signal.signal(signal.SIGUSR1, lambda number, frame: interrupted(number, frame))
def interrupted(number, frame):
    raise Ours
program = handle("clCreateProgramWithSource", cl_context, 1, ctypes.byref(ctypes.c_char_p(b"kernel void f(global int *a) { *a = 7; }")), None)
ok(cl.clBuildProgram(program, 0, None, None, None, None))
genuine, came = launches.places_of, []
def places_of(core):
    if not came:
        came.append(1)
        signal.raise_signal(signal.SIGUSR1)
    return genuine(core)
launches.places_of = places_of
raises(Ours, lambda: handle("clCreateKernel", program, b"f"))
assert came
kernel = handle("clCreateKernel", program, b"f")
""")
    assert not said


def test_a_fault_of_ours_is_said_as_before():
    said = driver_library.run(HEAD, """
def init(self, *arguments):
    raise ValueError("a fault of the driver's")
Context.__init__ = init
error = ctypes.c_int()
assert not create(None, 1, ctypes.byref(device), None, None, ctypes.byref(error)) and error.value == -5
runs_on()
""")
    assert "ValueError: a fault of the driver's" in said
