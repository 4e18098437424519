"""Mapping of images (5.3.7) and unmapping, on every device."""

import gc
import random

import numpy as np
import pytest
from support.fails import fails
from support.image_model import Format
from support.image_objects import ALL_TYPES, IMAGE1D, IMAGE1D_BUFFER, IMAGE2D, IMAGE3D, NAMES, RGBA8, SHAPES, Images, region_of

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.image_map import enqueue_map_image
from cl2cuda.runtime.commands.map import enqueue_map_buffer, enqueue_unmap
from cl2cuda.runtime.driver.interface import DriverError, Linear
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.mapping import BufferPart
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.spec import codes

READ, WRITE, INVALIDATE = codes.MAP_READ, codes.MAP_WRITE, codes.MAP_WRITE_INVALIDATE_REGION
ORIGIN = (0, 0, 0)


@pytest.fixture
def images(image_device):
    return Images(image_device)


@pytest.fixture
def few(fake):
    return Images(fake.device)


def rows_of(mapped, shape):
    """The mapped region as an array (…, elements, 4) by the pitches."""
    width = shape[-1]
    strides = {1: (), 2: (mapped.slice_pitch or mapped.row_pitch,), 3: (mapped.slice_pitch, mapped.row_pitch)}[len(shape)]
    return np.ndarray((*shape[:-1], width, 4), np.uint8, mapped.view, strides=(*strides, 4, 1))


@pytest.mark.parametrize("flags", [0, codes.MEM_ALLOC_HOST_PTR, codes.MEM_USE_HOST_PTR])
@pytest.mark.parametrize("image_type", ALL_TYPES, ids=NAMES.get)
def test_a_mapped_part_is_read_and_written(images, image_type, flags):
    if flags == codes.MEM_USE_HOST_PTR and image_type == IMAGE1D_BUFFER:
        flags = 0
    shape = SHAPES[image_type]
    host = images.random(RGBA8, shape) if flags & codes.MEM_USE_HOST_PTR else None
    image, elements = images.filled(image_type, flags=flags, **({"host": host} if host is not None else {}))
    part, origin = tuple(slice(1, n - 1) for n in shape), tuple([1] * len(shape))
    inner = tuple(n - 2 for n in shape)
    mapped = enqueue_map_image(images.queue, image, True, READ | WRITE, origin, region_of(inner))
    assert image.map_count == 1 and (mapped.slice_pitch > 0) == (image.slice_pitch > 0)
    found = rows_of(mapped, inner)
    np.testing.assert_array_equal(found, elements[part])
    if host is not None:  # "The pointer value returned [...] will be derived from the host_ptr specified".
        assert found.ctypes.data == host[part].ctypes.data
    found ^= 0xFF
    elements[part] ^= 0xFF
    enqueue_unmap(images.queue, image, mapped.view)
    assert image.map_count == 0
    np.testing.assert_array_equal(images.read(image, elements), elements)


def test_a_2d_image_over_a_buffer_is_mapped_by_its_pitch(images):
    """And what is written there is in the buffer."""
    pitch = 2 * 4 * 16 * images.queue.device.properties.images.pitch_align
    buffer = Buffer(images.context, 0, 6 * pitch)
    image = images.create(IMAGE2D, mem_object=buffer, row_pitch=pitch)
    images.write(image, np.zeros((6, 13, 4), np.uint8))
    mapped = enqueue_map_image(images.queue, image, True, READ | WRITE, (1, 2, 0), (4, 3, 1))
    assert (mapped.row_pitch, mapped.slice_pitch) == (pitch, 0)
    rows_of(mapped, (3, 4))[...] = 200
    enqueue_unmap(images.queue, image, mapped.view)
    host = np.zeros((6, pitch), np.uint8)
    enqueue_read_buffer(images.queue, buffer, True, 0, host)
    assert (host[2:5, 4:20] == 200).all() and host[:, : 13 * 4].astype(int).sum() == 200 * 3 * 16


def test_a_map_for_reading_brings_nothing_back(few):
    image, elements = few.filled()
    mapped = enqueue_map_image(few.queue, image, True, READ, ORIGIN, (13, 6, 1))
    rows_of(mapped, (6, 13))[...] = 0
    enqueue_unmap(few.queue, image, mapped.view)
    np.testing.assert_array_equal(few.read(image, elements), elements)


def test_an_invalidating_map_brings_all_of_its_region(images):
    image, elements = images.filled()
    mapped = enqueue_map_image(images.queue, image, True, INVALIDATE, (2, 1, 0), (5, 3, 1))
    rows_of(mapped, (3, 5))[...] = 77
    elements[1:4, 2:7] = 77
    enqueue_unmap(images.queue, image, mapped.view)
    np.testing.assert_array_equal(images.read(image, elements), elements)


