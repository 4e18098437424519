"""What a program is going to need, prepared in steps while CUDA starts, and while it makes a context: whoever waits takes the next ones."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

from ..process import imports_ahead


def _all() -> Iterator[None]:
    """What finds the devices, modules for the first programs, then what a first build needs, where the program may have one, and what
    images take, where it may have some."""
    # Not before a step's turn.
    from ..driver.interface import DriverMissing
    from ..opengl import library as opengl
    from . import api

    opengl.nvidia_available()  # which the devices' properties tell
    yield
    with contextlib.suppress(DriverMissing):  # Who asks for the devices is told.
        api.import_bindings()
    yield
    yield from imports_ahead.each(__package__, ".pooled_stream")
    yield from imports_ahead.steps()
    yield from imports_ahead.each(__package__, ".module")
    from ... import translator
    from ..process import disk_cache, ending, last_process

    disk_cache.edition()
    yield
    if last_process.translated(translator.was_used):
        yield from imports_ahead.steps_for_translations()
        yield from translator.loading()
    if last_process.had_images():
        yield from imports_ahead.each(__package__, ".image")
        yield from imports_ahead.steps_for_images()
    if not ending.is_pythons:
        gc.freeze()  # Nothing of this goes any more: else the program's first calls would search through all of it for garbage, twice.


_turn = threading.Lock()
_left: Iterator[None] | None = None


def steps() -> Iterator[None]:
    """Ends where nothing is left, or another thread is at it."""
    global _left
    while _turn.acquire(blocking=False):
        try:
            if _left is None:
                _left = _all()
            if next(_left, _turn) is _turn:
                return
        finally:
            _turn.release()
        yield
