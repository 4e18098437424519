"""The context: the devices that objects are shared between, and the memory given back while commands may still use it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import codes
from .device import Device
from .errors import CLError
from .info import QueryTable

if TYPE_CHECKING:
    from .queue import CommandQueue

ROUTINE = "clCreateContext"


class Context:
    """cl_context. `properties` are (name, value) pairs; `callback` is called with a text when a command fails later on."""

    def __init__(self, devices: Sequence[Device], properties: Sequence[tuple[int, Any]] = (),
                 callback: Callable[[str], None] | None = None):
        if not devices:
            raise CLError(ROUTINE, "INVALID_VALUE", "no devices are given")
        for device in devices:
            if not isinstance(device, Device):
                raise CLError(ROUTINE, "INVALID_DEVICE", f"{device!r} is not a device")
        _check_properties(properties)
        self.devices = tuple(dict.fromkeys(devices))
        self.properties = tuple(properties)
        self.callback = callback
        self.one_device = len(self.devices) == 1
        self.queues: weakref.WeakSet[CommandQueue] = weakref.WeakSet()
        self._retired: list[_Retired] = []
        self._left_behind: list[Any] = []

    @property
    def context(self) -> Context:
        return self

    def get_info(self, param: int) -> Any:
        return QUERIES.get(self, param)

    def release(self) -> None:
        """Objects made of the context keep it; there is nothing to give back but what their own release returns."""
        self.reclaim()

    def retire(self, device: Device, free: Callable[[], None]) -> None:
        """Calls `free` once no command of the device's queues can use the memory: at once when they are idle."""
        queues = [queue for queue in self.queues if queue.device is device and not queue.idle]
        self._left_behind = [mark for mark in self._left_behind if not mark.done()]
        if not queues and not self._left_behind:
            free()
            return
        self._retired.append(_Retired(queues, list(self._left_behind), free))
        if len(self._retired) >= 16:
            self.reclaim()

    def reclaim(self) -> None:
        """Frees the retired memory whose users have ended."""
        if self._retired:
            waiting, self._retired = self._retired, []
            self._retired += [one for one in waiting if not one.try_free()]

    def reclaim_all(self) -> None:
        """Waits for every command, then frees all retired memory: what is left to try when an allocation fails."""
        for queue in list(self.queues):
            queue.finish()
        self.reclaim()

    def leave_behind(self, mark: Any) -> None:
        """A queue that goes away while its commands run leaves the mark of its end."""
        self._left_behind.append(mark)


class _Retired:
    """Memory to be freed when the marks are reached. A queue that holds commands back gets its mark once they are issued."""

    def __init__(self, queues: list[CommandQueue], marks: list[Any], free: Callable[[], None]):
        self.queues = queues
        self.marks = marks
        self.free = free
        self._mark_queues()

    def _mark_queues(self) -> None:
        ready = [queue for queue in self.queues if not queue.holds_commands]
        self.marks += [queue.current_mark() for queue in ready]
        self.queues = [queue for queue in self.queues if queue not in ready]

    def try_free(self) -> bool:
        if self.queues:
            self._mark_queues()
        self.marks = [mark for mark in self.marks if not mark.done()]
        if self.queues or self.marks:
            return False
        self.free()
        return True


def _check_properties(properties: Sequence[tuple[int, Any]]) -> None:
    """CL_INVALID_PROPERTY "if a context property name in properties is not a supported property name, [...] or if the same
    property name is specified more than once"; CL_INVALID_PLATFORM if the platform is none of ours."""
    from .platform import Platform

    seen = set()
    for name, value in properties:
        if name not in (codes.CONTEXT_PLATFORM, codes.CONTEXT_INTEROP_USER_SYNC):
            raise CLError(ROUTINE, "INVALID_PROPERTY", f"the property {name:#x} is not supported")
        if name in seen:
            raise CLError(ROUTINE, "INVALID_PROPERTY", f"the property {name:#x} is given twice")
        if name == codes.CONTEXT_PLATFORM and not isinstance(value, Platform):
            raise CLError(ROUTINE, "INVALID_PLATFORM", f"{value!r} is not a platform of cl2cuda")
        seen.add(name)


QUERIES = QueryTable("clGetContextInfo", (
    ("CONTEXT_REFERENCE_COUNT", codes.CONTEXT_REFERENCE_COUNT, "uint", lambda c: 1),
    ("CONTEXT_DEVICES", codes.CONTEXT_DEVICES, "object[]", lambda c: c.devices),
    ("CONTEXT_PROPERTIES", codes.CONTEXT_PROPERTIES, "properties", lambda c: c.properties),
    ("CONTEXT_NUM_DEVICES", codes.CONTEXT_NUM_DEVICES, "uint", lambda c: len(c.devices)),
))
