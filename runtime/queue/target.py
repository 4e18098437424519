"""What commands are submitted to: a command-queue, or what records commands for later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..context.context import Context
from ..devices.device import Device
from ..driver.interface import CopyKind, DriverError, Stream
from ..native import library as native
from ..process.trace import Facts
from ..spec.errors import CLError
from .command import ENDED, ISSUED, Command, Outcome, Run
from .event import Event, UserEvent, new_event
from .gate import Opening
from .stream_timeline import GIVEN, QueueStream


class CommandTarget(native.Itself):
    """The part of a command-queue that commands know.

    properties         the bit field of clCreateCommandQueue
    serial             unlike every other target's, also of those that are gone
    native_target      the queue as code in C knows it (runtime/native/library.py), which may give it commands; None where it may not
    needs_full_submit  True while commands must take the whole of `submit`: the queue takes times, holds commands back, or is closed
    profiling          events tell their times
    event_type         the class that commands make events of: Event or a subclass without a constructor of its own
    timeline           the stream, and the positions on it
    size               bytes of a queue on the device; None for all others
    keeps_order        a command comes after all that were given before it
    holds_back         commands can be held back until a gate opens, by `hold`
    is_plain_but_for_times   in order, and `needs_full_submit` only since events tell their times
    records            commands are kept for later, and may be run many times
    """

    context: Context
    device: Device
    properties: int
    serial: int
    closed: bool
    needs_full_submit: bool
    profiling: bool
    event_type: type[Event]
    timeline: QueueStream
    native_target: object = None
    size: int | None = None
    records = is_plain_but_for_times = holds_back = False
    keeps_order: bool = True

    @property
    def stream(self) -> Stream:
        return self.timeline.stream

    def submit(self, routine: str, command_type: int, run: Run, wait_for: Sequence[Event] = (), *, blocking: bool = False,
               keep: Any = None, freeze: Callable[[], Run] | None = None, offload: bool = False, label: str = "",
               size: int = 0, facts: Callable[[], Facts] | None = None) -> Event:
        """Takes a command: see `CommandQueue.submit`."""
        raise NotImplementedError

    def gate_ahead(self, wait_for: Sequence[Event]) -> UserEvent | None:
        """The user event that commands with this wait list are held back behind, by `hold`, where `needs_full_submit` is False: the only
        one of the list, which is not set."""
        event = wait_for[0]
        if len(wait_for) > 1 or type(event) is not UserEvent or not event.shut or event.context is not self.context or not self.holds_back:
            return None
        return event

    def hold(self, command: Command, gates: list[Opening]) -> Event:
        """Takes a command whose `run` looks at nothing that may change, behind gates that were shut, where `needs_full_submit` is False."""
        raise NotImplementedError

    def issued(self, command_type: int, timeline: QueueStream, outcome: Outcome = ISSUED, before: int = 0,
               event: Event | None = None) -> Event:
        """The end of every submission: the command was given to the stream. Its event, new where there is none, gets its place.
        `before` is a position drawn before the command was given to the stream, for one that may have ended."""
        if timeline.fails_apart and timeline.stream.conditional:
            timeline.stream.end_command()
        if outcome is ENDED:
            # Other threads may have given commands to the stream since: those have later positions and need not have ended.
            timeline.reach(before)
            position = before
        else:
            timeline.busy = True
            position = timeline.next_position()
            if timeline.has_native and position > timeline.native[GIVEN]:  # as in `note_given`
                timeline.native[GIVEN] = position
            if position >= timeline.fence_at:
                timeline.fence_ahead(position)
        if event is None:
            # As the constructor does; CPython calls a class's constructor by a way of its own that takes longer.
            event = new_event(self.event_type)
            event.queue, event.command_type, event.timeline, event.position = self, command_type, timeline, position
            event.fence = event.times = event.gate = None
            event.own_end = ()
            return event
        event.timeline, event.position = timeline, position
        return event

    def not_issued(self, timeline: QueueStream) -> None:
        """Instead of `issued`: an error has kept the command from being given to the stream, or its rest."""
        if timeline.stream.conditional:
            timeline.stream.end_command(given=False)

    def terminated(self, event: Event, error: CLError) -> None:
        """A command that was issued, and has ended, has failed: no more than its event says so."""
        raise NotImplementedError

    def keeps_order_of(self, wait_for: Sequence[Event]) -> bool:
        """The target's own order sees to the whole wait list."""
        return False

    def completed_at_once(self, routine: str, command_type: int, wait_for: Sequence[Event], blocking: bool = False) -> Event | None:
        """The event of a command that has nothing to do, where nothing comes before it either, or it is waited for here, with `blocking`;
        else None: it is to be submitted."""
        return None

    def help_out(self) -> None:
        """The calling thread is about to wait for a command that is held back: it may do what keeps that, if another thread is to."""

    def blocks_caller(self, kind: CopyKind, host: int, size: int, wait_for: Sequence[Event]) -> bool:
        """Whether another thread is to make the copy: it would keep the calling thread (`Stream.blocks_caller`), and is not so brief
        that it has ended before another one would have begun. False on a device that has failed, which the command itself will say."""
        if not size:
            return False
        stream = self.timeline.stream
        try:
            return stream.blocks_caller(kind, host, size) and not (size <= stream.brief_copy and not wait_for and self._begins_at_once())
        except DriverError:
            return False

    def _begins_at_once(self) -> bool:
        """Nothing comes before a command that is submitted now."""
        return False
