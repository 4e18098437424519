"""What an object of OpenGL is that is to be shared: sizes and format, asked of OpenGL on the share group's thread.

What cannot be shared is a GraphicsError with the status that the specification has for it (5.2.6, 5.3.13).
"""

from __future__ import annotations

from typing import NamedTuple

from . import calls
from .calls import Calls
from .internal_formats import INTERNAL_FORMATS, UNSIZED_RGBA, InternalFormat
from .library import GraphicsError

# GL_TEXTURE_BUFFER is not among them: its contents are a buffer's.
TEXTURE_TARGETS = (calls.TEXTURE_1D, calls.TEXTURE_1D_ARRAY, calls.TEXTURE_2D, calls.TEXTURE_2D_ARRAY, calls.TEXTURE_3D,
                   calls.TEXTURE_RECTANGLE, *calls.TEXTURE_CUBE_MAP_FACES)
_MIPMAPPING_FILTERS = range(0x2700, 0x2704)


class GlBuffer(NamedTuple):
    """A buffer object's data store, in bytes."""

    name: int
    size: int


class GlImage(NamedTuple):
    """One level of a texture, or a renderbuffer. Sizes are in pixels, 1 where there is no such dimension; of an array the last is
    the number of its images: (width, images) of a 1D array. `sibling` says that it is a texture of ours that an EGLImage is in."""

    name: int
    target: int
    level: int
    size: tuple[int, ...]
    format: InternalFormat
    sibling: bool = False

    @property
    def binding_target(self) -> int:
        return calls.TEXTURE_CUBE_MAP if self.target in calls.TEXTURE_CUBE_MAP_FACES else self.target

    @property
    def face(self) -> int:
        """0 to 5 of a cube map, else 0."""
        return self.target - calls.TEXTURE_CUBE_MAP_FACES[0] if self.target in calls.TEXTURE_CUBE_MAP_FACES else 0


class GlBufferTexture(NamedTuple):
    """A buffer texture: the part of a buffer object that it shows, in bytes."""

    buffer: GlBuffer
    offset: int
    size: int
    format: InternalFormat


def buffer(gl: Calls, name: int) -> GlBuffer:
    if not name or not gl.IsBuffer(name):
        raise GraphicsError(f"{name} is not the name of an OpenGL buffer object", "INVALID_GL_OBJECT")
    gl.BindBuffer(calls.ARRAY_BUFFER, name)
    size = gl.integer("GetBufferParameteriv", calls.ARRAY_BUFFER, calls.BUFFER_SIZE)
    gl.BindBuffer(calls.ARRAY_BUFFER, 0)
    if not size:
        raise GraphicsError(f"OpenGL's buffer {name} has no data store, or an empty one", "INVALID_GL_OBJECT")
    return GlBuffer(name, size)


def buffer_texture(gl: Calls, name: int) -> GlBufferTexture:
    _bind(gl, calls.TEXTURE_BUFFER, name)

    def ask(what: int) -> int:
        return gl.integer("GetTexLevelParameteriv", calls.TEXTURE_BUFFER, 0, what)

    store = buffer(gl, ask(calls.TEXTURE_BUFFER_DATA_STORE_BINDING))
    return GlBufferTexture(store, ask(calls.TEXTURE_BUFFER_OFFSET), ask(calls.TEXTURE_BUFFER_SIZE),
                           _format(ask(calls.TEXTURE_INTERNAL_FORMAT)))


def texture(gl: Calls, target: int, level: int, name: int) -> GlImage:
    binding = calls.TEXTURE_CUBE_MAP if target in calls.TEXTURE_CUBE_MAP_FACES else target
    _bind(gl, binding, name)
    _check_level(gl, binding, target, level)
    size = _size(gl, target, level)
    if 0 in size:
        # "[...] if the specified miplevel of texture is not defined, or if the width or height of the specified miplevel is zero"
        raise GraphicsError(f"level {level} of OpenGL's texture {name} is not defined", "INVALID_GL_OBJECT")
    if gl.integer("GetTexLevelParameteriv", target, level, calls.TEXTURE_BORDER):
        raise GraphicsError(f"OpenGL's texture {name} has a border", "INVALID_OPERATION")
    found = texture_format(gl, target, level)
    gl.BindTexture(binding, 0)
    return GlImage(name, target, level, size, found)


def texture_format(gl: Calls, target: int, level: int) -> InternalFormat:
    """Of the texture that is bound to the target."""
    number = gl.integer("GetTexLevelParameteriv", target, level, calls.TEXTURE_INTERNAL_FORMAT)
    channels = (calls.TEXTURE_RED_SIZE, calls.TEXTURE_BLUE_SIZE, calls.TEXTURE_ALPHA_SIZE)
    if number == UNSIZED_RGBA and any(gl.integer("GetTexLevelParameteriv", target, level, each) != 8 for each in channels):
        raise _no_format(number)
    return _format(number)


