"""CUDA's graphics interop, imagined, over a real OpenGL: what is registered and how, and that nothing stays registered."""

import gc
import os

import numpy as np
import pytest
from support.devices import first
from support.fails import fails
from support.gl import FORMATS, STENCIL_FORMATS, Sharing, Texture, egl_image

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer
from cl2cuda.runtime.commands.graphics import enqueue_acquire_gl_objects, enqueue_release_gl_objects
from cl2cuda.runtime.commands.image import enqueue_write_image
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.graphics.buffer import create_from_gl_buffer
from cl2cuda.runtime.graphics.image import create_from_egl_image, create_from_gl_texture
from cl2cuda.runtime.opengl import library
from cl2cuda.runtime.spec import codes


@pytest.fixture
def on():
    sharing = Sharing(first("imagined cuda with OpenGL"))
    sharing.imagined = sharing.device.driver_device.imagined
    yield sharing
    sharing.queue.finish()
    sharing.gl.close()


@pytest.mark.parametrize("name, target, kind", [
    ("RGBA8", "TEXTURE_2D", "image"), ("R32F", "TEXTURE_3D", "image"), ("RG16", "TEXTURE_RECTANGLE", "image"),
    ("RGBA8UI", "TEXTURE_CUBE_MAP_NEGATIVE_Y", "image"), ("RGBA8", "TEXTURE_1D", "buffer"), ("RGBA8", "TEXTURE_1D_ARRAY", "buffer"),
    ("RGBA8", "TEXTURE_2D_ARRAY", "buffer"), ("SRGB8_ALPHA8", "TEXTURE_2D", "buffer"), ("RGBA8_SNORM", "TEXTURE_2D", "buffer"),
    ("DEPTH_COMPONENT32F", "TEXTURE_2D", "buffer"), ("RGB565", "TEXTURE_2D", "buffer")])
def test_what_is_registered_for_a_texture(on, name, target, kind):
    """Images that CUDA takes are OpenGL's own memory; a pixel buffer stands for the others."""
    before = set(on.imagined.resources)
    pixels = FORMATS[name].random({"TEXTURE_1D": (8,), "TEXTURE_1D_ARRAY": (8, 4)}.get(target, (8, 8, 2) if "3D" in target or (
        target == "TEXTURE_2D_ARRAY") else (8, 8)))
    texture = Texture(target, FORMATS[name], pixels)
    image = create_from_gl_texture(on.context, codes.MEM_READ_WRITE, texture.target, 0, texture.name)
    (made,) = (resource for handle, resource in on.imagined.resources.items() if handle not in before)
    assert made.kind == kind and (kind == "buffer" or made.name == texture.name)
    for _ in range(3):
        enqueue_acquire_gl_objects(on.queue, [image])
        assert made.mapped == (kind == "image")
        enqueue_release_gl_objects(on.queue, [image])
        assert not made.mapped
    assert (texture.read() == pixels).all()
    image.release()
    on.queue.finish()
    gc.collect()
    on.context.reclaim()
    assert set(on.imagined.resources) <= before  # An earlier test's may have gone, too.


def test_a_texture_that_cuda_does_not_take(on):
    pixels = FORMATS["RGBA8"].random((8, 8))
    texture = Texture("TEXTURE_2D", FORMATS["RGBA8"], pixels)
    on.imagined.takes_images = False
    try:
        image = create_from_gl_texture(on.context, 0, texture.target, 0, texture.name)
    finally:
        on.imagined.takes_images = True
    enqueue_acquire_gl_objects(on.queue, [image])
    enqueue_write_image(on.queue, image, True, (0, 0, 0), (8, 8, 1), 0, 0, pixels[::-1].copy())
    enqueue_release_gl_objects(on.queue, [image])
    assert (texture.read() == pixels[::-1]).all()


