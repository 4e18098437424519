"""Commands on images: what they do on every device, and each error that 5.3.4 to 5.3.6 list."""

from dataclasses import replace

import numpy as np
import pytest
from support.fails import fails
from support.fake_driver import FakeDevice
from support.image_model import ORDERS, Format, elements_of
from support.image_objects import (
    ALL_TYPES,
    IMAGE1D,
    IMAGE1D_ARRAY,
    IMAGE1D_BUFFER,
    IMAGE2D,
    IMAGE2D_ARRAY,
    IMAGE3D,
    NAMES,
    R32F,
    RGBA8,
    RGBA32F,
    SHAPES,
    Images,
    region_of,
)

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_migrate, enqueue_read_buffer
from cl2cuda.runtime.commands.image import (
    enqueue_copy_buffer_to_image,
    enqueue_copy_image,
    enqueue_copy_image_to_buffer,
    enqueue_fill_image,
    enqueue_read_image,
    enqueue_write_image,
)
from cl2cuda.runtime.commands.image_map import enqueue_map_image
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.image_formats import FORMATS
from cl2cuda.runtime.image.formats import works
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

ORIGIN = (0, 0, 0)


@pytest.fixture
def images(image_device):
    return Images(image_device)


@pytest.fixture
def few(fake):
    return Images(fake.device)


def inside(shape):
    """A region that is not the whole image: (slices of the array, origin, region)."""
    slices = tuple(slice(1, size - 1) for size in shape)
    return slices, tuple([1] * len(shape) + [0] * (3 - len(shape))), region_of(tuple(size - 2 for size in shape))


@pytest.mark.parametrize("format", [RGBA8, R32F, RGBA32F, Format("RG", "SIGNED_INT16"), Format("R", "UNORM_INT8")], ids=str)
@pytest.mark.parametrize("image_type", ALL_TYPES, ids=NAMES.get)
def test_what_is_written_is_read(images, image_type, format):
    image, elements = images.filled(image_type, format)
    np.testing.assert_array_equal(images.read(image, elements), elements)
    part, origin, _ = inside(SHAPES[image_type])
    changed = images.random(format, elements[part].shape[:-1])
    images.write(image, changed, origin)
    elements[part] = changed
    np.testing.assert_array_equal(images.read(image, elements), elements)
    np.testing.assert_array_equal(images.read(image, changed, origin), changed)


@pytest.mark.parametrize("image_type", [IMAGE1D_ARRAY, IMAGE2D, IMAGE2D_ARRAY, IMAGE3D], ids=NAMES.get)
@pytest.mark.parametrize("odd", [0, 4])
def test_pitches_of_host_memory(images, image_type, odd):
    """Slice pitches of reads and writes need not be a multiple of the row pitch."""
    image, elements = images.filled(image_type)
    shape = (1,) * (3 - len(SHAPES[image_type])) + SHAPES[image_type]
    if image_type == IMAGE1D_ARRAY:
        shape = (shape[1], 1, shape[2])
    row = 16 * 4
    slice_ = (row * (shape[1] + 1) + odd) if image_type != IMAGE2D else 0
    host = np.zeros((shape[0] - 1) * slice_ + shape[1] * row, np.uint8)
    region = region_of(SHAPES[image_type])
    enqueue_read_image(images.queue, image, True, ORIGIN, region, row, slice_, host)
    rows = np.lib.stride_tricks.as_strided(host, (*shape[:2], shape[2] * 4), (slice_, row, 1))
    np.testing.assert_array_equal(rows.reshape(elements.shape), elements)
    assert not host[13 * 4 : row].any()
    rows ^= 0xFF
    enqueue_write_image(images.queue, image, False, ORIGIN, region, row, slice_, host)
    np.testing.assert_array_equal(images.read(image, elements), elements ^ 0xFF)


def test_a_read_after_a_write_in_one_queue_sees_it(images):
    image, elements = images.filled()
    for step in range(5):
        enqueue_write_image(images.queue, image, False, ORIGIN, region_of(SHAPES[IMAGE2D]), 0, 0, elements + np.uint8(step))
    np.testing.assert_array_equal(images.read(image, elements), elements + np.uint8(4))


