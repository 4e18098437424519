"""What kernels and the runtime share about device queues: the memory in which kernels enqueue, one of each device in a context.

Owns the layout of builtins/library/shared/device_queue.cuh as the host sees it, and which queues there are. Kernels and the runtime
change the memory in turns, so only one kernel that enqueues others runs at a time for each device of a context, with all its children.
"""

from __future__ import annotations

import collections
import contextlib
import ctypes
import functools
import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Protocol

from ..context.context import Context
from ..context.reclaim import drained
from ..devices.device import Device
from ..devices.queries import MAX_ON_DEVICE_EVENTS, MAX_ON_DEVICE_QUEUES
from ..driver.interface import DriverError, Stream
from ..process import collecting, ending, host_memory
from ..spec.errors import CLError

# More than CL_DEVICE_MAX_ON_DEVICE_QUEUES: programs count the default queue apart.
QUEUE_SLOTS = 2 * MAX_ON_DEVICE_QUEUES

SERIALS = itertools.count(1)


class OnDevice(Protocol):
    """A queue on the device."""

    profiling: bool
    closed: bool


class QueueSlot(ctypes.Structure):
    """`queue_slot`: a queue's records lie at `memory`, up to `end`."""

    _fields_ = [("memory", ctypes.c_uint64), ("capacity", ctypes.c_uint64), ("serial", ctypes.c_uint64), ("end", ctypes.c_uint64)]


class EventSlot(ctypes.Structure):
    """`event_slot`"""

    _fields_ = [("references", ctypes.c_uint32), ("status", ctypes.c_int32), ("generation", ctypes.c_uint32), ("next", ctypes.c_uint32),
                ("captured", ctypes.c_uint64), ("times", ctypes.c_uint64 * 2)]


class Environment(ctypes.Structure):
    """`queue_environment`"""

    _fields_ = [("default_queue", ctypes.c_uint64), ("events", ctypes.c_uint64), ("block_sizes", ctypes.c_uint64),
                ("free_events", ctypes.c_uint64), ("fresh_events", ctypes.c_uint64), ("max_events", ctypes.c_uint64),
                ("local_memory", ctypes.c_uint64), ("item_sizes", ctypes.c_uint64 * 3), ("detailed", ctypes.c_uint32),
                ("uniform", ctypes.c_uint32), ("queues", QueueSlot * QUEUE_SLOTS)]


