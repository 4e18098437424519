"""The turns of launches that share a module's `ocl::launch`: there is one, in memory of the device, and each launch reads there what it is
(`launch.LaunchRecord`). In one stream it is written anew between launches; streams come after each other."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from functools import cache
from types import TracebackType
from typing import Protocol
from weakref import WeakSet

from ..driver.interface import DriverError, Fence, Stream
from .launch import LaunchRecord


class TurnStream(Stream, Protocol):
    """A stream that knows of its turns, which it ends when it is closed."""

    handle: int
    turns: WeakSet[Turns]


class _Shared(ctypes.Structure):
    """struct turn of runtime/native/turn.h: native code makes launches in the stream whose turn it is."""

    _fields_ = [("mutex", ctypes.c_uint64 * 8), ("stream", ctypes.c_uint64), ("is_known", ctypes.c_uint64), ("written", LaunchRecord)]


class Turns:
    """Held by who launches: `with turns: ...`. A fence is made where another stream's turn comes, or where the one that had the last turn
    is closed, or does what others are not to wait for: that is the end of its turn."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # Python's search for garbage may close a stream, which ends its turns.
        self._depth = 0
        self._shared = _Shared()
        self._mutex: _Mutex | None = None
        self._last: TurnStream | None = None
        self._end: Fence | None = None

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1
        if self._mutex is not None and self._depth == 1:
            self._mutex.lock(self._address)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None) -> None:
        if self._mutex is not None and self._depth == 1:
            self._mutex.unlock(self._address)
        self._depth -= 1
        self._lock.release()

    @property
    def _address(self) -> int:
        return ctypes.addressof(self._shared)

    def open_to_native_code(self) -> int:
        """The address of the words that native code goes by; 0 where it cannot. They live as long as this."""
        with self._lock:
            if self._mutex is None and not self._depth:
                found = _mutex()
                if found is None or found.init(self._address, None):
                    return 0
                self._mutex = found
        return self._address if self._mutex is not None else 0

    # With the turn:

    def is_written(self, record: bytes) -> bool:
        return bool(self._shared.is_known) and bytes(self._shared.written) == record

    def note_written(self, record: LaunchRecord) -> None:
        self._shared.written, self._shared.is_known = record, 1

    def forget_written(self) -> None:
        self._shared.is_known = 0

    def come_after(self, stream: Stream) -> None:
        """The stream comes after the last turn."""
        if self._last is not None and self._last is not stream:
            stream.after(self._end or self._last.fence(False))

    def take(self, stream: TurnStream) -> None:
        self._last, self._end, self._shared.stream = stream, None, stream.handle
        stream.turns.add(self)

    def end(self, stream: TurnStream) -> None:
        """What the stream is given from now on is none of its turn's. With no turn taken."""
        with self:
            if self._last is stream and self._end is None:
                self._shared.stream = 0
                with contextlib.suppress(DriverError):  # The device is lost.
                    self._end = stream.fence(False)


class _Mutex:
    """The C library's functions of mutexes, which let other threads of Python run meanwhile."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.init, self.lock, self.unlock = library.pthread_mutex_init, library.pthread_mutex_lock, library.pthread_mutex_unlock
        for function, count in ((self.init, 2), (self.lock, 1), (self.unlock, 1)):
            function.argtypes, function.restype = [ctypes.c_void_p] * count, ctypes.c_int


@cache
def _mutex() -> _Mutex | None:
    try:
        return _Mutex(ctypes.CDLL(None))
    except (AttributeError, OSError, TypeError):  # a system without
        return None
