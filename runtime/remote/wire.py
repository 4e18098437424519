"""Frames on a socket, and how two sides come to trust each other.

A frame is a header in MessagePack and a payload of plain bytes. Nothing is unpickled, and no object of a class is made of what
comes in: headers are numbers, texts, bytes, lists and maps. Before the first frame both sides prove that they know the worker's
secret, which came to them by Dask's own connections; under TLS the certificates have been checked before that.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import select
import socket
import ssl
import struct
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import msgpack

from ..driver.interface import DriverError

# The last byte counts the protocol's versions.
VERSION = 3
GREETING = b"cl2cuda" + bytes((VERSION,))
NONCE = 32
SECRET = 32

_HEAD = struct.Struct("<IQ")
MOST_HEADER = 64 << 20
# Frames up to about this size come with one call.
_BUFFER = 64 << 10
# What the system takes of one call at most.
_PIECE = 1 << 30


class Refused(DriverError):
    """The other side is not one that this one talks to; the message says why."""

    def __init__(self, message: str):
        super().__init__(message, "DEVICE_NOT_AVAILABLE")


class Place(NamedTuple):
    """Where a worker's service listens; `encrypted` by TLS."""

    host: str
    port: int
    secret: bytes
    encrypted: bool


class _Transport(Protocol):
    def send_all(self, pieces: list[memoryview]) -> None: ...
    def receive(self, view: memoryview) -> int: ...
    def readable(self, seconds: float) -> bool: ...


class _Plain:
    def __init__(self, connection: socket.socket):
        self._socket = connection

    def send_all(self, pieces: list[memoryview]) -> None:
        while pieces:
            sent = self._socket.sendmsg(pieces)
            while pieces and sent >= len(pieces[0]):
                sent -= len(pieces.pop(0))
            if pieces:
                pieces[0] = pieces[0][sent:]

    def receive(self, view: memoryview) -> int:
        return self._socket.recv_into(view[:_PIECE])

    def readable(self, seconds: float) -> bool:
        return _ready(self._socket, select.POLLIN, seconds)


class _Encrypted:
    """OpenSSL's connections serve one thread at a time: so no call waits inside of it."""

    def __init__(self, connection: ssl.SSLSocket):
        connection.setblocking(False)
        self._socket = connection
        self._lock = threading.Lock()

    def send_all(self, pieces: list[memoryview]) -> None:
        for piece in pieces:
            while piece:
                try:
                    with self._lock:
                        sent = self._socket.send(piece[:_BUFFER])
                    piece = piece[sent:]
                except ssl.SSLWantWriteError:
                    _ready(self._socket, select.POLLOUT, 1)
                except ssl.SSLWantReadError:
                    _ready(self._socket, select.POLLIN, 1)

    def receive(self, view: memoryview) -> int:
        while True:
            try:
                with self._lock:
                    return self._socket.recv_into(view[:_PIECE])
            except ssl.SSLWantReadError:
                _ready(self._socket, select.POLLIN, 1)
            except ssl.SSLWantWriteError:
                _ready(self._socket, select.POLLOUT, 1)

    def readable(self, seconds: float) -> bool:
        with self._lock:
            if self._socket.pending():
                return True
        return _ready(self._socket, select.POLLIN, seconds)


def _ready(connection: socket.socket, event: int, seconds: float) -> bool:
    poll = select.poll()  # which knows descriptors that select() has no room for
    poll.register(connection, event)
    return bool(poll.poll(seconds * 1000))