@pytest.mark.parametrize("source", ALL_TYPES, ids=NAMES.get)
@pytest.mark.parametrize("target", ALL_TYPES, ids=NAMES.get)
def test_copies_between_all_types(images, source, target):
    there, elements = images.filled(source)
    here, before = images.filled(target)
    dimensions = min(len(SHAPES[source]), len(SHAPES[target]))
    size = tuple(min(a, b) - 1 for a, b in zip(SHAPES[source][-dimensions:], SHAPES[target][-dimensions:], strict=True))
    pick, put = ((0,) * (len(SHAPES[t]) - dimensions) + tuple(slice(o, o + n) for o, n in zip([o] * 3, size, strict=False))
                 for t, o in ((source, 0), (target, 1)))
    enqueue_copy_image(images.queue, there, here, ORIGIN, (1,) * dimensions, region_of(size))
    before[put] = elements[pick]
    np.testing.assert_array_equal(images.read(here, before), before)


def test_copies_within_an_image(images):
    image, elements = images.filled()
    enqueue_copy_image(images.queue, image, image, ORIGIN, (6, 3, 0), (6, 3, 1))
    elements[3:6, 6:12] = elements[0:3, 0:6]
    np.testing.assert_array_equal(images.read(image, elements), elements)
    fails("MEM_COPY_OVERLAP", enqueue_copy_image, images.queue, image, image, ORIGIN, (5, 2, 0), (6, 3, 1))


@pytest.mark.parametrize("image_type", ALL_TYPES, ids=NAMES.get)
def test_copies_to_a_buffer_and_back(images, image_type):
    image, elements = images.filled(image_type)
    part, origin, region = inside(SHAPES[image_type])
    expected = np.ascontiguousarray(elements[part])
    buffer = Buffer(images.context, 0, 2000)
    enqueue_fill_buffer(images.queue, buffer, b"\x55", 0, 2000)
    enqueue_copy_image_to_buffer(images.queue, image, buffer, origin, region, 8)
    found = np.zeros(2000, np.uint8)
    enqueue_read_buffer(images.queue, buffer, True, 0, found)
    np.testing.assert_array_equal(found[8 : 8 + expected.nbytes], expected.ravel())
    assert set(found[:8]) == set(found[8 + expected.nbytes :]) == {0x55}

    enqueue_copy_buffer_to_image(images.queue, buffer, image, 0, origin, region)
    elements[part] = found[: expected.nbytes].reshape(expected.shape)
    np.testing.assert_array_equal(images.read(image, elements), elements)


COLORS = {"f": np.array([0.2, 0.6, -0.4, 0.9], np.float32), "i": np.array([-300, 70000, 5, -1], np.int32),
          "ui": np.array([300, 70000, 5, 0xFFFFFFFF], np.uint32)}


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_fill_converts_the_color(images, format):
    model = Format(format.order.name, format.type.name)
    if not works(IMAGE2D, codes.MEM_READ_ONLY, format):
        pytest.skip("not in this device's list")
    image = images.create(IMAGE2D, model, flags=codes.MEM_READ_ONLY)
    before = images.random(model, SHAPES[IMAGE2D])
    images.write(image, before)
    color = COLORS[model.kind]
    enqueue_fill_image(images.queue, image, color[:1] if format.is_depth else color, (2, 1, 0), (7, 3, 1))
    found = images.read(image, before)
    expected = elements_of(np.broadcast_to(color.astype(float) if model.kind == "f" else color, (3, 7, 4)), model)
    seen = [i for i, c in enumerate(ORDERS[model.order][1]) if c != "x"] if not format.packed else [0]
    np.testing.assert_allclose(found[1:4, 2:9][..., seen], expected[..., seen], atol=0.6 if model.is_srgb else 0)
    found[1:4, 2:9] = before[1:4, 2:9]
    np.testing.assert_array_equal(found, before)


