"""Rows and planes in memory."""

from __future__ import annotations

from typing import NamedTuple

Triple = tuple[int, int, int]


class Linear(NamedTuple):
    """Rows in memory: the first one's address, and the bytes from a row and from a plane to the next."""

    address: int
    row_pitch: int
    slice_pitch: int

    def at(self, offset: Triple) -> Linear:
        """The memory from an offset (bytes, rows, planes) on."""
        x, y, z = offset
        return self._replace(address=self.address + x + y * self.row_pitch + z * self.slice_pitch)

    def span(self, region: Triple) -> int:
        """Bytes from a region's first one to behind its last."""
        width, rows, planes = region
        return (planes - 1) * self.slice_pitch + (rows - 1) * self.row_pitch + width
