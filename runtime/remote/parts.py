"""Which commands of a stream are parts of one: a command of the runtime's, and inside of it the bringing of contents that it needs.

Every thread that uses the stream gives it commands of its own. What a command is a part of is a number, 0 for those that stand alone.
"""

from __future__ import annotations

import itertools
import threading


class Parts:
    """any   some thread is amid a command. Whoever calls holds the stream's lock."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._of_threads: dict[int, list[int]] = {}

    @property
    def any(self) -> bool:
        return bool(self._of_threads)

    def here(self) -> int:
        """What the calling thread's next command is a part of."""
        numbers = self._of_threads.get(threading.get_ident())
        return numbers[-1] if numbers else 0

    def begin(self) -> int:
        number = next(self._numbers)
        self._of_threads.setdefault(threading.get_ident(), []).append(number)
        return number

    def end(self) -> int:
        """What has ended; 0 if nothing had begun."""
        numbers = self._of_threads.get(threading.get_ident())
        if not numbers:
            return 0
        number = numbers.pop()
        if not numbers:
            del self._of_threads[threading.get_ident()]
        return number
