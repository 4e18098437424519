"""Memory objects that nothing changes after their creation (cl_ext_immutable_memory_objects)."""

import numpy as np
import pytest
from support.fails import fails
from support.image_objects import IMAGE2D, RGBA8, Images

from cl2cuda.runtime.commands import buffer as commands
from cl2cuda.runtime.commands import buffer_rect
from cl2cuda.runtime.commands import image as image_commands
from cl2cuda.runtime.commands.image_map import enqueue_map_image
from cl2cuda.runtime.commands.map import enqueue_map_buffer, enqueue_unmap
from cl2cuda.runtime.image.formats import supported_image_formats
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import ImmutableBuffer, create_buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.spec import codes

IMMUTABLE, COPY, USE, ALLOC = codes.MEM_IMMUTABLE_EXT, codes.MEM_COPY_HOST_PTR, codes.MEM_USE_HOST_PTR, codes.MEM_ALLOC_HOST_PTR
ORIGIN = (0, 0, 0)


@pytest.fixture
def images(image_device):
    return Images(image_device)


@pytest.fixture
def host():
    return np.arange(64, dtype=np.uint8)


def buffer_of(images, host, flags=COPY):
    return create_buffer(images.context, IMMUTABLE | flags, host.nbytes, host)


@pytest.mark.parametrize("flags", [COPY, USE, COPY | ALLOC, COPY | codes.MEM_READ_ONLY, USE | codes.MEM_HOST_READ_ONLY])
def test_a_buffer_is_read_by_all_commands(images, host, flags):
    buffer, queue = buffer_of(images, host, flags), images.queue
    assert buffer.get_info(codes.MEM_FLAGS) == IMMUTABLE | flags
    found = np.zeros_like(host)
    commands.enqueue_read_buffer(queue, buffer, True, 0, found)
    np.testing.assert_array_equal(found, host)
    other = create_buffer(images.context, 0, host.nbytes)
    commands.enqueue_copy_buffer(queue, buffer, other, 0, 0, host.nbytes)
    mapped, _ = enqueue_map_buffer(queue, other, True, codes.MAP_READ, 0, host.nbytes)
    np.testing.assert_array_equal(np.frombuffer(mapped, np.uint8), host)
    mapped, _ = enqueue_map_buffer(queue, buffer, True, codes.MAP_READ, 8, 8)
    np.testing.assert_array_equal(np.frombuffer(mapped, np.uint8), host[8:16])
    enqueue_unmap(queue, buffer, mapped).wait()


@pytest.mark.parametrize("flags", [
    COPY | codes.MEM_READ_WRITE, COPY | codes.MEM_WRITE_ONLY, USE | codes.MEM_HOST_WRITE_ONLY, COPY | codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY])
def test_flags_that_would_write_are_refused(images, host, flags):
    fails("INVALID_VALUE", buffer_of, images, host, flags)
    fails("INVALID_VALUE", images.create, IMAGE2D, RGBA8, (2, 8), IMMUTABLE | flags, host)


@pytest.mark.parametrize("flags", [0, ALLOC, codes.MEM_READ_ONLY])
def test_it_needs_contents(images, flags):
    fails("INVALID_VALUE", create_buffer, images.context, IMMUTABLE | flags, 64)
    fails("INVALID_VALUE", images.create, IMAGE2D, RGBA8, (2, 8), IMMUTABLE | flags)


def test_no_command_writes_a_buffer(images, host):
    buffer, queue, other = buffer_of(images, host), images.queue, create_buffer(images.context, 0, 64)
    image = images.create(IMAGE2D, RGBA8, (2, 8))
    rect = (ORIGIN, ORIGIN, (8, 2, 1), (0, 0), (0, 0))
    for write, *arguments in (
        (commands.enqueue_write_buffer, queue, buffer, True, 0, host), (commands.enqueue_fill_buffer, queue, buffer, b"1", 0, 64),
        (commands.enqueue_copy_buffer, queue, other, buffer, 0, 0, 64),
        (buffer_rect.enqueue_write_buffer_rect, queue, buffer, True, *rect, host),
        (buffer_rect.enqueue_copy_buffer_rect, queue, other, buffer, *rect),
        (image_commands.enqueue_copy_image_to_buffer, queue, image, buffer, ORIGIN, (8, 2, 1), 0),
        (enqueue_map_buffer, queue, buffer, True, codes.MAP_WRITE, 0, 8),
        (enqueue_map_buffer, queue, buffer, True, codes.MAP_READ | codes.MAP_WRITE, 0, 8),
        (enqueue_map_buffer, queue, buffer, True, codes.MAP_WRITE_INVALIDATE_REGION, 0, 8),
    ):
        fails("INVALID_OPERATION", write, *arguments)
    found = np.zeros_like(host)
    commands.enqueue_read_buffer(queue, buffer, True, 0, found)
    np.testing.assert_array_equal(found, host)


