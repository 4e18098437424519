"""Commands that code in C makes (runtime/native), where it was compiled and they are plain: it makes them for PyOpenCL's functions, and the
entry points here have the same parameters, and make all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..runtime.native import library as native

F = TypeVar("F", bound=Callable[..., Any])


def compiled(make: Callable[[native.Calls, F], F]) -> Callable[[F], F]:
    """Decorator: the function in C that `make` makes of the one in Python, which is for what that leaves."""
    calls = native.calls()
    return lambda function: function if calls is None else make(calls, function)


def natively(name: str, command: int) -> Callable[[F], F]:
    """As PyOpenCL's function of that name, whose commands are of this type."""
    return compiled(lambda calls, function: calls.command(name, function, None, command, __name__))
