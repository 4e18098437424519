"""Fences: CUDA's events on streams, as the runtime waits for them and reads their times."""

from __future__ import annotations

from .context import NOT_READY, CudaContext
from .timeline import Base


class CudaFence:
    """An event on a stream. Its CUDA event goes back to the device's pool with it."""

    __slots__ = ("_time", "base", "context", "event", "poll_ns")

    def __init__(self, context: CudaContext, event: int, base: Base | None, poll_ns: int):
        self.context = context
        self.event = event
        self.base = base
        self.poll_ns = poll_ns
        self._time: int | None = None

    def wait(self) -> None:
        self.context.wait_event(self.event, self.poll_ns)
        if self.context.prints:
            self.context.flush_printf()

    def done(self) -> bool:
        cuda = self.context.cuda
        status = cuda.runtime.eventQuery(self.event)  # CuPy gives the status as a number, since one of them is an answer
        if status not in (0, NOT_READY):
            cuda.call(cuda.runtime.check_status, status)
        if status == 0 and self.context.prints:
            self.context.flush_printf()
        return status == 0

    def time_ns(self) -> int:
        assert self.base is not None, "the fence was made without timing"
        if self._time is None:
            self._time = self.base.timeline.time_ns(self.base, self.event)
        return self._time

    def __del__(self) -> None:
        self.context.give_event(self.event, self.base is not None)
