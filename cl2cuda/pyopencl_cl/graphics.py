"""Sharing with OpenGL: buffers, textures and renderbuffers as memory objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..runtime.opengl import library
from .context import Context, context_properties
from .errors import guarded, make_error
from .event import Event, event_of
from .handles import core_of, cores, stands_for, to_python
from .image import Image
from .integers import cl_bitfield, cl_int, cl_uint
from .later import context_info, graphics_commands, platforms, shared_buffers, shared_images, shared_objects
from .memory import MemoryObject
from .platform import Platform
from .queue import CommandQueue


def have_gl() -> bool:
    """Whether this machine has OpenGL; whether a device shares with it, its extensions tell. `import pyopencl` asks."""
    return library.installed()


@guarded
def get_gl_context_info_khr(properties: Any, param_name: int, platform: Platform | None = None) -> Any:
    """The device that an OpenGL context renders on, or the list of those that can share its objects."""
    chosen = platforms.platforms()[0] if platform is None else core_of(platform, Platform, "platform")
    return to_python(context_info.gl_context_info(chosen, context_properties(properties), cl_uint(param_name, "param_name")))


class GLObject(MemoryObject):
    """What the three classes have in common."""

    @guarded
    def get_gl_object_info(self) -> tuple[int, int]:
        """(type, OpenGL's name)."""
        return shared_objects.gl_object_info(self._core)


@stands_for("graphics.buffer.SharedBuffer")
class GLBuffer(GLObject):
    """cl_mem of an OpenGL buffer (5.2.6)."""

    @guarded
    def __init__(self, context: Context, flags: int, bufobj: int) -> None:
        self._core = shared_buffers.create_from_gl_buffer(core_of(context, Context, "context"), cl_bitfield(flags, "flags"),
                                                          cl_uint(bufobj, "bufobj"))


class GLRenderBuffer(GLObject):
    """cl_mem of an OpenGL renderbuffer (5.3.13)."""

    @guarded
    def __init__(self, context: Context, flags: int, bufobj: int) -> None:
        self._core = shared_images.create_from_gl_renderbuffer(core_of(context, Context, "context"), cl_bitfield(flags, "flags"),
                                                               cl_uint(bufobj, "bufobj"))


@stands_for("graphics.image.SharedImage")
class GLTexture(Image, GLObject):
    """cl_mem of an OpenGL texture (5.3.13)."""

    @guarded
    def __init__(self, context: Context, flags: int, texture_target: int, miplevel: int, texture: int, dims: int) -> None:
        if dims not in (2, 3):
            raise make_error("Image", "INVALID_VALUE", "invalid dimension")
        self._core = shared_images.create_from_gl_texture(
            core_of(context, Context, "context"), cl_bitfield(flags, "flags"), cl_uint(texture_target, "texture_target"),
            cl_int(miplevel, "miplevel"), cl_uint(texture, "texture"))

    @guarded
    def get_gl_texture_info(self, arg: int) -> int:
        number: int = shared_objects.gl_texture_info(self._core, cl_uint(arg, "arg"))
        return number


@guarded
def enqueue_acquire_gl_objects(queue: CommandQueue, mem_objects: Iterable[MemoryObject],
                               wait_for: Iterable[Event] | None = None) -> Event:
    return event_of(graphics_commands.enqueue_acquire_gl_objects(queue._core, cores(mem_objects) or None, cores(wait_for)))


@guarded
def enqueue_release_gl_objects(queue: CommandQueue, mem_objects: Iterable[MemoryObject],
                               wait_for: Iterable[Event] | None = None) -> Event:
    return event_of(graphics_commands.enqueue_release_gl_objects(queue._core, cores(mem_objects) or None, cores(wait_for)))
