"""The in-order command-queue. Every command goes through `submit`: wait list, order, blocking, event and profiling are there.

The one exception is the plain kernel launch (`launch.enqueue_nd_range_kernel`), which does the few steps that are left of
`submit` without wait list and profiling itself, because it is the hot path.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from . import codes
from .context import Context
from .device import Device
from .driver import DriverError
from .errors import CLError
from .event import FAILED_WAIT, Caller, Event
from .gate import Gate
from .info import NotOffered, QueryTable

ROUTINE = "clCreateCommandQueueWithProperties"

Run = Callable[[Any], Any]


@dataclass
class _Held:
    """A command that waits, with all that come after it, for an event that is not given to a driver yet."""

    routine: str
    event: Event
    run: Run
    wait_for: tuple[Event, ...]
    keep: Any


class CommandQueue:
    """cl_command_queue, in-order, on one stream of the device's driver.

    serial        unlike every other queue's, also of queues that are gone
    deliberate    True while commands must take the whole of `submit`: the queue profiles, holds commands back, or is closed
    event_type    the class that commands make events of: Event or a subclass without a constructor of its own
    """

    _serials = itertools.count(1)

    def __init__(self, context: Context, device: Device, properties: int = 0):
        if not isinstance(context, Context):
            raise CLError(ROUTINE, "INVALID_CONTEXT", f"{context!r} is not a context")
        if device not in context.devices:
            raise CLError(ROUTINE, "INVALID_DEVICE", f"{device!r} is not a device of the context")
        _check_properties(properties)
        self.context = context
        self.device = device
        self.properties = properties
        self.profiling = bool(properties & codes.QUEUE_PROFILING_ENABLE)
        self.serial = next(self._serials)
        self.event_type: type[Event] = Event
        self.deliberate = self.profiling
        # A command is given to the stream, sets `busy`, then draws its number; a mark draws its number, clears `busy`, then is
        # given to the stream. So whatever other threads do, a mark stands behind every command with a lower number, and
        # while `busy` is not set the last mark stands behind everything.
        self.next_position = itertools.count(1).__next__
        self.busy = False
        self._mark_lock = threading.Lock()
        self._reached = 0
        self._last_mark: tuple[int, Any] = (0, None)
        self._held: collections.deque[_Held] = collections.deque()
        self._hold_lock = threading.RLock()
        self._kept: collections.deque[tuple[Any, Any]] = collections.deque()
        self.closed = False
        try:
            self.stream = device.driver_device.open_stream()
        except DriverError as error:
            raise CLError(ROUTINE, error.status, str(error)) from error
        context.add_queue(self)

    def submit(self, routine: str, command_type: int, run: Run, wait_for: Sequence[Event] = (), *, blocking: bool = False,
               keep: Any = None, freeze: Callable[[], Run] | None = None) -> Event:
        """Gives a command to the stream, or holds it back while it waits for a user event.

        run(stream) issues the work; if it returns True, the host's memory is done with already. `keep` must live until the
        command has ended. `freeze` returns a `run` that does not look at anything the application may change later (a
        kernel's arguments); it is called for commands held back.
        """
        if self.closed:
            raise CLError(routine, "INVALID_COMMAND_QUEUE", "the command-queue has been released")
        released = False
        if wait_for:
            wait_for = self._checked(routine, wait_for)
        if self._held or (wait_for and any(event.pending for event in wait_for)):
            event = self._hold(routine, command_type, freeze() if freeze else run, tuple(wait_for), keep)
        elif wait_for and any(event.error for event in wait_for):
            event = self.event_type(self, command_type, 0)
            event.gate = Gate(codes.QUEUED)
            event.gate.open(FAILED_WAIT)
        else:
            event = self.event_type(self, command_type, 0)
            try:
                released = self._issue(event, run, wait_for, keep)
            except DriverError as error:
                raise CLError(routine, error.status, str(error)) from error
        if blocking and not released:
            self._block(routine, event)
        return event

    def _block(self, routine: str, event: Event) -> None:
        """Waits for the command just submitted. The stream is at its end then, which is quicker to wait for than a mark."""
        try:
            if event.gate is not None:
                event.wait()
            else:
                self.stream.synchronize()
                self.reach(event.position)
        except CLError as error:
            raise CLError(routine, error.status, error.reason) from error
        except DriverError as error:
            raise CLError(routine, error.status, str(error)) from error

    def orders(self, wait_for: Sequence[Event]) -> bool:
        """The queue's own order sees to the whole wait list."""
        try:
            return all(event.queue is self and event.gate is None for event in wait_for)
        except AttributeError:
            return False  # Not all are events: `submit` will say so.

    def _checked(self, routine: str, wait_for: Sequence[Event]) -> tuple[Event, ...]:
        for event in wait_for:
            if not isinstance(event, Event):
                raise CLError(routine, "INVALID_EVENT_WAIT_LIST", f"{event!r} is not an event")
            if event.context is not self.context:
                raise CLError(routine, "INVALID_CONTEXT", "an event of the wait list belongs to another context")
        return tuple(wait_for)

    def _issue(self, event: Event, run: Run, wait_for: Sequence[Event], keep: Any) -> bool:
        """Gives the command to the stream and numbers its event. Whether the host's memory is done with."""
        for other in wait_for:
            self._wait_in_stream(other)
        if self.profiling:
            event.times = (time.perf_counter_ns(), self.stream.mark(True))
        released = run(self.stream) is True
        self.busy = True
        event.position = self.next_position()
        if self.profiling:
            event.mark = self.stream.mark(True)
        if keep is not None and not released:
            self._drop_kept()
            self._kept.append((event.marked(), keep))
        return released

    def _wait_in_stream(self, event: Event) -> None:
        """Later commands of the stream wait for the event; the stream's own order does it for events of this queue."""
        other = event.queue
        if other is self or other is None or other.has_reached(event.position):
            return
        if other.device.driver_name == self.device.driver_name:
            self.stream.after(event.marked())
        else:
            event.marked().wait()

    # Commands held back: an in-order queue stops at the first one that cannot be issued.

    @property
    def holds_commands(self) -> bool:
        return bool(self._held)

    def _hold(self, routine: str, command_type: int, run: Run, wait_for: tuple[Event, ...], keep: Any) -> Event:
        event = self.event_type(self, command_type, 0)
        event.gate = Gate(codes.QUEUED)
        if self.profiling:
            event.times = (time.perf_counter_ns(), None)
        with self._hold_lock:
            self._held.append(_Held(routine, event, run, wait_for, keep))
            self.deliberate = True
        for other in wait_for:
            if other.pending:
                other.gate.when_open(self._go_on)  # type: ignore[union-attr]
        self._go_on()
        return event

    def _go_on(self) -> None:
        """Issues the held commands up to the next that still has to wait."""
        while True:
            with self._hold_lock:
                if not self._held or any(event.pending for event in self._held[0].wait_for):
                    return
                held = self._held[0]
                status = self._issue_held(held)
                self._held.popleft()
                self.deliberate = self.profiling or bool(self._held)
            held.event.gate.open(status)  # type: ignore[union-attr]

    def _issue_held(self, held: _Held) -> int:
        """0, or the status with which the command is terminated."""
        if any(event.error for event in held.wait_for):
            return FAILED_WAIT
        queued = held.event.times[0] if held.event.times else 0
        try:
            self._issue(held.event, held.run, held.wait_for, held.keep)
        except DriverError as error:
            if self.context.callback:
                self.context.callback(f"{held.routine}: {error}")
            return CLError(held.routine, error.status).code
        if held.event.times:
            held.event.times = (queued, held.event.times[1])
        return 0

    # Positions: how far the stream has come.

    def has_reached(self, position: int) -> bool:
        return position <= self._reached

    def reach(self, position: int) -> None:
        self._reached = max(self._reached, position)

    def mark_behind(self, position: int) -> Any:
        """A mark at the position or later."""
        at, mark = self._last_mark
        return mark if at > position else self.current_mark()

    def current_mark(self) -> Any:
        """A mark behind every command given to the stream so far."""
        with self._mark_lock:
            mark = self._last_mark[1]
            if self.busy or mark is None:
                position = self.next_position()
                self.busy = False
                mark = self.stream.mark(False)
                self._last_mark = (position, mark)
            return mark

    @property
    def idle(self) -> bool:
        """No command can be running."""
        mark = self._last_mark[1]
        return not self._held and not self.busy and (mark is None or mark.done())

    @cached_property
    def watcher(self) -> Caller:
        """The thread that calls event callbacks: a queue's commands end in order, so one waits for them in order."""
        return Caller()

    def _drop_kept(self) -> None:
        while self._kept and self._kept[0][0].done():
            self._kept.popleft()

    def flush(self) -> None:
        """clFlush."""
        self._guard("clFlush", self.stream.flush)

    def finish(self) -> None:
        """clFinish: returns when every command has ended."""
        while self._held:
            self._held[-1].event.gate.wait()  # type: ignore[union-attr]
        self._guard("clFinish", self._synchronize)
        self.context.reclaim()

    def _synchronize(self) -> None:
        # No mark is needed: all that was given to the stream before the number was drawn has ended after the wait.
        with self._mark_lock:
            position = self.next_position()
            self.busy = False
        self.stream.synchronize()
        self.reach(position)
        self._drop_kept()

    def _guard(self, routine: str, call: Callable[[], None]) -> None:
        if self.closed:
            raise CLError(routine, "INVALID_COMMAND_QUEUE", "the command-queue has been released")
        try:
            call()
        except DriverError as error:
            raise CLError(routine, error.status, str(error)) from error

    def get_info(self, param: int) -> Any:
        return QUERIES.get(self, param)

    def release(self) -> None:
        """clReleaseCommandQueue. The commands go on; host memory that they use is waited for."""
        if self.closed:
            return
        self.closed = self.deliberate = True
        for mark, _ in self._kept:
            mark.wait()
        if self.busy:
            self.context.leave_behind(self.current_mark())
        self.stream.close()

    def __del__(self) -> None:
        if not getattr(self, "closed", True) and hasattr(self, "stream"):
            with contextlib.suppress(DriverError):  # At interpreter exit the driver may be gone already.
                self.release()


def _check_properties(properties: int) -> None:
    known = (codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_PROFILING_ENABLE
             | codes.QUEUE_ON_DEVICE | codes.QUEUE_ON_DEVICE_DEFAULT)
    if properties & ~known:
        raise CLError(ROUTINE, "INVALID_VALUE", f"{properties:#x} is not a set of command-queue properties")
    if properties & ~codes.QUEUE_PROFILING_ENABLE:
        raise CLError(ROUTINE, "INVALID_QUEUE_PROPERTIES",
                      "only in-order host queues are supported: ask CL_DEVICE_QUEUE_ON_HOST_PROPERTIES")


def _not_a_device_queue(queue: CommandQueue) -> Any:
    raise NotOffered


QUERIES = QueryTable("clGetCommandQueueInfo", (
    ("QUEUE_CONTEXT", codes.QUEUE_CONTEXT, "object", lambda q: q.context),
    ("QUEUE_DEVICE", codes.QUEUE_DEVICE, "object", lambda q: q.device),
    ("QUEUE_REFERENCE_COUNT", codes.QUEUE_REFERENCE_COUNT, "uint", lambda q: 1),
    ("QUEUE_PROPERTIES", codes.QUEUE_PROPERTIES, "bitfield", lambda q: q.properties),
    ("QUEUE_PROPERTIES_ARRAY", codes.QUEUE_PROPERTIES_ARRAY, "properties", lambda q: ()),
    ("QUEUE_SIZE", codes.QUEUE_SIZE, "uint", _not_a_device_queue),
    ("QUEUE_DEVICE_DEFAULT", codes.QUEUE_DEVICE_DEFAULT, "object", lambda q: None),
))