def test_a_buffer_is_at_another_address_each_time(on):
    contents = np.zeros(64, np.uint8)
    name = on.gl.buffer(contents)
    shared = create_from_gl_buffer(on.context, 0, name)
    addresses = set()
    for value in range(5):
        enqueue_acquire_gl_objects(on.queue, [shared])
        addresses.add(shared.address_on(on.device))
        enqueue_fill_buffer(on.queue, shared, bytes([value]), 0, 64)
        enqueue_release_gl_objects(on.queue, [shared])
        assert (on.gl.read_buffer(name, contents) == value).all()
    assert len(addresses) == 5


def test_what_is_released_by_opencl_while_it_is_acquired(on):
    before = set(on.imagined.resources)
    shared = create_from_gl_buffer(on.context, codes.MEM_READ_ONLY, on.gl.buffer(np.zeros(64, np.uint8)))
    enqueue_acquire_gl_objects(on.queue, [shared])
    shared.release()
    on.queue.finish()
    gc.collect()
    on.context.reclaim()
    assert set(on.imagined.resources) <= before  # An earlier test's may have gone, too.


@pytest.mark.parametrize("format_", STENCIL_FORMATS, ids=repr)
def test_depth_with_a_stencil_keeps_both(on, format_):
    pixels = format_.random((8, 4))
    texture = Texture("TEXTURE_2D", format_, pixels)
    image = create_from_gl_texture(on.context, codes.MEM_READ_WRITE, texture.target, 0, texture.name)
    enqueue_acquire_gl_objects(on.queue, [image])
    enqueue_release_gl_objects(on.queue, [image])
    assert texture.read().tobytes() == pixels.tobytes()


def test_a_context_that_another_device_renders(on):
    on.imagined.devices[:] = [3]
    try:
        fails("INVALID_GL_SHAREGROUP_REFERENCE_KHR", Context, [on.device], on.gl.properties)
        texture = Texture("TEXTURE_2D", FORMATS["RGBA8"], FORMATS["RGBA8"].random((4, 4)))
        fails("INVALID_GL_SHAREGROUP_REFERENCE_KHR", create_from_egl_image, Context([on.device]), on.gl.display, egl_image(on.gl, texture), 0)
        on.imagined.devices.clear()
        fails("INVALID_GL_SHAREGROUP_REFERENCE_KHR", Context, [on.device], on.gl.properties)
    finally:
        on.imagined.devices[:] = [0]


def test_nvidias_opengl_is_looked_for_and_not_loaded(monkeypatch, tmp_path):
    installed = library.nvidia_available.__wrapped__
    cache, folder = tmp_path / "ld.so.cache", tmp_path / "nvidia"
    folder.mkdir()
    file = folder / "libGLX_nvidia.so.0"
    gone = os.fsencode(tmp_path / "gone" / file.name)
    cache.write_bytes(b"glibc-ld.so.cache1.1\0libGLX_nvidia.so.0\0%s\0%s\0" % (gone, os.fsencode(file)))
    monkeypatch.setattr(library, "LINKER_CACHE", cache)
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    assert not installed(), "it has been removed since"
    file.touch()  # Nothing that could be loaded.
    assert installed()
    cache.write_bytes(b"glibc-ld.so.cache1.1\0")
    assert not installed()
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{tmp_path}:{folder}")
    assert installed()


def test_cuda_shares_only_with_opengl_of_its_own(cuda_device):
    assert (cuda_device.driver_device.graphics is None) == (not library.available() or not library.nvidia_available())


def test_frames_on_a_gpu(cuda_device):
    """Thousands of them."""
    if cuda_device.driver_device.graphics is None:
        pytest.skip("NVIDIA's OpenGL is not installed")
    on = Sharing(cuda_device)
    contents = np.zeros(1 << 20, np.uint8)
    name = on.gl.buffer(contents)
    shared = create_from_gl_buffer(on.context, 0, name)
    for frame in range(3000):
        enqueue_acquire_gl_objects(on.queue, [shared])
        enqueue_fill_buffer(on.queue, shared, bytes([frame % 256]), 0, 1 << 20)
        enqueue_release_gl_objects(on.queue, [shared])
        if frame % 100 == 99:
            assert (on.gl.read_buffer(name, contents) == frame % 256).all()
    on.queue.finish()
    on.gl.close()
