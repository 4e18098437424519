"""Contents from worker to worker: a stream fetches them from another worker, or puts them there, over a connection of the two's own.

The client says where the other worker is, and as whose they are there. The connection's requests are (GET or SET, device, place,
region); each reply begins with a failure or None. What a region has goes as plain bytes without gaps.
"""

from __future__ import annotations

import contextlib
import math
import ssl
from collections.abc import Iterator
from typing import Any

from ..driver.device import DriverDevice
from ..driver.interface import DriverError, ImagePart, Linear, Stream, Triple
from . import operations as op
from .facts import from_failure, to_failure, triple
from .held import Held
from .transfers import memory
from .wire import Channel, Place, connect

# How long another worker may say nothing.
SECONDS = 30.0


class Peers:
    """The connections of one stream."""

    def __init__(self, tls: ssl.SSLContext | None):
        self._tls = tls
        self._channels: dict[tuple[Place, int], Channel] = {}

    @contextlib.contextmanager
    def _connected(self, other: Any) -> Iterator[tuple[Channel, int]]:
        """A connection to the other worker, and the device's number there. One that fails is not used again."""
        place, client, device = Place(*other[0]), other[1], other[2]
        key = place, client
        try:
            channel = self._channels.get(key)
            if channel is None:
                channel = self._channels[key] = connect(place, SECONDS, self._tls)
                channel.send([op.CONTENTS, client])
                channel.limit(SECONDS)
            yield channel, device
        except (OSError, EOFError) as error:
            broken = self._channels.pop(key, None)
            if broken is not None:
                broken.close()
            raise DriverError(f"contents cannot be exchanged with {place.host}:{place.port}: {error}", "DEVICE_NOT_AVAILABLE") from error

    @contextlib.contextmanager
    def getting(self, other: Any, place: Any, region: Triple) -> Iterator[Channel]:
        """The connection from which the region's bytes are to be received."""
        with self._connected(other) as (channel, device):
            channel.send([op.GET, device, place, region])
            _raise(channel.receive()[0])
            yield channel

    def put(self, other: Any, place: Any, region: Triple, data: memoryview) -> None:
        """Returns when the other worker has them in place."""
        with self._connected(other) as (channel, device):
            channel.send([op.SET, device, place, region], (data,))
            _raise(channel.receive()[0])

    def close(self) -> None:
        for channel in self._channels.values():
            channel.close()


def _raise(answer: list[Any]) -> None:
    if answer[0]:
        error = to_failure(answer[0])
        assert isinstance(error, DriverError)
        raise DriverError(f"the other worker says: {error}", error.status)


def located(held: Held, place: Any) -> Linear | ImagePart:
    """A place as `operations` says it."""
    first, second, third = place
    return ImagePart(held.images[first], second, triple(third)) if isinstance(third, list) else Linear(first, second, third)


def is_host_memory(driver: DriverDevice) -> bool:
    """The device's addresses are the process's own."""
    return driver.properties.unified_memory and not driver.properties.is_gpu


def is_whole(place: Linear | ImagePart, region: Triple) -> bool:
    """The region's bytes lie in memory without gaps."""
    width, rows, planes = region
    return isinstance(place, Linear) and (rows == 1 or place.row_pitch == width) and (planes == 1 or place.slice_pitch == width * rows)


@contextlib.contextmanager
def in_host_memory(driver: DriverDevice, stream: Stream, place: Linear | ImagePart, region: Triple, changes: bool) -> Iterator[memoryview]:
    """The region's bytes without gaps, after all that the stream was given; with `changes` those that are to become its contents."""
    size = math.prod(region)
    if is_host_memory(driver) and is_whole(place, region):
        stream.synchronize()
        yield memory(place.address, size)  # type: ignore[union-attr]
        return
    room = driver.allocate_host(size)
    tight = Linear(room, region[0], region[0] * region[1])
    try:
        if not changes:
            stream.copy_image("device_to_host", tight, place, region)
            stream.synchronize()
        yield memory(room, size)
        if changes:
            stream.copy_image("host_to_device", place, tight, region)
            stream.synchronize()
    finally:
        driver.free_host(room)


def serve_contents(held: Held, channel: Channel) -> None:
    """The other side: gives and takes contents until the connection ends."""
    while True:
        (request, number, place, region), _ = channel.receive()
        driver = held.devices[number].driver
        try:
            stream = driver.open_stream()
            try:
                with in_host_memory(driver, stream, located(held, place), triple(region), request == op.SET) as data:
                    if request == op.SET:
                        channel.receive_into(data)
                    else:
                        channel.send([None], (data,))
            finally:
                stream.close()
        except (DriverError, LookupError) as error:
            channel.skip()
            channel.send([from_failure(error)])
        else:
            if request == op.SET:
                channel.send([None])
