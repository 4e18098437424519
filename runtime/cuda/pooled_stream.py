"""Streams of queues that come and go."""

from __future__ import annotations

from typing import Any

from .stream import CudaStream

# How many closed streams are kept of those that are wanted for the same.
MOST_RESTING = 16


class PooledStream(CudaStream):
    """A stream that rests, once it is closed, until another one like it is wanted: CUDA takes long to make and to destroy one. One on which
    commands still run is destroyed: another queue's are not to come after them."""

    def __init__(self, resting: list[tuple[PooledStream, int]], *arguments: Any):
        self._resting = resting
        super().__init__(*arguments)

    def _end(self, handle: int) -> None:
        if len(self._resting) < MOST_RESTING and self.cuda.runtime.streamQuery(handle) == 0:
            self._resting.append((self, handle))
        else:
            super()._end(handle)
