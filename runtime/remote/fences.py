"""How far a stream has come, and what has failed, as its worker tells with each fence."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..driver.interface import CommandFailed, DeviceLost, DriverError

Told = Callable[[DriverError | None], None]


class FailedBefore(CommandFailed):
    """What a fence tells. `number` is the fence's."""

    def __init__(self, failure: DriverError, number: int):
        super().__init__(str(failure), failure.status)
        self.number = number


class Fences:
    """Of one stream, by their numbers. `lost` says why the worker is lost, None as long as it is not."""

    def __init__(self, lost: Callable[[], DriverError | None]):
        self._lost = lost
        self._changed = threading.Condition()
        self.reached = 0
        self._failures: dict[int, DriverError] = {}
        self._not_noted: list[tuple[int, DriverError]] = []  # failures, with their fences
        self._amid: set[int] = set()  # those amid the parts of a command that failed before them
        self._told: list[tuple[int, Told]] = []

    def wait_until(self, number: int) -> None:
        """Until the fence is reached, or the worker is lost."""
        with self._changed:
            while self.reached < number and self._lost() is None:
                self._changed.wait()

    def check(self, number: int) -> None:
        """Raises what has failed before the fence. Others may have come between the failure and this one: a failure of whole commands is
        every later fence's until it has been noted."""
        reached = self.reached  # of what comes first there is the failure then
        failure = self._failures.get(number)
        if reached < number:
            lost = self._lost()
            if lost is not None:
                raise lost
        elif failure is not None:
            raise failure if number in self._amid or isinstance(failure, DeviceLost) else FailedBefore(failure, number)
        elif self._not_noted:
            for at, each in self._not_noted:
                if at <= number:
                    raise each if isinstance(each, DeviceLost) else FailedBefore(each, number)

    def is_good(self, number: int) -> bool:
        """It was reached, and no failure right before it."""
        return self.reached >= number and number not in self._failures

    def note(self, failure: CommandFailed) -> None:
        """Fences later than the one that told it do not tell it."""
        assert isinstance(failure, FailedBefore)
        with self._changed:
            self._not_noted = [(at, each) for at, each in self._not_noted if at > failure.number]

    def when_reached(self, number: int, tell: Told) -> None:
        """Calls tell(what failed, or None) when the fence has been reached, or the worker is lost. `tell` must not wait."""
        with self._changed:
            lost = self._lost()
            if self.reached < number and lost is None:
                self._told.append((number, tell))
                return
        tell(self._failures.get(number) if self.reached >= number else lost)

    # What the worker tells

    def reach(self, number: int, failure: DriverError | None, is_part: bool) -> None:
        with self._changed:
            if failure is not None:
                self._failures[number] = failure
                if is_part:
                    self._amid.add(number)
                else:
                    self._not_noted.append((number, failure))
            self.reached = number
            due = [tell for at, tell in self._told if at <= number]
            self._told = [(at, tell) for at, tell in self._told if at > number]
            self._changed.notify_all()
        for tell in due:
            tell(self._failures.get(number))

    def end(self) -> None:
        """Nothing more is reached."""
        with self._changed:
            due, self._told = self._told, []
            self._changed.notify_all()
        for _, tell in due:
            tell(self._lost())
