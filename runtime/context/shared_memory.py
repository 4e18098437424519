"""What a context knows of its shared virtual memory (5.6): the allocations, and the regions of them that are mapped.

Allocating is `memory/svm.py`'s: here an allocation is only found again by its addresses.
"""

from __future__ import annotations

import bisect
import threading
from dataclasses import dataclass, field

from ..devices.device import Device


@dataclass(frozen=True)
class Allocation:
    """What clSVMAlloc gave. `device` is the one whose driver made it."""

    address: int
    size: int
    flags: int
    device: Device

    @property
    def end(self) -> int:
        return self.address + self.size


@dataclass
class SharedMemory:
    """A context's allocations, found by any address inside them, and its mapped regions: (size, flags) by address."""

    mapped: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    _starts: list[int] = field(default_factory=list)
    _allocations: dict[int, Allocation] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, allocation: Allocation) -> None:
        with self._lock:
            bisect.insort(self._starts, allocation.address)
            self._allocations[allocation.address] = allocation

    def remove(self, address: int) -> Allocation | None:
        """Forgets the allocation that starts at the address, and returns it."""
        with self._lock:
            allocation = self._allocations.pop(address, None)
            if allocation is not None:
                del self._starts[bisect.bisect_left(self._starts, address)]
            return allocation

    def find(self, address: int) -> Allocation | None:
        """The allocation that the address points into."""
        with self._lock:
            before = bisect.bisect_right(self._starts, address)
            if not before:
                return None
            allocation = self._allocations[self._starts[before - 1]]
            return allocation if address < allocation.end else None
