"""The threads of a sub-device: so many, wherever the operating system runs them."""

from __future__ import annotations

import ctypes
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

    def words(self) -> tuple[int, int]:
        """For code in C: the function that chooses whose threads run what the calling thread launches, and what it is given for these."""
        choose = native.runtime().ocl_host_choose
        return ctypes.cast(choose, ctypes.c_void_p).value or 0, self._native

    def run(self, entry: Callable[[L], int], launch: L) -> int:
        """Runs a launch on these threads, the calling one among them; what the entry returns."""
        choose = native.runtime().ocl_host_choose
        choose(self._native)
        try:
            return entry(launch)
        finally:
            choose(None)
