"""Image objects: creation of every kind from every source, what it refuses (5.3.1), queries, lifetime."""

import gc
from dataclasses import replace

import numpy as np
import pytest
from support.fails import fails
from support.fake_driver import FakeDevice, FakeImage
from support.image_model import Format
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
    SHAPES,
    Images,
    descriptor,
)

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_read_buffer
from cl2cuda.runtime.commands.image import enqueue_read_image, enqueue_write_image
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.elements import SpareImages
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.memory import late
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

COPY, USE, ALLOC = codes.MEM_COPY_HOST_PTR, codes.MEM_USE_HOST_PTR, codes.MEM_ALLOC_HOST_PTR


@pytest.fixture
def images(image_device):
    return Images(image_device)


@pytest.fixture
def few(fake):
    return Images(fake.device)


@pytest.mark.parametrize("flags", [ALLOC, codes.MEM_HOST_NO_ACCESS, codes.MEM_READ_ONLY | ALLOC, codes.MEM_WRITE_ONLY, codes.MEM_READ_WRITE])
def test_flags_are_those_that_were_given(images, flags):
    image = images.create(flags=flags)
    assert image.get_info(codes.MEM_FLAGS) == flags
    assert images.create(flags=0).get_info(codes.MEM_FLAGS) == codes.MEM_READ_WRITE
    buffer = Buffer(images.context, flags, 4096)
    assert images.create(IMAGE1D_BUFFER, mem_object=buffer).get_info(codes.MEM_FLAGS) == flags


OWN = [each for each in ALL_TYPES if each != IMAGE1D_BUFFER]


@pytest.mark.parametrize("flags", [COPY, USE, COPY | ALLOC])
@pytest.mark.parametrize("image_type", OWN, ids=NAMES.get)
def test_contents_from_host_memory(images, image_type, flags):
    elements = images.random(RGBA8, SHAPES[image_type])
    image = images.create(image_type, flags=flags, host=elements)
    np.testing.assert_array_equal(images.read(image, elements), elements)
    assert (image.get_info(codes.MEM_HOST_PTR) == elements.ctypes.data) == bool(flags & USE)


@pytest.mark.parametrize("image_type", OWN, ids=NAMES.get)
def test_pitches_of_the_host_memory(images, image_type):
    shape = SHAPES[image_type]
    rows = shape[-2] if image_type in (IMAGE2D, IMAGE2D_ARRAY, IMAGE3D) else 1
    planes = shape[0] if image_type in (IMAGE1D_ARRAY, IMAGE2D_ARRAY, IMAGE3D) else 1
    padded = images.random(RGBA8, (planes, rows + 2, shape[-1] + 3))
    row, slice_ = padded.strides[1], padded.strides[0] if planes > 1 else 0
    image = images.create(image_type, flags=COPY, host=padded, row_pitch=row, slice_pitch=slice_)
    expected = padded[:, :rows, :-3].reshape(*shape, 4)
    np.testing.assert_array_equal(images.read(image, expected), expected)
    assert (image.row_pitch, image.slice_pitch) == (row, slice_)


def test_a_buffer_and_the_image_over_it_are_one(images):
    buffer = Buffer(images.context, 0, 6 * 64)
    line = images.create(IMAGE1D_BUFFER, shape=(96,), mem_object=buffer)
    pitch = 8 * images.queue.device.properties.images.pitch_align * 4
    plane = images.create(IMAGE2D, shape=(1, 8), mem_object=Buffer(images.context, 0, pitch), row_pitch=pitch)
    enqueue_fill_buffer(images.queue, buffer, b"abcd", 0, 6 * 64)
    np.testing.assert_array_equal(images.read(line, np.zeros((96, 4), np.uint8)), np.tile(np.frombuffer(b"abcd", np.uint8), (96, 1)))
    images.write(line, np.full((5, 4), 9, np.uint8), (3, 0, 0))
    host = np.zeros(6 * 64, np.uint8)
    enqueue_read_buffer(images.queue, buffer, True, 0, host)
    assert (host[12:32] == 9).all() and host[11] == ord("d") and host[32] == ord("a")
    assert plane.row_pitch == pitch and plane.slice_pitch == 0
    buffer.release()
    assert images.read(line, np.zeros((5, 4), np.uint8), (3, 0, 0)).min() == 9


