"""Moves particles with OpenCL (particles.cl) in buffers of OpenGL, which draws them, off screen, and writes the picture as PNG.

usage: python particles.py [particles.png]

It needs PyOpenGL, and an OpenGL that EGL finds without a screen: that of a GPU, or Mesa's.
"""

import os
import sys
from ctypes import c_long, c_void_p, cast
from pathlib import Path

import numpy as np
import pyopencl as cl

os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
from OpenGL import EGL, GL
from OpenGL.EGL.EXT.device_enumeration import eglQueryDevicesEXT
from OpenGL.GL.shaders import compileProgram, compileShader

from png import write_png

COUNT, FRAMES, PACE = 100_000, 150, np.float32(0.02)
COLUMNS, ROWS = 900, 600
CHECKED = slice(None, None, 97)
DEVICE_PLATFORM, SURFACELESS_PLATFORM = 0x313F, 0x31DD

VERTICES = """#version 330
layout(location = 0) in vec4 particle;
layout(location = 1) in vec4 colour;
out vec4 light;
void main() { gl_Position = vec4(particle.x * 2.0 / 3.0, particle.y, 0.0, 1.0); gl_PointSize = 2.0; light = colour; }"""
FRAGMENTS = """#version 330
in vec4 light;
out vec4 pixel;
void main() { pixel = vec4(light.rgb * 0.3, 1.0); }"""

output = sys.argv[1] if len(sys.argv) > 1 else "particles.png"


def displays():
    """Of the GPUs first: EGL's devices, then what renders without any."""
    devices, count = (EGL.EGLDeviceEXT * 16)(), c_long()
    eglQueryDevicesEXT(16, devices, count)
    yield from ((DEVICE_PLATFORM, devices[i]) for i in range(count.value))
    yield SURFACELESS_PLATFORM, None


def shared_context():
    """A context of OpenGL, current from now on, and one of OpenCL that shares its objects."""
    refused = []
    EGL.eglBindAPI(EGL.EGL_OPENGL_API)
    for platform, device in displays():
        try:
            display = EGL.eglGetPlatformDisplay(platform, device, [EGL.EGL_NONE])
            EGL.eglInitialize(display, c_long(), c_long())
            config = (EGL.EGLConfig * 1)()
            wanted = [EGL.EGL_SURFACE_TYPE, EGL.EGL_PBUFFER_BIT, EGL.EGL_RENDERABLE_TYPE, EGL.EGL_OPENGL_BIT, EGL.EGL_NONE]
            EGL.eglChooseConfig(display, wanted, config, 1, c_long())
            context = EGL.eglCreateContext(display, config[0], EGL.EGL_NO_CONTEXT, [EGL.EGL_NONE])
            EGL.eglMakeCurrent(display, EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, context)
            names = cl.context_properties
            return cl.Context(properties=[(names.PLATFORM, cl.get_platforms()[0]),
                                          (names.GL_CONTEXT_KHR, cast(context, c_void_p)),
                                          (names.EGL_DISPLAY_KHR, cast(display, c_void_p))])
        except (EGL.EGLError, cl.Error) as error:
            refused.append(str(error))
    sys.exit("particles: no OpenGL shares with OpenCL here: " + "; ".join(refused))


context = shared_context()
queue = cl.CommandQueue(context)
program = cl.Program(context, Path(__file__).with_suffix(".cl").read_text()).build()
move = program.step

# Rings of particles that turn. OpenGL has them; OpenCL shares the buffers.
rng = np.random.default_rng(7)
angle, radius = rng.uniform(0, 2 * np.pi, COUNT), rng.choice([0.55, 0.7, 0.85], COUNT) + rng.normal(0, 0.02, COUNT)
turning = 0.5 / np.sqrt(radius)
start = np.stack([radius * np.cos(angle), radius * np.sin(angle), -turning * np.sin(angle), turning * np.cos(angle)], axis=1)
start = start.astype(np.float32)
names = [int(name) for name in GL.glGenBuffers(2)]
for name, contents in zip(names, (start, np.zeros((COUNT, 4), np.uint8))):
    GL.glBindBuffer(GL.GL_ARRAY_BUFFER, name)
    GL.glBufferData(GL.GL_ARRAY_BUFFER, contents.nbytes, contents, GL.GL_DYNAMIC_DRAW)