@pytest.mark.parametrize("image_type", ALL_TYPES, ids=NAMES.get)
def test_fill_of_every_type(images, image_type):
    image, elements = images.filled(image_type, RGBA32F)
    part, origin, region = inside(SHAPES[image_type])
    enqueue_fill_image(images.queue, image, COLORS["f"], origin, region)
    elements[part] = COLORS["f"]
    np.testing.assert_array_equal(images.read(image, elements), elements)


def test_large_fills(images):
    image = images.create(IMAGE2D, RGBA8, (1000, 2000))
    enqueue_fill_image(images.queue, image, np.ones(4, np.float32), ORIGIN, (2000, 1000, 1))
    assert images.read(image, np.zeros((1000, 2000, 4), np.uint8)).min() == 255


def test_images_outlive_commands_that_use_them(few):
    image, elements = few.filled()
    found = np.zeros_like(elements)
    gate = UserEvent(few.context)
    enqueue_read_image(few.queue, image, False, ORIGIN, region_of(SHAPES[IMAGE2D]), 0, 0, found, (gate,))
    image.release()
    gate.set_status(0)
    few.queue.finish()
    np.testing.assert_array_equal(found, elements)


def test_migration_is_for_images_too(images):
    image, elements = images.filled()
    enqueue_migrate(images.queue, [image, Buffer(images.context, 0, 16)], 0).wait()
    np.testing.assert_array_equal(images.read(image, elements), elements)


# Errors


def calls(images, image, queue=None):
    """Every command on one image as a function of (origin, region)."""
    q, host, color = queue or images.queue, np.zeros(1 << 16, np.uint8), np.zeros(4, np.float32)
    buffer, other = Buffer(images.context, 0, 1 << 15), images.create(IMAGE3D, shape=(7, 7, 14))
    return [
        lambda o, r: enqueue_read_image(q, image, True, o, r, 0, 0, host),
        lambda o, r: enqueue_write_image(q, image, True, o, r, 0, 0, host),
        lambda o, r: enqueue_copy_image(q, image, other, o, ORIGIN, r),
        lambda o, r: enqueue_copy_image(q, other, image, ORIGIN, o, r),
        lambda o, r: enqueue_fill_image(q, image, color, o, r),
        lambda o, r: enqueue_copy_image_to_buffer(q, image, buffer, o, r, 0),
        lambda o, r: enqueue_copy_buffer_to_image(q, buffer, image, 0, o, r),
    ]


@pytest.mark.parametrize("image_type", ALL_TYPES, ids=NAMES.get)
def test_regions_stay_inside_and_have_no_other_dimensions(few, image_type):
    image = few.create(image_type)
    used, size = len(SHAPES[image_type]), region_of(SHAPES[image_type])
    for call in calls(few, image):
        call(ORIGIN, size)
        for axis in range(used):
            too_far, empty = list(ORIGIN), list(size)
            too_far[axis], empty[axis] = 1, 0
            fails("INVALID_VALUE", call, too_far, size)
            fails("INVALID_VALUE", call, ORIGIN, empty)
        for axis in range(used, 3):
            origin, region = list(ORIGIN), list(size)
            origin[axis], region[axis] = 1, 2
            fails("INVALID_VALUE", call, origin, size)
            fails("INVALID_VALUE", call, ORIGIN, region)
        fails("INVALID_VALUE", call, (-1, 0, 0), size)
    few.queue.finish()


def two(here=None, there=None):
    """An image's world of two devices, and a queue of the second."""
    devices = [Device(platforms.Platform(), "fake", FakeDevice(**(changes or {}))) for changes in (here, there)]
    images = Images(*devices)
    return images, CommandQueue(images.context, devices[1])


def test_levels_that_are_none(few):
    for call in calls(few, few.create(num_mip_levels=2)):
        call((0, 0, 1), (6, 3, 1))
        fails("INVALID_MIP_LEVEL", call, (0, 0, 2), (1, 1, 1))
    few.queue.finish()


