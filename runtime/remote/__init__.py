"""The remote driver: devices of other processes, most of them on other machines, over connections of its own.

The client's side is `session`, `stream`, `device`, `module`, `image`, `peer_copies` and `workers`; the worker's is `service`, `held`,
`requests`, `executor`, `transfers` and `peers`; `wire`, `operations` and `facts` are what both have in common. Which workers there
are is not known here: whoever knows says it by `join`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..driver.interface import DriverMissing

if TYPE_CHECKING:
    from .session import Member
    from .workers import RemoteDriver

_JOINED: list[Callable[[], Sequence[Member]]] = []
_DRIVERS: list[RemoteDriver] = []


def join(find: Callable[[], Sequence[Member]]) -> None:
    """From now on the workers that `find` finds are the cluster. It is called when the devices are first asked for."""
    _JOINED[:] = [find]
    _DRIVERS.clear()


def leave() -> None:
    """From now on there is no cluster, whatever was named before."""
    _JOINED.clear()
    _DRIVERS.clear()


def driver() -> RemoteDriver:
    """What runtime/devices/platform.py loads. Without a cluster nothing else is imported."""
    if not _JOINED:
        raise DriverMissing("no cluster was named: CL2CUDA_CLUSTER=tcp://scheduler:8786, or cl2cuda.install(cluster=client)")
    try:
        from .workers import RemoteDriver
    except ImportError as error:
        raise DriverMissing(f"a cluster takes MessagePack ({error}): pip install 'cl2cuda[cluster]'") from error
    if not _DRIVERS:
        _DRIVERS.append(RemoteDriver(_JOINED[0]))
    return _DRIVERS[0]
