"""Memory that a buffer or an image has from its first use on: one that is made and dropped again, or kept for later, costs nearly nothing.

"CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for data store associated with image or buffer objects
specified as arguments to kernel" (clEnqueueNDRangeKernel; other commands have the like).
"""

from __future__ import annotations

import gc
import threading
from typing import Any, overload

from ..context.context import Context
from ..context.queues import Queue
from ..context.reclaim import MOST_PIECES, MOST_WAITING
from ..context.snapshots import Snapshot, address_of
from ..context.stream_ordered_memory import LARGEST as LARGEST_KEPT
from ..context.stream_ordered_memory import LITTLE, MOST_BYTES, Block
from ..driver.interface import DeviceLost, DriverError, Stream
from ..native import library as native
from ..process import debug_mode, trace
from ..spec import codes
from ..spec.errors import CLError
from . import known_memory
from .mapping import Mapping
from .storage import BufferStorage, Memory, Region, Storage, run_now, write_in_order

# A larger buffer has its memory at once: where that much is missing, whoever makes the buffer should hear of it.
LARGEST = 64 << 20


class FirstUseFailed(CLError, DriverError):
    """There is no memory at an object's first use: an error of the routine that sets it as an argument, or of a driver for a command's."""

    def __init__(self, storage: Late[Any, Any], error: DriverError):
        super().__init__(storage.routine, error.status,
                         f"the {storage.size} bytes of {storage.what} that is used for the first time: {error}")
        self.status = error.status  # which DriverError has made its own


class DeviceLostAtFirstUse(FirstUseFailed, DeviceLost):
    """The device is lost."""


class Late(Storage[Memory, Region]):
    """Storage in a context of one device. `routine` and `what` are for errors.

    _first  what the memory is to contain, if anything, until there is memory
    """

    __slots__ = ()
    routine, what = "clCreateBuffer", "a buffer"
    _first: bytes | Snapshot

    def __getattr__(self, name: str) -> Memory:
        """`memory`, while there is none."""
        if name != "memory":
            raise AttributeError(name)
        return self.have_memory()

    def _taken(self) -> Memory:
        """Memory that earlier commands may still use, or what `_filled` gives."""
        return self._filled()

    def _filled(self) -> Memory:
        """Memory that no command uses, with the first contents, if there are any."""
        first, memory = self._first, self._allocate(self.device)
        return self._begun(memory, first, self.context.only_queue()) if first else memory

    def _begun(self, memory: Memory, first: bytes | Snapshot, queue: Queue | None) -> Memory:
        """The memory, with these contents, in the order of the context's only queue, which is not waited for."""

        def write(stream: Stream) -> bool:
            return self._write_first(stream, memory, address_of(first))

        try:
            if queue is None:
                run_now(self.device, write)
            else:
                write_in_order(self.context, queue, write, first)
        except BaseException:
            self._free(self.device, memory)
            raise
        return memory

    def _write_first(self, stream: Stream, memory: Memory, address: int) -> bool:
        """All contents, from the host's memory at the address; whether that is free on return."""
        raise NotImplementedError

    @property
    def has_first(self) -> bool:
        """Whether there is something that the memory is to contain, and has not got yet."""
        return bool(self._first)

    def have_memory(self) -> Memory:
        """The memory, at the first use. Of threads that meet here one's counts."""
        try:
            memory = self._taken()
        except DeviceLost as error:
            raise DeviceLostAtFirstUse(self, error) from error
        except DriverError:
            gc.collect()  # Objects that only a cycle of references keeps have memory, too.
            try:
                memory = self._filled()
            except DriverError as error:
                raise FirstUseFailed(self, error) from error
        with _publishing:
            if not self.has_memory:
                self.memory = memory
                self.has_memory = True
                self._published()
                return memory
        self._free(self.device, memory)
        return self.memory

    def _published(self) -> None:
        """What is to be done once the memory is everybody's."""
        self._first = b""


_publishing = threading.Lock()


@native.know_slots
class LateStorage(Late[int, Mapping], BufferStorage):
    """The storage of a buffer. `first` is what the memory is to contain, if anything."""

    __slots__ = ("_first",)

    def __init__(self, context: Context, size: int, first: bytes | Snapshot = b""):
        Storage.__init__(self, context, context.devices[0], size)  # BufferStorage would take the memory now
        self._first = first

    def _taken(self) -> int:
        first = self._first
        queue = self.context.only_queue() if first else None
        # First contents come in the order of the only queue, as all that still uses the memory it leaves; or else at once.
        memory = ((queue or not first) and self.context.take_memory(self.size)) or self._allocate(self.device)
        return self._begun(memory, first, queue) if first else memory

    def _write_first(self, stream: Stream, memory: int, address: int) -> bool:
        return stream.copy("host_to_device", memory, address, self.size)

    def _published(self) -> None:
        super()._published()
        known_memory.remember(self)


class StorageFromFirstUse:
    """The attribute `_storage` of a buffer that begins *bare*, with nothing but its context, size and first contents: all else is made when
    it is used. Of threads that meet here one's storage counts, and none where another has released the buffer."""

    @overload
    def __get__(self, buffer: None, owner: type) -> StorageFromFirstUse: ...
    @overload
    def __get__(self, buffer: Any, owner: type) -> BufferStorage | None: ...

    def __get__(self, buffer: Any, owner: type) -> StorageFromFirstUse | BufferStorage | None:
        if buffer is None:
            return self
        storage: BufferStorage | None = vars(buffer).setdefault("_storage", _storage_of(buffer))
        buffer.first = b""
        return storage


def _storage_of(buffer: Any) -> LateStorage:
    """What ALLOC_HOST_PTR asks for has its memory of the host from then on."""
    storage = LateStorage(buffer.context, buffer.size, buffer.first)
    if buffer.flags & codes.MEM_ALLOC_HOST_PTR:
        try:
            storage.host_address()
        except DriverError as error:
            raise FirstUseFailed(storage, error) from error
    return storage


_calls = native.calls()
if _calls is not None:
    BufferStorage.__del__ = _calls.storage_dropper(  # type: ignore[method-assign]
        BufferStorage, LateStorage, Block, debug_mode, (LITTLE, MOST_PIECES, MOST_WAITING, LARGEST_KEPT, MOST_BYTES))


def storage_from_first_use() -> StorageFromFirstUse:
    """In C, where that takes most of the steps."""
    calls, in_python = native.calls(), StorageFromFirstUse()
    made: StorageFromFirstUse = in_python if calls is None else calls.storage_from_first_use(in_python, LateStorage, trace)
    return made
