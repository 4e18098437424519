"""Where the C library begins: it calls `start` once, in the Python that it found or started.

CUDA's own start takes about as long as importing what answers. It comes first, on a thread, so this file imports little itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..runtime.cuda import initialization, preparation
from ..runtime.devices import choice


def start(library: dict[str, Any], is_of_program: bool) -> tuple[dict[str, Callable[..., Any]], dict[str, Callable[..., Any]]]:
    """Takes the library's functions (`application`), and whether this Python is one that a program in C was given and never ends; gives the
    entry points by name, and the others that it calls."""
    if not hasattr(sys, "argv"):
        sys.argv = [""]  # An embedded interpreter has none, and packages look for it.
    if choice.may_be("cuda"):
        initialization.begin()
    from ..translator.garbage import resting

    with resting():
        from . import functions
    from ..runtime.process import ending, imports_ahead

    ending.is_pythons = not is_of_program
    imports_ahead.expect(__package__, *functions.NEEDED)
    imports_ahead.expect_for_images(__package__, *functions.NEEDED_FOR_IMAGES)
    initialization.end(preparation.steps())  # A program that ends or forks now must not do so in the middle of it.
    return functions.connect(library)


def end() -> None:
    """At the exit of a program in C, before drivers go: writes the trace, if one was asked for."""
    from ..runtime.process import ending, trace

    trace.stop()
    ending.begin()