class DeviceMemory:
    """The memory for one device of a context.

    lock        held while a kernel that enqueues runs, and its children
    address     of the environment on the device, which `environment` is the host's copy of
    events      the host's copy of the events' slots
    """

    def __init__(self, device: Device):
        self.device = device
        self.lock = threading.Lock()
        self.environment = Environment()
        self.events = (EventSlot * MAX_ON_DEVICE_EVENTS)()
        self._queues: dict[int, weakref.ref[OnDevice]] = {}
        self._default: int | None = None
        self._queues_lock = threading.RLock()
        self._leaving: collections.deque[int] = collections.deque()
        self._addresses: list[int] = []
        self._streams: list[Stream] = []
        self.address = self.allocate(ctypes.sizeof(Environment))
        self.environment.events = self.allocate(ctypes.sizeof(self.events))
        self.environment.max_events = MAX_ON_DEVICE_EVENTS
        self.environment.local_memory = device.properties.local_memory
        self.environment.item_sizes[:] = device.properties.max_work_item_sizes
        self._events_are_new = True

    def streams(self, count: int) -> list[Stream]:
        """So many streams for what runs side by side."""
        while len(self._streams) < count:
            self._streams.append(self.device.driver_device.open_stream())
        return self._streams[:count]

    def allocate(self, size: int) -> int:
        address = self.device.driver_device.allocate(size)
        self._addresses.append(address)
        return address

    def free(self, address: int) -> None:
        self._addresses.remove(address)
        with contextlib.suppress(DriverError):  # a device that has failed frees nothing
            self.device.driver_device.free(address)

    # Queues

    def add(self, queue: OnDevice, size: int) -> int:
        """The handle that kernels know the queue by. DriverError where there is no room for it."""
        with self._queues_lock:
            number = next((n for n, slot in enumerate(self.environment.queues) if not slot.capacity), None)
            if number is None:
                raise DriverError(f"there are {QUEUE_SLOTS} queues on the device already")
            memory, serial = self.allocate(size), next(SERIALS) & 0xFFFFFFFF
            self.environment.queues[number] = QueueSlot(memory, size // 16 * 16, serial, 0)
            self._queues[number] = weakref.ref(queue)
            return serial << 32 | (number + 1)

    def remove(self, handle: int) -> None:
        """The queue goes, once no kernel can enqueue anything there."""
        self._leaving.append(handle)
        self.drop_leaving()

    def drop_leaving(self) -> None:
        """What has left goes, unless a kernel may be using it: who sees to that calls this afterwards."""
        while self._leaving and self.lock.acquire(blocking=False):
            try:
                self.drop_left()
            finally:
                self.lock.release()

    def drop_left(self) -> None:
        """The same, by who holds the lock and has not given the memory to a kernel yet."""
        with self._queues_lock:
            while self._leaving:
                self._drop((self._leaving.popleft() & 0xFFFFFFFF) - 1)

    def _drop(self, number: int) -> None:
        memory = self.environment.queues[number].memory
        self.environment.queues[number] = QueueSlot()
        del self._queues[number]
        if self._default == number:
            self._default = None
        self.free(memory)

    def queue(self, number: int) -> OnDevice | None:
        reference = self._queues.get(number)
        return reference() if reference is not None else None

    @property
    def default(self) -> OnDevice | None:
        queue = self.queue(self._default) if self._default is not None else None
        return None if queue is None or queue.closed else queue

    def set_default(self, handle: int) -> None:
        self._default = (handle & 0xFFFFFFFF) - 1

    # Taking turns with kernels

    def begin(self, block_sizes: int, detailed: bool, uniform: bool) -> None:
        """What kernels of a program find here; before `give`."""
        own, number = self.environment, None if self.default is None else self._default
        own.block_sizes, own.detailed, own.uniform = block_sizes, detailed, uniform
        own.default_queue = own.queues[number].serial << 32 | (number + 1) if number is not None else 0

    def give(self, stream: Stream, events: bool) -> None:
        """To the device, with the first `fresh_events` slots if those have changed; records of before are forgotten."""
        for number in tuple(self._queues):
            self.environment.queues[number].end = 0
        stream.copy("host_to_device", self.address, ctypes.addressof(self.environment), ctypes.sizeof(self.environment))
        if self._events_are_new:
            stream.copy("host_to_device", self.environment.events, ctypes.addressof(self.events), ctypes.sizeof(self.events))
            self._events_are_new = False
        elif events and self.used_events:
            size = self.used_events * ctypes.sizeof(EventSlot)
            stream.copy("host_to_device", self.environment.events, ctypes.addressof(self.events), size)

    def take(self, stream: Stream) -> None:
        """From the device, when all that was given to the stream has ended."""
        stream.copy("device_to_host", ctypes.addressof(self.environment), self.address, ctypes.sizeof(self.environment))
        stream.synchronize()
        if self.used_events:
            size = self.used_events * ctypes.sizeof(EventSlot)
            stream.copy("device_to_host", ctypes.addressof(self.events), self.environment.events, size)
            stream.synchronize()

    @property
    def used_events(self) -> int:
        """How many slots have ever been used. A kernel counts on where there are no more."""
        return min(self.environment.fresh_events, MAX_ON_DEVICE_EVENTS)

    def records(self, stream: Stream) -> list[tuple[int, memoryview, int]]:
        """The number of each queue that has records, their memory on the host, and its address."""
        found = []
        for number in tuple(self._queues):
            slot = self.environment.queues[number]
            size = min(slot.end, slot.capacity)
            if size:
                data, address = host_memory.room(size)
                stream.copy("device_to_host", address, slot.memory, size)
                found.append((number, data, address))
        if found:
            stream.synchronize()
        return found

    # Events

    def event(self, handle: int) -> EventSlot:
        return self.events[(handle & 0xFFFFFFFF) - 1]

    def release_event(self, handle: int) -> None:
        """Gives a reference back; an event without any is free."""
        slot = self.event(handle)
        slot.references -= 1
        if not slot.references:
            slot.generation += 1
            head = self.environment.free_events
            slot.next = head & 0xFFFFFFFF
            self.environment.free_events = ((head >> 32) + 1 & 0xFFFFFFFF) << 32 | (handle & 0xFFFFFFFF)

    def __del__(self, is_ending: Callable[[], bool] = ending.has_begun,
                is_searching: Callable[[], bool] = collecting.is_under_way_here) -> None:
        if is_ending():
            return
        give_back = functools.partial(_give_back, self.device, self._streams, self._addresses)
        if is_searching():  # The thread may hold the driver's locks.
            _LEFT.append(give_back)
        else:
            give_back()


def _give_back(device: Device, streams: Sequence[Stream], addresses: Sequence[int]) -> None:
    for stream in streams:
        with contextlib.suppress(DriverError):
            stream.close()
    for address in addresses:
        with contextlib.suppress(DriverError):  # as above
            device.driver_device.free(address)


# What is to be given back by the next `memory_of`.
_LEFT: collections.deque[Callable[[], None]] = collections.deque()
_MEMORIES: weakref.WeakKeyDictionary[Context, dict[Device, DeviceMemory]] = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


def memory_of(context: Context, device: Device) -> DeviceMemory:
    """Made when it is first needed; DriverError where there is no memory left."""
    for give_back in drained(_LEFT):
        give_back()
    with _LOCK:
        memories = _MEMORIES.setdefault(context, {})
        if device not in memories:
            memories[device] = DeviceMemory(device)
        return memories[device]


def default_queue(context: Context, device: Device) -> OnDevice | None:
    """The default queue on the device; None where there is none."""
    memory = _MEMORIES.get(context, {}).get(device)
    return memory.default if memory is not None else None


def check_device(routine: str, context: Context, device: Device) -> None:
    if not isinstance(context, Context):
        raise CLError(routine, "INVALID_CONTEXT", f"{context!r} is not a context")
    if device not in context.devices:
        raise CLError(routine, "INVALID_DEVICE", f"{device!r} is not a device of the context")