def test_a_view_under_another_order_shares_the_elements(images):
    image, elements = images.filled(IMAGE2D, RGBA8)
    view = images.create(IMAGE2D, Format("sRGBA", "UNORM_INT8"), mem_object=image)
    assert view.parent is image and view.get_info(codes.MEM_ASSOCIATED_MEMOBJECT) is image
    images.write(view, elements[:2] ^ 0xFF)
    elements[:2] ^= 0xFF
    image.release()
    np.testing.assert_array_equal(images.read(view, elements), elements)


def test_queries(few):
    host = np.zeros((3, 6, 16, 4), np.uint8)
    image = few.create(IMAGE2D_ARRAY, flags=COPY | codes.MEM_READ_ONLY, host=host, row_pitch=64, slice_pitch=384)
    wanted = {"FORMAT": RGBA8.codes, "ELEMENT_SIZE": 4, "ROW_PITCH": 64, "SLICE_PITCH": 384, "WIDTH": 13, "HEIGHT": 6, "DEPTH": 0,
              "ARRAY_SIZE": 3, "BUFFER": None, "NUM_MIP_LEVELS": 0, "NUM_SAMPLES": 0}
    assert {name: image.get_image_info(getattr(codes, f"IMAGE_{name}")) for name in wanted} == wanted
    common = {"TYPE": IMAGE2D_ARRAY, "FLAGS": COPY | codes.MEM_READ_ONLY, "SIZE": 3 * 6 * 13 * 4, "HOST_PTR": None, "MAP_COUNT": 0,
              "REFERENCE_COUNT": 1, "CONTEXT": few.context, "ASSOCIATED_MEMOBJECT": None, "OFFSET": 0, "USES_SVM_POINTER": False,
              "PROPERTIES": ()}
    assert {name: image.get_info(getattr(codes, f"MEM_{name}")) for name in common} == common
    fails("INVALID_VALUE", image.get_image_info, codes.MEM_TYPE)
    fails("INVALID_VALUE", image.get_info, codes.IMAGE_FORMAT)


@pytest.mark.parametrize(("image_type", "sizes", "pitches"), [
    (IMAGE1D, (13, 0, 0, 0), (52, 0)), (IMAGE1D_BUFFER, (13, 0, 0, 0), (52, 0)), (IMAGE1D_ARRAY, (13, 0, 0, 4), (52, 52)),
    (IMAGE2D, (13, 6, 0, 0), (52, 0)), (IMAGE2D_ARRAY, (13, 6, 0, 3), (52, 312)), (IMAGE3D, (13, 6, 5, 0), (52, 312)),
], ids=lambda v: NAMES.get(v) if isinstance(v, int) else "")
def test_sizes_by_type(few, image_type, sizes, pitches):
    image = few.create(image_type)
    names = ("WIDTH", "HEIGHT", "DEPTH", "ARRAY_SIZE", "ROW_PITCH", "SLICE_PITCH")
    assert tuple(image.get_image_info(getattr(codes, f"IMAGE_{name}")) for name in names) == sizes + pitches
    assert (image.get_image_info(codes.IMAGE_BUFFER) is not None) == (image_type == IMAGE1D_BUFFER)


