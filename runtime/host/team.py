"""The threads of a sub-device: so many, wherever the operating system runs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from . import native


class Team:
    def __init__(self, threads: int):
        self.threads = threads

    @cached_property
    def _native(self) -> int:
        return native.runtime().ocl_host_team(self.threads)

    def run(self, entry: Callable[[Any], Any], launch: Any) -> None:
        """Runs a launch on these threads, the calling one among them."""
        choose = native.runtime().ocl_host_choose
        choose(self._native)
        try:
            entry(launch)
        finally:
            choose(None)
