"""What debug mode and traces remember of memory, so that a pointer can be told as the buffer that it points into."""

from __future__ import annotations

import weakref
from typing import Protocol

from ..process import debug_mode, trace


class Block(Protocol):
    """Memory of the device."""

    size: int

    @property
    def address(self) -> int: ...


_blocks: weakref.WeakSet[Block] = weakref.WeakSet()
# By the address at which each began when it was made.
_by_address: weakref.WeakValueDictionary[int, Block] = weakref.WeakValueDictionary()


def remember(block: Block) -> None:
    """Remembers the block until it is gone; in debug mode, and where there is a trace."""
    if debug_mode.active() or trace.recorder() is not None:
        _blocks.add(block)
        _by_address[block.address] = block


def found(address: int) -> Block | None:
    """The block that the address is in."""
    block = _by_address.get(address)
    if block is not None and block.address == address:
        return block
    return next((block for block in list(_blocks) if block.address <= address < block.address + block.size), None)


def described(address: int) -> str:
    """A pointer to global memory, in words."""
    if not address:
        return "NULL"
    block = found(address)
    if block is None:
        return f"{address:#x}, in no buffer"
    inside = address - block.address
    return f"{address:#x}, {'byte ' + str(inside) + ' of ' if inside else ''}a buffer of {block.size} bytes"
