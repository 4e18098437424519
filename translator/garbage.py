"""Python's search for cyclic garbage, which rests while much is made that stays: again and again it would find nothing."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def resting() -> Iterator[None]:
    """For a moment, and for the whole process: a thread that comes to it meanwhile finds it resting, and leaves it so."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
