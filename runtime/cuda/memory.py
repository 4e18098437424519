"""Memory of one kind that CUDA gave the process: what is freed is kept for the next allocation of its size, since CUDA takes long
for either. When CUDA has no memory left, all that is kept goes back to it before an allocation fails."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from ..driver.block_size import rounded
from ..driver.interface import DriverError
from ..process import debug_mode


class OneAfterAnother:
    """The threads that give memory back to CUDA: one that comes while another is at it finds room that the other has made."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # as below

    @contextlib.contextmanager
    def turn(self) -> Iterator[bool]:
        """`with turns.turn() as has_waited: ...`"""
        has_waited = not self._lock.acquire(blocking=False)
        if has_waited:
            self._lock.acquire()
        try:
            yield has_waited
        finally:
            self._lock.release()


class Memory:
    """`allocate` and `free` are CUDA's; `limit` is how many bytes may be kept.

    kept   the bytes at rest here
    held   the bytes that CUDA has given, also those at rest
    """

    def __init__(self, allocate: Callable[[int], int], free: Callable[[int], None], limit: int):
        self._allocate = allocate
        self._free = free
        self._limit = limit
        self._lock = threading.RLock()  # Python's search for garbage may free memory in the middle of anything.
        self._trimming = OneAfterAnother()
        self._sizes: dict[int, int] = {}
        self._resting: dict[int, list[int]] = {}
        self.kept = 0

    @property
    def held(self) -> int:
        return sum(list(self._sizes.values()))

    def allocate(self, size: int) -> int:
        if debug_mode.active():
            return self._allocate(size)
        size = rounded(size)
        with self._lock:
            resting = self._resting.get(size)
            if resting:
                self.kept -= size
                return resting.pop()
        try:
            address = self._allocate(size)
        except DriverError:
            if not self.trim():
                raise
            address = self._allocate(size)
        self._sizes[address] = size
        return address

    def free(self, address: int) -> None:
        """No command may use the memory any more."""
        size = self._sizes.get(address)
        with self._lock:
            if size is not None and self.kept + size <= self._limit:
                self._resting.setdefault(size, []).append(address)
                self.kept += size
                return
            self._sizes.pop(address, None)
        self._free(address)

    def trim(self) -> bool:
        """Gives back to CUDA what is kept: whether there may be more room than before."""
        with self._trimming.turn() as has_waited:
            with self._lock:
                resting, self._resting, self.kept = self._resting, {}, 0
                addresses = [address for block in resting.values() for address in block]
                for address in addresses:
                    del self._sizes[address]
            for address in addresses:
                self._free(address)
        return has_waited or bool(addresses)
