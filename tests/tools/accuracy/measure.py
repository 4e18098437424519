"""One function on some devices: the greatest distance from the exact value, the bound, and where it was."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from . import points, references
from .device import DTYPES, Session, takes_every_float
from .functions import Function

References = Callable[[Function, Sequence[np.ndarray]], references.Reference]


@dataclass(frozen=True)
class Measured:
    """`where` are the arguments; `inputs` how many there were."""

    function: Function
    device: str
    worst: float
    where: tuple[float, ...]
    inputs: int

    @property
    def limit(self) -> float:
        """A reference in double may be half its own unit off, which shows where all is allowed but that."""
        return self.function.bound.constant + (1e-6 if self.function.bound.constant == 0.5 else 0)

    @property
    def holds(self) -> bool:
        return self.worst <= self.limit


def on_device(function: Function, session: Session, device: str, count: int, *, every: bool = False) -> Measured:
    """float or half, against double on the same device. `every`: all 2^32 inputs of a function of one float."""
    if every and takes_every_float(function):
        found = session.worst_of_all(function)
        return Measured(function, device, found.distance, (float(np.array([found.where], np.uint32).view(np.float32)[0]),), 1 << 32)
    arguments = points.arguments(function, count)
    found = session.worst(function, arguments)
    return Measured(function, device, found.distance, tuple(float(a[found.where]) for a in arguments), len(arguments[0]))


def can_be_referenced(function: Function) -> bool:
    return function.label in references.KNOWN


def against_exact(
    function: Function, sessions: dict[str, Session], count: int, reference: References = references.reference
) -> list[Measured]:
    """Against exact values."""
    arguments = chosen(function, count)
    exact = reference(function, arguments)
    measured = []
    for device, session in sessions.items():
        distances = references.distances(function, session.results(function, arguments), exact)
        worst = int(np.nanargmax(distances)) if not np.isnan(distances).all() else 0
        where = tuple(float(a[worst]) for a in arguments)
        measured.append(Measured(function, device, float(distances[worst]), where, int((~np.isnan(distances)).sum())))
    return measured


def chosen(function: Function, count: int) -> list[np.ndarray]:
    """About so many inputs, by chance where the grid of edges is larger."""
    arguments = points.arguments(function, count)
    if len(arguments[0]) <= 2 * count:
        return arguments
    some = np.random.default_rng(3).permutation(len(arguments[0]))[:count]
    return [column[some] for column in arguments]


def shown(value: float, element: str) -> str:
    """An argument with as many digits as its type needs."""
    if not math.isfinite(value) or (value == int(value) and abs(value) < 1e6):
        return f"{value:g}"
    scientific = abs(value) < 1e-3 or abs(value) >= 1e6
    return np.format_float_scientific(DTYPES[element](value), trim="-") if scientific else str(DTYPES[element](value))
