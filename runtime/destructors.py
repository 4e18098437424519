"""Callbacks that are called when an object goes (4.4, 5.5.1)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .errors import CLError

if TYPE_CHECKING:
    from .context import Context
    from .device import Device


class DestructorCallbacks:
    """"The registered callback functions are called in the reverse order in which they were registered." """

    def __init__(self) -> None:
        self._functions: list[Callable[[], Any]] = []

    def __bool__(self) -> bool:
        return bool(self._functions)

    def add(self, routine: str, function: Callable[[], Any]) -> None:
        if not callable(function):
            raise CLError(routine, "INVALID_VALUE", f"{function!r} is not a callback function")
        self._functions.append(function)

    def call(self) -> None:
        """Once. What a callback raises goes to nobody."""
        while self._functions:
            with contextlib.suppress(Exception):
                self._functions.pop()()


class Life:
    """What tells that a memory object, and all that was made from it, has gone: when nobody has its life any more, the callbacks
    are called once the device's commands of then have ended."""

    def __init__(self, context: Context, device: Device):
        self._context = context
        self._device = device
        self.callbacks = DestructorCallbacks()

    def __del__(self) -> None:
        if self.callbacks:
            self._context.retire(self._device, self.callbacks.call)
