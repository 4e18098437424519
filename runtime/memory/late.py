"""Memory that a buffer has from its first use on: one that is made and dropped again, or kept for later, costs nearly nothing.

"CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for data store associated with image or buffer objects
specified as arguments to kernel" (clEnqueueNDRangeKernel; other commands have the like).
"""

from __future__ import annotations

import gc
import threading
from typing import Any, overload

from ..context.context import Context
from ..context.snapshots import Snapshot
from ..driver.interface import DeviceLost, DriverError
from ..process import host_memory
from ..spec.errors import CLError
from . import known_memory
from .storage import BufferStorage, Storage, run_now

# A larger buffer has its memory at once: where that much is missing, whoever makes the buffer should hear of it.
LARGEST = 64 << 20


class FirstUseFailed(CLError, DriverError):
    """There is no memory at a buffer's first use: an error of the routine that sets it as an argument, or of the driver for a command's."""

    def __init__(self, size: int, error: DriverError):
        super().__init__("clCreateBuffer", error.status, f"the {size} bytes of a buffer that is used for the first time: {error}")
        self.status = error.status  # which DriverError has made its own


class DeviceLostAtFirstUse(FirstUseFailed, DeviceLost):
    """The device is lost."""


class _FromFirstUse:
    """The attribute of storage that has no memory yet."""

    @overload
    def __get__(self, storage: None, owner: type) -> _FromFirstUse: ...
    @overload
    def __get__(self, storage: LateStorage, owner: type) -> int: ...

    def __get__(self, storage: LateStorage | None, owner: type) -> int | _FromFirstUse:
        return self if storage is None else storage.have_memory()


class LateStorage(BufferStorage):
    """The storage of a buffer in a context of one device. `first` is what the memory is to contain, if anything."""

    memory = _FromFirstUse()

    def __init__(self, context: Context, size: int, first: bytes | Snapshot = b""):
        Storage.__init__(self, context, context.devices[0], size)  # BufferStorage would take the memory now
        self._first = first

    def have_memory(self) -> int:
        """The address, at the first use. Of threads that meet here one's memory counts."""
        try:
            address = self._filled() if self._first else self.context.take_memory(self.size) or self._allocate(self.device)
        except DeviceLost as error:
            raise DeviceLostAtFirstUse(self.size, error) from error
        except DriverError:
            gc.collect()  # Objects that only a cycle of references keeps have memory, too.
            try:
                address = self._filled()
            except DriverError as error:
                raise FirstUseFailed(self.size, error) from error
        with _publishing:
            if not self.has_memory:
                self.memory = address
                self.has_memory = True
                self._first = b""
                known_memory.remember(self)
                return address
        self._free(self.device, address)
        return self.memory

    def _filled(self) -> int:
        """Memory that no command uses, with the first contents."""
        first, address = self._first, self._allocate(self.device)
        if first:
            try:
                source = first.address if isinstance(first, Snapshot) else host_memory.extent("clCreateBuffer", first)[0]
                run_now(self.device, lambda stream: stream.copy("host_to_device", address, source, self.size))
            except BaseException:
                self._free(self.device, address)
                raise
        return address


_publishing = threading.Lock()


class StorageFromFirstUse:
    """The attribute `_storage` of a buffer that begins *bare*, with nothing but its context, size and first contents: most that is made of a
    buffer is made when it is used. Of threads that meet here one's storage counts, and none where another has released the buffer."""

    @overload
    def __get__(self, buffer: None, owner: type) -> StorageFromFirstUse: ...
    @overload
    def __get__(self, buffer: Any, owner: type) -> BufferStorage | None: ...

    def __get__(self, buffer: Any, owner: type) -> StorageFromFirstUse | BufferStorage | None:
        if buffer is None:
            return self
        storage: BufferStorage | None = vars(buffer).setdefault("_storage", LateStorage(buffer.context, buffer.size, buffer.first))
        buffer.first = b""
        return storage
