"""A pytest plugin that notes which entry points each passing test called and which errors of theirs it saw.

`pytest -p entry_points.recorder --entry-points FILE` (with tests/ on the path) leaves one JSON file: for each entry point the
tests that called it, for each of its errors the tests that met it. Under xdist each worker leaves its own FILE.gwN.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cl2cuda.runtime.spec.entry_points import SERVED
from cl2cuda.runtime.spec.errors import CLError

_seen: set[str] = set()
_met: dict[str, set[str]] = defaultdict(set)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--entry-points", metavar="FILE", help="note there which entry points and errors the tests met")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--entry-points"):
        _watch_errors()
        for row in SERVED.values():
            if row.target:
                _watch_calls(row.name, row.target)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.when == "call":
        if report.passed:
            for each in _seen:
                _met[each].add(item.nodeid)
        _seen.clear()
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    file = session.config.getoption("--entry-points")
    worker = getattr(session.config, "workerinput", {}).get("workerid")
    if file and _met:
        Path(f"{file}.{worker}" if worker else file).write_text(json.dumps({key: sorted(ids) for key, ids in _met.items()}))


def _watch_errors() -> None:
    create = CLError.__init__

    @functools.wraps(create)
    def noted(self: CLError, routine: str, status: str, reason: str = "") -> None:
        _seen.add(f"{routine} {status}")
        create(self, routine, status, reason)

    CLError.__init__ = noted  # type: ignore[method-assign]


def _watch_calls(name: str, target: str) -> None:
    owner, attribute = locate(target)
    raw = inspect.getattr_static(owner, attribute)
    function = raw.__func__ if isinstance(raw, (classmethod, staticmethod)) else raw
    wrapped: Any = _noting(name, function)
    if isinstance(raw, (classmethod, staticmethod)):
        wrapped = type(raw)(wrapped)
    setattr(owner, attribute, wrapped)
    for module in [m for key, m in sys.modules.items() if key.startswith("cl2cuda")]:
        for key, value in list(vars(module).items()):
            if value is raw:
                setattr(module, key, wrapped)


def _noting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def noted(*args: Any, **more: Any) -> Any:
        _seen.add(name)
        return function(*args, **more)

    return noted


def locate(target: str) -> tuple[Any, str]:
    """The module or class that holds a row's target, and the target's name there."""
    module, _, path = target.partition(":")
    owner: Any = importlib.import_module(f"cl2cuda.runtime.{module}")
    *classes, attribute = path.split(".")
    for each in classes:
        owner = getattr(owner, each)
    return owner, attribute
