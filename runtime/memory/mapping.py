"""Regions of memory objects that are mapped into host memory (5.2.4)."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from ..native import library as native
from ..spec import codes

WRITES = codes.MAP_WRITE | codes.MAP_WRITE_INVALIDATE_REGION


class MappedRegion(Protocol):
    """`copy` says that the host's side is a copy."""

    @property
    def copy(self) -> bool: ...
    @property
    def writes(self) -> bool: ...
    def overlaps(self, other: Any) -> bool: ...


class Mapping(NamedTuple):
    """A mapped region of a buffer, in bytes from the start of the whole buffer."""

    offset: int
    size: int
    flags: int
    copy: bool

    @property
    def writes(self) -> bool:
        return bool(self.flags & WRITES)

    def overlaps(self, other: Mapping) -> bool:
        return self.offset < other.offset + other.size and other.offset < self.offset + self.size


native.know("mapping", Mapping)
