"""What a context knows of memory that programs have by address: the allocations of shared virtual memory (5.6), and the regions of
them that are mapped; those of unified shared memory (cl_intel_unified_shared_memory).

Allocating is `memory/svm.py`'s and `memory/usm.py`'s: here an allocation is only found again by its addresses.
"""

from __future__ import annotations

import bisect
import ctypes
import threading
from typing import Generic, NamedTuple, Protocol, TypeVar

from ..devices.device import Device
from ..native import library as native

LAST_ADDRESS = (1 << 64) - 1


class Region(Protocol):
    """What an allocation is found by."""

    @property
    def address(self) -> int: ...
    @property
    def end(self) -> int: ...


Found = TypeVar("Found", bound=Region)


class Allocation(NamedTuple):
    """What clSVMAlloc gave. `device` is the one whose driver made it."""

    address: int
    size: int
    flags: int
    device: Device

    @property
    def end(self) -> int:
        return self.address + self.size


class UsmAllocation(NamedTuple):
    """What one of the three functions of unified shared memory gave. `type` is CL_MEM_TYPE_*_INTEL; `device` the one that it is
    associated with, None without one; `maker` the one whose driver made it."""

    address: int
    size: int
    type: int
    flags: int
    device: Device | None
    maker: Device

    @property
    def end(self) -> int:
        return self.address + self.size


class Allocations(Generic[Found]):
    """A context's allocations of one kind, found by any address inside them. (Code in C looks as `find` does, runtime/native/svm.c.)"""

    __slots__ = ("_allocations", "_lock", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._allocations: dict[int, Found] = {}
        self._lock = threading.Lock()

    def add(self, allocation: Found) -> None:
        with self._lock:
            bisect.insort(self._starts, allocation.address)
            self._allocations[allocation.address] = allocation

    def remove(self, address: int) -> Found | None:
        """Forgets the allocation that starts at the address, and returns it."""
        with self._lock:
            allocation = self._allocations.pop(address, None)
            if allocation is not None:
                del self._starts[bisect.bisect_left(self._starts, address)]
            return allocation

    def starts_at(self, address: int) -> bool:
        """Whether an allocation starts there. It takes no lock, so that a destructor may ask, which runs anywhere."""
        return address in self._allocations

    def find(self, address: int) -> Found | None:
        """The allocation that the address points into."""
        with self._lock:
            before = bisect.bisect_right(self._starts, address)
            if not before:
                return None
            allocation = self._allocations[self._starts[before - 1]]
            return allocation if address < allocation.end else None

    def around(self, address: int) -> tuple[int, int]:
        """What lies between the allocations before and behind an address that is in none, up to the end of the one and from the start of
        the other on."""
        with self._lock:
            place = bisect.bisect_right(self._starts, address)
            before = self._allocations[self._starts[place - 1]].end if place else 0
            return before, self._starts[place] if place < len(self._starts) else LAST_ADDRESS


@native.know_slots
class SharedMemory(Allocations[Allocation]):
    """A context's shared virtual memory; its mapped regions, (size, flags) by address; and how often some was made, and freed, where native
    code of programs in C reads it.

    Code in C knows pointers that it has found in one (runtime/native/svm.c), until an allocation goes or a context comes.
    """

    __slots__ = ("freed", "made", "mapped")

    def __init__(self) -> None:
        super().__init__()
        self.made, self.freed = ctypes.c_uint64(), ctypes.c_uint64()
        self.mapped: dict[int, list[tuple[int, int]]] = {}
        _forget_pointers()

    def add(self, allocation: Allocation) -> None:
        super().add(allocation)
        self.made.value += 1

    def remove(self, address: int) -> Allocation | None:
        allocation = super().remove(address)
        self.freed.value += 1
        _forget_pointers()
        return allocation


def _forget_pointers() -> None:
    calls = native.calls()
    if calls is not None:
        calls.forget_pointers()
