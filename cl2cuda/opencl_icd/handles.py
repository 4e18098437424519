"""The objects of the C interface for those of the runtime: which kind stands for which class."""

from __future__ import annotations

from typing import Any

from ..runtime.command_buffer.command_buffer import CommandBuffer
from ..runtime.command_buffer.recording import Command
from ..runtime.commands.semaphore import Semaphore
from ..runtime.context.context import Context
from ..runtime.devices.device import Device
from ..runtime.devices.platform import Platform
from ..runtime.image.image import Image
from ..runtime.kernel.kernel import Kernel
from ..runtime.memory.buffer import Buffer
from ..runtime.memory.pipe import Pipe
from ..runtime.memory.sampler import Sampler
from ..runtime.program.program import Program
from ..runtime.queue.device_queue import DeviceQueue
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue
from . import application

# The letters of driver/objects.h.
_KINDS: dict[type, str] = {
    Platform: "P", Device: "D", Context: "C", CommandQueue: "Q", DeviceQueue: "Q",
    Buffer: "M", Image: "M", Pipe: "M", Program: "G", Kernel: "K",
    Event: "E", Sampler: "S", Semaphore: "X", CommandBuffer: "B", Command: "U",
}

# What is given back at the last reference, though others may still know the object. The rest goes with the last who knows it.
_RELEASED = (Buffer, Image, Pipe, Kernel, Sampler, Semaphore, CommandBuffer)

_platform_and_devices: dict[Any, int] = {}


def kind_of(core: Any) -> str:
    return next(_KINDS[base] for base in type(core).__mro__ if base in _KINDS)


def handle_of(core: Any) -> int:
    """The address of the object that stands for this one. The platform and its devices get theirs here; what is counted gets
    its own when it is made."""
    if isinstance(core, Platform) or (isinstance(core, Device) and core.parent is None):
        if core not in _platform_and_devices:
            _platform_and_devices[core] = application.handle(core, kind_of(core), True, 0)
        return _platform_and_devices[core]
    return application.handle(core, kind_of(core), False, 0)


def new_handle(core: Any, parent: Any) -> int:
    """An object with one reference, for the application."""
    return application.handle(core, kind_of(core), True, handle_of(parent))


def last_release(core: Any) -> None:
    """What a release that leaves no reference does."""
    if isinstance(core, _RELEASED):
        core.release()
    elif isinstance(core, CommandQueue):
        core.flush()  # "clReleaseCommandQueue performs an implicit flush"
