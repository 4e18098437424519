"""The client's side of a stream: commands go to the worker in batches, and notices come back.

A command is sent at once where the worker has all that was sent before. While it has not, commands gather, and go as one frame when
it has, or when they are many: so a single command waits for nothing, and many cost little more than their bytes. Nobody waits for a
command's execution, so what fails is told with the next fence.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ..driver.host_rows import host_rows
from ..driver.interface import (
    CommandFailed,
    CopyKind,
    DriverError,
    Fence,
    ImagePart,
    Linear,
    StreamHints,
    TimeBase,
    Triple,
    UnrecordedFences,
)
from . import operations as op
from .facts import to_failure
from .fences import Fences
from .image import RemoteImage
from .parts import Parts
from .session import Session
from .turn import NOT_YET, Turn

# A batch is sent when it has so many commands or bytes.
MOST_COMMANDS = 256
MOST_BYTES = 64 << 10
# Data up to this size travels in a batch.
INLINE = 16 << 10
# From this size on, sending keeps the calling thread busy.
LARGE = 256 << 10


def memory(address: int, size: int) -> memoryview:
    """The host's memory there."""
    return memoryview((ctypes.c_ubyte * size).from_address(address)).cast("B")


class RemoteFence:
    """A point in a stream, by its number among the stream's fences: NOT_YET, where a destructor has asked for it whose thread has the
    stream's turn."""

    __slots__ = ("__weakref__", "_time", "number", "stream")

    def __init__(self, stream: RemoteStream, number: int):
        self.stream = stream
        self.number = number
        self._time = 0

    def wait(self) -> None:
        if self.number == NOT_YET:
            self.stream.flush()
        self.stream.wait_until(self.number)
        self.stream.fences.check(self.number)

    def done(self) -> bool:
        return self.stream.has_reached(self.number)

    def time_ns(self) -> int:
        self.stream.wait_until(self.number)
        if self.stream.fences.reached < self.number:
            self.stream.fences.check(self.number)
        return self._time

    def reached_at(self, time: int) -> None:
        self._time = time


class _Read(NamedTuple):
    """What it brings goes to the host's memory from `start` to `end`: `take` is given where a piece of it starts, and its bytes."""

    start: int
    end: int
    take: Callable[[int, int], None]


