"""Contents of OpenGL's objects to memory and back, without gaps between rows and planes; on the share group's thread.

`address` is the host's, or an offset into the pixel buffer that is bound (`into_pixel_buffer`, `from_pixel_buffer`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from . import calls
from .calls import Calls
from .internal_formats import UNSIZED_RGBA
from .objects import GlBuffer, GlImage


def read_buffer(gl: Calls, source: GlBuffer, address: int) -> None:
    gl.BindBuffer(calls.ARRAY_BUFFER, source.name)
    gl.GetBufferSubData(calls.ARRAY_BUFFER, 0, source.size, address)
    gl.BindBuffer(calls.ARRAY_BUFFER, 0)
    gl.check(f"to read buffer {source.name}")


def write_buffer(gl: Calls, target: GlBuffer, address: int) -> None:
    gl.BindBuffer(calls.ARRAY_BUFFER, target.name)
    gl.BufferSubData(calls.ARRAY_BUFFER, 0, target.size, address)
    gl.BindBuffer(calls.ARRAY_BUFFER, 0)
    gl.check(f"to write buffer {target.name}")


def read_image(gl: Calls, source: GlImage, address: int, room: int) -> None:
    """`room` is the size of the memory: what the object has become since may be larger."""
    if source.target == calls.RENDERBUFFER:
        with _texture_like(gl, source) as texture:
            _copy(gl, source.name, calls.RENDERBUFFER, texture, calls.TEXTURE_2D, source)
            _get(gl, texture, 0, source, address, room)
    else:
        _get(gl, source.name, source.level, source, address, room)
    gl.check(f"to read object {source.name}")


def write_image(gl: Calls, target: GlImage, address: int) -> None:
    if target.target == calls.RENDERBUFFER:
        with _texture_like(gl, target) as texture:
            _put(gl, calls.TEXTURE_2D, texture, calls.TEXTURE_2D, 0, target, address)
            _copy(gl, texture, calls.TEXTURE_2D, target.name, calls.RENDERBUFFER, target)
    else:
        _put(gl, target.binding_target, target.name, target.target, target.level, target, address)
    gl.check(f"to write object {target.name}")


def _get(gl: Calls, name: int, level: int, image: GlImage, address: int, room: int) -> None:
    """A cube map's faces are its planes here."""
    gl.GetTextureSubImage(name, level, 0, 0, image.face, *(*image.size, 1, 1)[:3], *image.format.transfer, room, address)


def _put(gl: Calls, binding: int, name: int, target: int, level: int, image: GlImage, address: int) -> None:
    gl.BindTexture(binding, name)
    start = (0,) * len(image.size)
    put = (gl.TexSubImage1D, gl.TexSubImage2D, gl.TexSubImage3D)[len(image.size) - 1]
    put(target, level, *start, *image.size, *image.format.transfer, address)
    gl.BindTexture(binding, 0)


@contextmanager
def _texture_like(gl: Calls, image: GlImage) -> Iterator[int]:
    """A 2D texture of a renderbuffer's size and format, which pixels can be read from and written to in every format."""
    name = gl.new_name("GenTextures")
    gl.BindTexture(calls.TEXTURE_2D, name)
    if image.format.number == UNSIZED_RGBA:
        # A format without a size may be copied to no other than itself (OpenGL 4.6, 18.3.3), and is no storage's.
        gl.TexImage2D(calls.TEXTURE_2D, 0, UNSIZED_RGBA, *image.size, 0, *image.format.transfer, None)
        gl.TexParameteri(calls.TEXTURE_2D, calls.TEXTURE_MIN_FILTER, calls.NEAREST)
    else:
        gl.TexStorage2D(calls.TEXTURE_2D, 1, image.format.number, *image.size)
    gl.BindTexture(calls.TEXTURE_2D, 0)
    try:
        yield name
    finally:
        gl.delete_name("DeleteTextures", name)


def _copy(gl: Calls, source: int, source_target: int, target: int, target_target: int, image: GlImage) -> None:
    gl.CopyImageSubData(source, source_target, 0, 0, 0, 0, target, target_target, 0, 0, 0, 0, *image.size, 1)


def new_pixel_buffer(gl: Calls, size: int) -> int:
    name = gl.new_name("GenBuffers")
    gl.BindBuffer(calls.PIXEL_PACK_BUFFER, name)
    gl.BufferData(calls.PIXEL_PACK_BUFFER, size, None, calls.STREAM_COPY)
    gl.BindBuffer(calls.PIXEL_PACK_BUFFER, 0)
    gl.check(f"a pixel buffer of {size} bytes", "MEM_OBJECT_ALLOCATION_FAILURE")
    return name


def into_pixel_buffer(gl: Calls, source: GlImage, name: int, room: int) -> None:
    gl.BindBuffer(calls.PIXEL_PACK_BUFFER, name)
    try:
        read_image(gl, source, 0, room)
    finally:
        gl.BindBuffer(calls.PIXEL_PACK_BUFFER, 0)


def from_pixel_buffer(gl: Calls, target: GlImage, name: int) -> None:
    gl.BindBuffer(calls.PIXEL_UNPACK_BUFFER, name)
    try:
        write_image(gl, target, 0)
    finally:
        gl.BindBuffer(calls.PIXEL_UNPACK_BUFFER, 0)
