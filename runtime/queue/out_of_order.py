"""The out-of-order command-queue (5.14): commands that do not wait for each other run side by side.

On a device whose streams work on their own, a queue has several streams. A command goes to the stream of the command it waits for,
where that one is the last, else to one that has nothing to do; what it waits for in other streams becomes an edge between streams. On a
device whose commands run in the calling thread, every command goes to the workers as soon as what it waits for has ended.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence

from ..driver.interface import DriverError, Fence
from ..native import library as native
from ..spec import codes
from .command import ISSUED, Barrier, Command, Outcome
from .event import Event
from .gate import Opening
from .queue import CommandQueue
from .stream_timeline import (
    BARRED,
    BARRIER,
    BARRING,
    BEHIND,
    MORE_WANTED,
    NATIVE_BARRIER,
    NEEDS_PYTHON,
    OF_NATIVE_CODE,
    STREAMS,
    TIMES_ONLY,
    QueueStream,
)

MAX_STREAMS = 8

_MARKERS = (codes.COMMAND_MARKER, codes.COMMAND_BARRIER)


@native.know_slots
class OutOfOrderQueue(CommandQueue):
    """cl_command_queue with QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE. Its `timeline` is the first; more are opened when all are busy.

    native_targets   its streams as code in C knows them, which chooses among them by itself (runtime/native/order.c): `native_target` is
                     the first
    """

    __slots__ = ("_barrier", "_next_timeline", "_timelines", "native_targets")
    _worker_threads = MAX_STREAMS
    keeps_order = False
    more_of_all = ("_barrier", "_next_timeline")
    native_targets: tuple[object, ...]

    def _open_stream(self) -> QueueStream:
        timeline = super()._open_stream()
        self._timelines = [timeline]
        self._next_timeline = 0
        self._barrier: Barrier | None = None
        self.native_targets = ()
        return timeline

    def _native_target(self, timeline: QueueStream) -> object:
        made = None if timeline.stream.immediate else super()._native_target(timeline)
        if made is not None:
            self.native_targets = (*self.native_targets, made)
        return made

    @property
    def timelines(self) -> Sequence[QueueStream]:
        return tuple(self._timelines)

    @property
    def idle(self) -> bool:
        return not self._deferred and not [timeline for timeline in self._timelines if not timeline.idle]

    @property
    def settled(self) -> bool:
        return super().settled and all(timeline.keeps_nothing for timeline in self._timelines)

    def end_fences(self) -> list[Fence]:
        return [timeline.current_fence() for timeline in self.timelines if not timeline.idle]

    def come_after(self, fences: Sequence[Fence]) -> None:
        for fence in fences:  # There will be more streams.
            with contextlib.suppress(DriverError):  # It has been reached, or the device is lost.
                fence.wait()

    @property
    def takes_native_code(self) -> bool:
        """Whether native code can give commands to the streams as `open_to_native_code` says."""
        timeline = self.timeline
        return bool(self.context.fixed_addresses and self.recorder is None and not (timeline.stream.immediate or timeline.fails_apart)
                    and timeline.native_stream)

    def open_to_native_code(self) -> tuple[QueueStream, ...]:
        """The streams, of which native code may choose one from now on, and is told by their words of barriers and of new streams."""
        with self._lock:
            timelines = tuple(self._timelines)
            if not timelines[0].has_native:
                timelines[0].native[BARRIER] = 0 if self._barrier is None else self._barrier.number
            for timeline in timelines:
                if not timeline.has_native:
                    self._open_to_native_code(timeline)
            timelines[0].native[STREAMS] = len(timelines)
        return timelines

    def _open_to_native_code(self, timeline: QueueStream) -> None:
        barrier = self._barrier
        is_its_place = barrier is not None and barrier.timeline is timeline
        is_behind = barrier is not None and (is_its_place or timeline.barrier is barrier)
        timeline.native[BEHIND] = barrier.number if barrier is not None and is_behind else 0
        timeline.native[BARRED] = barrier.position if barrier is not None and is_its_place else 0
        if timeline is not self.timeline:
            timeline.native[NEEDS_PYTHON] = TIMES_ONLY if self.timed else 0  # The first one says it of the queue.
        timeline.open_to_native_code()

    def _last_barrier(self) -> Barrier | None:
        """The queue's last barrier, which may be one of native code's. One that is read here while that makes another one may be known by
        the place of the later one, which comes after it."""
        number, known = self.timeline.native[BARRIER], self._barrier
        if number & OF_NATIVE_CODE and (known is None or known.number != number):
            position, stream = divmod(self.timeline.native[NATIVE_BARRIER], MAX_STREAMS)
            timeline = self._timelines[stream]
            self._barrier = Barrier.of_native_code(number, timeline, timeline.position_of_native_command(position))
        return self._barrier

    def _keep_barriers_to_python(self) -> None:
        """Native code makes none from now on, until nothing is deferred."""
        native = self.timeline.native
        native[NEEDS_PYTHON] = 1
        while native[BARRING]:
            time.sleep(0)

    def _update_needs_full_submit(self) -> None:
        self.needs_full_submit = True
        self.timeline.native[NEEDS_PYTHON] = self._what_needs_python()

    def _is_offloaded(self, offload: bool, blocking: bool) -> bool:
        return self.timeline.stream.immediate or (offload and not blocking)

    def _enter(self, command: Command) -> list[Opening]:
        """A barrier defers all that comes after it; a marker or barrier without a wait list follows all before it."""
        gates = self._shut_gates(command.wait_for) if command.wait_for else []
        event = command.event
        with self._lock:
            is_barrier = event.command_type == codes.COMMAND_BARRIER
            if is_barrier:
                self._keep_barriers_to_python()
            command.barrier = self._last_barrier()
            if command.barrier is not None and command.barrier.gate.shut:
                gates.append(command.barrier.gate)
            if event.command_type in _MARKERS and not command.wait_for:
                command.follows_all = True
                gates += [deferred.gate for deferred in self._deferred if deferred.gate is not None]
            # A barrier is always deferred, if only for a moment: what other threads enqueue meanwhile must not get past it.
            if gates or command.offloaded or is_barrier:
                gate = self._note_deferred(event, gates)
                if is_barrier:
                    command.is_barrier = self._barrier = Barrier(gate)
                    self.timeline.native[BARRIER] = self._barrier.number
        return gates

    def _issue_command(self, command: Command, blocking: bool = False) -> None:
        super()._issue_command(command, blocking)
        if command.is_barrier is not None:
            self._note_place(command.is_barrier, command.event.timeline, command.event.position)

    def _note_place(self, barrier: Barrier, timeline: QueueStream, position: int) -> None:
        barrier.timeline, barrier.position = timeline, position
        timeline.native[BARRED] = position
        timeline.native[BEHIND] = barrier.number

    def _has_ended(self, command: Command, timeline: QueueStream, before: int) -> bool:
        return False  # It may wait for the queue's other streams.

    def issued(self, command_type: int, timeline: QueueStream, outcome: Outcome = ISSUED, before: int = 0,
               event: Event | None = None) -> Event:
        event = super().issued(command_type, timeline, outcome, before, event)
        timeline.last = event.position
        return event

    def keeps_order_of(self, wait_for: Sequence[Event]) -> bool:
        return False

    # Streams

    def _timeline_for(self, command: Command) -> QueueStream:
        for event in command.wait_for:
            if event.queue is self and event.position and event.timeline.last == event.position:
                timeline = event.timeline
                break
        else:
            timeline = self._free_timeline()
        barrier = command.barrier
        if barrier is not None and timeline.barrier is not barrier and timeline.native[BEHIND] != barrier.number:
            place = barrier.timeline
            if place is not None and place is not timeline and not place.has_reached(barrier.position):
                timeline.stream.after(place.fence_behind(barrier.position), even_failed=True)
            timeline.barrier = barrier
            timeline.native[BEHIND] = barrier.number
        if command.follows_all:
            for other in tuple(self._timelines):
                if other is not timeline and not other.idle:
                    timeline.stream.after(other.current_fence(), even_failed=True)
        return timeline

    def _free_timeline(self) -> QueueStream:
        with self._lock:
            for timeline in self._timelines:
                if timeline.has_native:
                    timeline.note_native_commands()
                if timeline.last <= timeline.reached:  # so the driver need not be asked
                    return timeline
            idle = next((timeline for timeline in self._timelines if timeline.stream.idle()), None)
            # Also where one is idle by now: native code may just have been told that none was, and would ask in vain again.
            if len(self._timelines) < MAX_STREAMS and (idle is None or self.native_targets or self.timeline.native[MORE_WANTED]):
                self._timelines.append(super()._open_stream())
                self._native_target(self._timelines[-1])
                if self.timeline.has_native:
                    self._open_to_native_code(self._timelines[-1])
                    self.timeline.native[STREAMS], self.timeline.native[MORE_WANTED] = len(self._timelines), 0
                return idle or self._timelines[-1]
            if idle is not None:
                return idle
            self._next_timeline = (self._next_timeline + 1) % MAX_STREAMS
            return self._timelines[self._next_timeline]