def test_flags_are_inherited(few):
    buffer = Buffer(few.context, codes.MEM_READ_ONLY | codes.MEM_HOST_READ_ONLY | ALLOC, 4096)
    image = few.create(IMAGE1D_BUFFER, mem_object=buffer)
    assert image.flags == codes.MEM_READ_ONLY | codes.MEM_HOST_READ_ONLY | ALLOC
    assert few.create(IMAGE1D_BUFFER, mem_object=buffer, flags=codes.MEM_HOST_NO_ACCESS).flags & codes.MEM_HOST_NO_ACCESS
    for flags in (codes.MEM_READ_WRITE, codes.MEM_WRITE_ONLY, codes.MEM_HOST_WRITE_ONLY, USE, ALLOC, COPY):
        fails("INVALID_VALUE", few.create, IMAGE1D_BUFFER, mem_object=buffer, flags=flags)
    writable = Buffer(few.context, codes.MEM_WRITE_ONLY, 4096)
    for flags in (codes.MEM_READ_WRITE, codes.MEM_READ_ONLY):
        fails("INVALID_VALUE", few.create, IMAGE1D_BUFFER, mem_object=writable, flags=flags)


# Errors


@pytest.mark.parametrize(("flags", "host", "status"), [
    (1 << 40, None, "INVALID_VALUE"), (codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY, None, "INVALID_VALUE"),
    (codes.MEM_KERNEL_READ_AND_WRITE, None, "INVALID_VALUE"), (USE | COPY, bytes(1000), "INVALID_VALUE"),
    (COPY, None, "INVALID_HOST_PTR"), (USE, None, "INVALID_HOST_PTR"), (0, bytes(1000), "INVALID_HOST_PTR"),
    (COPY, bytes(6 * 13 * 4 - 1), "INVALID_HOST_PTR"),
])
def test_flags_and_host_memory_go_together(few, flags, host, status):
    fails(status, few.create, flags=flags, host=host)


@pytest.mark.parametrize(("pair", "status"), [
    ((0x10B5, 0x10B5), "INVALID_IMAGE_FORMAT_DESCRIPTOR"), ((0, 0), "INVALID_IMAGE_FORMAT_DESCRIPTOR"),
    ((0x10B4, 0x10DE), "INVALID_IMAGE_FORMAT_DESCRIPTOR"),  # RGB of floats: 96 bits
    ((0x10B5, 0x10D4), "INVALID_IMAGE_FORMAT_DESCRIPTOR"),  # "The channel order must be CL_RGB or CL_RGBx."
    ((0x10B6, 0x10DE), "IMAGE_FORMAT_NOT_SUPPORTED"),  # BGRA of floats
    *(((order, 0x10D2), "IMAGE_FORMAT_NOT_SUPPORTED") for order in (0x10BA, 0x10BC, 0x10C0)),  # Rx, RGBx, sRGBx
])
def test_formats_that_are_none(few, pair, status):
    fails(status, Image, few.context, 0, pair, descriptor(IMAGE2D, (4, 4)))


def test_formats_that_a_type_does_not_have(few):
    fails("IMAGE_FORMAT_NOT_SUPPORTED", few.create, IMAGE3D, Format("DEPTH", "FLOAT"))
    fails("IMAGE_FORMAT_NOT_SUPPORTED", few.create, IMAGE1D_BUFFER, Format("sRGBA", "UNORM_INT8"))


@pytest.mark.parametrize("wrong", [
    dict(image_type=codes.MEM_OBJECT_BUFFER), dict(image_type=0), dict(width=0), dict(height=0), dict(num_samples=1),
    dict(image_type=IMAGE3D, depth=0), dict(image_type=IMAGE1D_ARRAY), dict(image_type=IMAGE1D_BUFFER), dict(row_pitch=64),
    dict(slice_pitch=256), dict(num_mip_levels=4), dict(mem_object="buffer"),
])
def test_descriptors_that_are_none(few, wrong):
    sizes = {"image_type": IMAGE2D, "width": 4, "height": 4, **wrong}
    fails("INVALID_IMAGE_DESCRIPTOR", Image, few.context, 0, RGBA8.codes, ImageDescriptor(**sizes))


