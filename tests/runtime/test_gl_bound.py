"""What OpenGL sees without being told that anything has changed: of buffers and textures that stay bound while OpenCL writes them."""

import numpy as np
import pytest
from support.gl import FORMATS, GL, Sharing, Texture, compileProgram, compileShader, renderbuffer

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.graphics import enqueue_acquire_gl_objects, enqueue_release_gl_objects
from cl2cuda.runtime.commands.image import enqueue_write_image
from cl2cuda.runtime.graphics.buffer import create_from_gl_buffer
from cl2cuda.runtime.graphics.image import create_from_gl_texture


@pytest.fixture
def on(gl_device):
    yield from Sharing.for_a_test(gl_device)


class Points:
    """A buffer of positions that a vertex array object knows, and nothing binds again; what is drawn from it is 16 x 16 pixels."""

    VERTICES = "#version 330\nlayout(location = 0) in vec4 position; void main() { gl_Position = position; }"
    FRAGMENTS = "#version 330\nout vec4 colour; void main() { colour = vec4(1.0); }"

    def __init__(self, gl, count):
        self.count = count
        self.name = gl.buffer(self.at(-0.5))
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, int(GL.glGenFramebuffers(1)))
        picture = renderbuffer(FORMATS["RGBA8"], (16, 16))
        GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, GL.GL_RENDERBUFFER, picture)
        GL.glViewport(0, 0, 16, 16)
        GL.glBindVertexArray(GL.glGenVertexArrays(1))
        GL.glUseProgram(compileProgram(compileShader(self.VERTICES, GL.GL_VERTEX_SHADER), compileShader(self.FRAGMENTS, GL.GL_FRAGMENT_SHADER)))
        GL.glVertexAttribPointer(0, 4, GL.GL_FLOAT, GL.GL_FALSE, 0, None)
        GL.glEnableVertexAttribArray(0)

    def at(self, x):
        return np.tile(np.array([x, 0, 0, 1], np.float32), (self.count, 1))

    def drawn(self):
        """The columns that the first and the last point are drawn in."""
        columns = []
        for point in (0, self.count - 1):
            GL.glClear(GL.GL_COLOR_BUFFER_BIT)
            GL.glDrawArrays(GL.GL_POINTS, point, 1)
            pixels = np.frombuffer(GL.glReadPixels(0, 0, 16, 16, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, outputType=bytes), np.uint8)
            columns += sorted(set(np.nonzero(pixels.reshape(16, 16, 4)[..., 0])[1].tolist()))
        return columns

    def read(self):
        found = np.asarray(GL.glGetBufferSubData(GL.GL_ARRAY_BUFFER, 0, self.count * 16)).view(np.float32)
        return found.reshape(-1, 4)


@pytest.mark.parametrize("count", [64, 4096, 100_000])
@pytest.mark.parametrize("looking", ["drawn", "read"])
def test_a_buffer_that_stays_bound(on, looking, count):
    """"If an OpenGL context is bound to a thread other than the one in which clEnqueueReleaseGLObjects is called, changes [...] may not be
    visible to that context without additional steps": to the one of this thread they are."""
    points = Points(on.gl, count)
    shared = create_from_gl_buffer(on.context, 0, points.name)
    if looking == "drawn":
        assert points.drawn() == [4, 4]
    for x, column in ((0.5, 12), (0.25, 10), (-0.25, 6), (0, 8)):
        enqueue_acquire_gl_objects(on.queue, [shared])
        enqueue_write_buffer(on.queue, shared, False, 0, points.at(x))
        enqueue_release_gl_objects(on.queue, [shared])
        if looking == "drawn":
            assert points.drawn() == [column, column]
        else:
            assert (points.read() == points.at(x)).all()
    enqueue_acquire_gl_objects(on.queue, [shared])
    back = points.at(7)
    enqueue_read_buffer(on.queue, shared, True, 0, back)
    assert (back == points.at(0)).all()
    enqueue_release_gl_objects(on.queue, [shared])


@pytest.mark.parametrize("name", ["RGBA8", "RG16UI", "SRGB8_ALPHA8", "R8_SNORM"])
@pytest.mark.parametrize("size", [(4, 4), (300, 200)])
def test_a_texture_that_stays_bound(on, size, name):
    format_ = FORMATS[name]
    texture = Texture("TEXTURE_2D", format_, format_.random(size))
    shared = create_from_gl_texture(on.context, 0, texture.target, 0, texture.name)
    for seed in (2, 3, 4):
        pixels = format_.random(size, seed=seed)
        enqueue_acquire_gl_objects(on.queue, [shared])
        enqueue_write_image(on.queue, shared, False, (0, 0, 0), (*size, 1), 0, 0, pixels)
        enqueue_release_gl_objects(on.queue, [shared])
        assert texture.read(bind=False).tobytes() == pixels.tobytes()