class RemoteStream:
    """`number` is the stream's among those of the session."""

    immediate = False
    handle = 0
    fails_apart = True
    brief_copy = 0

    def __init__(self, session: Session, device: int, hints: StreamHints):
        self.session = session
        self._device = device
        self.number, self._channel = _opened(session, device, hints)
        self._turn = Turn()  # to change what is to be sent, and its order
        self._batch: list[Any] = []
        self._size = 0
        self._sent = self._taken = 0  # frames
        self._fences = 0
        self._sent_fences = 0
        self._added = 0
        self._parts = Parts()
        self.conditional = False
        self._last: tuple[int, int] = (0, 0)  # the last fence, and how many commands had been added
        self._reads: dict[int, _Read] = {}
        self._read_numbers = itertools.count(1)
        self._plans = itertools.count(1)
        self.dropped_plans: list[int] = []
        self._timed: weakref.WeakValueDictionary[int, RemoteFence] = weakref.WeakValueDictionary()
        self.fences = Fences(lambda: session.lost)
        self._closed = False
        session.when_lost(self.fences.end)
        with _open_lock:
            _open_streams.add(self)
        threading.Thread(target=self._receive, name="cl2cuda remote stream", daemon=True).start()

    # Sending

    def add(self, command: tuple[Any, ...], size: int = 32) -> None:
        """A command, at the end of the stream; `size` is about its bytes."""
        with self._turn:
            if self.session.lost is not None:
                raise self.session.lost
            self._batch.append(self._as_part(command) if self.conditional else command)
            self._size += size
            self._added += 1
            # The thread that receives sets `_taken`, then looks for a batch: one of the two sees the other.
            if self._sent == self._taken or self._size >= MOST_BYTES or len(self._batch) >= MOST_COMMANDS:
                self._send_batch()

    def _send_batch(self) -> None:
        if self.dropped_plans:
            dropped, self.dropped_plans = self.dropped_plans, []
            self._batch.append((op.DROP_PLANS, dropped))
        batch, self._batch, self._size = self._batch, [], 0
        self._send((op.BATCH, batch))

    def _send(self, frame: tuple[Any, ...], payload: tuple[memoryview, ...] = ()) -> None:
        self._sent += 1
        self._sent_fences = self._fences
        try:
            self._channel.send(frame, payload)
        except OSError as error:
            raise self.session.lose(error) from error

    def _send_with(self, command: tuple[Any, ...], payload: memoryview) -> None:
        """A command with a payload, which the system has taken when this returns."""
        with self._turn:
            if self.session.lost is not None:
                raise self.session.lost
            if self._batch:
                self._send_batch()
            self._added += 1
            self._send(self._as_part(command) if self.conditional else command, (payload,))

    def flush(self) -> None:
        self._turn.take_for(self._flush)

    def _flush(self) -> None:
        if self._batch and self.session.lost is None:
            self._send_batch()

    def _flush_gathered(self) -> None:
        """For the session's own thread: what is lost others will hear of."""
        try:
            self.flush()
        except DriverError:
            return

    # Parts of one command

    def _as_part(self, command: tuple[Any, ...]) -> tuple[Any, ...]:
        whole = self._parts.here()
        return (op.PART, whole, *command) if whole else command

    def begin_contents(self) -> None:
        with self._turn:
            self._parts.begin()
            self.conditional = True

    def end_contents(self) -> None:
        self._end_parts(False)

    def end_command(self, given: bool = True) -> None:
        self._end_parts(given)

    def _end_parts(self, told: bool) -> None:
        with self._turn:
            whole = self._parts.end()
            self.conditional = self._parts.any
            if whole:
                self._batch.append((op.PART, whole, op.LAST_PART, told))
                self._added += 1

    # Commands

    def serves(self, session: Session, device: int) -> bool:
        """Whether it is a stream of this device."""
        return session is self.session and device == self._device

    def new_plan(self) -> int:
        return next(self._plans)

    def copy(self, kind: CopyKind, destination: int, source: int, size: int) -> bool:
        if kind == "host_to_device":
            _end_reads(source, source + size)
            if size <= INLINE:
                self.add((op.WRITE, destination, ctypes.string_at(source, size)), size + 32)
            else:
                self._send_with((op.WRITE, destination), memory(source, size))
            return True
        if kind == "device_to_host":
            self.add((op.READ, self._read_into(destination, size), source, size))
        else:
            self.add((op.COPY, destination, source, size))
        return False

    def copy_rect(self, kind: CopyKind, destination: int, destination_pitches: tuple[int, int],
                  source: int, source_pitches: tuple[int, int], region: Triple) -> None:
        if kind == "host_to_device":
            self._write((op.WRITE_RECT, destination, destination_pitches, region), Linear(source, *source_pitches), region)
        elif kind == "device_to_host":
            self.add((op.READ_RECT, self._read_rows(Linear(destination, *destination_pitches), region), source, source_pitches, region))
        else:
            self.add((op.COPY_RECT, destination, destination_pitches, source, source_pitches, region))

    def copy_image(self, kind: CopyKind, destination: Linear | ImagePart, source: Linear | ImagePart, region: Triple) -> None:
        if kind == "host_to_device":
            assert isinstance(source, Linear)
            self._write((op.WRITE_IMAGE, place_of(destination), region), source, region)
        elif kind == "device_to_host":
            assert isinstance(destination, Linear)
            self.add((op.READ_IMAGE, self._read_rows(destination, region), place_of(source), region))
        else:
            self.add((op.COPY_IMAGE, place_of(destination), place_of(source), region))

    def copy_shared(self, destination: int, source: int, size: int) -> bool:
        raise DriverError("a remote device shares no memory with the host", "INVALID_OPERATION")

    def prefetch(self, address: int, size: int, to_host: bool) -> None:
        raise DriverError("a remote device shares no memory with the host", "INVALID_OPERATION")

    def blocks_caller(self, kind: CopyKind, host: int, size: int) -> bool:
        return kind == "host_to_device" and size >= LARGE

    def fill(self, destination: int, pattern: bytes, size: int) -> None:
        self.add((op.FILL, destination, pattern, size))

    def fill_image(self, destination: ImagePart, element: bytes, region: Triple) -> None:
        self.add((op.FILL_IMAGE, place_of(destination), element, region))

    def _write(self, command: tuple[Any, ...], rows: Linear, region: Triple) -> None:
        """A command that ends in a region's bytes, without gaps."""
        _end_reads(rows.address, rows.address + rows.span(region))
        data = host_rows(rows, region).tobytes()
        if len(data) <= INLINE:
            self.add((*command, data), len(data) + 64)
        else:
            self._send_with(command, memoryview(data))

    def _read_into(self, address: int, size: int) -> int:
        """The number of a read; what it brings goes to the address."""
        number = next(self._read_numbers)
        self._reads[number] = _Read(
            address, address + size, lambda start, came: self._channel.receive_into(memory(address + start, min(size - start, came))))
        return number

    def _read_rows(self, rows: Linear, region: Triple) -> int:
        number = next(self._read_numbers)

        def scatter(start: int, came: int) -> None:
            width, height, planes = region
            data = np.frombuffer(self._channel.receive_bytes(came), np.uint8)
            host_rows(rows, region)[...] = data.reshape(planes, height, width)

        self._reads[number] = _Read(rows.address, rows.address + rows.span(region), scatter)
        return number

    def end_reads(self, start: int, end: int) -> None:
        """Waits until what reads bring to that memory of the host's has come, or failed. None of them waits for the caller, who gave it to
        the worker, or has it given here."""
        if any(read.start < end and start < read.end for read in list(self._reads.values())):
            with suppress(DriverError):  # Of a stream that is lost they have ended.
                with self._turn:
                    if not self._closed:
                        self._add_fence(RemoteFence(self, NOT_YET), False, False)
                    fence = self._fences
                self.wait_until(fence)

    # Fences

    def fence(self, timing: bool) -> RemoteFence:
        return self._fence(timing, True)

    def _fence(self, timing: bool, may_be_part: bool) -> RemoteFence:
        fence = RemoteFence(self, NOT_YET)
        self._turn.take_for(lambda: self._add_fence(fence, timing, may_be_part))
        return fence

    def _add_fence(self, fence: RemoteFence, timing: bool, may_be_part: bool) -> None:
        """Who calls has the turn."""
        if self.session.lost is not None:
            raise self.session.lost
        self._fences += 1
        fence.number = self._fences
        if timing:
            self._timed[fence.number] = fence
        self._last = fence.number, self._added
        command = op.FENCE, fence.number, timing
        self._batch.append(self._as_part(command) if may_be_part else command)
        if self._sent == self._taken:
            self._send_batch()

    def _flush_to(self, number: int) -> None:
        if number > self._sent_fences:
            self.flush()

    def wait_until(self, number: int) -> None:
        """Until the fence is reached, or the worker is lost."""
        if self.fences.reached < number:
            self._flush_to(number)
            self.fences.wait_until(number)

    def has_reached(self, number: int) -> bool:
        if self.fences.reached < number:
            self._flush_to(number)
        reached = self.fences.reached >= number  # before the look at what has failed, which comes first
        self.fences.check(number)
        return reached

    def failure_noted(self, failure: CommandFailed) -> None:
        self.fences.note(failure)

    def timed_copy(self, kind: CopyKind, destination: int, source: int, size: int) -> None:
        """The other side takes the times."""

    def timed_fences(self) -> None:
        """Likewise."""

    def time_base(self) -> TimeBase:
        raise AssertionError("there are no timed fences")

    def counted_from(self, base: TimeBase, fences: UnrecordedFences) -> tuple[Fence, Fence]:
        raise AssertionError("there are no timed fences")

    def after(self, fence: Fence, *, even_failed: bool = False) -> None:
        assert isinstance(fence, RemoteFence)
        other = fence.stream
        if fence.number == NOT_YET:
            other.flush()
        if other.fences.is_good(fence.number) or (even_failed and (other is self or other.fences.reached >= fence.number)):
            return
        if not even_failed:
            with self._turn:
                if not self._parts.here():
                    self._parts.begin()
                    self.conditional = True
        if other.session is self.session:
            if other is not self:
                other._flush_to(fence.number)
            self.add((op.AFTER, other.number, fence.number, even_failed))
            return
        gate = next(_GATES)
        self.add((op.GATE, gate))
        session = self.session

        def opened(failure: DriverError | None) -> None:
            text = None if failure is None or even_failed else f"a command that it waits for has failed: {failure}"
            session.later.put(lambda: session.tell(0, op.OPEN_GATE, gate, text))

        try:
            other._flush_to(fence.number)
            other.fences.when_reached(fence.number, opened)
        except DriverError as error:
            opened(error)

    def idle(self) -> bool:
        number, added = self._last
        return self._added == added and self.fences.reached >= number

    def native(self) -> None:
        """Commands are messages."""

    def rests(self) -> bool:
        return False

    def poll_completed(self) -> bool:
        return False

    def synchronize(self) -> None:
        if self.conditional:  # It may be the parts so far that have failed, or commands before.
            self.fence(False).wait()
        self._fence(False, False).wait()

    def close(self) -> None:
        """What was given to the stream goes on; its fences can be waited for."""
        self._turn.take_for(self._close)

    def _close(self) -> None:
        if not self._closed and self.session.lost is None:
            if self._reads:
                self._add_fence(RemoteFence(self, NOT_YET), False, False)  # which tells when they have ended
            self._closed = True
            self._batch.append((op.CLOSE,))
            self._send_batch()

    # Receiving

    def _receive(self) -> None:
        try:
            while True:
                notices, size = self._channel.receive()
                for number, *facts in notices:
                    self._take_notice(number, facts, size)
        except (OSError, EOFError, DriverError) as error:
            if not self._closed or self.fences.reached < self._fences:
                self.session.lose(error)
        finally:
            self.session.no_longer(self.fences.end)
            self.session.disconnect(self._channel)
            self.fences.end()

    def _take_notice(self, notice: int, facts: list[Any], size: int) -> None:
        if notice == op.TAKEN:
            self._taken = facts[0]
            if self._batch:
                self.session.later.put(self._flush_gathered)
        elif notice == op.CONTENT:
            read, start, last = facts
            self._reads[read].take(start, size)
            if last:
                del self._reads[read]
        else:
            self._reach(*facts)

    def _reach(self, number: int, time: int, failure: list[str] | None, is_part: bool) -> None:
        error = to_failure(failure) if failure else None
        assert error is None or isinstance(error, DriverError)
        fence = self._timed.get(number)
        if fence is not None:
            fence.reached_at(time + self.session.clock)
        self.fences.reach(number, error, is_part)


_GATES = itertools.count(1)
_STREAMS = itertools.count(1)
_open_streams: weakref.WeakSet[RemoteStream] = weakref.WeakSet()
_open_lock = threading.Lock()


def _end_reads(start: int, end: int) -> None:
    """The client sends what is written when the write is given. First has to come there what reads before it bring: those of any stream,
    since the write may wait for their events."""
    with _open_lock:
        streams = list(_open_streams)
    for stream in streams:
        stream.end_reads(start, end)


def _opened(session: Session, device: int, hints: StreamHints) -> tuple[int, Any]:
    number = next(_STREAMS)
    return number, session.connect(op.STREAM, session.number, device, number, hints.priority, hints.throttle)


def place_of(place: Linear | ImagePart) -> tuple[Any, ...]:
    """A place as `operations` says it."""
    if isinstance(place, Linear):
        return tuple(place)
    assert isinstance(place.image, RemoteImage)
    return place.image.number, place.level, place.offset
