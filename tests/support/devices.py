"""The devices that tests run on, by the name of their driver."""

from __future__ import annotations

import pytest

from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverMissing

from . import graphics_cuda
from .fake_cuda import FakeCuda
from .fake_driver import FakeDevice
from .gl import MISSING


def _found(name: str) -> list[Device]:
    if name == "fake":
        return [Device(platforms.platforms()[0], name, FakeDevice())]
    if name == "imagined cuda":
        return [Device(platforms.platforms()[0], "cuda", CudaDevice(FakeCuda(), 0))]
    if name == "imagined cuda with OpenGL":
        return [Device(platforms.platforms()[0], "cuda", graphics_cuda.device())] if not MISSING else []
    try:
        driver = platforms.load_driver(name)
    except (AttributeError, DriverMissing):
        return []
    return [Device(platforms.platforms()[0], name, found) for found in driver.devices()]


_FOUND: dict[str, list[Device]] = {}


def first(name: str) -> Device:
    if name not in _FOUND:
        _FOUND[name] = _found(name)
    if not _FOUND[name]:
        pytest.skip(f"no {name} device")
    return _FOUND[name][0]
