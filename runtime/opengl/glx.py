"""GLX: contexts that share with the application's, on an X server's display."""

from __future__ import annotations

import ctypes
from functools import cache

from . import library
from .library import GraphicsError, prototype

_P, _I, _U = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint

SHAREGROUP = "INVALID_GL_SHAREGROUP_REFERENCE_KHR"
FBCONFIG_ID, SCREEN, RGBA_TYPE = 0x8013, 0x800C, 0x8014
PBUFFER_WIDTH, PBUFFER_HEIGHT = 0x8041, 0x8040


class Functions:
    """GLX's functions. A display is Xlib's."""

    def __init__(self, glx: ctypes.CDLL):
        self.proc = prototype(glx, "glXGetProcAddressARB", _P, ctypes.c_char_p)
        self.current_context = prototype(glx, "glXGetCurrentContext", _P)
        self.query_context = prototype(glx, "glXQueryContext", _I, _P, _P, _I, _P)
        self.choose_config = prototype(glx, "glXChooseFBConfig", _P, _P, _I, _P, _P)
        self.create_context = prototype(glx, "glXCreateNewContext", _P, _P, _P, _I, _P, _I)
        self.destroy_context = prototype(glx, "glXDestroyContext", None, _P, _P)
        self.create_pbuffer = prototype(glx, "glXCreatePbuffer", ctypes.c_ulong, _P, _P, _P)
        self.destroy_pbuffer = prototype(glx, "glXDestroyPbuffer", None, _P, ctypes.c_ulong)
        self.make_current = prototype(glx, "glXMakeContextCurrent", _I, _P, ctypes.c_ulong, ctypes.c_ulong, _P)


@cache
def functions() -> Functions:
    glx = library.glx()
    if glx is None:
        raise GraphicsError("GLX's library libGLX.so.0 is not installed", SHAREGROUP)
    return Functions(glx)


@cache
def _x_free() -> ctypes._NamedFuncPointer:
    function = ctypes.CDLL("libX11.so.6").XFree
    function.argtypes = [_P]
    return function


class GlxContext:
    """A context of ours, which shares its objects with `shared`, a context of the application's on the display."""

    def __init__(self, display: int, shared: int):
        self._glx = functions()
        self._display, self.shared = display, shared
        self._context = self._pbuffer = 0

    def check(self) -> None:
        """Raises GraphicsError where the handles can be seen to be none: GLX itself believes every pointer."""
        if not self._display or not self.shared:
            raise GraphicsError("the GLX display or context is NULL", SHAREGROUP)

    def address(self, name: str) -> int:
        return self._glx.proc(name.encode()) or 0

    def calling_thread_has_one(self) -> bool:
        """Whether a context, whoever's, is current on the calling thread."""
        return bool(self._glx.current_context())

    def calling_thread_has_shared(self) -> bool:
        return self._glx.current_context() == self.shared

    def enter(self) -> None:
        """Makes the context, and makes it current on the calling thread."""
        config = self._config()
        self._context = self._glx.create_context(self._display, config, RGBA_TYPE, self.shared, 1) or 0
        if not self._context:
            raise GraphicsError(f"GLX makes no context that shares with {self.shared:#x}", SHAREGROUP)
        self._pbuffer = self._glx.create_pbuffer(self._display, config, (ctypes.c_int * 5)(PBUFFER_WIDTH, 1, PBUFFER_HEIGHT, 1, 0))
        if not self._glx.make_current(self._display, self._pbuffer, self._pbuffer, self._context):
            raise GraphicsError("GLX does not make a context current", SHAREGROUP)

    def _config(self) -> int:
        """The shared context's."""
        number, screen, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        self._glx.query_context(self._display, self.shared, FBCONFIG_ID, ctypes.byref(number))
        self._glx.query_context(self._display, self.shared, SCREEN, ctypes.byref(screen))
        found = self._glx.choose_config(self._display, screen.value, (ctypes.c_int * 3)(FBCONFIG_ID, number.value, 0), ctypes.byref(count))
        if not found or not count.value:
            raise GraphicsError("the GLX context is of no frame buffer configuration", SHAREGROUP)
        config = ctypes.cast(found, ctypes.POINTER(_P))[0]
        _x_free()(found)
        return int(config or 0)

    def leave(self) -> None:
        """What `enter` has done, undone on the same thread."""
        self._glx.make_current(self._display, 0, 0, None)
        if self._pbuffer:
            self._glx.destroy_pbuffer(self._display, self._pbuffer)
        if self._context:
            self._glx.destroy_context(self._display, self._context)
        self._context = self._pbuffer = 0
