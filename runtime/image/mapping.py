"""Regions of images that are mapped into host memory (5.3.7)."""

from __future__ import annotations

from typing import NamedTuple

from ..driver.interface import Linear
from ..memory.mapping import WRITES, BufferPart, MappedRegion
from ..native import library as native
from .region import Region


class ImageMapping(NamedTuple):
    """A mapped region; `rows` are its rows in host memory, `copy` says that they are a copy; `in_buffer` where it is in the buffer that
    has the image's elements, if one has."""

    region: Region
    rows: Linear
    flags: int
    copy: bool
    in_buffer: BufferPart | None = None

    @property
    def writes(self) -> bool:
        return bool(self.flags & WRITES)

    def overlaps(self, other: MappedRegion) -> bool:
        if self.in_buffer is None:
            return isinstance(other, ImageMapping) and self.region.overlaps(other.region)
        return other.in_buffer is not None and self.in_buffer.overlaps(other.in_buffer)


native.know("image_mapping", (ImageMapping, Region, Linear))
