"""The objects of the C interface for those of the runtime: which kind stands for which class.

Classes are known here by their names: most of their files are imported when a program first asks for such an object (start)."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from ..runtime.devices.device import Device
from ..runtime.devices.platform import Platform
from . import application

# The letters of driver/objects.h.
_KINDS = {
    "Platform": "P", "Device": "D", "Context": "C", "CommandQueue": "Q", "DeviceQueue": "Q", "Buffer": "M", "Image": "M", "Pipe": "M",
    "Program": "G", "Kernel": "K", "Event": "E", "Sampler": "S", "Semaphore": "X", "CommandBuffer": "B", "Command": "U",
}

# What is given back at the last reference, though others may still know the object. The rest goes with the last who knows it.
_RELEASED = frozenset("MKSXB")

_kind_of_type: dict[type, str] = {}
_platform_and_devices: dict[Any, int] = {}
_belonging: weakref.WeakKeyDictionary[Any, list[int]] = weakref.WeakKeyDictionary()
_held: weakref.WeakKeyDictionary[Any, list[int]] = weakref.WeakKeyDictionary()


def kind_of(core: Any) -> str:
    found = _kind_of_type.get(type(core))
    if found is None:
        found = next(_KINDS[base.__name__] for base in type(core).__mro__ if base.__name__ in _KINDS)
        _kind_of_type[type(core)] = found
    return found


def handle_of(core: Any) -> int:
    """The address of the object that stands for this one. The platform and its devices get theirs here; what is counted gets
    its own when it is made."""
    if isinstance(core, Platform) or (isinstance(core, Device) and core.parent is None):
        if core not in _platform_and_devices:
            _platform_and_devices[core] = application.handle(core, kind_of(core), True, 0)
        return _platform_and_devices[core]
    return application.handle(core, kind_of(core), False, 0)


def new_handle(core: Any, parent: Any) -> int:
    """An object with one reference, for the application."""
    return application.handle(core, kind_of(core), True, handle_of(parent))


def belonging_handle(core: Any, parent: Any) -> int:
    """An object that nobody releases: it goes with the last reference to its parent."""
    made = new_handle(core, parent)
    _belonging.setdefault(parent, []).append(made)
    return made


def hold(cores: Iterable[Any], owner: Any) -> None:
    """One more reference to each, which goes with the last one to the owner."""
    _held.setdefault(owner, []).extend(address for address in map(application.hold, cores) if address)


def flush_of(core: Any) -> None:
    """"clReleaseCommandQueue performs an implicit flush", but of no queue on the device: at the application's last release."""
    if kind_of(core) == "Q" and type(core).__name__ != "DeviceQueue":
        core.flush()


def last_release(core: Any) -> None:
    """What a release that leaves no reference does."""
    for address in _belonging.pop(core, ()) if _belonging else ():
        application.drop(address)
    if kind_of(core) in _RELEASED:
        core.release()
    else:
        flush_of(core)
    for address in _held.pop(core, ()) if _held else ():
        application.let_go(address)
