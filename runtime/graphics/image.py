"""Images made of OpenGL's textures and renderbuffers (5.3.13) and of EGLImages (5.3.12)."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from typing import Any

from ..context.context import Context
from ..context.graphics import sharing_of
from ..devices.device import Device
from ..driver.image_formats import ORDERS, TYPES, ImageFormat
from ..driver.image_layout import ImageLayout
from ..driver.reported import reported
from ..image.descriptor import ImageDescriptor
from ..image.elements import BufferElements
from ..image.image import Image
from ..opengl import calls, egl, objects
from ..opengl.internal_formats import InternalFormat
from ..opengl.library import GraphicsError
from ..opengl.objects import GlImage
from ..opengl.share_group import ShareGroup
from ..spec import codes
from ..spec.errors import CLError
from .buffer import MISSING, shared_buffer, storage_of
from .source import SharedMemoryObject, Source, group_of, shared_flags
from .storage import GraphicsImageStorage, GraphicsStorage

_HOST_ACCESS = codes.MEM_HOST_WRITE_ONLY | codes.MEM_HOST_READ_ONLY | codes.MEM_HOST_NO_ACCESS

_IMAGE_TYPES = {
    calls.TEXTURE_1D: codes.MEM_OBJECT_IMAGE1D, calls.TEXTURE_1D_ARRAY: codes.MEM_OBJECT_IMAGE1D_ARRAY,
    calls.TEXTURE_2D_ARRAY: codes.MEM_OBJECT_IMAGE2D_ARRAY, calls.TEXTURE_3D: codes.MEM_OBJECT_IMAGE3D,
}
# The targets of the functions that OpenCL 1.2 replaced.
TARGETS_2D = (calls.TEXTURE_2D, calls.TEXTURE_RECTANGLE, *calls.TEXTURE_CUBE_MAP_FACES)
TARGETS_3D = (calls.TEXTURE_3D,)


class SharedImage(SharedMemoryObject, Image):
    """cl_mem of an image whose contents OpenGL, or whoever knows the EGLImage, has, too."""

    @property
    def shared(self) -> GraphicsStorage[Any, Any]:
        elements = self.elements
        found = elements.buffer_storage if isinstance(elements, BufferElements) else elements
        assert isinstance(found, GraphicsStorage), "it was made over one"
        return found


def create_from_gl_texture(context: Context, flags: int, target: int, level: int, name: int, *,
                           routine: str = "clCreateFromGLTexture",
                           targets: Sequence[int] = (*objects.TEXTURE_TARGETS, calls.TEXTURE_BUFFER)) -> SharedImage:
    """clCreateFromGLTexture. Raises CLError: INVALID_CONTEXT, INVALID_VALUE, INVALID_MIP_LEVEL, INVALID_GL_OBJECT,
    INVALID_IMAGE_FORMAT_DESCRIPTOR, INVALID_OPERATION."""
    group = group_of(routine, context)
    flags = shared_flags(routine, flags)
    if target not in targets:
        raise CLError(routine, "INVALID_VALUE", f"the target {target:#x} is none whose textures can be shared here")
    if target == calls.TEXTURE_BUFFER:
        # "If texture_target is GL_TEXTURE_BUFFER, miplevel must be 0."
        if level:
            raise CLError(routine, "INVALID_MIP_LEVEL", "a buffer texture has one level, 0")
        with reported(routine):
            return _from_buffer_texture(context, group, flags, name)
    with reported(routine):
        source = group.run(lambda: objects.texture(group.gl, target, level, name))
        made = _made(context, group, flags, source, MISSING)
        group.order_calling_thread()
    made.source = Source(group, target, name, level)
    return made


def create_from_gl_renderbuffer(context: Context, flags: int, name: int) -> SharedImage:
    """clCreateFromGLRenderbuffer. Raises CLError: INVALID_CONTEXT, INVALID_VALUE, INVALID_GL_OBJECT,
    INVALID_IMAGE_FORMAT_DESCRIPTOR, INVALID_OPERATION."""
    routine = "clCreateFromGLRenderbuffer"
    group = group_of(routine, context)
    flags = shared_flags(routine, flags)
    with reported(routine):
        source = group.run(lambda: objects.renderbuffer(group.gl, name))
        made = _made(context, group, flags, source, MISSING)
        group.order_calling_thread()
    made.source = Source(group, calls.RENDERBUFFER, name)
    return made


def create_from_egl_image(context: Context, display: int, image: int, flags: int,
                          properties: Sequence[tuple[int, Any]] = ()) -> SharedImage:
    """clCreateFromEGLImageKHR, with the EGLDisplay's and the EGLImage's handles. Raises CLError: INVALID_CONTEXT, INVALID_VALUE,
    INVALID_EGL_OBJECT_KHR, IMAGE_FORMAT_NOT_SUPPORTED, INVALID_OPERATION."""
    routine = "clCreateFromEGLImageKHR"
    if not isinstance(context, Context):
        raise CLError(routine, "INVALID_CONTEXT", f"{context!r} is not a context")
    flags = shared_flags(routine, flags, _HOST_ACCESS)
    # "CL_INVALID_VALUE if properties contains invalid values, if display is not a valid display object"
    if properties:
        raise CLError(routine, "INVALID_VALUE", "EGLImages have no properties")
    with reported(routine, "INVALID_VALUE"):
        if not egl.is_display(display):
            raise CLError(routine, "INVALID_VALUE", f"{display:#x} is no initialised EGLDisplay")
    group = context.graphics.of_display(routine, display)
    group.finish_calling_thread()
    with reported(routine):
        source = group.run(lambda: objects.egl_image(group.gl, image))
        made = _made(context, group, flags, source, "EGL_RESOURCE_NOT_ACQUIRED_KHR")
    made.source = Source(group)
    return made


def _from_buffer_texture(context: Context, group: ShareGroup, flags: int, name: int) -> SharedImage:
    """"an OpenCL 1D image buffer object from an OpenGL texture buffer object": its elements are those of a shared buffer."""
    found = group.run(lambda: objects.buffer_texture(group.gl, name))
    storage = storage_of(context, group, found.buffer, flags)
    group.order_calling_thread()
    buffer = shared_buffer(context, flags, storage, None, found.offset, found.size)
    pixel = _format(found.format)
    width = found.size // pixel.element_size
    descriptor = ImageDescriptor(codes.MEM_OBJECT_IMAGE1D_BUFFER, width)
    made = SharedImage.over(context, flags, pixel, descriptor,
                            lambda layout, device: BufferElements(buffer, buffer.used_storage(), layout, layout.tight(0), layout.bytes))
    made.source = Source(group, calls.TEXTURE_BUFFER, name)
    return made


def _made(context: Context, group: ShareGroup, flags: int, source: GlImage, missing: str) -> SharedImage:
    written = not flags & codes.MEM_READ_ONLY
    end = functools.partial(_forget, group, source) if source.sibling else None

    def make(layout: ImageLayout, home: Device) -> GraphicsImageStorage:
        return GraphicsImageStorage(context, home, layout, lambda device: sharing_of(device).image(group, source, layout, written),
                                  missing, end)

    return SharedImage.over(context, flags, _format(source.format), _descriptor(source), make)


def _forget(group: ShareGroup, source: GlImage) -> None:
    with contextlib.suppress(GraphicsError):  # Its context may have ended, and the texture with it.
        group.run(lambda: objects.forget(group.gl, source))


def _format(found: InternalFormat) -> ImageFormat:
    return ImageFormat(ORDERS[found.order], TYPES[found.type])


def _descriptor(source: GlImage) -> ImageDescriptor:
    width, height, depth = (*source.size, 0, 0)[:3]
    kind = _IMAGE_TYPES.get(source.target, codes.MEM_OBJECT_IMAGE2D)
    if kind == codes.MEM_OBJECT_IMAGE1D_ARRAY:
        return ImageDescriptor(kind, width, array_size=height)
    if kind == codes.MEM_OBJECT_IMAGE2D_ARRAY:
        return ImageDescriptor(kind, width, height, array_size=depth)
    return ImageDescriptor(kind, width, height, depth)
