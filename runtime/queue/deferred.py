"""Commands that a queue cannot give to a driver yet.

A held command's event has a gate, which opens when the command has been given to a driver. What holds it is gates: of user
events, of other held commands that it has to come after. Also here: commands that run aside, on a thread of the queue's crew,
since they would keep the application's own thread busy; they count as held until they have been issued.
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..driver.interface import DriverError
from ..process.workers import Crew
from ..spec import codes
from ..spec.errors import CLError
from ..spec.status import STATUS
from .event import FAILED_WAIT, Event
from .gate import Gate

if TYPE_CHECKING:
    from ..context.context import Context
    from ..devices.device import Device

Run = Callable[[Any], Any]


@dataclass(eq=False, slots=True)
class Command:
    """What `submit` was given.

    aside     another thread runs it, since it would keep the calling one busy
    barrier   the barrier in force that it comes after, and `is_barrier` the one that it is; out-of-order queues only
    follows_all  it comes after everything before it: a marker or barrier without a wait list in an out-of-order queue
    """

    routine: str
    event: Event
    run: Run
    wait_for: Sequence[Event]
    keep: Any
    label: str
    aside: bool = False
    barrier: Any = None
    is_barrier: Any = None
    follows_all: bool = False
    queued: int = 0


class Holding:
    """The part of a queue that holds commands. `_lock` guards who is held, and what else a queue has several threads look at."""

    context: Context
    device: Device
    closed: bool
    _crew_size = 1
    _crew: Crew | None = None

    def __init__(self) -> None:
        self._held: set[Event] = set()
        self._last_held: Event | None = None
        self._lock = threading.Lock()

    def _issue(self, command: Command) -> bool:
        raise NotImplementedError

    def _set_deliberate(self) -> None:
        raise NotImplementedError

    def _close_lanes(self) -> None:
        raise NotImplementedError

    def _note_held(self, event: Event) -> None:
        event.gate = Gate(codes.QUEUED)
        self._held.add(event)
        self._set_deliberate()

    def _shut_gates(self, wait_for: Sequence[Event]) -> Iterator[Gate]:
        """The gates of events whose commands are not with a driver yet, or with one that this queue's cannot wait for."""
        for event in wait_for:
            queue = event.queue
            if queue is not None and queue.device.driver_name != self.device.driver_name:
                if event.status > 0:
                    yield _when_complete(event)
            elif event.pending:
                yield event.gate  # type: ignore[misc]

    @property
    def holds_commands(self) -> bool:
        return bool(self._held)

    def _hold(self, command: Command, gates: Sequence[Gate], freeze: Callable[[], Run] | None) -> None:
        """Issues the command when all gates are open."""
        if freeze is not None:
            try:
                command.run = freeze()
            except BaseException:
                self._done_with(command, STATUS["OUT_OF_RESOURCES"])
                raise
        left = itertools.count(len(gates), -1)

        def one_less() -> None:
            if next(left) == 0:
                self._let_go(command)

        for gate in gates:
            gate.when_open(one_less)
        one_less()

    def _let_go(self, command: Command) -> None:
        if command.aside:
            self.crew.put(lambda: self._issue_held(command))
        else:
            self._issue_held(command)

    def _issue_held(self, command: Command) -> None:
        self._done_with(command, self._status_of(command))

    def _done_with(self, command: Command, status: int) -> None:
        """The command was issued (status 0) or terminated: what waits for it can go on."""
        with self._lock:
            self._held.discard(command.event)
            if not self._held:
                self._last_held = None  # An event keeps its queue alive.
            self._set_deliberate()
        command.event.gate.open(status)  # type: ignore[union-attr]
        if self.closed and not self._held:
            self._close_lanes()

    def _status_of(self, command: Command) -> int:
        """Issues a held command; 0, or the status with which it is terminated."""
        if any(event.error for event in command.wait_for):
            return FAILED_WAIT
        if command.aside:
            command.event.gate.advance(codes.RUNNING)  # type: ignore[union-attr]
        try:
            self._issue(command)
        except (CLError, DriverError) as error:
            command.event.gate.reason = f": {error}"  # type: ignore[union-attr]
            if self.context.callback:
                self.context.callback(f"{command.routine}: {error}")
            return CLError(command.routine, error.status).code
        except BaseException:  # A bug, ours or the application's: what waits for the command must go on all the same.
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
            return STATUS["OUT_OF_RESOURCES"]
        return 0

    @property
    def crew(self) -> Crew:
        """The thread that runs what goes aside."""
        with self._lock:
            if self._crew is None:
                self._crew = Crew(self._crew_size, "cl2cuda commands")
            return self._crew


def _when_complete(event: Event) -> Gate:
    """A gate that opens when the event's command has ended."""
    gate = Gate(codes.QUEUED)

    def ended(status: int) -> None:
        gate.open(min(status, 0))

    event.set_callback(codes.COMPLETE, ended)
    return gate