def test_pitches_that_are_none(few):
    host = np.zeros(8192, np.uint8)
    for pitches in ({"row_pitch": 51}, {"row_pitch": 54}, {"slice_pitch": 311}, {"row_pitch": 64, "slice_pitch": 6 * 64 + 4}):
        fails("INVALID_IMAGE_DESCRIPTOR", few.create, IMAGE3D, flags=COPY, host=host, **pitches)


@pytest.mark.parametrize(("image_type", "shape"), [
    (IMAGE1D, (2049,)), (IMAGE2D, (1, 2049)), (IMAGE2D, (1025, 1)), (IMAGE2D_ARRAY, (65, 1, 1)), (IMAGE1D_ARRAY, (65, 1)),
    (IMAGE3D, (129, 1, 1)), (IMAGE3D, (1, 257, 1)), (IMAGE3D, (1, 1, 513)), (IMAGE1D_BUFFER, ((1 << 16) + 1,)),
], ids=str)
def test_images_larger_than_the_device_has(few, image_type, shape):
    fails("INVALID_IMAGE_SIZE", few.create, image_type, RGBA8, shape)


def test_a_device_without_images():
    images = Images(Device(platforms.Platform(), "fake", FakeDevice(images=None)))
    fails("INVALID_OPERATION", images.create)


def test_memory_that_the_device_does_not_have(monkeypatch):
    images = Images(Device(platforms.Platform(), "fake", FakeDevice(global_memory=1 << 16)))
    image = images.create(IMAGE2D, RGBA8, (1000, 1000))
    message = fails("MEM_OBJECT_ALLOCATION_FAILURE", image.argument, False)
    assert "the 4000000 bytes of an image that is used for the first time" in message
    image.release()
    fails("INVALID_MEM_OBJECT", image.argument, False)
    fails("MEM_OBJECT_ALLOCATION_FAILURE", images.create, IMAGE2D, RGBA8, (1000, 1000), flags=codes.MEM_ALLOC_HOST_PTR)
    monkeypatch.setattr(late, "LARGEST", 1 << 20)
    fails("MEM_OBJECT_ALLOCATION_FAILURE", images.create, IMAGE2D, RGBA8, (1000, 1000))


def test_a_1d_image_buffer_may_be_told_the_pitch_that_it_has(images):
    """The specification wants 0; the conformance tests tell it, and drivers take it."""
    buffer = Buffer(images.context, 0, 4096)
    line = images.create(IMAGE1D_BUFFER, RGBA8, (96,), mem_object=buffer, row_pitch=96 * 4)
    assert line.row_pitch == 96 * 4
    for pitches in (dict(row_pitch=97 * 4), dict(row_pitch=95 * 4), dict(slice_pitch=96 * 4), dict(row_pitch=96 * 4, slice_pitch=96 * 4)):
        fails("INVALID_IMAGE_DESCRIPTOR", images.create, IMAGE1D_BUFFER, RGBA8, (96,), mem_object=buffer, **pitches)


def test_the_next_image_of_a_buffer_has_what_the_driver_made_for_the_last_one(fake, monkeypatch):
    images, closed = Images(fake.device), []
    monkeypatch.setattr(FakeImage, "close", lambda self: closed.append(self))
    buffer = Buffer(images.context, 0, 4096)
    part = buffer.sub_buffer(0, 1024, 1024)

    def made(of=buffer, width=16, **how):
        image = images.create(IMAGE1D_BUFFER, RGBA8, (width,), mem_object=of, **how)
        images.write(image, images.random(RGBA8, (width,)))
        return image, image.elements.on(fake.device)

    def release(*them):
        for each in them:
            each.release()
        images.queue.finish()

    first, here = made()
    second, there = made()
    assert there is not here and first.flags == second.flags
    release(first)
    first, again = made()
    assert again is here
    release(first)
    for how in ({"width": 17}, {"of": part}):
        other, elsewhere = made(**how)
        assert elsewhere not in (here, there) and other.elements.offset == (1024 if "of" in how else 0)
        release(other)
    read_only, again = made(flags=codes.MEM_READ_ONLY)
    assert again is here and read_only.flags & codes.MEM_READ_ONLY and not second.flags & codes.MEM_READ_ONLY
    fails("INVALID_IMAGE_SIZE", made, width=1025)
    fails("INVALID_IMAGE_SIZE", made, part, 257)
    several = [made(width=width)[0] for width in range(20, 30)]
    release(second, read_only, *several)
    assert len(closed) == 13 - SpareImages.MOST + 1  # of two that were alike, one
    release(part, buffer)
    del first, second, read_only, other, several, part, buffer
    images.queue.finish()
    assert len(closed) == 14 and here in closed and there in closed and len(set(closed)) == 14


