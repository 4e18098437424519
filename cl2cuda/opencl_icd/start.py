"""Where the C library begins: it calls `start` once, in the Python that it found or started, and then the functions that it got."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

from ..runtime.driver.interface import DriverError
from ..runtime.process import debug_mode, trace
from ..runtime.spec.entry_points import ENTRY_POINTS
from ..runtime.spec.errors import CLError
from ..runtime.spec.status import STATUS
from . import application, command_buffer, context, event, image, kernel, memory, platform, program, queue, sampler, semaphore, svm
from .handles import handle_of, last_release

_FILES = (platform, context, queue, memory, image, svm, sampler, program, kernel, event, semaphore, command_buffer)


def start(functions: dict[str, Any]) -> tuple[dict[str, Callable[..., Any]], Callable[..., None], Callable[..., int], Callable[..., bytes]]:
    """Takes the library's functions (`application`); gives the entry points by name, what is told of an object's last reference,
    what makes a status of an exception, and what tells where a kernel's arguments lie."""
    if not hasattr(sys, "argv"):
        sys.argv = [""]  # An embedded interpreter has none, and packages look for it.
    application.connect(functions)
    handle_of(platform.only_platform())
    return entry_points(), last_release, status_of, kernel.places_of


def write_trace() -> None:
    """At the exit of a program in C, which has asked for a trace."""
    trace.stop()


def entry_points() -> dict[str, Callable[..., Any]]:
    return {name: function for file in _FILES for name, function in vars(file).items() if name in ENTRY_POINTS}


def status_of(error: BaseException, place: TracebackType | None) -> int:
    """The code that the C function returns. Debug mode prints the reason; an exception that is no error of OpenCL's is a fault of
    ours, and printed always."""
    if isinstance(error, (CLError, DriverError)):
        if debug_mode.active():
            print(f"cl2cuda: {error}", file=sys.stderr)
        return STATUS[error.status]
    if isinstance(error, MemoryError):
        return STATUS["OUT_OF_HOST_MEMORY"]
    traceback.print_exception(type(error), error, place)
    return STATUS["OUT_OF_RESOURCES"]
