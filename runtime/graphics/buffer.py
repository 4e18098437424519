"""Buffers made of OpenGL's (5.2.6)."""

from __future__ import annotations

from typing import Any

from ..context.context import Context
from ..context.graphics import sharing_of
from ..driver.reported import reported
from ..memory.buffer import Buffer
from ..opengl import calls, objects
from ..opengl.objects import GlBuffer
from ..opengl.share_group import ShareGroup
from ..spec import codes
from .source import SharedMemoryObject, Source, group_of, shared_flags
from .storage import GraphicsBufferStorage, GraphicsStorage

# What commands on contents report that have not been acquired.
MISSING = "INVALID_OPERATION"


class SharedBuffer(SharedMemoryObject, Buffer):
    """cl_mem of a buffer whose contents OpenGL has, too."""

    @property
    def shared(self) -> GraphicsStorage[Any, Any]:
        assert isinstance(self.storage, GraphicsStorage), "it was made over one"
        return self.storage


def create_from_gl_buffer(context: Context, flags: int, name: int) -> SharedBuffer:
    """clCreateFromGLBuffer. Raises CLError: INVALID_CONTEXT, INVALID_VALUE, INVALID_GL_OBJECT."""
    routine = "clCreateFromGLBuffer"
    group = group_of(routine, context)
    flags = shared_flags(routine, flags)
    with reported(routine):
        source = group.run(lambda: objects.buffer(group.gl, name))
        storage = storage_of(context, group, source, flags)
        group.order_calling_thread()  # Drivers may move what they share.
    return shared_buffer(context, flags, storage, Source(group, calls.ARRAY_BUFFER, name))


def storage_of(context: Context, group: ShareGroup, source: GlBuffer, flags: int) -> GraphicsBufferStorage:
    written = not flags & codes.MEM_READ_ONLY
    return GraphicsBufferStorage(context, source.size, lambda device: sharing_of(device).buffer(group, source, written), MISSING)


def shared_buffer(context: Context, flags: int, storage: GraphicsBufferStorage, source: Source | None, offset: int = 0,
                  size: int = 0) -> SharedBuffer:
    """`size` bytes from an offset on of the storage; 0: to its end."""
    made = SharedBuffer.over_storage(context, flags, size or storage.size - offset, storage, offset)
    made.source = source
    return made
