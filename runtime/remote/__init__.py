"""The remote driver: devices of other processes, most of them on other machines, over connections of its own.

The client's side is `session`, `stream`, `device`, `module` and `image`; the worker's is `service`, `requests`, `executor` and
`staging`; `wire`, `operations` and `facts` are what both have in common. Which workers there are is not known here: whoever knows
says it by `join`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from ..driver.interface import DriverDevice, DriverMissing
from ..process import environment
from .device import RemoteDevice
from .session import Member, Session
from .wire import Refused

SECONDS = 30.0

Find = Callable[[], Sequence[Member]]


class RemoteDriver:
    """The devices of all workers that are there when it is first asked."""

    name = "remote"

    def __init__(self, find: Find):
        self._find = find
        self._devices: list[DriverDevice] | None = None
        self._lock = threading.Lock()
        self.absence = ""

    def devices(self) -> Sequence[DriverDevice]:
        with self._lock:
            if self._devices is None:
                members = self._find()
                self._devices = [device for member in members for device in self._devices_of(member)]
                self.absence = self.absence or f"the cluster has {len(members)} workers, and none has a device"
            return self._devices

    def _devices_of(self, member: Member) -> list[DriverDevice]:
        try:
            session = Session(member, patience())
        except (Refused, OSError, EOFError) as error:
            self.absence = f"{member.host}: {error}"
            raise DriverMissing(f"the worker on {member.host} cannot be used: {error}") from error
        return [RemoteDevice(session, number, facts) for number, facts in enumerate(session.devices)]


def patience() -> float:
    """The seconds after which a worker that says nothing is lost."""
    text = environment.text("CL2CUDA_CLUSTER_TIMEOUT")
    try:
        seconds = float(text) if text else SECONDS
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise DriverMissing(f"CL2CUDA_CLUSTER_TIMEOUT is a number of seconds, not {text!r}")
    return seconds


_JOINED: list[RemoteDriver] = []


def join(find: Find) -> None:
    """From now on the workers that `find` finds are the cluster. It is called when the devices are first asked for."""
    _JOINED[:] = [RemoteDriver(find)]


def joined() -> bool:
    """Whether there is a cluster."""
    return bool(_JOINED)


def driver() -> RemoteDriver:
    """What runtime/devices/platform.py loads."""
    if not _JOINED:
        raise DriverMissing("no cluster was named: CL2CUDA_CLUSTER=tcp://scheduler:8786, or cl2cuda.install(cluster=client)")
    return _JOINED[0]
