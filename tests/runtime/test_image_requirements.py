"""clGetImageRequirementsInfoEXT: what it says of an image holds for the image that is made then."""

import pytest
from support.fails import fails
from support.fake_driver import FakeDevice
from support.image_model import Format
from support.image_objects import ALL_TYPES, IMAGE1D_ARRAY, IMAGE1D_BUFFER, IMAGE2D, IMAGE2D_ARRAY, IMAGE3D, NAMES, RGBA8, Images

from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.devices.platform import Platform
from cl2cuda.runtime.driver.image_formats import ORDERS, TYPES
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.formats import supported_image_formats
from cl2cuda.runtime.image.requirements import image_requirements
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.spec import codes

BASE, PITCH = codes.IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT, codes.IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT
SLICE_PITCH, SIZE = codes.IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT, codes.IMAGE_REQUIREMENTS_SIZE_EXT
WIDTH, HEIGHT = codes.IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, codes.IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT
DEPTH, LAYERS = codes.IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, codes.IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT
MEMBERS = {WIDTH: "width", HEIGHT: "height", DEPTH: "depth", LAYERS: "array_size"}
HAVE = {WIDTH: ALL_TYPES, HEIGHT: [IMAGE2D, IMAGE2D_ARRAY, IMAGE3D], DEPTH: [IMAGE3D], LAYERS: [IMAGE1D_ARRAY, IMAGE2D_ARRAY]}
FOUR_BYTES = RGBA8.codes


@pytest.fixture
def images(image_device):
    return Images(image_device)


def ask(images, param, format=None, flags=0, **descriptor):
    return image_requirements(images.context, param, flags, format, ImageDescriptor(**descriptor) if descriptor else None)


@pytest.mark.parametrize("image_type", ALL_TYPES, ids=NAMES.get)
def test_alignments_are_powers_of_two_that_no_format_exceeds(images, image_type):
    size = {"width": 20, "height": 20, "depth": 20, "array_size": 2}
    limits = images.queue.device.properties.images
    formats = supported_image_formats(images.context, 0, image_type)
    largest = max(each.element_size for each in formats)
    for param, elements in ((BASE, limits.base_align), (PITCH, limits.pitch_align), (SLICE_PITCH, limits.pitch_align)):
        found = [ask(images, param, (each.order.code, each.type.code), image_type=image_type, **size) for each in formats]
        assert all(value > 0 and not value & (value - 1) for value in found)
        assert max(found) <= elements * largest
        assert ask(images, param) >= max(found) and ask(images, param, image_type=image_type, **size) >= max(found)


