"""The context: the devices that objects are shared between, and the memory given back while commands may still use it."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import math
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..devices.device import Device
from ..driver.interface import DeviceLost, DriverError
from ..memory.svm import SharedMemory
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from .destructors import DestructorCallbacks
from .stream_ordered_memory import Block, Succession

if TYPE_CHECKING:
    from ...translator.options import BuildOptions
    from ..queue.queue import CommandQueue

ROUTINE = "clCreateContext"

# How many things that are still in use `reclaim` mostly meets before it gives up.
MAX_ASKED = 8


class Context:
    """cl_context. `properties` are (name, value) pairs; `callback` is called with a text when a command fails later on."""

    def __init__(self, devices: Sequence[Device], properties: Sequence[tuple[int, Any]] = (),
                 callback: Callable[[str], None] | None = None):
        if not devices:
            raise CLError(ROUTINE, "INVALID_VALUE", "no devices are given")
        for device in devices:
            if not isinstance(device, Device):
                raise CLError(ROUTINE, "INVALID_DEVICE", f"{device!r} is not a device")
        _check_properties(properties)
        self.devices = tuple(dict.fromkeys(devices))
        self.properties = tuple(properties)
        self.callback = callback
        self.one_device = len(self.devices) == 1
        self.svm = SharedMemory()
        self._queues: list[weakref.ref[CommandQueue]] = []
        self._lock = threading.Lock()
        self._notes: collections.deque[tuple[Device, Callable[[], None]]] = collections.deque()
        self._retired: collections.deque[_Retired] = collections.deque()
        self._reclaiming = threading.Lock()
        self._left_behind: list[Any] = []
        self._succession = Succession()
        self._destructors = DestructorCallbacks()

    @property
    def context(self) -> Context:
        return self

    @cached_property
    def max_allocation(self) -> int:
        """The largest CL_DEVICE_MAX_MEM_ALLOC_SIZE of the devices."""
        return max(device.properties.max_allocation for device in self.devices)

    def initialising(self, options: BuildOptions) -> BuildOptions:
        """The options of a program of this context, which may ask for memory that starts as zeros (cl_khr_initialize_memory)."""
        asked = dict(self.properties).get(codes.CONTEXT_MEMORY_INITIALIZE_KHR, 0)
        if not asked:
            return options
        return dataclasses.replace(options, zero_local=bool(asked & codes.CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR),
                                   zero_private=bool(asked & codes.CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR))

    def get_info(self, param: int) -> Any:
        """clGetContextInfo (4.4)."""
        return QUERIES.get(self, param)

    def set_destructor_callback(self, function: Callable[[], Any]) -> None:
        """clSetContextDestructorCallback: called when the context and all that was made of it have gone."""
        self._destructors.add("clSetContextDestructorCallback", function)

    def terminate(self) -> None:
        """clTerminateContextKHR, which must end "commands currently executing on devices". CUDA ends a running kernel only with
        everything that the process has on the device, and the host device runs kernels in threads of the application: so no
        device says that it can, CL_DEVICE_TERMINATE_CAPABILITY_KHR is 0, and the extension is not offered."""
        raise CLError("clTerminateContextKHR", "INVALID_OPERATION", "no device of the context can end commands that are running")

    def release(self) -> None:
        """Objects made of the context keep it; there is nothing to give back but what their own release returns."""
        self.reclaim()

    def add_queue(self, queue: CommandQueue) -> None:
        with self._lock:
            others = [other for other in (reference() for reference in self._queues) if other is not None]
            passed, blocks = self._succession.end()
            if passed or blocks:
                with contextlib.suppress(DriverError):  # Of a device that has failed, which the queue's first command will say.
                    queue.come_after([mark for other in others for mark in other.end_marks()] + self._marks_left())
                self._notes.extend((block.device, block) for block in blocks)
            self._queues = [weakref.ref(each) for each in (*others, queue)]
            if not others:
                self._succession.begin(queue)

    def queues(self, device: Device | None = None) -> list[CommandQueue]:
        """The queues that live, of one device or of all; a released one lives while it holds commands."""
        found = [reference() for reference in self._queues]
        return [queue for queue in found
                if queue is not None and (device is None or queue.device is device) and (not queue.closed or queue.holds_commands)]

    # Memory and modules go when no command can use them any more.

    def retire(self, device: Device, free: Callable[[], None]) -> None:
        """Hands over what is to be freed once the device's commands of now have ended. Finalizers call this, which may run
        anywhere: so it only makes a note, which the next `reclaim` acts on."""
        self._notes.append((device, free))

    def take_memory(self, size: int) -> int:
        """Memory for a buffer that only commands of queues are going to use, where an earlier one left some of the same size; else 0."""
        if self._notes:
            self.reclaim()
        return self._succession.take(size)

    def reclaim(self, most: float = MAX_ASKED) -> None:
        """Frees what was retired and is not in use any more; gives up after so many things that are."""
        if not (self._notes or self._retired or _ORPHANS) or not self._reclaiming.acquire(blocking=False):
            return
        try:
            while self._notes:
                device, free = self._notes.popleft()
                if not (type(free) is Block and self._succession.give(free)):
                    self._free_or_retire(device, free)
            with contextlib.suppress(IndexError):  # Another context may be quicker with an orphan.
                while _ORPHANS:
                    self._retired.append(_ORPHANS.popleft())
            if self._retired:
                self._free_retired(most)
        finally:
            self._reclaiming.release()

    def _free_or_retire(self, device: Device, free: Callable[[], None]) -> None:
        """Frees what no command can be using, which is to be found out quickly."""
        queues = self.queues(device)
        with contextlib.suppress(DriverError):
            if not self._left_behind and all(queue.idle for queue in queues):
                free()
                return
        self._retired.append(_Retired(queues, self._marks_left(), free))

    def _free_retired(self, most: float) -> None:
        """In the order of retirement, which is about that in which commands end: not all need to be asked each time."""
        waiting: list[_Retired] = []
        while self._retired and len(waiting) < most:
            one = self._retired.popleft()
            if not one.try_free():
                waiting.append(one)
        self._retired.extendleft(reversed(waiting))

    def reclaim_all(self) -> None:
        """Waits for every command that is with a driver, then frees all that was retired and is not in use by those that are
        not: what is left to try when an allocation fails."""
        for queue in self.queues():
            with contextlib.suppress(DriverError):  # The allocation that comes next will say that the device has failed.
                queue.settle()
        self.reclaim()
        for block in self._succession.empty():
            self._retired.append(_Retired(self.queues(block.device), self._marks_left(), block))
        self.reclaim(math.inf)

    def leave_behind(self, mark: Any) -> None:
        """A queue that goes away while its commands run leaves the mark of its end."""
        self._left_behind.append(mark)

    def __del__(self) -> None:
        if hasattr(self, "_destructors"):
            self._bequeath()
            self._destructors.call()

    def _bequeath(self) -> None:
        """Nobody will ask this context again to free what was retired."""
        left = [free for _, free in self._notes] + self._succession.end()[1]
        _ORPHANS.extend((*self._retired, *(_Retired([], list(self._left_behind), free) for free in left)))

    def _marks_left(self) -> list[Any]:
        self._left_behind = [mark for mark in self._left_behind if not _is_over(mark)]
        return list(self._left_behind)


def _is_over(mark: Any) -> bool:
    """Whether no command before the mark can be running: it was reached, or the device is lost."""
    try:
        return mark.done()
    except DeviceLost:
        return True
    except DriverError:
        return False


class _Retired:
    """Something to be freed when the marks are reached. A queue that holds commands back gets its mark when it has issued
    them."""

    def __init__(self, queues: list[CommandQueue], marks: list[Any], free: Callable[[], None]):
        self.queues = queues
        self.marks = marks
        self.free = free

    def try_free(self) -> bool:
        if not self._in_use():
            with contextlib.suppress(DriverError):  # Of a lost device nothing can be freed; but callbacks are called here, too.
                self.free()
            return True
        return False

    def _in_use(self) -> bool:
        try:
            if self.queues:
                waiting = [queue for queue in self.queues if queue.holds_commands]
                self.marks += [mark for queue in self.queues if queue not in waiting for mark in queue.end_marks()]
                self.queues = waiting
        except DeviceLost:
            self.queues = []
        except DriverError:
            return True
        while self.marks and _is_over(self.marks[-1]):
            self.marks.pop()
        return bool(self.queues or self.marks)


# What contexts that have gone could not free themselves.
_ORPHANS: collections.deque[_Retired] = collections.deque()

# The context properties, and what their values may be.
_VALUES: dict[int, Callable[[Any], bool]] = {
    codes.CONTEXT_PLATFORM: lambda value: True,
    codes.CONTEXT_INTEROP_USER_SYNC: lambda value: value in (0, 1),
    codes.CONTEXT_MEMORY_INITIALIZE_KHR: lambda value: value in range(4),
    codes.CONTEXT_TERMINATE_KHR: lambda value: value == 0,  # no device says that it can
}


def _check_properties(properties: Sequence[tuple[int, Any]]) -> None:
    """CL_INVALID_PROPERTY "if a context property name in properties is not a supported property name, if the value specified for
    a supported property name is not valid, or if the same property name is specified more than once"; CL_INVALID_PLATFORM if the
    platform is none of ours."""
    from ..devices.platform import Platform

    seen = set()
    for name, value in properties:
        if name not in _VALUES:
            raise CLError(ROUTINE, "INVALID_PROPERTY", f"the property {name:#x} is not supported")
        if not _VALUES[name](value):
            raise CLError(ROUTINE, "INVALID_PROPERTY", f"the property {name:#x} cannot have the value {value!r}")
        if name in seen:
            raise CLError(ROUTINE, "INVALID_PROPERTY", f"the property {name:#x} is given twice")
        if name == codes.CONTEXT_PLATFORM and not isinstance(value, Platform):
            raise CLError(ROUTINE, "INVALID_PLATFORM", f"{value!r} is not a platform of cl2cuda")
        seen.add(name)


QUERIES = QueryTable("clGetContextInfo", (
    ("CONTEXT_REFERENCE_COUNT", codes.CONTEXT_REFERENCE_COUNT, "uint", lambda c: 1),
    ("CONTEXT_DEVICES", codes.CONTEXT_DEVICES, "object[]", lambda c: c.devices),
    ("CONTEXT_PROPERTIES", codes.CONTEXT_PROPERTIES, "properties", lambda c: c.properties),
    ("CONTEXT_NUM_DEVICES", codes.CONTEXT_NUM_DEVICES, "uint", lambda c: len(c.devices)),
))
