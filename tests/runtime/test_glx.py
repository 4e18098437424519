"""Sharing with a context of GLX, on an X server without a screen (Xvfb)."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import environment

from cl2cuda.runtime.opengl import library

ROOT = Path(__file__).resolve().parents[2]

# A process of its own, with a context that is current, and a buffer `name` of 256 bytes.
START = """
import ctypes, sys
import numpy as np
from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_read_buffer
from cl2cuda.runtime.commands.graphics import enqueue_acquire_gl_objects, enqueue_release_gl_objects
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.platform import platforms
from cl2cuda.runtime.graphics.buffer import create_from_gl_buffer
from cl2cuda.runtime.graphics.context_info import gl_context_info
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

P, I = ctypes.c_void_p, ctypes.c_int
x, glx = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libGL.so.1")

def of(library, name, result, *types):
    function = getattr(library, name)
    function.restype, function.argtypes = result, types
    return function

display = of(x, "XOpenDisplay", P, ctypes.c_char_p)(None)
assert display, "no X server"
count = I()
found = of(glx, "glXChooseFBConfig", ctypes.POINTER(P), P, I, P, P)(display, 0, (I * 3)(0x8010, 5, 0), ctypes.byref(count))  # drawables
if not count.value:
    sys.exit(7)
made = of(glx, "glXCreateNewContext", P, P, P, I, P, I)(display, found[0], 0x8014, None, 1)
pbuffer = of(glx, "glXCreatePbuffer", ctypes.c_ulong, P, P, P)(display, found[0], (I * 5)(0x8041, 1, 0x8040, 1, 0))
assert of(glx, "glXMakeContextCurrent", I, P, ctypes.c_ulong, ctypes.c_ulong, P)(display, pbuffer, pbuffer, made)

name, contents = ctypes.c_uint(), np.arange(256, dtype=np.uint8)
of(glx, "glGenBuffers", None, I, P)(1, ctypes.byref(name))
bind = of(glx, "glBindBuffer", None, ctypes.c_uint, ctypes.c_uint)
bind(0x8892, name)
of(glx, "glBufferData", None, ctypes.c_uint, ctypes.c_ssize_t, P, ctypes.c_uint)(0x8892, 256, contents.ctypes.data, 0x88E8)

"""

RUNTIME = """
properties = [(codes.GL_CONTEXT_KHR, made), (codes.GLX_DISPLAY_KHR, display)]
device = gl_context_info(platforms()[0], properties, codes.CURRENT_DEVICE_FOR_GL_CONTEXT_KHR)
if device is None:
    sys.exit(7)
context = Context([device], properties)
queue = CommandQueue(context, device)
shared = create_from_gl_buffer(context, 0, name.value)
enqueue_acquire_gl_objects(queue, [shared])
back = np.zeros_like(contents)
enqueue_read_buffer(queue, shared, True, 0, back)
assert (back == contents).all()
enqueue_fill_buffer(queue, shared, bytes([9]), 0, 100)
enqueue_release_gl_objects(queue, [shared])
bind(0x8892, name)
of(glx, "glGetBufferSubData", None, ctypes.c_uint, ctypes.c_ssize_t, ctypes.c_ssize_t, P)(0x8892, 0, 256, back.ctypes.data)
contents[:100] = 9
assert (back == contents).all()
queue.finish()
print("all is well")
"""

PYOPENCL = """
import os
os.environ["PYOPENGL_PLATFORM"] = "glx"
import cl2cuda
cl2cuda.install()
import pyopencl as cl
from pyopencl.tools import get_gl_sharing_context_properties

properties = get_gl_sharing_context_properties()
assert [int(name) for name, _ in properties] == [codes.GL_CONTEXT_KHR, codes.GLX_DISPLAY_KHR]
try:
    context = cl.Context(properties=properties)
except cl.LogicError as error:
    assert error.code == -1000, error
    sys.exit(7)
queue = cl.CommandQueue(context)
shared = cl.GLBuffer(context, cl.mem_flags.READ_WRITE, name.value)
cl.enqueue_acquire_gl_objects(queue, [shared])
back = np.zeros_like(contents)
cl.enqueue_copy(queue, back, shared)
cl.enqueue_release_gl_objects(queue, [shared])
assert (back == contents).all()
queue.finish()
print("all is well")
"""


@pytest.mark.parametrize("program", [RUNTIME, PYOPENCL], ids=["runtime", "pyopencl"])
def test_a_context_of_glx(program):
    if not shutil.which("Xvfb") or library.glx() is None:
        pytest.skip("Xvfb or GLX is not installed")
    if program is PYOPENCL:
        pytest.importorskip("OpenGL")
    try:
        ctypes.CDLL("libX11.so.6")
    except OSError:
        pytest.skip("libX11 is not installed")
    reading, writing = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "64x64x24"], pass_fds=[writing],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as said:
            number = said.readline().strip()
        assert number, "Xvfb does not start"
        done = subprocess.run([sys.executable, "-c", START + program], cwd=ROOT, capture_output=True, text=True, timeout=120,
                              env=environment(DISPLAY=f":{number}"))
    finally:
        server.terminate()
        server.wait()
    if done.returncode == 7:
        pytest.skip("GLX makes no context that a device shares with")
    assert done.returncode == 0 and "all is well" in done.stdout, done.stdout + done.stderr
