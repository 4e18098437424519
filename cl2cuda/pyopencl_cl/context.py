"""The context class."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from ..runtime.spec import codes
from .errors import guarded, guarded_info, make_error
from .handles import Answering, core_of, stands_for, to_python
from .integers import cast, cl_bitfield, ptrdiff_t
from .later import context_graphics, contexts, device_queues, platforms
from .platform import Device, Platform


@stands_for("context.context.Context")
class Context(Answering):
    """cl_context (4.4). Errors: INVALID_PROPERTY, INVALID_VALUE, INVALID_DEVICE, DEVICE_NOT_FOUND."""

    _invalid = "INVALID_CONTEXT"

    @guarded
    def __init__(self, devices: Iterable[Device] | None = None, properties: Iterable[tuple[int, Any]] | None = None,
                 dev_type: int | None = None) -> None:
        """A context of the listed devices, or of those of a type (default: CL_DEVICE_TYPE_DEFAULT)."""
        pairs = context_properties(properties)
        if devices is not None:
            if dev_type is not None:
                raise make_error("Context", "INVALID_VALUE", "one of 'devices' or 'dev_type' must be None")
            chosen = [core_of(device, Device, "every element of 'devices'") for device in devices]
        else:
            wanted = codes.DEVICE_TYPE_DEFAULT if dev_type is None else cast(cl_bitfield, dev_type, "dev_type")
            chosen = _devices_of_type(pairs, wanted)
        self._core = contexts.Context(chosen, pairs)

    def _answer(self, arg: int) -> Any:
        if arg != codes.CONTEXT_PROPERTIES:
            return super()._answer(arg)
        return [(name, to_python(value)) for name, value in _in_pairs(guarded_info(type(self._core).get_info, self._core, arg))]

    @guarded
    def set_default_device_command_queue(self, device: Device, queue: Any) -> None:
        device_queues.set_default_device_command_queue(self._core, core_of(device, Device, "device"), getattr(queue, "_core", queue))


def context_properties(properties: Iterable[tuple[int, Any]] | None) -> tuple[tuple[int, Any], ...]:
    pairs = []
    for pair in properties or ():
        if len(pair) != 2:
            raise make_error("Context", "INVALID_VALUE", "property tuple must have length 2")
        name, value = cast(ptrdiff_t, pair[0], "the property's name"), pair[1]
        if name == codes.CONTEXT_PLATFORM:
            pairs.append((name, core_of(value, Platform, "the value of context_properties.PLATFORM")))
        elif name in context_graphics.PROPERTIES:
            pairs.append((name, _handle_number(value)))
        else:
            raise make_error("Context", "INVALID_VALUE", f"invalid context property {name:#x}")
    return tuple(pairs)


def _handle_number(value: Any) -> int:
    """A handle of another API: what ctypes takes for a pointer, as PyOpenGL's are, or its number."""
    return ctypes.cast(value, ctypes.c_void_p).value or 0


def _devices_of_type(properties: tuple[tuple[int, Any], ...], device_type: int) -> list[Any]:
    platform = dict(properties).get(codes.CONTEXT_PLATFORM) or platforms.platforms()[0]
    found = context_graphics.devices_of_type("clCreateContextFromType", platform, device_type, properties)
    if not found:
        raise make_error("Context", "DEVICE_NOT_FOUND", f"the platform has no device of type {device_type:#x}")
    return found


def _in_pairs(values: tuple[Any, ...]) -> list[tuple[int, Any]]:
    """CL_CONTEXT_PROPERTIES as (name, value) pairs, whether the runtime lists pairs or names and values in a row."""
    if values and isinstance(values[0], tuple):
        return list(values)
    return list(zip(values[::2], values[1::2], strict=False))
