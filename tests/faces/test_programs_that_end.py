"""Programs that end while commands are held back: nothing waits for a user event that nobody can set any more."""

import os
import subprocess
import sys

import pytest
from support.processes import environment

HEAD = """
import os, sys, threading, time
import numpy as np
from cl2cuda import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue, other = (cl.CommandQueue(context) for _ in range(2))
unordered = cl.CommandQueue(context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 1 << 20)
gate = cl.UserEvent(context)

def read(on=queue, after=gate, size=1 << 20):
    return cl.enqueue_copy(on, np.zeros(size, np.uint8), buffer, is_blocking=False, wait_for=[after])

def write(on=queue, after=gate):
    return cl.enqueue_copy(on, buffer, np.zeros(1 << 20, np.uint8), is_blocking=False, wait_for=[after])
"""

PROGRAMS = {
    "plain": "event = read()",
    "write": "event = write()",
    "exit": "event = read(); sys.exit(0)",
    "error": "event = read(); sys.excepthook = lambda *_: None; raise SystemExit(0)",
    "a circle": "event = read(); event.itself = event",
    "many": "events = [read() for _ in range(50)]",
    "two queues": "first = read(); second = read(other, first); third = write(queue, second)",
    "one event, two queues": "events = [read(), read(other), read(unordered), write(unordered)]",
    "behind": "event = read(); behind = cl.enqueue_copy(queue, np.zeros(64, np.uint8), buffer, is_blocking=False)",
    "released": "event = read(); buffer.release()",
    "thread": "thread = threading.Thread(target=lambda: (read(), time.sleep(0.3))); thread.start()",
    "thread that comes later": """
def work():
    event = read()
    time.sleep(0.3)
    del event
threading.Thread(target=work).start()
""",
    "two threads": """
def work():
    event = read()
    time.sleep(0.3)
for _ in range(2):
    threading.Thread(target=work).start()
""",
    "sys.exit in a thread": """
def work():
    event = read()
    time.sleep(0.2)
    sys.exit(1)
threading.Thread(target=work).start()
""",
    "daemon": """
def work():
    event = read()
    time.sleep(0.05)
    del event
threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
""",
    "at exit": """
import atexit
event = read()
def last():
    global event
    del event
atexit.register(last)
""",
    "set by a thread that lives on": """
def work():
    event = read()
    del event
def set_it():
    time.sleep(0.3)
    gate.set_status(cl.command_execution_status.COMPLETE)
    queue.finish()
for each in work, set_it:
    threading.Thread(target=each).start()
""",
    "set at exit": """
import atexit
event = read()
atexit.register(lambda: gate.set_status(cl.command_execution_status.COMPLETE))
""",
    "copies on their way": """
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 128 << 20)
gate.set_status(cl.command_execution_status.COMPLETE)
events = [read(size=128 << 20) for _ in range(3)]
""",
    "mapped": """
array, event = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.WRITE, 0, (1 << 20,), np.uint8, is_blocking=False, wait_for=[gate])
""",
    "a map that is released late": """
array, event = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.WRITE, 0, (1 << 20,), np.uint8)
held = read()
""",
    "arrays": """
import pyopencl.array as cla
array = cla.zeros(queue, 1000, np.float32)
array.add_event(gate)
host, event = (array + 1).get_async()
""",
    "shared memory of a pool": """
from pyopencl import tools
if context.devices[0].svm_capabilities:
    pool = tools.SVMPool(tools.SVMAllocator(context))
    block = pool(4096)
    block.bind_to_queue(queue)
    event = read()
""",
}


# A module that outlives cl2cuda's: modules that something still refers to lose their names in the reverse order of their imports.
EARLY = """
import sys, types
early = sys.modules["early"] = types.ModuleType("early")
"""
KEEP = "\nsys.kept = list(sys.modules.values())\nearly.kept = context, queue, "

KEPT = {
    "buffer": "cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(1 << 18, np.float32))",
    "used buffer": "buffer, cl.enqueue_fill_buffer(queue, buffer, np.uint8(7), 0, 1 << 20)",
    "sub-buffer": "buffer[1024:2048]",
    "map": "cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ, 0, (16,), np.uint8)",
    "image": "cl.image_from_array(context, np.zeros((64, 64, 4), np.uint8), 4)",
    "image of a buffer": """cl.create_image(context, cl.mem_flags.READ_WRITE, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT),
        (1024,), buffer=buffer)""",
    "program": "cl.Program(context, 'kernel void f() {}').build().f",
    "pool": "cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue)).allocate(4096)",
}


def run(program, head=HEAD, **variables):
    return subprocess.run([sys.executable, "-c", head + program], capture_output=True, text=True, timeout=60,
                          env=environment(**{"CL2CUDA_DEVICE": os.environ.get("CL2CUDA_DEVICE", "all"), **variables}))


@pytest.mark.parametrize("native", ["0", "1"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_end(name, native):
    done = run(PROGRAMS[name], CL2CUDA_NATIVE_CALLS=native)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("native", ["0", "1"])
@pytest.mark.parametrize("name", KEPT)
def test_objects_may_outlive_the_names_of_modules(name, native):
    """Nothing is heard of what they give back no more: the process ends."""
    done = run(KEEP + KEPT[name], EARLY + HEAD + "import pyopencl.tools", CL2CUDA_NATIVE_CALLS=native)
    assert (done.returncode, done.stderr) == (0, "")


def test_while_the_program_goes_on_the_memory_is_waited_for():
    done = run("""
host = np.zeros(1 << 20, np.uint8)
cl.enqueue_fill_buffer(queue, buffer, np.uint8(7), 0, 1 << 20)
event = cl.enqueue_copy(queue, host, buffer, is_blocking=False, wait_for=[gate])
def set_it():
    time.sleep(0.3)
    gate.set_status(cl.command_execution_status.COMPLETE)
threading.Thread(target=set_it).start()
begun = time.monotonic()
del event
assert time.monotonic() - begun > 0.2 and (host == 7).all()
""")
    assert (done.returncode, done.stderr) == (0, "")
