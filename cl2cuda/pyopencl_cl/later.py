"""What `import pyopencl` does without: files of the runtime that are imported when something of them is first asked for.

Most programs use few of them, and on CUDA those that nearly all use are imported while CUDA starts, which takes longer
(`runtime/process/imports_ahead.py`). The other files of this room name them as if they were imported, and use them only in functions.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..runtime.process import imports_ahead
from ..translator.garbage import resting


class Later:
    """Stands for a module, which the first look at one of its names imports; from then on it has the very names of the module."""

    __slots__ = ("__dict__", "_module")
    _module: str

    def __init__(self, module: str):
        self._module = module

    def __getattr__(self, name: str) -> Any:
        with resting():
            module = importlib.import_module(self._module, __package__)
        self.__dict__ = vars(module)
        return getattr(module, name)


if TYPE_CHECKING:
    from ..runtime.commands import buffer as buffer_commands
    from ..runtime.commands import buffer_rect, image_map, nd_range
    from ..runtime.commands import graphics as graphics_commands
    from ..runtime.commands import image as image_commands
    from ..runtime.commands import map as mapping
    from ..runtime.commands import svm as svm_commands
    from ..runtime.context import context as contexts
    from ..runtime.context import graphics as context_graphics
    from ..runtime.devices import partition
    from ..runtime.devices import platform as platforms
    from ..runtime.driver import image_formats
    from ..runtime.graphics import buffer as shared_buffers
    from ..runtime.graphics import context_info
    from ..runtime.graphics import image as shared_images
    from ..runtime.graphics import source as shared_objects
    from ..runtime.image import descriptor as image_descriptors
    from ..runtime.image import formats as supported_formats
    from ..runtime.image import image as images
    from ..runtime.image import kinds as image_kinds
    from ..runtime.kernel import kernel as kernels
    from ..runtime.kernel import sub_groups
    from ..runtime.memory import buffer as buffers
    from ..runtime.memory import pipe as pipes
    from ..runtime.memory import sampler as samplers
    from ..runtime.memory import svm
    from ..runtime.process import host_memory
    from ..runtime.program import link
    from ..runtime.program import program as programs
    from ..runtime.queue import create as queues
    from ..runtime.queue import device_queue as device_queues
    from ..runtime.queue import event as runtime_events
else:
    buffer_commands = Later("..runtime.commands.buffer")
    buffer_rect = Later("..runtime.commands.buffer_rect")
    graphics_commands = Later("..runtime.commands.graphics")
    image_commands = Later("..runtime.commands.image")
    image_map = Later("..runtime.commands.image_map")
    mapping = Later("..runtime.commands.map")
    nd_range = Later("..runtime.commands.nd_range")
    svm_commands = Later("..runtime.commands.svm")
    contexts = Later("..runtime.context.context")
    context_graphics = Later("..runtime.context.graphics")
    partition = Later("..runtime.devices.partition")
    platforms = Later("..runtime.devices.platform")
    image_formats = Later("..runtime.driver.image_formats")
    shared_buffers = Later("..runtime.graphics.buffer")
    context_info = Later("..runtime.graphics.context_info")
    shared_images = Later("..runtime.graphics.image")
    shared_objects = Later("..runtime.graphics.source")
    image_descriptors = Later("..runtime.image.descriptor")
    supported_formats = Later("..runtime.image.formats")
    images = Later("..runtime.image.image")
    image_kinds = Later("..runtime.image.kinds")
    kernels = Later("..runtime.kernel.kernel")
    sub_groups = Later("..runtime.kernel.sub_groups")
    buffers = Later("..runtime.memory.buffer")
    pipes = Later("..runtime.memory.pipe")
    samplers = Later("..runtime.memory.sampler")
    svm = Later("..runtime.memory.svm")
    host_memory = Later("..runtime.process.host_memory")
    link = Later("..runtime.program.link")
    programs = Later("..runtime.program.program")
    queues = Later("..runtime.queue.create")
    device_queues = Later("..runtime.queue.device_queue")
    runtime_events = Later("..runtime.queue.event")

# What nearly every program needs, in the order in which it needs it, and in steps of some milliseconds.
imports_ahead.expect(
    __package__, "..runtime.remote", "..runtime.context.context", "..runtime.queue.event", "..runtime.memory.buffer",
    "..runtime.commands.buffer", "..runtime.queue.create", "..runtime.commands.map", "..runtime.devices.queries", "..translator.options",
    "..runtime.build.binary", "..runtime.build.build", "..runtime.program.program", "..runtime.kernel.kernel",
    "..runtime.commands.nd_range")
# The same of programs with images.
imports_ahead.expect_for_images(__package__, "..runtime.image.kinds", "..runtime.commands.image", "..runtime.commands.image_map",
                                "..runtime.memory.sampler", "..runtime.kernel.accepted_images")
# What PyOpenCL itself imports with its first build.
imports_ahead.expect_of_others("pyopencl", ".characterize")