@pytest.mark.parametrize(("there", "status"), [
    (dict(images=None), "INVALID_OPERATION"),
    (dict(images=replace(FakeDevice().properties.images, plane=(8, 8), volume=(4, 4, 4))), "INVALID_IMAGE_SIZE"),
    (dict(global_memory=64), "MEM_OBJECT_ALLOCATION_FAILURE"),
], ids=str)
def test_devices_that_cannot_have_the_image(there, status):
    """In a context with a device that can."""
    images, queue = two(None, there)
    image = images.create()
    for call in calls(images, image, queue):
        fails(status, call, ORIGIN, (1, 1, 1))
    fails(status, enqueue_map_image, queue, image, True, codes.MAP_READ, ORIGIN, (1, 1, 1))


def test_sub_buffers_lie_as_the_device_needs_them():
    images, queue = two(dict(base_address_align=128), dict(base_address_align=512))
    part, image = Buffer(images.context, 0, 4096).sub_buffer(0, 128, 1024), images.create()
    fails("MISALIGNED_SUB_BUFFER_OFFSET", enqueue_copy_image_to_buffer, queue, image, part, ORIGIN, (1, 1, 1), 0)
    fails("MISALIGNED_SUB_BUFFER_OFFSET", enqueue_copy_buffer_to_image, queue, part, image, 0, ORIGIN, (1, 1, 1))


def test_objects_are_what_they_should_be(few, fake):
    q, image, buffer = few.queue, few.create(), Buffer(few.context, 0, 4096)
    foreign = Images(fake.device)
    host, color, size = np.zeros(4096, np.uint8), np.zeros(4, np.float32), (2, 2, 1)
    gone = few.create()
    gone.release()
    for status, queue, bad in (("INVALID_COMMAND_QUEUE", "queue", image), ("INVALID_MEM_OBJECT", q, buffer),
                               ("INVALID_MEM_OBJECT", q, "image"), ("INVALID_MEM_OBJECT", q, gone),
                               ("INVALID_CONTEXT", q, foreign.create()), ("INVALID_CONTEXT", foreign.queue, image)):
        fails(status, enqueue_read_image, queue, bad, True, ORIGIN, size, 0, 0, host)
        fails(status, enqueue_write_image, queue, bad, True, ORIGIN, size, 0, 0, host)
        fails(status, enqueue_copy_image, queue, bad, image, ORIGIN, ORIGIN, size)
        fails(status, enqueue_copy_image, queue, image, bad, ORIGIN, ORIGIN, size)
        fails(status, enqueue_fill_image, queue, bad, color, ORIGIN, size)
        fails(status, enqueue_copy_image_to_buffer, queue, bad, buffer, ORIGIN, size, 0)
        fails(status, enqueue_copy_buffer_to_image, queue, buffer, bad, 0, ORIGIN, size)
    fails("INVALID_MEM_OBJECT", enqueue_copy_image_to_buffer, q, image, image, ORIGIN, size, 0)
    fails("INVALID_MEM_OBJECT", enqueue_copy_buffer_to_image, q, image, image, 0, ORIGIN, size)


def test_wait_lists_are_checked(few, fake):
    q, image, buffer = few.queue, few.create(), Buffer(few.context, 0, 4096)
    host, color, size = np.zeros(4096, np.uint8), np.zeros(4, np.float32), (2, 2, 1)
    for status, event in (("INVALID_EVENT_WAIT_LIST", "event"), ("INVALID_CONTEXT", UserEvent(Images(fake.device).context))):
        fails(status, enqueue_read_image, q, image, True, ORIGIN, size, 0, 0, host, [event])
        fails(status, enqueue_write_image, q, image, True, ORIGIN, size, 0, 0, host, [event])
        fails(status, enqueue_copy_image, q, image, few.create(), ORIGIN, ORIGIN, size, [event])
        fails(status, enqueue_fill_image, q, image, color, ORIGIN, size, [event])
        fails(status, enqueue_copy_image_to_buffer, q, image, buffer, ORIGIN, size, 0, [event])
        fails(status, enqueue_copy_buffer_to_image, q, buffer, image, 0, ORIGIN, size, [event])


