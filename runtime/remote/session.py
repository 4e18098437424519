"""A worker's process as the client knows it: its connections, and whether it is still there.

A worker that ends its connections, or answers no question in time, is lost: all connections to it are cut, so that whoever waits
in one of them gets an error, and every later call for its devices fails.
"""

from __future__ import annotations

import contextlib
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..driver.interface import DriverError
from ..process.workers import Workers
from . import operations as op
from .facts import WorkerLost, to_failure
from .wire import Channel, Place, Refused, connect

# How many questions there are in the time after which a worker is lost.
QUESTIONS = 4


class Member(NamedTuple):
    """A worker of the cluster: where its service listens, what its host is called, and how to talk to it."""

    place: Place
    host: str
    tls: ssl.SSLContext | None = None


class Session:
    """One client's connections to a worker. `seconds` is how long a worker may be silent.

    devices     what the worker tells of its devices
    clock       what is added to the worker's time in nanoseconds to get the client's
    lost        why the worker is lost
    """

    def __init__(self, member: Member, seconds: float):
        self.member = member
        self.seconds = seconds
        self.lost: WorkerLost | None = None
        self._lock = threading.RLock()  # A destructor that the search for garbage calls may find here that the worker is lost.
        self._open: set[Channel] = set()
        self._idle: list[Channel] = []
        self._on_loss: list[Callable[[], None]] = []
        self.later = Workers(1, "cl2cuda remote")  # sends what the threads that receive must not wait for
        self._watched = connect(member.place, seconds, member.tls)
        self._watched.send([op.WATCH])
        (self.number, self.devices), _ = self._watched.receive()
        self._open.add(self._watched)
        self.clock = self._compare_clocks()
        threading.Thread(target=self._watch, name="cl2cuda watch", daemon=True).start()

    def _compare_clocks(self) -> int:
        """By the quickest of some questions: the worker's time is that of the middle between question and answer."""
        best, clock = 1 << 62, 0
        for _ in range(8):
            start = time.perf_counter_ns()
            worker = self._ask()
            end = time.perf_counter_ns()
            if end - start < best:
                best, clock = end - start, (start + end) // 2 - worker
        return clock

    def _ask(self) -> int:
        self._watched.send([op.PING])
        if not self._watched.readable(self.seconds):
            raise TimeoutError(f"no answer in {self.seconds:g} s")
        answer, _ = self._watched.receive()
        return int(answer)

    def _watch(self) -> None:
        self._watched.limit(self.seconds)
        try:
            while True:
                if self._watched.readable(self.seconds / QUESTIONS):  # The end of the connection is all that can come unasked.
                    self._watched.receive()
                    raise EOFError("the worker said something unasked")
                self._ask()
        except (OSError, EOFError, DriverError) as error:
            self.lose(error)

    def lose(self, reason: BaseException) -> WorkerLost:
        """Says that the worker is lost, once; returns the error for everyone."""
        with self._lock:
            if self.lost is not None:
                return self.lost
            place = self.member.place
            self.lost = WorkerLost(f"the worker on {self.member.host} ({place.host}:{place.port}) is lost: {reason}")
            channels, told = list(self._open), list(self._on_loss)
        for channel in channels:
            channel.cut()
        for tell in told:
            tell()
        return self.lost

    def when_lost(self, tell: Callable[[], None]) -> None:
        """`tell` must not wait."""
        with self._lock:
            self._on_loss.append(tell)

    def no_longer(self, tell: Callable[[], None]) -> None:
        with self._lock, contextlib.suppress(ValueError):
            self._on_loss.remove(tell)

    # Connections

    def connect(self, *hello: Any) -> Channel:
        """Another connection to the worker, which begins with this frame."""
        if self.lost is not None:
            raise self.lost
        try:
            channel = connect(self.member.place, self.seconds, self.member.tls)
            channel.send([*hello])
        except Refused:
            raise
        except (OSError, EOFError) as error:
            raise self.lose(error) from error
        with self._lock:
            self._open.add(channel)
            lost = self.lost
        if lost is not None:
            self.disconnect(channel)
            raise lost
        return channel

    def disconnect(self, channel: Channel) -> None:
        with self._lock:
            self._open.discard(channel)
        channel.close()

    # Requests

    def call(self, device: int, request: str, *arguments: Any, payload: Sequence[memoryview] = ()) -> tuple[Any, bytes]:
        """A request's reply and its payload. Raises DriverError and BuildFailure as the worker's driver does."""
        try:
            channel = self._idle.pop()
        except IndexError:
            channel = self.connect(op.REQUESTS, self.number)
        try:
            channel.send([request, device, *arguments], payload)
            if request in op.WITHOUT_REPLY:
                return None, b""
            (failure, reply), size = channel.receive()
            data = channel.receive_bytes(size) if size else b""
        except (OSError, EOFError, Refused) as error:
            raise self.lose(error) from error
        finally:
            self._idle.append(channel)
        if failure:
            raise to_failure(failure)
        return reply, data

    def tell(self, device: int, request: str, *arguments: Any) -> None:
        """A request without a reply; of a worker that is lost nothing is asked."""
        with contextlib.suppress(DriverError):
            self.call(device, request, *arguments)
