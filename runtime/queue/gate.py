"""A gate: what a deferred command and a user event have in common. It opens once, with a status, and then calls its hooks."""

from __future__ import annotations

import collections
import threading
from _thread import LockType
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..native import library as native

# What a gate has to do when it opens; a lock is a thread's that waits.
Hook: TypeAlias = "Callable[[], object] | LockType"


# How often a thread looks whether what it waits for can come yet.
LOOK_SECONDS = 0.05


class Opening:
    """What a gate does, for objects that have its fields: `status` is positive while the gate is shut; opening sets 0 (go on) or a
    negative status (what waits is terminated, for the `reason`). `behind` are gates that must open first; one that is `theirs` opens when
    the application or another API says so.

    No lock is held: whoever deletes `_key` opens the gate, which one thread can. What is put among `_hooks` is called by the thread that
    finds it there when the status is set: the one that opens the gate, or the one that came too late.
    """

    __slots__ = ()
    status: int
    behind: Sequence[Opening] = ()
    theirs = True
    reason = ""
    _key: bool
    _hooks: list[Hook]

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

    def open(self, status: int) -> bool:
        """False if the gate was open already; nothing has changed then."""
        try:
            del self._key
        except AttributeError:
            return False
        self.status = status  # type: ignore[misc]
        if self._hooks:
            self._call_hooks()
        return True

    def when_open(self, hook: Callable[[], object]) -> None:
        self._put(hook)

    def wait_until_open(self) -> None:
        if self.status > 0:
            opened = threading.Lock()
            opened.acquire()
            self._put(opened)
            opened.acquire()

    def wait_unless(self, is_ending: Callable[[], bool]) -> bool:
        """Whether it is open: waits until then, as long as nothing ends that could open it."""
        if self.status > 0 and not is_ending():
            opened = threading.Lock()
            opened.acquire()
            self._put(opened)
            while not opened.acquire(timeout=LOOK_SECONDS) and not is_ending():
                pass
        return self.status <= 0

    def _put(self, hook: Hook) -> None:
        self._hooks.append(hook)
        if self.status <= 0:
            self._call_hooks()

    def _call_hooks(self) -> None:
        """Threads that wait go on before any hook is called: that may take long."""
        hooks = []
        while self._hooks:
            try:
                hook = self._hooks.pop(0)
            except IndexError:  # Another thread was quicker.
                break
            if isinstance(hook, LockType):
                hook.release()
            else:
                hooks.append(hook)
        if hooks:
            _run_hooks(hooks)


@native.know_slots
class Gate(Opening):
    """The gate of a deferred command, or one by itself."""

    __slots__ = ("_hooks", "_key", "behind", "reason", "status", "theirs")

    def __init__(self, status: int, behind: Sequence[Opening] = (), theirs: bool = False):
        self.status = status
        self.behind = behind
        self.theirs = theirs
        self.reason = ""
        self._key = True
        self._hooks = []

    def advance(self, status: int) -> None:
        """Another positive status: the gate stays shut. For the thread that will open it."""
        if self.shut:
            self.status = status

    def open(self, status: int) -> bool:
        opened = super().open(status)
        if opened:
            self.behind = ()  # Each of a chain would keep all before it.
        return opened


class _Due(threading.local):
    """The hooks that a thread still has to call; None while it calls none."""

    hooks: collections.deque[Callable[[], object]] | None = None


_DUE = _Due()


def _run_hooks(hooks: list[Callable[[], object]]) -> None:
    """Calls them. A hook may open further gates, whose hooks then come after it and not inside of it: a chain of commands,
    each of which waits for the one before, may be longer than a stack is deep. What one of them raises, such as an interrupt, keeps none of
    the others, for which threads wait."""
    if _DUE.hooks is not None:
        _DUE.hooks.extend(hooks)
        return
    due, failure = collections.deque(hooks), None
    _DUE.hooks = due
    while due:
        try:
            due.popleft()()
        except BaseException as raised:
            failure = failure or raised
    _DUE.hooks = None
    if failure is not None:
        raise failure