def test_blocking_commands_report_that_what_they_wait_for_failed(few):
    failed = UserEvent(few.context)
    failed.set_status(-5)
    host, image = np.zeros(4096, np.uint8), few.create()
    for call in (enqueue_read_image, enqueue_write_image):
        fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", call, few.queue, image, True, ORIGIN, (2, 2, 1), 0, 0, host, [failed])


def test_host_memory_holds_the_region(few):
    image, volume = few.create(), few.create(IMAGE3D)
    size = region_of(SHAPES[IMAGE2D])
    for call in (enqueue_read_image, enqueue_write_image):
        fails("INVALID_VALUE", call, few.queue, image, True, ORIGIN, size, 0, 0, np.zeros(6 * 13 * 4 - 1, np.uint8))
        fails("INVALID_VALUE", call, few.queue, image, True, ORIGIN, size, 13 * 4 - 1, 0, np.zeros(4096, np.uint8))
        fails("INVALID_VALUE", call, few.queue, image, True, ORIGIN, size, 0, 6 * 13 * 4, np.zeros(4096, np.uint8))
        fails("INVALID_VALUE", call, few.queue, volume, True, ORIGIN, (13, 6, 5), 0, 6 * 13 * 4 - 1, np.zeros(4096, np.uint8))
    fails("INVALID_VALUE", enqueue_read_image, few.queue, image, True, ORIGIN, size, 0, 0, bytes(4096))


@pytest.mark.parametrize(("flag", "call"), [
    (codes.MEM_HOST_WRITE_ONLY, enqueue_read_image), (codes.MEM_HOST_READ_ONLY, enqueue_write_image),
    (codes.MEM_HOST_NO_ACCESS, enqueue_read_image), (codes.MEM_HOST_NO_ACCESS, enqueue_write_image),
])
def test_the_host_keeps_to_its_flags(few, flag, call):
    fails("INVALID_OPERATION", call, few.queue, few.create(flags=flag), True, ORIGIN, (1, 1, 1), 0, 0, bytearray(4))


def test_formats_match_when_images_are_copied(few):
    fails("IMAGE_FORMAT_MISMATCH", enqueue_copy_image, few.queue, few.create(), few.create(format=R32F), ORIGIN, ORIGIN, (1, 1, 1))


def test_the_fill_color_is_a_color(few):
    fails("INVALID_VALUE", enqueue_fill_image, few.queue, few.create(), np.zeros(3, np.float32), ORIGIN, (1, 1, 1))


def test_the_buffer_holds_the_region(few):
    image, buffer = few.create(), Buffer(few.context, 0, 6 * 13 * 4)
    size = region_of(SHAPES[IMAGE2D])
    enqueue_copy_image_to_buffer(few.queue, image, buffer, ORIGIN, size, 0)
    for offset in (1, -1):
        fails("INVALID_VALUE", enqueue_copy_image_to_buffer, few.queue, image, buffer, ORIGIN, size, offset)
        fails("INVALID_VALUE", enqueue_copy_buffer_to_image, few.queue, buffer, image, offset, ORIGIN, size)
    few.queue.finish()


def test_an_image_is_not_copied_to_the_buffer_that_it_is(few):
    buffer = Buffer(few.context, 0, 13 * 4)
    image = few.create(IMAGE1D_BUFFER, mem_object=buffer)
    fails("INVALID_MEM_OBJECT", enqueue_copy_image_to_buffer, few.queue, image, buffer, ORIGIN, (13, 1, 1), 0)
    fails("INVALID_MEM_OBJECT", enqueue_copy_buffer_to_image, few.queue, buffer, image, 0, ORIGIN, (13, 1, 1))


def test_1d_images_copy_to_a_row(images):
    line, elements = images.filled(IMAGE1D)
    image, before = images.filled(IMAGE2D)
    enqueue_copy_image(images.queue, line, image, ORIGIN, (0, 2, 0), (13, 1, 1))
    before[2] = elements
    np.testing.assert_array_equal(images.read(image, before), before)
