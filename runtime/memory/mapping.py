"""Regions of memory objects that are mapped into host memory (5.2.4), and how they are listed: by the host's address, where several may be.

Threads may map and unmap the same memory at a time. What is not one step of the interpreter's is done by one after the other of Python's,
and code in C, which takes its steps at once (runtime/native), may come between.
"""

from __future__ import annotations

import collections.abc
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from ..native import library as native
from ..spec import codes

WRITES = codes.MAP_WRITE | codes.MAP_WRITE_INVALIDATE_REGION

Region = TypeVar("Region")

_changing = threading.Lock()


def all_listed(mappings: collections.abc.Mapping[int, Sequence[Region]]) -> list[Region]:
    return [one for group in list(mappings.values()) for one in list(group)]


def last_listed(mappings: dict[int, list[Region]], address: int) -> Region | None:
    """The region that an unmap of the address is of."""
    last = mappings.get(address, [])[-1:]
    return last[0] if last else None


def list_region(mappings: dict[int, list[Region]], address: int, region: Region) -> None:
    with _changing:
        while True:
            group = mappings.setdefault(address, [])
            group.append(region)
            if mappings.get(address) is group:  # Code in C has not just struck out what was there.
                return


def strike_out(mappings: dict[int, list[Region]], address: int) -> None:
    """One region less: of several at an address, which are alike, it does not matter which."""
    with _changing:
        group = mappings.get(address)
        if group:
            del group[-1:]
        if not group and mappings.get(address) is group is not None:
            del mappings[address]


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
