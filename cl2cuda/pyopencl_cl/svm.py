"""Shared virtual memory: pointers as kernel arguments, allocations, the allocator and pool of them, and the commands on them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..array_exchange.exports import Exported, Region
from ..runtime.native import library as native
from ..runtime.process import collecting, ending
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from .context import Context
from .errors import guarded, host_error, make_error
from .event import Event, event_of, natively
from .handles import SignatureOf, Uncopied, core_of, cores, no_constructor
from .integers import cast, cl_bitfield, cl_uint, size_t
from .later import buffer_commands, host_memory, svm, svm_commands
from .memory import allocated, array_over
from .pool import _Pool
from .queue import CommandQueue

if TYPE_CHECKING:
    from ..runtime.context.context import Context as RuntimeContext
    from ..runtime.queue.queue import CommandQueue as RuntimeQueue

WaitList = Iterable[Event] | None


class SVMPointer(Uncopied):
    """Base of what kernels and commands take as shared virtual memory."""

    __slots__ = ("__dict__", "__weakref__", "_core", "_size")
    _core: Any
    _size: int

    @property
    def svm_ptr(self) -> int:
        return self._core.address

    @property
    def size(self) -> int | None:
        """The size in bytes; None where it is not known."""
        return None

    @property
    def buf(self) -> np.ndarray:
        """The memory as an array of bytes, which keeps this object alive."""
        if self.size and not self.svm_ptr:
            raise make_error("SVMPointer.buf", "INVALID_VALUE", "the memory has been released")
        return array_over(_Base(self), self.svm_ptr, (self.size or 0,), np.dtype(np.uint8))


# The type of `buf`, as PyOpenCL before 2024.3 calls it.
_SVMPointerAsBuffer = np.ndarray


class _Base:
    """What an array over shared memory has as its base."""

    def __init__(self, owner: SVMPointer) -> None:
        self.owner = owner


@native.know_slots
class SVM(SVMPointer):
    """Host memory as shared virtual memory: any writable contiguous object with the buffer protocol."""

    mem: Any

    def __init__(self, mem: Any) -> None:
        try:
            address, self._size = host_memory.extent("SVM", mem, writable=True)
        except CLError as failure:
            raise host_error(failure) from None
        self.mem = mem  # PyOpenCL before 2024.3 sets it itself, once more.
        self._core = svm.Pointer(address)

    _make_in_python = __init__

    @property
    def size(self) -> int:
        return self._size


class _Owned(SVMPointer, Exported):
    """Memory that goes back to where it came from by `release`, or with the last reference: in a queue's order if it is bound
    to one."""

    _queue: CommandQueue | None = None
    _live = False

    @property
    def size(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.svm_ptr == other.svm_ptr

    def __hash__(self) -> int:
        return hash(self.svm_ptr)

    def __del__(self, is_ending: Callable[[], bool] = ending.is_near) -> None:
        # Not so of an object that was not made as a whole; and a release may wait.
        if getattr(self, "_live", False) and not is_ending():
            # A destructor has nobody to report to.
            with contextlib.suppress(Exception), self._home().keeping_current():
                self.release()

    def release(self) -> None:
        raise NotImplementedError

    def _home(self) -> RuntimeContext:
        raise NotImplementedError

    def _region(self) -> Region:
        context = self._home()
        found = context.svm.find(self.svm_ptr)
        return Region(context, context.devices[0] if found is None else found.device, self.svm_ptr)

    @guarded
    def bind_to_queue(self, queue: CommandQueue) -> None:
        """From now on the memory is used in this queue, behind all that was enqueued in the last one."""
        core = core_of(queue, CommandQueue, "queue")
        if self._queue is not None:
            _follow(core, self._queue._core)
        self._queue = queue

    @guarded
    def unbind_from_queue(self) -> None:
        """Waits for the queue: whoever uses the memory next needs no queue."""
        if self._queue is not None:
            self._queue._core.finish()
        self._queue = None


def _follow(queue: RuntimeQueue, before: RuntimeQueue) -> None:
    """Later commands of the queue come after those that the other one has now."""
    if queue is not before:
        buffer_commands.enqueue_barrier(queue, (buffer_commands.enqueue_marker(before),))


@native.know_slots
class SVMAllocation(_Owned):
    """Memory of clSVMAlloc."""

    def __init__(self, context: Context, size: int, alignment: int, flags: int, queue: CommandQueue | None = None) -> None:
        self._context = core_of(context, Context, "context")
        self._size, alignment, flags = size_t(size, "size"), cl_uint(alignment, "alignment"), cl_bitfield(flags, "flags")
        self._core = allocated(lambda: svm.Pointer(_allocate(self._context, flags, self._size, alignment)))
        self._live = True
        if queue is not None:
            self._queue = queue

    def _home(self) -> RuntimeContext:
        return self._context

    def _end(self) -> Any:
        """The pointer, which this object has no more: whatever it is still given to gets NULL, and no memory of another's."""
        if not self._live:
            raise make_error("SVMAllocation.release", "INVALID_VALUE", "trying to double-unref svm allocation")
        self._live = False
        pointer, self._core = self._core, svm.Pointer(0)
        return pointer

    @guarded
    def release(self) -> None:
        """Gives the memory back, in the order of the queue that it is bound to. Where Python's search for garbage has this called, whose
        thread may be giving the queue a command, the memory comes back when all commands of now have ended."""
        address = self._end().address
        if self._queue is not None and not self._queue._core.closed and address and not collecting.is_under_way_here():
            svm_commands.enqueue_svm_free(self._queue._core, (address,))
        else:
            svm.svm_free(self._context, address)

    @guarded
    def enqueue_release(self, queue: CommandQueue | None = None, wait_for: WaitList = None) -> Event:
        queue = queue or self._queue
        if queue is None:
            raise make_error("SVMAllocation.enqueue_release", "INVALID_VALUE",
                             "no queue available (implicit or explicit) on which to enqueue the release")
        pointer = self._end()
        addresses = (pointer.address,) if pointer.address else None
        try:
            return event_of(svm_commands.enqueue_svm_free(queue._core, addresses, None, cores(wait_for)))
        except BaseException:
            self._live, self._core = True, pointer  # Nothing was enqueued.
            raise


