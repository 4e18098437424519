"""Modules that a process is going to need, imported while it waits for what needs no Python, such as CUDA's start.

Who knows them stands above who waits: so the one says here what it is going to need, and the other takes steps.
"""

from __future__ import annotations

import collections
import contextlib
import importlib
import sys
from collections.abc import Iterator

from ...translator.garbage import resting

_Names = collections.deque[tuple[str, str]]
_expected: _Names = collections.deque()
# Of programs that translate.
_for_translations: _Names = collections.deque()
# Of programs that use images.
_for_images: _Names = collections.deque()
# Packages of others.
_foreign: set[str] = set()


def expect(package: str, *names: str) -> None:
    """Modules by their names as seen from the package, in the order in which they are needed; each takes some milliseconds."""
    _expected.extend((package, name) for name in names)


def expect_for_translations(package: str, *names: str) -> None:
    """Likewise what programs that find all they build in the disk cache do without."""
    _for_translations.extend((package, name) for name in names)


def expect_for_images(package: str, *names: str) -> None:
    """Likewise what programs without images do without."""
    _for_images.extend((package, name) for name in names)


def expect_of_others(package: str, *names: str) -> None:
    """Likewise modules of a package that is not ours: they are imported where the package has been, and nobody hears of errors."""
    _foreign.add(package)
    expect(package, *names)


def steps() -> Iterator[None]:
    """Imports one of them with each step, and ends when there are no more."""
    return _steps(_expected)


def steps_for_translations() -> Iterator[None]:
    """Likewise."""
    return _steps(_for_translations)


def steps_for_images() -> Iterator[None]:
    """Likewise."""
    return _steps(_for_images)


def _steps(expected: _Names) -> Iterator[None]:
    while expected:
        try:
            package, name = expected.popleft()
        except IndexError:  # Another thread was quicker.
            return
        yield from each(package, name)


def each(package: str, *names: str) -> Iterator[None]:
    """The same for these alone, whoever else expects them."""
    for name in names:
        with resting():
            _import(package, name)
        yield


def _import(package: str, name: str) -> None:
    if package not in _foreign:
        importlib.import_module(name, package)
    elif _is_whole(package):
        with contextlib.suppress(Exception):
            importlib.import_module(name, package)


def _is_whole(package: str) -> bool:
    """Whether somebody has imported it to the end."""
    module = sys.modules.get(package)
    return module is not None and not getattr(module.__spec__, "_initializing", False)
