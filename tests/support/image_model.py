"""Images by OpenCL C's chapter 8, in NumPy and apart from the device library: formats, conversions, addressing, filters.

Coordinates are computed in float, as the specification's formulas are; colours in double.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

# Channel order: its code, the components that its channels are, whether a border's alpha is 1.
ORDERS = {
    "R": (0x10B0, "r", 1), "A": (0x10B1, "a", 0), "RG": (0x10B2, "rg", 1), "RA": (0x10B3, "ra", 0), "RGB": (0x10B4, "rgb", 1),
    "RGBA": (0x10B5, "rgba", 0), "BGRA": (0x10B6, "bgra", 0), "ARGB": (0x10B7, "argb", 0), "INTENSITY": (0x10B8, "i", 0),
    "LUMINANCE": (0x10B9, "l", 1), "RGBx": (0x10BC, "rgbx", 0), "DEPTH": (0x10BD, "r", 0),
    "sRGBx": (0x10C0, "rgbx", 0), "sRGBA": (0x10C1, "rgba", 0), "sBGRA": (0x10C2, "bgra", 0), "ABGR": (0x10C3, "abgr", 0),
}  # fmt: skip
# Channel data type: its code, the type of a channel, the number that means 1 (0: none).
TYPES: dict[str, tuple[int, Any, int]] = {
    "SNORM_INT8": (0x10D0, np.int8, 127), "SNORM_INT16": (0x10D1, np.int16, 32767), "UNORM_INT8": (0x10D2, np.uint8, 255),
    "UNORM_INT16": (0x10D3, np.uint16, 65535), "SIGNED_INT8": (0x10D7, np.int8, 0), "SIGNED_INT16": (0x10D8, np.int16, 0),
    "SIGNED_INT32": (0x10D9, np.int32, 0), "UNSIGNED_INT8": (0x10DA, np.uint8, 0), "UNSIGNED_INT16": (0x10DB, np.uint16, 0),
    "UNSIGNED_INT32": (0x10DC, np.uint32, 0), "HALF_FLOAT": (0x10DD, np.float16, 0), "FLOAT": (0x10DE, np.float32, 0),
}  # fmt: skip
# Packed types: the code, the whole element's type, the channels' bits from the most significant one on, without unused ones.
PACKED: dict[str, tuple[int, Any, tuple[int, ...]]] = {
    "UNORM_SHORT_565": (0x10D4, np.uint16, (5, 6, 5)), "UNORM_SHORT_555": (0x10D5, np.uint16, (5, 5, 5)),
    "UNORM_INT_101010": (0x10D6, np.uint32, (10, 10, 10)), "UNORM_INT_101010_2": (0x10E0, np.uint32, (10, 10, 10, 2)),
}  # fmt: skip
NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED_REPEAT = 0, 2, 4, 6, 8
ADDRESS = 14
NORMALIZED, NEAREST, LINEAR = 1, 16, 32


@dataclass(frozen=True)
class Format:
    order: str
    type: str

    def __str__(self) -> str:
        return f"{self.order}-{self.type}"

    @property
    def channels(self) -> str:
        return ORDERS[self.order][1]

    @property
    def codes(self) -> tuple[int, int]:
        return ORDERS[self.order][0], (PACKED.get(self.type) or TYPES[self.type])[0]

    @property
    def element(self) -> np.dtype:
        """One element in memory: the channels, or the one number of a packed type."""
        if self.type in PACKED:
            return np.dtype((PACKED[self.type][1], (1,)))
        return np.dtype((TYPES[self.type][1], (len(self.channels),)))

    @property
    def kind(self) -> str:
        """The suffix of the functions that read and write it."""
        return "i" if self.type.startswith("SIGNED") else "ui" if self.type.startswith("UNSIGNED") else "f"

    @property
    def is_srgb(self) -> bool:
        return self.order.startswith("s")


FORMATS = [
    *(Format(order, type_) for order in ("R", "A", "RG", "RA", "RGBA") for type_ in TYPES),
    *(Format(order, type_) for order in ("BGRA", "ARGB", "ABGR") for type_ in ("UNORM_INT8", "SNORM_INT8", "SIGNED_INT8", "UNSIGNED_INT8")),
    *(Format(o, t) for o in ("INTENSITY", "LUMINANCE") for t in TYPES if TYPES[t][2] or "FLOAT" in t),
    *(Format(order, "UNORM_INT8") for order in ("sRGBA", "sBGRA")),
    *(Format("RGB", type_) for type_ in PACKED if len(PACKED[type_][2]) == 3),
    Format("RGBA", "UNORM_INT_101010_2"),
]


def random_elements(format: Format, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Elements with every bit used; of floats, numbers of moderate size."""
    base = format.element.base
    if base.kind == "f":
        return rng.uniform(-4, 4, (*shape, *format.element.shape)).astype(base)
    low, high = np.iinfo(base).min, np.iinfo(base).max
    return rng.integers(low, high, (*shape, *format.element.shape), base, endpoint=True)


def _normalized(elements: np.ndarray, format: Format) -> np.ndarray:
    if format.type in PACKED:
        bits = PACKED[format.type][2]
        shifts = [sum(bits[i + 1 :]) for i in range(len(bits))]
        return np.stack([(elements[..., 0] >> s & (1 << b) - 1) / ((1 << b) - 1) for s, b in zip(shifts, bits, strict=True)], -1)
    one = TYPES[format.type][2]
    return np.maximum(elements / one, -1.0) if one else elements.astype(float)


