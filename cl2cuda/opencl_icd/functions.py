"""What the C library calls: the entry points by name, and what it asks beside them."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Iterable
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

from .. import cluster
from ..runtime.driver.interface import DriverError
from ..runtime.process import debug_mode, ending, interruptions
from ..runtime.spec.errors import CLError
from ..runtime.spec.status import STATUS
from ..translator.garbage import resting
from . import application, platform
from .handles import flush_of, handle_of, last_release

if TYPE_CHECKING:
    from ..runtime.queue.event import Event

# What finds the devices; and what is imported when one of its functions is first called, in the order in which they are looked for: what
# many programs call comes first.
_FILES = (platform,)
_LATER = ("context", "queue", "memory", "event", "program", "kernel", "svm", "image", "sampler", "usm", "semaphore", "command_buffer",
          "graphics")
# What programs need that use CUDA's devices, build kernels and launch them, in the order in which they need it.
NEEDED = ("..runtime.cuda.stream", "..runtime.cuda.devices", "..runtime.remote", "..runtime.context.stream_ordered_memory", ".context",
          "..runtime.queue.queue", ".queue", ".memory", ".event", ".native_commands", ".launches", "..runtime.build.binary",
          "..runtime.program.program", "..runtime.kernel.kernel", "..runtime.commands.nd_range", ".program", ".kernel")
NEEDED_FOR_IMAGES = ("..runtime.image.kinds", "..runtime.commands.image", "..runtime.commands.image_map", ".image", ".sampler",
                     "..runtime.kernel.accepted_images")
# What the library asks beside entry points, in files that are imported then.
_ASKED_LATER = {"launches": ("places_of", "note_arguments", "image_given", "image_taken", "launch_of", "fault_of", "hold_launch"),
                "native_commands": ("native_of", "event_of", "memory_of", "bare_buffers_of", "buffer_of", "part_of", "may_begin_bare",
                                    "maker_of", "sizes_of", "buffers_may_return", "fences_of", "base_time_of", "timed_event_of", "mark_of",
                                    "lanes_of", "contents_of", "note_mapped", "note_unmapped", "element_of", "allocation_of",
                                    "note_shared_mapped", "watched_fences_of", "status_at_end", "arrays_of", "adopt_array", "disown_array",
                                    "retire_arrays"),
                "held": ("hold_read", "hold_write", "hold_copy", "hold_fill", "hold_place"),
                "program": ("program_of", "program_of_binary", "returning_for")}


def connect(library: dict[str, Any]) -> tuple[dict[str, Callable[..., Any]], dict[str, Callable[..., Any]]]:
    """For `start`, which says what it takes and gives."""
    application.connect(library)
    cluster.join()
    handle_of(platform.only_platform())
    others = {each.__name__: each for each in (last_release, flush_of, status_of, comes_again, function_of, wait_at_end)}
    return _functions(_FILES), others | {name: _asked_later(file, name) for file, names in _ASKED_LATER.items() for name in names}


def _asked_later(file: str, name: str) -> Callable[..., Any]:
    """The function of that file, which the first call imports."""
    found: list[Callable[..., Any]] = []

    def call(*arguments: Any) -> Any:
        if not found:
            found.append(getattr(_later(file), name))
        return found[0](*arguments)

    return call


def function_of(name: str) -> Callable[..., Any] | None:
    """An entry point that `connect` has not given; None where it is no device's. The file that the name speaks of is looked at first."""
    spoken_of = sorted(_LATER, key=lambda file: file.replace("_", "") not in name.lower())
    return next((vars(file)[name] for file in map(_later, spoken_of) if name in vars(file)), None)


def entry_points() -> dict[str, Callable[..., Any]]:
    """All by name. (The table of them would be read for nothing else: a test compares.)"""
    return _functions((*_FILES, *map(_later, _LATER)))


def _later(name: str) -> ModuleType:
    with resting():
        return importlib.import_module(f".{name}", __package__)


def _functions(files: Iterable[ModuleType]) -> dict[str, Callable[..., Any]]:
    return {name: function for file in files for name, function in vars(file).items() if name.startswith("cl")}


def comes_again(error: BaseException, place: TracebackType | None) -> bool:
    """Whether the exception is the Python program's own, which OpenCL is called from: it is raised again when the program runs on."""
    if isinstance(error, (CLError, DriverError)) or threading.current_thread() is not threading.main_thread():
        return False
    return not isinstance(error, Exception) or interruptions.came_from_beside(place)


def wait_at_end(event: Event, is_ending: Callable[[], bool] = ending.has_begun) -> bool:
    """Waits for the end of the event's command while Python ends, unless somebody would have to do something for it who may have gone."""
    return event.wait_unless(is_ending)


def status_of(error: BaseException, place: TracebackType | None) -> int:
    """The code that the C function returns. Debug mode prints the reason; an exception that is no error of OpenCL's is a fault of
    ours, and printed always."""
    if isinstance(error, (CLError, DriverError)):
        if debug_mode.active():
            print(f"cl2cuda: {error}", file=sys.stderr)
        return STATUS[error.status]
    if isinstance(error, MemoryError):
        return STATUS["OUT_OF_HOST_MEMORY"]
    import traceback  # which is for this alone

    traceback.print_exception(type(error), error, place)
    return STATUS["OUT_OF_RESOURCES"]
