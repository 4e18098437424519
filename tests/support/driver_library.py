"""Programs that call the driver library through ctypes, from the Python that the library then uses: so they can watch what Python is asked,
and stand in for a device."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.processes import environment

from cl2cuda.opencl_icd import library
from cl2cuda.opencl_icd.build import LOADER
from cl2cuda.runtime.driver.interface import DriverMissing

# `by_python` lists what Python is asked.
WATCHED = """
def watched(kind, name):
    inner = getattr(kind, name)

    def call(self, *arguments, **named):
        by_python.append(name)
        return inner(self, *arguments, **named)

    setattr(kind, name, call)
"""

# `cl` is the library, as ctypes has it, W and P are ctypes' c_uint64 and c_void_p. `hear_of` has Python make the event of a command of the
# library's, of which that tells itself what it was asked for.
OPENED = """
from cl2cuda.opencl_icd import application

def hear_of(event):
    assert application.core(event.value, "E") is not None

def ok(code):
    assert code == 0, code

def handle(name, *arguments):
    function, error = getattr(cl, name), ctypes.c_int()
    function.restype = P
    found = P(function(*arguments, ctypes.byref(error)))
    ok(error.value)
    return found

platform, device = P(), P()
ok(cl.clGetPlatformIDs(1, ctypes.byref(platform), None))
ok(cl.clGetDeviceIDs(platform, W(0xFFFFFFFF), 1, ctypes.byref(device), None))
cl_context = handle("clCreateContext", None, 1, ctypes.byref(device), None, None)
queue = handle("clCreateCommandQueueWithProperties", cl_context, device, None)
"""


def run(head: str, text: str, native_calls: str = "0") -> str:
    """What a program says on its standard error. It is `head`, with the library's path in it once, and `text`. Unless the test says
    otherwise, what the driver library does not do by itself is Python's there, and not that of the compiled calls."""
    try:
        place = library.library(LOADER)
    except DriverMissing as missing:
        pytest.skip(str(missing))
    variables = environment(CL2CUDA_DEVICE="host", CL2CUDA_NATIVE_CALLS="0" if os.environ.get("CL2CUDA_NATIVE_CALLS") == "0" else native_calls)
    done = subprocess.run([sys.executable, "-c", head % str(place) + text], capture_output=True, text=True, timeout=600, env=variables)
    assert done.returncode == 0, done.stderr
    return done.stderr