def colors(elements: np.ndarray, format: Format) -> np.ndarray:
    """8.3, 6.15.15.7: what the elements mean, as (..., 4) in double, which holds 32-bit integers too."""
    values = _normalized(elements, format)
    by_name = {name: values[..., i] for i, name in enumerate(format.channels)}
    zero = np.zeros(values.shape[:-1])
    r, g, b = (by_name.get(c, by_name.get("i", by_name.get("l", zero))) for c in "rgb")
    if format.is_srgb:
        r, g, b = (np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) for c in (r, g, b))
    return np.stack([r, g, b, by_name.get("a", by_name.get("i", zero + 1))], -1)


def elements_of(color: np.ndarray, format: Format) -> np.ndarray:
    """8.3: the elements that hold these colours; of sRGB before rounding, in double, since rounding may err by 0.6."""
    place = {"r": 0, "g": 1, "b": 2, "a": 3, "i": 0, "l": 0}
    channels = np.stack([color[..., place[c]] if c != "x" else np.zeros(color.shape[:-1]) for c in format.channels], -1)
    if format.kind != "f":
        limits = np.iinfo(format.element.base)
        return np.clip(channels.astype(np.int64), limits.min, limits.max).astype(format.element.base)
    if format.type in PACKED:
        element = np.zeros(color.shape[:-1], np.int64)
        for i, bits in enumerate(PACKED[format.type][2]):
            one = (1 << bits) - 1
            scaled = np.rint(channels[..., i].astype(np.float32) * np.float32(one))
            element = element << bits | np.clip(scaled, 0, one).astype(np.int64)
        return element[..., None].astype(format.element.base)
    if not TYPES[format.type][2]:
        return channels.astype(format.element.base)
    if format.is_srgb:
        c = np.clip(channels, 0, 1)
        coded = np.where(c < 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)
        return 255 * np.where(np.arange(channels.shape[-1]) < 3, coded, c)
    limits = np.iinfo(format.element.base)
    scaled = channels.astype(np.float32) * np.float32(TYPES[format.type][2])
    return np.clip(np.rint(scaled), limits.min, limits.max).astype(format.element.base)


def _addressed(i: np.ndarray, size: int, sampler: int) -> np.ndarray:
    """The element, or a place in the border, which a fetch by element has with CLK_ADDRESS_NONE, too."""
    border = sampler & ADDRESS == CLAMP or not sampler & (ADDRESS | NORMALIZED | LINEAR)
    return np.clip(i, -1, size) if border else np.clip(i, 0, size - 1)


def footprint(s: np.ndarray, size: int, sampler: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """8.2 along one axis: both neighbours (of the nearest filter twice the element) and the weight of the second."""
    mode, linear = sampler & ADDRESS, bool(sampler & LINEAR)
    half, two = np.float32(0.5), np.float32(2)
    s = s.astype(np.float32)
    if mode == REPEAT:
        u = (s - np.floor(s)) * np.float32(size)
    elif mode == MIRRORED_REPEAT:
        u = np.abs(s - two * np.rint(half * s)) * np.float32(size)
    else:
        u = s * np.float32(size) if sampler & NORMALIZED else s
    place = u - half if linear else u
    first = np.floor(place).astype(np.int64)
    second = first + linear
    weight = (place - np.floor(place)) * np.float32(linear)
    if mode == REPEAT:
        first = np.where(first < 0, first + size, np.where(first > size - 1, first - size, first))
        second = np.where(second > size - 1, second - size, second)
    elif mode == MIRRORED_REPEAT:
        first, second = np.maximum(first, 0), np.minimum(second, size - 1)
        first = np.minimum(first, size - 1)
    else:
        first, second = _addressed(first, size, sampler), _addressed(second, size, sampler)
    return first, second, weight.astype(float)


def sample(elements: np.ndarray, format: Format, sampler: int, coords: np.ndarray, layers: np.ndarray | None = None) -> np.ndarray:
    """Colours read at `coords` (n, axes), the first axis being x; elements are (…, y, x, channels), of an array by image first."""
    texels = colors(elements, format)
    axes = coords.shape[-1]
    if layers is None:
        texels, layers = texels[None], np.zeros(len(coords))
    layer = np.clip(np.rint(layers), 0, len(texels) - 1).astype(int)
    sizes = texels.shape[-2::-1][:axes]
    border = np.array([0, 0, 0, ORDERS[format.order][2]], float)
    prints = [footprint(coords[:, a], sizes[a], sampler) for a in range(axes)]
    total = np.zeros((len(coords), 4))
    for corner in range(1 << axes if sampler & LINEAR else 1):
        weight, inside = np.ones(len(coords)), np.ones(len(coords), bool)
        place = []
        for a, (first, second, share) in enumerate(prints):
            i = second if corner >> a & 1 else first
            weight = weight * (share if corner >> a & 1 else 1 - share)
            inside &= (i >= 0) & (i < sizes[a])
            place.append(np.clip(i, 0, sizes[a] - 1))
        found = texels[(layer, *reversed(place))]
        total += weight[:, None] * np.where(inside[:, None], found, border)
    return total


def sample_levels(levels: list[np.ndarray], format: Format, sampler: int, coords: np.ndarray, lods: np.ndarray, between: bool,
                  layers: np.ndarray | None = None) -> np.ndarray:  # fmt: skip
    """Colours of a mipmapped image at levels of detail; `between` if the filter between levels is linear."""
    place = np.clip(lods.astype(np.float32), 0, len(levels) - 1).astype(float)
    if not between:
        place = np.floor(place + 0.5)
    first = np.floor(place).astype(int)
    of_level = np.stack([sample(each, format, sampler, coords, layers) for each in levels])
    near, far = (of_level[np.minimum(level, len(levels) - 1), np.arange(len(coords))] for level in (first, first + 1))
    return near + (place - first)[:, None] * (far - near)
