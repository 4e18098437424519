"""Workers of the remote driver without Dask: services in processes of their own, which can be killed and stopped."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

pytest.importorskip("msgpack", reason="the remote driver takes msgpack: pip install 'cl2cuda[cluster]'")

from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.devices.platform import load_driver, platforms
from cl2cuda.runtime.remote.device import RemoteDevice
from cl2cuda.runtime.remote.service import Service
from cl2cuda.runtime.remote.session import Member, Session
from cl2cuda.runtime.remote.wire import Place

ROOT = Path(__file__).resolve().parents[2]
# Processes are forked from one that has imported what all need.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload([__name__])


def _serve(end: Connection, driver: str, number: int) -> None:
    devices = load_driver(driver).devices()
    if driver == "cuda":
        devices = [devices[number % len(devices)]]
    service = Service("127.0.0.1", [(driver, device) for device in devices])
    end.send(tuple(service.place))
    end.poll(None)  # until the test goes
    os._exit(0)


class WorkerProcess:
    """A worker with the host device, or with one GPU: the GPUs are taken in turn by number."""

    def __init__(self, name: str = "worker", driver: str = "host", number: int = 0):
        self._end, other = PROCESSES.Pipe()
        self.process = PROCESSES.Process(target=_serve, args=[other, driver, number], daemon=True)
        self.process.start()
        other.close()
        assert self._end.poll(60), "the worker did not start"
        self.member = Member(Place(*self._end.recv()), name)

    def devices(self, seconds: float = 30) -> list[Device]:
        session = Session(self.member, seconds)
        return [Device(platforms()[0], "remote", RemoteDevice(session, number, facts)) for number, facts in enumerate(session.devices)]

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    def stop(self) -> None:
        """As if the network stalled: connections stay, and nothing is said any more."""
        assert self.process.pid
        os.kill(self.process.pid, signal.SIGSTOP)
        # The signal reaches each thread when it runs next.
        while any(thread.read_text().rpartition(")")[2].split()[0] != "T" for thread in Path(f"/proc/{self.process.pid}/task").glob("*/stat")):
            time.sleep(0.01)

    def go_on(self) -> None:
        assert self.process.pid
        os.kill(self.process.pid, signal.SIGCONT)


if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
