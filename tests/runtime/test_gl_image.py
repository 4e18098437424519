"""Images shared with OpenGL: every format, every target, every face; contents on both sides bit for bit."""

import numpy as np
import pytest
from support.fails import fails
from support.gl import FACES, FORMATS, GL, STENCIL_FORMATS, TARGETS, Sharing, Texture, renderbuffer

from cl2cuda.runtime.commands.graphics import enqueue_acquire_gl_objects, enqueue_release_gl_objects
from cl2cuda.runtime.commands.image import enqueue_fill_image, enqueue_read_image, enqueue_write_image
from cl2cuda.runtime.commands.image_map import enqueue_map_image
from cl2cuda.runtime.commands.map import enqueue_unmap
from cl2cuda.runtime.driver.image_formats import ORDERS, TYPES
from cl2cuda.runtime.graphics.image import TARGETS_2D, TARGETS_3D, create_from_gl_renderbuffer, create_from_gl_texture
from cl2cuda.runtime.graphics.source import gl_object_info, gl_texture_info
from cl2cuda.runtime.spec import codes

# The type of image, and the type of OpenGL's object, by the target.
KINDS = {"TEXTURE_1D": (codes.MEM_OBJECT_IMAGE1D, codes.GL_OBJECT_TEXTURE1D, (7,)),
         "TEXTURE_1D_ARRAY": (codes.MEM_OBJECT_IMAGE1D_ARRAY, codes.GL_OBJECT_TEXTURE1D_ARRAY, (7, 3)),
         "TEXTURE_2D": (codes.MEM_OBJECT_IMAGE2D, codes.GL_OBJECT_TEXTURE2D, (7, 5)),
         "TEXTURE_2D_ARRAY": (codes.MEM_OBJECT_IMAGE2D_ARRAY, codes.GL_OBJECT_TEXTURE2D_ARRAY, (7, 5, 3)),
         "TEXTURE_3D": (codes.MEM_OBJECT_IMAGE3D, codes.GL_OBJECT_TEXTURE3D, (7, 5, 3)),
         "TEXTURE_RECTANGLE": (codes.MEM_OBJECT_IMAGE2D, codes.GL_OBJECT_TEXTURE2D, (7, 5)),
         **dict.fromkeys(FACES, (codes.MEM_OBJECT_IMAGE2D, codes.GL_OBJECT_TEXTURE2D, (6, 6)))}


@pytest.fixture
def on(gl_device):
    yield from Sharing.for_a_test(gl_device)


def region_of(pixels):
    return (*reversed(pixels.shape[:-1]), 1, 1)[:3]


def exchange(on, image, read, pixels, format_):
    """Both sides see what the other wrote."""
    acquire, release = enqueue_acquire_gl_objects, enqueue_release_gl_objects
    assert acquire(on.queue, [image]).command_type == codes.COMMAND_ACQUIRE_GL_OBJECTS
    back = np.zeros_like(pixels)
    enqueue_read_image(on.queue, image, True, (0, 0, 0), region_of(pixels), 0, 0, back)
    assert back.tobytes() == pixels.tobytes()
    other = format_.random(tuple(reversed(pixels.shape[:-1])), seed=2)
    enqueue_write_image(on.queue, image, False, (0, 0, 0), region_of(pixels), 0, 0, other)
    assert release(on.queue, [image]).command_type == codes.COMMAND_RELEASE_GL_OBJECTS
    assert read().tobytes() == other.tobytes()
    acquire(on.queue, [image])
    enqueue_read_image(on.queue, image, True, (0, 0, 0), region_of(pixels), 0, 0, back)
    assert back.tobytes() == other.tobytes()
    release(on.queue, [image]).wait()


