"""OpenGL for tests: a context off screen by EGL, with its objects and their contents as NumPy arrays. PyOpenGL makes the calls, so that
nothing of the product stands on the side of OpenGL.

`Sharing` takes the first display whose contexts the device shares with; a context by itself is of Mesa's surfaceless platform, or of
the first of EGL's devices.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cl2cuda.runtime.commands.graphics import (
    enqueue_acquire_egl_objects,
    enqueue_acquire_gl_objects,
    enqueue_release_egl_objects,
    enqueue_release_gl_objects,
)
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

os.environ.setdefault("PYOPENGL_PLATFORM", "egl")
try:
    from OpenGL import GL
    from OpenGL.GL.shaders import compileProgram, compileShader
    from OpenGL.raw.GL.EXT.memory_object import glGetUnsignedBytei_vEXT
    from OpenGL.raw.GL.VERSION.GL_1_0 import glGetTexImage, glTexImage1D, glTexImage2D  # PyOpenGL's own know not all types
    from OpenGL.raw.GL.VERSION.GL_1_2 import glTexImage3D

    _EGL = ctypes.CDLL("libEGL.so.1")
except (ImportError, AttributeError, OSError) as _missing:
    GL = _EGL = compileProgram = compileShader = None
    MISSING = f"PyOpenGL or EGL is not installed: {_missing}"
else:
    MISSING = ""

ACQUIRE_AND_RELEASE = [enqueue_acquire_gl_objects, enqueue_release_gl_objects]
EGL_ACQUIRE_AND_RELEASE = [enqueue_acquire_egl_objects, enqueue_release_egl_objects]

SURFACELESS, DEVICE_PLATFORM = 0x31DD, 0x313F  # EGL_PLATFORM_SURFACELESS_MESA, EGL_PLATFORM_DEVICE_EXT
NONE, OPENGL_API = 0x3038, 0x30A2
SURFACE_TYPE, PBUFFER_BIT, RENDERABLE_TYPE, OPENGL_BIT = 0x3033, 1, 0x3040, 8


def egl(name: str, *arguments: Any) -> int:
    """A call of EGL's: handles are numbers, arrays ctypes' own."""
    _EGL.eglGetProcAddress.restype, _EGL.eglGetProcAddress.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    types = [ctypes.c_int if isinstance(each, int) and -1 <= each < 1 << 31 and not isinstance(each, Handle) else ctypes.c_void_p
             for each in arguments]
    function = ctypes.CFUNCTYPE(ctypes.c_void_p, *types)(_EGL.eglGetProcAddress(name.encode()))
    return function(*arguments) or 0


class Handle(int):
    """A pointer, which EGL gives and takes."""


def displays() -> list[Handle]:
    """Displays that need no screen, the preferred one first."""
    devices, count = (ctypes.c_void_p * 16)(), ctypes.c_int()
    if _EGL.eglGetProcAddress(b"eglQueryDevicesEXT"):
        egl("eglQueryDevicesEXT", 16, devices, ctypes.byref(count))
    platforms = [(SURFACELESS, None)]
    platforms += [(DEVICE_PLATFORM, Handle(devices[i] or 0)) for i in range(count.value)]
    opened = []
    for platform, device in platforms:
        display = Handle(egl("eglGetPlatformDisplayEXT", platform, device, None))
        if display and egl("eglInitialize", display, None, None) & 1:
            opened.append(display)
    return opened


def device_uuid() -> bytes | None:
    """Of the GPU that the current context renders on (GL_EXT_memory_object), which is CUDA's and Vulkan's, too; None where it has none."""
    if not bool(glGetUnsignedBytei_vEXT):
        return None
    found = (ctypes.c_ubyte * 16)()
    glGetUnsignedBytei_vEXT(0x9597, 0, found)  # GL_DEVICE_UUID_EXT
    return bytes(found)


class GlContext:
    """A context of OpenGL, current on the thread that made it. `shared` is another one whose objects it has."""

    def __init__(self, shared: GlContext | None = None, attributes: tuple[int, ...] = (), display: Handle | None = None):
        if MISSING:
            pytest.skip(MISSING)
        found = [display] if display else [shared.display] if shared else displays()
        if not found:
            pytest.skip("EGL has no display that needs no screen")
        self.display = found[0]
        egl("eglBindAPI", OPENGL_API)
        config, count = ctypes.c_void_p(), ctypes.c_int()
        wanted = (ctypes.c_int * 5)(SURFACE_TYPE, PBUFFER_BIT, RENDERABLE_TYPE, OPENGL_BIT, NONE)
        egl("eglChooseConfig", self.display, wanted, ctypes.byref(config), 1, ctypes.byref(count))
        self.context = Handle(egl("eglCreateContext", self.display, config, shared.context if shared else None,
                                  (ctypes.c_int * (len(attributes) + 1))(*attributes, NONE)))
        assert self.context, "EGL makes no context"
        self.enter()

    def enter(self) -> None:
        egl("eglMakeCurrent", self.display, None, None, self.context)

    def leave(self) -> None:
        egl("eglMakeCurrent", self.display, None, None, None)

    def close(self) -> None:
        self.leave()
        egl("eglDestroyContext", self.display, self.context)

    @property
    def properties(self) -> tuple[tuple[int, int], ...]:
        """Those of an OpenCL context that shares with it."""
        return (codes.GL_CONTEXT_KHR, self.context), (codes.EGL_DISPLAY_KHR, self.display)

    # Buffers

    def buffer(self, contents: np.ndarray) -> int:
        name = int(GL.glGenBuffers(1))
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, name)
        GL.glBufferData(GL.GL_ARRAY_BUFFER, contents.nbytes, contents, GL.GL_DYNAMIC_DRAW)
        return name

    def read_buffer(self, name: int, like: np.ndarray) -> np.ndarray:
        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, name)
        return np.asarray(GL.glGetBufferSubData(GL.GL_ARRAY_BUFFER, 0, like.nbytes)).view(like.dtype).reshape(like.shape)


class Sharing:
    """A context of OpenGL, and one of OpenCL with a queue that shares with it."""

    def __init__(self, device: Any):
        if MISSING:
            pytest.skip(MISSING)
        for display in displays():
            self.gl = GlContext(display=display)
            try:
                self.context = Context([device], self.gl.properties)
                break
            except CLError as error:
                self.gl.close()
                if error.status != "INVALID_GL_SHAREGROUP_REFERENCE_KHR":
                    raise
        else:
            pytest.skip("no OpenGL that needs no screen renders on the device")
        self.device = device
        self.queue = CommandQueue(self.context, device)

    @classmethod
    def for_a_test(cls, device: Any) -> Iterator[Sharing]:
        """For a fixture: what was enqueued has ended before OpenGL's context goes."""
        made = cls(device)
        yield made
        made.queue.finish()
        made.gl.close()