def test_what_the_driver_made_is_closed_whichever_of_buffer_and_image_goes_first(fake, monkeypatch):
    closed = []
    monkeypatch.setattr(FakeImage, "close", lambda self: closed.append(self))
    for buffers_first in (True, False):
        images = Images(fake.device)
        buffer = Buffer(images.context, 0, 4096)
        image = images.create(IMAGE1D_BUFFER, RGBA8, (16,), mem_object=buffer)
        images.write(image, images.random(RGBA8, (16,)))
        elements, spare = image.elements, SpareImages.of(buffer.storage)
        made = elements.on(fake.device)
        del image, buffer
        for each in (spare, elements) if buffers_first else (elements, spare):
            each.__del__()  # as Python's search for garbage calls them
        images.queue.finish()
        assert made in closed


def test_what_kernels_are_given_for_images_of_a_buffer_is_each_formats_and_parts(images):
    buffer = Buffer(images.context, 0, 4096)

    def made(format_=RGBA8, of=buffer):
        """An image, what a kernel is given for it, and whether that was known of the last one."""
        image = images.create(IMAGE1D_BUFFER, format_, (16,), mem_object=of)
        known = image.arguments.get("taken")
        argument = known or image.argument(0)
        image.keep_argument("taken", argument)
        return image, argument, known is not None

    first, of_first, _ = made()
    first.release()
    images.queue.finish()
    second, of_second, known = made()
    assert known and of_second == of_first == second.argument(0)
    third, of_third, known = made()  # while the second lives
    assert not known and third.argument(0) == of_third
    part, of_part, known = made(of=buffer.sub_buffer(0, 1024, 2048))
    assert not known and of_part == part.argument(0)
    floats, of_floats, known = made(R32F)
    assert not known and of_floats == floats.argument(0)
    second.release()
    assert not second.arguments
    again, of_again, known = made()
    assert known and of_again == of_first == again.argument(0)


def test_what_cannot_be_made_from_a_buffer(few):
    buffer = Buffer(few.context, 0, 4096)
    foreign = Buffer(Context(few.context.devices), 0, 4096)
    fails("INVALID_IMAGE_SIZE", few.create, IMAGE1D_BUFFER, RGBA8, (1025,), mem_object=buffer)
    fails("INVALID_IMAGE_SIZE", few.create, IMAGE2D, RGBA8, (65, 16), mem_object=buffer, row_pitch=64)
    fails("INVALID_IMAGE_FORMAT_DESCRIPTOR", few.create, IMAGE2D, RGBA8, (4, 16), mem_object=buffer, row_pitch=66)
    fails("INVALID_IMAGE_FORMAT_DESCRIPTOR", few.create, IMAGE2D, RGBA8, (4, 32), mem_object=buffer, row_pitch=64)
    for image_type, shape in ((IMAGE3D, (5, 6, 8)), (IMAGE2D_ARRAY, (5, 6, 8))):
        few.create(image_type, RGBA8, shape, mem_object=buffer, row_pitch=64, slice_pitch=448)
        for pitches in (dict(row_pitch=64, slice_pitch=320), dict(row_pitch=64, slice_pitch=450), dict(slice_pitch=160)):
            fails("INVALID_IMAGE_FORMAT_DESCRIPTOR", few.create, image_type, RGBA8, shape, mem_object=buffer, **pitches)
        fails("INVALID_IMAGE_SIZE", few.create, image_type, RGBA8, shape, mem_object=buffer, slice_pitch=1024)
    fails("INVALID_IMAGE_SIZE", few.create, IMAGE1D, RGBA8, (1025,), mem_object=buffer)
    fails("INVALID_IMAGE_SIZE", few.create, IMAGE1D_ARRAY, RGBA8, (5, 256), mem_object=buffer)
    fails("INVALID_IMAGE_DESCRIPTOR", few.create, IMAGE1D_BUFFER, RGBA8, (16,), mem_object=foreign)
    fails("INVALID_HOST_PTR", few.create, IMAGE2D, RGBA8, (4, 16), mem_object=buffer, row_pitch=64, host=bytes(4096))


