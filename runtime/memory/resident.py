"""What code in C goes by of contents that may be on several devices: which are *resident* on one, whole and with nothing to wait for.

A command that uses what is resident brings nothing. Python notes then what it may write (`uses`), and so does code in C
(runtime/native/residents.c), which looks at `residents` of the storage and calls nothing here. So it may know only what stays true until
it is taken away. Who changes where contents are takes it away before, waits until the commands that code in C is just giving to streams
are there, as far as they may write, and takes their positions over.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any, Protocol

from ..devices.device import Device
from ..native import library as native
from ..process import ending
from .uses import Uses

# A device, the address there, and whether commands may write.
Known = tuple[Device, int, bool]
MOST_KEPT = 16


class ResidentStorage(Protocol):
    """residents   what code in C goes by now"""

    residents: tuple[native.NativeResident, ...]

    def known_residents(self) -> list[Known]:
        """What it may go by until something changes."""
        ...


class Changing:
    """A lock, which a thread may have several times, for what looks at or changes where the contents of a storage of `size` bytes are: code
    in C knows of none meanwhile. `uses` are told of its commands that may have written."""

    def __init__(self, storage: ResidentStorage, size: int, uses: Uses, calls: native.Calls):
        self._lock = threading.RLock()
        # The storage has this: both go when nobody else has the storage.
        self._storage, self._size, self._uses, self._calls = weakref.ref(storage), size, uses, calls
        self._depth = 0
        self._known: list[Known] = []
        self._kept: dict[Known, native.NativeResident] = {}  # Contents go to and fro.
        self._made: tuple[native.NativeResident, ...] = ()
        self._left: list[tuple[Device, native.NativeResident]] = []

    def acquire(self, blocking: bool = True) -> bool:
        if not self._lock.acquire(blocking):
            return False
        self._depth += 1
        try:
            if self._depth == 1:
                self._take_away()
        except BaseException:
            self._depth -= 1
            self._lock.release()
            raise
        return True

    def release(self) -> None:
        try:
            if self._depth == 1:
                self._tell()
        finally:
            self._depth -= 1
            self._lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def _take_away(self) -> None:
        storage = self._storage()
        if storage is None or not storage.residents:
            return
        storage.residents = ()
        for (device, _, _), each in zip(self._known, self._made, strict=True):
            # When the process ends, threads stop where they are.
            for timeline, position in each.end(not ending.has_begun()):
                self._uses.note_position(timeline, position, 0, self._size)
            if each.is_used():
                self._left.append((device, each))

    def _tell(self) -> None:
        storage = self._storage()
        if storage is None:
            return
        known = storage.known_residents()
        if known != self._known:
            self._made = tuple([self._kept.get(each) or self._resident(each) for each in known])
            self._known = known
        storage.residents = self._made

    def _resident(self, known: Known) -> native.NativeResident:
        if len(self._kept) >= MOST_KEPT:  # of addresses that are gone
            self._kept.clear()
        made = self._kept[known] = self._calls.resident(*known)
        return made

    def is_used_on(self, device: Device) -> bool:
        """Whether code in C is just giving a command to a stream that uses the contents there. With the lock."""
        self._left = [(place, each) for place, each in self._left if each.is_used()]
        return any(place is device for place, _ in self._left)


def lock_for(storage: Any, uses: Uses) -> Changing | None:
    """None where code in C knows of no contents."""
    calls = native.calls()
    return Changing(storage, storage.size, uses, calls) if calls is not None and storage.context.has_residents else None