# Textures and renderbuffers: what each OpenCL format is to OpenGL, in a table of the tests' own.

CHANNELS = {"R": 1, "RG": 2, "RGBA": 4, "sRGBA": 4, "DEPTH": 1, "RGB": 1, "DEPTH_STENCIL": 1}
DTYPES = {"UNORM_INT8": np.uint8, "SNORM_INT8": np.int8, "UNORM_INT16": np.uint16, "SNORM_INT16": np.int16, "SIGNED_INT8": np.int8,
          "SIGNED_INT16": np.int16, "SIGNED_INT32": np.int32, "UNSIGNED_INT8": np.uint8, "UNSIGNED_INT16": np.uint16,
          "UNSIGNED_INT32": np.uint32, "HALF_FLOAT": np.float16, "FLOAT": np.float32, "UNORM_INT_101010_2": np.uint32,
          "UNORM_SHORT_565": np.uint16, "UNORM_INT24": np.uint32}


class GlFormat:
    """GL_`name`, which is OpenCL's `order` and `type`; pixels are `channels` numbers of `dtype`."""

    def __init__(self, name: str, order: str, type_: str, pixel_format: str, pixel_type: str):
        self.name, self.order, self.type = name, order, type_
        self.pixel_format, self.pixel_type = pixel_format, pixel_type
        self.dtype = np.dtype(DTYPES[type_])
        self.packed = type_ in ("UNORM_INT_101010_2", "UNORM_SHORT_565", "UNORM_INT24")
        self.channels = 1 if self.packed else CHANNELS[order]
        if (order, type_) == ("DEPTH_STENCIL", "FLOAT"):
            self.dtype, self.channels = np.dtype([("depth", np.float32), ("stencil", np.uint32)]), 1

    def number(self, name: str) -> int:
        return int(getattr(GL, f"GL_{name}"))

    def random(self, size: tuple[int, ...], seed: int = 1) -> np.ndarray:
        """Pixels, planes and rows first. No value has two forms: no NaN, and of signed normalised ones no least integer."""
        rng = np.random.default_rng(seed)
        shape = (*reversed(size), self.channels)
        if self.dtype.names:
            pixels = np.zeros(shape, self.dtype)
            pixels["depth"], pixels["stencil"] = rng.random(shape), rng.integers(0, 256, shape)
            return pixels
        if self.dtype.kind == "f":
            return rng.random(shape).astype(self.dtype) if self.order == "DEPTH" else rng.normal(0, 50, shape).astype(self.dtype)
        limits = np.iinfo(self.dtype)
        return rng.integers(limits.min + ("SNORM" in self.type), limits.max, shape, self.dtype, endpoint=True)

    def __repr__(self) -> str:
        return self.name


