"""Command-buffers (5.17, cl_khr_command_buffer): commands recorded once and enqueued together as often as wanted.

What clCommand* routines record is in `recording`, changing kernels in it later in `mutable_dispatch`. A driver may make
one object of all commands (a CUDA graph); else they are issued one after the other each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..driver.device import Graph
from ..driver.interface import Stream
from ..driver.reported import reported
from ..process import debug_mode
from ..queue.command import ISSUED, Outcome
from ..queue.event import Event
from ..queue.queue import CommandQueue
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from .command import Command, Properties
from .recorder import Recorder

ENQUEUE = "clEnqueueCommandBufferKHR"

_FLAGS = codes.COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | codes.COMMAND_BUFFER_MUTABLE_KHR
# How many enqueues are remembered before those that have ended are forgotten.
_REMEMBERED = 64


class Replay:
    """The commands as they are now, ready to be issued: by the driver's graph of them, where there is one."""

    def __init__(self, commands: Sequence[Command], graph: Graph | None):
        self.runs = [command.run for command in commands]
        self.graph = graph

    def issue(self, stream: Stream) -> Outcome:
        if self.graph is not None:
            self.graph.launch(stream)
            return ISSUED
        for run in self.runs:
            run(stream)
        return ISSUED

    def close(self) -> None:
        if self.graph is not None:
            self.graph.close()


class CommandBuffer:
    """cl_command_buffer_khr (5.17), of one queue. `properties` are (name, value) pairs: COMMAND_BUFFER_FLAGS_KHR and its bits."""

    released = True  # until all its parts are made

    def __init__(self, queues: Sequence[CommandQueue], properties: Properties = ()):
        _check_queues(queues)
        self.flags = _checked_flags(properties)
        self.queue = queues[0]
        self.context = self.queue.context
        self.properties = tuple(properties)
        self.commands: list[Command] = []
        self.recorder = Recorder(self.queue)
        self._replay: Replay | None = None
        self._enqueued: list[Event] = []
        self._remembered = _REMEMBERED
        self.released = False

    @property
    def simultaneous(self) -> bool:
        return bool(self.flags & codes.COMMAND_BUFFER_SIMULTANEOUS_USE_KHR)

    @property
    def mutable(self) -> bool:
        return bool(self.flags & codes.COMMAND_BUFFER_MUTABLE_KHR)

    @property
    def in_order(self) -> bool:
        return not self.queue.properties & codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE

    @property
    def state(self) -> int:
        if self._replay is None:
            return codes.COMMAND_BUFFER_STATE_RECORDING_KHR
        self._forget()
        return codes.COMMAND_BUFFER_STATE_PENDING_KHR if self._enqueued else codes.COMMAND_BUFFER_STATE_EXECUTABLE_KHR

    def _forget(self) -> None:
        """Keeps what is pending. Waiting until there is twice as much makes it cheap, however much is."""
        self._enqueued = [event for event in self._enqueued if event.status > codes.COMPLETE]
        self._remembered = max(_REMEMBERED, 2 * len(self._enqueued))

    def check(self, routine: str) -> None:
        if self.released:
            raise CLError(routine, "INVALID_COMMAND_BUFFER_KHR", "the command-buffer has been released")

    def finalize(self) -> None:
        """clFinalizeCommandBufferKHR: nothing is recorded any more, and it can be enqueued."""
        routine = "clFinalizeCommandBufferKHR"
        self.check(routine)
        # "CL_INVALID_OPERATION if command_buffer is not in the Recording state"
        if self._replay is not None:
            raise CLError(routine, "INVALID_OPERATION", "the command-buffer has been finalized already")
        self._replay = self.prepared(routine)

    def prepared(self, routine: str, commands: Sequence[Command] | None = None) -> Replay:
        """The commands as one object of the driver's, if it makes such objects."""
        commands = self.commands if commands is None else commands
        record = self.queue.device.driver_device.record
        graph = None
        # In a context of several devices a buffer's address may change between two enqueues; debug mode looks at each command.
        if record is not None and self.context.fixed_addresses and not debug_mode.active():
            with reported(routine):
                graph = record(self.recorder.stream, [(command.run, command.after) for command in commands])
        return Replay(commands, graph)

    def replace(self, commands: Sequence[Command], replay: Replay) -> None:
        """Later enqueues run these commands; those of before are not changed any more."""
        self._retire()
        self.commands = list(commands)
        self._replay = replay

    def _retire(self) -> None:
        if self._replay is not None and self._replay.graph is not None:
            self.context.retire(self.queue.device, self._replay.close)

    def enqueue(self, queues: Sequence[CommandQueue] | None = None, wait_for: Sequence[Event] = ()) -> Event:
        """clEnqueueCommandBufferKHR, to its own queue or to one of the same device and properties. Once more before it has ended only
        with COMMAND_BUFFER_SIMULTANEOUS_USE_KHR."""
        self.check(ENQUEUE)
        if self._replay is None:
            raise CLError(ENQUEUE, "INVALID_OPERATION", "the command-buffer has not been finalized")
        queue = self.queue if queues is None else self._substitute(queues)
        # "CL_INVALID_OPERATION if command_buffer was not created with the CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR flag and is in
        # the Pending state"
        if self.simultaneous:
            if len(self._enqueued) > self._remembered:
                self._forget()
        elif self._enqueued and self.state == codes.COMMAND_BUFFER_STATE_PENDING_KHR:
            raise CLError(ENQUEUE, "INVALID_OPERATION",
                          "the command-buffer is pending: create it with CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR")
        event = queue.submit(ENQUEUE, codes.COMMAND_COMMAND_BUFFER_KHR, self._replay.issue, wait_for)
        self._enqueued.append(event)
        return event

    def _substitute(self, queues: Sequence[CommandQueue]) -> CommandQueue:
        if len(queues) != 1:
            raise CLError(ENQUEUE, "INVALID_VALUE", f"{len(queues)} command-queues are given, the command-buffer has 1")
        (queue,) = queues
        if not isinstance(queue, CommandQueue):
            raise CLError(ENQUEUE, "INVALID_COMMAND_QUEUE", f"{queue!r} is not a command-queue")
        if queue.context is not self.context:
            raise CLError(ENQUEUE, "INVALID_CONTEXT", "command-queue and command-buffer belong to different contexts")
        # "A compatible command-queue is defined as a command-queue with identical properties targeting the same device and in
        # the same OpenCL context."
        if queue.device is not self.queue.device or queue.properties != self.queue.properties:
            raise CLError(ENQUEUE, "INCOMPATIBLE_COMMAND_QUEUE_KHR", "the command-queue has another device or other properties")
        return queue

    def get_info(self, param: int) -> Any:
        """clGetCommandBufferInfoKHR."""
        self.check(QUERIES.routine)
        return QUERIES.get(self, param)

    def release(self) -> None:
        """clReleaseCommandBufferKHR: what is enqueued goes on."""
        if not self.released:
            self.released = True
            self._retire()
            self.commands = []
            self.context.reclaim()

    def __del__(self) -> None:
        if not self.released:
            self._retire()