def renderbuffer(gl: Calls, name: int) -> GlImage:
    if not name or not gl.IsRenderbuffer(name):
        raise GraphicsError(f"{name} is not the name of an OpenGL renderbuffer object", "INVALID_GL_OBJECT")
    gl.BindRenderbuffer(calls.RENDERBUFFER, name)

    def ask(what: int) -> int:
        return gl.integer("GetRenderbufferParameteriv", calls.RENDERBUFFER, what)

    width, height, number, samples = (ask(what) for what in (
        calls.RENDERBUFFER_WIDTH, calls.RENDERBUFFER_HEIGHT, calls.RENDERBUFFER_INTERNAL_FORMAT, calls.RENDERBUFFER_SAMPLES))
    gl.BindRenderbuffer(calls.RENDERBUFFER, 0)
    if not width or not height:
        raise GraphicsError(f"OpenGL's renderbuffer {name} has no storage", "INVALID_GL_OBJECT")
    if samples:
        raise GraphicsError(f"OpenGL's renderbuffer {name} has {samples} samples: what is multi-sampled cannot be shared",
                            "INVALID_OPERATION")
    return GlImage(name, calls.RENDERBUFFER, 0, (width, height), _format(number))


def egl_image(gl: Calls, image: int) -> GlImage:
    """A texture of the share group's own in which the contents of an EGLImage are; `forget` deletes it."""
    gl.failed()
    name = gl.new_name("GenTextures")
    try:
        gl.BindTexture(calls.TEXTURE_2D, name)
        gl.TexParameteri(calls.TEXTURE_2D, calls.TEXTURE_MIN_FILTER, calls.NEAREST)
        gl.EGLImageTargetTexture2DOES(calls.TEXTURE_2D, image)
        gl.check(f"{image:#x} as an EGLImage", "INVALID_EGL_OBJECT_KHR")
        try:
            found = texture_format(gl, calls.TEXTURE_2D, 0)
        except GraphicsError as error:
            raise GraphicsError(str(error), "IMAGE_FORMAT_NOT_SUPPORTED") from error
        return GlImage(name, calls.TEXTURE_2D, 0, _size(gl, calls.TEXTURE_2D, 0), found, sibling=True)
    except GraphicsError:
        gl.delete_name("DeleteTextures", name)
        raise
    finally:
        gl.BindTexture(calls.TEXTURE_2D, 0)


def forget(gl: Calls, image: GlImage) -> None:
    """Deletes what `egl_image` has made."""
    gl.delete_name("DeleteTextures", image.name)


def _bind(gl: Calls, binding: int, name: int) -> None:
    """"[...] if texture is not an OpenGL texture object whose type matches texture_target"."""
    gl.failed()
    if not name or not gl.IsTexture(name):
        raise GraphicsError(f"{name} is not the name of an OpenGL texture object", "INVALID_GL_OBJECT")
    gl.BindTexture(binding, name)
    gl.check(f"texture {name} as one of the target {binding:#x}", "INVALID_GL_OBJECT")


def _size(gl: Calls, target: int, level: int) -> tuple[int, ...]:
    dimensions = 1 if target == calls.TEXTURE_1D else 3 if target in (calls.TEXTURE_3D, calls.TEXTURE_2D_ARRAY) else 2
    wanted = (calls.TEXTURE_WIDTH, calls.TEXTURE_HEIGHT, calls.TEXTURE_DEPTH)[:dimensions]
    return tuple(gl.integer("GetTexLevelParameteriv", target, level, each) for each in wanted)


def _check_level(gl: Calls, binding: int, target: int, level: int) -> None:
    """CL_INVALID_MIP_LEVEL "if miplevel is less than the value of levelbase [...]; or greater than the value of q"; CL_INVALID_GL_OBJECT
    "if the OpenGL texture object is incomplete": levels that its filter wants are not there."""
    if binding == calls.TEXTURE_RECTANGLE:
        base = last = 0
    else:
        base = gl.integer("GetTexParameteriv", binding, calls.TEXTURE_BASE_LEVEL)
        first = _size(gl, target, base)
        layered = target in (calls.TEXTURE_1D_ARRAY, calls.TEXTURE_2D_ARRAY)
        halved = first[:-1] if layered else first
        last = min(base + max(max(halved), 1).bit_length() - 1, gl.integer("GetTexParameteriv", binding, calls.TEXTURE_MAX_LEVEL))
    if not base <= level <= last:
        raise GraphicsError(f"the texture's levels go from {base} to {last}: there is no {level}", "INVALID_MIP_LEVEL")
    if gl.integer("GetTexParameteriv", binding, calls.TEXTURE_MIN_FILTER) not in _MIPMAPPING_FILTERS:
        last = base
    faces = calls.TEXTURE_CUBE_MAP_FACES if binding == calls.TEXTURE_CUBE_MAP else (target,)
    if any(0 in _size(gl, face, each) for face in faces for each in range(base, last + 1)):
        raise GraphicsError("the texture is incomplete: its GL_TEXTURE_MIN_FILTER wants levels, or the cube map faces, "
                            "that are not defined", "INVALID_GL_OBJECT")


def _format(number: int) -> InternalFormat:
    found = INTERNAL_FORMATS.get(number)
    if found is None:
        raise _no_format(number)
    return found


def _no_format(number: int) -> GraphicsError:
    return GraphicsError(f"no image format stands for OpenGL's internal format {number:#x}", "INVALID_IMAGE_FORMAT_DESCRIPTOR")
