"""What a memory object that is shared was made of: clGetGLObjectInfo and clGetGLTextureInfo (5.5.9), and the checks that creating
them has in common."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..context.context import Context
from ..memory.memory_object import MemoryObject, checked_flags
from ..opengl import calls
from ..opengl.share_group import ShareGroup
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from .storage import GraphicsStorage

_OBJECT_TYPES = {
    calls.TEXTURE_1D: codes.GL_OBJECT_TEXTURE1D, calls.TEXTURE_1D_ARRAY: codes.GL_OBJECT_TEXTURE1D_ARRAY,
    calls.TEXTURE_2D: codes.GL_OBJECT_TEXTURE2D, calls.TEXTURE_RECTANGLE: codes.GL_OBJECT_TEXTURE2D,
    **dict.fromkeys(calls.TEXTURE_CUBE_MAP_FACES, codes.GL_OBJECT_TEXTURE2D),
    calls.TEXTURE_2D_ARRAY: codes.GL_OBJECT_TEXTURE2D_ARRAY, calls.TEXTURE_3D: codes.GL_OBJECT_TEXTURE3D,
    calls.TEXTURE_BUFFER: codes.GL_OBJECT_TEXTURE_BUFFER, calls.RENDERBUFFER: codes.GL_OBJECT_RENDERBUFFER,
    calls.ARRAY_BUFFER: codes.GL_OBJECT_BUFFER,
}


class Source(NamedTuple):
    """An object of OpenGL or, without a name, an EGLImage. `target` is GL_ARRAY_BUFFER of a buffer, GL_RENDERBUFFER of a
    renderbuffer, 0 of an EGLImage."""

    group: ShareGroup
    target: int = 0
    name: int = 0
    level: int = 0

    @property
    def is_egl(self) -> bool:
        return not self.target

    @property
    def object_type(self) -> int:
        return _OBJECT_TYPES[self.target]


class SharedMemoryObject(MemoryObject):
    """A buffer or an image that is shared; `source` of a sub-buffer is None: the buffer that it is of is acquired."""

    source: Source | None = None

    @property
    def shared(self) -> GraphicsStorage[Any, Any]:
        """What is acquired and released; CLError INVALID_MEM_OBJECT after `release`."""
        raise NotImplementedError


def source_of(memory: MemoryObject) -> Source | None:
    """None for a memory object that was made of no object of another API."""
    return memory.source if isinstance(memory, SharedMemoryObject) else None


def group_of(routine: str, context: Context, *, finish: bool = True) -> ShareGroup:
    """CL_INVALID_CONTEXT "if context is not a valid context or was not created from an OpenGL context". What the calling thread has
    told OpenGL of an object is waited for (`finish`)."""
    if not isinstance(context, Context) or context.graphics.group is None:
        raise CLError(routine, "INVALID_CONTEXT", "the context was not created from an OpenGL context: it needs CL_GL_CONTEXT_KHR")
    if finish:
        context.graphics.group.finish_calling_thread()
    return context.graphics.group


def shared_flags(routine: str, flags: int, more: int = 0) -> int:
    """"Only the CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY and CL_MEM_READ_WRITE flags specified in that table can be used", and `more`."""
    if flags & ~(codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY | codes.MEM_READ_WRITE | more):
        raise CLError(routine, "INVALID_VALUE", f"{flags:#x}: shared memory objects take READ_ONLY, WRITE_ONLY or READ_WRITE")
    return checked_flags(routine, flags)


def gl_object_info(memory: MemoryObject) -> tuple[int, int]:
    """clGetGLObjectInfo: the type, CL_GL_OBJECT_*, and OpenGL's name."""
    routine = "clGetGLObjectInfo"
    source = source_of(_checked(routine, memory))
    if source is None or source.is_egl:
        raise CLError(routine, "INVALID_GL_OBJECT", "the memory object was not made of an OpenGL object")
    return source.object_type, source.name


def gl_texture_info(memory: MemoryObject, param: int) -> Any:
    """clGetGLTextureInfo."""
    source = source_of(_checked(TEXTURE_QUERIES.routine, memory))
    if source is None or source.target in (0, calls.ARRAY_BUFFER, calls.RENDERBUFFER):
        raise CLError(TEXTURE_QUERIES.routine, "INVALID_GL_OBJECT", "the memory object was not made of an OpenGL texture")
    return TEXTURE_QUERIES.get(source, param)


def _checked(routine: str, memory: Any) -> MemoryObject:
    if not isinstance(memory, MemoryObject) or memory.released:
        raise CLError(routine, "INVALID_MEM_OBJECT", f"{memory!r} is not a memory object, or has been released")
    return memory


TEXTURE_QUERIES = QueryTable[Source]("clGetGLTextureInfo", (
    ("GL_TEXTURE_TARGET", "enum", lambda s: s.target),
    ("GL_MIPMAP_LEVEL", "int", lambda s: s.level),
))
