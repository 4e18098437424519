"""What commands use that are being given to drivers.

Memory is freed behind the commands that queues have: a queue that has none is asked for no fence. A command that has acquired its
memory, and that its driver has not been given yet, is in no queue's count. The application keeps what it names in a command; but a copy
on one device, which a command on another puts out of date meanwhile, nobody would keep.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable


class Issuing:
    """A `with` stands around all that gives one command to a driver, from the acquiring of its memory until its stream knows of it: what
    was noted in between `has` until then. Commands may be given to drivers inside of others, by callbacks."""

    def __init__(self) -> None:
        # Each step below is one operation on a built-in container, so no lock is needed; a thread changes only its own entry.
        self._commands: dict[int, list[set[Hashable]]] = {}

    def __enter__(self) -> None:
        self._commands.setdefault(threading.get_ident(), []).append(set())

    def __exit__(self, *_: object) -> None:
        thread = threading.get_ident()
        commands = self._commands[thread]
        commands.pop()
        if not commands:
            del self._commands[thread]

    def note(self, what: Hashable) -> None:
        """The command that this thread gives to a driver, if any, uses it."""
        commands = self._commands.get(threading.get_ident())
        if commands:
            commands[-1].add(what)

    def has(self, what: Hashable) -> bool:
        """Whether a command of any thread uses it."""
        return any(what in uses for commands in list(self._commands.values()) for uses in tuple(commands))
