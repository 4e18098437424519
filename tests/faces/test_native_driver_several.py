"""Programs in C in contexts of several devices: launches, copies and fills of what is on the queue's device alone are made by the code in C that
Python's programs have (runtime/native), to which the library's entry points lead."""

from pathlib import Path

import pytest
from support import driver_library

from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

HEAD = f"""
import ctypes, os, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
""" + """
os.environ["CL2CUDA_HOST_DEVICES"] = "2"
from support import compiled_calls
import numpy as np
from cl2cuda.runtime.memory.replicated import Replicated

cl = ctypes.CDLL(%r)
W, P, U = ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint
acquired = []
acquire = Replicated.acquire
Replicated.acquire = lambda self, *rest: acquired.append(rest[2]) or acquire(self, *rest)
""" + driver_library.OPENED.split("cl_context =")[0].replace("platform, device = P(), P()", "platform, devices = P(), (P * 2)()").replace(
    "1, ctypes.byref(device), None", "2, devices, None") + """
cl_context = handle("clCreateContext", None, 2, devices, None, None)
queues = [handle("clCreateCommandQueueWithProperties", cl_context, P(device), None) for device in devices]
source = ctypes.byref(ctypes.c_char_p(b"kernel void add(global uint *x, uint by) { x[get_global_id(0)] += by; }"))
program = handle("clCreateProgramWithSource", cl_context, 1, source, None)
ok(cl.clBuildProgram(program, 0, None, None, None, None))
kernel = handle("clCreateKernel", program, b"add")
N = 64

def new_buffer(flags=1):
    return handle("clCreateBuffer", cl_context, W(flags), W(4 * N), None)

def at(words):
    return P(words.ctypes.data)

def write(queue, buffer, words, blocking=1):
    ok(cl.clEnqueueWriteBuffer(queue, buffer, U(blocking), W(0), W(words.nbytes), at(words), 0, None, None))

def read(queue, buffer, event=None):
    found = np.zeros(N, np.uint32)
    waits = (P * 1)(event) if event else None
    ok(cl.clEnqueueReadBuffer(queue, buffer, U(1), W(0), W(found.nbytes), at(found), U(1 if event else 0), waits, None))
    return found

def fill(queue, buffer, word):
    ok(cl.clEnqueueFillBuffer(queue, buffer, ctypes.byref(U(word)), W(4), W(0), W(4 * N), 0, None, None))

def copy(queue, source, target):
    ok(cl.clEnqueueCopyBuffer(queue, source, target, W(0), W(0), W(4 * N), 0, None, None))

def add(queue, buffer, by):
    ok(cl.clSetKernelArg(kernel, 0, W(8), ctypes.byref(buffer)))
    ok(cl.clSetKernelArg(kernel, 1, W(4), ctypes.byref(U(by))))
    event = P()
    ok(cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(W(N)), ctypes.byref(W(16)), 0, None, ctypes.byref(event)))
    return event

numbers = np.arange(N, dtype=np.uint32)
"""


def run(text):
    return driver_library.run(HEAD, text, native_calls="1")


def test_what_is_on_the_queues_device_is_used_without_pythons_steps():
    run("""
pairs = [(new_buffer(), new_buffer()) for _ in queues]
for queue, (x, y) in zip(queues, pairs):
    write(queue, x, numbers)
    fill(queue, y, 1)
    add(queue, x, 0)
    add(queue, x, 0)
acquired.clear()
for queue, (x, y) in zip(queues, pairs):
    for _ in range(3):
        add(queue, x, 5)
        copy(queue, x, y)
    assert np.array_equal(read(queue, y), numbers + 15)
    write(queue, y, numbers, 0)
    assert np.array_equal(read(queue, y), numbers)
    fill(queue, y, 9)
    assert (read(queue, y) == 9).all()
    ok(cl.clFinish(queue))
assert not acquired
""")


