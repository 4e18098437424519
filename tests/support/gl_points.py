"""Points drawn from a buffer: what OpenGL's draws see, and whether a machine's OpenGL draws right by itself.

After a fault of any CUDA program NVIDIA's driver (580.159, H200) goes on with OpenGL whose every other draw reads zeros, in processes
without CUDA, too; the kernel's log then has an MMU fault for each (Xid 31).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from support.gl import FORMATS, GL, MISSING, GlContext, compileProgram, compileShader, displays, renderbuffer

SIDE = 16
WRONG = "OpenGL by itself draws something else than its buffers hold, as NVIDIA's driver does after a kernel's fault"


class Points:
    """A buffer of positions that a vertex array object knows, and nothing binds again; what is drawn from it is 16 x 16 pixels."""

    VERTICES = "#version 330\nlayout(location = 0) in vec4 position; void main() { gl_Position = position; }"
    FRAGMENTS = "#version 330\nout vec4 colour; void main() { colour = vec4(1.0); }"

    def __init__(self, gl: GlContext, count: int):
        self.count = count
        self.name = gl.buffer(self.at(-0.5))
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, int(GL.glGenFramebuffers(1)))
        picture = renderbuffer(FORMATS["RGBA8"], (SIDE, SIDE))
        GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, GL.GL_RENDERBUFFER, picture)
        GL.glViewport(0, 0, SIDE, SIDE)
        GL.glBindVertexArray(GL.glGenVertexArrays(1))
        GL.glUseProgram(compileProgram(compileShader(self.VERTICES, GL.GL_VERTEX_SHADER), compileShader(self.FRAGMENTS, GL.GL_FRAGMENT_SHADER)))
        GL.glVertexAttribPointer(0, 4, GL.GL_FLOAT, GL.GL_FALSE, 0, None)
        GL.glEnableVertexAttribArray(0)

    def at(self, x: float) -> np.ndarray:
        return np.tile(np.array([x, 0, 0, 1], np.float32), (self.count, 1))

    def drawn(self) -> list[int]:
        """The columns that the first and the last point are drawn in."""
        columns: list[int] = []
        for point in (0, self.count - 1):
            GL.glClear(GL.GL_COLOR_BUFFER_BIT)
            GL.glDrawArrays(GL.GL_POINTS, point, 1)
            pixels = np.frombuffer(GL.glReadPixels(0, 0, SIDE, SIDE, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, outputType=bytes), np.uint8)
            columns += sorted(set(np.nonzero(pixels.reshape(SIDE, SIDE, 4)[..., 0])[1].tolist()))
        return columns

    def read(self) -> np.ndarray:
        found = np.asarray(GL.glGetBufferSubData(GL.GL_ARRAY_BUFFER, 0, self.count * 16)).view(np.float32)
        return found.reshape(-1, 4)


@cache
def _draws_right() -> bool:
    """On every display: nothing of OpenCL's takes part."""
    for display in displays():
        gl = GlContext(display=display)
        try:
            points = Points(gl, 64)
            if any(points.drawn() != [4, 4] for _ in range(4)):
                return False
        finally:
            gl.close()
    return True


def needs_right_draws() -> None:
    """Skips a test of draws where the machine's OpenGL is at fault; where there is none, the test finds that out."""
    if not MISSING and not _draws_right():
        pytest.skip(WRONG)
