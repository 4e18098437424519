"""Programs that launch kernels in queues out of order by the driver library, over a CUDA that notes what each stream was given."""

from __future__ import annotations

from pathlib import Path

from . import driver_library

HEAD = (
    """
import ctypes, gc, sys, threading, time, weakref
sys.path.insert(0, TESTS)
from support import compiled_calls, noted_streams
from support.cuda_device import cuda_device
from cl2cuda.opencl_icd import application
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.queue.queue import CommandQueue

compiled = ctypes.CDLL(CUDA)
busy, queries, logged = (ctypes.c_int.in_dll(compiled, name) for name in ("busy", "queries", "logged"))
entries = (noted_streams.Entry * 4096).in_dll(compiled, "entries")
cuda = noted_streams.noted_cuda(compiled)
ctypes.c_long.in_dll(compiled, "no_repeated").value = 1 # a launch is one of the driver's
platforms.platforms()[0]._devices = [Device(platforms.platforms()[0], "cuda", cuda_device(cuda))]
cl = ctypes.CDLL(%r)
W, P = ctypes.c_uint64, ctypes.c_void_p
submitted, submit = [], CommandQueue.submit

def noted(self, routine, *arguments, **named):
    submitted.append(routine)
    return submit(self, routine, *arguments, **named)

CommandQueue.submit = noted
"""
    + driver_library.OPENED
    + """
def new_unordered():
    return handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 1, 0))

unordered = new_unordered()
core = application.core(unordered.value, "Q")
text = ctypes.c_char_p(b"kernel void f(global int *a) { a[0] = 1; }")
program = handle("clCreateProgramWithSource", cl_context, 1, ctypes.byref(text), None)
ok(cl.clBuildProgram(program, 0, None, None, None, None))
buffer = handle("clCreateBuffer", cl_context, W(0), W(4096), None)
kernel = handle("clCreateKernel", program, b"f")
ok(cl.clSetKernelArg(kernel, 0, W(8), ctypes.byref(buffer)))
recordings, made = {}, []

def waits_of(events):
    return len(events), (P * len(events))(*events) if events else None

# As fast as may be: they are quick.
def launch_many(count):
    call, arguments = cl.clEnqueueNDRangeKernel, (unordered, kernel, 1, None, (W * 1)(64), (W * 1)(64), 0, None, None)
    for _ in range(count):
        call(*arguments)

# With the pause no launch is seen to be quick (choice.h).
def launch(*events, queue=None, status=0):
    event = P()
    time.sleep(2e-5)
    found = cl.clEnqueueNDRangeKernel(queue or unordered, kernel, 1, None, (W * 1)(64), (W * 1)(64), *waits_of(events), ctypes.byref(event))
    assert found == status, found
    made.append(event)
    return event

def barrier(*events):
    event = P()
    ok(cl.clEnqueueBarrierWithWaitList(unordered, *waits_of(events), ctypes.byref(event)))
    made.append(event)
    return event

def state(event):
    found = ctypes.c_int(77)
    ok(cl.clGetEventInfo(event, 0x11D3, W(4), ctypes.byref(found), None))
    return found.value

def handles():
    return [timeline.stream.handle for timeline in core.timelines]

# What streams were given since the last time, as in noted_streams; those of the queue are numbers, that of the other one is "a".
def taken():
    names = {handle: str(number) for number, handle in enumerate(handles())}
    names[application.core(queue.value, "Q").stream.handle] = "a"
    found = []
    for entry in entries[: logged.value]:
        kind, name = chr(entry.kind), names[entry.stream]
        if kind == "R":
            recordings[entry.event] = name
        if kind != "W":
            found.append(name + kind)
            continue
        other = recordings[entry.event]
        if found and found[-1] == other + "R":
            found[-1] = f"{name}<<{other}"
        else:
            found.append(f"{name}<{other}")
    logged.value = queries.value = 0
    submitted.clear()
    return " ".join(found)

def make_busy(*which):
    busy.value = sum({1 << (handles()[each] & 7) for each in which})

def finish():
    busy.value = 0
    ok(cl.clFinish(unordered))

# Each of four threads does the work of its number, and what one raises is raised here.
def in_four_threads(work):
    failures = []

    def run(number):
        try:
            work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    finish()
    assert not failures, failures

# The records and waits of Python's own calls, too.
def note_pythons_events():
    cuda.runtime.eventRecord = lambda event, stream: compiled.record(ctypes.c_long(event), P(stream))
    cuda.runtime.streamWaitEvent = lambda stream, event, *flags: compiled.wait_for(P(stream), ctypes.c_long(event), 0)

# Each in a lane of its own.
def two_that_run(given="0L 1L"):
    launch()
    make_busy(0)
    launch()
    finish()
    events = [launch(), launch()]
    assert taken().endswith(given)
    make_busy(0, 1)
    return events

def two_that_run_with_times():
    return two_that_run("0T 1T")

# The second launch of a kernel is known, and the third is not Python's.
for _ in range(3):
    launch(), launch(queue=queue)
    finish()
    ok(cl.clFinish(queue))
taken()
"""
)


def run(cuda: str, text: str, early: str = "") -> str:
    """As `driver_library.run`, over the compiled library, with the compiled calls: what Python itself calls of CUDA's is not noted there.
    `early` comes before the first kernel."""
    tests = str(Path(__file__).resolve().parents[1])
    head = HEAD.replace("text = ctypes.c_char_p(b", early + "text = ctypes.c_char_p(b", 1)
    return driver_library.run(f"TESTS, CUDA = {tests!r}, {cuda!r}\n" + head, text, native_calls="1")
