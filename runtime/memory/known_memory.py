"""What debug mode and traces remember of memory, so that a pointer can be told as the buffer that it points into."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Protocol

from ..process import debug_mode, trace


class Block(Protocol):
    """Memory of the device."""

    size: int

    @property
    def addresses(self) -> Sequence[int]: ...


_blocks: weakref.WeakSet[Block] = weakref.WeakSet()
# By the addresses at which each began when it was made.
_by_address: weakref.WeakValueDictionary[int, Block] = weakref.WeakValueDictionary()


def remember(block: Block) -> None:
    """Remembers the block until it is gone; in debug mode, and where there is a trace."""
    if debug_mode.active() or trace.current() is not None:
        _blocks.add(block)
        for address in block.addresses:
            _by_address[address] = block


def found(address: int) -> tuple[Block, int] | None:
    """The block that the address is in, and where that begins."""
    known = _by_address.get(address)
    if known is not None and address in known.addresses:
        return known, address
    return next(((block, start) for block in list(_blocks) for start in block.addresses if start <= address < start + block.size), None)


def described(address: int) -> str:
    """A pointer to global memory, in words."""
    if not address:
        return "NULL"
    place = found(address)
    if place is None:
        return f"{address:#x}, in no buffer"
    block, start = place
    inside = address - start
    return f"{address:#x}, {'byte ' + str(inside) + ' of ' if inside else ''}a buffer of {block.size} bytes"
