"""Programs that give the driver library commands over a CUDA that is imagined: what each calls, and what it leaves to Python, they note."""

from __future__ import annotations

from . import driver_library

# The library finds this process's Python. The host device's streams are as CUDA's would be: functions of the process.
HEAD = """
import ctypes
from cl2cuda.opencl_icd import application
from cl2cuda.runtime.driver.interface import NativeStream
from cl2cuda.runtime.host.stream import HostStream
from cl2cuda.runtime.memory import buffer as buffers
from cl2cuda.runtime.queue.queue import CommandQueue

cl = ctypes.CDLL(%r)
W, P = ctypes.c_uint64, ctypes.c_void_p
asked, reads, writes, by_python = [], [], [], []
context, answers, read_status, write_status = [77], [], [0], [0]

# What streams are asked while Python ends finds no names of this module.
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(P))
def current(place, context=context):
    place[0] = context[0]
    return 0

@ctypes.CFUNCTYPE(ctypes.c_int, P)
def query(stream, asked=asked, answers=answers):
    asked.append(stream)
    return answers.pop(0) if answers else 0

@ctypes.CFUNCTYPE(ctypes.c_int, P, W, ctypes.c_size_t, P)
def read(host, memory, size, stream):
    reads.append((host, memory, size, stream))
    if not read_status[0]:
        ctypes.memmove(host, memory, size)
    return read_status[0]

@ctypes.CFUNCTYPE(ctypes.c_int, W, P, ctypes.c_size_t, P)
def write(memory, host, size, stream):
    writes.append((memory, host, size, stream))
    if not write_status[0]:
        ctypes.memmove(memory, host, size)
    return write_status[0]

def address(function):
    return ctypes.cast(function, P).value

prints = W()
stream = NativeStream(address(query), 13, 10**12, address(read), address(write), most_read=64, most_written=32, current=address(current),
                      context=77, prints=ctypes.addressof(prints))
HostStream.native = lambda self: stream

""" + driver_library.WATCHED + """
watched(CommandQueue, "submit")
watched(CommandQueue, "finish")
watched(CommandQueue, "flush")
watched(buffers.Buffer, "__init__")

""" + driver_library.OPENED + """
core = application.core(queue.value, "Q")
host = (ctypes.c_char * 128)()

def new_buffer(size=128):
    return handle("clCreateBuffer", cl_context, W(0), W(size), None)

def get(buffer, size=8, offset=0, event=None):
    return cl.clEnqueueReadBuffer(queue, buffer, 1, W(offset), W(size), host, 0, None, event)

def put(buffer, size=8, offset=0, event=None, blocking=1):
    return cl.clEnqueueWriteBuffer(queue, buffer, blocking, W(offset), W(size), host, 0, None, event)

def marker():
    event = P()
    ok(cl.clEnqueueMarkerWithWaitList(queue, 0, None, ctypes.byref(event)))
    return event

def status(event):
    found = ctypes.c_int(77)
    ok(cl.clGetEventInfo(event, 0x11D3, W(4), ctypes.byref(found), None))
    return found.value

def known_buffer():
    buffer = new_buffer()
    for _ in range(3):
        ok(put(buffer))
    asked.clear(), reads.clear(), writes.clear(), by_python.clear()
    return buffer

NOT_READY, FAULT = 600, 700
"""

# Two queues, each with a stream of its own, and what both were given.
TWO_QUEUES = """
import itertools
from cl2cuda.opencl_icd import native_commands

handles, given, order_status = itertools.count(21), [], [0]

@ctypes.CFUNCTYPE(ctypes.c_int, P, P)
def record(event, stream):
    given.append(("record", event, stream))
    return order_status[0]

@ctypes.CFUNCTYPE(ctypes.c_int, P, P, ctypes.c_uint)
def wait(stream, event, flags):
    given.append(("wait", stream, event))
    return order_status[0]

def of_its_own(self):
    if id(self) not in known:
        known[id(self)] = stream._replace(handle=next(handles), record=address(record), wait=address(wait))
    return known[id(self)]

known, marks = {}, []
HostStream.native = of_its_own
native_commands.mark_of = lambda queue: marks.append(queue) or 900 + queue.stream.native().handle
first, second = (handle("clCreateCommandQueueWithProperties", cl_context, device, None) for _ in range(2))
a, b = (application.core(each.value, "Q").stream.native().handle for each in (first, second))

def marked(where, *events):
    event = P()
    ok(cl.clEnqueueMarkerWithWaitList(where, len(events), (P * len(events))(*events) if events else None, ctypes.byref(event)))
    return event

def taken():
    found = list(given)
    given.clear()
    return found
"""


def run(text: str) -> str:
    """As `driver_library.run`, behind HEAD."""
    return driver_library.run(HEAD, text)