class Channel:
    """One connection. Several threads may send, one receives. `unread` are the bytes of the last frame's payload that are still to be
    received."""

    def __init__(self, connection: socket.socket):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = connection
        self._transport: _Transport = _Encrypted(connection) if isinstance(connection, ssl.SSLSocket) else _Plain(connection)
        self._sending = threading.Lock()
        self._buffer = memoryview(bytearray(_BUFFER))
        self._start = self._end = 0
        self.unread = 0

    def send(self, header: Any, payload: Sequence[memoryview] = ()) -> None:
        """Returns when the system has taken all of it. Raises OSError where the connection is broken."""
        packed = msgpack.packb(header)
        head = _HEAD.pack(len(packed), sum(map(len, payload)))
        with self._sending:
            self._transport.send_all([memoryview(head + packed), *payload])

    def receive(self) -> tuple[Any, int]:
        """The next frame's header, and how many bytes of payload follow, which are to be received next. Raises OSError (EOFError
        at the end of the connection), and Refused for what is no frame."""
        size, payload = _HEAD.unpack(self.receive_bytes(_HEAD.size))
        if size > MOST_HEADER:
            raise Refused(f"a frame with a header of {size} bytes is none of the protocol")
        packed = self.receive_bytes(size)
        self.unread = payload
        try:
            return msgpack.unpackb(packed, use_list=True, strict_map_key=False), payload
        except ValueError as error:
            raise Refused(f"a frame's header is not MessagePack: {error}") from error

    def receive_bytes(self, size: int) -> bytes:
        while self._end - self._start < size <= _BUFFER:
            if self._start + size > _BUFFER or self._start == self._end:
                rest = self._buffer[self._start : self._end].tobytes()
                self._buffer[: len(rest)] = rest
                self._start, self._end = 0, len(rest)
            self._end += self._some(self._buffer[self._end :])
        if size <= _BUFFER:
            self._start += size
            self.unread = max(0, self.unread - size)
            return self._buffer[self._start - size : self._start].tobytes()
        data = bytearray(size)
        self.receive_into(memoryview(data))
        return bytes(data)

    def receive_into(self, view: memoryview) -> None:
        self.unread = max(0, self.unread - len(view))
        here = min(len(view), self._end - self._start)
        view[:here] = self._buffer[self._start : self._start + here]
        self._start += here
        view = view[here:]
        while view:
            view = view[self._some(view) :]

    def skip(self) -> None:
        """Receives what is left of the last frame's payload."""
        while self.unread:
            self.receive_bytes(min(self.unread, _BUFFER))

    def _some(self, view: memoryview) -> int:
        size = self._transport.receive(view)
        if not size:
            raise EOFError("the connection has ended")
        return size

    def readable(self, seconds: float) -> bool:
        """Whether something comes in, or the connection ends, within that time."""
        return self._start < self._end or self._transport.readable(seconds)

    def exchange(self, data: bytes, size: int) -> bytes:
        """Bytes before the first frame."""
        self._transport.send_all([memoryview(data)])
        return self.receive_bytes(size) if size else b""

    def limit(self, seconds: float | None) -> None:
        """How long one call may wait; None for as long as it takes. (TLS waits as long as it takes.)"""
        if not isinstance(self._socket, ssl.SSLSocket):
            self._socket.settimeout(seconds)

    def cut(self) -> None:
        """Ends the connection from any thread: who waits in it gets an error."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.cut()
        self._socket.close()


def _proof(secret: bytes, side: bytes, ours: bytes, theirs: bytes) -> bytes:
    return hmac.new(secret, side + ours + theirs, hashlib.sha256).digest()


def connect(place: Place, seconds: float, tls: ssl.SSLContext | None) -> Channel:
    """A connection to a worker's service, once both sides have proved themselves. Raises OSError, and Refused."""
    connection = socket.create_connection((place.host, place.port), timeout=seconds)
    try:
        if place.encrypted:
            if tls is None:
                raise Refused(f"the worker at {place.host}:{place.port} talks by TLS, and this side has no certificates for it")
            # As Dask does it: the authority signs the cluster's own certificates, which do not name machines.
            connection = tls.wrap_socket(connection, server_hostname=place.host if tls.check_hostname else None)
        channel = Channel(connection)
        nonce = os.urandom(NONCE)
        answer = channel.exchange(GREETING + nonce, len(GREETING) + NONCE)
        theirs = answer[len(GREETING) :]
        _check_greeting(answer[: len(GREETING)], f"the worker at {place.host}:{place.port}")
        proof = channel.exchange(_proof(place.secret, b"client", nonce, theirs), SECRET)
        if not hmac.compare_digest(proof, _proof(place.secret, b"server", nonce, theirs)):
            raise Refused(f"what listens at {place.host}:{place.port} does not know the worker's secret")
        channel.limit(None)
        return channel
    except EOFError as error:
        connection.close()
        raise Refused(f"the worker at {place.host}:{place.port} ended the connection: it does not know this side's secret") from error
    except BaseException:
        connection.close()
        raise


def accept(connection: socket.socket, secret: bytes, seconds: float, tls: ssl.SSLContext | None) -> Channel:
    """The other side of `connect`."""
    connection.settimeout(seconds)
    if tls is not None:
        connection = tls.wrap_socket(connection, server_side=True)
    channel = Channel(connection)
    greeting = channel.receive_bytes(len(GREETING) + NONCE)
    theirs, nonce = greeting[len(GREETING) :], os.urandom(NONCE)
    if greeting[:-NONCE] != GREETING:
        channel.exchange(GREETING + nonce, 0)  # which tells the other side what is spoken here
        _check_greeting(greeting[: len(GREETING)], "the client")
    proof = channel.exchange(GREETING + nonce, SECRET)
    if not hmac.compare_digest(proof, _proof(secret, b"client", theirs, nonce)):
        raise Refused("the client does not know the worker's secret")
    channel.exchange(_proof(secret, b"server", theirs, nonce), 0)
    channel.limit(None)
    return channel


def _check_greeting(greeting: bytes, who: str) -> None:
    if greeting[:-1] != GREETING[:-1]:
        raise Refused(f"{who} does not speak cl2cuda's protocol")
    if greeting != GREETING:
        raise Refused(f"{who} speaks version {greeting[-1]} of cl2cuda's protocol, this side version {VERSION}: "
                      "use the same version of cl2cuda on both")
