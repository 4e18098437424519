"""Sharing with OpenGL and EGL (5.2.6, 5.3.12, 5.3.13, 5.5.9, 5.5.12, 5.5.13, 5.11.1, 5.18)."""

from __future__ import annotations

from typing import Any

from ..runtime.commands import graphics as commands
from ..runtime.context.context import Context
from ..runtime.graphics import buffer, context_info, image, source, sync
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec import codes
from . import application
from .context import context_pairs
from .packing import packed
from .platform import only_platform

Waits = tuple[Event, ...]


def clCreateFromGLBuffer(context: Context, flags: int, name: int) -> buffer.SharedBuffer:
    return buffer.create_from_gl_buffer(context, flags, name)


def clCreateFromGLTexture(context: Context, flags: int, target: int, level: int, name: int) -> image.SharedImage:
    return image.create_from_gl_texture(context, flags, target, level, name)


def clCreateFromGLTexture2D(context: Context, flags: int, target: int, level: int, name: int) -> image.SharedImage:
    return image.create_from_gl_texture(context, flags, target, level, name, routine="clCreateFromGLTexture2D", targets=image.TARGETS_2D)


def clCreateFromGLTexture3D(context: Context, flags: int, target: int, level: int, name: int) -> image.SharedImage:
    return image.create_from_gl_texture(context, flags, target, level, name, routine="clCreateFromGLTexture3D", targets=image.TARGETS_3D)


def clCreateFromGLRenderbuffer(context: Context, flags: int, name: int) -> image.SharedImage:
    return image.create_from_gl_renderbuffer(context, flags, name)


def clCreateFromEGLImageKHR(context: Context, display: int, egl_image: int, flags: int, properties: int) -> image.SharedImage:
    return image.create_from_egl_image(context, display, egl_image, flags, application.properties(properties))


def clGetGLObjectInfo(memory: Any, object_type: int, name: int) -> None:
    type_, number = source.gl_object_info(memory)
    application.put_uint(object_type, type_)
    application.put_uint(name, number)


def clGetGLTextureInfo(memory: Any, param: int) -> bytes:
    value = source.gl_texture_info(memory, param)
    return packed(source.TEXTURE_QUERIES.by_code[param].type, value)


def clEnqueueAcquireGLObjects(queue: CommandQueue, objects: Any, waits: Waits) -> Event:
    return commands.enqueue_acquire_gl_objects(queue, objects, waits)


def clEnqueueReleaseGLObjects(queue: CommandQueue, objects: Any, waits: Waits) -> Event:
    return commands.enqueue_release_gl_objects(queue, objects, waits)


def clEnqueueAcquireEGLObjectsKHR(queue: CommandQueue, objects: Any, waits: Waits) -> Event:
    return commands.enqueue_acquire_egl_objects(queue, objects, waits)


def clEnqueueReleaseEGLObjectsKHR(queue: CommandQueue, objects: Any, waits: Waits) -> Event:
    return commands.enqueue_release_egl_objects(queue, objects, waits)


def clCreateEventFromGLsyncKHR(context: Context, gl_sync: int) -> Event:
    return sync.event_from_gl_sync(context, gl_sync)


def clCreateEventFromEGLSyncKHR(context: Context, egl_sync: int, display: int) -> Event:
    return sync.event_from_egl_sync(context, egl_sync, display)


def clGetGLContextInfoKHR(properties: int, param: int) -> bytes:
    pairs = context_pairs(properties)
    platform = dict(pairs).get(codes.CONTEXT_PLATFORM) or only_platform()
    found = context_info.gl_context_info(platform, pairs, param)
    # "If no device(s) exist corresponding to param_name, the call will not fail, but the value of param_value_size_ret will be zero."
    if isinstance(found, tuple):
        return packed("object[]", found)
    return b"" if found is None else packed("object", found)
