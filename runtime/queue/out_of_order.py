"""The out-of-order command-queue (5.14): commands that do not wait for each other run side by side.

On a device whose streams work on their own, a queue has several lanes. A command goes to the lane of the command it waits for,
where that one is the last, else to one that is idle; what it waits for in other lanes becomes an edge between streams. On a
device whose commands run in the calling thread, every command goes to the threads of a crew as soon as what it waits for has
ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..spec import codes
from .deferred import Command
from .event import Event
from .gate import Gate
from .queue import CommandQueue
from .stream_timeline import Lane

MAX_LANES = 8

_MARKERS = (codes.COMMAND_MARKER, codes.COMMAND_BARRIER)


class Place(NamedTuple):
    """Where a command of the queue is: its event's position."""

    lane: Lane
    number: int


class Barrier:
    """A barrier of the queue: its gate is open once it has been issued, and it has a place then, unless it was terminated.
    (Its event would keep the queue alive.)"""

    __slots__ = ("gate", "place")

    def __init__(self, gate: Gate):
        self.gate = gate
        self.place: Place | None = None


class OutOfOrderQueue(CommandQueue):
    """cl_command_queue with QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE. Its `lane` is the first; more are opened when all are busy."""

    _crew_size = MAX_LANES
    keeps_order = False

    def _open_lane(self) -> Lane:
        lane = super()._open_lane()
        self._lanes = [lane]
        self._next_lane = 0
        self._barrier: Barrier | None = None
        return lane

    @property
    def lanes(self) -> Sequence[Lane]:
        return tuple(self._lanes)

    @property
    def idle(self) -> bool:
        return not self._held and all(lane.idle for lane in self._lanes)

    def come_after(self, marks: Sequence[Any]) -> None:
        for mark in marks:  # Of lanes there will be more.
            mark.wait()

    def _set_deliberate(self) -> None:
        self.deliberate = True

    def _goes_aside(self, aside: bool, blocking: bool) -> bool:
        return self.stream.immediate or super()._goes_aside(aside, blocking)

    def _enter(self, command: Command) -> list[Gate]:
        """A barrier holds back all that comes after it; a marker or barrier without a wait list follows all before it."""
        gates = list(self._shut_gates(command.wait_for))
        event = command.event
        with self._lock:
            command.barrier = self._barrier
            if command.barrier is not None and command.barrier.gate.shut:
                gates.append(command.barrier.gate)
            if event.command_type in _MARKERS and not command.wait_for:
                command.follows_all = True
                gates += [held.gate for held in self._held if held.gate is not None]
            is_barrier = event.command_type == codes.COMMAND_BARRIER
            # A barrier is always held, if only for a moment: what other threads enqueue meanwhile must not get past it.
            if gates or command.aside or is_barrier:
                self._note_held(event)
            if is_barrier:
                command.is_barrier = self._barrier = Barrier(event.gate)  # type: ignore[arg-type]
        return gates

    def _issue(self, command: Command) -> bool:
        released = super()._issue(command)
        if command.is_barrier is not None:
            command.is_barrier.place = command.event.position
        return released

    def orders(self, wait_for: Sequence[Event]) -> bool:
        return False

    # Lanes

    def _lane_for(self, command: Command) -> Lane:
        for event in command.wait_for:
            if event.queue is self and event.position and event.position.lane.last == event.position.number:
                lane = event.position.lane
                break
        else:
            lane = self._free_lane()
        if command.barrier is not None and lane.barrier is not command.barrier:
            place = command.barrier.place
            if place is not None and place.lane is not lane and not self.has_reached(place):
                lane.stream.after(self.mark_behind(place))
            lane.barrier = command.barrier
        if command.follows_all:
            for other in self.lanes:
                if other is not lane and not other.idle:
                    lane.stream.after(other.current_mark())
        return lane

    def _free_lane(self) -> Lane:
        with self._lock:
            for lane in self._lanes:
                if lane.stream.idle():
                    return lane
            if len(self._lanes) < MAX_LANES:
                self._lanes.append(super()._open_lane())
                return self._lanes[-1]
            self._next_lane = (self._next_lane + 1) % MAX_LANES
            return self._lanes[self._next_lane]

    # Positions

    def _position(self, lane: Lane) -> Place:
        lane.last = lane.next_position()
        return Place(lane, lane.last)

    def lane_of(self, position: Place) -> Lane:
        return position.lane

    def has_reached(self, position: Place) -> bool:
        return position.lane.has_reached(position.number)

    def reach(self, position: Place) -> None:
        position.lane.reach(position.number)

    def ended_soon(self, position: Place) -> bool:
        return False

    def mark_behind(self, position: Place) -> Any:
        return position.lane.mark_behind(position.number)
