"""The context (4.4): the devices, and what objects of them share."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import weakref
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from ..devices.device import Device
from ..devices.platform import Platform
from ..driver.interface import DriverError
from ..native import library as native
from ..process import ending
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from .destructors import DestructorCallbacks
from .graphics import PROPERTIES, Graphics
from .issuing import Issuing
from .queues import Queue, Queues
from .reclaim import Reclaimer
from .shared_memory import Allocations, SharedMemory, UsmAllocation
from .snapshots import Snapshots
from .stream_ordered_memory import LITTLE, Block, StreamOrderedMemory

if TYPE_CHECKING:
    from ...translator.options import BuildOptions

ROUTINE = "clCreateContext"
NOTHING_IS_CURRENT = contextlib.nullcontext()


class CopiedContents(Protocol):
    """What a context asks of contents that may be on several devices."""

    def drop_copies(self) -> bool:
        """Gives back memory on devices where nothing is valid any more. Whether there was any."""
        ...


@native.know_slots
class Context:
    """cl_context. `properties` are (name, value) pairs; `callback` is called with a text when a command fails later on.

    svm, usm                    its shared virtual memory, its unified shared memory
    graphics                    the contexts of OpenGL and the EGL displays that it shares objects with
    fixed_addresses             where a memory object's contents are never changes: what a kernel was given once stays true
    has_residents               contents may be on several devices, all of one driver, and code in C may know of them (memory/resident.py)
    issuing                     what commands use that are being given to drivers
    allocate, retire, reclaim, reclaim_much   the Reclaimer's: how memory is had and given back
    pass_on, take_image         StreamOrderedMemory's: where an image of a layout goes when it is not used any more, and comes from
    only_queue                  StreamOrderedMemory's: where a new buffer's first contents may go in order
    image_kinds                 what images are like that begin bare, by the arguments that programs have made them of
    buffer_images               what has been checked of images of buffers: their flags, rows and bytes, by how they were made
    queue_kinds                 what plain queues are like, by the bit fields that programs have made them of (queue/queue.py)
    largest_bare                the largest buffers that begin bare (memory/late.py); 0 until one was made
    """

    # Where code in C finds them soonest.
    __slots__ = ("__dict__", "__weakref__", "_reclaimer", "_reusable", "answers", "devices", "image_kinds", "largest_bare",
                 "queue_kinds", "svm")
    _is_made = False  # until the arguments have been checked
    _snapshots: Snapshots | None = None

    def __init__(self, devices: Sequence[Device], properties: Sequence[tuple[int, Any]] = (),
                 callback: Callable[[str], None] | None = None):
        if not devices:
            raise CLError(ROUTINE, "INVALID_VALUE", "no devices are given")
        for device in devices:
            if not isinstance(device, Device):
                raise CLError(ROUTINE, "INVALID_DEVICE", f"{device!r} is not a device")
        if properties:
            _check_properties(properties)
        self.devices = tuple(dict.fromkeys(devices))
        self.properties = tuple(properties)
        self.callback = callback
        self.one_device = len(self.devices) == 1
        self.graphics = Graphics.of(ROUTINE, self.devices, self.properties)
        self.fixed_addresses = self.one_device and self.graphics.group is None
        self.has_residents = (native.calls() is not None and not self.one_device and self.graphics.group is None
                              and len({device.driver_name for device in self.devices}) == 1)
        self.issuing = Issuing()
        self.svm = SharedMemory()
        self.usm: Allocations[UsmAllocation] = Allocations()
        self.image_kinds: dict[Any, Any] = {}
        self.buffer_images: dict[Any, Any] = {}
        self.queue_kinds: dict[int, Any] = {}
        self.answers: dict[int, Any] = {}  # what a face has answered to queries
        self.largest_bare = 0
        self._lock = threading.Lock()
        self._queues = Queues()
        self._reusable = StreamOrderedMemory(self.devices[0] if self.one_device else None)
        self._destructors: DestructorCallbacks | None = None
        self._replicated: weakref.WeakSet[CopiedContents] | None = None
        self._reclaimer = reclaimer = Reclaimer(self._queues, self._reusable)
        # Every buffer that is made and released calls these: they are here without a detour.
        self.allocate, self.retire, self.reclaim, self.reclaim_all, self.reclaim_much = (
            reclaimer.allocate, reclaimer.retire, reclaimer.reclaim, reclaimer.reclaim_all, reclaimer.reclaim_much)
        self.leave_fence, self._noted = reclaimer.leave_fence, reclaimer.noted
        self.only_queue, self.pass_on, self.take_image = self._reusable.only_queue, self._reusable.pass_on, self._reusable.take_image
        self._is_made = True

    @property
    def context(self) -> Context:
        return self

    @cached_property
    def max_allocation(self) -> int:
        """The largest CL_DEVICE_MAX_MEM_ALLOC_SIZE of the devices."""
        return max(device.properties.max_allocation for device in self.devices)

    @property
    def snapshots(self) -> Snapshots:
        """Of a context of one device."""
        if self._snapshots is None:
            with self._lock:
                if self._snapshots is None:
                    self._snapshots = Snapshots(self.devices[0], self._reclaimer.retire)
        return self._snapshots

    @cached_property
    def has_images(self) -> bool:
        """A device supports images."""
        return any(device.properties.images for device in self.devices)

    @cached_property
    def least_address_align(self) -> int:
        """The smallest CL_DEVICE_MEM_BASE_ADDR_ALIGN of the devices, in bytes."""
        return min(device.properties.base_address_align for device in self.devices)

    def initialising(self, options: BuildOptions) -> BuildOptions:
        """The options of a program of this context, which may ask for memory that starts as zeros (cl_khr_initialize_memory)."""
        asked = dict(self.properties).get(codes.CONTEXT_MEMORY_INITIALIZE_KHR, 0)
        if not asked:
            return options
        return dataclasses.replace(options, zero_local=bool(asked & codes.CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR),
                                   zero_private=bool(asked & codes.CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR))

    def make_ready(self) -> None:
        """What the only device's first use takes, for who is about to use it and waits for something else meanwhile. Several devices are
        not all used, or not all at once. What goes wrong is said by the first command."""
        ready = self.devices[0].driver_device.make_ready if self.one_device else None
        if ready is not None:
            with contextlib.suppress(DriverError):
                ready()

    def get_info(self, param: int) -> Any:
        """clGetContextInfo (4.4)."""
        return QUERIES.get(self, param)

    def set_destructor_callback(self, function: Callable[[], Any]) -> None:
        """clSetContextDestructorCallback: called when the context and all that was made of it have gone."""
        with self._lock:
            if self._destructors is None:
                self._destructors = DestructorCallbacks()
        self._destructors.add("clSetContextDestructorCallback", function)

    def terminate(self) -> None:
        """clTerminateContextKHR, which must end "commands currently executing on devices". CUDA ends a running kernel only with
        everything that the process has on the device, and the host device runs kernels in threads of the application: so no
        device says that it can, CL_DEVICE_TERMINATE_CAPABILITY_KHR is 0, and the extension is not offered."""
        raise CLError("clTerminateContextKHR", "INVALID_OPERATION", "no device of the context can end commands that are running")

    def release(self) -> None:
        """Objects made of the context keep it; there is nothing to give back but what their own release returns."""
        self.reclaim()

    def add_queue(self, queue: Queue) -> None:
        """The queue has been made. It comes after all commands that may still use memory which passed from buffer to buffer."""
        with self._lock:
            is_only = self._queues.add(queue)
            if self._reusable.queue is not None:
                self._end_reuse(queue)
            if is_only and self.one_device:
                self._reusable.begin(queue)

    def _end_reuse(self, queue: Queue) -> None:
        reused, blocks = self._reusable.end()
        if reused or blocks:
            with contextlib.suppress(DriverError):  # The device has failed: the queue's first command will say so.
                others = [fence for other in self._queues.living if other is not queue for fence in other.end_fences()]
                queue.come_after(others + self._reclaimer.left_fences())
            for block in blocks:
                self.retire(block.device, block, block.size)

    def add_replicated(self, storage: CopiedContents) -> None:
        """Contents that may be on several devices: what copies of them are left over is given back when memory is short."""
        with self._lock:
            if self._replicated is None:
                self._replicated = weakref.WeakSet()
            self._replicated.add(storage)

    def drop_copies(self, asking: CopiedContents) -> bool:
        """Frees memory with nothing valid in it, which is given back once all commands have ended. Whether there was any."""
        with self._lock:
            others = [each for each in self._replicated or () if each is not asking]
        dropped = [each.drop_copies() for each in others]
        if any(dropped):
            self.reclaim_all()
        return any(dropped)

    def freeing_device(self, device: Device) -> Device | None:
        """Whose commands may use the device's memory, for `retire`: in a context of several devices all devices' (None), since copies
        from one to another are commands of either."""
        return device if self.one_device else None

    def retire_awaited(self, device: Device | None, call: Callable[[], None]) -> None:
        self._reclaimer.retire_awaited(device, call)

    def keeping_current(self) -> contextlib.AbstractContextManager[object]:
        """`with context.keeping_current(): ...`: other libraries find on the calling thread what they found of a driver's before."""
        for device in self.devices:
            if device.driver_device.keeping_current is not None:
                return device.driver_device.keeping_current()
        return NOTHING_IS_CURRENT

    def queues(self, device: Device | None = None) -> list[Queue]:
        """The queues that live, of one device or of all; a released one lives while it holds commands."""
        return self._queues.of(device)

    @property
    def has_retired(self) -> bool:
        """A finish has something to free."""
        return self._is_made and self._reclaimer.has_more_than_little

    def take_memory(self, size: int, unused: bool = False) -> int:
        """Memory for a buffer that only commands of queues are going to use, where an earlier one left some of about the same size; else 0.
        `unused`: what no command uses. Some buffers' memory comes back together where it is little and of a known size: then the next ones
        find it without this (memory/late.py)."""
        if self._reclaimer.has_much_noted or (
                self._noted and self._reusable.queue is not None and (size > LITTLE or not self._reusable.knows(size))):
            self.reclaim()
        return self._reusable.take(size, unused)

    def block(self, device: Device, address: int, size: int) -> Block:
        """The memory of a buffer of so many bytes on its way back."""
        return Block(device, address, self._reusable.block_size(size))

    @ending.finalizer
    def __del__(self) -> None:
        if self._is_made:
            if self._snapshots is not None:
                self._snapshots.end()
            self._reclaimer.leave_over()
            if self._destructors is not None:
                self._destructors.call()