def test_levels_are_mapped(images):
    image = images.create(num_mip_levels=3)
    level = images.random(RGBA8, (3, 6))
    images.write(image, level, (0, 0, 1))
    mapped = enqueue_map_image(images.queue, image, True, READ | WRITE, (0, 0, 1), (6, 3, 1))
    np.testing.assert_array_equal(rows_of(mapped, (3, 6)), level)
    rows_of(mapped, (3, 6))[...] += 1
    enqueue_unmap(images.queue, image, mapped.view)
    np.testing.assert_array_equal(images.read(image, level, (0, 0, 1)), level + np.uint8(1))
    fails("INVALID_MIP_LEVEL", enqueue_map_image, images.queue, image, True, READ, (0, 0, 3), (1, 1, 1))


def test_regions_for_writing_do_not_overlap(few):
    image = few.create(num_mip_levels=2)
    enqueue_map_image(few.queue, image, True, READ, ORIGIN, (5, 5, 1))
    enqueue_map_image(few.queue, image, True, READ, (4, 4, 0), (5, 2, 1))
    enqueue_map_image(few.queue, image, True, WRITE, (9, 0, 0), (4, 6, 1))
    enqueue_map_image(few.queue, image, True, WRITE, (0, 0, 1), (5, 3, 1))
    fails("INVALID_OPERATION", enqueue_map_image, few.queue, image, True, WRITE, (4, 4, 0), (1, 1, 1))
    fails("INVALID_OPERATION", enqueue_map_image, few.queue, image, True, READ, (9, 5, 0), (1, 1, 1))


@pytest.mark.parametrize("image_type", [IMAGE1D_BUFFER, IMAGE2D], ids=NAMES.get)
@pytest.mark.parametrize("start", [0, 4096])
def test_a_buffer_and_an_image_over_it_are_mapped_as_one(images, image_type, start):
    """"Mapping [...] overlapped regions in a memory object and/or associated memory objects [...] for writing is an error"."""
    pitch = 2 * 4 * 16 * images.queue.device.properties.images.pitch_align
    buffer, height = Buffer(images.context, 0, start + 8 * pitch), SHAPES[image_type][0] if image_type == IMAGE2D else 1
    part = buffer.sub_buffer(0, start, 8 * pitch)
    image = images.create(image_type, mem_object=part, **({"row_pitch": pitch} if height > 1 else {}))
    last = (height - 1) * pitch + start

    def map_image(flags, x=3):
        return enqueue_map_image(images.queue, image, True, flags, (x, height - 1, 0)[:2 if height > 1 else 1], (2, 1, 1)).view

    def map_bytes(flags, offset, of=buffer):
        return enqueue_map_buffer(images.queue, of, True, flags, offset, 4)[0]

    rows = map_image(WRITE)
    for flags, offset in ((READ, last + 12), (WRITE, last + 16), (READ, last + 19), (WRITE, last + 9)):
        fails("INVALID_OPERATION", map_bytes, flags, offset)
    fails("INVALID_OPERATION", map_bytes, READ, last - start + 12, part)
    fails("INVALID_OPERATION", map_image, READ, 4)
    before, behind = map_bytes(WRITE, last + 8), map_bytes(WRITE, last + 20)
    fails("INVALID_OPERATION", map_image, READ, 5)
    for memory, mapped in ((image, rows), (buffer, before), (buffer, behind)):
        enqueue_unmap(images.queue, memory, mapped)
    one, other = map_image(READ), map_bytes(READ, last + 12)
    assert buffer.map_count == 2
    fails("INVALID_OPERATION", map_image, WRITE)
    enqueue_unmap(images.queue, image, one)
    fails("INVALID_VALUE", enqueue_unmap, images.queue, image, one)
    fails("INVALID_OPERATION", map_image, WRITE)
    enqueue_unmap(images.queue, buffer, other)
    enqueue_unmap(images.queue, image, map_image(WRITE))
    assert not buffer.mappings
    map_image(WRITE)
    del rows, one, mapped, memory  # each of which keeps the elements
    image.release()
    images.queue.finish()
    gc.collect()
    enqueue_unmap(images.queue, buffer, map_bytes(WRITE, last + 12))


