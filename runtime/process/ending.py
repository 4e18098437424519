"""The end of the process, at which objects give nothing back: drivers may have gone before, and what they had given goes with them.

Python knows of its own end. A program in C never ends the Python that it runs on: its library tells of the exit then
(opencl_icd/start.py), before drivers go.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any


class _State:
    begun = False


# Whether the process ends with its Python. A program in C has its exit handlers, and those of libraries that threads may be at work in,
# called before it tells Python.
is_pythons = True

_before: list[Callable[[], object]] = []


def before(wait: Callable[[], object]) -> None:
    """What is called, once, before a program in C has ended: a thread works for a while that must not be in the middle of it then. (Python
    itself waits for threads that are no daemons.)"""
    _before.append(wait)


def begin() -> None:
    """The process exits; threads of Python's may still run, and drop the last references to objects."""
    while _before:
        _before.pop()()
    _State.begun = True


# Finalizers call it, from which the names of modules may be gone.
def has_begun(state: type[_State] = _State, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> bool:
    return state.begun or is_finalizing()


def is_near(has_begun: Callable[[], bool] = has_begun, main_thread: Callable[[], threading.Thread] = threading.main_thread) -> bool:
    """It has begun, or the main thread is through and waits for others, which are not to wait for it."""
    return has_begun() or not main_thread().is_alive()


def finalizer(give_back: Callable[[Any], None]) -> Callable[[Any], None]:
    """A `__del__` that gives back what it can. At Python's end objects may outlive the names of the modules that `give_back` uses, where a
    module that was imported before those keeps them: of what fails then nobody is told, since it goes with the process."""
    def finalize(self: Any, give_back: Callable[[Any], None] = give_back, has_begun: Callable[[], bool] = has_begun) -> None:
        try:
            give_back(self)
        except Exception:
            if not has_begun():
                raise

    return finalize