def test_where_a_buffer_has_to_start(fake):
    """CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "if [...] base address alignment does not follow the rules"."""
    strict = FakeDevice()
    strict.properties = replace(strict.properties, images=replace(strict.properties.images, base_align=1024))
    images = Images(Device(platforms.Platform(), "fake", strict))
    buffer = Buffer(images.context, 0, 8192)
    images.create(IMAGE2D, RGBA8, (4, 16), mem_object=buffer.sub_buffer(0, 1024, 4096), row_pitch=64)
    fails("INVALID_IMAGE_FORMAT_DESCRIPTOR", images.create, IMAGE2D, RGBA8, (4, 16), mem_object=buffer.sub_buffer(0, 256, 4096),
          row_pitch=64)


def test_what_cannot_be_made_from_an_image(few):
    image, volume = few.create(), few.create(IMAGE3D)
    view = Format("sRGBA", "UNORM_INT8")
    fails("INVALID_IMAGE_FORMAT_DESCRIPTOR", few.create, IMAGE2D, R32F, mem_object=image)
    fails("INVALID_IMAGE_FORMAT_DESCRIPTOR", few.create, IMAGE2D, RGBA8, mem_object=image)
    fails("INVALID_IMAGE_FORMAT_DESCRIPTOR", few.create, IMAGE2D, view, (6, 12), mem_object=image)
    fails("INVALID_IMAGE_DESCRIPTOR", few.create, IMAGE3D, view, mem_object=volume)
    fails("INVALID_IMAGE_DESCRIPTOR", few.create, IMAGE2D, view, mem_object=volume)


def test_mipmapped_images_have_no_host_memory_and_as_many_levels_as_halves(few):
    host = bytes(8192)
    few.create(num_mip_levels=4)
    for flags in (COPY, USE):
        fails("INVALID_VALUE", few.create, flags=flags, host=host, num_mip_levels=2)
    fails("INVALID_IMAGE_DESCRIPTOR", few.create, num_mip_levels=5)
    fails("INVALID_IMAGE_DESCRIPTOR", few.create, format=Format("DEPTH", "FLOAT"), num_mip_levels=2)
    image = few.create(num_mip_levels=3)
    fails("INVALID_MIP_LEVEL", enqueue_read_image, few.queue, image, True, (0, 0, 3), (1, 1, 1), 0, 0, bytearray(4))
    enqueue_write_image(few.queue, image, True, (0, 0, 2), (3, 1, 1), 0, 0, bytes(12))
    fails("INVALID_VALUE", enqueue_write_image, few.queue, image, True, (0, 0, 2), (4, 1, 1), 0, 0, bytes(16))
    volume = few.create(IMAGE3D, num_mip_levels=2)
    enqueue_write_image(few.queue, volume, True, (0, 0, 1, 1), (6, 3, 1), 0, 0, bytes(6 * 3 * 4))


# Lifetime and several devices


