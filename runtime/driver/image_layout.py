"""How an image's elements lie: its sizes, its levels, and where they are in memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from .image_formats import ImageFormat
from .linear import Linear, Triple


@dataclass(frozen=True)
class ImageLayout:
    """An image's elements, as a driver stores them. Sizes count elements and are 1 where the image has no
    such dimension.

    layers    images in an array; 0: it is no array
    levels    mipmap levels; each is half the size of the one before
    """

    dimensions: int
    format: ImageFormat
    width: int
    height: int = 1
    depth: int = 1
    layers: int = 0
    levels: int = 1

    @cached_property
    def key(self) -> tuple[int, ...]:
        """What tells it from other layouts, which is found more quickly in a table than the layout itself."""
        codes = self.format.order.code, self.format.type.code
        return self.dimensions, *codes, self.width, self.height, self.depth, self.layers, self.levels

    @cached_property
    def bytes(self) -> int:
        """Of all levels."""
        return self.bytes_before(self.levels)

    def size(self, level: int = 0) -> Triple:
        """(elements, rows, planes) of a level; the images of an array are its planes."""
        width, height, depth = self._halved(level)
        return width, height, self.layers or depth

    def level(self, level: int) -> ImageLayout:
        """A level as an image of its own."""
        width, height, depth = self._halved(level)
        return replace(self, width=width, height=height, depth=depth, levels=1)

    def _halved(self, level: int) -> Triple:
        if not level:
            return self.width, self.height, self.depth
        return max(1, self.width >> level), max(1, self.height >> level), max(1, self.depth >> level)

    def tight(self, address: int, level: int = 0) -> Linear:
        """The level's elements in memory from the address on, without gaps."""
        width, height, _ = self.size(level)
        row = width * self.format.element_size
        return Linear(address, row, row * height)

    def bytes_before(self, level: int) -> int:
        """Where a level starts when all levels lie one after the other without gaps; the end of all for
        `levels`."""
        if level == 1:
            return self.width * self.height * (self.layers or self.depth) * self.format.element_size
        return sum(math.prod(self.size(each)) for each in range(level)) * self.format.element_size
