"""Command-buffers (5.17, cl_khr_command_buffer 0.9.8): commands recorded once and enqueued together as often as wanted.

What clCommand* routines record is in `recording`, changing kernels in it later in `mutable_dispatch`. A driver may make
one object of all commands (a CUDA graph); else they are issued one after the other each time.

"It is always valid to call clEnqueueCommandBufferKHR with a command-buffer that has previously been enqueued, provided the call
doesn't violate the definition of simultaneous use": submissions "without a prerequisite on all the previous submissions of the
same command-buffer", which take CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR. Here that flag changes nothing: an enqueue runs the
commands as they were when it was enqueued (`Replay`), whatever else is under way, and a graph's launches come one after the other.
So an update changes the graph that there is only where no enqueue still waits for its launch, and is another graph else.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from ..context.context import Context
from ..devices.device import Device
from ..devices.queries import COMMAND_BUFFER_QUEUE_PROPERTIES
from ..driver.device import Graph
from ..driver.interface import DriverError, Stream
from ..driver.reported import reported
from ..process import debug_mode, ending
from ..queue.command import ISSUED, Outcome, Run
from ..queue.event import Event
from ..queue.queue import CommandQueue
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from .command import Command, Properties
from .recorder import Recorder

CREATE, ENQUEUE = "clCreateCommandBufferKHR", "clEnqueueCommandBufferKHR"

_FLAGS = codes.COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | codes.COMMAND_BUFFER_MUTABLE_KHR
_ALL_FLAGS = _FLAGS | codes.COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR


class SharedGraph:
    """A graph of replays of which each has changed the one before it. It goes when nobody has any of them any more, neither the
    command-buffer nor an enqueue that has still to be issued, and its last launch has ended. `waiting` are the enqueues of the last replay
    that have not been issued, which no change may reach; `is_sound` says that no change of it has failed."""

    def __init__(self, context: Context, device: Device, graph: Graph):
        self.context, self.device, self.graph = context, device, graph
        self.waiting: weakref.WeakSet[Enqueued] = weakref.WeakSet()
        self.is_sound = True

    def change(self, stream: Stream, changes: Sequence[tuple[int, Run]]) -> bool:
        if self.waiting or not self.is_sound:
            return False
        try:
            return self.graph.change(stream, changes)
        except DriverError:
            self.is_sound = False
            return False

    @ending.finalizer
    def __del__(self) -> None:
        self.context.retire(self.device, self.graph.close)


class Replay:
    """The commands as they are now, ready to be issued: by the driver's graph of them, where there is one. One of them `waits` where
    its kernel may wait for the host."""

    def __init__(self, runs: Sequence[Run], shared: SharedGraph | None, waits: bool = False):
        self.runs = runs
        self.shared = shared
        self.waits = waits

    def issuing(self) -> Run:
        """For one enqueue: what issues the commands."""
        return self.issue if self.shared is None else Enqueued(self, self.shared)

    def issue(self, stream: Stream) -> Outcome:
        if self.shared is not None and self.shared.is_sound:
            self.shared.graph.launch(stream)
            return ISSUED
        for run in self.runs:
            run(stream)
        return ISSUED


class Enqueued:
    """Issues a replay for one enqueue, which waits until that is tried, or until nobody has it any more: it was refused, or terminated."""

    def __init__(self, replay: Replay, shared: SharedGraph):
        self._replay, self._shared = replay, shared
        shared.waiting.add(self)

    def __call__(self, stream: Stream) -> Outcome:
        try:
            return self._replay.issue(stream)
        finally:
            self._shared.waiting.discard(self)


class CommandBuffer:
    """cl_command_buffer_khr (5.17), of one queue. `properties` are (name, value) pairs: COMMAND_BUFFER_FLAGS_KHR and its bits."""

    released = True  # until all its parts are made

    def __init__(self, queues: Sequence[CommandQueue], properties: Properties = ()):
        _check_queues(queues)
        self.flags, self.asserts = _checked_flags(properties)
        self.queue = queues[0]
        self.context = self.queue.context
        self.properties = tuple(properties)
        self.commands: list[Command] = []
        self.recorder = Recorder(self.queue)
        # Threads may record at the same time. Only "clFinalizeCommandBufferKHR and clUpdateMutableCommandsKHR" are "not thread-safe" (A.2).
        self.recording = threading.Lock()
        self.finalized = False
        self._replay: Replay | None = None
        self.released = False

    @property
    def mutable(self) -> bool:
        return bool(self.flags & codes.COMMAND_BUFFER_MUTABLE_KHR)

    @property
    def in_order(self) -> bool:
        return not self.queue.properties & codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE

    @property
    def state(self) -> int:
        if not self.finalized:
            return codes.COMMAND_BUFFER_STATE_RECORDING_KHR
        # "CL_COMMAND_BUFFER_STATE_FINALIZED_KHR is returned when an instance of command_buffer has been finalized, but there is at
        # least one command for which not all arguments or parameters have been set."
        return codes.COMMAND_BUFFER_STATE_FINALIZED_KHR if self._replay is None else codes.COMMAND_BUFFER_STATE_EXECUTABLE_KHR

    def check(self, routine: str) -> None:
        if self.released:
            raise CLError(routine, "INVALID_COMMAND_BUFFER_KHR", "the command-buffer has been released")

    def finalize(self) -> None:
        """clFinalizeCommandBufferKHR: nothing is recorded any more, and it can be enqueued once all arguments are set."""
        routine = "clFinalizeCommandBufferKHR"
        self.check(routine)
        # "CL_INVALID_OPERATION if command_buffer is not in the Recording state"
        if self.finalized:
            raise CLError(routine, "INVALID_OPERATION", "the command-buffer has been finalized already")
        self._replay = self._prepared(routine, self.commands)
        self.finalized = True

    def _prepared(self, routine: str, commands: Sequence[Command]) -> Replay | None:
        """The commands as one object of the driver's, if it makes such objects; None while arguments are not set."""
        runs = [command.run for command in commands if command.run is not None]
        if len(runs) < len(commands):
            return None
        record = self.queue.device.driver_device.record
        graph = None
        # In a context of several devices a buffer's address may change between two enqueues; debug mode looks at each command.
        if record is not None and self.context.fixed_addresses and not debug_mode.active():
            with reported(routine):
                graph = record(self.recorder.stream, [(run, command.after) for run, command in zip(runs, commands, strict=True)])
        waits = any(command.dispatch is not None and command.dispatch.kernel.info.waits for command in commands)
        return Replay(runs, None if graph is None else SharedGraph(self.context, self.queue.device, graph), waits)

    def replace(self, routine: str, commands: Sequence[Command]) -> None:
        """Later enqueues run these commands; those of before run what they were enqueued with."""
        self._replay = self._changed(commands) or self._prepared(routine, commands)
        self.commands = list(commands)

    def _changed(self, commands: Sequence[Command]) -> Replay | None:
        """By the graph that there is, where it can be told what is another command; an enqueue of before has all that it uses."""
        shared = self._replay and self._replay.shared
        changes = [(place, command.run) for place, command in enumerate(commands) if command is not self.commands[place] and command.run]
        runs = [command.run for command in commands if command.run]
        if not shared or len(runs) < len(commands) or debug_mode.active() or not shared.change(self.recorder.stream, changes):
            return None
        return Replay(runs, shared)

    def enqueue(self, queues: Sequence[CommandQueue] | None = None, wait_for: Sequence[Event] = ()) -> Event:
        """clEnqueueCommandBufferKHR, to its own queue or to another of the same device."""
        self.check(ENQUEUE)
        replay = self._replay
        # "CL_INVALID_OPERATION if command_buffer is not in the Executable state"
        if replay is None:
            raise CLError(ENQUEUE, "INVALID_OPERATION", "kernel commands of the command-buffer lack arguments: update them"
                          if self.finalized else "the command-buffer has not been finalized")
        queue = self.queue if queues is None else self._substitute(queues)
        beside = replay.waits and queue.stream.immediate  # as `nd_range` runs such a kernel
        return queue.submit(ENQUEUE, codes.COMMAND_COMMAND_BUFFER_KHR, replay.issuing(), wait_for, offload=beside)

    def _substitute(self, queues: Sequence[CommandQueue]) -> CommandQueue:
        if len(queues) != 1:
            raise CLError(ENQUEUE, "INVALID_VALUE", f"{len(queues)} command-queues are given, the command-buffer has 1")
        (queue,) = queues
        if not isinstance(queue, CommandTarget) or queue.records:
            raise CLError(ENQUEUE, "INVALID_COMMAND_QUEUE", f"{queue!r} is not a command-queue")
        if queue.context is not self.context:
            raise CLError(ENQUEUE, "INVALID_CONTEXT", "command-queue and command-buffer belong to different contexts")
        # "CL_INVALID_DEVICE if any element of queues does not have the same device as the command-queue set on command_buffer creation"
        if queue.device is not self.queue.device:
            raise CLError(ENQUEUE, "INVALID_DEVICE", "command-queue and command-buffer are of different devices")
        # "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR if the properties of any command-queue in queues contains a property not specified by
        # CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR": queues on the device. None are required.
        if queue.properties & ~COMMAND_BUFFER_QUEUE_PROPERTIES or not isinstance(queue, CommandQueue):
            raise CLError(ENQUEUE, "INCOMPATIBLE_COMMAND_QUEUE_KHR", f"{queue!r} takes no command-buffers: it is a queue on the device")
        return queue

    def get_info(self, param: int) -> Any:
        """clGetCommandBufferInfoKHR."""
        self.check(QUERIES.routine)
        return QUERIES.get(self, param)

    def release(self) -> None:
        """clReleaseCommandBufferKHR: what is enqueued goes on."""
        if not self.released:
            self.released = True
            self._replay = None
            self.commands = []
            self.context.reclaim()


