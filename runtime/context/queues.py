"""The command-queues of a context, and what the context asks of one."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Protocol

from ..devices.device import Device
from ..driver.interface import Fence, Stream


class Queue(Protocol):
    """What a context asks of a command-queue.

    keeps_order         a command comes after all that were enqueued before it
    needs_full_submit   its commands are timed, watched, or wait for others that no driver has been given yet
    has_deferred        commands wait that no driver has been given yet
    idle                no command can be running
    """

    keeps_order: bool
    needs_full_submit: bool
    closed: bool

    @property
    def device(self) -> Device: ...
    @property
    def has_deferred(self) -> bool: ...
    @property
    def idle(self) -> bool: ...

    def settle(self) -> None:
        """Waits for all that was given to a driver."""

    def finish(self) -> None:
        """Waits for every command."""

    def end_fences(self) -> Sequence[Fence]:
        """Fences that are all reached when every command given to a driver so far has ended."""
        ...

    def come_after(self, fences: Sequence[Fence]) -> None:
        """Before the first command: all come after the fences."""

    def write_in_order(self, write: Callable[[Stream], bool], kept: object = None) -> None:
        """Has memory written from the host's, after the commands that the driver has been given and before those to come. `write` says
        whether the host's is free then; where it is not it is waited for, or `kept` until that has ended."""


# As many as live, and so many more, may be known when the next one comes that have gone.
MOST_GONE = 8


class Queues:
    """The queues that live. Who adds one holds the context's lock."""

    def __init__(self) -> None:
        self._references: list[weakref.ref[Queue]] = []
        self._most = MOST_GONE

    def add(self, queue: Queue) -> bool:
        """Whether it is the only one that lives."""
        if len(self._references) >= self._most:
            self._references = [reference for reference in self._references if reference() is not None]
            self._most = 2 * len(self._references) + MOST_GONE
        is_only = True
        for reference in self._references:
            if reference() is not None:
                is_only = False
                break
        self._references.append(weakref.ref(queue))
        return is_only

    @property
    def living(self) -> list[Queue]:
        return [queue for reference in self._references if (queue := reference()) is not None]

    def busy(self, device: Device | None) -> list[Queue]:
        """Those of `of` that commands may be running of. Every piece of memory that is given back asks it."""
        found = []
        for reference in self._references:
            queue = reference()
            if (queue is not None and (device is None or queue.device is device)
                    and (not queue.closed or queue.has_deferred) and not queue.idle):
                found.append(queue)
        return found

    def of(self, device: Device | None) -> list[Queue]:
        """The queues of a device, or of all; a released one counts while it holds commands."""
        return [queue for queue in self.living
                if (device is None or queue.device is device) and (not queue.closed or queue.has_deferred)]