@pytest.mark.parametrize("name", FORMATS)
def test_a_texture_of_every_format(on, name):
    format_ = FORMATS[name]
    pixels = format_.random((9, 6))
    texture = Texture("TEXTURE_2D", format_, pixels)
    image = create_from_gl_texture(on.context, codes.MEM_READ_WRITE, texture.target, 0, texture.name)
    assert image.get_image_info(codes.IMAGE_FORMAT) == (ORDERS[format_.order].code, TYPES[format_.type].code)
    assert [image.get_image_info(each) for each in (codes.IMAGE_WIDTH, codes.IMAGE_HEIGHT)] == [9, 6]
    exchange(on, image, texture.read, pixels, format_)


@pytest.mark.parametrize("name", ["RGBA8", "R32F", "RG16UI"])
@pytest.mark.parametrize("target", [*TARGETS, *FACES])
def test_a_texture_of_every_target(on, target, name):
    format_, (kind, object_type, size) = FORMATS[name], KINDS[target]
    pixels = format_.random(size)
    texture = Texture(target, format_, pixels)
    image = create_from_gl_texture(on.context, 0, texture.target, 0, texture.name)
    assert image.type == kind and gl_object_info(image) == (object_type, texture.name)
    assert gl_texture_info(image, codes.GL_TEXTURE_TARGET) == texture.target and gl_texture_info(image, codes.GL_MIPMAP_LEVEL) == 0
    exchange(on, image, texture.read, pixels, format_)


@pytest.mark.parametrize("target", ["TEXTURE_1D", "TEXTURE_2D", "TEXTURE_2D_ARRAY", "TEXTURE_3D"])
def test_a_level_of_a_texture(on, target):
    format_ = FORMATS["RGBA16F"]
    pixels = format_.random((4, 8, 2)[: len(KINDS[target][2])])
    texture = Texture(target, format_, pixels, level=2) if target != "TEXTURE_2D_ARRAY" else Texture(target, format_, pixels)
    image = create_from_gl_texture(on.context, 0, texture.target, texture.level, texture.name)
    assert gl_texture_info(image, codes.GL_MIPMAP_LEVEL) == texture.level
    exchange(on, image, texture.read, pixels, format_)


@pytest.mark.parametrize("name", ["RGBA8", "RGBA", "R32F", "RGBA32UI", "RG16I", "DEPTH_COMPONENT16", "DEPTH_COMPONENT32F"])
def test_a_renderbuffer(on, name):
    format_ = FORMATS[name]
    made = renderbuffer(format_, (10, 4))
    image = create_from_gl_renderbuffer(on.context, codes.MEM_READ_WRITE, made)
    assert image.type == codes.MEM_OBJECT_IMAGE2D and gl_object_info(image) == (codes.GL_OBJECT_RENDERBUFFER, made)
    fails("INVALID_GL_OBJECT", gl_texture_info, image, codes.GL_TEXTURE_TARGET)
    pixels = format_.random((10, 4))
    enqueue_acquire_gl_objects(on.queue, [image])
    enqueue_write_image(on.queue, image, False, (0, 0, 0), (10, 4, 1), 0, 0, pixels)
    enqueue_release_gl_objects(on.queue, [image])
    # OpenGL looks at it through another renderbuffer's copy in a texture of its own.
    texture = Texture("TEXTURE_2D", format_, np.zeros_like(pixels))
    GL.glCopyImageSubData(made, GL.GL_RENDERBUFFER, 0, 0, 0, 0, texture.name, GL.GL_TEXTURE_2D, 0, 0, 0, 0, 10, 4, 1)
    assert texture.read().tobytes() == pixels.tobytes()
    GL.glCopyImageSubData(Texture("TEXTURE_2D", format_, pixels[::-1]).name, GL.GL_TEXTURE_2D, 0, 0, 0, 0, made, GL.GL_RENDERBUFFER,
                          0, 0, 0, 0, 10, 4, 1)
    enqueue_acquire_gl_objects(on.queue, [image])
    back = np.zeros_like(pixels)
    enqueue_read_image(on.queue, image, True, (0, 0, 0), (10, 4, 1), 0, 0, back)
    assert back.tobytes() == pixels[::-1].tobytes()
    enqueue_release_gl_objects(on.queue, [image])


