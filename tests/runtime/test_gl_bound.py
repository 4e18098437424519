"""What OpenGL sees without being told that anything has changed: of buffers and textures that stay bound while OpenCL writes them."""

import pytest
from support.gl import FORMATS, Sharing, Texture
from support.gl_points import Points, needs_right_draws

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.graphics import enqueue_acquire_gl_objects, enqueue_release_gl_objects
from cl2cuda.runtime.commands.image import enqueue_write_image
from cl2cuda.runtime.graphics.buffer import create_from_gl_buffer
from cl2cuda.runtime.graphics.image import create_from_gl_texture


@pytest.fixture
def on(gl_device):
    needs_right_draws()
    yield from Sharing.for_a_test(gl_device)


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
