"""Device memory that passes from one buffer to the next while commands still use it.

Where all commands of a context come through one in-order queue, whatever is done with a new buffer comes after all that was done
with the one that had its memory before: nothing needs to be asked of the driver, nor waited for. That ends with the context's next
queue, which comes after what the first one was given until then.
"""

from __future__ import annotations

import threading
import weakref

from ..devices.device import Device
from ..process import debug_mode
from .queues import Queue

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


class StreamOrderedMemory:
    """The memory of one context that waits for its next owner.

    queue   the context's only queue, while its order is all that is needed; None: there is no memory here, and none is taken
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.queue: weakref.ref[Queue] | None = None
        self._free: dict[int, list[Block]] = {}
        self._bytes = 0
        self._reused = False

    def begin(self, queue: Queue) -> None:
        """The queue is the only one of a context of one device."""
        if queue.keeps_order and not queue.device.host_addressable and not debug_mode.active():
            self.queue = weakref.ref(queue)

    def only_queue(self) -> Queue | None:
        """The context's only queue, if what is put into a new buffer can go there in order: the next queue will come after that."""
        reference = self.queue
        if reference is None:
            return None
        with self._lock:
            queue = self.queue() if self.queue else None
            if queue is None or queue.needs_full_submit:
                return None
            self._reused = True
            return queue

    def end(self) -> tuple[bool, list[Block]]:
        """Another queue is about to come. Returns whether buffers may have memory that commands for others still use, and the memory that
        is kept here, which commands may use, too."""
        if self.queue is None and not self._free:  # It has come already.
            return False, []
        with self._lock:
            self.queue, reused, self._reused = None, self._reused, False
        return reused, self.empty() if self._free else []

    def empty(self) -> list[Block]:
        """Returns what is kept here."""
        with self._lock:
            free, self._free, self._bytes = self._free, {}, 0
        return [block for blocks in free.values() for block in blocks]

    def give(self, block: Block) -> bool:
        """Whether the block is kept here now; else it can be freed when the commands of now have ended."""
        reference = self.queue  # which another thread may drop
        queue = reference() if reference else None
        if queue is None or queue.closed or queue.has_deferred or block.size > LARGEST:
            return False
        with self._lock:
            if self.queue is None or self._bytes + block.size > MOST_BYTES:
                return False
            self._bytes += block.size
            self._free.setdefault(block.size, []).append(block)
        return True

    def take(self, size: int) -> int:
        """The address of memory for a buffer that only commands of queues are going to use; 0 if none of this size is kept here."""
        if not self._free.get(size):
            return 0
        with self._lock:
            queue, blocks = self.queue() if self.queue else None, self._free.get(size)
            if not blocks or queue is None or queue.closed:
                return 0
            self._bytes -= size
            self._reused = True
            return blocks.pop().address