def _allocate(context: Any, flags: int, size: int, alignment: int) -> int:
    """0 for size 0, as PyOpenCL has it."""
    return svm.svm_alloc(context, flags, size, alignment) if size else 0


class SVMAllocator(Uncopied):
    """Makes allocations of one alignment, with one set of flags, all bound to one queue or to none."""

    is_deferred = False

    def __init__(self, context: Context, alignment: int = 0, flags: int = codes.MEM_READ_WRITE,
                 queue: CommandQueue | None = None) -> None:
        self._context = core_of(context, Context, "context")
        self._handle = context
        self._alignment, self._flags = cl_uint(alignment, "alignment"), cl_bitfield(flags, "flags")
        self._queue = queue

    def __call__(self, size: int) -> SVMAllocation:
        return SVMAllocation(self._handle, size, self._alignment, self._flags, self._queue)

    def allocate(self, size: int) -> Any:
        """Allocates for pools, whose blocks are the runtime's pointers."""
        return svm.Pointer(_allocate(self._context, self._flags, size, self._alignment))

    def free(self, pointer: Any) -> None:
        svm.svm_free(self._context, pointer.address)


@native.know_slots
class SVMPool(_Pool):
    """A pool of shared virtual memory, whose blocks are bound to its allocator's queue, or to none."""

    __slots__ = ("_queue",)
    _queue: CommandQueue | None

    def __init__(self, allocator: SVMAllocator, leading_bits_in_bin_id: int = 4) -> None:
        if not isinstance(allocator, SVMAllocator):
            raise TypeError(f"allocator must be a pyopencl.SVMAllocator, not {type(allocator).__name__}")
        super().__init__(allocator, leading_bits_in_bin_id)
        self._queue = allocator._queue

    def __call__(self, size: int) -> PooledSVM:
        return PooledSVM._from_pool(self, size_t(size, "size"))

    _allocate_in_python = __call__


