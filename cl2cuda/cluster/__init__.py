"""Devices of a cluster: Dask's `distributed` says which workers there are, starts what they need, and brings the secrets.

`join` names the cluster; nothing of Dask is imported before the devices are asked for. Commands and contents do not go by Dask:
they have connections of their own (`cl2cuda.runtime.remote`).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ..runtime import remote
from ..runtime.driver.interface import DriverMissing
from ..runtime.process import environment

if TYPE_CHECKING:
    from ..runtime.remote.session import Member


def join(cluster: Any = None) -> None:
    """From now on the platform has the devices of the cluster's workers: `cluster` is a Dask client, a cluster object such as
    LocalCluster, or the scheduler's address. Without one CL2CUDA_CLUSTER names it; where that is not set nothing happens.
    """
    chosen = environment.text("CL2CUDA_CLUSTER").strip() if cluster is None else cluster
    if chosen:
        remote.join(functools.partial(_found, chosen))


def _found(cluster: Any) -> list[Member]:
    try:
        from . import members
    except ImportError as error:
        raise DriverMissing(f"a cluster takes Dask's distributed ({error}): pip install 'cl2cuda[cluster]'") from error
    return members.found(cluster)
