"""Large pieces of the host's memory that buffers have left, for the next buffers.

Memory fresh from the operating system costs a page fault for each 4 KB that is written first: 1 MiB is copied in 30 us to memory
that was used before, and in 380 us to fresh one. The C library gives what is large back at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

LIMIT = 64 << 20  # bytes that are kept
UNIT = 64 << 10  # sizes are multiples of it, so that buffers of about the same size share


class SpareMemory:
    """`allocate` gives the address of so many bytes, or 0 where there is no room; `free` takes it back. Several threads may call."""

    def __init__(self, allocate: Callable[[int], int], free: Callable[[int], None]):
        self._allocate, self._free = allocate, free
        self._lock = threading.Lock()
        self._sizes: dict[int, int] = {}  # of what is in use, by address
        self._spare: list[tuple[int, int]] = []  # size and address, the oldest first
        self._spare_bytes = 0

    def take(self, size: int) -> int:
        """Memory of at least that size; 0 where there is no room."""
        size = -(-size // UNIT) * UNIT
        with self._lock:
            address = self._reused(size) or self._allocate(size)
            if not address and self._spare:
                self._keep(0)
                address = self._allocate(size)
            if address:
                self._sizes[address] = size
            return address

    def give(self, address: int) -> bool:
        """Takes memory back; False for what `take` did not give."""
        with self._lock:
            size = self._sizes.pop(address, None)
            if size is None:
                return False
            self._spare.append((size, address))
            self._spare_bytes += size
            self._keep(LIMIT)
            return True

    def _reused(self, size: int) -> int:
        """The piece of that size that was used last, whose pages are most likely to be in a cache."""
        for index in range(len(self._spare) - 1, -1, -1):
            if self._spare[index][0] == size:
                self._spare_bytes -= size
                return self._spare.pop(index)[1]
        return 0

    def _keep(self, limit: int) -> None:
        """Gives the oldest pieces back until no more than `limit` bytes are spare."""
        while self._spare_bytes > limit:
            size, address = self._spare.pop(0)
            self._spare_bytes -= size
            self._free(address)
