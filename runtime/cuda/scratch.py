"""Memory of a stream's for its own commands: of the device, for one command after the other, and what is lent to native code."""

from __future__ import annotations

import ctypes
import threading
from typing import Protocol

from .api import Cuda
from .capture import Capture
from .staging import Staging

# The most that code in C copies by page-locked memory of the stream's that has room for all of it.
STAGED_AS_A_WHOLE = 1 << 20
# Images' contents of so many bytes at most come and go by native code; its scratch memory has at least so many.
NATIVE_SCRATCH, LEAST_SCRATCH = 4 << 20, 64 << 10

# Where page-locked memory says whether native code has left a copy under way there (`is_left` of runtime/native/stream_copies.h).
LEFT = 8

_FENCE = threading.Lock()


def _order_accesses() -> None:
    """This thread's to memory, before and after: a lock is taken and left. With it nothing is done, since whatever makes an object may have
    Python's search for garbage close a stream, which comes here."""
    with _FENCE:
        pass


class _NativeScratch(ctypes.Structure):
    """struct device_scratch of runtime/native/stream_copies.h, which native code takes and gives back, also without Python's lock."""

    _fields_ = [("taken", ctypes.c_uint64), ("memory", ctypes.c_uint64), ("size", ctypes.c_uint64), ("filled", ctypes.c_uint64),
                ("width", ctypes.c_uint64), ("element", ctypes.c_char * 16), ("staging", ctypes.c_uint64),
                ("staging_size", ctypes.c_uint64)]


class ScratchStream(Protocol):
    cuda: Cuda
    capture: Capture | None
    handle: int
    staging: Staging

    @property
    def has_native(self) -> bool:
        """Whether native code knows the stream."""

    def idle(self) -> bool: ...


class Scratch:
    """Each call is told of the stream, which keeps this.

    lock    held from the first use of the memory to the last
    native  what native code may take
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.native = _NativeScratch()
        self._memory = self.size = 0
        self._had_image = False
        self._left: list[tuple[int, int]] = []  # page-locked memory that native code has left a copy under way in, and its size

    def of(self, stream: ScratchStream, size: int) -> int:
        """Device memory for one command of the stream after the other. With the lock."""
        if stream.capture is not None:
            return stream.capture.room(size)
        if size > self.size:
            self._free(stream)
            self._memory = stream.cuda.call(stream.cuda.runtime.mallocAsync, size, stream.handle)
            self.size = size
        return self._memory

    def lend(self, stream: ScratchStream, size: int) -> None:
        """Memory of that size for commands of native code like the one that was Python's. With the lock."""
        native, cuda = self.native, stream.cuda
        if not stream.has_native or stream.capture is not None or not native.size < size <= NATIVE_SCRATCH:
            return
        if not self._withdraw():
            return
        room = min(NATIVE_SCRATCH, _room_for(size))
        made = cuda.call(cuda.runtime.mallocAsync, room, stream.handle)
        if native.memory:
            cuda.call(cuda.runtime.freeAsync, native.memory, stream.handle)
        native.memory, native.filled, native.size = made, 0, room  # The size last, by which native code knows that it may.

    def lend_for_image(self, stream: ScratchStream, size: int) -> None:
        """For copies like the one that was Python's, between an image and the host. With the lock. The first memory of the device's that
        is taken so takes CUDA ten milliseconds, and most copies do with page-locked memory: Python's first one may have been for want of
        that."""
        self.lend_staging(stream, size)
        if self._had_image or not self.native.staging or self.native.staging_size < size:
            self.lend(stream, size)
        self._had_image = True

    def lend_staging(self, stream: ScratchStream, size: int) -> None:
        """Page-locked memory for copies of native code like the one that was Python's. With the lock."""
        native, before = self.native, self.native.staging_size
        if not stream.has_native or stream.capture is not None or not before < size <= STAGED_AS_A_WHOLE:
            return
        native.staging_size = 0  # as above; only then can be said what native code has left under way
        _order_accesses()
        if native.taken:
            native.staging_size = before
            return
        self._give_back(stream, native.staging, before)
        native.staging = stream.staging.take_piece(_room_for(size))
        native.staging_size = _room_for(size)

    def _give_back(self, stream: ScratchStream, staging: int, size: int) -> None:
        """Page-locked memory that native code takes no more. Where that has left a copy under way, nobody has it before the stream has
        ended: something may still come there, or go from there."""
        if staging and not ctypes.c_uint64.from_address(staging + LEFT).value:
            stream.staging.give_piece(staging, size)
        elif staging:
            self._left.append((staging, size))
        if self._left and stream.idle():
            while self._left:
                stream.staging.give_piece(*self._left.pop())

    def _withdraw(self) -> bool:
        """From here on native code takes the memory no more; False where it has it just now."""
        self.native.size = 0
        _order_accesses()  # What was written is seen before what follows is read: native code has taken it before it looks how large it is.
        return not self.native.taken

    def free(self, stream: ScratchStream) -> None:
        self._free(stream)
        native, memory, staging = self.native, self.native.memory, self.native.staging
        if not self._withdraw():
            return
        if memory:
            native.memory = 0
            stream.cuda.call(stream.cuda.runtime.freeAsync, memory, stream.handle)
        if staging:
            size, native.staging, native.staging_size = native.staging_size, 0, 0
            self._give_back(stream, staging, size)

    def _free(self, stream: ScratchStream) -> None:
        if self.size:
            self.size = 0
            stream.cuda.call(stream.cuda.runtime.freeAsync, self._memory, stream.handle)


def _room_for(size: int) -> int:
    """Bytes of scratch memory: it is made larger a few times only."""
    return max(LEAST_SCRATCH, 1 << (size - 1).bit_length())