@native.know_slots
class PooledSVM(_Owned):
    """A block of an SVMPool."""

    # In slots is what code in C looks at.
    __slots__ = ("_live", "_pool", "_queue")
    _let_go_in_python = _Owned.__del__

    def __init__(self, *arguments: Any, **named: Any) -> None:
        raise no_constructor(type(self))

    _pool: SVMPool

    @classmethod
    def _from_pool(cls, pool: SVMPool, size: int) -> PooledSVM:
        block = cls.__new__(cls)
        block._core = pool.take(size)
        block._pool, block._size, block._live = pool, size, True
        block._queue = pool._queue
        return block

    def _home(self) -> RuntimeContext:
        return self._pool._allocator._context

    @guarded
    def release(self) -> None:
        if not self._live:
            raise make_error("PooledSVM.release", "INVALID_VALUE", "trying to double-unref pooled svm allocation")
        self._live = False
        home = self._pool._queue
        if self._queue is not None and self._queue is not home:
            # The next user knows nothing of the queue that this block was used in.
            if home is None:
                self._queue._core.finish()
            else:
                _follow(home._core, self._queue._core)
        self._pool.give_back(self._core, self._size)

    def enqueue_release(self) -> None:
        self.release()


native.know("shared_types", (SVM, SVMAllocation, PooledSVM))
_calls = native.calls()
if _calls is not None:
    SVM.__init__ = _calls.shared_maker(SVM)  # type: ignore[method-assign]
    SVM.__signature__ = SignatureOf(SVM.__init__, SVM._make_in_python)  # type: ignore[attr-defined]
    SVMPool.__call__, PooledSVM.__del__ = _calls.shared_pool_methods(SVMPool, PooledSVM)  # type: ignore[method-assign]


@natively(Event, codes.COMMAND_SVM_MEMCPY)
@guarded
def _enqueue_svm_memcpy(queue: CommandQueue, is_blocking: bool, dst: SVMPointer, src: SVMPointer, wait_for: WaitList = None,
                        byte_count: int | None = None) -> Event:
    """Without `byte_count`, both sides have the same size or one of them says none."""
    if byte_count is None:
        sizes = {size for size in (dst.size, src.size) if size is not None}
        if len(sizes) != 1:
            raise make_error("_enqueue_svm_memcpy", "INVALID_VALUE", "sizes of source and destination buffer do not match"
                             if sizes else "size of copy not specified and not available from the pointers")
        byte_count = sizes.pop()
    else:
        byte_count = cast(size_t, byte_count, "byte_count")
    return event_of(svm_commands.enqueue_svm_memcpy(queue._core, bool(is_blocking), dst.svm_ptr, src.svm_ptr,
                                                    byte_count, cores(wait_for), keep=(dst, src)))


@natively(Event, codes.COMMAND_SVM_MEMFILL)
@guarded
def _enqueue_svm_memfill(queue: CommandQueue, dst: SVMPointer, pattern: Any, byte_count: int | None = None,
                         wait_for: WaitList = None) -> Event:
    return event_of(svm_commands.enqueue_svm_fill(queue._core, dst.svm_ptr, memoryview(pattern).tobytes("A"),
                                                  _size("_enqueue_svm_memfill", dst, byte_count), cores(wait_for)))


@natively(Event, codes.COMMAND_SVM_MAP)
@guarded
def _enqueue_svm_map(queue: CommandQueue, is_blocking: bool, flags: int, svm: SVMPointer, wait_for: WaitList = None,
                     size: int | None = None) -> Event:
    return event_of(svm_commands.enqueue_svm_map(queue._core, bool(is_blocking), cl_bitfield(flags, "flags"), svm.svm_ptr,
                                                 _size("_enqueue_svm_map", svm, size), cores(wait_for)))


@natively(Event, codes.COMMAND_SVM_UNMAP)
@guarded
def _enqueue_svm_unmap(queue: CommandQueue, svm: SVMPointer, wait_for: WaitList = None) -> Event:
    return event_of(svm_commands.enqueue_svm_unmap(queue._core, svm.svm_ptr, cores(wait_for)))


@natively(Event, codes.COMMAND_SVM_MIGRATE_MEM)
@guarded
def _enqueue_svm_migrate_mem(queue: CommandQueue, svms: Sequence[SVMPointer], flags: int | None = None,
                             wait_for: WaitList = None) -> Event:
    ranges = [(one.svm_ptr, one.size or 0) for one in svms]
    wanted = 0 if flags is None else cl_bitfield(flags, "flags")
    return event_of(svm_commands.enqueue_svm_migrate(queue._core, ranges, wanted, cores(wait_for)))


def _size(routine: str, pointer: SVMPointer, given: int | None) -> int:
    size = pointer.size if given is None else cast(size_t, given, "the size")
    if size is None:
        raise make_error(routine, "INVALID_VALUE", "the size is not given and not known from the pointer")
    return size
