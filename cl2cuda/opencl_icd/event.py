"""Events, markers and barriers (5.11, 5.12, 5.15)."""

from __future__ import annotations

import struct

from ..runtime.commands import buffer as commands
from ..runtime.context.context import Context
from ..runtime.queue import event as events
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from . import application
from .packing import info
from .plain import natively

Waits = tuple[events.Event, ...]
_INT = struct.Struct("<i")


def clWaitForEvents(waits: Waits) -> None:
    events.wait_for_events(waits)


def clGetEventInfo(event: events.Event, param: int) -> bytes:
    if param == codes.EVENT_COMMAND_EXECUTION_STATUS:  # what programs poll
        return _INT.pack(event.status)
    return info(events.QUERIES, event, param)


def clGetEventProfilingInfo(event: events.Event, param: int) -> bytes:
    return struct.pack("<Q", event.profile(param))


def clCreateUserEvent(context: Context) -> events.UserEvent:
    return events.UserEvent(context)


def clSetUserEventStatus(event: events.Event, status: int) -> None:
    if not isinstance(event, events.UserEvent):
        raise CLError("clSetUserEventStatus", "INVALID_EVENT", "the event is no user event")
    event.set_status(status)


def clSetEventCallback(address: int, status: int, notify: int, user_data: int) -> None:
    if not notify:
        raise CLError("clSetEventCallback", "INVALID_VALUE", "the callback is NULL")
    application.hold_event(address)

    def call(reached: int) -> None:
        try:
            application.call(notify, address, reached & 0xFFFFFFFF, user_data, 0)
        finally:
            application.let_go(address)

    try:
        application.core(address, "E").set_callback(status, call)
    except CLError:
        application.let_go(address)
        raise


clEnqueueMarkerWithWaitList = natively("_enqueue_marker_with_wait_list", codes.COMMAND_MARKER)(commands.enqueue_marker)
clEnqueueBarrierWithWaitList = natively("_enqueue_barrier_with_wait_list", codes.COMMAND_BARRIER)(commands.enqueue_barrier)
clEnqueueMarker = clEnqueueMarkerWithWaitList


def clEnqueueBarrier(queue: CommandQueue) -> None:
    commands.enqueue_barrier(queue)


def clEnqueueWaitForEvents(queue: CommandQueue, waits: Waits) -> None:
    if not waits:
        raise CLError("clEnqueueWaitForEvents", "INVALID_VALUE", "the list of events is empty")
    commands.enqueue_barrier(queue, waits)
