"""Makes a program that shows a difference smaller: statements are dropped as long as the difference stays."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

from tools.fuzz.generate import Block, Program

# Without these there is no output, local memory is read that no one has written, or before it is.
_KEPT = ("= h;", "kernel void", "int gid", "local ", "[lid] =", "barrier(")


def places(blocks: list[Block]) -> Iterator[tuple[list[Block], int]]:
    """Every statement as the list that holds it and its index there, the last first."""
    for i in range(len(blocks) - 1, -1, -1):
        yield blocks, i
        yield from places(blocks[i].body)


def minimise(program: Program, differs: Callable[[Program], bool], tries: int = 150) -> Program:
    best = program
    position = 0
    while tries > 0:
        candidate = copy.deepcopy(best)
        found = list(places(candidate.blocks))
        if position >= len(found):
            return best
        holder, index = found[position]
        block = holder[index]
        if any(text in block.head for text in _KEPT):
            position += 1
            continue
        del holder[index]
        tries -= 1
        if differs(candidate):
            best = candidate
        else:
            position += 1
    return best
