"""Commands of the host device. Each is done when its call returns, so order, fences and waiting take care of
themselves."""

from __future__ import annotations

import ctypes
import time

from ..driver.host_rows import host_rows
from ..driver.interface import CopyKind, Fence, ImagePart, Linear, NativeStream, Triple
from ..driver.whole_failures import FailsAsWhole
from .thread_pool import ThreadPool

libc = ctypes.CDLL(None)
_NATIVE = NativeStream(query=ctypes.cast(libc.fflush, ctypes.c_void_p).value or 0)  # of NULL, as in `synchronize`


def memory_of(place: Linear | ImagePart) -> Linear:
    if isinstance(place, Linear):
        return place
    rows = place.image.linear(place.level)
    assert rows is not None, "the host device's images are plain memory"
    return rows.at(place.offset)


class HostFence:
    """A point that the stream has reached already."""

    def __init__(self) -> None:
        self._time = time.perf_counter_ns()

    def wait(self) -> None:
        pass

    def done(self) -> bool:
        return True

    def time_ns(self) -> int:
        return self._time


class HostStream(FailsAsWhole):
    """`pool` has the threads that kernels run on, of a sub-device; None for the whole device's."""

    immediate = True
    handle = 0

    def __init__(self, pool: ThreadPool | None = None):
        self.pool = pool

    def copy(self, kind: CopyKind, destination: int, source: int, size: int) -> bool:
        ctypes.memmove(destination, source, size)
        return True

    def copy_shared(self, destination: int, source: int, size: int) -> bool:
        ctypes.memmove(destination, source, size)
        return True

    def prefetch(self, address: int, size: int, to_host: bool) -> None:
        """The host's memory is where it is."""

    def blocks_caller(self, kind: CopyKind, host: int, size: int) -> bool:
        return False  # for no longer than any command here

    def copy_rect(self, kind: CopyKind, destination: int, destination_pitches: tuple[int, int],
                  source: int, source_pitches: tuple[int, int], region: Triple) -> None:
        width, rows, slices = region
        tight = (width, width * rows)
        if (rows == 1 or destination_pitches[0] == source_pitches[0] == width) and (
                slices == 1 or destination_pitches[1] == source_pitches[1] == tight[1]):
            ctypes.memmove(destination, source, tight[1] * slices)
        else:
            host_rows(Linear(destination, *destination_pitches), region)[...] = host_rows(Linear(source, *source_pitches), region)

    def copy_image(self, kind: CopyKind, destination: Linear | ImagePart, source: Linear | ImagePart, region: Triple) -> None:
        target, origin = memory_of(destination), memory_of(source)
        self.copy_rect(kind, target.address, target[1:], origin.address, origin[1:], region)

    def fill_image(self, destination: ImagePart, element: bytes, region: Triple) -> None:
        import numpy as np

        target = memory_of(destination)
        host_rows(target, region)[...] = np.frombuffer(element * (region[0] // len(element)), np.uint8)

    def fill(self, destination: int, pattern: bytes, size: int) -> None:
        """Writes the pattern over and over; the last one may be cut."""
        if len(pattern) == 1:
            ctypes.memset(destination, pattern[0], size)
            return
        # The written part doubles until it is all.
        done = min(len(pattern), size)
        ctypes.memmove(destination, pattern, done)
        while done < size:
            piece = min(done, size - done)
            ctypes.memmove(destination + done, destination, piece)
            done += piece

    def fence(self, timing: bool) -> HostFence:
        return HostFence()

    def after(self, fence: Fence, *, even_failed: bool = False) -> None:
        fence.wait()

    def idle(self) -> bool:
        return True

    def rests(self) -> bool:
        return True

    def poll_completed(self) -> bool:
        self.synchronize()
        return True

    def flush(self) -> None:
        pass

    def synchronize(self) -> None:
        """Brings out what kernels have printed, which libc buffers where the output is no terminal."""
        libc.fflush(None)

    def native(self) -> NativeStream:
        return _NATIVE

    def close(self) -> None:
        self.synchronize()
