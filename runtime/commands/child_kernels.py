"""Kernels that kernels enqueue (OpenCL C 6.15.19), run for them when they have ended.

A kernel that enqueues others only writes records (builtins/library/shared/device_queue.cuh). When it has ended they are read, what waits
for no event is launched, and when all that has ended the records that it wrote are read in turn. So CLK_ENQUEUE_FLAGS_WAIT_KERNEL and
WAIT_WORK_GROUP hold for all children, and a parent's command ends when nothing of its family is left.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from ...translator.ir.kernel_info import KernelInfo
from ..build.binary import Binary
from ..devices.device import Device
from ..driver.device import Function
from ..driver.interface import Fence, Stream, Triple
from ..kernel import work_size
from ..kernel.argument_values import LOCAL_ALIGN
from ..process import host_memory
from ..queue.device_memory import DeviceMemory
from ..queue.event import FAILED_WAIT
from ..spec import codes
from ..spec.errors import CLError

# `queue_record`: first what is every command's own, then what says which launch it is.
_HEAD = struct.Struct("<4I2Q")
_LAUNCH = struct.Struct("<2I6Q4I")
_RECORD = _HEAD.size + _LAUNCH.size
_MARKER = b"\xff\xff\xff\xff"
# Children that do not wait for each other run side by side in so many streams, and so many kinds of launches are remembered.
STREAMS = 8
_MAX_PLANS = 1024


class ChildFailed(CLError):
    """The parent was launched, and all that could run of its children has ended: only its event is to tell that one of them failed."""

    def __init__(self, reason: str):
        super().__init__("clEnqueueNDRangeKernel", "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", reason)


@dataclass(eq=False, slots=True)
class Child:
    """A command that a kernel has enqueued.

    launch      the part of its record that says what is launched; b"" for a marker
    record      the address of the record, which `data` keeps alive; captured is where in it the block's captures are, after `waits` events
    left        how many events it still waits for; failed: the status of one that was not well
    times       the fences around its kernel, if its event tells times
    """

    launch: bytes
    record: int
    captured: int
    event: int
    parent: int
    waits: tuple[int, ...]
    data: memoryview
    timed: bool
    left: int = 0
    failed: int = 0
    times: list[Fence] = field(default_factory=list)


class Plan:
    """A launch of a block with everything decided but what it has captured."""

    def __init__(self, info: KernelInfo, function: Function, stream: Stream, environment: int, nd_range: tuple[int, Triple, Triple, Triple],
                 dynamic: int):
        work_dim, size, group, offset = nd_range
        self._locals = len(info.args) - 1
        self._pointers = (ctypes.c_uint64 * (len(info.args) + info.enqueues))()
        self._told = (ctypes.c_uint64 * 2)(environment, 0)
        if info.enqueues:
            self._pointers[len(info.args)] = ctypes.addressof(self._told)
        captures = info.args[0]
        self._size = captures.size if captures.align > 16 else 0
        if self._size:  # records begin at multiples of 16
            self._memory, address = host_memory.room(self._size + LOCAL_ALIGN)
            self._pointers[0] = self._captures = address + -address % LOCAL_ALIGN
        self._run = function.prepare(stream, work_dim, size, group, offset, dynamic, ctypes.addressof(self._pointers))

    def __call__(self, captures: int, offsets: int, parent: int) -> None:
        pointers = self._pointers
        if self._size:
            ctypes.memmove(self._captures, captures, self._size)
        else:
            pointers[0] = captures
        for number in range(self._locals):
            pointers[1 + number] = offsets + 4 * number
        self._told[1] = parent
        self._run()


class Family:
    """The children of one kernel that the host launched, and theirs.

    functions   the program's blocks, by number, as `infos` describes them
    """

    def __init__(self, memory: DeviceMemory, binary: Binary, functions: tuple[Function, ...], stream: Stream):
        self.memory, self.stream = memory, stream
        self.infos, self.functions, self._uniform = binary.blocks, functions, binary.uniform
        self.device: Device = memory.device
        self.failed = 0
        self._plans: dict[tuple[bytes, int], Plan | None] = {}
        self._ready: list[Child] = []
        self._waiting: dict[int, list[Child]] = {}  # by the events that they wait for
        self._open: dict[int, int] = {}  # by event, how much of its command is not over: its kernel, and its children
        self._parents: dict[int, tuple[int, Child]] = {}  # by event, its parent's, and its command
        self._events = False

    def run(self) -> None:
        """After the kernel that the host launched was given to the stream. ChildFailed where one has."""
        self._take()
        while self._ready:
            batch, self._ready = self._ready, []
            self._launch(batch)
            self._take()
            for child in batch:
                self._over(child)
            self._resolve()
        if self._waiting and not self.failed:
            # No kernel is left that could set them, and only kernels can.
            self.failed = FAILED_WAIT
            events = len(self._waiting)
            self._drop_waiting()
            raise ChildFailed(f"kernels were enqueued that wait for {events} user events which no kernel has set")
        self._drop_waiting()
        if self.failed:
            raise ChildFailed(f"a kernel that was enqueued waited for an event that got the status {self.failed}")

    # Reading

    def _take(self) -> None:
        """Reads what kernels have enqueued since the last time."""
        self.memory.take(self.stream)
        for number, data, address in self.memory.records(self.stream):
            queue = self.memory.queue(number)
            self._read(data, address, queue is not None and queue.profiling)
        self._resolve()

    def _read(self, data: memoryview, address: int, timed: bool) -> None:
        at, end = 0, len(data)
        while at + 4 <= end:
            size, waits, captured, _ = struct.unpack_from("<4I", data, at)
            if not size:
                return
            event, parent = struct.unpack_from("<2Q", data, at + 16)
            handles = struct.unpack_from(f"<{waits}Q", data, at + _RECORD) if waits else ()
            launch = bytes(data[at + _HEAD.size : at + _RECORD])
            child = Child(b"" if launch[:4] == _MARKER else launch, address + at, captured, event, parent, handles, data,
                          timed and event != 0)
            if parent:
                self._open[parent] += 1
            if event:
                self._open[event] = 1
                self._parents[event] = parent, child
                self._events = True
            self._add(child)
            at += size

    def _add(self, child: Child) -> None:
        child.left = len(child.waits)
        for handle in child.waits:
            self._events = True
            self._waiting.setdefault(handle, []).append(child)
        if not child.left:
            self._ready.append(child)

    def _resolve(self) -> None:
        """Lets go what has waited for events that are complete now. Markers are over at once, and others may wait for them."""
        progress = True
        while progress and self._waiting:
            progress = False
            for handle in list(self._waiting):
                status = self.memory.event(handle).status
                if status > codes.COMPLETE:
                    continue
                progress = True
                for child in self._waiting.pop(handle):
                    child.left -= 1
                    child.failed = min(child.failed, status)
                    self.memory.release_event(handle)
                    if child.left:
                        continue
                    if child.failed:
                        self.failed = self.failed or child.failed
                    if child.launch and not child.failed:
                        self._ready.append(child)
                    else:
                        self._over(child)

    def _drop_waiting(self) -> None:
        """What still waits is never launched; its events are nobody's any more."""
        for handle, children in self._waiting.items():
            for child in children:
                self.memory.release_event(handle)
                if child.event and child.left > 0:
                    child.left = 0
                    self.memory.event(child.event).status = FAILED_WAIT
                    self.memory.release_event(child.event)
        self._waiting.clear()

    # Ending

    def _over(self, child: Child) -> None:
        """The command's own kernel has ended, and what it has enqueued is known."""
        if child.event:
            if child.failed:
                self.memory.event(child.event).status = FAILED_WAIT
            self._one_less(child.event)
        elif child.parent:
            self._one_less(child.parent)

    def _one_less(self, event: int) -> None:
        """"A parent kernel's execution status is considered to be complete when it and all its child kernels have finished execution"."""
        while event:
            self._open[event] -= 1
            if self._open[event]:
                return
            del self._open[event]
            parent, child = self._parents.pop(event)
            self._complete(event, child)
            event = parent

    def _complete(self, event: int, child: Child) -> None:
        slot = self.memory.event(event)
        slot.status = min(slot.status, 0) if child.failed else codes.COMPLETE
        if child.timed:
            start, end = (fence.time_ns() for fence in child.times) if child.times else (0, 0)
            complete = end
            if child.times:
                fence = self.stream.fence(True)
                fence.wait()
                complete = max(end, fence.time_ns())
            # A kernel takes some time, however coarse the clock is.
            slot.times[:] = (max(1, end - start), max(1, complete - start))
        if slot.captured:
            self.stream.copy("host_to_device", slot.captured, ctypes.addressof(slot) + type(slot).times.offset, 16)
            self.stream.synchronize()
        self.memory.release_event(event)

    # Launching

    def _launch(self, batch: list[Child]) -> None:
        self.memory.give(self.stream, self._events)
        used = [self.stream]
        if len(batch) > 1 and not self.stream.immediate:
            used += self.memory.streams(min(STREAMS, len(batch)) - 1)
            before = self.stream.fence(False)
            for stream in used[1:]:
                stream.after(before)
        for number, child in enumerate(batch):
            place = number % len(used)
            plan = self._plan(child.launch, place, used[place])
            if child.timed:
                child.times.append(used[place].fence(True))
            if plan is not None:
                plan(child.record + child.captured, child.record + _RECORD + 8 * len(child.waits), child.event or child.parent)
            if child.timed:
                child.times.append(used[place].fence(True))
        for stream in used[1:]:
            stream.end_command()
            self.stream.after(stream.fence(False))

    def _plan(self, launch: bytes, place: int, stream: Stream) -> Plan | None:
        """None where there is nothing to run."""
        key = launch, place
        if key not in self._plans:
            if len(self._plans) >= _MAX_PLANS:
                self._plans.clear()
            self._plans[key] = self._new_plan(launch, stream)
        return self._plans[key]

    def _new_plan(self, launch: bytes, stream: Stream) -> Plan | None:
        block, work_dim, *numbers = _LAUNCH.unpack(launch)
        offset, size, group, dynamic = _triple(numbers[:3]), _triple(numbers[3:6]), _triple(numbers[6:9]), numbers[9]
        if 0 in size:
            return None
        function = self.functions[block]
        if not any(group):
            group = self._chosen(function, work_dim, size)
        return Plan(self.infos[block], function, stream, self.memory.address, (work_dim, size, group, offset), dynamic)

    def _chosen(self, function: Function, work_dim: int, size: Triple) -> Triple:
        properties = self.device.properties
        limit, most = function.max_work_group_size, properties.max_work_item_sizes
        group = work_size.choose(size, work_dim, limit, most, warp=properties.sub_group_size, gpu=properties.is_gpu)
        few = math.prod(group) < min(properties.sub_group_size, math.prod(size))
        if few and properties.is_gpu and not self._uniform:
            return work_size.uneven(size, work_dim, limit, most)
        return group


def _triple(numbers: list[int]) -> Triple:
    x, y, z = numbers
    return x, y, z


def run_family(memory: DeviceMemory, binary: Binary, functions: tuple[Function, ...], stream: Stream, parent: Callable[[], None],
               ended: Callable[[], None]) -> None:
    """Gives the parent to the stream, and returns when all its family has ended; `ended` is called when it has itself."""
    try:
        with memory.lock:
            memory.drop_left()
            sizes = (ctypes.c_uint32 * max(1, len(functions)))(*(function.max_work_group_size for function in functions))
            place = memory.allocate(ctypes.sizeof(sizes))
            try:
                stream.copy("host_to_device", place, ctypes.addressof(sizes), ctypes.sizeof(sizes))
                memory.begin(place, binary.detailed, binary.uniform)
                memory.give(stream, events=False)
                parent()
                ended()
                Family(memory, binary, functions, stream).run()
            finally:
                memory.free(place)
    finally:
        memory.drop_leaving()
