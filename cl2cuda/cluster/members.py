"""Which workers a Dask cluster has, and where their services listen."""

from __future__ import annotations

import collections
from typing import Any

from distributed import Client
from distributed.security import Security

from ..runtime.driver.interface import DriverMissing
from ..runtime.remote.session import Member
from ..runtime.remote.wire import Place
from ..runtime.remote.workers import patience
from .plugin import DevicesPlugin, Told, told


def found(cluster: Any) -> list[Member]:
    """Has every worker offer its devices; a member for each that does. Raises DriverMissing where there is none."""
    address, security = _reach(cluster)
    seconds = patience()
    try:
        with Client(address, security=security, set_as_default=False, timeout=seconds) as client:
            client.wait_for_workers(1, timeout=seconds)
            client.register_plugin(DevicesPlugin())
            answers: dict[str, Told | BaseException] = client.run(told, on_error="return")
            tls = client.security.get_connection_args("client").get("ssl_context")
    except (OSError, TimeoutError) as error:
        raise DriverMissing(f"no cluster is to be had at {address}: {error}") from error
    except Exception as error:  # What a worker raises comes here as it is: an ImportError, say, where it has no cl2cuda.
        raise DriverMissing(f"the workers of {address} cannot offer their devices: {type(error).__name__}: {error}") from error
    offers = sorted((answer for answer in answers.values() if isinstance(answer, Told)), key=lambda offer: (offer.host, offer.worker))
    if not offers:
        raise DriverMissing(f"no worker of {address} offers its devices: {next(iter(answers.values()), 'there are none')}")
    workers = collections.Counter(offer.host for offer in offers)
    names = [offer.host if workers[offer.host] == 1 else f"{offer.host}/{offer.worker}" for offer in offers]
    return [Member(Place(*offer.place), name, tls) for offer, name in zip(offers, names, strict=True)]


def _reach(cluster: Any) -> tuple[str, Security | None]:
    """The scheduler's address, and what Dask takes for its security; None for its configuration's."""
    if isinstance(cluster, str):
        return cluster, None
    if isinstance(cluster, Client):
        return cluster.scheduler.address, cluster.security
    return cluster.scheduler_address, cluster.security