def test_a_buffer_of_the_size_and_pitch_holds_the_image(images):
    pitch = ask(images, PITCH, FOUR_BYTES, image_type=IMAGE2D, width=9, height=5)
    row = -(-9 * 4 // pitch) * pitch
    size = ask(images, SIZE, FOUR_BYTES, image_type=IMAGE2D, width=9, height=5, row_pitch=row)
    assert size == 5 * row
    made = images.create(IMAGE2D, RGBA8, (5, 9), mem_object=Buffer(images.context, 0, size), row_pitch=row)
    assert made.size == size
    fails("INVALID_IMAGE_SIZE", images.create, IMAGE2D, RGBA8, (5, 9), mem_object=Buffer(images.context, 0, size - 1), row_pitch=row)


@pytest.mark.parametrize("image_type", ALL_TYPES, ids=NAMES.get)
def test_the_size_is_that_of_the_image(images, image_type):
    made = images.create(image_type)
    sizes = {name: getattr(made.descriptor, name) for name in MEMBERS.values()}
    assert ask(images, SIZE, FOUR_BYTES, image_type=image_type, **sizes) == made.size


def test_the_size_of_planes_at_a_pitch(images):
    cube = {"image_type": IMAGE3D, "width": 3, "height": 4, "depth": 5}
    assert ask(images, SIZE, FOUR_BYTES, **cube, row_pitch=16) == 5 * 4 * 16
    assert ask(images, SIZE, FOUR_BYTES, **cube, row_pitch=16, slice_pitch=96) == 5 * 96
    for pitches in ({"row_pitch": 8}, {"row_pitch": 14}, {"row_pitch": 16, "slice_pitch": 48}, {"slice_pitch": 50}):
        fails("INVALID_IMAGE_DESCRIPTOR", ask, images, SIZE, FOUR_BYTES, **cube, **pitches)


@pytest.mark.parametrize("param", MEMBERS, ids=MEMBERS.get)
@pytest.mark.parametrize("image_type", ALL_TYPES, ids=NAMES.get)
def test_the_largest_image_is_one_that_can_be_asked_for(images, image_type, param):
    member = MEMBERS[param]
    if image_type not in HAVE[param]:
        fails("INVALID_IMAGE_DESCRIPTOR", ask, images, param, FOUR_BYTES, image_type=image_type)
        return
    largest = ask(images, param, FOUR_BYTES, image_type=image_type)
    assert 0 < ask(images, param) <= ask(images, param, image_type=0) <= largest
    assert ask(images, param, image_type=image_type, **{member: 1 << 40}) == largest  # "ignored and has no effect"
    sizes = {"width": 1, "height": 1, "depth": 1, "array_size": 1}
    assert ask(images, PITCH, FOUR_BYTES, image_type=image_type, **{**sizes, member: largest}) > 0
    fails("INVALID_IMAGE_DESCRIPTOR", ask, images, PITCH, FOUR_BYTES, image_type=image_type, **{**sizes, member: largest + 1})


def test_a_memory_object_limits_what_is_made_from_it(images):
    buffer = Buffer(images.context, 0, 4096)
    assert ask(images, WIDTH, FOUR_BYTES, image_type=IMAGE1D_BUFFER, mem_object=buffer) == 1024
    assert ask(images, WIDTH, FOUR_BYTES, image_type=IMAGE2D, height=16, mem_object=buffer) == 64
    assert ask(images, WIDTH, FOUR_BYTES, image_type=IMAGE2D, height=16, row_pitch=128, mem_object=buffer) == 32
    assert ask(images, HEIGHT, FOUR_BYTES, image_type=IMAGE2D, width=64, mem_object=buffer) == 16
    assert ask(images, HEIGHT, FOUR_BYTES, image_type=IMAGE2D, width=20, row_pitch=128, mem_object=buffer) == 32
    assert ask(images, HEIGHT, FOUR_BYTES, image_type=IMAGE3D, width=8, depth=4, mem_object=buffer) == 32
    assert ask(images, DEPTH, FOUR_BYTES, image_type=IMAGE3D, width=8, height=4, slice_pitch=256, mem_object=buffer) == 16
    assert ask(images, LAYERS, FOUR_BYTES, image_type=IMAGE1D_ARRAY, width=64, mem_object=buffer) == 16
    plane = images.create(IMAGE2D, RGBA8, (7, 5))
    sizes = [ask(images, param, FOUR_BYTES, image_type=IMAGE2D, mem_object=plane) for param in (WIDTH, HEIGHT)]
    assert sizes == [plane.layout.width, plane.layout.height]
    for image_type, memory in ((IMAGE3D, plane), (IMAGE1D_BUFFER, plane), (IMAGE2D, object())):
        fails("INVALID_IMAGE_DESCRIPTOR", ask, images, WIDTH, FOUR_BYTES, image_type=image_type, mem_object=memory)


def test_what_is_refused(images):
    plane = {"image_type": IMAGE2D, "width": 4, "height": 4}
    for format, descriptor in ((None, plane), (FOUR_BYTES, {}), (None, {})):
        fails("INVALID_VALUE", ask, images, SIZE, format, **descriptor)
    fails("INVALID_VALUE", ask, images, codes.IMAGE_FORMAT, FOUR_BYTES, **plane)
    for flags in (1 << 40, codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY):
        fails("INVALID_VALUE", ask, images, PITCH, FOUR_BYTES, flags, **plane)
    depth = Format("DEPTH", "FLOAT").codes
    for format, type_ in (((1, 2), IMAGE2D), ((ORDERS["INTENSITY"].code, TYPES["UNORM_SHORT_555"].code), IMAGE2D), (depth, IMAGE3D)):
        fails("INVALID_IMAGE_FORMAT_DESCRIPTOR", ask, images, PITCH, format, **{**plane, "image_type": type_, "depth": 4})
    for wrong in ({"image_type": codes.MEM_OBJECT_BUFFER}, {"width": 0}, {"height": 1 << 40}, {"num_samples": 2}):
        fails("INVALID_IMAGE_DESCRIPTOR", ask, images, PITCH, FOUR_BYTES, **{**plane, **wrong})
    fails("INVALID_IMAGE_DESCRIPTOR", ask, images, WIDTH, FOUR_BYTES, image_type=IMAGE2D, height=1 << 40)


def test_no_requirements_without_images():
    without = Device(Platform(), "fake", FakeDevice(images=None))
    fails("INVALID_OPERATION", image_requirements, Context([without]), PITCH)
    assert "cl_ext_image_requirements_info" not in without.get_info(codes.DEVICE_EXTENSIONS).split()
