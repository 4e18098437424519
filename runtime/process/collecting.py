"""Python's search for cyclic garbage, which calls destructors in the middle of anything: the thread may hold any lock."""

from __future__ import annotations

import gc
from collections.abc import Callable
from threading import get_ident


class _State:
    thread = 0  # the one that is at it


# The names of modules may be gone when Python's last search comes.
def _note(phase: str, info: object, state: type[_State] = _State, get_ident: Callable[[], int] = get_ident) -> None:
    state.thread = get_ident() if phase == "start" else 0


gc.callbacks.append(_note)


def is_under_way_here() -> bool:
    """Whether this thread is at it: what it does now, destructors do."""
    return _State.thread == get_ident()
