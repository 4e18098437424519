"""Streams of other libraries and of CUDA itself, to which commands are given as to one of our own."""

from __future__ import annotations

from ..driver.interface import DEFAULT_HINTS
from .context import CudaContext
from .shared_memory import SharedMemory
from .staging import Staging
from .stream import LEGACY, CudaStream
from .timeline import Timeline


class BorrowedStream(CudaStream):
    """A stream that somebody else made and destroys; 0 and 1 are both CUDA's legacy default stream, 2 is the
    thread's own."""

    def __init__(self, handle: int, context: CudaContext, staging: Staging, timeline: Timeline, shared_memory: SharedMemory):
        self._given = handle
        super().__init__(context, DEFAULT_HINTS, staging, timeline, shared_memory)

    def _open(self) -> int:
        return self._given or LEGACY

    def _end(self, handle: int) -> None:
        """It stays."""
        self._end_native(handle)