def _formats() -> list[GlFormat]:
    found = []
    integers = {"8I": "SIGNED_INT8", "16I": "SIGNED_INT16", "32I": "SIGNED_INT32", "8UI": "UNSIGNED_INT8", "16UI": "UNSIGNED_INT16",
                "32UI": "UNSIGNED_INT32"}
    others = {"8": "UNORM_INT8", "8_SNORM": "SNORM_INT8", "16": "UNORM_INT16", "16_SNORM": "SNORM_INT16", "16F": "HALF_FLOAT", "32F": "FLOAT"}
    types = {np.dtype(np.uint8): "UNSIGNED_BYTE", np.dtype(np.int8): "BYTE", np.dtype(np.uint16): "UNSIGNED_SHORT",
             np.dtype(np.int16): "SHORT", np.dtype(np.uint32): "UNSIGNED_INT", np.dtype(np.int32): "INT", np.dtype(np.float16): "HALF_FLOAT",
             np.dtype(np.float32): "FLOAT"}
    for order, pixels in {"R": "RED", "RG": "RG", "RGBA": "RGBA"}.items():
        found += [GlFormat(order + suffix, order, type_, f"{pixels}_INTEGER", types[np.dtype(DTYPES[type_])])
                  for suffix, type_ in integers.items()]
        found += [GlFormat(order + suffix, order, type_, pixels, types[np.dtype(DTYPES[type_])]) for suffix, type_ in others.items()]
    return [*found, GlFormat("SRGB8_ALPHA8", "sRGBA", "UNORM_INT8", "RGBA", "UNSIGNED_BYTE"),
            GlFormat("RGBA", "RGBA", "UNORM_INT8", "RGBA", "UNSIGNED_BYTE"),  # OpenGL chooses the size
            GlFormat("RGB10_A2", "RGBA", "UNORM_INT_101010_2", "RGBA", "UNSIGNED_INT_10_10_10_2"),
            GlFormat("RGB565", "RGB", "UNORM_SHORT_565", "RGB", "UNSIGNED_SHORT_5_6_5"),
            GlFormat("DEPTH_COMPONENT16", "DEPTH", "UNORM_INT16", "DEPTH_COMPONENT", "UNSIGNED_SHORT"),
            GlFormat("DEPTH_COMPONENT32F", "DEPTH", "FLOAT", "DEPTH_COMPONENT", "FLOAT")]


FORMATS = {each.name: each for each in _formats()}
STENCIL_FORMATS = [GlFormat("DEPTH24_STENCIL8", "DEPTH_STENCIL", "UNORM_INT24", "DEPTH_STENCIL", "UNSIGNED_INT_24_8"),
                   GlFormat("DEPTH32F_STENCIL8", "DEPTH_STENCIL", "FLOAT", "DEPTH_STENCIL", "FLOAT_32_UNSIGNED_INT_24_8_REV")]