def test_memory_goes_with_the_last_view(few, fake):
    image, _ = few.filled()
    view = few.create(IMAGE2D, Format("sRGBA", "UNORM_INT8"), mem_object=image)
    image.release()
    few.queue.finish()
    assert fake.driver.memory
    view.release()
    gc.collect()
    few.context.reclaim_all()  # Until then the next image of its layout could have it.
    assert not fake.driver.memory
    fails("INVALID_MEM_OBJECT", enqueue_read_image, few.queue, view, True, (0, 0, 0), (1, 1, 1), 0, 0, bytearray(4))


def two_devices(**more):
    return [Device(platforms.Platform(), "fake", FakeDevice(**each)) for each in ({}, more)]


def test_an_image_moves_to_the_device_that_uses_it():
    here, there = two_devices()
    images = Images(here, there)
    other = CommandQueue(images.context, there)
    for more in ({}, {"num_mip_levels": 3}):
        image, elements = images.filled(**more)
        found = np.zeros_like(elements)
        enqueue_read_image(other, image, True, (0, 0, 0), (13, 6, 1), 0, 0, found)
        np.testing.assert_array_equal(found, elements)
        assert image.elements.places() == {here, there}
        np.testing.assert_array_equal(images.read(image, elements), elements)
    line = images.create(IMAGE1D_BUFFER)
    images.write(line, elements[0])
    enqueue_read_image(other, line, True, (0, 0, 0), (13, 1, 1), 0, 0, found)
    np.testing.assert_array_equal(found[0], elements[0])


def test_an_image_finds_its_buffer_again_after_it_was_elsewhere():
    here, there = two_devices()
    images = Images(here, there)
    other = CommandQueue(images.context, there)
    buffer = Buffer(images.context, 0, 4096)
    line = images.create(IMAGE1D_BUFFER, mem_object=buffer)
    elements = images.random(RGBA8, (13,))
    images.write(line, elements)
    in_the_way = []
    for turn in range(3):
        enqueue_fill_buffer(other, buffer, bytes([turn]), 4092, 4).wait()
        images.queue.finish()
        in_the_way.append(Buffer(images.context, 0, 4096))
        np.testing.assert_array_equal(images.read(line, elements), elements)
        assert line.elements.on(here).memory.address == buffer.address


def test_a_device_that_cannot_have_the_image():
    limits = FakeDevice().properties.images
    here, small = two_devices(images=replace(limits, plane=(8, 8)))
    without = Device(platforms.Platform(), "fake", FakeDevice(images=None))
    images = Images(small, here, without)
    image = images.create()
    assert image.elements.device is here
    for device, status in ((small, "INVALID_IMAGE_SIZE"), (without, "INVALID_OPERATION")):
        queue = CommandQueue(images.context, device)
        fails(status, enqueue_read_image, queue, image, True, (0, 0, 0), (1, 1, 1), 0, 0, bytearray(4))
        fails(status, enqueue_write_image, queue, image, True, (0, 0, 0), (1, 1, 1), 0, 0, bytearray(4))


def test_destructor_callbacks_wait_for_all_views(few):
    """And are called in the reverse order."""
    buffer, called = Buffer(few.context, 0, 4096), []
    line = few.create(IMAGE1D_BUFFER, mem_object=buffer)
    image, _ = few.filled()
    view = few.create(IMAGE2D, Format("sRGBA", "UNORM_INT8"), mem_object=image)
    for name, each in (("buffer", buffer), ("image", image), ("image again", image)):
        each.set_destructor_callback(lambda name=name: called.append(name))
    image.release()
    buffer.release()
    few.queue.finish()
    assert not called
    line.release()
    few.queue.finish()
    assert called == ["buffer"]
    view.release()
    few.queue.finish()
    assert called == ["buffer", "image again", "image"]
    fails("INVALID_VALUE", few.create().set_destructor_callback, None)
    fails("INVALID_MEM_OBJECT", view.set_destructor_callback, print)