# The context properties, and what their values may be.
_VALUES: dict[int, Callable[[Any], bool]] = {
    codes.CONTEXT_PLATFORM: lambda value: True,
    codes.CONTEXT_INTEROP_USER_SYNC: lambda value: value in (0, 1),
    codes.CONTEXT_MEMORY_INITIALIZE_KHR: lambda value: value in range(4),
    codes.CONTEXT_TERMINATE_KHR: lambda value: value == 0,  # no device says that it can
    **dict.fromkeys(PROPERTIES, lambda value: isinstance(value, int)),
}


PROPERTY_NAMES = frozenset(_VALUES)


def _check_properties(properties: Sequence[tuple[int, Any]]) -> None:
    """CL_INVALID_PROPERTY "if a context property name in properties is not a supported property name, if the value specified for
    a supported property name is not valid, or if the same property name is specified more than once"; CL_INVALID_PLATFORM if the
    platform is none of ours."""
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
    if codes.CONTEXT_INTEROP_USER_SYNC in seen and not seen.isdisjoint(PROPERTIES):
        raise CLError(ROUTINE, "INVALID_PROPERTY", "CL_CONTEXT_INTEROP_USER_SYNC does not go with sharing with OpenGL")


QUERIES = QueryTable[Context]("clGetContextInfo", (
    ("CONTEXT_REFERENCE_COUNT", "uint", lambda c: 1),
    ("CONTEXT_DEVICES", "object[]", lambda c: c.devices),
    ("CONTEXT_PROPERTIES", "properties", lambda c: c.properties),
    ("CONTEXT_NUM_DEVICES", "uint", lambda c: len(c.devices)),
))


native.know("context", Context)
