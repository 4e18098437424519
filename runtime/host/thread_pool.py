"""The threads of a sub-device: so many, wherever the operating system runs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from . import native

L = TypeVar("L")


class ThreadPool:
    def __init__(self, threads: int):
        self.threads = threads

    @cached_property
    def _native(self) -> int:
        return native.runtime().ocl_host_thread_pool(self.threads)

    def run(self, entry: Callable[[L], int], launch: L) -> int:
        """Runs a launch on these threads, the calling one among them; what the entry returns."""
        choose = native.runtime().ocl_host_choose
        choose(self._native)
        try:
            return entry(launch)
        finally:
            choose(None)
