"""Where the C library begins: it calls `start` once, in the Python that it found or started, and then the functions that it got."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .. import cluster
from ..runtime.driver.interface import DriverError
from ..runtime.process import debug_mode, trace
from ..runtime.spec.errors import CLError
from ..runtime.spec.status import STATUS
from . import (
    application,
    command_buffer,
    context,
    event,
    graphics,
    image,
    kernel,
    launches,
    memory,
    native_commands,
    platform,
    program,
    queue,
    sampler,
    semaphore,
    svm,
    usm,
)
from .handles import handle_of, last_release

_FILES = (platform, context, queue, memory, image, svm, usm, sampler, program, kernel, event, semaphore, command_buffer, graphics)


def start(functions: dict[str, Any]) -> tuple[dict[str, Callable[..., Any]], dict[str, Callable[..., Any]]]:
    """Takes the library's functions (`application`); gives the entry points by name, and the others that it calls."""
    if not hasattr(sys, "argv"):
        sys.argv = [""]  # An embedded interpreter has none, and packages look for it.
    application.connect(functions)
    cluster.join()
    handle_of(platform.only_platform())
    others = (last_release, status_of, launches.places_of, launches.launch_of, launches.fault_of, native_commands.native_of,
              native_commands.event_of, native_commands.memory_of, native_commands.largest_bare_buffer, native_commands.buffer_of)
    return entry_points(), {each.__name__: each for each in others}


def write_trace() -> None:
    """At the exit of a program in C, which has asked for a trace."""
    trace.stop()


def entry_points() -> dict[str, Callable[..., Any]]:
    """By name. (The table of them would be read for nothing else: a test compares.)"""
    return {name: function for file in _FILES for name, function in vars(file).items() if name.startswith("cl")}


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
