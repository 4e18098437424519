"""clGetGLContextInfoKHR (5.18): the devices that share with an OpenGL context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..context.context import PROPERTY_NAMES
from ..context.graphics import share_group
from ..devices.device import Device
from ..devices.platform import Platform
from ..spec import codes
from ..spec.errors import CLError

ROUTINE = "clGetGLContextInfoKHR"


def gl_context_info(platform: Platform, properties: Sequence[tuple[int, Any]], param: int) -> Device | tuple[Device, ...] | None:
    """The device that the context renders on (None where none does), or all that can share its objects. `properties` are those that
    clCreateContext takes. Raises CLError: INVALID_VALUE, INVALID_OPERATION, INVALID_GL_SHAREGROUP_REFERENCE_KHR."""
    if param not in (codes.CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, codes.DEVICES_FOR_GL_CONTEXT_KHR):
        raise CLError(ROUTINE, "INVALID_VALUE", f"no query has the code {param:#x} here")
    for name, _ in properties:
        # "CL_INVALID_VALUE if a property name specified in properties is invalid."
        if name not in PROPERTY_NAMES:
            raise CLError(ROUTINE, "INVALID_VALUE", f"the property {name:#x} is not supported")
    group = share_group(ROUTINE, properties)
    # "properties must identify a single valid GL context or GL share group object."
    if group is None:
        raise CLError(ROUTINE, "INVALID_GL_SHAREGROUP_REFERENCE_KHR", "the properties name no OpenGL context")
    sharing = [(device, ability) for device in platform.devices() if (ability := device.driver_device.graphics) is not None]
    if param == codes.DEVICES_FOR_GL_CONTEXT_KHR:
        return tuple(device for device, ability in sharing if not ability.refusal(group))
    return next((device for device, ability in sharing if ability.renders(group)), None)
