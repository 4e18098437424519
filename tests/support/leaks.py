"""Whether something that is done again and again leaves anything behind in this process: references to known objects, and blocks of memory."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence

ATTEMPTS = 5


def _counts(counted: Sequence[object]) -> list[int]:
    gc.collect()
    return [*(sys.getrefcount(each) for each in counted), sys.getallocatedblocks()]


def leaves_nothing(turn: Callable[[], object], counted: Sequence[object], blocks: int | None = None, turns: int = 200) -> None:
    """A turn neither adds a reference to any of the objects nor takes one away, and all turns leave fewer blocks, where a number of them
    is given. Half as many references as turns are allowed: other threads of the process, such as those of the tests before, which end in
    their own time, change the counts of what everybody uses, too, but not in each turn nor in each attempt, as what is lost does."""
    turn()
    found = []
    for _ in range(ATTEMPTS):
        before = _counts(counted)
        for _ in range(turns):
            turn()
        *more, more_blocks = [new - old for new, old in zip(_counts(counted), before, strict=True)]
        if all(abs(by) < max(1, turns // 2) for by in more) and (blocks is None or more_blocks < blocks):
            return
        found.append((more, more_blocks))
    raise AssertionError(found)