particles, colours = shared = [cl.GLBuffer(context, cl.mem_flags.READ_WRITE, name) for name in names]

# What OpenGL draws into, and how.
frame, picture = int(GL.glGenFramebuffers(1)), int(GL.glGenRenderbuffers(1))
GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, picture)
GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, GL.GL_RGBA8, COLUMNS, ROWS)
GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, frame)
GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, GL.GL_RENDERBUFFER, picture)
GL.glBindVertexArray(GL.glGenVertexArrays(1))
GL.glUseProgram(compileProgram(compileShader(VERTICES, GL.GL_VERTEX_SHADER), compileShader(FRAGMENTS, GL.GL_FRAGMENT_SHADER)))
for place, (name, kind, normalised) in enumerate(zip(names, (GL.GL_FLOAT, GL.GL_UNSIGNED_BYTE), (GL.GL_FALSE, GL.GL_TRUE))):
    GL.glBindBuffer(GL.GL_ARRAY_BUFFER, name)
    GL.glVertexAttribPointer(place, 4, kind, normalised, 0, None)
    GL.glEnableVertexAttribArray(place)
GL.glViewport(0, 0, COLUMNS, ROWS)
GL.glEnable(GL.GL_PROGRAM_POINT_SIZE)
GL.glEnable(GL.GL_BLEND)
GL.glBlendFunc(GL.GL_ONE, GL.GL_ONE)

for step in range(FRAMES):
    cl.enqueue_acquire_gl_objects(queue, shared)
    move(queue, (COUNT,), None, particles, colours, np.float32(step * PACE), PACE)
    cl.enqueue_release_gl_objects(queue, shared)
    if step % 30 == 29:  # as a screen would show it
        GL.glClear(GL.GL_COLOR_BUFFER_BIT)
        GL.glDrawArrays(GL.GL_POINTS, 0, COUNT)
queue.finish()
pixels = np.frombuffer(GL.glReadPixels(0, 0, COLUMNS, ROWS, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, outputType=bytes), np.uint8)
write_png(output, pixels.reshape(ROWS, COLUMNS, 4)[::-1, :, :3])

# NumPy moves some of the particles, too.
place, speed = start[CHECKED, :2].astype(np.float64), start[CHECKED, 2:].astype(np.float64)
for step in range(FRAMES):
    pull = np.zeros_like(place)
    for mass in range(2):
        turn = np.float32(step * PACE) + mass * np.pi
        away = 0.45 * np.array([np.cos(turn), np.sin(turn)]) - place
        pull += away / ((away**2).sum(axis=1, keepdims=True) + 0.02)
    speed += PACE * (0.12 * pull - 0.05 * speed)
    place += PACE * speed
GL.glBindBuffer(GL.GL_ARRAY_BUFFER, names[0])
moved = np.frombuffer(bytes(GL.glGetBufferSubData(GL.GL_ARRAY_BUFFER, 0, start.nbytes)), np.float32).reshape(COUNT, 4)
worst = np.abs(moved[CHECKED, :2] - place).max()
assert worst < 1e-3, f"a particle is {worst} from where NumPy sees it"
lit = (pixels.reshape(-1, 4)[:, :3].max(axis=1) > 0).mean()
assert lit > 0.05, "OpenGL has drawn next to nothing"
print(f"particles: {COUNT:,} particles after {FRAMES} steps on {context.devices[0].name}, drawn by "
      f"{GL.glGetString(GL.GL_RENDERER).decode()}, within {worst:.1e} of where NumPy sees them: {output}")