def test_no_command_writes_an_image(images, host):
    image, queue = images.create(IMAGE2D, RGBA8, (2, 8), IMMUTABLE | COPY, host), images.queue
    other, buffer, region = images.create(IMAGE2D, RGBA8, (2, 8)), create_buffer(images.context, 0, 64), (8, 2, 1)
    for write, *arguments in (
        (image_commands.enqueue_write_image, queue, image, True, ORIGIN, region, 0, 0, host),
        (image_commands.enqueue_fill_image, queue, image, bytes(16), ORIGIN, region),
        (image_commands.enqueue_copy_image, queue, other, image, ORIGIN, ORIGIN, region),
        (image_commands.enqueue_copy_buffer_to_image, queue, buffer, image, 0, ORIGIN, region),
        (enqueue_map_image, queue, image, True, codes.MAP_WRITE, ORIGIN, region),
        (enqueue_map_image, queue, image, True, codes.MAP_WRITE_INVALIDATE_REGION, ORIGIN, region),
    ):
        fails("INVALID_OPERATION", write, *arguments)
    image_commands.enqueue_copy_image(queue, image, other, ORIGIN, ORIGIN, region)
    np.testing.assert_array_equal(images.read(other, host.reshape(2, 8, 4)), host.reshape(2, 8, 4))


def test_a_part_is_immutable_too(images):
    host = np.arange(4096, dtype=np.uint8)
    buffer = buffer_of(images, host)
    for flags in (codes.MEM_READ_WRITE, codes.MEM_WRITE_ONLY, codes.MEM_HOST_WRITE_ONLY):
        fails("INVALID_VALUE", buffer.sub_buffer, flags, 1024, 64)
    for flags in (0, IMMUTABLE, codes.MEM_READ_ONLY):
        part = buffer.sub_buffer(flags, 1024, 64)
        assert part.flags == IMMUTABLE | COPY | flags & codes.MEM_READ_ONLY and isinstance(part, ImmutableBuffer)
        fails("INVALID_OPERATION", commands.enqueue_fill_buffer, images.queue, part, b"1", 0, 64)


def test_an_image_of_an_immutable_memory_object_says_that_it_is_one(images, host):
    buffer = buffer_of(images, host)
    fails("INVALID_VALUE", images.create, IMAGE2D, RGBA8, (2, 8), mem_object=buffer)
    image = images.create(IMAGE2D, RGBA8, (2, 8), IMMUTABLE, mem_object=buffer)
    fails("INVALID_OPERATION", image_commands.enqueue_fill_image, images.queue, image, bytes(16), ORIGIN, (8, 2, 1))
    np.testing.assert_array_equal(images.read(image, host.reshape(2, 8, 4)).ravel(), host)
    # One made from what may change is not to be changed itself.
    view = images.create(IMAGE2D, RGBA8, (2, 8), IMMUTABLE, mem_object=create_buffer(images.context, 0, 64))
    assert view.flags == IMMUTABLE


def test_formats_of_immutable_images(images):
    wanted = supported_image_formats(images.context, codes.MEM_READ_ONLY, IMAGE2D)
    assert supported_image_formats(images.context, IMMUTABLE, IMAGE2D) == wanted


def test_kernels_may_only_read_it(real_device, host):
    images = Images(real_device)
    program = Program(images.context, """
        kernel void f(global const uchar *a, constant uchar *b, read_only image2d_t c, global uint *r, write_only image2d_t d) {
            r[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
        }""")
    program.build("-cl-std=CL3.0")
    kernel, buffer = Kernel(program, "f"), buffer_of(images, host)
    image = images.create(IMAGE2D, RGBA8, (2, 8), IMMUTABLE | COPY, host)
    for index, value in enumerate((buffer, buffer, image)):
        kernel.set_arg(index, value)
    fails("INVALID_ARG_VALUE", kernel.set_arg, 3, buffer)
    fails("INVALID_ARG_VALUE", kernel.set_arg, 4, image)
    found = np.zeros(64, np.uint32)
    images.run(kernel, (64,), buffer, buffer, image, found, images.create(IMAGE2D, RGBA8, (2, 8)))
    np.testing.assert_array_equal(found, 2 * host.astype(np.uint32))
