"""PyOpenCL's classes for OpenGL, in a process of its own: GLBuffer, GLTexture, GLRenderBuffer, what they tell, and what kernels see."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.gl import GlContext
from support.processes import cuda_devices, environment

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import sys
sys.path.insert(0, "tests")
import cl2cuda
cl2cuda.install()
import numpy as np
import pyopencl as cl
from support.gl import FORMATS, GL, GlContext, Texture, displays, renderbuffer

assert cl.have_gl()
platform, = cl.get_platforms()
for display in displays():
    gl = GlContext(display=display)
    properties = [(cl.context_properties.GL_CONTEXT_KHR, gl.context), (cl.context_properties.EGL_DISPLAY_KHR, gl.display)]
    device = cl._cl.get_gl_context_info_khr(properties, cl.gl_context_info.CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, platform)
    if device is not None:
        break
    gl.close()
else:
    sys.exit(7)
assert device in cl._cl.get_gl_context_info_khr(properties, cl.gl_context_info.DEVICES_FOR_GL_CONTEXT_KHR)
context = cl.Context(properties=[(cl.context_properties.PLATFORM, platform), *properties])
queue = cl.CommandQueue(context)

contents = np.arange(64, dtype=np.float32)
name = gl.buffer(contents)
flags = np.uint16(cl.mem_flags.READ_WRITE)
buffer = cl.GLBuffer(context, flags, np.int32(name))
assert buffer.get_gl_object_info() == (cl.gl_object_type.BUFFER, name) and buffer.size == 256

texture = Texture("TEXTURE_2D", FORMATS["RGBA8UI"], FORMATS["RGBA8UI"].random((8, 8)))
image = cl.GLTexture(context, flags, np.int32(texture.target), np.int8(0), np.uint64(texture.name), np.int64(2))
assert image.get_gl_object_info() == (cl.gl_object_type.TEXTURE2D, texture.name)
assert image.get_gl_texture_info(np.int16(cl.gl_texture_info.TEXTURE_TARGET)) == texture.target
assert image.get_gl_texture_info(cl.gl_texture_info.MIPMAP_LEVEL) == 0
assert image.width == image.height == 8 and isinstance(image, cl.Image)

name_of_renderbuffer = renderbuffer(FORMATS["RGBA32F"], (8, 8))
drawn = cl.GLRenderBuffer(context, flags, np.uint32(name_of_renderbuffer))
assert drawn.get_gl_object_info() == (cl.gl_object_type.RENDERBUFFER, name_of_renderbuffer)

program = cl.Program(context, '''
    kernel void work(global float *a, read_only image2d_t b, write_only image2d_t c) {
        int i = get_global_id(0);
        a[i] = a[i] * 2 + read_imageui(b, (int2)(i % 8, i / 8)).x;
        write_imagef(c, (int2)(i % 8, i / 8), (float4)(a[i]));
    }''').build()
cl.enqueue_acquire_gl_objects(queue, [buffer, image, drawn])
program.work(queue, (64,), None, buffer, image, drawn)
pixels = np.empty((8, 8, 4), np.float32)
cl.enqueue_copy(queue, pixels, drawn, origin=(0, 0), region=(8, 8))
event = cl.enqueue_release_gl_objects(queue, [buffer, image, drawn])
assert event.command_type == cl.command_type.RELEASE_GL_OBJECTS
expected = contents * 2 + texture.read()[..., 0].ravel()
assert (gl.read_buffer(name, contents) == expected).all() and (pixels[..., 0].ravel() == expected).all()

for bad in (lambda: cl.GLBuffer(context, cl.mem_flags.READ_WRITE, 12345), lambda: cl.Context(properties=[*properties[:1]])):
    try:
        bad()
    except cl.Error as error:
        assert error.code in (cl.status_code.INVALID_GL_OBJECT, -1000), error
    else:
        raise AssertionError("nothing was refused")
buffer.release()
queue.finish()
print("all is well")
"""


@pytest.mark.parametrize("device", ["host", "cuda"])
def test_a_program_that_shares(device):
    if device == "cuda" and not cuda_devices():
        pytest.skip("no CUDA device")
    GlContext().close()  # skips where there is no OpenGL
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=300,
                          env=environment(CL2CUDA_DEVICE=device))
    if done.returncode == 7:
        pytest.skip("no OpenGL that needs no screen renders on the device")
    assert done.returncode == 0 and "all is well" in done.stdout, done.stdout + done.stderr