def _check_queues(queues: Sequence[CommandQueue]) -> None:
    routine = "clCreateCommandBufferKHR"
    # "CL_INVALID_VALUE if [...] num_queues is not one" without cl_khr_command_buffer_multi_device
    if len(queues) != 1:
        raise CLError(routine, "INVALID_VALUE", f"a command-buffer has one command-queue, not {len(queues)}")
    (queue,) = queues
    if not isinstance(queue, CommandQueue) or queue.closed:
        raise CLError(routine, "INVALID_COMMAND_QUEUE", f"{queue!r} is not a command-queue, or has been released")


def _checked_flags(properties: Properties) -> int:
    routine = "clCreateCommandBufferKHR"
    values = dict(properties)
    if len(values) != len(properties):
        raise CLError(routine, "INVALID_VALUE", "a property is given twice")
    flags = values.pop(codes.COMMAND_BUFFER_FLAGS_KHR, 0)
    asserts = values.pop(codes.COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 0)
    if values:
        raise CLError(routine, "INVALID_VALUE", "no such property: " + ", ".join(f"{name:#x}" for name in values))
    if flags & ~_FLAGS:
        raise CLError(routine, "INVALID_PROPERTY", f"{flags & ~_FLAGS:#x} is not a flag that is supported here")
    if asserts & ~codes.MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR:
        raise CLError(routine, "INVALID_VALUE", f"{asserts:#x} is not a set of assertions")
    return flags


QUERIES = QueryTable[CommandBuffer]("clGetCommandBufferInfoKHR", (
    ("COMMAND_BUFFER_QUEUES_KHR", "object[]", lambda b: (b.queue,)),
    ("COMMAND_BUFFER_NUM_QUEUES_KHR", "uint", lambda b: 1),
    ("COMMAND_BUFFER_REFERENCE_COUNT_KHR", "uint", lambda b: 1),
    ("COMMAND_BUFFER_STATE_KHR", "enum", lambda b: b.state),
    ("COMMAND_BUFFER_PROPERTIES_ARRAY_KHR", "properties", lambda b: b.properties),
    ("COMMAND_BUFFER_CONTEXT_KHR", "object", lambda b: b.context),
))
