"""Semaphores (5.13, cl_khr_semaphore): signaled and waited for by commands, one wait to each signal.

A semaphore of ours is the event of the command that signals it, which the next wait takes. One that was made from an external
handle (cl_khr_external_semaphore) is the driver's object, and the commands are the driver's.
"""

from __future__ import annotations

import collections
import contextlib
import threading
from collections.abc import Sequence
from typing import Any

from ..context.context import Context
from ..devices.device import Device
from ..driver.device import ImportedSemaphore
from ..driver.interface import DriverError, Stream
from ..memory import foreign
from ..process import ending
from ..queue.command import ISSUED, Outcome
from ..queue.event import Event, UserEvent
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import NotOffered, QueryTable

ROUTINE = "clCreateSemaphoreWithPropertiesKHR"
WAIT, SIGNAL = "clEnqueueWaitSemaphoresKHR", "clEnqueueSignalSemaphoresKHR"


class Semaphore:
    """cl_semaphore_khr. `properties` are (name, value) pairs; the value of a list property is a sequence.

    The handle of an external semaphore belongs to the runtime once the constructor has succeeded.
    """

    _external: ImportedSemaphore | None = None

    def __init__(self, context: Context, properties: Sequence[tuple[int, Any]]):
        values = _checked_properties(properties)
        self.context = context
        self.properties = tuple(properties)
        self.type: int = values[codes.SEMAPHORE_TYPE_KHR]
        self.devices = _devices(context, values.get(codes.SEMAPHORE_DEVICE_HANDLE_LIST_KHR))
        _check_export(values, self.devices)
        self.released = False
        self._lock = threading.Lock()
        self._signal: Event | None = None
        self._wait: Event | None = None
        self._early: collections.deque[UserEvent] = collections.deque()
        if codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR in values:
            self._external = self._imported(values[codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR])

    def _imported(self, handle: int) -> ImportedSemaphore:
        foreign.check_offered(ROUTINE, "semaphore_handles", self.devices, "INVALID_PROPERTY")
        import_semaphore = self.devices[0].driver_device.import_semaphore
        assert import_semaphore is not None, "`check_offered` has seen to it"
        try:
            return import_semaphore(handle)
        except DriverError as error:
            # "CL_INVALID_PROPERTY if [...] the value specified for a supported property name is not valid"
            raise CLError(ROUTINE, "INVALID_PROPERTY", f"the handle {handle} cannot be imported: {error}") from error

    @property
    def external(self) -> ImportedSemaphore | None:
        """The driver's object of a semaphore made from a handle; None for others."""
        return self._external

    @property
    def payload(self) -> int:
        """1 while it is signaled. What others do with an external semaphore nobody tells."""
        if self._external is not None:
            raise NotOffered
        with self._lock:
            signaled = self._signal is not None and self._signal.status == codes.COMPLETE
            taken = self._wait is not None and self._wait.status <= codes.COMPLETE
            return int(signaled and not taken)

    def next_signal(self) -> Event:
        """The event that a wait has to wait for: of the signal that is under way, or of the next one to come."""
        with self._lock:
            if self._signal is not None and self._wait is None:
                return self._signal
            early = UserEvent(self.context)
            self._early.append(early)
            return early

    def waited_by(self, event: Event, signal: Event) -> None:
        with self._lock:
            if signal is self._signal:
                self._wait = event

    def signaled_by(self, event: Event) -> None:
        """A command will signal; the longest waiter takes it at once."""
        with self._lock:
            self._signal, self._wait = event, None
            waiter = self._early.popleft() if self._early else None
            if waiter is not None:
                self._wait = waiter
        if waiter is not None:
            event.set_callback(codes.COMPLETE, lambda status: waiter.set_status(min(status, 0)))

    def get_info(self, param: int) -> Any:
        """clGetSemaphoreInfoKHR."""
        self.check(QUERIES.routine)
        return QUERIES.get(self, param)

    def handle_for_type(self, device: Device, handle_type: int) -> int:
        """clGetSemaphoreHandleForTypeKHR: neither driver makes semaphores that others can import."""
        routine = "clGetSemaphoreHandleForTypeKHR"
        self.check(routine)
        if device not in self.devices:
            raise CLError(routine, "INVALID_DEVICE", f"the semaphore is not of {device!r}")
        # "CL_INVALID_VALUE if the requested external semaphore handle type was not specified when sema_object was created"
        raise CLError(routine, "INVALID_VALUE", f"the semaphore was not created to be exported as {handle_type:#x}")

    def check(self, routine: str) -> None:
        if self.released:
            raise CLError(routine, "INVALID_SEMAPHORE_KHR", "the semaphore has been released")

    def release(self) -> None:
        """clReleaseSemaphoreKHR: the driver's object goes when the commands that use it have ended."""
        self.released = True
        handle, self._external = self._external, None
        if handle is not None:
            self.context.retire(self.devices[0], handle.close)
            self.context.reclaim()

    @ending.finalizer
    def __del__(self) -> None:
        if self._external is not None:
            with contextlib.suppress(DriverError):
                self.release()


