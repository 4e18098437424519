"""Python's search for cyclic garbage, which calls destructors in the middle of anything: the thread may hold any lock. Before that it takes
the objects from all that know them weakly."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from threading import get_ident


class _State:
    thread = 0  # the one that is at it


# The names of modules may be gone when Python's last search comes.
def _note(phase: str, info: object = None, state: type[_State] = _State, get_ident: Callable[[], int] = get_ident) -> None:
    state.thread = get_ident() if phase == "start" else 0


gc.callbacks.append(_note)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _note("stop"))


def is_under_way() -> bool:
    """Whether any thread is at it."""
    return _State.thread != 0


def is_under_way_here() -> bool:
    """Whether this thread is at it: what it does now, destructors do."""
    return _State.thread == get_ident()
