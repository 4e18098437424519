"""Events: a command's place in its queue, what became of it, and when; and user events, which the application completes.

An event is a position in a stream, no more: nothing is asked of the driver until someone waits for it, asks its status or waits for
it in another queue. The fence that is made then stands behind the position, maybe behind later commands too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..context.context import Context
from ..devices.device import Device
from ..driver.interface import CommandFailed, DriverError, Fence
from ..driver.reported import cl_error
from ..native import library as native
from ..process.workers import Workers
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from ..spec.status import STATUS
from .gate import Opening
from .stream_timeline import QueueStream

FAILED_WAIT = STATUS["EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"]


class EventQueue(Protocol):
    """What an event asks of its command-queue."""

    profiling: bool

    def help_out(self) -> None: ...
    @property
    def context(self) -> Context: ...
    @property
    def device(self) -> Device: ...


@native.know_slots
class Event(native.Itself):
    """cl_event of a command. Made by queues only.

    timeline  the stream that the command was given to
    position  the command's place on it (0 while the queue holds it back)
    fence     the driver's fence at or behind the position, once someone needed it
    times     (host time when queued, host time when submitted, fence before the command) if the queue takes times
    own_end   the fence at the end of a kernel that enqueues others, which its command outlasts, in a queue that takes times
    gate      not None while, or because, the command had to be deferred: for a user event, for another thread's work
    taken_by  the only routines whose commands may wait for it; None for all
    """

    __slots__ = ("__weakref__", "command_type", "fence", "gate", "own_end", "position", "queue", "timeline", "times")
    taken_by: frozenset[str] | None = None

    def __init__(self, queue: EventQueue, command_type: int, timeline: QueueStream, position: int):
        self.queue = queue
        self.command_type = command_type
        self.timeline = timeline
        self.position = position
        self.fence: Fence | None = None
        self.times: tuple[int, int, Fence] | None = None
        self.gate: Opening | None = None
        self.own_end: Sequence[Fence] = ()

    @property
    def context(self) -> Context:
        return self.queue.context

    @property
    def pending(self) -> bool:
        """Not given to the driver yet, because something before it waits for a user event, or is another thread's work."""
        return self.gate is not None and self.gate.shut

    def wait_until_issued(self) -> bool:
        """Waits until the command has been given to its driver; does not, and returns False, where that waits for the application."""
        if self.gate is not None:
            if self.gate.waits_for_them():
                return False
            self.gate.wait_until_open()
        return True

    @property
    def error(self) -> int:
        """The negative status of a command that was terminated, else 0."""
        if self.gate is not None and (self.gate.status or not self.position):
            return min(self.gate.status, 0)
        return self.timeline.error_of(self.position)

    @property
    def status(self) -> int:
        """clGetEventInfo CL_EVENT_COMMAND_EXECUTION_STATUS."""
        if self.gate is not None and self.gate.status:
            return self.gate.status
        try:
            timeline = self.timeline
            # A failure is noted before that.
            reached = self.position <= timeline.reached or timeline.has_reached(self.position)
            if timeline.any_failed:
                timeline.check_failures(self.position)
            if reached:
                return codes.COMPLETE
            if timeline.has_ended(self.end_fence(), self._own_position):
                timeline.check_failures(self.position)
                self._note_end()
                return codes.COMPLETE
            return codes.RUNNING if self._has_begun() else codes.SUBMITTED
        except DriverError as error:
            return STATUS[error.status]

    @property
    def _own_position(self) -> int | None:
        """Where the end's fence stands that is this event's alone."""
        return self.position if self.times else None

    def _has_begun(self) -> bool:
        try:
            return self.times is not None and self.times[2].done()
        except CommandFailed:  # of those before: the fence itself has been reached
            return True

    def end_fence(self) -> Fence:
        """The fence that tells when the command has ended."""
        if self.fence is None:
            self.fence = self.timeline.fence_behind(self.position)
        return self.fence

    def wait_unless(self, is_ending: Callable[[], bool]) -> bool:
        """As `wait`, but for commands that are held back while `is_ending`: who could have them go on may have gone. False then."""
        gate = self.gate
        if gate is not None and gate.shut:
            self.queue.help_out()
            if not gate.wait_unless(is_ending):
                return False
        self.wait()
        return True

    def wait(self) -> None:
        """clWaitForEvents of this one event; raises if the command was terminated."""
        gate = self.gate
        if gate is not None:
            if gate.shut:
                self.queue.help_out()
                gate.wait_until_open()
            if gate.status:
                raise CLError("clWaitForEvents", "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
                              f"the command was terminated with status {gate.status}{gate.reason}")
        timeline = self.timeline
        try:
            # A failure is noted before that.
            reached = self.position <= timeline.reached or timeline.has_reached(self.position)
            if timeline.any_failed:
                timeline.check_failures(self.position)
            if reached:
                return
            if self.fence is None and timeline.poll_completed(self.position):
                return
            timeline.wait_for(self.end_fence(), self._own_position)
            timeline.check_failures(self.position)
        except DriverError as error:
            # "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the execution status of any of the events in event_list is a
            # negative integer value": which is what this command's is from now on.
            raise CLError("clWaitForEvents", "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
                          f"the command was terminated with CL_{error.status}: {error}") from error
        self._note_end()

    def _note_end(self) -> None:
        """The end's fence has been reached."""
        self.timeline.reach(self.position)

    def profile(self, param: int) -> int:
        """clGetEventProfilingInfo: nanoseconds on the device's time line (5.15)."""
        row = PROFILING.get(param)
        if row is None:
            raise CLError("clGetEventProfilingInfo", "INVALID_VALUE", f"no profiling query has the code {param:#x}")
        if not self.queue.profiling or self.times is None:
            raise CLError("clGetEventProfilingInfo", "PROFILING_INFO_NOT_AVAILABLE",
                          "create the command-queue with CL_QUEUE_PROFILING_ENABLE")
        # "CL_PROFILING_INFO_NOT_AVAILABLE [...] if the execution status of the command identified by event is not CL_COMPLETE"
        if self.status != codes.COMPLETE:
            raise CLError("clGetEventProfilingInfo", "PROFILING_INFO_NOT_AVAILABLE", "the command has not ended: wait for it")
        try:
            return row(self)
        except DriverError as error:
            raise cl_error("clGetEventProfilingInfo", error) from error

    def set_callback(self, status: int, function: Callable[[int], None]) -> None:
        """clSetEventCallback: calls function(status) from a thread once the command is at the status or past it."""
        _check_callback(status, function)
        if self.gate is not None:
            self.gate.when_open(lambda: self._call(status, function))
        else:
            self._call(status, function)

    def _call(self, status: int, function: Callable[[int], None]) -> None:
        """Has `function` called for a command that is with the driver, or was terminated."""
        if self.error:
            _CALLER.put(lambda: function(self.error))
        elif status == codes.SUBMITTED:
            _CALLER.put(lambda: function(status))
        else:
            start = self.times[2] if status == codes.RUNNING and self.times else None
            if start is None and not self.timeline.has_reached(self.position):
                with contextlib.suppress(DriverError):  # Who waits will hear of it.
                    self.end_fence()  # now, so that commands to come do not keep this one's callback
            self.timeline.watcher.put(lambda: function((_status_at_start(self, start) if start else status_at_end(self)) or status))

    def get_info(self, param: int) -> Any:
        """clGetEventInfo (5.11)."""
        return QUERIES.get(self, param)

    def release(self) -> None:
        """Nothing to give back: an event owns no more than its driver's fence, which goes with it."""


