"""Commands that a queue cannot give to a driver yet.

A deferred command's event has a gate, which opens when the command has been given to a driver. What defers it is gates: of user
events, of other deferred commands that it has to come after. Also here: commands that are offloaded, to a thread of the queue's own,
since they would block the application's thread; they count as deferred until they have been issued.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..driver.interface import DriverError, Stream
from ..native import library as native
from ..process import debug_mode
from ..process.workers import Workers
from ..spec import codes
from ..spec.errors import CLError
from ..spec.status import STATUS
from .command import ENDED, HOST_DONE, ISSUED, NOTHING, Command, Outcome, Run
from .event import FAILED_WAIT, Event
from .gate import Gate, Opening
from .stream_timeline import NEEDS_PYTHON, QueueStream
from .target import CommandTarget

# What the thread that waits for it may do itself, and where it was interrupted another one does again.
_SHARED = frozenset((codes.COMMAND_READ_BUFFER, codes.COMMAND_WRITE_BUFFER))
# What may use memory of the host that its owner waits for before letting go of it.
_OF_HOST_MEMORY = _SHARED | {
    codes.COMMAND_READ_BUFFER_RECT, codes.COMMAND_WRITE_BUFFER_RECT, codes.COMMAND_READ_IMAGE, codes.COMMAND_WRITE_IMAGE,
    codes.COMMAND_SVM_MEMCPY}
# Queues that have had other threads issue commands.
_OFFLOADING: weakref.WeakSet[DeferredCommands] = weakref.WeakSet()


class DeferredCommands(CommandTarget):
    """The part of a queue that defers commands. `_lock` guards which they are, and what else a queue has several threads look at."""

    _worker_threads = 1
    keeps_order: bool
    _workers: Workers | None = None

    def __init__(self) -> None:
        self._deferred: set[Event] = set()
        self._last_deferred: Event | None = None
        self._offloaded: collections.deque[tuple[Command, Gate]] = collections.deque()
        self._lock = threading.Lock()

    def _issue_command(self, command: Command, blocking: bool = False) -> None:
        raise NotImplementedError

    def _update_needs_full_submit(self) -> None:
        raise NotImplementedError

    def _leave_ends(self) -> bool:
        """Before the context asks the queue no more what may be running: leaves it fences that tell, if anything may."""
        raise NotImplementedError

    def _close_streams(self, resting: list[QueueStream] | None = None) -> None:
        raise NotImplementedError

    def _note_deferred(self, event: Event, gates: Sequence[Opening]) -> Gate:
        event.gate = gate = Gate(codes.QUEUED, gates)
        self._deferred.add(event)
        self.needs_full_submit = True
        self.timeline.native[NEEDS_PYTHON] = 1
        return gate

    def _shut_gates(self, wait_for: Sequence[Event]) -> list[Opening]:
        """The gates of events whose commands are not with a driver yet, or with one that this queue's cannot wait for."""
        gates: list[Opening] = []
        for event in wait_for:
            queue, gate = event.queue, event.gate
            if queue is not None and queue is not self and queue.device.driver_name != self.device.driver_name:
                if event.status > 0:
                    gates.append(_when_complete(event))
            elif gate is not None and gate.status > 0:
                gates.append(gate)
        return gates

    @property
    def has_deferred(self) -> bool:
        return bool(self._deferred)

    def _defer(self, command: Command, gate: Gate, gates: Sequence[Opening], freeze: Callable[[], Run] | None) -> None:
        """Issues the command when all gates are open, and opens its own then."""
        if freeze is not None:
            try:
                command.run = freeze()
            except BaseException:
                self._done_with(command.event, gate, STATUS["OUT_OF_RESOURCES"])
                raise
        if len(gates) == 1:
            gates[0].when_open(functools.partial(self._proceed if command.offloaded else self._issue_deferred, command, gate))
            return
        left = itertools.count(len(gates), -1)

        def one_less() -> None:
            if next(left) == 0:
                self._proceed(command, gate)

        for each in gates:
            each.when_open(one_less)
        one_less()

    def _proceed(self, command: Command, gate: Gate) -> None:
        if not command.offloaded:
            self._issue_deferred(command, gate)
        elif command.event.command_type in _SHARED and not self.timeline.stream.immediate:
            self._offloaded.append((command, gate))
            self.workers.make(self._issue_offloaded)
        else:
            self.workers.make(lambda: self._issue_deferred(command, gate))

    def _issue_offloaded(self) -> None:
        try:
            command, gate = self._offloaded.popleft()
        except IndexError:  # Another thread was quicker.
            return
        self._issue_deferred(command, gate)

    def help_out(self) -> None:
        """Copies that the queue's own thread is about to make are made here: until that has come, much of a copy is done. Commands of a
        queue out of order do not wait for each other."""
        while self._offloaded and self.keeps_order:
            try:
                command, gate = self._offloaded.popleft()
            except IndexError:
                return
            try:
                status = self._status_of(command, gate, here=True)
            except KeyboardInterrupt:
                self.workers.put(functools.partial(self._issue_deferred, command, gate))
                raise
            self._done_with(command.event, gate, status)

    def _issue_deferred(self, command: Command, gate: Gate) -> None:
        self._done_with(command.event, gate, self._status_of(command, gate))

    def _done_with(self, event: Event, gate: Gate, status: int) -> None:
        """The command was issued (status 0) or terminated: what waits for it can go on."""
        with self._lock:
            if self.closed and len(self._deferred) == 1:
                self._leave_ends()
            self._deferred.discard(event)
            if not self._deferred:
                self._last_deferred = None  # An event keeps its queue alive.
                self._update_needs_full_submit()
        gate.open(status)
        if self.closed and not self._deferred:
            self._close_streams()

    def _status_of(self, command: Command, gate: Gate, here: bool = False) -> int:
        """Issues a deferred command; 0, or the status with which it is terminated. `here` is the application's thread, which may be
        interrupted."""
        for event in command.wait_for:
            if event.error:
                return FAILED_WAIT
        try:
            if command.offloaded:
                # The thread that copies would wait in the driver: "CL_SUBMITTED" is all that is true until then.
                gate.advance(codes.SUBMITTED)
                for event in command.wait_for:
                    event.wait()
                gate.advance(codes.RUNNING)
            self._issue_command(command)
        except (CLError, DriverError) as error:
            return self._told(gate, command.routine, error)
        except BaseException as error:  # A bug, ours or the application's: what waits for the command must go on all the same.
            if here and isinstance(error, KeyboardInterrupt):
                raise
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
            return STATUS["OUT_OF_RESOURCES"]
        return 0

    def _told(self, gate: Gate, routine: str, error: CLError | DriverError) -> int:
        """The status of a command that the error has terminated, of which who waits reads the reason."""
        gate.reason = f": {error}"
        if self.context.callback:
            try:
                self.context.callback(f"{routine}: {error}")
            except Exception:  # It has nobody to go to, and what waits for the command must go on.
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
        return CLError(routine, error.status).code

    def terminated(self, event: Event, error: CLError) -> None:
        event.gate = gate = Gate(codes.QUEUED)
        gate.open(self._told(gate, error.routine, error))

    @property
    def workers(self) -> Workers:
        """The threads that commands are offloaded to."""
        if self._workers is not None:
            return self._workers
        with self._lock:
            if self._workers is None:
                self._workers = Workers(self._worker_threads, "cl2cuda commands")
                _OFFLOADING.add(self)
            return self._workers


