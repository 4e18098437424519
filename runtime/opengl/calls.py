"""OpenGL's functions for one window-system binding, looked up when they are first called, and the numbers that are given to them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from .library import GraphicsError

NO_ERROR = 0
VERSION = 0x1F02

BUFFER_SIZE = 0x8764
ARRAY_BUFFER = 0x8892
PIXEL_PACK_BUFFER, PIXEL_UNPACK_BUFFER = 0x88EB, 0x88EC
STREAM_COPY = 0x88E2
PACK_ALIGNMENT, UNPACK_ALIGNMENT = 0x0D05, 0x0CF5

TEXTURE_1D, TEXTURE_2D, TEXTURE_3D = 0x0DE0, 0x0DE1, 0x806F
TEXTURE_RECTANGLE = 0x84F5
TEXTURE_1D_ARRAY, TEXTURE_2D_ARRAY = 0x8C18, 0x8C1A
TEXTURE_BUFFER = 0x8C2A
TEXTURE_CUBE_MAP = 0x8513
TEXTURE_CUBE_MAP_FACES = tuple(range(0x8515, 0x851B))  # POSITIVE_X to NEGATIVE_Z
RENDERBUFFER = 0x8D41

TEXTURE_WIDTH, TEXTURE_HEIGHT, TEXTURE_DEPTH = 0x1000, 0x1001, 0x8071
TEXTURE_INTERNAL_FORMAT, TEXTURE_BORDER = 0x1003, 0x1005
TEXTURE_RED_SIZE, TEXTURE_BLUE_SIZE, TEXTURE_ALPHA_SIZE = 0x805C, 0x805E, 0x805F
TEXTURE_MIN_FILTER, TEXTURE_BASE_LEVEL, TEXTURE_MAX_LEVEL = 0x2801, 0x813C, 0x813D
NEAREST, LINEAR = 0x2600, 0x2601
TEXTURE_BUFFER_DATA_STORE_BINDING, TEXTURE_BUFFER_OFFSET, TEXTURE_BUFFER_SIZE = 0x8C2D, 0x919D, 0x919E
RENDERBUFFER_WIDTH, RENDERBUFFER_HEIGHT, RENDERBUFFER_INTERNAL_FORMAT = 0x8D42, 0x8D43, 0x8D44
RENDERBUFFER_SAMPLES = 0x8CAB

SYNC_GPU_COMMANDS_COMPLETE = 0x9117
ALREADY_SIGNALED, TIMEOUT_EXPIRED, CONDITION_SATISFIED = 0x911A, 0x911B, 0x911C
ALL_BARRIER_BITS = 0xFFFF_FFFF
TIMEOUT_IGNORED = 0xFFFF_FFFF_FFFF_FFFF

_P, _U, _I, _S, _Z = ctypes.c_void_p, ctypes.c_uint, ctypes.c_int, ctypes.c_ssize_t, ctypes.c_uint64
_NAMES = (None, _I, _P)  # of glGen… and glDelete…

# What each function returns, and takes.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "GetError": (_U,), "GetString": (ctypes.c_char_p, _U), "Finish": (None,), "Flush": (None,), "PixelStorei": (None, _U, _I),
    "IsBuffer": (ctypes.c_ubyte, _U), "GenBuffers": _NAMES, "DeleteBuffers": _NAMES, "BindBuffer": (None, _U, _U),
    "BufferData": (None, _U, _S, _P, _U), "GetBufferParameteriv": (None, _U, _U, _P),
    "GetBufferSubData": (None, _U, _S, _S, _P), "BufferSubData": (None, _U, _S, _S, _P),
    "IsTexture": (ctypes.c_ubyte, _U), "GenTextures": _NAMES, "DeleteTextures": _NAMES, "BindTexture": (None, _U, _U),
    "GetTexParameteriv": (None, _U, _U, _P), "TexParameteri": (None, _U, _U, _I), "GetTexLevelParameteriv": (None, _U, _I, _U, _P),
    "GetTextureSubImage": (None, _U, *[_I] * 7, _U, _U, _I, _P),
    "TexSubImage1D": (None, _U, _I, _I, _I, _U, _U, _P), "TexSubImage2D": (None, _U, _I, _I, _I, _I, _I, _U, _U, _P),
    "TexSubImage3D": (None, _U, _I, _I, _I, _I, _I, _I, _I, _U, _U, _P),
    "TexImage2D": (None, _U, _I, _I, _I, _I, _I, _U, _U, _P), "TexStorage2D": (None, _U, _I, _U, _I, _I),
    "CopyImageSubData": (None, _U, _U, _I, _I, _I, _I, _U, _U, _I, _I, _I, _I, _I, _I, _I),
    "IsRenderbuffer": (ctypes.c_ubyte, _U), "BindRenderbuffer": (None, _U, _U), "GetRenderbufferParameteriv": (None, _U, _U, _P),
    "FenceSync": (_P, _U, _U), "IsSync": (ctypes.c_ubyte, _P), "DeleteSync": (None, _P), "ClientWaitSync": (_U, _P, _U, _Z),
    "WaitSync": (None, _P, _U, _Z), "MemoryBarrier": (None, _U),
    "EGLImageTargetTexture2DOES": (None, _U, _P),
}


class Calls:
    """`gl.BindTexture(…)` is glBindTexture on the context that is current. `address` finds a function by its name."""

    def __init__(self, address: Callable[[str], int]):
        self._address = address

    def __getattr__(self, name: str) -> Callable[..., Any]:
        result, *arguments = _FUNCTIONS[name]
        place = self._address(f"gl{name}")
        if not place:
            raise GraphicsError(f"the OpenGL implementation has no gl{name}", "INVALID_OPERATION")
        function = ctypes.CFUNCTYPE(result, *arguments)(place)
        setattr(self, name, function)
        return function

    def integer(self, function: str, *arguments: int) -> int:
        """The number that a function such as GetTexParameteriv writes to its last argument."""
        found = (ctypes.c_int * 4)()
        getattr(self, function)(*arguments, found)
        return found[0]

    def new_name(self, function: str) -> int:
        """A name from GenTextures or its like."""
        found = ctypes.c_uint()
        getattr(self, function)(1, ctypes.byref(found))
        return found.value

    def delete_name(self, function: str, name: int) -> None:
        getattr(self, function)(1, ctypes.byref(ctypes.c_uint(name)))

    def failed(self) -> int:
        """The first error since the last question; 0 for none."""
        first = code = self.GetError()
        while code not in (NO_ERROR, 0x0507):  # a lost context goes on saying so
            code = self.GetError()
        return int(first)

    def check(self, what: str, status: str = "OUT_OF_RESOURCES") -> None:
        code = self.failed()
        if code:
            raise GraphicsError(f"OpenGL refuses {what}: error {code:#x}", status)
