"""The contexts of OpenGL and the EGL displays that an OpenCL context shares objects with (4.4, cl_khr_gl_sharing)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..devices.device import Device
from ..driver.device import GraphicsSharing
from ..driver.reported import reported
from ..spec import codes
from ..spec.errors import CLError

if TYPE_CHECKING:
    from ..opengl.share_group import ShareGroup

DISPLAYS = (codes.EGL_DISPLAY_KHR, codes.GLX_DISPLAY_KHR, codes.WGL_HDC_KHR, codes.CGL_SHAREGROUP_KHR)
# The context properties that name an OpenGL context; all are 0 by default.
PROPERTIES = (codes.GL_CONTEXT_KHR, *DISPLAYS)


class Graphics:
    """`group` is that of the OpenGL context that the OpenCL context was created from; None where it was created from none."""

    def __init__(self, devices: Sequence[Device], group: ShareGroup | None):
        self.group = group
        self._devices = devices
        self._lock = threading.Lock()
        self._of_displays: dict[int, ShareGroup] = {}

    @classmethod
    def of(cls, routine: str, devices: Sequence[Device], properties: Sequence[tuple[int, Any]]) -> Graphics:
        """Raises CLError: INVALID_GL_SHAREGROUP_REFERENCE_KHR, INVALID_OPERATION."""
        group = share_group(routine, properties) if properties else None
        if group is not None:
            for device in devices:
                _check(routine, device, group)
        return cls(devices, group)

    def of_display(self, routine: str, display: int) -> ShareGroup:
        """A group of no context of the application's, for the EGLImages of a display."""
        from ..opengl import egl
        from ..opengl.share_group import ShareGroup

        with self._lock:
            if display not in self._of_displays:
                with reported(routine):
                    group = ShareGroup(egl.EglContext(display, 0))
                for device in self._devices:
                    _check(routine, device, group)
                self._of_displays[display] = group
            return self._of_displays[display]


def sharing_of(device: Device) -> GraphicsSharing:
    """What the driver can do, on a device of a context that shares."""
    found = device.driver_device.graphics
    assert found is not None, "creating the context has seen to it"
    return found


def share_group(routine: str, properties: Sequence[tuple[int, Any]]) -> ShareGroup | None:
    """The group of the OpenGL context that context properties name; None where they name none."""
    given = {name: value for name, value in properties if name in PROPERTIES and value}
    displays = [name for name in DISPLAYS if name in given]
    if not given:
        return None
    # "CL_INVALID_OPERATION if [...] a context or share group object was specified for one of CGL, EGL, GLX, or WGL and the OpenGL
    # implementation does not support that window-system binding API, more than one of [the displays] is set to a non-default value"
    if len(displays) > 1:
        raise CLError(routine, "INVALID_OPERATION", "the properties name displays of several window-system interfaces")
    if {codes.WGL_HDC_KHR, codes.CGL_SHAREGROUP_KHR} & set(given):
        raise CLError(routine, "INVALID_OPERATION", "OpenGL contexts of WGL and CGL are not of this system: it has EGL and GLX")
    if codes.GL_CONTEXT_KHR not in given:
        return None
    if not displays:
        raise CLError(routine, "INVALID_GL_SHAREGROUP_REFERENCE_KHR",
                      "CL_GL_CONTEXT_KHR goes with the display of the context: CL_EGL_DISPLAY_KHR or CL_GLX_DISPLAY_KHR")
    from ..opengl import egl, glx, library  # as above: what only a context needs that shares
    from ..opengl.share_group import ShareGroup

    context, display = given[codes.GL_CONTEXT_KHR], given[displays[0]]
    is_egl = displays[0] == codes.EGL_DISPLAY_KHR
    if (library.egl() if is_egl else library.glx()) is None:
        raise CLError(routine, "INVALID_OPERATION", f"the library of {'EGL' if is_egl else 'GLX'} is not installed")
    with reported(routine, "INVALID_GL_SHAREGROUP_REFERENCE_KHR"):
        return ShareGroup(egl.EglContext(display, context) if is_egl else glx.GlxContext(display, context))


def _check(routine: str, device: Device, group: ShareGroup) -> None:
    sharing = device.driver_device.graphics
    if sharing is None:
        raise CLError(routine, "INVALID_OPERATION", f"{device!r} shares no objects with OpenGL")
    refusal = sharing.refusal(group)
    if refusal:
        raise CLError(routine, "INVALID_GL_SHAREGROUP_REFERENCE_KHR", f"{device!r} cannot share with the context: {refusal}")
