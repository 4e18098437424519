"""A gate: what a deferred command and a user event have in common. It opens once, with a status, and then calls its hooks."""

from __future__ import annotations

import collections
import threading
from collections.abc import Callable, Sequence


class Gate:
    """`status` is positive while the gate is shut; opening sets 0 (go on) or a negative status (what waits is terminated, for the
    `reason`). `behind` are gates that must open first; one that is `theirs` opens when the application or another API says so."""

    __slots__ = ("_hooks", "_lock", "_opened", "behind", "reason", "status", "theirs")

    def __init__(self, status: int, behind: Sequence[Gate] = (), theirs: bool = False):
        self.status = status
        self.behind = behind
        self.theirs = theirs
        self.reason = ""
        self._opened: threading.Event | None = None  # made when a thread waits
        self._lock = threading.Lock()
        self._hooks: list[Callable[[], None]] = []

    @property
    def shut(self) -> bool:
        return self.status > 0

    def waits_for_them(self) -> bool:
        """Whether it may stay shut for as long as the application likes."""
        seen, left = set(), [self]
        while left:
            gate = left.pop()
            if gate.shut and gate not in seen:
                if gate.theirs:
                    return True
                seen.add(gate)
                left += gate.behind
        return False

    def advance(self, status: int) -> None:
        """Another positive status: the gate stays shut."""
        with self._lock:
            if self.shut:
                self.status = status

    def open(self, status: int) -> bool:
        """False if the gate was open already; nothing has changed then."""
        with self._lock:
            if self.status <= 0:
                return False
            self.status = status
            self.behind = ()
            hooks, self._hooks = self._hooks, []
        if self._opened is not None:
            self._opened.set()
        if hooks:
            _run_hooks(hooks)
        return True

    def when_open(self, hook: Callable[[], None]) -> None:
        with self._lock:
            if self.status > 0:
                self._hooks.append(hook)
                return
        _run_hooks([hook])

    def wait(self) -> None:
        with self._lock:
            if self.status <= 0:
                return
            if self._opened is None:
                self._opened = threading.Event()
        self._opened.wait()


class _Due(threading.local):
    """The hooks that a thread still has to call; None while it calls none."""

    hooks: collections.deque[Callable[[], None]] | None = None


_DUE = _Due()


def _run_hooks(hooks: list[Callable[[], None]]) -> None:
    """Calls them. A hook may open further gates, whose hooks then come after it and not inside of it: a chain of commands,
    each of which waits for the one before, may be longer than a stack is deep."""
    if _DUE.hooks is not None:
        _DUE.hooks.extend(hooks)
        return
    due = _DUE.hooks = collections.deque(hooks)
    try:
        while due:
            due.popleft()()
    finally:
        _DUE.hooks = None