@pytest.mark.parametrize("part", [None, (256, 512)])
def test_a_buffer_texture(on, part):
    contents = np.random.default_rng(3).random((256, 4)).astype(np.float32)
    buffer = on.gl.buffer(contents)
    name = int(GL.glGenTextures(1))
    GL.glBindTexture(GL.GL_TEXTURE_BUFFER, name)
    if part is None:
        GL.glTexBuffer(GL.GL_TEXTURE_BUFFER, GL.GL_RGBA32F, buffer)
    else:
        GL.glTexBufferRange(GL.GL_TEXTURE_BUFFER, GL.GL_RGBA32F, buffer, *part)
    first, count = (0, 256) if part is None else (part[0] // 16, part[1] // 16)
    image = create_from_gl_texture(on.context, 0, GL.GL_TEXTURE_BUFFER, 0, name)
    assert image.type == codes.MEM_OBJECT_IMAGE1D_BUFFER and image.get_image_info(codes.IMAGE_WIDTH) == count
    assert gl_object_info(image) == (codes.GL_OBJECT_TEXTURE_BUFFER, name)
    enqueue_acquire_gl_objects(on.queue, [image])
    back = np.zeros((count, 4), np.float32)
    enqueue_read_image(on.queue, image, True, (0, 0, 0), (count, 1, 1), 0, 0, back)
    assert (back == contents[first : first + count]).all()
    enqueue_fill_image(on.queue, image, np.array([1, 2, 3, 4], np.float32), (5, 0, 0), (10, 1, 1))
    enqueue_release_gl_objects(on.queue, [image])
    contents[first + 5 : first + 15] = (1, 2, 3, 4)
    assert (on.gl.read_buffer(buffer, contents) == contents).all()
    fails("INVALID_MIP_LEVEL", create_from_gl_texture, on.context, 0, GL.GL_TEXTURE_BUFFER, 1, name)


@pytest.mark.parametrize("format_", STENCIL_FORMATS, ids=repr)
def test_images_with_a_stencil_are_for_kernels_only(on, format_):
    pixels = format_.random((8, 4))
    texture = Texture("TEXTURE_2D", format_, pixels)
    image = create_from_gl_texture(on.context, codes.MEM_READ_ONLY, texture.target, 0, texture.name)
    assert image.get_image_info(codes.IMAGE_FORMAT) == (0x10BE, 0x10DF if format_.type == "UNORM_INT24" else 0x10DE)
    enqueue_acquire_gl_objects(on.queue, [image])
    whole = (0, 0, 0), (8, 4, 1)
    fails("INVALID_OPERATION", enqueue_read_image, on.queue, image, True, *whole, 0, 0, np.zeros_like(pixels))
    fails("INVALID_OPERATION", enqueue_write_image, on.queue, image, True, *whole, 0, 0, pixels)
    fails("INVALID_OPERATION", enqueue_fill_image, on.queue, image, np.zeros(4, np.float32), *whole)
    fails("INVALID_OPERATION", enqueue_map_image, on.queue, image, True, codes.MAP_READ, *whole)
    enqueue_release_gl_objects(on.queue, [image])
    assert texture.read().tobytes() == pixels.tobytes()


def test_mapping_an_image(on):
    format_ = FORMATS["RGBA8UI"]
    pixels = format_.random((16, 8))
    texture = Texture("TEXTURE_2D", format_, pixels)
    image = create_from_gl_texture(on.context, 0, texture.target, 0, texture.name)
    enqueue_acquire_gl_objects(on.queue, [image])
    mapped = enqueue_map_image(on.queue, image, True, codes.MAP_READ | codes.MAP_WRITE, (0, 0, 0), (16, 8, 1))
    view = np.ndarray((8, 16, 4), np.uint8, mapped.view, strides=(mapped.row_pitch, 4, 1))
    assert (view == pixels).all()
    view[2, 3] = (9, 8, 7, 6)
    enqueue_unmap(on.queue, image, mapped.view)
    enqueue_release_gl_objects(on.queue, [image])
    pixels[2, 3] = (9, 8, 7, 6)
    assert (texture.read() == pixels).all()


# What is refused


def test_what_no_image_is_made_of(on):
    make, context = create_from_gl_texture, on.context
    format_ = FORMATS["RGBA8"]
    texture = Texture("TEXTURE_2D", format_, format_.random((8, 8)))
    target, name = texture.target, texture.name
    fails("INVALID_VALUE", make, context, codes.MEM_COPY_HOST_PTR, target, 0, name)
    fails("INVALID_VALUE", make, context, codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY, target, 0, name)
    fails("INVALID_VALUE", make, context, 0, GL.GL_TEXTURE_CUBE_MAP, 0, name)
    fails("INVALID_VALUE", make, context, 0, GL.GL_TEXTURE_2D_MULTISAMPLE, 0, name)
    fails("INVALID_VALUE", make, context, 0, GL.GL_TEXTURE_3D, 0, name, routine="clCreateFromGLTexture2D", targets=TARGETS_2D)
    fails("INVALID_VALUE", make, context, 0, target, 0, name, routine="clCreateFromGLTexture3D", targets=TARGETS_3D)
    fails("INVALID_GL_OBJECT", make, context, 0, target, 0, 0)
    fails("INVALID_GL_OBJECT", make, context, 0, target, 0, 12345)
    fails("INVALID_GL_OBJECT", make, context, 0, GL.GL_TEXTURE_3D, 0, name)
    fails("INVALID_GL_OBJECT", make, context, 0, target, 1, name)
    fails("INVALID_MIP_LEVEL", make, context, 0, target, 4, name)
    fails("INVALID_MIP_LEVEL", make, context, 0, target, -1, name)
    GL.glTexParameteri(target, GL.GL_TEXTURE_MIN_FILTER, GL.GL_NEAREST_MIPMAP_NEAREST)
    fails("INVALID_GL_OBJECT", make, context, 0, target, 0, name)
    no_size = int(GL.glGenTextures(1))
    GL.glBindTexture(target, no_size)
    fails("INVALID_GL_OBJECT", make, context, 0, target, 0, no_size)
    GL.glTexParameteri(target, GL.GL_TEXTURE_MIN_FILTER, GL.GL_NEAREST)
    GL.glTexImage2D(target, 0, GL.GL_RGB8, 4, 4, 0, GL.GL_RGB, GL.GL_UNSIGNED_BYTE, None)
    fails("INVALID_IMAGE_FORMAT_DESCRIPTOR", make, context, 0, target, 0, no_size)


def test_what_no_image_is_made_of_a_renderbuffer(on):
    make, context = create_from_gl_renderbuffer, on.context
    format_ = FORMATS["RGBA8"]
    name = renderbuffer(format_, (8, 8))
    fails("INVALID_VALUE", make, context, codes.MEM_ALLOC_HOST_PTR, name)
    fails("INVALID_GL_OBJECT", make, context, 0, 0)
    fails("INVALID_GL_OBJECT", make, context, 0, 12345)
    empty = int(GL.glGenRenderbuffers(1))
    GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, empty)
    fails("INVALID_GL_OBJECT", make, context, 0, empty)
    GL.glRenderbufferStorageMultisample(GL.GL_RENDERBUFFER, 4, GL.GL_RGBA8, 8, 8)
    fails("INVALID_OPERATION", make, context, 0, empty)
    GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, GL.GL_RGB8, 8, 8)
    fails("INVALID_IMAGE_FORMAT_DESCRIPTOR", make, context, 0, empty)
