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
    from ..runtime.commands import graphics as graphics_commands
    from ..runtime.commands import image as image_commands
    from ..runtime.commands import image_map, nd_range
    from ..runtime.commands import svm as svm_commands
    from ..runtime.driver import image_formats
    from ..runtime.graphics import buffer as shared_buffers
    from ..runtime.graphics import context_info
    from ..runtime.graphics import image as shared_images
    from ..runtime.graphics import source as shared_objects
    from ..runtime.image import descriptor as image_descriptors
    from ..runtime.image import formats as supported_formats
    from ..runtime.image import image as images
    from ..runtime.kernel import kernel as kernels
    from ..runtime.kernel import sub_groups
    from ..runtime.memory import pipe as pipes
    from ..runtime.memory import sampler as samplers
    from ..runtime.memory import svm
    from ..runtime.program import link
    from ..runtime.program import program as programs
else:
    graphics_commands = Later("..runtime.commands.graphics")
    image_commands = Later("..runtime.commands.image")
    image_map = Later("..runtime.commands.image_map")
    nd_range = Later("..runtime.commands.nd_range")
    svm_commands = Later("..runtime.commands.svm")
    image_formats = Later("..runtime.driver.image_formats")
    shared_buffers = Later("..runtime.graphics.buffer")
    context_info = Later("..runtime.graphics.context_info")
    shared_images = Later("..runtime.graphics.image")
    shared_objects = Later("..runtime.graphics.source")
    image_descriptors = Later("..runtime.image.descriptor")
    supported_formats = Later("..runtime.image.formats")
    images = Later("..runtime.image.image")
    kernels = Later("..runtime.kernel.kernel")
    sub_groups = Later("..runtime.kernel.sub_groups")
    pipes = Later("..runtime.memory.pipe")
    samplers = Later("..runtime.memory.sampler")
    svm = Later("..runtime.memory.svm")
    link = Later("..runtime.program.link")
    programs = Later("..runtime.program.program")

# What nearly every program needs, in the order in which it needs it, and in steps of some milliseconds.
imports_ahead.expect(
    __package__, "..runtime.devices.queries", "..translator.options", "..runtime.build.binary", "..runtime.build.build",
    "..runtime.program.program", "..runtime.image.image", "..runtime.kernel.kernel", "..runtime.commands.nd_range")