def test_what_is_elsewhere_is_pythons_to_bring():
    run("""
x = new_buffer()
write(queues[0], x, numbers)
event = add(queues[1], x, 1)
assert np.array_equal(read(queues[0], x, event), numbers + 1)
event = add(queues[0], x, 1)
event = add(queues[0], x, 1)
assert len(acquired) >= 3 and np.array_equal(read(queues[1], x, event), numbers + 3)
""")


def test_errors_are_those_of_pythons_steps():
    run("""
x, y = new_buffer(1 | 1 << 9), new_buffer(1 | 1 << 8)  # CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY
words = np.zeros(2 * N, np.uint32)
for queue in queues:
    fill(queue, x, 1)
    fill(queue, y, 1)
    assert cl.clEnqueueReadBuffer(queue, x, U(1), W(0), W(4), at(words), 0, None, None) == -59
    assert cl.clEnqueueWriteBuffer(queue, y, U(1), W(0), W(4), at(words), 0, None, None) == -59
    assert cl.clEnqueueReadBuffer(queue, y, U(1), W(0), W(8 * N), at(words), 0, None, None) == -30
    assert cl.clEnqueueReadBuffer(queue, y, U(1), W(0), W(4), None, 0, None, None) == -30
    assert cl.clEnqueueCopyBuffer(queue, x, x, W(0), W(4), W(8), 0, None, None) == -8
    assert cl.clEnqueueFillBuffer(queue, x, ctypes.byref(U(1)), W(3), W(0), W(12), 0, None, None) == -30
    assert cl.clEnqueueFillBuffer(queue, x, ctypes.byref(U(1)), W(4), W(2), W(12), 0, None, None) == -30
""")


def test_released_kernels_return_and_know_no_arguments():
    run("""
x, y = new_buffer(), new_buffer()
for buffer in (x, y):
    write(queues[0], buffer, numbers)
for _ in range(3):
    add(queues[0], x, 1)
address = kernel.value
ok(cl.clReleaseKernel(kernel))
kernel = handle("clCreateKernel", program, b"add")
assert kernel.value == address
assert (read(queues[0], x) == numbers + 3).all()
sizes = 1, None, ctypes.byref(W(N)), ctypes.byref(W(16)), 0, None, None
assert cl.clEnqueueNDRangeKernel(queues[0], kernel, *sizes) == -52
ok(cl.clSetKernelArg(kernel, 1, W(4), ctypes.byref(U(5))))
assert cl.clEnqueueNDRangeKernel(queues[0], kernel, *sizes) == -52
ok(cl.clReleaseMemObject(x))
add(queues[1], y, 5), add(queues[0], y, 7), add(queues[0], y, 7)
assert (read(queues[1], y) == numbers + 19).all()
""")


def test_shared_memory_is_the_librarys():
    run("""
from cl2cuda.runtime.queue.queue import CommandQueue
submitted, submit = [], CommandQueue.submit
CommandQueue.submit = lambda self, routine, *rest, **named: submitted.append(routine) or submit(self, routine, *rest, **named)
cl.clSVMAlloc.restype = P
memory = cl.clSVMAlloc(cl_context, W(1), W(4096), 0)
words = np.frombuffer((ctypes.c_char * (4 * N)).from_address(memory), np.uint32)
for turn in range(3):
    for queue in queues:
        ok(cl.clEnqueueSVMMemcpy(queue, 1, P(memory), at(numbers), W(4 * N), 0, None, None))
        ok(cl.clEnqueueSVMMemFill(queue, P(memory), ctypes.byref(U(turn)), W(4), W(64), 0, None, None))
        ok(cl.clEnqueueSVMMap(queue, 1, W(1), P(memory), W(64), 0, None, None))
        assert (words[:16] == turn).all() and (words[16:] == numbers[16:]).all()
        ok(cl.clEnqueueSVMUnmap(queue, P(memory), 0, None, None))
    if turn == 0:
        submitted.clear()
assert not submitted
""")
