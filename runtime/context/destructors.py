"""Callbacks that are called when an object goes (4.4, 5.5.1)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..devices.device import Device
from ..process import ending
from ..spec.errors import CLError
from . import awaited


class Retires(Protocol):
    """What memory objects ask of their context."""

    @property
    def devices(self) -> Sequence[Device]: ...
    @property
    def retire_awaited(self) -> Callable[[Device | None, Callable[[], None]], None]: ...
    def freeing_device(self, device: Device) -> Device | None: ...


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
    are called once the commands of then have ended."""

    def __init__(self, context: Retires):
        self._context = context
        self.callbacks = DestructorCallbacks()

    @ending.finalizer
    def __del__(self) -> None:
        if self.callbacks:
            self._context.retire_awaited(self._context.freeing_device(self._context.devices[0]), self.callbacks.call)


class Destructible:
    """A memory object with callbacks (clSetMemObjectDestructorCallback)."""

    context: Retires
    _life: Life | None = None
    _parents_life: Life | None = None

    @property
    def released(self) -> bool:
        raise NotImplementedError

    @property
    def life(self) -> Life:
        """What lives as long as this object and all that was made from it."""
        if self._life is None:
            self._life = Life(self.context)
        return self._life

    def live_in(self, parent: Destructible) -> None:
        """"memobj cannot be deleted until all sub-buffer objects associated with memobj are deleted"."""
        self._parents_life = parent.life

    def end_life(self) -> None:
        """What releasing begins with: "the registered callback functions are called and then the memory object's resources are
        freed"."""
        self._life = self._parents_life = None

    def set_destructor_callback(self, function: Callable[[], Any]) -> None:
        """clSetMemObjectDestructorCallback: called when the object and what was made from it are released and no command uses
        them."""
        if self.released:
            raise CLError("clSetMemObjectDestructorCallback", "INVALID_MEM_OBJECT", "the memory object has been released")
        self.life.callbacks.add("clSetMemObjectDestructorCallback", function)
        awaited.expect()
