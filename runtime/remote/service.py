"""The worker's service: listens, checks who connects, and gives each connection to what serves it."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from typing import Any

from ..driver.device import DriverDevice
from ..driver.interface import DriverError, StreamHints
from . import operations as op
from .executor import Executor
from .facts import from_properties
from .held import Gone, Held
from .peers import serve_contents
from .requests import serve
from .wire import SECRET, Channel, Place, Refused, accept

LOG = logging.getLogger("cl2cuda.remote")

# How long who connects may take to prove itself.
SECONDS = 30.0
# A client that asks nothing for so long has gone, though its connection has not ended. It asks several times in the time after which
# it gives a worker up.
SILENCE = 600.0


class Service:
    """Offers devices to clients that know `secret`. `tls` are the contexts for connections that come, and for those to others."""

    def __init__(self, host: str, drivers: Sequence[tuple[str, DriverDevice]],
                 tls: tuple[ssl.SSLContext, ssl.SSLContext] | None = None):
        self._drivers = list(drivers)
        self._tls = tls
        self.secret = os.urandom(SECRET)
        self._clients: dict[int, Held] = {}
        self._lock = threading.Lock()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family, backlog=128)
        self.place = Place(host, self._socket.getsockname()[1], self.secret, tls is not None)
        threading.Thread(target=self._listen, name="cl2cuda worker", daemon=True).start()

    def close(self) -> None:
        """Ends all connections."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for held in self._living():
            held.give_back()

    def _living(self) -> list[Held]:
        with self._lock:
            return list(self._clients.values())

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[connection], name="cl2cuda worker connection", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        channel = None
        try:
            channel = accept(connection, self.secret, SECONDS, self._tls[0] if self._tls else None)
            (kind, *facts), _ = channel.receive()
            if kind == op.WATCH:
                self._watch(channel)
            else:
                self._serve_client(channel, kind, facts)
        except (Refused, DriverError) as error:
            LOG.warning("a connection was ended: %s", error)
        except (OSError, EOFError, Gone):
            pass  # The client has gone.
        except Exception:
            LOG.exception("a connection was ended")
        finally:
            if channel is not None:
                channel.close()
            connection.close()

    def _watch(self, channel: Channel) -> None:
        """A client's first connection: as long as it lasts, the worker holds what the client makes."""
        held = Held([driver for _, driver in self._drivers])
        with self._lock:
            self._clients[held.number] = held
        try:
            channel.send([held.number, [{"target": f"{name} {driver.target}", "properties": from_properties(driver.properties)}
                                        for name, driver in self._drivers]])
            while channel.readable(SILENCE):
                channel.receive()
                channel.send(time.perf_counter_ns())
        finally:
            with self._lock:
                del self._clients[held.number]
            held.give_back()

    def _serve_client(self, channel: Channel, kind: str, facts: list[Any]) -> None:
        with self._lock:
            held = self._clients.get(facts[0])
        if held is None or not held.enter(channel):
            raise Refused("its client is not known here, or has gone")
        try:
            if kind == op.REQUESTS:
                serve(held, channel)
            elif kind == op.CONTENTS:
                serve_contents(held, channel)
            elif kind == op.STREAM:
                _, device, number, priority, throttle = facts
                tls = self._tls[1] if self._tls else None
                Executor(held, held.devices[device], channel, number, StreamHints(priority, throttle), tls).run()
            else:
                raise Refused(f"no connection is of the kind {kind!r}")
        finally:
            held.leave(channel)