def enqueue_wait_semaphores(queue: CommandTarget, semaphores: Sequence[Semaphore], payloads: Sequence[int] | None = None,
                            wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueWaitSemaphoresKHR. Binary semaphores take no payloads: what is given is ignored."""
    _check(WAIT, queue, semaphores, wait_for)
    signals = [(semaphore, semaphore.next_signal()) for semaphore in semaphores if semaphore.external is None]
    handles = [semaphore.external for semaphore in semaphores if semaphore.external is not None]

    def run(stream: Stream) -> Outcome:
        for handle in handles:
            handle.wait(stream)
        return ISSUED

    event = queue.submit(WAIT, codes.COMMAND_SEMAPHORE_WAIT_KHR, run, (*wait_for, *(signal for _, signal in signals)))
    for semaphore, signal in signals:
        semaphore.waited_by(event, signal)
    return event


def enqueue_signal_semaphores(queue: CommandTarget, semaphores: Sequence[Semaphore], payloads: Sequence[int] | None = None,
                              wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueSignalSemaphoresKHR: the signal comes when the command's turn has come."""
    _check(SIGNAL, queue, semaphores, wait_for)
    handles = [semaphore.external for semaphore in semaphores if semaphore.external is not None]

    def run(stream: Stream) -> Outcome:
        for handle in handles:
            handle.signal(stream)
        return ISSUED

    event = queue.submit(SIGNAL, codes.COMMAND_SEMAPHORE_SIGNAL_KHR, run, wait_for)
    for semaphore in semaphores:
        if semaphore.external is None:
            semaphore.signaled_by(event)
    return event


def _check(routine: str, queue: CommandTarget, semaphores: Sequence[Semaphore], wait_for: Sequence[Event]) -> None:
    if not isinstance(queue, CommandTarget):
        raise CLError(routine, "INVALID_COMMAND_QUEUE", f"{queue!r} is not a command-queue")
    if not semaphores:
        raise CLError(routine, "INVALID_VALUE", "no semaphores are given")
    for semaphore in semaphores:
        if not isinstance(semaphore, Semaphore):
            raise CLError(routine, "INVALID_SEMAPHORE_KHR", f"{semaphore!r} is not a semaphore")
        semaphore.check(routine)
        if semaphore.context is not queue.context:
            raise CLError(routine, "INVALID_CONTEXT", "command-queue and semaphore belong to different contexts")
        # "if the device associated with command_queue is not same as one of the devices specified by
        # CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR at the time of creating one or more of sema_objects"
        if queue.device not in semaphore.devices:
            raise CLError(routine, "INVALID_COMMAND_QUEUE", f"the semaphore is not of the command-queue's {queue.device!r}")
    if any(isinstance(event, Event) and event.status < 0 for event in wait_for):
        raise CLError(routine, "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "an event of the wait list was terminated")


def _checked_properties(properties: Sequence[tuple[int, Any]]) -> dict[int, Any]:
    values = dict(properties or ())
    known = (codes.SEMAPHORE_TYPE_KHR, codes.SEMAPHORE_DEVICE_HANDLE_LIST_KHR, codes.SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
             codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR)
    if len(values) != len(properties or ()):
        raise CLError(ROUTINE, "INVALID_PROPERTY", "a property is given twice")
    for name in values:
        if name not in known:
            raise CLError(ROUTINE, "INVALID_PROPERTY", f"the property {name:#x} is not supported")
    # "This property is always required."
    if codes.SEMAPHORE_TYPE_KHR not in values:
        raise CLError(ROUTINE, "INVALID_VALUE", "the properties need CL_SEMAPHORE_TYPE_KHR")
    if values[codes.SEMAPHORE_TYPE_KHR] != codes.SEMAPHORE_TYPE_BINARY_KHR:
        raise CLError(ROUTINE, "INVALID_PROPERTY", "only CL_SEMAPHORE_TYPE_BINARY_KHR is supported")
    return values


def _check_export(values: dict[int, Any], devices: Sequence[Device]) -> None:
    """No driver exports semaphores: CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR is empty everywhere."""
    if not values.get(codes.SEMAPHORE_EXPORT_HANDLE_TYPES_KHR):
        return
    # Where there are no external semaphores, this is "not a supported property name".
    foreign.check_offered(ROUTINE, "semaphore_handles", devices, "INVALID_PROPERTY")
    # "Exporting a semaphore handle from a semaphore that was created by importing an external semaphore handle is not permitted."
    if codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR in values:
        raise CLError(ROUTINE, "INVALID_OPERATION", "a semaphore that is made from a handle cannot be exported")
    raise CLError(ROUTINE, "INVALID_VALUE", "semaphores cannot be exported: CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR is empty")


def _devices(context: Context, chosen: Sequence[Device] | None) -> tuple[Device, ...]:
    if chosen is None:
        # "For a multi-device context CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR must be specified in sema_props."
        if not context.one_device:
            raise CLError(ROUTINE, "INVALID_PROPERTY", "in a context of several devices the semaphore's device must be given")
        return context.devices
    # "Only a single device is permitted in the list."
    if len(chosen) != 1 or chosen[0] not in context.devices:
        raise CLError(ROUTINE, "INVALID_DEVICE", "the list must name one device of the context")
    return tuple(chosen)


QUERIES = QueryTable[Semaphore]("clGetSemaphoreInfoKHR", (
    ("SEMAPHORE_CONTEXT_KHR", "object", lambda s: s.context),
    ("SEMAPHORE_REFERENCE_COUNT_KHR", "uint", lambda s: 1),
    ("SEMAPHORE_PROPERTIES_KHR", "properties", lambda s: s.properties),
    ("SEMAPHORE_TYPE_KHR", "enum", lambda s: s.type),
    ("SEMAPHORE_PAYLOAD_KHR", "ulong", lambda s: s.payload),
    ("SEMAPHORE_DEVICE_HANDLE_LIST_KHR", "object[]", lambda s: s.devices),
    ("SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", "enum[]", lambda s: ()),
    ("SEMAPHORE_EXPORTABLE_KHR", "bool", lambda s: False),
))