def _issue_held(queue: DeferredCommands, event: Event, wait_for: tuple[Event, ...], *what: Any) -> None:
    """A command that code in C has held back (runtime/native/held.c), and leaves to Python. `what` is a launch, as it was checked and as
    code in C would make it with the arguments of then; the host's object that is copied from or to, the storage, the addresses there and of
    the object's memory, how many bytes, and whether they are read; both storages, both addresses and how many bytes of a copy between
    buffers; of a fill the storage, the pattern, the address and how many bytes; or nothing for markers and barriers."""

    def launch(stream: Stream) -> Outcome:
        checked, frozen = what
        checked.plan(stream, frozen.parameters())()
        return ISSUED

    def write(stream: Stream) -> Outcome:
        _, _, memory, address, size, _ = what
        return HOST_DONE if stream.copy("host_to_device", memory, address, size) else ISSUED

    def read(stream: Stream) -> Outcome:
        _, _, memory, address, size, _ = what
        return ENDED if stream.copy("device_to_host", address, memory, size) else ISSUED

    def copy(stream: Stream) -> Outcome:
        _, _, source, target, size = what
        stream.copy("device_to_device", target, source, size)
        return ISSUED

    def fill(stream: Stream) -> Outcome:
        _, pattern, memory, size = what
        stream.fill(memory, pattern, size)
        return ISSUED

    def nothing(stream: Stream) -> Outcome:
        return NOTHING

    routine, run = {
        codes.COMMAND_NDRANGE_KERNEL: ("clEnqueueNDRangeKernel", launch), codes.COMMAND_WRITE_BUFFER: ("clEnqueueWriteBuffer", write),
        codes.COMMAND_READ_BUFFER: ("clEnqueueReadBuffer", read), codes.COMMAND_COPY_BUFFER: ("clEnqueueCopyBuffer", copy),
        codes.COMMAND_FILL_BUFFER: ("clEnqueueFillBuffer", fill), codes.COMMAND_MARKER: ("clEnqueueMarkerWithWaitList", nothing),
        codes.COMMAND_BARRIER: ("clEnqueueBarrierWithWaitList", nothing)}[event.command_type]
    command = Command(routine, event, run, wait_for, what[0] if run is write or run is read else None, "")
    if run is read:
        command.offloaded = queue.blocks_caller("device_to_host", what[3], what[4], wait_for)
    assert isinstance(event.gate, Gate)
    queue._proceed(command, event.gate)


native.know("held", (Gate, codes.QUEUED, _issue_held, debug_mode))


def finish_copies() -> None:
    """Before Python ends, and with it the threads that copy: waits for the copies between the host and devices that do not wait for the
    application."""
    for queue in list(_OFFLOADING):
        with queue._lock:
            copies = [event for event in queue._deferred if event.command_type in _OF_HOST_MEMORY]
        for event in copies:
            if event.gate is not None and not event.gate.waits_for_them():
                with contextlib.suppress(CLError):
                    event.wait()


def _when_complete(event: Event) -> Gate:
    """A gate that opens when the event's command has ended."""
    gate = Gate(codes.QUEUED, theirs=True)  # Callbacks' thread opens it, which may be the one that asks.

    def ended(status: int) -> None:
        gate.open(min(status, 0))

    event.set_callback(codes.COMPLETE, ended)
    return gate