new_event = Event.__new__


@native.know_slots
class CountedEvent(Event):
    """Of a command that native code has counted and put between two fences: its position may be that of a later one, which those say
    nothing of."""

    __slots__ = ()

    def _note_end(self) -> None:
        pass


class GatedEvent(Opening, Event):
    """cl_event that no command of a queue makes: it is its own gate, which says all. `ending` says what a negative status means."""

    __slots__ = ("_context", "_hooks", "_key", "status")
    ending = "the event was set to"
    # "for user event objects, a NULL value" is the queue, and no stream is asked. What is the same for all of them is the class's.
    queue = timeline = fence = times = None  # type: ignore[assignment]
    position = 0
    own_end = ()
    gate = property(lambda self: self)

    def __init__(self, context: Context, command_type: int):
        self.command_type = command_type
        self._begin(context)

    def _begin(self, context: Context) -> None:
        self._context = context
        self.status = codes.SUBMITTED  # "the initial execution status for the user event object is CL_SUBMITTED"
        self._key = True
        self._hooks = []

    @property
    def context(self) -> Context:
        return self._context

    @property
    def error(self) -> int:
        return self.status if self.status < 0 else 0

    def wait(self) -> None:
        self.wait_until_open()
        if self.status:
            raise CLError("clWaitForEvents", "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", f"{self.ending} {self.status}")

    def profile(self, param: int) -> int:
        raise CLError("clGetEventProfilingInfo", "PROFILING_INFO_NOT_AVAILABLE", "an event of no command has no times")

    def set_callback(self, status: int, function: Callable[[int], None]) -> None:
        _check_callback(status, function)
        if status >= codes.SUBMITTED:
            _CALLER.put(lambda: function(status))
        else:
            self.when_open(lambda: _CALLER.put(lambda: function(min(self.status, 0) or status)))