def _check_queues(queues: Sequence[CommandQueue]) -> None:
    # "CL_INVALID_VALUE if [...] num_queues is not one" without cl_khr_command_buffer_multi_device
    if len(queues) != 1:
        raise CLError(CREATE, "INVALID_VALUE", f"a command-buffer has one command-queue, not {len(queues)}")
    (queue,) = queues
    if not isinstance(queue, CommandQueue) or queue.closed:
        raise CLError(CREATE, "INVALID_COMMAND_QUEUE", f"{queue!r} is not a command-queue, or has been released")


def _checked_flags(properties: Properties) -> tuple[int, int]:
    """The flags, and the assertions on kernel commands."""
    # "CL_INVALID_VALUE if values specified in properties are not valid, or if the same property name is specified more than once."
    values = dict(properties)
    if len(values) != len(properties):
        raise CLError(CREATE, "INVALID_VALUE", "a property is given twice")
    flags = values.pop(codes.COMMAND_BUFFER_FLAGS_KHR, 0)
    asserts = values.pop(codes.COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 0)
    if values:
        raise CLError(CREATE, "INVALID_VALUE", "no such property: " + ", ".join(f"{name:#x}" for name in values))
    if flags & ~_ALL_FLAGS:
        raise CLError(CREATE, "INVALID_VALUE", f"{flags & ~_ALL_FLAGS:#x} is no flag of command-buffers")
    # "CL_INVALID_PROPERTY if values specified in properties are valid but are not supported by all the devices"
    if flags & ~_FLAGS:
        raise CLError(CREATE, "INVALID_PROPERTY", f"{flags & ~_FLAGS:#x} is a flag of cl_khr_command_buffer_multi_device")
    if asserts & ~codes.MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR:
        raise CLError(CREATE, "INVALID_VALUE", f"{asserts:#x} is not a set of assertions")
    return flags, asserts


QUERIES = QueryTable[CommandBuffer]("clGetCommandBufferInfoKHR", (
    ("COMMAND_BUFFER_QUEUES_KHR", "object[]", lambda b: (b.queue,)),
    ("COMMAND_BUFFER_NUM_QUEUES_KHR", "uint", lambda b: 1),
    ("COMMAND_BUFFER_REFERENCE_COUNT_KHR", "uint", lambda b: 1),
    ("COMMAND_BUFFER_STATE_KHR", "enum", lambda b: b.state),
    ("COMMAND_BUFFER_PROPERTIES_ARRAY_KHR", "properties", lambda b: b.properties),
    ("COMMAND_BUFFER_CONTEXT_KHR", "object", lambda b: b.context),
))
