"""Sampler objects (5.7): values, queries, errors."""

import struct

import pytest
from support.fails import fails
from support.fake_driver import FakeDevice

from cl2cuda.builtins.extensions import EXTENSIONS
from cl2cuda.builtins.opaque import MIP_FILTER_LINEAR, SAMPLER_BITS, lod_bits
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.memory.sampler import Sampler, create_sampler
from cl2cuda.runtime.spec import codes

NORMALIZED, ADDRESSING, FILTER = codes.SAMPLER_NORMALIZED_COORDS, codes.SAMPLER_ADDRESSING_MODE, codes.SAMPLER_FILTER_MODE
MIP_FILTER, LOD_MIN, LOD_MAX = codes.SAMPLER_MIP_FILTER_MODE, codes.SAMPLER_LOD_MIN, codes.SAMPLER_LOD_MAX
ADDRESSES = "NONE CLAMP_TO_EDGE CLAMP REPEAT MIRRORED_REPEAT".split()


def value(number):
    """A cl_float as a property's value."""
    return struct.unpack("<I", struct.pack("<f", number))[0]


def test_defaults(fake):
    sampler = Sampler(fake.context)
    asked = {name: sampler.get_info(getattr(codes, f"SAMPLER_{name}"))
             for name in "NORMALIZED_COORDS ADDRESSING_MODE FILTER_MODE PROPERTIES REFERENCE_COUNT CONTEXT".split()}
    assert asked == {"NORMALIZED_COORDS": True, "ADDRESSING_MODE": codes.ADDRESS_CLAMP, "FILTER_MODE": codes.FILTER_NEAREST,
                     "PROPERTIES": (), "REFERENCE_COUNT": 1, "CONTEXT": fake.context}
    assert sampler.bits == SAMPLER_BITS["CLK_NORMALIZED_COORDS_TRUE"] | SAMPLER_BITS["CLK_ADDRESS_CLAMP"] | SAMPLER_BITS["CLK_FILTER_NEAREST"]


@pytest.mark.parametrize("filter_mode", ["NEAREST", "LINEAR"])
@pytest.mark.parametrize("mode", ADDRESSES)
def test_bits_are_those_of_the_language(fake, mode, filter_mode):
    address, filtering = getattr(codes, f"ADDRESS_{mode}"), getattr(codes, f"FILTER_{filter_mode}")
    bits = SAMPLER_BITS[f"CLK_ADDRESS_{mode}"] | SAMPLER_BITS[f"CLK_FILTER_{filter_mode}"]
    assert create_sampler(fake.context, True, address, filtering).bits == bits | SAMPLER_BITS["CLK_NORMALIZED_COORDS_TRUE"]
    if "REPEAT" not in mode:
        assert create_sampler(fake.context, False, address, filtering).bits == bits


def test_properties_come_back_as_they_were_given(fake):
    given = (FILTER, codes.FILTER_LINEAR, NORMALIZED, 0, 0)
    assert Sampler(fake.context, given).get_info(codes.SAMPLER_PROPERTIES) == given
    assert Sampler(fake.context, given[:-1]).get_info(codes.SAMPLER_PROPERTIES) == given
    assert Sampler(fake.context, (0,)).get_info(codes.SAMPLER_PROPERTIES) == (0,)
    assert create_sampler(fake.context, True, codes.ADDRESS_CLAMP, codes.FILTER_LINEAR).get_info(codes.SAMPLER_PROPERTIES) == ()


@pytest.mark.parametrize("properties", [
    (0x7777, 1), (NORMALIZED, 2), (ADDRESSING, codes.FILTER_LINEAR), (FILTER, codes.ADDRESS_CLAMP), (FILTER, 0),
    (FILTER, codes.FILTER_LINEAR, FILTER, codes.FILTER_LINEAR), (MIP_FILTER, codes.ADDRESS_CLAMP),
    (NORMALIZED, 0, ADDRESSING, codes.ADDRESS_REPEAT), (NORMALIZED, 0, ADDRESSING, codes.ADDRESS_MIRRORED_REPEAT),
])
def test_properties_that_are_none(fake, properties):
    fails("INVALID_VALUE", Sampler, fake.context, properties)


def test_a_device_without_images():
    fails("INVALID_OPERATION", Sampler, Context([Device(platforms.Platform(), "fake", FakeDevice(images=None))]))


def test_queries_that_are_none(fake):
    fails("INVALID_VALUE", Sampler(fake.context).get_info, 0x7777)


@pytest.mark.skipif(not EXTENSIONS["cl_khr_mipmap_image"].offered, reason="no mipmapped images")
def test_levels_of_detail(fake):
    sampler = Sampler(fake.context, (MIP_FILTER, codes.FILTER_LINEAR, LOD_MIN, value(1.5), LOD_MAX, value(3)))
    assert [sampler.get_info(name) for name in (MIP_FILTER, LOD_MIN, LOD_MAX)] == [codes.FILTER_LINEAR, 1.5, 3.0]
    assert sampler.bits == Sampler(fake.context).bits | MIP_FILTER_LINEAR | lod_bits(1.5, 3.0)
    plain = Sampler(fake.context)
    assert [plain.get_info(name) for name in (MIP_FILTER, LOD_MIN)] == [codes.FILTER_NEAREST, 0.0]
    assert plain.get_info(LOD_MAX) == pytest.approx(3.4028235e38)
