"""Contexts (4.4)."""

from __future__ import annotations

from typing import Any

from ..runtime.context import context as contexts
from ..runtime.context import graphics
from ..runtime.devices.device import Device
from ..runtime.devices.platform import Platform
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from . import application
from .packing import info
from .platform import only_platform

ROUTINE = "clCreateContext"


def clCreateContext(properties: int, devices: tuple[Device, ...] | None, notify: int, user_data: int) -> contexts.Context:
    if devices is None:
        raise CLError(ROUTINE, "INVALID_VALUE", "no devices are given")
    return _context(ROUTINE, properties, devices, notify, user_data)


def clCreateContextFromType(properties: int, type_: int, notify: int, user_data: int) -> contexts.Context:
    pairs = context_pairs(properties)
    platform = dict(pairs).get(codes.CONTEXT_PLATFORM) or only_platform()
    if not isinstance(platform, Platform):
        raise CLError("clCreateContextFromType", "INVALID_PLATFORM", "the properties' platform is none of cl2cuda's")
    found = graphics.devices_of_type("clCreateContextFromType", platform, codes.DEVICE_TYPE_ALL if type_ == 2**64 - 1 else type_, pairs)
    if not found:
        raise CLError("clCreateContextFromType", "DEVICE_NOT_FOUND", f"the platform has no device of type {type_:#x}")
    return _context("clCreateContextFromType", properties, found, notify, user_data)


def _context(routine: str, properties: int, devices: Any, notify: int, user_data: int) -> contexts.Context:
    application.check_callback(routine, notify, user_data)
    made = contexts.Context(devices, context_pairs(properties), application.calling_with_text(notify, user_data))
    made.make_ready()  # What queues and programs need is imported while CUDA makes its context.
    return application.remember(made, properties)


def context_pairs(address: int) -> list[tuple[int, Any]]:
    """The value of CL_CONTEXT_PLATFORM is a platform; None where it is none."""
    return [(name, application.core(value, "P") if name == codes.CONTEXT_PLATFORM else value)
            for name, value in application.properties(address)]


def clGetContextInfo(context: contexts.Context, param: int) -> bytes:
    return info(contexts.QUERIES, context, param)


def clSetContextDestructorCallback(address: int, notify: int, user_data: int) -> None:
    if not notify:
        raise CLError("clSetContextDestructorCallback", "INVALID_VALUE", "the callback is NULL")
    # The context goes with its object: the callback is given its address, and must not keep it.
    application.core(address, "C").set_destructor_callback(lambda: application.call(notify, address, user_data, 0, 0))


def clTerminateContextKHR(context: contexts.Context) -> None:
    context.terminate()