def test_parts_of_buffers_that_overlap():
    """Against the sets of their bytes."""
    rng, found = random.Random(3), set()
    for _ in range(3000):
        parts = []
        for _ in range(2):
            width, rows, planes = rng.randint(1, 6), rng.randint(1, 4), rng.randint(1, 3)
            row = width + rng.randint(0, 5)
            plane = row * rows + rng.randint(0, 30)
            parts.append(BufferPart(Linear(rng.randint(0, 60), row, plane), (width, rows, planes)))
        bytes_of = [{part.rows.at((x, y, z)).address for x in range(part.size[0]) for y in range(part.size[1]) for z in range(part.size[2])}
                    for part in parts]
        met = bool(bytes_of[0] & bytes_of[1])
        found.add(met)
        assert parts[0].overlaps(parts[1]) == parts[1].overlaps(parts[0]) == met, parts
    assert found == {False, True}


def test_what_mapping_refuses(few, fake):
    image, q, size = few.create(), few.queue, (13, 6, 1)
    for flags in (0x100, INVALIDATE | READ, INVALIDATE | WRITE):
        fails("INVALID_VALUE", enqueue_map_image, q, image, True, flags, ORIGIN, size)
    for origin, region in ((ORIGIN, (14, 6, 1)), ((0, 1, 0), size), (ORIGIN, (13, 0, 1)), ((0, 0, 1), size), (ORIGIN, (13, 6, 2))):
        fails("INVALID_VALUE", enqueue_map_image, q, image, True, READ, origin, region)
    fails("INVALID_COMMAND_QUEUE", enqueue_map_image, "queue", image, True, READ, ORIGIN, size)
    fails("INVALID_MEM_OBJECT", enqueue_map_image, q, Buffer(few.context, 0, 16), True, READ, ORIGIN, size)
    fails("INVALID_CONTEXT", enqueue_map_image, q, Images(fake.device).create(), True, READ, ORIGIN, size)
    fails("INVALID_EVENT_WAIT_LIST", enqueue_map_image, q, image, True, READ, ORIGIN, size, ["event"])
    fails("INVALID_CONTEXT", enqueue_map_image, q, image, True, READ, ORIGIN, size, [UserEvent(Images(fake.device).context)])
    failed = UserEvent(few.context)
    failed.set_status(-5)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", enqueue_map_image, q, image, True, READ, ORIGIN, size, [failed])
    for flag, access in ((codes.MEM_HOST_WRITE_ONLY, READ), (codes.MEM_HOST_READ_ONLY, WRITE), (codes.MEM_HOST_NO_ACCESS, READ)):
        fails("INVALID_OPERATION", enqueue_map_image, q, few.create(flags=flag), True, access, ORIGIN, size)


def test_no_host_memory_to_map_to(few, fake, monkeypatch):
    def none(size):
        raise DriverError("no memory", "OUT_OF_HOST_MEMORY")

    monkeypatch.setattr(fake.driver, "allocate_host", none)
    fails("MAP_FAILURE", enqueue_map_image, few.queue, few.create(), True, READ, ORIGIN, (1, 1, 1))


def test_what_unmapping_refuses(few):
    image, other = few.create(), few.create()
    mapped = enqueue_map_image(few.queue, image, True, READ, ORIGIN, (13, 6, 1))
    fails("INVALID_VALUE", enqueue_unmap, few.queue, other, mapped.view)
    enqueue_unmap(few.queue, image, mapped.view)
    fails("INVALID_VALUE", enqueue_unmap, few.queue, image, mapped.view)


def test_an_unmap_that_waits_outlives_the_image(few):
    image = few.create()
    view = few.create(IMAGE2D, Format("sRGBA", "UNORM_INT8"), mem_object=image)
    mapped = enqueue_map_image(few.queue, image, True, WRITE, ORIGIN, (13, 6, 1))
    rows_of(mapped, (6, 13))[...] = 5
    gate = UserEvent(few.context)
    enqueue_unmap(few.queue, image, mapped.view, [gate])
    image.release()
    gate.set_status(0)
    assert (few.read(view, np.zeros((6, 13, 4), np.uint8)) == 5).all()


def test_3d_and_1d_regions(images):
    for image_type, origin, region, part in ((IMAGE3D, (2, 1, 3), (4, 2, 2), np.s_[3:5, 1:3, 2:6]), (IMAGE1D, (5, 0, 0), (3, 1, 1), np.s_[5:8])):
        image, elements = images.filled(image_type)
        mapped = enqueue_map_image(images.queue, image, False, READ, origin, region)
        mapped.event.wait()
        np.testing.assert_array_equal(rows_of(mapped, elements[part].shape[:-1]), elements[part])
        enqueue_unmap(images.queue, image, mapped.view)
