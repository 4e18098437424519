"""Rows in the host's memory as an array."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from .interface import Linear, Triple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def host_rows(rows: Linear, region: Triple) -> NDArray[np.uint8]:
    """A region of (bytes, rows, planes) there as an array of (planes, rows, bytes), which is that memory."""
    import numpy as np  # here, since most programs in C would wait for what they never need

    width, height, planes = region
    memory = (ctypes.c_ubyte * rows.span(region)).from_address(rows.address)
    return np.ndarray((planes, height, width), np.uint8, memoryview(memory), strides=(rows.slice_pitch, rows.row_pitch, 1))
