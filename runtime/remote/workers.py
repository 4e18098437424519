"""The devices of all workers that are there when they are first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from ..driver.device import DriverDevice
from ..driver.interface import DriverMissing
from ..process import environment
from .device import RemoteDevice
from .session import Member, Session
from .wire import Refused

SECONDS = 30.0


class RemoteDriver:
    name = "remote"

    def __init__(self, find: Callable[[], Sequence[Member]]):
        self._find = find
        self._devices: list[DriverDevice] | None = None
        self._lock = threading.Lock()
        self.absence = ""

    def devices(self) -> Sequence[DriverDevice]:
        with self._lock:
            if self._devices is None:
                members = self._find()
                self._devices = [device for member in members for device in _devices_of(member)]
                self.absence = f"the cluster has {len(members)} workers, and none has a device"
            return self._devices


def _devices_of(member: Member) -> list[DriverDevice]:
    try:
        session = Session(member, patience())
    except (Refused, OSError, EOFError) as error:
        raise DriverMissing(f"the worker on {member.host} cannot be used: {error}") from error
    return [RemoteDevice(session, number, facts) for number, facts in enumerate(session.devices)]


def patience() -> float:
    """The seconds that a scheduler may take to answer, and after which a worker that says nothing is lost."""
    text = environment.text("CL2CUDA_CLUSTER_TIMEOUT")
    try:
        seconds = float(text) if text else SECONDS
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise DriverMissing(f"CL2CUDA_CLUSTER_TIMEOUT is a number of seconds, not {text!r}")
    return seconds
