"""Python's search for cyclic garbage, which calls destructors in the middle of anything: the thread may hold any lock. Before that it takes
the objects from all that know them weakly."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from threading import Lock, get_ident


class _State:
    thread = 0  # the one that is at it
    lock = Lock()  # is taken meanwhile, but where a thread that has waited for it is just giving it back
    has_lock = False


# The names of modules may be gone when Python's last search comes.
def _note(phase: str, info: object = None, state: type[_State] = _State, get_ident: Callable[[], int] = get_ident) -> None:
    if phase == "start":
        state.thread = get_ident()
        state.has_lock = state.lock.acquire(blocking=False) or state.has_lock
        return
    state.thread = 0
    if state.has_lock:
        state.has_lock = False
        state.lock.release()


def _begin_anew() -> None:
    _State.thread, _State.lock, _State.has_lock = 0, Lock(), False


gc.callbacks.append(_note)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def is_under_way() -> bool:
    """Whether any thread is at it."""
    return _State.thread != 0


def is_under_way_here() -> bool:
    """Whether this thread is at it: what it does now, destructors do."""
    return _State.thread == get_ident()


def wait_for_end(seconds: float) -> bool:
    """Waits so long, at most, until no other thread is at it. Whether none is, nor this one."""
    if not is_under_way_here() and is_under_way() and _State.lock.acquire(timeout=seconds):
        _State.lock.release()
    return not is_under_way()
