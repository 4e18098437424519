"""Rounds, in each of which all sides are measured in turn."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar


class _Side(Protocol):
    name: str
    rounds: list[Any]


S = TypeVar("S", bound=_Side)


def measure_in_rounds(sides: Sequence[S], count: int, measure: Callable[[S, int], None]) -> None:
    """`measure(side, number)` adds one round, counted from 0, to the side's `rounds`. Where that is interrupted (Ctrl-C, SIGTERM), the sides
    keep the rounds that were whole; without any the process ends."""
    try:
        with _terminated_as_interrupted():
            for number in range(count):
                # The side that goes first changes, so that neither always meets the machine warm.
                for side in sides[:: 1 if number % 2 == 0 else -1]:
                    _show_progress(f"round {number + 1} of {count}: {side.name}")
                    measure(side, number)
    except KeyboardInterrupt:
        whole = min(len(side.rounds) for side in sides)
        if not whole:
            raise SystemExit("interrupted in the first round") from None
        for side in sides:
            del side.rounds[whole:]
        print(f"interrupted: {whole} of {count} rounds are whole", file=sys.stderr)
    _show_progress("")


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _show_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
