"""Allocators and memory pools (`pyopencl.tools`), with PyOpenCL's bins.

A pool keeps released blocks in bins and hands them out again. A bin holds blocks of one size: its number is the position of the
size's leading bit followed by the next `leading_bits_in_bin_id` bits, and its blocks are the largest size with that number.
"""

from __future__ import annotations

import gc
import warnings
from typing import Any

from ..runtime.native import library as native
from ..runtime.process import ending
from ..runtime.spec import codes
from .context import Context
from .errors import Error, guarded, make_error
from .handles import Uncopied, core_of
from .integers import cl_bitfield, cl_uint, size_t
from .later import buffer_commands, buffers
from .memory import Buffer, BufferRegion, MemoryObjectHolder, allocated
from .queue import CommandQueue


def bitlog2(arg: int) -> int:
    """The position of the leading bit; 0 for 0."""
    return max(size_t(arg, "arg").bit_length() - 1, 0)


class AllocatorBase(Uncopied):
    """Callables that make buffers of a size, all with the same flags. Blocks are the runtime's buffers."""

    is_deferred = False

    def __init__(self, context: Any, flags: int) -> None:
        flags = cl_bitfield(flags, "flags")
        if flags & (codes.MEM_USE_HOST_PTR | codes.MEM_COPY_HOST_PTR):
            raise make_error("Allocator", "INVALID_VALUE", "cannot specify USE_HOST_PTR or COPY_HOST_PTR flags")
        self._context, self._flags = context, flags

    def __call__(self, size: int) -> Buffer | None:
        """A new buffer; None for size 0."""
        size = size_t(size, "size")
        block = allocated(lambda: self.allocate(size))
        return None if block is None else Buffer._of(block)

    def allocate(self, size: int) -> Any:
        return buffers.Buffer(self._context, self._flags, size) if size else None

    def free(self, block: Any) -> None:
        if block is not None:
            block.release()


class DeferredAllocator(AllocatorBase):
    """Leaves it to the runtime when the memory is really taken."""

    is_deferred = True

    def __init__(self, queue: Context, mem_flags: int = codes.MEM_READ_WRITE) -> None:
        """`queue` is how PyOpenCL's compiled module calls the context."""
        super().__init__(core_of(queue, Context, "context"), mem_flags)


class ImmediateAllocator(AllocatorBase):
    """Takes the memory at once, so that a pool learns from the allocation itself that there is none left."""

    def __init__(self, queue: CommandQueue, mem_flags: int = codes.MEM_READ_WRITE) -> None:
        self._queue = core_of(queue, CommandQueue, "queue")
        super().__init__(self._queue.context, mem_flags)

    def allocate(self, size: int) -> Any:
        block = super().allocate(size)
        if block is not None:
            buffer_commands.enqueue_migrate(self._queue, (block,), codes.MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)
        return block


