"""What debug mode remembers of memory, so that a pointer can be told as the buffer that it points into."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Protocol

from ..process import debug_mode


class Block(Protocol):
    """Memory of the device."""

    size: int

    @property
    def addresses(self) -> Sequence[int]: ...


_blocks: weakref.WeakSet[Block] = weakref.WeakSet()


def remember(block: Block) -> None:
    """Remembers the block until it is gone; in debug mode only."""
    if debug_mode.active():
        _blocks.add(block)


def described(address: int) -> str:
    """A pointer to global memory, in words."""
    if not address:
        return "NULL"
    for block in list(_blocks):
        for start in block.addresses:
            inside = address - start
            if not 0 <= inside < block.size:
                continue
            return f"{address:#x}, {'byte ' + str(inside) + ' of ' if inside else ''}a buffer of {block.size} bytes"
    return f"{address:#x}, in no buffer"
