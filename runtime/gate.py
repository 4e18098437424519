"""A gate: what a held-back command and a user event have in common. It opens once, with a status, and then calls its hooks."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Gate:
    """`status` is positive while the gate is shut; opening sets 0 (go on) or a negative status (what waits is terminated)."""

    def __init__(self, status: int):
        self.status = status
        self._opened = threading.Event()
        self._lock = threading.Lock()
        self._hooks: list[Callable[[], None]] = []

    @property
    def shut(self) -> bool:
        return self.status > 0

    def open(self, status: int) -> bool:
        """False if the gate was open already; nothing has changed then."""
        with self._lock:
            if not self.shut:
                return False
            self.status = status
            hooks, self._hooks = self._hooks, []
        self._opened.set()
        for hook in hooks:
            hook()
        return True

    def when_open(self, hook: Callable[[], None]) -> None:
        with self._lock:
            if self.shut:
                self._hooks.append(hook)
                return
        hook()

    def wait(self) -> None:
        self._opened.wait()