class _Pool(Uncopied):
    """The bins and the counts of a pool, over whatever its allocator allocates.

    held_blocks, active_blocks      blocks in the bins; blocks in use
    managed_bytes, active_bytes     what all of them occupy; what was asked for of the active ones
    """

    managed_bytes = 0
    # In slots is what code in C looks at.
    __slots__ = ("__dict__", "__weakref__", "_bins", "_bits", "_holding", "_trace", "active_blocks", "active_bytes", "held_blocks")

    def __init__(self, allocator: Any, leading_bits_in_bin_id: int = 4) -> None:
        if allocator.is_deferred:
            warnings.warn("Memory pools expect non-deferred semantics from their allocators. You passed a deferred allocator, "
                          "i.e. an allocator whose allocations can turn out to be unavailable long after allocation.",
                          UserWarning, stacklevel=2)
        self.held_blocks = self.active_blocks = self.active_bytes = 0
        self._allocator = allocator
        self._bits = cl_uint(leading_bits_in_bin_id, "leading_bits_in_bin_id")
        self._bins: dict[int, list[Any]] = {}
        # All blocks by their identity, those in use, too: where Python finds a block's user in a circle it finalizes all that only the
        # circle refers to, in any order, and a block whose memory has gone would come back here.
        self._blocks: dict[int, Any] = {}
        self._holding = True
        self._trace = 0

    def bin_number(self, size: int) -> int:
        return self._bin_of(size_t(size, "size"))

    def _bin_of(self, size: int) -> int:
        bits, exponent = self._bits, size.bit_length() - 1 if size else 0
        shifted = size >> exponent - bits if exponent >= bits else size << bits - exponent
        return exponent << bits | shifted & ((1 << bits) - 1)

    def alloc_size(self, bin_number: int) -> int:
        """The size of a bin's blocks."""
        bin_number = cl_uint(bin_number, "bin_number")
        shift = (bin_number >> self._bits) - self._bits
        head = 1 << self._bits | bin_number & ((1 << self._bits) - 1)
        return head << shift | ((1 << shift) - 1) if shift >= 0 else head >> -shift

    def take(self, size: int) -> Any:
        """A block of at least `size` bytes: a held one, or a new one, for which held ones are given up when memory is short."""
        number = self._bin_of(size)
        held = self._bins.setdefault(number, [])
        if (block := self._reuse(held, size)) is not _NO_MEMORY:
            if self._trace:
                self._say(f"allocation of size {size} served from bin {number} which contained {len(held) + 1} entries")
            return block
        self._say(f"allocation of size {size} required new memory")
        block_size = self.alloc_size(number)
        if (block := self._try_new(block_size, size)) is not _NO_MEMORY:
            return block
        self._say("allocation triggered OOM, running GC")
        gc.collect()
        if (block := self._reuse(held, size)) is not _NO_MEMORY:
            return block
        self._say("allocation still OOM after GC")
        while self._give_up_largest():
            if (block := self._try_new(block_size, size)) is not _NO_MEMORY:
                return block
        raise make_error("memory_pool::allocate", "MEM_OBJECT_ALLOCATION_FAILURE", "failed to free memory for allocation")

    def give_back(self, block: Any, size: int) -> None:
        """Ends the use of a block that `take(size)` gave."""
        self.active_blocks -= 1
        self.active_bytes -= size
        number = self._bin_of(size)
        if self._holding:
            self.held_blocks += 1
            self._bins.setdefault(number, []).append(block)
            if self._trace:
                self._say(f"block of size {size} returned to bin {number} which now contains {len(self._bins[number])} entries")
        else:
            self._free(block)
            self.managed_bytes -= self.alloc_size(number)

    def free_held(self) -> None:
        """Gives all held blocks up."""
        while self._give_up_largest():
            pass

    def stop_holding(self) -> None:
        """Gives all held blocks up, and from now on every block as it is released."""
        self._holding = False
        self.free_held()

    def _set_trace(self, flag: bool) -> None:
        self._trace += 1 if flag else -1

    def _say(self, what: str) -> None:
        if self._trace:
            print(f"[pool] {what}")

    def _reuse(self, held: list[Any], size: int) -> Any:
        """A held block; _NO_MEMORY where there is none, or another thread was quicker."""
        try:
            block = held.pop()
        except IndexError:
            return _NO_MEMORY
        self.held_blocks -= 1
        self.active_blocks += 1
        self.active_bytes += size
        return block

    @guarded
    def _new(self, block_size: int) -> Any:
        return self._allocator.allocate(block_size)

    def _try_new(self, block_size: int, size: int) -> Any:
        try:
            block = self._new(block_size)
        except Error as failure:
            if not failure.args[0].is_out_of_memory():
                raise
            return _NO_MEMORY
        self._blocks[id(block)] = block
        self.active_blocks += 1
        self.managed_bytes += block_size
        self.active_bytes += size
        return block

    def _free(self, block: Any) -> None:
        self._blocks.pop(id(block), None)
        self._allocator.free(block)

    def _give_up_largest(self) -> bool:
        for number in sorted(self._bins, reverse=True):
            if self._bins[number]:
                self._free(self._bins[number].pop())
                self.managed_bytes -= self.alloc_size(number)
                self.held_blocks -= 1
                return True
        return False


_NO_MEMORY = object()


@native.know_slots
class MemoryPool(_Pool):
    """A pool of buffers."""

    def __init__(self, allocator: AllocatorBase, leading_bits_in_bin_id: int = 4) -> None:
        if not isinstance(allocator, AllocatorBase):
            raise TypeError(f"allocator must be a pyopencl.tools allocator, not {type(allocator).__name__}")
        super().__init__(allocator, leading_bits_in_bin_id)

    def allocate(self, size: int) -> PooledBuffer:
        return PooledBuffer._from_pool(self, size_t(size, "size"))

    __call__ = _allocate_in_python = allocate


@native.know_slots
class PooledBuffer(MemoryObjectHolder, BufferRegion):
    """A block that goes back to its pool by `release`, or when the last reference goes."""

    __slots__ = ("_pool", "_size")
    _pool: MemoryPool | None
    _size: int

    @classmethod
    def _from_pool(cls, pool: MemoryPool, size: int) -> PooledBuffer:
        handle = cls._of(pool.take(size))
        handle._pool, handle._size = pool, size
        return handle

    def release(self) -> None:
        if self._pool is None:
            raise make_error("pooled_device_allocation::free", "INVALID_VALUE")
        pool, self._pool = self._pool, None
        pool.give_back(self._core, self._size)

    @ending.finalizer
    def __del__(self) -> None:
        if getattr(self, "_pool", None) is not None:  # of an object that was made as a whole
            self.release()

    _let_go_in_python = __del__

    def bind_to_queue(self, queue: CommandQueue) -> None:
        """Nothing: buffers are not tied to queues."""

    def unbind_from_queue(self) -> None:
        """Nothing: buffers are not tied to queues."""


_calls = native.calls()
if _calls is not None:
    MemoryPool.allocate, PooledBuffer.__del__ = _calls.pool_methods(MemoryPool, PooledBuffer)  # type: ignore[method-assign]
    MemoryPool.__call__ = MemoryPool.allocate  # type: ignore[method-assign]


class _NothingAllocator:
    """Allocates nothing, for tests of the bins alone."""

    is_deferred = False

    def allocate(self, size: int) -> None:
        return None

    def free(self, block: None) -> None:
        pass


class _TestMemoryPool(_Pool):
    """What PyOpenCL's own tests examine the bins with."""

    def __init__(self, leading_bits_in_bin_id: int = 4) -> None:
        super().__init__(_NothingAllocator(), leading_bits_in_bin_id)

    def allocate(self, size: int) -> None:
        self.take(size_t(size, "size"))
