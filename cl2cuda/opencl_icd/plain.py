"""Commands that code in C makes (runtime/native), where it was compiled and they are plain: it makes them for PyOpenCL's functions, and the
entry points here have the same parameters, and make all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..runtime.native import library as native

F = TypeVar("F", bound=Callable[..., Any])


def natively(name: str, command: int) -> Callable[[F], F]:
    """As PyOpenCL's function of that name, whose commands are of this type."""
    calls = native.calls()
    return lambda function: function if calls is None else calls.command(name, function, None, command, __name__)
