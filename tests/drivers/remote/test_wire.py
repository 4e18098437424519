"""Frames, and the proofs that come before them."""

import os
import pickle
import random
import socket
import struct
import threading
from pathlib import Path

import pytest

pytest.importorskip("msgpack", reason="the remote driver takes msgpack: pip install 'cl2cuda[cluster]'")
import msgpack

from cl2cuda.runtime.remote import wire
from cl2cuda.runtime.remote.service import Service
from cl2cuda.runtime.remote.session import Member, Session
from cl2cuda.runtime.remote.wire import Channel, Place, Refused

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def channels():
    ends = socket.create_connection, socket.create_server(("127.0.0.1", 0))
    one = socket.create_connection(ends[1].getsockname())
    other, _ = ends[1].accept()
    made = Channel(one), Channel(other)
    yield made
    for each in made:
        each.close()
    ends[1].close()


@pytest.fixture
def service():
    made = Service("127.0.0.1", [])
    yield made
    made.close()


def raw(service):
    return socket.create_connection(service.place[:2], timeout=10)


@pytest.mark.parametrize("size", [0, 1, 1000, 60 << 10, 70 << 10, 5 << 20])
@pytest.mark.parametrize("header", [None, [1, "two", b"three"], {"long": "x" * 200_000}], ids=["none", "list", "long"])
def test_frames_arrive_as_they_were_sent(channels, header, size):
    data = os.urandom(size)
    parts = [memoryview(data)[: size // 3], memoryview(data)[size // 3 :]]
    sender = threading.Thread(target=lambda: [channels[0].send(header, parts) for _ in range(3)])
    sender.start()
    for _ in range(3):
        assert channels[1].receive() == (header, size)
        into = bytearray(size)
        channels[1].receive_into(memoryview(into))
        assert into == data
    sender.join()


def test_frames_of_several_threads_do_not_mix(channels):
    def send(number):
        for count in range(200):
            channels[0].send([number, count], [memoryview(bytes([number]) * 3000)])

    threads = [threading.Thread(target=send, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    counts = [0] * 4
    for _ in range(800):
        (number, count), size = channels[1].receive()
        assert count == counts[number]
        counts[number] += 1
        assert channels[1].receive_bytes(size) == bytes([number]) * 3000
    for thread in threads:
        thread.join()


def test_the_end_of_a_connection_is_an_error(channels):
    channels[0].close()
    with pytest.raises(EOFError):
        channels[1].receive()


@pytest.mark.parametrize("header, message", [(b"\xc1", "MessagePack"), (None, "a header of")])
def test_what_is_no_frame(channels, header, message):
    head = struct.pack("<IQ", wire.MOST_HEADER + 1, 0) if header is None else struct.pack("<IQ", len(header), 0) + header
    channels[0]._transport.send_all([memoryview(head)])
    with pytest.raises(Refused, match=message):
        channels[1].receive()


def test_both_sides_prove_that_they_know_the_secret(service):
    with pytest.raises(Refused, match="does not know this side's secret"):
        wire.connect(service.place._replace(secret=os.urandom(32)), 10, None)
    assert wire.connect(service.place, 10, None)


def test_a_listener_that_does_not_know_the_secret():
    listener = socket.create_server(("127.0.0.1", 0))

    def answer():
        connection, _ = listener.accept()
        connection.recv(100)
        connection.sendall(wire.GREETING + os.urandom(32))
        connection.recv(100)
        connection.sendall(os.urandom(32))

    thread = threading.Thread(target=answer)
    thread.start()
    with pytest.raises(Refused, match="does not know the worker's secret"):
        wire.connect(Place("127.0.0.1", listener.getsockname()[1], os.urandom(32), False), 10, None)
    thread.join()


def test_versions_are_checked_by_the_client(service, monkeypatch):
    monkeypatch.setattr(wire, "GREETING", b"cl2cuda\x63")
    with pytest.raises(Refused, match="version"):
        wire._check_greeting(b"cl2cuda\x01", "the worker")


def test_versions_are_checked_by_the_worker(service):
    with raw(service) as connection:
        connection.sendall(b"cl2cuda\x63" + os.urandom(32))
        answer = connection.recv(100)
        assert answer.startswith(wire.GREETING)  # from which the other side learns the version
        assert connection.recv(100) == b""


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\n\r\n" * 10, random.Random(1).randbytes(1000), b"cl2cuda\x01" + bytes(200)],
                         ids=["nothing", "HTTP", "noise", "greeting"])
def test_strangers_get_nothing(service, sent):
    with raw(service) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while piece := connection.recv(1000):
                answer += piece
        except ConnectionResetError:
            pass
        assert len(answer) <= len(wire.GREETING) + 32
    assert Session(Member(service.place, "here"), 10).devices == []


def test_nothing_is_unpickled(service, tmp_path):
    """Not even of who knows the secret."""
    mark = tmp_path / "mark"

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(mark),)

    for message in ([pickle.dumps(Evil())], {"__Pickled__": 1, "data": pickle.dumps(Evil())}, [msgpack.ExtType(5, pickle.dumps(Evil()))]):
        channel = wire.connect(service.place, 10, None)
        channel.send(message)
        with pytest.raises((EOFError, OSError)):
            channel.receive()
    assert not mark.exists()
    assert Session(Member(service.place, "here"), 10).devices == []
    sources = [path.read_text() for path in (ROOT / "runtime" / "remote").glob("*.py")]
    assert len(sources) > 10 and not any(word in text for text in sources for word in ("import pickle", "import marshal", "cloudpickle", "eval("))


def test_a_client_that_has_gone_is_not_served(service):
    session = Session(Member(service.place, "here"), 10)
    channel = session.connect("requests", session.number + 1000)
    with pytest.raises((EOFError, OSError)):
        channel.receive()
