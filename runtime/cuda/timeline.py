"""Device time. CUDA's events only tell the milliseconds between two of them, as a 32-bit float; here they get
a time each.

A fence's time is that of a *base*, an event recorded shortly before on a stream of its own, plus the float
between them, which is exact enough only while it is small. So bases are renewed, and each one's time is the
last one's plus the time between: all times of a device are on one line, which starts at the host's clock.
"""

from __future__ import annotations

import threading
import time

from .context import NOT_READY, CudaContext
from .faults import explained

# A float32 of 50 ms resolves 4 ns.
RENEW_NS = 50_000_000
FIRST_LOOKS = 8


class Base:
    """`time` is None until the event before it and its own have been reached and someone asks; `until` is the host's time up to which
    events that are recorded may be counted from it."""

    __slots__ = ("event", "previous", "time", "timeline", "until")

    def __init__(self, timeline: Timeline, event: int, previous: Base | None, time: int | None, until: int):
        self.timeline = timeline
        self.event = event
        self.previous = previous
        self.time = time
        self.until = until

    def time_ns(self) -> int:
        return self.timeline.time_of(self)

    def __del__(self) -> None:
        self.timeline.context.give_event(self.event, True)


class Timeline:
    """A device's: its stream and its first base are made when the first time is asked for."""

    def __init__(self, context: CudaContext):
        self.context = context
        self._lock = threading.Lock()
        self._stream = 0
        self._base: Base | None = None

    def _first(self) -> Base:
        """The base whose time the host saw best: of several, since a busy machine may take the processor from
        us before we look."""
        cuda = self.context.cuda
        self.context.enter()
        self._stream = cuda.call(cuda.runtime.streamCreateWithFlags, cuda.runtime.streamNonBlocking)
        seen: dict[int, tuple[int, int]] = {}  # by event: the moments before and after it
        for _ in range(FIRST_LOOKS):
            before = time.perf_counter_ns()
            event = self._record()
            self.context.wait_event(event)
            seen[event] = before, time.perf_counter_ns()
        best = min(seen, key=lambda event: seen[event][1] - seen[event][0])
        for event in seen:
            if event != best:
                self.context.give_event(event, True)
        return Base(self, best, None, seen[best][1], seen[best][1] + RENEW_NS)

    def _record(self) -> int:
        cuda = self.context.cuda
        event = self.context.take_event(True)
        cuda.call(cuda.runtime.eventRecord, event, self._stream)
        return event

    def base(self) -> Base:
        """The base for fences made now."""
        now, base = time.perf_counter_ns(), self._base
        if base is not None and now <= base.until:
            return base
        with self._lock:
            base = self._base
            if base is None:
                base = self._base = self._first()
            elif now > base.until:
                base = self._base = Base(self, self._record(), base, None, now + RENEW_NS)
            return base

    def time_ns(self, base: Base, event: int) -> int:
        """When the stream reached an event that was recorded after the base."""
        return self.time_of(base) + self._between(base.event, event)

    def time_of(self, base: Base) -> int:
        """Walks back to the last base whose time is known, and forward again."""
        if base.time is not None:
            return base.time
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
        """CUDA tells no time of an event that has not been reached: a base stands in a stream of its own, which may come to it after
        the stream that it is to time."""
        cuda = self.context.cuda
        try:
            milliseconds = cuda.runtime.eventElapsedTime(start, end)
        except cuda.Error as error:
            if error.status != NOT_READY:
                raise explained(error, cuda.suspects) from error
            for event in (start, end):
                self.context.wait_event(event)
            milliseconds = cuda.call(cuda.runtime.eventElapsedTime, start, end)
        return round(milliseconds * 1e6)