TARGETS = ("TEXTURE_1D", "TEXTURE_1D_ARRAY", "TEXTURE_2D", "TEXTURE_2D_ARRAY", "TEXTURE_3D", "TEXTURE_RECTANGLE")
FACES = tuple(f"TEXTURE_CUBE_MAP_{sign}_{axis}" for axis in "XYZ" for sign in ("POSITIVE", "NEGATIVE"))


class Texture:
    """A level of a texture in OpenGL. `target` is a name without GL_; a cube map's other faces have zeros."""

    def __init__(self, target: str, format_: GlFormat, pixels: np.ndarray, level: int = 0):
        self.format, self.level, self.like = format_, level, pixels
        self.target = format_.number(target)
        self.binding = format_.number("TEXTURE_CUBE_MAP" if target in FACES else target)
        self.size = tuple(reversed(pixels.shape[:-1]))
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 1)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
        self.name = int(GL.glGenTextures(1))
        GL.glBindTexture(self.binding, self.name)
        GL.glTexParameteri(self.binding, GL.GL_TEXTURE_MIN_FILTER, GL.GL_NEAREST)
        for below in range(level):
            size = tuple(max(1, side << (level - below)) for side in self.size)
            self._define(self.target, below, format_.random(size))
        if target in FACES:
            for face in FACES:
                self._define(format_.number(face), level, np.zeros_like(pixels))
        self._define(self.target, level, pixels)

    def _define(self, target: int, level: int, pixels: np.ndarray) -> None:
        define = (glTexImage1D, glTexImage2D, glTexImage3D)[len(self.size) - 1]
        sides = tuple(reversed(pixels.shape[:-1]))
        kind = self.format.number(self.format.name), *sides, 0, *self._pixels()
        define(target, level, *kind, np.ascontiguousarray(pixels).ctypes.data_as(ctypes.c_void_p))

    def _pixels(self) -> tuple[int, int]:
        return self.format.number(self.format.pixel_format), self.format.number(self.format.pixel_type)

    def read(self, bind: bool = True) -> np.ndarray:
        if bind:
            GL.glBindTexture(self.binding, self.name)
        found = np.zeros(self.like.nbytes, np.uint8)
        glGetTexImage(self.target, self.level, *self._pixels(), found.ctypes.data_as(ctypes.c_void_p))
        return found.view(self.like.dtype).reshape(self.like.shape)


    def read_attached(self) -> np.ndarray:
        """Of a 2D texture that can be drawn into: by a new framebuffer, which it is attached to now."""
        framebuffer = int(GL.glGenFramebuffers(1))
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, framebuffer)
        GL.glFramebufferTexture2D(GL.GL_READ_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, self.target, self.name, self.level)
        found = GL.glReadPixels(0, 0, *self.size, *self._pixels(), outputType=bytes)
        GL.glDeleteFramebuffers(1, [framebuffer])
        return np.frombuffer(found, self.like.dtype).reshape(self.like.shape)


def renderbuffer(format_: GlFormat, size: tuple[int, int]) -> int:
    name = int(GL.glGenRenderbuffers(1))
    GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, name)
    GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, format_.number(format_.name), *size)
    return name


def egl_image(gl: GlContext, texture: Texture) -> Handle:
    """An EGLImage of the first level of a 2D texture."""
    attributes = (ctypes.c_int * 5)(0x30BC, 0, 0x30D2, 1, NONE)  # EGL_GL_TEXTURE_LEVEL_KHR 0, EGL_IMAGE_PRESERVED_KHR
    made = Handle(egl("eglCreateImageKHR", gl.display, gl.context, 0x30B1, Handle(texture.name), attributes))  # EGL_GL_TEXTURE_2D_KHR
    assert made, "EGL makes no image"
    return made


def egl_fence(gl: GlContext) -> Handle:
    return Handle(egl("eglCreateSyncKHR", gl.display, 0x30F9, None))  # EGL_SYNC_FENCE_KHR


def gl_fence() -> Handle:
    return Handle(ctypes.cast(GL.glFenceSync(GL.GL_SYNC_GPU_COMMANDS_COMPLETE, 0), ctypes.c_void_p).value or 0)
