"""Device memory that passes from one buffer to the next while commands still use it.

Where all commands of a context come through one in-order queue, whatever is done with a new buffer comes after all that was done
with the one that had its memory before: nothing needs to be asked of the driver, nor waited for. That ends with the context's next
queue, which comes after what the first one was given until then.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from ..process import debug_mode

if TYPE_CHECKING:
    from ..devices.device import Device
    from ..queue.queue import CommandQueue

# What one context keeps for its next buffers: what is more, or larger, goes back to the device's own store of memory.
MOST_BYTES = 64 << 20
LARGEST = 16 << 20


class Block:
    """A buffer's memory that the buffer does not use any more; called, it goes back to the device."""

    __slots__ = ("address", "device", "size")

    def __init__(self, device: Device, address: int, size: int):
        self.device = device
        self.address = address
        self.size = size

    def __call__(self) -> None:
        self.device.driver_device.free(self.address)


class Succession:
    """The memory of one context that waits for its next owner."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: weakref.ref[CommandQueue] | None = None
        self._resting: dict[int, list[Block]] = {}
        self._bytes = 0
        self._passed = False

    def begin(self, queue: CommandQueue) -> None:
        """The queue is the context's only one."""
        if queue.keeps_order and queue.context.one_device and not queue.device.host_addressable and not debug_mode.active():
            self._queue = weakref.ref(queue)

    def end(self) -> tuple[bool, list[Block]]:
        """Another queue is about to come. Returns whether buffers may have memory that commands for others still use, and the memory that
        rests here, which commands may use, too."""
        with self._lock:
            self._queue, passed, self._passed = None, self._passed, False
        return passed, self.empty()

    def empty(self) -> list[Block]:
        """Returns what rests here."""
        with self._lock:
            resting, self._resting, self._bytes = self._resting, {}, 0
        return [block for blocks in resting.values() for block in blocks]

    def give(self, block: Block) -> bool:
        """Whether the block rests here now; else it can be freed when the commands of now have ended."""
        reference = self._queue  # which another thread may drop
        queue = reference() if reference else None
        if queue is None or queue.closed or queue.holds_commands or block.size > LARGEST:
            return False
        with self._lock:
            if self._queue is None or self._bytes + block.size > MOST_BYTES:
                return False
            self._bytes += block.size
            self._resting.setdefault(block.size, []).append(block)
        return True

    def take(self, size: int) -> int:
        """The address of memory for a buffer that only commands of queues are going to use; 0 if none of this size rests here."""
        if not self._resting.get(size):
            return 0
        with self._lock:
            queue, blocks = self._queue() if self._queue else None, self._resting.get(size)
            if not blocks or queue is None or queue.closed:
                return 0
            self._bytes -= size
            self._passed = True
            return blocks.pop().address
