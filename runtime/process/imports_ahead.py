"""Modules that a process is going to need, imported while it waits for what needs no Python, such as CUDA's start.

Who knows them stands above who waits: so the one says here what it is going to need, and the other takes steps.
"""

from __future__ import annotations

import collections
import importlib
from collections.abc import Iterator

from ...translator.garbage import resting

_expected: collections.deque[tuple[str, str]] = collections.deque()


def expect(package: str, *names: str) -> None:
    """Modules by their names as seen from the package, in the order in which they are needed; each takes some milliseconds."""
    _expected.extend((package, name) for name in names)


def steps() -> Iterator[None]:
    """Imports one of them with each step, and ends when there are no more."""
    while _expected:
        try:
            package, name = _expected.popleft()
        except IndexError:  # Another thread was quicker.
            return
        yield from each(package, name)


def each(package: str, *names: str) -> Iterator[None]:
    """The same for these alone, whoever else expects them."""
    for name in names:
        with resting():
            importlib.import_module(name, package)
        yield
