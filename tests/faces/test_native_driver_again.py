"""Commands that programs in C give again and again, in changing order: after the first few none enters Python, whatever was done before. Each is
a step of a program over a CUDA that is imagined, with what waits for it."""

import pytest
from support.driver_arrays import IMAGES
from support.driver_arrays import run as run_with

from cl2cuda.runtime.native import library as native
from cl2cuda.runtime.native.build import build_for_source_tree

STEPS = r"""
import gc, os, random

ROOM = 1 << 20
host = ctypes.create_string_buffer(ROOM)
one, other = (handle("clCreateBuffer", cl_context, W(0), W(ROOM), None) for _ in range(2))
locked = handle("clCreateBuffer", cl_context, W(1 << 4), W(ROOM), None)
own_memory = ctypes.create_string_buffer(40_000)
own = handle("clCreateBuffer", cl_context, W(1 << 3), W(len(own_memory)), own_memory)
SIZES = {"64 B": 64, "5 KB": 5000, "40 KB": 40_000, "100 KB": 100_000, "300 KB": 300_000}
START, ORIGIN = W(0), three(0, 0, 0)
steps = {}

def queue_of(properties):
    return handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, properties, 0))

def image_of(width, height, depth=1):
    described = Description(IMAGE3D if depth > 1 else IMAGE2D, width, height, depth)
    return handle("clCreateImage", cl_context, W(0), ctypes.byref(Format(RGBA, BYTES)), ctypes.byref(described), None), three(width, height, depth)

def waits(queue, give, timed):
    event, told = P(), W()
    ok(give(event))
    ok(cl.clWaitForEvents(1, ctypes.byref(event)))
    for what in range(0x1280, 0x1284) if timed else ():
        ok(cl.clGetEventProfilingInfo(event, what, W(8), ctypes.byref(told), None))
    ok(cl.clReleaseEvent(event))

def unmaps(queue, memory, mapped):
    ok(cl.clEnqueueUnmapMemObject(queue, memory, mapped, 0, None, None)), ok(cl.clFinish(queue))

def finishes(queue, status):
    ok(status), ok(cl.clFinish(queue))

def add_copies(name, queue, timed):
    for size_name, size in SIZES.items():
        for blocking in (1, 0):
            for kind, call in (("write", cl.clEnqueueWriteBuffer), ("read", cl.clEnqueueReadBuffer)):
                def give(event, call=call, size=size, blocking=blocking):
                    return call(queue, one, blocking, W(64), W(size), host, 0, None, ctypes.byref(event) if event is not None else None)
                steps[f"{kind} {size_name}{'' if blocking else ' later'}, {name}"] = lambda give=give: finishes(queue, give(None))
                steps[f"{kind} {size_name}{'' if blocking else ' later'} with an event, {name}"] = lambda give=give: waits(queue, give, timed)
            for flags in (READ, WRITE, INVALIDATE):
                steps[f"map {size_name} {flags}{'' if blocking else ' later'}, {name}"] = lambda size=size, flags=flags, blocking=blocking: (
                    unmaps(queue, one, handle("clEnqueueMapBuffer", queue, one, blocking, W(flags), START, W(size), 0, None, None)))
        steps[f"copy {size_name}, {name}"] = lambda size=size: finishes(
            queue, cl.clEnqueueCopyBuffer(queue, one, other, START, START, W(size), 0, None, None))
        steps[f"fill {size_name}, {name}"] = lambda size=size: finishes(
            queue, cl.clEnqueueFillBuffer(queue, other, b"abcd", W(4), START, W(size // 4 * 4), 0, None, None))
    for kind, memory, size in (("page-locked", locked, ROOM), ("the application's", own, len(own_memory))):
        steps[f"map {kind}, {name}"] = lambda memory=memory, size=size: unmaps(
            queue, memory, handle("clEnqueueMapBuffer", queue, memory, 1, W(READ | WRITE), START, W(size), 0, None, None))
    rows = ORIGIN, ORIGIN, three(64, 100, 1), W(256), START, W(128), START
    for blocking in (1, 0):
        for kind, call in (("write", cl.clEnqueueWriteBufferRect), ("read", cl.clEnqueueReadBufferRect)):
            steps[f"{kind} rows{'' if blocking else ' later'}, {name}"] = lambda call=call, blocking=blocking: finishes(
                queue, call(queue, one, blocking, *rows, host, 0, None, None))
    steps[f"copy rows, {name}"] = lambda: finishes(queue, cl.clEnqueueCopyBufferRect(queue, one, other, *rows, 0, None, None))

def add_images(name, queue, timed):
    for image_name, sides in {"little image": (16, 16), "image": (100, 100), "large image": (300, 256), "volume": (32, 32, 8)}.items():
        image, size = image_of(*sides)
        second, _ = image_of(*sides)
        for blocking in (1, 0):
            for kind, call in (("write", cl.clEnqueueWriteImage), ("read", cl.clEnqueueReadImage)):
                def give(event, call=call, image=image, size=size, blocking=blocking):
                    return call(queue, image, blocking, ORIGIN, size, START, START, host, 0, None, ctypes.byref(event) if event is not None else None)
                steps[f"{kind} {image_name}{'' if blocking else ' later'}, {name}"] = lambda give=give: finishes(queue, give(None))
                steps[f"{kind} {image_name}{'' if blocking else ' later'} with an event, {name}"] = lambda give=give: waits(queue, give, timed)
        for flags in (READ, WRITE, INVALIDATE):
            def map_it(image=image, size=size, flags=flags):
                pitches = ctypes.c_size_t(), ctypes.c_size_t()
                unmaps(queue, image, handle("clEnqueueMapImage", queue, image, 1, W(flags), ORIGIN, size, *map(ctypes.byref, pitches), 0, None, None))
            steps[f"map {image_name} {flags}, {name}"] = map_it
        for kind, give in {
                "fill": lambda image=image, size=size: cl.clEnqueueFillImage(queue, image, COLOR, ORIGIN, size, 0, None, None),
                "copy": lambda image=image, second=second, size=size: cl.clEnqueueCopyImage(queue, image, second, ORIGIN, ORIGIN, size, 0, None, None),
                "to a buffer": lambda image=image, size=size: cl.clEnqueueCopyImageToBuffer(queue, image, one, ORIGIN, size, START, 0, None, None),
                "of a buffer": lambda image=image, size=size: cl.clEnqueueCopyBufferToImage(queue, one, image, START, ORIGIN, size, 0, None, None),
        }.items():
            steps[f"{kind} {image_name}, {name}"] = lambda give=give: finishes(queue, give())

def add_order(name, queue, timed):
    def gated():
        gate = handle("clCreateUserEvent", cl_context)
        event = P()
        ok(cl.clEnqueueWriteBuffer(queue, one, 0, START, W(64), host, 1, ctypes.byref(gate), ctypes.byref(event)))
        ok(cl.clSetUserEventStatus(gate, 0)), ok(cl.clWaitForEvents(1, ctypes.byref(event)))
        ok(cl.clReleaseEvent(event)), ok(cl.clReleaseEvent(gate))
    steps[f"finish, {name}"] = lambda: ok(cl.clFinish(queue))
    steps[f"flush, {name}"] = lambda: ok(cl.clFlush(queue))
    steps[f"marker, {name}"] = lambda: waits(queue, lambda event: cl.clEnqueueMarkerWithWaitList(queue, 0, None, ctypes.byref(event)), False)
    steps[f"barrier, {name}"] = lambda: ok(cl.clEnqueueBarrierWithWaitList(queue, 0, None, None))
    if name == "in order":
        steps["write behind a user event"] = gated

COLOR = (ctypes.c_uint * 4)(1, 2, 3, 4)
for name, properties in (("in order", 0), ("with times", 2), ("out of order", 1)):
    made = queue_of(properties)
    for add in (add_copies, add_images, add_order):
        add(name, made, properties == 2)

def entered(step):
    # The functions of Python's that the step has called.
    found = []
    def note(frame, event, argument):
        if event == "call" and "/tests/" not in frame.f_code.co_filename and frame.f_code.co_filename != "<string>":
            found.append(frame.f_code.co_name)
    sys.setprofile(note)
    step()
    sys.setprofile(None)
    return found

expected = lambda name: any(word in name for word in EXPECTED)
order, wrong = list(steps), {}
for seed in range(2):
    random.Random(seed).shuffle(order)
    for name in order:
        for _ in range(14):  # the application's memory is page-locked by the last of twelve maps
            steps[name]()
        gc.disable()
        calls = min((entered(steps[name]) for _ in range(2)), key=len)  # CUDA's events come from Python in dozens.
        gc.enable()
        if calls and not expected(name):
            wrong[name] = calls[:3]
assert len(steps) > 400 and not wrong, wrong
"""

# What is to be written without waiting, and has no slots in the imagined CUDA.
EXPECTED = ["write 100 KB later", "write 300 KB later"]


@pytest.mark.skipif(native.calls() is None, reason="the calls were not compiled")
def test_commands_again_and_again_enter_python_no_more():
    build_for_source_tree()  # into the test's own cache
    assert run_with(f"EXPECTED = {EXPECTED!r}\n" + STEPS, IMAGES, "TimedArrays", native_calls="1") == ""
