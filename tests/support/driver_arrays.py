"""Programs that give the driver library commands over a CUDA whose memory and arrays are the host's: what CUDA was called for and what was
left to Python, they note."""

from __future__ import annotations

from pathlib import Path

from . import driver_library

# `taken()` is what CUDA's functions and which functions of Python's were called since the last time.
HEAD = f"""
import ctypes, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from support import compiled_calls
from support.arrays_in_c import CudaOfArrays
from support.cuda_device import cuda_device
from support.filling_cuda import FillingCuda
from support.late_cuda import LateCuda
from support.timed_arrays import TimedArrays
from cl2cuda.opencl_icd import application
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.queue.queue import CommandQueue

W, P = ctypes.c_uint64, ctypes.c_void_p
cuda = CUDA()
platforms.platforms()[0]._devices = [Device(platforms.platforms()[0], "cuda", cuda_device(cuda))]
cl = ctypes.CDLL(%r)
by_python = []

""" + driver_library.WATCHED + """
for name in ("submit", "completed_at_once", "finish"):
    watched(CommandQueue, name)

def taken():
    found = " ".join(cuda.calls + by_python)
    cuda.calls.clear(), by_python.clear()
    return found
""" + driver_library.OPENED + """
READ, WRITE, INVALIDATE = 1, 2, 4

def three(*numbers):
    return (ctypes.c_size_t * 3)(*numbers)

def new_buffer(size=256, flags=0):
    buffer = handle("clCreateBuffer", cl_context, W(flags), W(size), None)
    put(buffer, bytes(range(256))[:size])
    put(buffer, bytes(range(256))[:size])
    return buffer

def put(buffer, data):
    if not flags_of(buffer) & (1 << 8 | 1 << 9):
        ok(cl.clEnqueueWriteBuffer(queue, buffer, 1, W(0), W(len(data)), data, 0, None, None))

def flags_of(memory):
    found = W()
    ok(cl.clGetMemObjectInfo(memory, 0x1101, W(8), ctypes.byref(found), None))
    return found.value

def contents(buffer, size=256):
    found = ctypes.create_string_buffer(size)
    ok(cl.clEnqueueReadBuffer(queue, buffer, 1, W(0), W(size), found, 0, None, None))
    return found.raw

def told(event, what):
    found = ctypes.c_int(77)
    if what != 0x11D3:
        hear_of(event)
    ok(cl.clGetEventInfo(event, what, W(4), ctypes.byref(found), None))
    return found.value

def map_buffer(buffer, flags=READ, offset=16, size=64, blocking=1, event=None):
    return handle("clEnqueueMapBuffer", queue, buffer, blocking, W(flags), W(offset), W(size), 0, None, event)

def map_status(buffer, flags=READ, offset=16, size=64, blocking=1, where=None):
    error = ctypes.c_int(77)
    cl.clEnqueueMapBuffer.restype = P
    found = cl.clEnqueueMapBuffer(where or queue, buffer, blocking, W(flags), W(offset), W(size), 0, None, None, ctypes.byref(error))
    assert (found is None) == (error.value != 0)
    return error.value

def unmap(memory, address, event=None):
    return cl.clEnqueueUnmapMemObject(queue, memory, address, 0, None, event)

def unmap_what_cuda_refuses(memory, mapped):
    taken()
    cuda.status = 700
    ok(unmap(memory, mapped))
    assert "submit" in taken() and map_count(memory) == 0
    cuda.status = 0

def map_count(memory):
    found = ctypes.c_uint()
    ok(cl.clGetMemObjectInfo(memory, 0x1104, W(4), ctypes.byref(found), None))
    return found.value

def known_buffer(flags=0):
    buffer = new_buffer(flags=flags)
    allowed = WRITE if flags & 1 << 7 else READ
    for _ in range(2):
        ok(unmap(buffer, map_buffer(buffer, allowed)))
    ok(cl.clFinish(queue)), taken()
    return buffer
"""

IMAGES = """
class Format(ctypes.Structure):
    _fields_ = [("order", ctypes.c_uint), ("type", ctypes.c_uint)]

class Description(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint), *[(name, ctypes.c_size_t) for name in ("width", "height", "depth", "layers", "row", "slice")],
                ("levels", ctypes.c_uint), ("samples", ctypes.c_uint), ("memory", P)]

RGBA, BYTES, FLOATS, NORMALIZED = 0x10B5, 0x10DA, 0x10DE, 0x10D2
IMAGE2D, IMAGE3D = 0x10F1, 0x10F2
SIZE = three(8, 6, 1)

def new_image(flags=0, type=BYTES, kind=IMAGE2D, depth=1, data=None):
    described = Description(kind, 8, 6, depth)
    return handle("clCreateImage", cl_context, W(flags), ctypes.byref(Format(RGBA, type)), ctypes.byref(described), data)

def fill(image, color=(ctypes.c_uint * 4)(1, 2, 3, 4), at=three(0, 0, 0), size=SIZE):
    return cl.clEnqueueFillImage(queue, image, color, at, size, 0, None, None)

def pixels(image, size=SIZE, width=4):
    found = ctypes.create_string_buffer(size[0] * size[1] * size[2] * width)
    ok(cl.clEnqueueReadImage(queue, image, 1, three(0, 0, 0), size, W(0), W(0), found, 0, None, None))
    return found.raw

def map_image(image, flags=READ, at=three(2, 1, 0), size=three(4, 3, 1), blocking=1, event=None, row=True, plane=True):
    places = [ctypes.c_size_t(77), ctypes.c_size_t(77)]
    row, plane = (ctypes.byref(each) if wanted else None for each, wanted in zip(places, (row, plane)))
    found = handle("clEnqueueMapImage", queue, image, blocking, W(flags), at, size, row, plane, 0, None, event)
    return found, places[0].value, places[1].value
"""


def run(text: str, more: str = "", cuda: str = "CudaOfArrays", native_calls: str = "0") -> str:
    """As `driver_library.run`, behind HEAD, over a CUDA of that class."""
    return driver_library.run(HEAD.replace("CUDA()", cuda + "()") + more, text, native_calls)
