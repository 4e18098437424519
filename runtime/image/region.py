"""Regions of images (5.3.4, 5.3.8): from a command's origin and region to a mipmap level and what is copied of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from ..driver.image_formats import ImageFormat
from ..driver.image_layout import ImageLayout
from ..driver.interface import Linear, Triple
from ..spec.errors import CLError
from .descriptor import SHAPES


class Shaped(Protocol):
    """What a region asks of an image."""

    @property
    def type(self) -> int: ...
    @property
    def layout(self) -> ImageLayout: ...
    @property
    def format(self) -> ImageFormat: ...
    @property
    def slice_pitch(self) -> int: ...


class Region(NamedTuple):
    """A region of a level: where it starts and how large it is, as (elements, rows, planes). The images of an array are planes."""

    level: int
    offset: Triple
    size: Triple

    def bytes_of(self, image_format: ImageFormat) -> Triple:
        return self.size[0] * image_format.element_size, self.size[1], self.size[2]

    def overlaps(self, other: Region) -> bool:
        return self.level == other.level and all(
            a < b + b_size and b < a + a_size
            for a, a_size, b, b_size in zip(self.offset, self.size, other.offset, other.size, strict=True))


def region_of(routine: str, image: Shaped, origin: Sequence[int], region: Sequence[int]) -> Region:
    """CL_INVALID_VALUE for what leaves the image or has numbers where the type of image has no dimension."""
    shape = SHAPES[image.type]
    used = shape.coordinates
    start, size = _padded(routine, "origin", origin, 0, 4), _padded(routine, "region", region, 1, 3)
    level = 0
    if image.layout.levels > 1:
        level = start[used]
        if level >= image.layout.levels:
            raise CLError(routine, "INVALID_MIP_LEVEL", f"the image has {image.layout.levels} levels, the origin names level {level}")
        start[used] = 0
    if any(start[used:]) or any(each != 1 for each in size[used:]):
        raise CLError(routine, "INVALID_VALUE",
                      f"an image of this type has {used} dimensions: beyond them the origin is 0 and the region 1")
    if 0 in size:
        raise CLError(routine, "INVALID_VALUE", f"the region {tuple(size)} is empty")
    found = Region(level, _as_planes(start, shape.dimensions, 0), _as_planes(size, shape.dimensions, 1))
    limits = image.layout.size(level)
    if any(a + n > limit for a, n, limit in zip(found.offset, found.size, limits, strict=True)):
        raise CLError(routine, "INVALID_VALUE",
                      f"the region {tuple(size)} at {tuple(start[:3])} leaves the image of {limits} elements, rows and planes")
    return found


def _as_planes(numbers: Sequence[int], dimensions: int, missing: int) -> Triple:
    """A 1D array's second number counts images, which are planes."""
    x, y, z = numbers[:3]
    return (x, missing, y) if dimensions == 1 else (x, y, z)


def _padded(routine: str, what: str, numbers: Sequence[int], missing: int, length: int) -> list[int]:
    padded = [int(number) for number in numbers]
    padded += [missing] * (length - len(padded))
    if len(padded) != length or min(padded) < 0:
        raise CLError(routine, "INVALID_VALUE", f"the {what} {tuple(numbers)} is not a triple of sizes")
    return padded


def host_rows(routine: str, image: Shaped, region: Region, row_pitch: int, slice_pitch: int, address: int, size: int) -> Linear:
    """The rows in host memory of a read or write; 0 for a pitch is the tight one."""
    width, rows, planes = region.bytes_of(image.format)
    row = row_pitch or width
    if row < width:
        raise CLError(routine, "INVALID_VALUE", f"the row pitch {row} is less than the region's {width} bytes")
    if slice_pitch and not image.slice_pitch:
        raise CLError(routine, "INVALID_VALUE", "a 1D or 2D image has no slice pitch")
    slice_ = slice_pitch or row * rows
    if slice_ < row * rows:
        raise CLError(routine, "INVALID_VALUE", f"the slice pitch {slice_} is less than {rows} rows of {row} bytes")
    found = Linear(address, row, slice_)
    needed = found.span((width, rows, planes))
    if needed > size:
        raise CLError(routine, "INVALID_VALUE", f"the region takes {needed} bytes of host memory, which has {size}")
    return found
