"""Images of every type made from buffers (cl_ext_image_from_buffer): kernels, commands and maps see the buffer's bytes, and the other
way round, also where rows and planes lie apart."""

import numpy as np
import pytest
from support.image_model import Format
from support.image_objects import ALL_TYPES, IMAGE1D_ARRAY, IMAGE2D, IMAGE2D_ARRAY, IMAGE3D, NAMES, RGBA8, SHAPES, Images, region_of

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.image import enqueue_copy_image, enqueue_fill_image
from cl2cuda.runtime.commands.image_map import enqueue_map_image
from cl2cuda.runtime.commands.map import enqueue_unmap
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.sampler import create_sampler
from cl2cuda.runtime.spec import codes

UINT32 = Format("RGBA", "UNSIGNED_INT32")
COORDS = {1: ("x", "x + 0.5f"), 2: ("(int2)(x, y)", "(float2)(x + 0.5f, y + 0.5f)"),
          3: ("(int4)(x, y, z, 0)", "(float4)(x + 0.5f, y + 0.5f, z + 0.5f, 0)")}


@pytest.fixture
def images(real_device):
    return Images(real_device)


class Placed:
    """An image in a buffer of random bytes, which are `bytes`; `elements` is the part of them that the image is."""

    def __init__(self, images, image_type, format, gaps):
        self.images, self.shape = images, SHAPES[image_type]
        element = format.element.itemsize
        planes = self.shape[0] if image_type in (IMAGE1D_ARRAY, IMAGE2D_ARRAY, IMAGE3D) else 1
        rows, width = (1, *self.shape)[-2:] if image_type != IMAGE1D_ARRAY else (1, self.shape[-1])
        pitches = {}
        apart = gaps and image_type in (IMAGE2D, IMAGE1D_ARRAY, IMAGE2D_ARRAY, IMAGE3D)
        row = (width + 3 * apart) * element
        plane = row * (rows + 2 * (apart and planes > 1))
        if apart:
            pitches = {"row_pitch": row} | ({"slice_pitch": plane} if planes > 1 else {})
        self.bytes = images.rng.integers(0, 256, planes * plane, np.uint8)
        part = self.bytes.reshape(planes, plane // row, row)[:, :rows, : width * element]
        self.elements = part.view(format.element.base).reshape(planes, rows, width, -1)
        self.buffer = Buffer(images.context, codes.MEM_COPY_HOST_PTR, self.bytes.nbytes, self.bytes)
        self.image = images.create(image_type, format, self.shape, mem_object=self.buffer, **pitches)

    def now(self):
        found = np.zeros_like(self.bytes)
        enqueue_read_buffer(self.images.queue, self.buffer, True, 0, found)
        return found


@pytest.mark.parametrize("gaps", [False, True], ids=["tight", "apart"])
@pytest.mark.parametrize("image_type", ALL_TYPES, ids=NAMES.get)
def test_kernels_and_commands_see_the_buffers_bytes(images, image_type, gaps):
    placed = Placed(images, image_type, UINT32, gaps)
    name, (coord, _) = NAMES[image_type], COORDS[len(placed.shape)]
    where = "size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * get_global_size(1) + y) * get_global_size(0) + x;"
    text = (f"kernel void get(read_only {name} a, global uint4 *r) {{ {where} r[i] = read_imageui(a, {coord}); }}\n"
            f"kernel void put(write_only {name} a, global const uint4 *r) {{ {where} write_imageui(a, {coord}, r[i]); }}\n"
            f"kernel void add(read_write {name} a) {{ {where} write_imageui(a, {coord}, read_imageui(a, {coord}) + 1); }}\n")
    size = region_of(placed.shape)
    found = np.zeros((*placed.shape, 4), np.uint32)
    images.run(images.kernel(text, "get"), size, placed.image, found)
    np.testing.assert_array_equal(found.reshape(placed.elements.shape), placed.elements)
    np.testing.assert_array_equal(images.read(placed.image, found), found)

    placed.elements += 1
    images.run(images.kernel(text, "add"), size, placed.image)
    np.testing.assert_array_equal(placed.now(), placed.bytes)  # the gaps, too
    placed.elements ^= 0x55AA
    images.run(images.kernel(text, "put"), size, placed.image, placed.elements.reshape(found.shape).copy())
    np.testing.assert_array_equal(placed.now(), placed.bytes)

    enqueue_fill_image(images.queue, placed.image, np.arange(4, dtype=np.uint32).tobytes(), (0, 0, 0), size)
    placed.elements[...] = np.arange(4)
    np.testing.assert_array_equal(placed.now(), placed.bytes)
    other, contents = images.filled(image_type, UINT32)
    enqueue_copy_image(images.queue, other, placed.image, (0, 0, 0), (0, 0, 0), size)
    placed.elements[...] = contents.reshape(placed.elements.shape)
    np.testing.assert_array_equal(placed.now(), placed.bytes)


@pytest.mark.parametrize("image_type", [IMAGE2D, IMAGE2D_ARRAY, IMAGE3D], ids=NAMES.get)
def test_samplers_read_rows_that_no_texture_can(images, image_type):
    """Rows of 16 elements of 4 bytes: 64 bytes, less than what textures want of a row's place."""
    placed = Placed(images, image_type, RGBA8, True)
    name, (_, coord) = NAMES[image_type], COORDS[len(placed.shape)]
    if image_type == IMAGE2D_ARRAY:
        coord = coord.replace("z + 0.5f", "z")
    kernel = images.kernel(
        f"kernel void get(read_only {name} a, sampler_t s, global float4 *r) {{ size_t x = get_global_id(0), y = get_global_id(1), "
        f"z = get_global_id(2); r[(z * get_global_size(1) + y) * get_global_size(0) + x] = read_imagef(a, s, {coord}); }}")
    linear = create_sampler(images.context, False, codes.ADDRESS_CLAMP_TO_EDGE, codes.FILTER_LINEAR)
    found = np.zeros((*placed.shape, 4), np.float32)
    images.run(kernel, region_of(placed.shape), placed.image, linear, found)
    np.testing.assert_allclose(found.reshape(placed.elements.shape), placed.elements / np.float32(255), atol=1e-6)


@pytest.mark.parametrize("image_type", [IMAGE1D_ARRAY, IMAGE2D_ARRAY, IMAGE3D], ids=NAMES.get)
def test_a_map_shows_the_pitches_and_what_is_written_reaches_the_buffer(images, image_type):
    placed = Placed(images, image_type, RGBA8, True)
    mapped = enqueue_map_image(images.queue, placed.image, True, codes.MAP_READ | codes.MAP_WRITE, (0, 0, 0), region_of(placed.shape))
    planes, rows, width = placed.elements.shape[:3]
    there = np.ndarray((planes, rows, width, 4), np.uint8, mapped.view, strides=(mapped.slice_pitch, mapped.row_pitch, 4, 1))
    np.testing.assert_array_equal(there, placed.elements)
    there ^= 0xFF
    placed.elements ^= 0xFF
    enqueue_unmap(images.queue, placed.image, mapped.view).wait()
    np.testing.assert_array_equal(placed.now(), placed.bytes)
