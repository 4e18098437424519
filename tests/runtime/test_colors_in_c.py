"""Elements of colours in C (runtime/native/colors.h) are those of Python's (driver/image_colors.py)."""

from __future__ import annotations

import ctypes
import itertools
import random
import struct

import pytest

from cl2cuda.runtime.driver.image_colors import element_of
from cl2cuda.runtime.driver.image_formats import FORMATS, ORDERS, TYPES, ImageFormat
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.native.build import HERE, compile_library, compilers

SOURCE = """
#include "colors.h"
__attribute__((visibility("default"))) unsigned element(uint32_t order, uint32_t type, const void *color, char *element)
{
    return element_of_color(order, type, color, element);
}
"""
# Where kinds of channels begin and end, what rounds up, down and to the even, and numbers that are none.
FLOATS = [0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3.5, 1e30, -1e30, float("inf"), -float("inf"), float("nan"), 1e-45, -1e-45, 1e-40, 65504, 65519.996,
          65520, -65520, 2**-14, 2**-24, 2**-25, 3 * 2**-26, 2**-14 - 2**-25, 6.0975e-5, 1 / 255, 0.5 / 255, 1.5 / 255, 2.5 / 255, 0.5 / 127,
          254.5 / 255, 0.99999994, 1.0000001, 1.5 / 65535, 32766.5 / 32767, 2049 / 2048, 1 + 3 / 2048, 1 + 1 / 1024 + 1 / 2048]
INTEGERS = [0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 128, 2**32 - 129, 2**32 - 32768, 2**32 - 32769]


@pytest.fixture(scope="module")
def element(tmp_path_factory):
    if not compilers():
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("colors")
    (folder / "colors.c").write_text(SOURCE)
    try:
        compile_library(compilers()[0], ["-I", str(HERE), str(folder / "colors.c")], folder / "colors.so", "colours")
    except DriverMissing as missing:
        pytest.skip(str(missing))
    function = ctypes.CDLL(str(folder / "colors.so")).element

    def call(image_format, color):
        found = ctypes.create_string_buffer(b"?" * 17, 17)
        size = function(image_format.order.code, image_format.type.code, color, found)
        assert size <= 16 and found.raw[size or 16 :] == b"?" * (17 - (size or 16))
        return found.raw[:size]

    return call


@pytest.mark.parametrize("image_format", FORMATS, ids=str)
def test_elements_are_those_of_python(element, image_format):
    words = INTEGERS + [struct.unpack("<I", struct.pack("<f", number))[0] for number in FLOATS]
    source = random.Random(str(image_format))
    words += [source.getrandbits(32) for _ in range(1000)] + [source.randrange(0x33000000, 0x40000000) for _ in range(1000)]
    words += [struct.unpack("<I", struct.pack("<f", (number + 0.5) / (255, 127, 65535, 32767)[number % 4]))[0] for number in range(400)]
    by_python = 0
    for place in range(len(words)):
        color = struct.pack("<4I", *itertools.islice(itertools.cycle(words), place, place + 4))
        found = element(image_format, color)
        by_python += not found
        if found:
            assert found == element_of("clEnqueueFillImage", image_format, color), color.hex()
    is_pythons = image_format.packed or image_format.is_depth or image_format.is_srgb
    assert by_python == len(words) if is_pythons else by_python < len(words) // 20


def test_other_formats_are_pythons(element):
    for order, type_ in itertools.product(ORDERS.values(), TYPES.values()):
        if ImageFormat(order, type_) not in FORMATS:
            found = element(ImageFormat(order, type_), bytes(16))
            assert not found or found == element_of("clEnqueueFillImage", ImageFormat(order, type_), bytes(16))
