"""Device time. CUDA's events only tell the milliseconds between two of them, as a 32-bit float; here they get a time each.

A fence's time is that of a *base*, an event recorded shortly before on a stream of its own, plus the float between them, which
is exact enough only while it is small. So bases are renewed, and each one's time is the last one's plus the time between: all
times of a device are on one line, which starts at the host's clock.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .device import CudaDevice

# A float32 of 50 ms resolves 4 ns.
RENEW_NS = 50_000_000
FIRST_LOOKS = 8


class Base:
    """`time` is None until the event before it and its own have been reached and someone asks."""

    __slots__ = ("device", "event", "previous", "time")

    def __init__(self, device: CudaDevice, event: int, previous: Base | None, time: int | None):
        self.device = device
        self.event = event
        self.previous = previous
        self.time = time

    def __del__(self) -> None:
        self.device.give_event(self.event, True)


class Timeline:
    def __init__(self, device: CudaDevice):
        self._device = device
        self._lock = threading.Lock()
        cuda = device.cuda
        self._stream = cuda.call(cuda.runtime.streamCreateWithFlags, cuda.runtime.streamNonBlocking)
        self._base = self._first()
        assert self._base.time is not None
        self._made = self._base.time

    def _first(self) -> Base:
        """The base whose time the host saw best: of several, since a busy machine may take the processor from us before we look."""
        cuda = self._device.cuda
        seen: dict[int, tuple[int, int]] = {}  # by event: the moments before and after it
        for _ in range(FIRST_LOOKS):
            before = time.perf_counter_ns()
            event = self._record()
            cuda.call(cuda.runtime.eventSynchronize, event)
            seen[event] = before, time.perf_counter_ns()
        best = min(seen, key=lambda event: seen[event][1] - seen[event][0])
        for event in seen:
            if event != best:
                self._device.give_event(event, True)
        return Base(self._device, best, None, seen[best][1])

    def _record(self) -> int:
        cuda = self._device.cuda
        event = self._device.take_event(True)
        cuda.call(cuda.runtime.eventRecord, event, self._stream)
        return event

    def base(self) -> Base:
        """The base for fences made now."""
        with self._lock:
            now = time.perf_counter_ns()
            if now - self._made > RENEW_NS:
                self._base = Base(self._device, self._record(), self._base, None)
                self._made = now
            return self._base

    def time_ns(self, base: Base, event: int) -> int:
        """When the stream reached an event that was recorded after the base."""
        return self._time_of(base) + self._between(base.event, event)

    def _time_of(self, base: Base) -> int:
        """Walks back to the last base whose time is known, and forward again."""
        with self._lock:
            unknown = []
            while base.time is None:
                unknown.append(base)
                assert base.previous is not None
                base = base.previous
            for later in reversed(unknown):
                assert base.time is not None
                later.time = base.time + self._between(base.event, later.event)
                later.previous = None
                base = later
            assert base.time is not None
            return base.time

    def _between(self, start: int, end: int) -> int:
        cuda = self._device.cuda
        return round(cuda.call(cuda.runtime.eventElapsedTime, start, end) * 1e6)
