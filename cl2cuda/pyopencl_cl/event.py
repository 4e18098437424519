"""Events, and the waiting for them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..runtime.native import library as native
from ..runtime.process import collecting, ending
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from .constants import MODULE
from .context import Context
from .errors import from_runtime, guarded
from .handles import Handle, SignatureOf, core_of, cores, stands_for
from .integers import cl_int, cl_uint
from .later import buffer_commands, runtime_events
from .queue import CommandQueue

F = TypeVar("F", bound=Callable[..., Any])


@stands_for("queue.event.Event")
class Event(Handle):
    """cl_event (5.11): a command's state. Times are nanoseconds; waiting raises if the command ended with an error."""

    _invalid = "INVALID_EVENT"
    __slots__ = ()
    _query_in_python = Handle.get_info

    def wait(self) -> None:
        try:
            self._core.wait()
        except CLError as failure:
            raise from_runtime(failure) from None

    _wait_in_python = wait

    def get_profiling_info(self, arg: int) -> int:
        """Nanoseconds on the device's clock; the queue must have been made with PROFILING_ENABLE."""
        try:
            return self._core.profile(arg if type(arg) is int and not arg >> 32 else cl_uint(arg, "arg"))
        except CLError as failure:
            raise from_runtime(failure) from None

    @guarded
    def set_callback(self, status: int, callback: Callable[[int], Any]) -> None:
        """`callback(status)` runs once, on a thread of the runtime, when the command has come to the status or failed."""
        self._core.set_callback(cl_int(status, "status"), callback)


@native.know_slots
class NannyEvent(Event):
    """The event of a transfer to or from the host: it keeps the host's memory alive and waits before it lets go of it."""

    __slots__ = ("_ward",)
    _ward: Any

    def get_ward(self) -> Any:
        """The object whose memory the transfer uses; None once it does not any more, after a wait or a blocking call."""
        return self._ward

    def wait(self) -> None:
        super().wait()
        self._ward = None

    def __del__(self, is_searching: Callable[[], bool] = collecting.is_under_way_here) -> None:
        if getattr(self, "_ward", None) is None:
            return
        if is_searching():  # The thread may have a lock that the transfer needs.
            self._core.queue.context.retire(None, self._let_go)
        else:
            self._let_go()

    def _let_go(self, is_ending: Callable[[], bool] = ending.is_near, keep: Callable[[object], object] = ctypes.pythonapi.Py_IncRef,
                object_of: Callable[[object], object] = ctypes.py_object) -> None:
        try:
            with self._core.queue.context.keeping_current():
                waited = self._core.wait_unless(is_ending)
            if not waited:
                keep(object_of(self._ward))  # A thread may be at it, or come to it yet.
        except Exception:  # A destructor has nobody to report to; the queue's later commands do.
            pass

    _let_go_in_python = __del__


@stands_for("queue.event.UserEvent")
class UserEvent(Event):
    """cl_event that the program completes itself (5.11, clCreateUserEvent): commands may wait for it, and the caller goes on."""

    __slots__ = ()

    def __init__(self, context: Context) -> None:
        self._core = runtime_events.UserEvent(core_of(context, Context, "context"))

    def set_status(self, status: int) -> None:
        """command_execution_status.COMPLETE, or a negative number for an error."""
        if type(status) is not int or status:
            status = cl_int(status, "status")
        try:
            self._core.set_status(status)
        except CLError as failure:
            raise from_runtime(failure) from None

    _begin_in_python, _set_in_python = __init__, set_status


_calls = native.calls()
if _calls is not None:
    UserEvent.__init__, UserEvent.set_status = _calls.user_events(  # type: ignore[method-assign]
        UserEvent, Context, codes.SUBMITTED)
    # What needs no look at anything but the object itself.
    _answers = {codes.EVENT_REFERENCE_COUNT: 1, codes.EVENT_COMMAND_TYPE: "command_type", codes.EVENT_COMMAND_EXECUTION_STATUS: "status",
                codes.EVENT_COMMAND_QUEUE: ("queue", CommandQueue), codes.EVENT_CONTEXT: ("context", Context)}
    Event.wait = _calls.waiter(Event)  # type: ignore[method-assign]
    NannyEvent.wait, NannyEvent.__del__ = _calls.nanny_methods(NannyEvent)  # type: ignore[method-assign]
    Event.get_info = _calls.event_queries(Event, _answers, codes.COMPLETE)  # type: ignore[method-assign]
    UserEvent.__signature__ = SignatureOf(UserEvent.__init__, UserEvent._begin_in_python)  # type: ignore[attr-defined]

new_event = Event.__new__
_new_nanny = NannyEvent.__new__


def event_of(core: Any) -> Event:
    """The event of a command. Every enqueue comes through here, so it is spelt for speed."""
    event = new_event(Event)
    event._core = core
    return event


def nanny_of(core: Any, ward: Any) -> NannyEvent:
    """The event of a transfer that uses `ward`'s memory; None where the call has waited for the transfer."""
    event = _new_nanny(NannyEvent)
    event._core = core
    event._ward = ward
    return event


@guarded
def wait_for_events(events: Iterable[Event]) -> None:
    runtime_events.wait_for_events(list(cores(events)))


if _calls is not None:
    wait_for_events = _calls.list_waiter(wait_for_events, MODULE)


def natively(event_type: type[Event], command: int) -> Callable[[F], F]:
    """The same function in C, which leaves commands that are not plain to this one, where C was compiled."""
    calls = native.calls()
    return lambda function: (function if calls is None
                             else calls.command(function.__name__, function, event_type, command, MODULE))


@natively(Event, codes.COMMAND_MARKER)
def _enqueue_marker_with_wait_list(queue: CommandQueue, wait_for: Iterable[Event] | None = None) -> Event:
    try:
        return event_of(buffer_commands.enqueue_marker(queue._core, cores(wait_for) if wait_for else ()))
    except CLError as failure:
        raise from_runtime(failure) from None


@natively(Event, codes.COMMAND_BARRIER)
def _enqueue_barrier_with_wait_list(queue: CommandQueue, wait_for: Iterable[Event] | None = None) -> Event:
    try:
        return event_of(buffer_commands.enqueue_barrier(queue._core, cores(wait_for) if wait_for else ()))
    except CLError as failure:
        raise from_runtime(failure) from None


def _enqueue_marker(queue: CommandQueue) -> Event:
    return _enqueue_marker_with_wait_list(queue)


def _enqueue_wait_for_events(queue: CommandQueue, wait_for: Iterable[Event] | None = None) -> None:
    _enqueue_barrier_with_wait_list(queue, wait_for)


def _enqueue_barrier(queue: CommandQueue) -> None:
    _enqueue_barrier_with_wait_list(queue)
