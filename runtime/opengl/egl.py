"""EGL: contexts that share with the application's, EGLImages and fence sync objects."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from . import library
from .library import GraphicsError, prototype

_P, _I, _U, _Z = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_uint64

NONE, EXTENSIONS = 0x3038, 0x3055
CONFIG_ID, CONTEXT_CLIENT_TYPE, OPENGL_API = 0x3028, 0x3097, 0x30A2
SURFACE_TYPE, PBUFFER_BIT, RENDERABLE_TYPE, OPENGL_BIT, WIDTH, HEIGHT = 0x3033, 1, 0x3040, 8, 0x3057, 0x3056
CONTEXT_MAJOR, CONTEXT_MINOR, PROFILE_MASK, CORE_PROFILE = 0x3098, 0x30FB, 0x30FD, 1
SYNC_TYPE, SYNC_STATUS, SYNC_FENCE, SIGNALED = 0x30F7, 0x30F1, 0x30F9, 0x30F2

# How a context is asked for: the newest of all, else the newest without what was deprecated.
_WISHES = ((NONE,), (CONTEXT_MAJOR, 4, CONTEXT_MINOR, 5, PROFILE_MASK, CORE_PROFILE, NONE))


class Functions:
    """EGL's functions. `display` and `context` are handles; a status is 0 for failure."""

    def __init__(self, egl: ctypes.CDLL):
        self.proc = prototype(egl, "eglGetProcAddress", _P, ctypes.c_char_p)
        self.error = prototype(egl, "eglGetError", _I)
        self.query_string = prototype(egl, "eglQueryString", ctypes.c_char_p, _P, _I)
        self.query_context = prototype(egl, "eglQueryContext", _U, _P, _P, _I, _P)
        self.current_context = prototype(egl, "eglGetCurrentContext", _P)
        self.bind_api = prototype(egl, "eglBindAPI", _U, _U)
        self.choose_config = prototype(egl, "eglChooseConfig", _U, _P, _P, _P, _I, _P)
        self.create_context = prototype(egl, "eglCreateContext", _P, _P, _P, _P, _P)
        self.destroy_context = prototype(egl, "eglDestroyContext", _U, _P, _P)
        self.create_pbuffer = prototype(egl, "eglCreatePbufferSurface", _P, _P, _P, _P)
        self.destroy_surface = prototype(egl, "eglDestroySurface", _U, _P, _P)
        self.make_current = prototype(egl, "eglMakeCurrent", _U, _P, _P, _P, _P)

    def extension(self, name: str, result: Any, *arguments: Any) -> Any:
        place = self.proc(name.encode())
        if not place:
            raise GraphicsError(f"EGL has no {name}", "INVALID_OPERATION")
        return ctypes.CFUNCTYPE(result, *arguments)(place)


@cache
def functions() -> Functions:
    egl = library.egl()
    if egl is None:
        raise GraphicsError("EGL's library libEGL.so.1 is not installed", "INVALID_GL_SHAREGROUP_REFERENCE_KHR")
    return Functions(egl)


def is_display(display: int) -> bool:
    """Whether the handle is a display that has been initialised."""
    return bool(display) and bool(functions().query_string(display, EXTENSIONS))


class EglContext:
    """A context of ours on a display, which shares its objects with `shared`, a context of the application's; 0: with none."""

    def __init__(self, display: int, shared: int):
        self._egl = functions()
        self._display, self.shared = display, shared
        self._context = self._surface = 0

    def check(self) -> None:
        """Raises GraphicsError if the application's handles are none, or of another API than OpenGL."""
        if not is_display(self._display):
            raise GraphicsError(f"{self._display:#x} is no initialised EGLDisplay", "INVALID_GL_SHAREGROUP_REFERENCE_KHR")
        if self.shared and self._asked(CONTEXT_CLIENT_TYPE) != OPENGL_API:
            raise GraphicsError("objects of OpenGL ES contexts cannot be shared: the context must be one of OpenGL",
                                "INVALID_GL_SHAREGROUP_REFERENCE_KHR")

    def _asked(self, attribute: int) -> int:
        value = ctypes.c_int()
        if not self._egl.query_context(self._display, self.shared, attribute, ctypes.byref(value)):
            raise GraphicsError(f"{self.shared:#x} is no EGLContext of the display", "INVALID_GL_SHAREGROUP_REFERENCE_KHR")
        return value.value

    def address(self, name: str) -> int:
        return self._egl.proc(name.encode()) or 0

    def calling_thread_has_one(self) -> bool:
        """Whether a context, whoever's, is current on the calling thread."""
        return bool(self._egl.current_context())

    def calling_thread_has_shared(self) -> bool:
        return bool(self.shared) and self._egl.current_context() == self.shared

    def enter(self) -> None:
        """Makes the context, and makes it current on the calling thread."""
        self._egl.bind_api(OPENGL_API)
        config = self._config()
        for wish in _WISHES:
            attributes = (ctypes.c_int * len(wish))(*wish)
            self._context = self._egl.create_context(self._display, config, self.shared or None, attributes) or 0
            if self._context:
                break
        if not self._context:
            raise GraphicsError(f"EGL makes no context that shares with {self.shared:#x}: error {self._egl.error():#x}",
                                "INVALID_GL_SHAREGROUP_REFERENCE_KHR")
        if b"EGL_KHR_surfaceless_context" not in self._egl.query_string(self._display, EXTENSIONS):
            size = (ctypes.c_int * 5)(WIDTH, 1, HEIGHT, 1, NONE)
            self._surface = self._egl.create_pbuffer(self._display, config, size) or 0
        if not self._egl.make_current(self._display, self._surface or None, self._surface or None, self._context):
            raise GraphicsError(f"EGL does not make a context current: error {self._egl.error():#x}")

    def _config(self) -> int | None:
        """The shared context's; None where that was made without one."""
        number = self._asked(CONFIG_ID) if self.shared else 0
        if self.shared and not number:
            return None
        wanted = (CONFIG_ID, number) if number else (SURFACE_TYPE, PBUFFER_BIT, RENDERABLE_TYPE, OPENGL_BIT)
        found, count = ctypes.c_void_p(), ctypes.c_int()
        attributes = (ctypes.c_int * (len(wanted) + 1))(*wanted, NONE)
        self._egl.choose_config(self._display, attributes, ctypes.byref(found), 1, ctypes.byref(count))
        return found.value if count.value else None

    def leave(self) -> None:
        """What `enter` has done, undone on the same thread."""
        self._egl.make_current(self._display, None, None, None)
        if self._surface:
            self._egl.destroy_surface(self._display, self._surface)
        if self._context:
            self._egl.destroy_context(self._display, self._context)
        self._context = self._surface = 0


class FenceSync:
    """An EGLSync of the application's."""

    def __init__(self, display: int, sync: int):
        egl = functions()
        self._attribute = egl.extension("eglGetSyncAttribKHR", _U, _P, _P, _I, _P)
        self._display, self._sync = display, sync
        if not is_display(display) or self._asked(SYNC_TYPE) != SYNC_FENCE:
            raise GraphicsError(f"{sync:#x} is no fence sync object of the display {display:#x}", "INVALID_EGL_OBJECT_KHR")

    def _asked(self, attribute: int) -> int:
        """0 where the sync object is none."""
        value = ctypes.c_int()
        known = self._attribute(self._display, self._sync or None, attribute, ctypes.byref(value))
        return value.value if known else 0

    def signaled(self) -> bool:
        """Also when the object has gone: the application has waited for it, or wants no more of it."""
        return self._asked(SYNC_STATUS) in (SIGNALED, 0)
