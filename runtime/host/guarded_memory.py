"""Debug mode's memory of the host device: each allocation ends where a page begins that nobody may touch, and begins behind another,
so that a kernel which leaves it is caught at once. What is freed is gone: a kernel that still uses it is caught, too."""

from __future__ import annotations

import ctypes
import mmap

from .stream import libc

PAGE = mmap.PAGESIZE
_FAILED = ctypes.c_void_p(-1).value

libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


class GuardedMemory:
    """`alignment` is that of every address: so many bytes less one may lie between a buffer and its guard."""

    def __init__(self, alignment: int):
        self._alignment = alignment
        self._regions: dict[int, tuple[int, int]] = {}

    def __contains__(self, address: int) -> bool:
        return address in self._regions

    def allocate(self, size: int) -> int:
        """The address, or 0 where there is no room."""
        used = -(-max(size, 1) // self._alignment) * self._alignment
        inside = -(-used // PAGE) * PAGE
        length = inside + 2 * PAGE
        # The guards come first, and the memory between them is opened: it takes no more than is touched.
        start = libc.mmap(None, length, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        if start in (None, _FAILED):
            return 0
        if libc.mprotect(start + PAGE, inside, mmap.PROT_READ | mmap.PROT_WRITE):
            libc.munmap(start, length)
            return 0
        address = start + PAGE + inside - used
        self._regions[address] = start, length
        return address

    def free(self, address: int) -> None:
        libc.munmap(*self._regions.pop(address))
