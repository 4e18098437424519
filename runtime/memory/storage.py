"""The memory under memory objects: where it is on the device, and their shadow on the host.

In a context of several devices contents may be in several places: `replicated` has the storages for that. They may have a *shadow*
in host memory, which mapped regions point into: the application's own memory (USE_HOST_PTR), or memory of the driver that the
device reaches fast. Where device memory is host memory (the host device), mapping needs no shadow.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from ..context.context import Context
from ..context.queues import Queue
from ..devices.device import Device
from ..driver.interface import CommandFailed, Stream
from ..native import library as native
from ..process import ending
from . import known_memory
from .directory import OVERWRITE, READ, Access
from .mapping import Mapping

# Page-locking the application's memory, and its end, take longer than a copy or two gain by it: on an H200's machine, in microseconds, 90
# to 160 for up to 256 KiB and 840 for 16 MiB, of which code in C brings 4 KiB 1.5 sooner then, 64 KiB 5, 256 KiB 32 and 16 MiB 320; what
# was written it gives back sooner by more. Of 1 and 4 MiB the first map gained about as much as it took, and so does the copy to the device
# before it. So by the most bytes memory is page-locked when it is mapped for so many a time, or at once.
MAPS_UNTIL_LOCKED = ((16 << 10, 32), (64 << 10, 12), (256 << 10, 2), (8 << 20, 0), (sys.maxsize, 2))

Memory = TypeVar("Memory")
Region = TypeVar("Region")


class Shadow(NamedTuple):
    """`give_back` is the driver's, for what it allocated or page-locked; `owner` is the application's object that has the memory."""

    address: int
    device: Device
    give_back: Callable[[int], None] | None = None
    owner: Any = None


class Storage(Generic[Memory, Region]):
    """Contents of `size` bytes on `device`, in `memory` of a kind: an address, a driver's image. `mappings` are by host address
    (`mapping`)."""

    # Where code in C finds them soonest.
    __slots__ = ("__dict__", "__weakref__", "context", "device", "has_memory", "mappings", "memory", "shadow", "size")
    memory: Memory
    has_memory: bool
    # How often a shadow that is the application's memory may be mapped until it is page-locked, which the last of these maps does: a word
    # that code in C counts, too. 0, or None, where the memory stays as it is.
    maps_left: ctypes.c_uint64 | None = None

    def __init__(self, context: Context, device: Device, size: int):
        self.has_memory = False
        self.context = context
        self.device = device
        self.size = size
        self.shadow: Shadow | None = None
        self.mappings: dict[Any, list[Any]] = {}

    # What each kind of memory says of itself.

    def _allocate(self, device: Device) -> Memory:
        raise NotImplementedError

    def _free(self, device: Device, memory: Memory) -> None:
        """When the commands of now have ended."""
        raise NotImplementedError

    # What they have in common.

    def acquire(self, device: Device, stream: Stream, access: Access, start: int = 0, end: int | None = None) -> Memory:
        """The memory on the device for a command that is about to be given to the stream, and that does with the bytes from `start`
        to before `end` what `access` says."""
        return self.memory

    def nearest(self, device: Device, stream: Stream, start: int, end: int) -> tuple[Device, Memory]:
        """Where a command of the device, about to be given to the stream, is to read the bytes from: a device and its memory. Another
        device than the command's is one that its peer copies reach."""
        return device, self.acquire(device, stream, READ, start, end)

    def on(self, device: Device) -> Memory:
        """The memory on the device for others than commands, with the contents that all commands given so far leave."""
        return self.memory

    def bring_to_host(self, device: Device, stream: Stream, start: int, end: int) -> None:
        """Copies the bytes, by a command of the device, to where they are when they are mapped. Where nobody notes who writes the
        contents, that would be in vain."""

    def is_on_host(self, device: Device, stream: Stream, start: int, end: int) -> bool:
        """Whether the bytes are where they are when they are mapped, for what comes next in the stream."""
        return False

    def begin(self, issue: Callable[[Stream, Memory], object]) -> None:
        """The first contents, written outside every queue: they are there on return."""
        run_now(self.device, lambda stream: issue(stream, self.acquire(self.device, stream, OVERWRITE)))

    @property
    def copies(self) -> bool:
        """Mapped memory is a copy of the contents, not they themselves."""
        return self.shadow is not None or not (self.device.host_addressable and self.context.one_device)

    def make_shadow(self) -> Shadow:
        """The shadow, made on first use. (Two sub-buffers may be mapped, or brought to the host, by two threads at the same time.)"""
        if self.shadow is None:
            with _making_shadow:
                if self.shadow is None:
                    driver = self.device.driver_device
                    self.shadow = Shadow(driver.allocate_host(self.size), self.device, driver.free_host)
        return self.shadow

    def note_map(self) -> None:
        """A region is about to be mapped into the shadow: the application's memory is page-locked once that comes again and again. What
        is read-only, or page-locked already, stays as it is: its copies take the way that all memory can."""
        if self.maps_left is None or not self.maps_left.value:
            return
        with _making_shadow:
            left, driver, shadow = self.maps_left.value, self.device.driver_device, self.shadow
            self.maps_left.value = max(0, left - 1)
            if left == 1 and shadow is not None and driver.register_host(shadow.address, self.size):
                self.shadow = shadow._replace(device=self.device, give_back=driver.unregister_host)

    def _free_shadow(self) -> None:
        if self.shadow is not None:
            self.context.retire(self.context.freeing_device(self.shadow.device), functools.partial(_give_back, self.shadow))

    @ending.finalizer
    def __del__(self) -> None:
        if getattr(self, "has_memory", False):  # of an object that was made as a whole
            self._free(self.device, self.memory)
            if self.shadow is not None:
                self._free_shadow()

    _let_go_in_python = __del__


