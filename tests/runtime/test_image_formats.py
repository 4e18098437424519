"""The table of image formats against the specification's own lists (5.3.1.1, 5.3.2.1) and the model of the tests."""

import ctypes

import pytest
from support import image_model as model
from support.fails import fails
from support.fake_driver import FakeDevice
from support.image_objects import ALL_TYPES, IMAGE1D, IMAGE1D_BUFFER, IMAGE2D, IMAGE2D_ARRAY, IMAGE3D, NAMES

from cl2cuda.builtins.opaque import ARGUMENTS
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.image_argument import ImageArgument
from cl2cuda.runtime.driver.image_formats import FORMATS, ORDERS, TYPES
from cl2cuda.runtime.image.formats import VIEWS, supported_image_formats
from cl2cuda.runtime.spec import codes

RW, RO, WO, KRW = codes.MEM_READ_WRITE, codes.MEM_READ_ONLY, codes.MEM_WRITE_ONLY, codes.MEM_KERNEL_READ_AND_WRITE
# Tables 27 (without DEPTH and sRGBA, which are listed below), 28 and 29.
_ALL = "UNORM_INT8 UNORM_INT16 SNORM_INT8 SNORM_INT16 SIGNED_INT8 SIGNED_INT16 SIGNED_INT32 UNSIGNED_INT8 UNSIGNED_INT16 " \
       "UNSIGNED_INT32 HALF_FLOAT FLOAT"
REQUIRED = {(order, type_) for order in ("R", "RG", "RGBA") for type_ in _ALL.split()} | {("BGRA", "UNORM_INT8")}
REQUIRED_BOTH = {(order, type_) for order in ("R", "RGBA") for type_ in _ALL.split() if "UNORM_INT16" not in type_ and "SNORM" not in type_}


def names(context, flags, image_type):
    return [(each.order.name, each.type.name) for each in supported_image_formats(context, flags, image_type)]


@pytest.mark.parametrize("image_type", ALL_TYPES, ids=NAMES.get)
def test_the_required_formats(fake, image_type):
    for flags in (0, RW, RO, WO, RW | codes.MEM_COPY_HOST_PTR):
        assert set(names(fake.context, flags, image_type)) >= REQUIRED
    assert set(names(fake.context, KRW, image_type)) >= REQUIRED_BOTH


def test_orders_that_only_some_types_have(fake):
    depth, srgb = ("DEPTH", "FLOAT"), ("sRGBA", "UNORM_INT8")
    assert {t for t in ALL_TYPES if depth in names(fake.context, RW, t)} == {IMAGE2D, IMAGE2D_ARRAY}
    assert {t for t in ALL_TYPES if srgb in names(fake.context, RO, t)} == set(ALL_TYPES) - {IMAGE1D_BUFFER}


def test_no_order_with_an_unused_channel_is_listed(fake):
    """Programs disagree about how many channels such an element has."""
    for image_type in ALL_TYPES:
        assert not [order for order, _ in names(fake.context, RO, image_type) if "x" in order]


def test_lists_have_no_format_twice(fake):
    for image_type in (IMAGE1D, IMAGE3D):
        listed = names(fake.context, RW, image_type)
        assert len(set(listed)) == len(listed)


def test_what_queries_refuse(fake):
    for flags, image_type in ((RW, codes.MEM_OBJECT_BUFFER), (1 << 30, IMAGE2D), (RO | WO, IMAGE2D), (RO | KRW, IMAGE2D)):
        fails("INVALID_VALUE", supported_image_formats, fake.context, flags, image_type)


def test_no_formats_without_images():
    context = Context([Device(platforms.Platform(), "fake", FakeDevice(images=None))])
    assert list(supported_image_formats(context, RW, IMAGE2D)) == []


def test_elements_are_those_of_the_model():
    for each in FORMATS:
        same = model.Format(each.order.name, each.type.name)
        assert (each.order.code, each.type.code) == same.codes
        assert each.element_size == same.element.itemsize and each.channels == (1 if each.packed else len(same.channels))
        assert each.is_integer == (same.kind != "f") and each.is_srgb == same.is_srgb
        assert each.element_size.bit_count() == 1, "the bits of an element are a power of two"


def test_codes_are_unique():
    for table in (ORDERS, TYPES):
        assert len({each.code for each in table.values()}) == len(table)  # type: ignore[attr-defined]


def test_views_go_both_ways_but_for_depth():
    for order, others in VIEWS.items():
        for other in others:
            assert order == "DEPTH" or order in VIEWS[other]


def test_the_argument_is_as_large_as_the_library_says():
    assert (ctypes.sizeof(ImageArgument), ctypes.alignment(ImageArgument)) == ARGUMENTS["image"]
