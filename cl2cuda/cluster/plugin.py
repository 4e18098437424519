"""What a Dask worker runs: the plugin that offers its devices. Plain workers get it from the client, so that all they need is an
environment with cl2cuda."""

from __future__ import annotations

import logging
import socket
import threading
from typing import Any, NamedTuple

from distributed import Worker
from distributed.comm.addressing import get_address_host
from distributed.core import Status
from distributed.diagnostics.plugin import WorkerPlugin

from ..install import InstalledTooLate, install
from ..runtime import remote
from ..runtime.devices.platform import own_devices
from ..runtime.remote.service import Service
from . import device_objects

LOG = logging.getLogger("cl2cuda.cluster")


class Told(NamedTuple):
    """A worker's offer: its host's name, its own name, and the service's `Place`."""

    host: str
    worker: str
    place: tuple[Any, ...]


# By the worker's address: a process may have several workers.
_SERVICES: dict[str, Service] = {}
_LOCK = threading.Lock()
_ENDING = (Status.closing, Status.closing_gracefully, Status.closed, Status.failed)


class DevicesPlugin(WorkerPlugin):
    """Offers the worker's devices as long as the worker lives."""

    name = "cl2cuda-devices"

    def setup(self, worker: Worker) -> None:
        service_of(worker)

    def teardown(self, worker: Worker) -> None:
        # Dask takes a plugin away also when another client registers it again: those that have joined go on using the service.
        if worker.status not in _ENDING:
            return
        with _LOCK:
            service = _SERVICES.pop(worker.address, None)
        if service is not None:
            service.close()


def service_of(worker: Worker) -> Service:
    with _LOCK:
        service = _SERVICES.get(worker.address)
        if service is None:
            service = _SERVICES[worker.address] = _start(worker)
        return service


def _start(worker: Worker) -> Service:
    try:
        install()
        # A worker that was started with the variable has its own devices all the same: its tasks' arrays are there.
        remote.leave()
        device_objects.register()
    except InstalledTooLate as error:
        LOG.warning("this worker's own tasks do not run on cl2cuda: %s", error)
    host = "127.0.0.1" if worker.address.startswith("inproc://") else get_address_host(worker.address)
    tls = None
    if worker.address.startswith("tls://"):
        security = worker.security
        tls = security.get_listen_args("worker")["ssl_context"], security.get_connection_args("worker")["ssl_context"]
    return Service(host, own_devices(), tls)


def told(dask_worker: Worker) -> Told:
    """For Client.run: the worker's offer."""
    return Told(socket.gethostname(), str(dask_worker.name), tuple(service_of(dask_worker).place))
