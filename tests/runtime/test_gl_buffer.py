"""Buffers shared with OpenGL, contents on both sides."""

import numpy as np
import pytest
from support.gl import Sharing

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.graphics import enqueue_acquire_gl_objects, enqueue_release_gl_objects
from cl2cuda.runtime.graphics.buffer import create_from_gl_buffer
from cl2cuda.runtime.graphics.source import gl_object_info
from cl2cuda.runtime.spec import codes


@pytest.fixture
def on(gl_device):
    yield from Sharing.for_a_test(gl_device)


def test_contents_go_both_ways(on):
    first = np.arange(1000, dtype=np.float32)
    name = on.gl.buffer(first)
    shared = create_from_gl_buffer(on.context, codes.MEM_READ_WRITE, name)
    assert shared.size == first.nbytes and shared.get_info(codes.MEM_SIZE) == first.nbytes
    assert gl_object_info(shared) == (codes.GL_OBJECT_BUFFER, name)
    acquired = enqueue_acquire_gl_objects(on.queue, [shared])
    assert acquired.command_type == codes.COMMAND_ACQUIRE_GL_OBJECTS
    back = np.zeros_like(first)
    enqueue_read_buffer(on.queue, shared, True, 0, back)
    assert (back == first).all()
    enqueue_write_buffer(on.queue, shared, False, 400, np.full(10, -1, np.float32))
    released = enqueue_release_gl_objects(on.queue, [shared])
    assert released.command_type == codes.COMMAND_RELEASE_GL_OBJECTS
    expected = first.copy()
    expected[100:110] = -1
    assert (on.gl.read_buffer(name, first) == expected).all()
    shared.release()
