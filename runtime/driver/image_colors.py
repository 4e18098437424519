"""From a colour to an element's bytes (OpenCL C 8.3), as clEnqueueFillImage needs it."""

from __future__ import annotations

import math
import struct

from ..spec.errors import CLError
from .image_formats import ImageFormat

# struct's letters by a channel's bytes.
_LETTERS = {"int": {1: "b", 2: "h", 4: "i"}, "snorm": {1: "b", 2: "h"}, "uint": {1: "B", 2: "H", 4: "I"}, "unorm": {1: "B", 2: "H"},
            "float": {2: "e", 4: "f"}}
_COMPONENTS = {"int": "<4i", "uint": "<4I", "unorm": "<4f", "snorm": "<4f", "float": "<4f"}
# Of each channel, the component of (r, g, b, a) that it holds. What is in x is ignored; the conformance tests look
# for the fourth component there all the same.
_SOURCE = {"r": 0, "g": 1, "b": 2, "a": 3, "x": 3, "i": 0, "l": 0, "d": 0}


def element_of(routine: str, image_format: ImageFormat, color: bytes) -> bytes:
    """The element that holds the colour: "a four component RGBA floating-point color value [...], a four component signed integer
    value [or] unsigned integer value"; "a single floating-point value if the channel order is CL_DEPTH"."""
    if image_format.is_depth and len(color) >= 4:
        color = color[:4] + bytes(12)
    if len(color) < 16:
        raise CLError(routine, "INVALID_VALUE", f"the fill color has {len(color)} bytes, a color of {image_format} has "
                      + ("4" if image_format.is_depth else "16"))
    components = struct.unpack(_COMPONENTS[image_format.type.kind], color[:16])
    if image_format.is_srgb:
        components = (*map(_srgb, components[:3]), components[3])
    channels = [components[_SOURCE[name]] for name in image_format.order.channels]
    if image_format.packed:
        return _packed(image_format, channels)
    kind, size = image_format.type.kind, image_format.type.size
    return struct.pack(f"<{len(channels)}{_LETTERS[kind][size]}", *(_channel(kind, size, value) for value in channels))


def _channel(kind: str, size: int, value: float) -> float:
    bits = 8 * size
    match kind:
        case "float":
            return _half(value) if size == 2 else value
        case "int":
            return min(max(int(value), -(1 << bits - 1)), (1 << bits - 1) - 1)
        case "uint":
            return min(int(value), (1 << bits) - 1)
        case "snorm":
            return _normalized(value, (1 << bits - 1) - 1, -(1 << bits - 1))
        case _:
            return _normalized(value, (1 << bits) - 1, 0)


def _normalized(value: float, one: int, least: int) -> int:
    """"convert_uchar_sat_rte(f * 255.0f)" and the like; a NaN becomes 0."""
    if math.isnan(value):
        return 0
    # struct has given the float as a double, and the product is to be rounded to a float before it is rounded to an integer.
    product = struct.unpack("<f", struct.pack("<f", min(max(value, -2.0), 2.0) * one))[0]
    return min(max(round(product), least), one)


def _half(value: float) -> float:
    """struct refuses what rounds to more than a half can hold."""
    return math.copysign(math.inf, value) if math.isfinite(value) and abs(value) >= 65520 else value


def _srgb(c: float) -> float:
    """8.3.5.1."""
    if math.isnan(c) or c < 0:
        return 0.0
    c = min(c, 1.0)
    return 12.92 * c if c < 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055


def _packed(image_format: ImageFormat, channels: list[float]) -> bytes:
    element = 0
    for bits, value in zip(image_format.type.bits, channels, strict=False):
        element = element << bits | _normalized(value, (1 << bits) - 1, 0)
    return element.to_bytes(image_format.element_size, "little")
