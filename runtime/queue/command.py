"""A command on its way to a driver: what issues it, what becomes of it, and what is kept of it while it waits."""

from __future__ import annotations

import enum
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..driver.interface import Fence, Stream
from ..native import library as native
from ..process.trace import Facts
from ..spec.codes import COMPLETE
from .event import Event
from .gate import Gate
from .stream_timeline import QueueStream


class Outcome(enum.Enum):
    """What became of a command's work when its `run` has returned."""

    ISSUED = "the stream has it, and may use the host's memory until it has ended"
    HOST_DONE = "the stream has it, and the host's memory is done with"
    ENDED = "it has ended, and with it all that came before it in the stream"
    NOTHING = "the stream was given nothing: it has ended with all that came before it"


# Python 3.11 finds a module's names in a fraction of the time that an Enum's take.
ISSUED, HOST_DONE, ENDED, NOTHING = Outcome

Run = Callable[[Stream], Outcome]


class TimedRun(ABC):
    """A `run` that the driver may time by itself."""

    @abstractmethod
    def __call__(self, stream: Stream) -> Outcome: ...

    @abstractmethod
    def between_fences(self, stream: Stream) -> tuple[Fence, Fence] | None:
        """Issues the work between two fences that tell times, which are the closer to it, if the driver can do so as one."""


@native.know_slots
class Barrier:
    """A barrier of an out-of-order queue. Once it has been issued its gate is open, and it has a place, unless it was terminated.
    (Its event would keep the queue alive.) `number` is that of no other barrier."""

    __slots__ = ("gate", "number", "position", "timeline")

    def __init__(self, gate: Gate):
        self.gate = gate
        self.number = next(_NUMBERS)  # as code in C makes one
        self.timeline: QueueStream | None = None
        self.position = 0

    @classmethod
    def of_native_code(cls, number: int, timeline: QueueStream, position: int) -> Barrier:
        """One that the stream was given already."""
        barrier = cls(_OPEN)
        barrier.number, barrier.timeline, barrier.position = number, timeline, position
        return barrier


_OPEN = Gate(COMPLETE)
_NUMBERS = itertools.count(1)

# Code in C makes barriers that streams were given before anybody could come behind them.
native.know("barrier", (Barrier, _OPEN, _NUMBERS.__next__))


@dataclass(eq=False, slots=True)
class Command:
    """What `submit` was given.

    offloaded    another thread runs it, since it would block the calling one
    barrier      the barrier in force that it comes after, and `is_barrier` the one that it is; out-of-order queues only
    follows_all  it comes after everything before it: a marker or barrier without a wait list in an out-of-order queue
    queued       host time, in a queue that takes times
    facts        what a trace is to tell of it, beside its label
    """

    routine: str
    event: Event
    run: Run
    wait_for: Sequence[Event]
    keep: Any
    label: str
    offloaded: bool = False
    barrier: Barrier | None = None
    is_barrier: Barrier | None = None
    follows_all: bool = False
    queued: int = 0
    facts: Facts | None = None
