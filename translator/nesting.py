"""Programs that nest deeper than Python's stack: they are translated once more, in a thread that has more of it.

clang takes brackets 256 deep. Python's own limit, a thousand calls and what the caller has left of them, is enough for most programs by
far, and those that need more are few: only they pay for the thread. Its limit holds for the process while it runs; its stack is larger
than so many calls take in any Python (about a kilobyte each before 3.11), so that nothing crashes at whatever depth.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from .diagnostics import MACRO_NESTING, NESTING, CompileError

# Calls that may stand in each other, by what has run out of them. Macros in macros' arguments take time by the square of how deep they are.
CALLS = {NESTING: 4000, MACRO_NESTING: 1500}
STACK = 64 << 20

P = ParamSpec("P")
T = TypeVar("T")
_ONE_AT_A_TIME = threading.Lock()


def with_room(function: Callable[P, T]) -> Callable[P, T]:
    """The function, called again with a stack that is deep where the program is nested too deeply for this thread's."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except CompileError as error:
            calls = max((CALLS.get(each.message, 0) for each in error.diagnostics), default=0)
            if not calls:
                raise
        return _in_a_deep_thread(functools.partial(function, *args, **kwargs), calls)

    return call


def _in_a_deep_thread(function: Callable[[], T], calls: int) -> T:
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:  # The caller's thread raises it.
            errors.append(error)

    with _ONE_AT_A_TIME:
        before, limit = threading.stack_size(STACK), sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, calls))
        try:
            thread = threading.Thread(target=run, name="cl2cuda nesting")
            thread.start()
            threading.stack_size(before)
            thread.join()
        finally:
            threading.stack_size(before)
            sys.setrecursionlimit(limit)
    if errors:
        raise errors.pop()  # so that nothing here holds it
    return results[0]
