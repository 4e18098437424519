"""A CUDA of arrays whose events are recorded and timed, as code in C has them: `calls` has each record, too."""

from __future__ import annotations

import ctypes
import itertools

from .arrays_in_c import CudaOfArrays

_LONG = ctypes.c_int64
RECORD = 8  # of stream_addresses


class TimedArrays(CudaOfArrays):
    def __init__(self):
        super().__init__()
        record = self._address(lambda event, stream: self._do("record", lambda: None), _LONG, _LONG)
        self.stream_addresses = (*self.stream_addresses[:RECORD], record, *self.stream_addresses[RECORD + 1 :])

        when = itertools.count(1)

        def elapsed(milliseconds, begun, ended):
            ctypes.c_float.from_address(milliseconds).value = next(when)  # later each time
            return 0

        self.elapsed_address = self._address(elapsed, _LONG, _LONG, _LONG)
