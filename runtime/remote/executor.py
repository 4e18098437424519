"""The worker's side of a stream: executes what its connection brings, in order, and tells how far it has come.

A command that fails is noted, and told with the stream's next fence. Several that depend on each other come as parts of one: when what
they wait for has failed, or one of them has, the rest is left out, and that is told when the last of them has come.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import ssl
from collections.abc import Callable
from typing import Any

from ..driver.interface import DeviceLost, DriverError, Fence, ImagePart, Linear, Stream, StreamHints
from . import operations as op
from .facts import from_failure, triple
from .held import Held, HeldDevice
from .peers import Peers, in_host_memory, is_host_memory, is_whole, located
from .transfers import DirectTransfers, StagedTransfers, Transfers
from .wire import Channel

ALIGN = 128
FAILED_WAIT = "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"


class Planned:
    """A launch, and the memory of its parameters' values."""

    def __init__(self, run: Callable[[], None], address: int, keep: Any):
        self.run, self.address, self.keep = run, address, keep


class Executor:
    """`number` is the stream's among those of the client."""

    def __init__(self, held: Held, device: HeldDevice, channel: Channel, number: int, hints: StreamHints, tls: ssl.SSLContext | None):
        self._held, self._device, self._channel, self._number = held, device, channel, number
        self._stream: Stream = device.driver.open_stream(hints)
        direct = self._stream.immediate and is_host_memory(device.driver)
        self._transfers: Transfers = DirectTransfers(channel) if direct else StagedTransfers(channel, self._stream, device.driver)
        self._peers = Peers(tls)
        self._progress = held.progress_of(number)
        self._plans: dict[int, Planned | DriverError] = {}
        self._failure: DriverError | None = None
        self._part_of = 0  # what the command that is executed is a part of
        self._left_out: dict[int, DriverError] = {}  # why the rest of it is
        self._taken = 0
        self._untold = 0
        self._commands: dict[int, Callable[..., None]] = {
            op.LAUNCH: self._launch, op.PLAN: self._plan, op.COPY: self._copy, op.COPY_RECT: self._copy_rect,
            op.COPY_IMAGE: self._copy_image, op.FILL: self._fill, op.FILL_IMAGE: self._fill_image, op.WRITE: self._write,
            op.WRITE_RECT: self._write_rect, op.WRITE_IMAGE: self._write_image, op.READ: self._read, op.READ_RECT: self._read_rect,
            op.READ_IMAGE: self._read_image, op.FETCH: self._fetch, op.PUT: self._put,
        }

    def run(self) -> None:
        """Until the client closes the stream, or its connection ends."""
        try:
            while True:
                frame, size = self._channel.receive()
                self._taken += 1
                if frame[0] == op.PART:
                    self._part_of = frame[1]
                    self._execute(frame[2:], size)
                elif frame[0] != op.BATCH:
                    self._part_of = 0
                    self._execute(frame, size)
                elif not self._execute_all(frame[1]):
                    return
                if self._untold != self._taken:
                    self._untold = self._taken
                    self._channel.send([(op.TAKEN, self._taken)])
        finally:
            self._end()

    def _execute_all(self, commands: list[list[Any]]) -> bool:
        """False where the stream is to be closed."""
        for command in commands:
            self._part_of = 0
            if command[0] == op.PART:
                self._part_of, command = command[1], command[2:]
            number = command[0]
            if number == op.FENCE:
                self._fence(command[1], command[2])
            elif number == op.AFTER:
                self._after(*command[1:])
            elif number == op.GATE:
                self._at_gate(command[1])
            elif number == op.LAST_PART:
                self._end_parts(command[1])
            elif number == op.DROP_PLANS:
                for plan in command[1]:
                    self._plans.pop(plan, None)
            elif number == op.CLOSE:
                return False
            else:
                self._execute(command, 0)
        return True

    def _execute(self, command: list[Any], size: int) -> None:
        try:
            if self._part_of in self._left_out and command[0] != op.PLAN:  # which later launches use, too
                pass
            elif size:
                self._commands[command[0]](*command[1:], payload=size)
            else:
                self._commands[command[0]](*command[1:])
        except DriverError as error:
            self._fail(error)
        except (LookupError, TypeError, ValueError, MemoryError) as error:
            self._fail(DriverError(f"the worker cannot do command {command[0]}: {type(error).__name__}: {error}"))
        if size:
            self._channel.skip()

    # Failures

    def _fail(self, error: DriverError) -> None:
        if self._part_of:
            self._left_out.setdefault(self._part_of, error)
        else:
            self._failure = self._failure or error

    def _end_parts(self, told: bool) -> None:
        error = self._left_out.pop(self._part_of, None)
        if told:
            self._failure = self._failure or error

    def _failure_before_fence(self) -> DriverError | None:
        """Between the parts of a command a fence tells of these: what failed before them is for the next one behind whole commands."""
        if self._part_of:
            return self._left_out.get(self._part_of)
        failure, self._failure = self._failure, None
        return failure

    # Order

    def _at_gate(self, gate: int) -> None:
        reason = self._held.wait_at(gate)
        if reason:
            self._fail(DriverError(reason, FAILED_WAIT))

    def _fence(self, number: int, timing: bool) -> None:
        failure, is_part = self._failure_before_fence(), bool(self._part_of)
        fence: Fence | None = None
        try:
            fence = self._stream.fence(timing)
        except DriverError as error:
            failure = failure or error
        held, progress = self._held, self._progress
        with held.changed:
            progress.recorded = number
            if failure is not None:
                progress.failed[number] = failure
            if fence is not None and not self._stream.immediate:
                progress.fences[number] = fence
            held.changed.notify_all()

        def reached(late: DriverError | None) -> None:
            wrong = failure or late
            with held.changed:
                progress.fences.pop(number, None)
                if wrong is not None:
                    progress.failed[number] = wrong
            time = fence.time_ns() if timing and fence is not None and not isinstance(wrong, DeviceLost) else 0
            notices: list[tuple[Any, ...]] = [(op.REACHED, number, time, from_failure(wrong) if wrong else None, is_part)]
            if self._untold != self._taken:
                self._untold = self._taken
                notices.append((op.TAKEN, self._untold))
            self._channel.send(notices)

        if fence is None:
            reached(failure)
        else:
            self._transfers.behind(fence, reached)

    def _after(self, stream: int, number: int, even_failed: bool) -> None:
        fence, failure = self._held.wait_for(stream, number)
        if failure is not None and not even_failed:
            # What a stream waits for in itself are contents, whose failure is the command's own.
            own = stream == self._number
            self._fail(failure if own else DriverError(f"a command that it waits for has failed: {failure}", FAILED_WAIT))
        elif fence is not None and stream != self._number:
            try:
                self._stream.after(fence, even_failed=even_failed)
            except DriverError as error:
                self._fail(error)

    # Commands

    def _plan(self, number: int, function: int, work_dim: int, global_size: Any, local_size: Any, offset: Any, dynamic_local: int,
              places: list[int], skew: int, size: int) -> None:
        memory = (ctypes.c_ubyte * (size + 2 * ALIGN))()
        address = ctypes.addressof(memory)
        address += -address % ALIGN + skew
        pointers = (ctypes.c_void_p * max(1, len(places)))(*[address + place for place in places])
        try:
            run = self._held.functions[function].prepare(self._stream, work_dim, triple(global_size), triple(local_size), triple(offset),
                                                         dynamic_local, ctypes.addressof(pointers))
        except DriverError as error:
            self._plans[number] = error  # which each launch says
        else:
            self._plans[number] = Planned(run, address, (memory, pointers))

    def _launch(self, number: int, values: bytes) -> None:
        plan = self._plans[number]
        if isinstance(plan, DriverError):
            raise plan
        ctypes.memmove(plan.address, values, len(values))
        plan.run()

    def _copy(self, destination: int, source: int, size: int) -> None:
        self._stream.copy("device_to_device", destination, source, size)

    def _copy_rect(self, destination: int, destination_pitches: Any, source: int, source_pitches: Any, region: Any) -> None:
        self._stream.copy_rect("device_to_device", destination, tuple(destination_pitches), source, tuple(source_pitches), triple(region))

    def _copy_image(self, destination: Any, source: Any, region: Any) -> None:
        self._stream.copy_image("device_to_device", self._place(destination), self._place(source), triple(region))

    def _fill(self, destination: int, pattern: bytes, size: int) -> None:
        self._stream.fill(destination, pattern, size)

    def _fill_image(self, destination: Any, element: bytes, region: Any) -> None:
        place = self._place(destination)
        assert isinstance(place, ImagePart)
        self._stream.fill_image(place, element, triple(region))

    def _place(self, place: Any) -> Linear | ImagePart:
        return located(self._held, place)

    def _write(self, destination: int, data: bytes = b"", payload: int = 0) -> None:
        if payload:
            self._transfers.write(destination, payload)
        else:
            self._with_data(data, 0, lambda address: self._stream.copy("host_to_device", destination, address, len(data)))

    def _write_rect(self, destination: int, pitches: Any, region: Any, data: bytes = b"", payload: int = 0) -> None:
        width, rows, _ = size = triple(region)
        self._with_data(data, payload, lambda address: self._stream.copy_rect(
            "host_to_device", destination, tuple(pitches), address, (width, width * rows), size))

    def _write_image(self, destination: Any, region: Any, data: bytes = b"", payload: int = 0) -> None:
        width, rows, _ = size = triple(region)
        self._with_data(data, payload, lambda address: self._stream.copy_image(
            "host_to_device", self._place(destination), Linear(address, width, width * rows), size))

    def _with_data(self, data: bytes, payload: int, use: Callable[[int], object]) -> None:
        """Host memory that holds the data, or what the connection brings."""

        def fill_and_use(address: int) -> None:
            if payload:
                self._channel.receive_into(memoryview((ctypes.c_ubyte * payload).from_address(address)).cast("B"))
            else:
                ctypes.memmove(address, data, len(data))
            use(address)

        self._transfers.with_room(payload or len(data), fill_and_use)

    def _read(self, number: int, source: int, size: int) -> None:
        self._transfers.read(number, source, size)

    def _read_rect(self, number: int, source: int, pitches: Any, region: Any) -> None:
        width, rows, planes = size = triple(region)
        self._transfers.with_room(width * rows * planes, lambda address: self._stream.copy_rect(
            "device_to_host", address, (width, width * rows), source, tuple(pitches), size), number)

    def _read_image(self, number: int, place: Any, region: Any) -> None:
        width, rows, planes = size = triple(region)
        self._transfers.with_room(width * rows * planes, lambda address: self._stream.copy_image(
            "device_to_host", Linear(address, width, width * rows), self._place(place), size), number)

    def _fetch(self, place: Any, region: Any, other: Any, there: Any) -> None:
        here, size = self._place(place), triple(region)
        with self._peers.getting(other, there, size) as channel:
            if isinstance(here, Linear) and is_whole(here, size):
                self._transfers.write(here.address, math.prod(size), channel)
            else:
                with in_host_memory(self._device.driver, self._stream, here, size, changes=True) as data:
                    channel.receive_into(data)

    def _put(self, place: Any, region: Any, other: Any, there: Any) -> None:
        with in_host_memory(self._device.driver, self._stream, self._place(place), triple(region), changes=False) as data:
            self._peers.put(other, there, triple(region), data)

    def _end(self) -> None:
        self._transfers.end()
        self._peers.close()
        with contextlib.suppress(DriverError):  # A device that has failed runs nothing any more.
            self._stream.close()
        with self._held.changed:
            self._progress.recorded = 1 << 62
            self._progress.fences.clear()
            self._held.changed.notify_all()