@native.know_slots
class UserEvent(GatedEvent):
    """cl_event that the application completes (clCreateUserEvent)."""

    __slots__ = ()
    ending = "the user event was set to"
    command_type = codes.COMMAND_USER

    def __init__(self, context: Context):
        self._begin(context)

    @property
    def is_awaited(self) -> bool:
        """It is not set, and something waits for it."""
        return self.shut and bool(self._hooks)

    def set_status(self, status: int) -> None:
        """clSetUserEventStatus: "can be CL_COMPLETE or a negative integer value", and "can only be called once"."""
        if status > 0:
            raise CLError("clSetUserEventStatus", "INVALID_VALUE", f"{status} is neither CL_COMPLETE nor negative")
        if not self.open(status):
            raise CLError("clSetUserEventStatus", "INVALID_OPERATION", "the status of this user event is set already")


def wait_for_events(events: Sequence[Event]) -> None:
    """clWaitForEvents: returns when all have ended; raises if one was terminated."""
    if not events:
        raise CLError("clWaitForEvents", "INVALID_VALUE", "the list of events is empty")
    for event in events:
        if not isinstance(event, Event):
            raise CLError("clWaitForEvents", "INVALID_EVENT", f"{event!r} is not an event")
    queue = events[0].queue
    if any(event.context is not events[0].context for event in events if queue is None or event.queue is not queue):
        raise CLError("clWaitForEvents", "INVALID_CONTEXT", "the events belong to different contexts")
    failed = None
    for event in reversed(events):  # Mostly in the order of their commands: when the last has ended, all have.
        try:
            event.wait()
        except CLError as error:
            failed = failed or error
    if failed:
        raise failed


# For what no stream's watcher calls; one callback that takes long does not hold up the others.
_CALLER = Workers(4)


def status_at_end(event: Event) -> int:
    """Waits for the end; CL_COMPLETE, or the negative status of a command that has failed."""
    try:
        event.wait()
    except CLError as error:
        return min(event.status, 0) or error.code
    return codes.COMPLETE


def _status_at_start(event: Event, start: Fence) -> int:
    """Waits for the fence at the start; 0, or the negative status of a command that has failed."""
    try:
        start.wait()
    except CommandFailed:  # of those before the start
        return min(event.status, 0)
    except DriverError as error:
        return STATUS[error.status]
    return 0


def _check_callback(status: int, function: Callable[[int], None]) -> None:
    if status not in (codes.SUBMITTED, codes.RUNNING, codes.COMPLETE) or not callable(function):
        raise CLError("clSetEventCallback", "INVALID_VALUE", "a callback waits for CL_SUBMITTED, CL_RUNNING or CL_COMPLETE")


def _start(event: Event) -> int:
    assert event.times is not None
    return event.times[2].time_ns()


def _end(event: Event) -> int:
    assert event.fence is not None
    return max(event.fence.time_ns(), _start(event))


def _own_end(event: Event) -> int:
    """"The execution of the command [...] has finished", while COMPLETE counts "any child commands enqueued by the command" as well."""
    if event.own_end:
        return min(max(event.own_end[0].time_ns(), _start(event)), _end(event))
    return _end(event)


# The host's clock and the device's are only nearly the same: what must not be later than the start is cut to it.
PROFILING: dict[int, Callable[[Event], int]] = {
    codes.PROFILING_COMMAND_QUEUED: lambda e: min(e.times[0], _start(e)),  # type: ignore[index]
    codes.PROFILING_COMMAND_SUBMIT: lambda e: min(e.times[1], _start(e)),  # type: ignore[index]
    codes.PROFILING_COMMAND_START: _start,
    codes.PROFILING_COMMAND_END: _own_end,
    codes.PROFILING_COMMAND_COMPLETE: _end,
}

QUERIES = QueryTable[Event]("clGetEventInfo", (
    ("EVENT_COMMAND_QUEUE", "object", lambda e: e.queue),
    ("EVENT_COMMAND_TYPE", "enum", lambda e: e.command_type),
    ("EVENT_REFERENCE_COUNT", "uint", lambda e: 1),
    ("EVENT_COMMAND_EXECUTION_STATUS", "int", lambda e: e.status),
    ("EVENT_CONTEXT", "object", lambda e: e.context),
))


native.know("user_event", UserEvent)
