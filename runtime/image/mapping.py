"""Regions of images that are mapped into host memory (5.3.7)."""

from __future__ import annotations

from typing import NamedTuple

from ..driver.interface import Linear
from ..memory.mapping import WRITES
from ..native import library as native
from .region import Region


class ImageMapping(NamedTuple):
    """A mapped region; `rows` are its rows in host memory, `copy` says that they are a copy."""

    region: Region
    rows: Linear
    flags: int
    copy: bool

    @property
    def writes(self) -> bool:
        return bool(self.flags & WRITES)

    def overlaps(self, other: ImageMapping) -> bool:
        return self.region.overlaps(other.region)


native.know("image_mapping", (ImageMapping, Region, Linear))
