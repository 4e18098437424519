"""How bytes get between a worker's connection and its device's memory.

Where the device's memory is the process's own, the connection reads and writes it directly. Elsewhere they go in pieces through
memory that the device reaches fast: while a piece is on its way between host and device, the connection has the next.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import queue
import sys
import threading
from collections.abc import Callable
from typing import Protocol

from ..driver.device import DriverDevice
from ..driver.interface import DriverError, Fence, Stream
from . import operations as op
from .wire import Channel

PIECE = 4 << 20
PIECES = 4


def memory(address: int, size: int) -> memoryview:
    return memoryview((ctypes.c_ubyte * size).from_address(address)).cast("B")


Behind = Callable[[DriverError | None], None]


class Transfers(Protocol):
    """`behind(call)` calls it when all that the stream was given has ended, in order; `number` is a read's."""

    def write(self, destination: int, size: int, channel: Channel | None = None) -> None:
        """From the stream's connection, or another."""

    def read(self, number: int, source: int, size: int) -> None: ...
    def with_room(self, size: int, use: Callable[[int], None], send: int | None = None) -> None:
        """use(address of host memory) gives the stream a command that uses it; what is there afterwards is the read `send`."""

    def behind(self, fence: Fence | None, call: Behind) -> None: ...
    def end(self) -> None: ...


class DirectTransfers:
    """Commands have ended when their calls return, and addresses are the process's own."""

    def __init__(self, channel: Channel):
        self._channel = channel

    def write(self, destination: int, size: int, channel: Channel | None = None) -> None:
        (channel or self._channel).receive_into(memory(destination, size))

    def read(self, number: int, source: int, size: int) -> None:
        self._channel.send([(op.CONTENT, number, 0, True)], (memory(source, size),))

    def with_room(self, size: int, use: Callable[[int], None], send: int | None = None) -> None:
        room = (ctypes.c_ubyte * size)()
        use(ctypes.addressof(room))
        if send is not None:
            self._channel.send([(op.CONTENT, send, 0, True)], (memoryview(room).cast("B"),))

    def behind(self, fence: Fence | None, call: Behind) -> None:
        call(None)

    def end(self) -> None:
        pass


class StagedTransfers:
    """A thread of its own waits for the device: for pieces that can be sent or used again, and for fences."""

    def __init__(self, channel: Channel, stream: Stream, device: DriverDevice):
        self._channel, self._stream, self._device = channel, stream, device
        self._free: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._pieces: list[int] = []
        self._due: queue.SimpleQueue[tuple[Fence, Behind] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._wait, name="cl2cuda worker transfers", daemon=True)
        self._thread.start()

    def _piece(self) -> int:
        if len(self._pieces) < PIECES and self._free.empty():
            self._pieces.append(self._device.allocate_host(PIECE))
            return self._pieces[-1]
        return self._free.get()

    def write(self, destination: int, size: int, channel: Channel | None = None) -> None:
        for start in range(0, size, PIECE):
            length = min(PIECE, size - start)
            piece = self._piece()
            try:
                (channel or self._channel).receive_into(memory(piece, length))
                self._stream.copy("host_to_device", destination + start, piece, length)
            finally:
                self._later(functools.partial(self._release, piece))

    def _release(self, piece: int, failure: DriverError | None) -> None:
        self._free.put(piece)

    def read(self, number: int, source: int, size: int) -> None:
        for start in range(0, size, PIECE):
            length = min(PIECE, size - start)
            header = [(op.CONTENT, number, start, start + length == size)]
            self._read_piece(source + start, length, header)

    def _read_piece(self, source: int, size: int, header: list[tuple[int, int, int, bool]]) -> None:
        piece = self._piece()

        def done(failure: DriverError | None) -> None:
            try:
                if failure is None:
                    self._channel.send(header, (memory(piece, size),))
            finally:
                self._free.put(piece)

        try:
            self._stream.copy("device_to_host", piece, source, size)
        finally:
            self._later(done)

    def with_room(self, size: int, use: Callable[[int], None], send: int | None = None) -> None:
        room = self._device.allocate_host(size)

        def done(failure: DriverError | None) -> None:
            try:
                if send is not None and failure is None:
                    self._channel.send([(op.CONTENT, send, 0, True)], (memory(room, size),))
            finally:
                self._device.free_host(room)

        try:
            use(room)
        finally:
            self._later(done)

    def _later(self, call: Behind) -> None:
        try:
            fence = self._stream.fence(False)
        except DriverError as error:
            call(error)
            raise
        self._due.put((fence, call))

    def behind(self, fence: Fence | None, call: Behind) -> None:
        assert fence is not None
        self._due.put((fence, call))

    def _wait(self) -> None:
        while (due := self._due.get()) is not None:
            fence, call = due
            failure = None
            try:
                fence.wait()
            except DriverError as error:
                failure = error
            try:
                call(failure)
            except (OSError, DriverError):
                continue  # The connection has ended: what is left is given back all the same.
            except BaseException:
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))

    def end(self) -> None:
        """Waits for what is left, and gives the pieces back."""
        self._due.put(None)
        self._thread.join()
        for piece in self._pieces:
            with contextlib.suppress(DriverError):
                self._device.free_host(piece)