_making_shadow = threading.Lock()


def _give_back(shadow: Shadow) -> None:
    """A shadow that no command uses any more; its owner has lived until now."""
    if shadow.give_back is not None:
        shadow.give_back(shadow.address)


@native.know_slots
class BufferStorage(Storage[int, Mapping]):
    """The memory of a buffer and of its sub-buffers: an address.

    `ordered` says that only commands of queues are going to use it: it may be memory that earlier ones still use
    (`stream_ordered_memory`).
    """

    __slots__ = ()

    def __init__(self, context: Context, size: int, *, ordered: bool = False):
        super().__init__(context, context.devices[0], size)
        self.memory = (ordered and context.take_memory(size)) or self._allocate(self.device)
        self.has_memory = True
        known_memory.remember(self)

    def _allocate(self, device: Device) -> int:
        """Memory that no command uses."""
        return self.context.take_memory(self.size, unused=True) or self.context.allocate(device.driver_device.allocate, self.size)

    def _free(self, device: Device, memory: int) -> None:
        self.context.retire(device, self.context.block(device, memory, self.size), self.size)

    def have_memory(self) -> int:
        """The address; of storage without memory yet (`late`), from here on."""
        return self.memory

    @property
    def address(self) -> int:
        """The same as `memory`, by the name that says what it is."""
        return self.memory

    @property
    def addresses(self) -> Sequence[int]:
        """Where the contents, or what is left of earlier ones, are on devices."""
        return (self.memory,)

    def host_address(self) -> int:
        """Where mapped regions are: device memory itself where the host reaches it, else the shadow."""
        if self.shadow is not None:
            return self.shadow.address
        return self.make_shadow().address if self.copies else self.memory

    def share(self, host: Any, address: int) -> None:
        """Takes the application's own memory as the shadow (USE_HOST_PTR), and keeps it alive."""
        self.shadow = Shadow(address, self.device, owner=host)
        if not self.device.host_addressable:
            maps = next(maps for most, maps in MAPS_UNTIL_LOCKED if self.size <= most)
            self.maps_left = ctypes.c_uint64(maps or 1)
            if not maps:
                self.note_map()


class SharedStorage(BufferStorage):
    """Shared virtual memory under a buffer (5.2.1): one address for the host and every device, which the application frees."""

    copies = False

    def __init__(self, context: Context, size: int, address: int):
        self.given = address
        super().__init__(context, size)

    def _allocate(self, device: Device) -> int:
        return self.given

    def _free(self, device: Device, memory: int) -> None:
        """The memory stays."""


class LentStorage(BufferStorage):
    """The application's own memory, in which a device works that has no other than the host's (USE_HOST_PTR)."""

    copies = False

    def __init__(self, context: Context, size: int, address: int, owner: Any):
        self._address, self._owner = address, owner
        super().__init__(context, size)

    def _allocate(self, device: Device) -> int:
        return self._address

    def _free(self, device: Device, memory: int) -> None:
        self.context.retire(device, functools.partial(_let_go, self._owner))


def _let_go(owner: Any) -> None:
    """The owner of memory that no command uses any more has lived until now."""


def write_in_order(context: Context, queue: Queue, write: Callable[[Stream], bool], kept: object = None) -> None:
    """As Queue.write_in_order of the context's only queue, before all commands to come, those of other queues as well."""
    queue.write_in_order(write, kept)
    if context.only_queue() is not queue:  # Another thread has made a queue meanwhile.
        queue.settle()


def run_now(device: Device, issue: Callable[[Stream], object]) -> None:
    """Work outside every queue, such as a buffer's first contents, that has ended on return."""
    stream: Stream = device.service_stream
    try:
        issue(stream)
    except BaseException:
        stream.end_command(given=False)
        raise
    stream.end_command()
    try:
        stream.synchronize()
    except CommandFailed as failure:
        stream.failure_noted(failure)
        raise
