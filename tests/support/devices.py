"""The devices that tests run on, by the name of their driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.opengl.library import nvidia_available

from . import graphics_cuda
from .fake_cuda import FakeCuda
from .fake_driver import FakeDevice
from .gl import MISSING

if TYPE_CHECKING:
    from cl2cuda.runtime.remote.device import RemoteDevice


def _found(name: str) -> list[Device]:
    if name == "fake":
        return [Device(platforms.platforms()[0], name, FakeDevice())]
    if name == "imagined cuda":
        return [Device(platforms.platforms()[0], "cuda", CudaDevice(FakeCuda(), 0))]
    if name == "remote":
        return [Device(platforms.platforms()[0], name, found) for found in remote_devices()]
    if name == "imagined cuda with OpenGL":
        # Beside NVIDIA's OpenGL stands CUDA's own interop; and calls for the faces of cube maps, which the imagined one makes, were seen to
        # break the heap there (580.159).
        there = not MISSING and not nvidia_available()
        return [Device(platforms.platforms()[0], "cuda", graphics_cuda.device())] if there else []
    try:
        driver = platforms.load_driver(name)
    except (AttributeError, DriverMissing):
        return []
    return [Device(platforms.platforms()[0], name, found) for found in driver.devices()]


def remote_devices() -> list[RemoteDevice]:
    """The host device behind a worker's service in this process: all of the way but the network."""
    pytest.importorskip("msgpack", reason="the remote driver takes msgpack: pip install 'cl2cuda[cluster]'")
    from cl2cuda.runtime.remote.device import RemoteDevice
    from cl2cuda.runtime.remote.service import Service
    from cl2cuda.runtime.remote.session import Member, Session

    service = Service("127.0.0.1", [("host", device) for device in platforms.load_driver("host").devices()])
    session = Session(Member(service.place, "worker"), seconds=60)
    return [RemoteDevice(session, number, facts) for number, facts in enumerate(session.devices)]


_FOUND: dict[str, list[Device]] = {}


def first(name: str) -> Device:
    if name not in _FOUND:
        _FOUND[name] = _found(name)
    if not _FOUND[name]:
        pytest.skip(f"no {name} device")
    return _FOUND[name][0]


def needs_shared_memory(device: Device) -> None:
    """Skips a test on a device whose memory is another process's."""
    if not device.properties.shared_memory:
        pytest.skip("the device shares no memory with the host")
