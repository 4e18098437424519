"""The client's side of copies between workers: the worker whose stream it is fetches from the other one, or puts there. No byte
passes the client."""

from __future__ import annotations

from typing import Any, Protocol, cast

from ..driver.device import DriverDevice
from ..driver.interface import ImagePart, Linear, Stream, Triple
from . import operations as op
from .session import Session
from .stream import RemoteStream, place_of


class Peer(Protocol):
    """What is asked of a remote device. `peer` is what another worker needs to know: where the device's worker is, the client's number
    there, and the device's."""

    session: Session
    number: int

    @property
    def peer(self) -> tuple[Any, ...]: ...


class RemotePeerCopies:
    """Copies between any two remote devices. Where both are one worker's, it connects to itself."""

    def reaches(self, other: DriverDevice) -> bool:
        return True

    def copy(self, stream: Stream, to: DriverDevice, destination: int, of: DriverDevice, source: int, size: int) -> None:
        self.copy_image(stream, to, Linear(destination, size, size), of, Linear(source, size, size), (size, 1, 1))

    def copy_rect(self, stream: Stream, to: DriverDevice, destination: int, destination_pitches: tuple[int, int],
                  of: DriverDevice, source: int, source_pitches: tuple[int, int], region: Triple) -> None:
        self.copy_image(stream, to, Linear(destination, *destination_pitches), of, Linear(source, *source_pitches), region)

    def copy_image(self, stream: Stream, to: DriverDevice, destination: Linear | ImagePart, of: DriverDevice,
                   source: Linear | ImagePart, region: Triple) -> None:
        assert isinstance(stream, RemoteStream)
        here, there = place_of(destination), place_of(source)
        target, origin = cast(Peer, to), cast(Peer, of)
        if stream.serves(target.session, target.number):
            stream.add((op.FETCH, here, region, origin.peer, there), 128)
        else:
            stream.add((op.PUT, there, region, target.peer, here), 128)
