"""The command-queue. Every command goes through `submit`: wait list, order, blocking, event and profiling are there.

The one exception is the plain kernel launch (`launch.enqueue_nd_range_kernel`), which does the few steps that are left of
`submit` without wait list and profiling itself, because it is the hot path.

The class here is the in-order queue, with one lane; `out_of_order` has the other kind, `held` what both do with commands that
have to wait for user events.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..context.context import Context
from ..devices.device import Device
from ..driver.interface import CopyKind, DriverError
from ..process import debug_mode, trace
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from . import properties as queue_properties
from .deferred import Command, Holding, Run
from .event import FAILED_WAIT, Event
from .gate import Gate
from .properties import ROUTINE, PropertyList
from .stream_timeline import Lane

# What a command's `run` returns that has ended when it returns, and with it all that came before it in the stream.
ENDED = "ended"


class CommandQueue(Holding):
    """cl_command_queue. `properties` is the bit field of clCreateCommandQueue, or the (name, value) pairs of
    clCreateCommandQueueWithProperties. With QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE an OutOfOrderQueue comes out.

    serial        unlike every other queue's, also of queues that are gone
    deliberate    True while commands must take the whole of `submit`: the queue takes times, holds commands back, or is closed
    keeps_order   a command comes after all that were enqueued before it
    event_type    the class that commands make events of: Event or a subclass without a constructor of its own
    lane          the stream and the positions on it
    """

    _serials = itertools.count(1)
    keeps_order = True

    def __new__(cls, context: Context, device: Device, properties: int | PropertyList = 0) -> CommandQueue:
        if cls is CommandQueue and queue_properties.bits_of(properties) & codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE:
            from .out_of_order import OutOfOrderQueue

            cls = OutOfOrderQueue
        return object.__new__(cls)

    def __init__(self, context: Context, device: Device, properties: int | PropertyList = 0):
        if not isinstance(context, Context):
            raise CLError(ROUTINE, "INVALID_CONTEXT", f"{context!r} is not a context")
        if device not in context.devices:
            raise CLError(ROUTINE, "INVALID_DEVICE", f"{device!r} is not a device of the context")
        chosen = queue_properties.checked(properties)
        self.context = context
        self.device = device
        self.properties = chosen.bits
        self.property_list = chosen.given
        self.hints = chosen.hints
        self.profiling = bool(chosen.bits & codes.QUEUE_PROFILING_ENABLE)
        self.recorder = trace.recorder()
        self.timed = self.profiling or self.recorder is not None
        self.serial = next(self._serials)
        self.event_type: type[Event] = Event
        super().__init__()
        self.closed = False
        self._set_deliberate()
        self.lane = self._open_lane()
        context.add_queue(self)

    def _open_lane(self) -> Lane:
        try:
            return Lane(self.device.driver_device.open_stream(self.hints))
        except DriverError as error:
            raise CLError(ROUTINE, error.status, str(error)) from error

    @property
    def lanes(self) -> Sequence[Lane]:
        return (self.lane,)

    @property
    def stream(self) -> Any:
        return self.lane.stream

    # Submitting.

    def submit(self, routine: str, command_type: int, run: Run, wait_for: Sequence[Event] = (), *, blocking: bool = False,
               keep: Any = None, freeze: Callable[[], Run] | None = None, aside: bool = False, label: str = "") -> Event:
        """Gives a command to the stream, or holds it back while it waits for a user event.

        run(stream) issues the work; if it returns True or ENDED, the host's memory is done with already. `keep` must live until
        the command has ended. `freeze` returns a `run` that does not look at anything the application may change later (a
        kernel's arguments); it is called for commands held back. `aside` says that `run` would keep the calling thread busy
        for longer than issuing work takes: unless the caller wants to wait anyway, another thread runs it. `label` is what
        people should read of the command, beside its kind.
        """
        if self.closed:
            raise CLError(routine, "INVALID_COMMAND_QUEUE", "the command-queue has been released")
        if wait_for:
            wait_for = self._checked(routine, wait_for)
        if not (self.deliberate or (aside and not blocking)) and (not wait_for or self._all_issued(wait_for)):
            return self._submit_simply(routine, command_type, run, wait_for, blocking, keep)
        command = Command(routine, self.event_type(self, command_type, 0), run, wait_for, keep, label,
                          aside=self._goes_aside(aside, blocking), queued=time.perf_counter_ns() if self.timed else 0)
        gates = self._enter(command)
        released = False
        if command.event.gate is not None:
            # Where commands run in the calling thread, that must not be the thread that opens the gate.
            command.aside = command.aside or self.stream.immediate
            self._hold(command, gates, freeze)
        elif wait_for and any(event.error for event in wait_for):
            command.event.gate = Gate(codes.QUEUED)
            command.event.gate.open(FAILED_WAIT)
        else:
            try:
                released = self._issue(command)
            except DriverError as error:
                raise CLError(routine, error.status, str(error)) from error
        if blocking and not released:
            self._block(routine, command.event)
        return command.event

    def ended_at_once(self, command_type: int, wait_for: Sequence[Event]) -> Event | None:
        """The event of a command that has nothing to do, where nothing comes before it either; else None: it is to be submitted."""
        try:
            if wait_for or self.deliberate or not self.lane.idle:
                return None
        except DriverError:
            return None  # as `submit` will say
        return self.event_type(self, command_type, self.lane.reached)

    def _all_issued(self, wait_for: Sequence[Event]) -> bool:
        """All are with drivers that this queue's can wait for, and none has failed."""
        driver_name = self.device.driver_name
        for event in wait_for:
            if event.gate is not None and event.gate.status:
                return False
            if event.queue is not None and event.queue.device.driver_name != driver_name:
                return False
        return True

    def _submit_simply(self, routine: str, command_type: int, run: Run, wait_for: Sequence[Event], blocking: bool, keep: Any) -> Event:
        """What is left of `submit` for most commands."""
        lane = self.lane
        before = lane.next_position()
        try:
            for event in wait_for:
                self._come_after(lane, event)
            outcome = run(lane.stream)
            if outcome is ENDED:
                # Other threads may have given commands to the stream since: those have later positions and need not have ended.
                lane.reach(before)
                return self.event_type(self, command_type, before)
            lane.busy = True
            position = lane.next_position()
            if position >= lane.mark_at:
                lane.mark_ahead(position)
            event = self.event_type(self, command_type, position)
            if keep is not None and outcome is not True:
                lane.keep(event.marked(), keep)
        except DriverError as error:
            raise CLError(routine, error.status, str(error)) from error
        if blocking and outcome is not True:
            self._block(routine, event)
        return event

    def keeps_busy(self, kind: CopyKind, host: int, size: int) -> bool:
        """`Stream.keeps_busy`; False on a device that has failed, which the command itself will say."""
        try:
            return self.stream.keeps_busy(kind, host, size)
        except DriverError:
            return False

    def _goes_aside(self, aside: bool, blocking: bool) -> bool:
        return aside and not blocking

    def _enter(self, command: Command) -> list[Gate]:
        """Finds the command's place among those held back; it gets a gate if it is one of them. Returns what holds it back."""
        gates = list(self._shut_gates(command.wait_for)) if command.wait_for else []
        if gates or command.aside or self._held:
            with self._lock:
                last = self._last_held
                if last is not None and last.pending:
                    gates.append(last.gate)  # type: ignore[arg-type]
                if gates or command.aside:
                    self._note_held(command.event)
                    self._last_held = command.event
        return gates

    def _set_deliberate(self) -> None:
        self.deliberate = self.timed or debug_mode.active() or self.closed or bool(self._held)

    def _block(self, routine: str, event: Event) -> None:
        """Waits for the command just submitted. The stream is at its end then, which is quicker to wait for than a mark."""
        try:
            if event.gate is not None:
                event.wait()
            else:
                self.lane_of(event.position).stream.synchronize()
                self.reach(event.position)
        except CLError as error:
            raise CLError(routine, error.status, error.reason) from error
        except DriverError as error:
            raise CLError(routine, error.status, str(error)) from error

    def orders(self, wait_for: Sequence[Event]) -> bool:
        """The queue's own order sees to the whole wait list."""
        try:
            for event in wait_for:
                if event.queue is not self or event.gate is not None:
                    return False
        except AttributeError:
            return False  # Not all are events: `submit` will say so.
        return True

    def _checked(self, routine: str, wait_for: Sequence[Event]) -> tuple[Event, ...]:
        for event in wait_for:
            if not isinstance(event, Event):
                raise CLError(routine, "INVALID_EVENT_WAIT_LIST", f"{event!r} is not an event")
            if event.context is not self.context:
                raise CLError(routine, "INVALID_CONTEXT", "an event of the wait list belongs to another context")
        return tuple(wait_for)

    # Issuing.

    def _lane_for(self, command: Command) -> Lane:
        return self.lane

    def _issue(self, command: Command) -> bool:
        """Gives the command to the stream and numbers its event. Whether the host's memory is done with."""
        lane = self._lane_for(command)
        event, stream = command.event, lane.stream
        for other in command.wait_for:
            self._come_after(lane, other)
        if self.timed:
            event.times = (command.queued, time.perf_counter_ns(), stream.mark(True))
        before = self._position(lane)
        outcome = command.run(stream)
        released = outcome is True or outcome is ENDED
        if outcome is ENDED:
            self.reach(before)
            event.position = before
        else:
            lane.busy = True
            event.position = self._position(lane)
        if self.timed:
            event.mark = stream.mark(True)
            if self.recorder is not None:
                self.recorder.command(self, lane, event, command.label)
        if command.keep is not None and not released:
            lane.keep(event.marked(), command.keep)
        return released

    def _position(self, lane: Lane) -> Any:
        """The next on the lane."""
        return lane.next_position()

    def _come_after(self, lane: Lane, event: Event) -> None:
        """Later commands of the lane wait for the event; the lane's own order does it for events of its own."""
        other = event.queue
        if other is None or other.has_reached(event.position) or other.lane_of(event.position) is lane:
            return
        lane.stream.after(event.marked())

    # Positions: how far the lanes have come.

    def lane_of(self, position: Any) -> Lane:
        return self.lane

    def has_reached(self, position: Any) -> bool:
        return self.lane.has_reached(position)

    def reach(self, position: Any) -> None:
        self.lane.reach(position)

    def ended_soon(self, position: Any) -> bool:
        """Waits a little for the last command, which is quicker than to make a mark. False for others, or if it takes longer."""
        return self.lane.ended_soon(position)

    def mark_behind(self, position: Any) -> Any:
        """A mark at the position or later."""
        return self.lane.mark_behind(position)

    def end_marks(self) -> list[Any]:
        """Marks that are all reached when every command given to a driver so far has ended."""
        return [lane.current_mark() for lane in self.lanes if not lane.idle]

    def come_after(self, marks: Sequence[Any]) -> None:
        """Before the first command: all come after the marks."""
        for mark in marks:
            self.lane.stream.after(mark)

    @property
    def idle(self) -> bool:
        """No command can be running."""
        return not self._held and self.lane.idle

    # The queue as a whole.

    def flush(self) -> None:
        """clFlush."""
        self._guard("clFlush", lambda: [lane.stream.flush() for lane in self.lanes])

    def finish(self) -> None:
        """clFinish: returns when every command has ended."""
        with self._lock:
            held = list(self._held)
        for event in held:
            event.gate.wait()  # type: ignore[union-attr]
        self._guard("clFinish", self.settle)
        self.context.reclaim()

    def settle(self) -> None:
        """Waits for all that was given to a driver."""
        for lane in self.lanes:
            lane.synchronize()

    def _guard(self, routine: str, call: Callable[[], Any]) -> None:
        if self.closed:
            raise CLError(routine, "INVALID_COMMAND_QUEUE", "the command-queue has been released")
        try:
            call()
        except DriverError as error:
            raise CLError(routine, error.status, str(error)) from error

    def get_info(self, param: int) -> Any:
        """clGetCommandQueueInfo (5.1)."""
        return QUERIES.get(self, param)

    def release(self) -> None:
        """clReleaseCommandQueue. The commands go on, also those that are held; host memory that they use is waited for."""
        with self._lock:
            closed, self.closed = self.closed, True
            self._set_deliberate()
            held = bool(self._held)
        if not closed and not held:
            self._close_lanes()

    def _close_lanes(self) -> None:
        for lane in self.lanes:
            end = lane.close()
            if end is not None:
                self.context.leave_behind(end)

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # At interpreter exit the driver goes, too, and maybe has gone already.
        if not getattr(self, "closed", True) and hasattr(self, "lane") and not is_finalizing():
            with contextlib.suppress(DriverError):
                self.release()


def _host_queue_has_no_size(queue: CommandQueue) -> Any:
    """"CL_INVALID_COMMAND_QUEUE [...] if command_queue is not a valid command-queue for param_name"."""
    raise CLError("clGetCommandQueueInfo", "INVALID_COMMAND_QUEUE", "only queues on the device have a size")


QUERIES = QueryTable("clGetCommandQueueInfo", (
    ("QUEUE_CONTEXT", codes.QUEUE_CONTEXT, "object", lambda q: q.context),
    ("QUEUE_DEVICE", codes.QUEUE_DEVICE, "object", lambda q: q.device),
    ("QUEUE_REFERENCE_COUNT", codes.QUEUE_REFERENCE_COUNT, "uint", lambda q: 1),
    ("QUEUE_PROPERTIES", codes.QUEUE_PROPERTIES, "bitfield", lambda q: q.properties),
    ("QUEUE_PROPERTIES_ARRAY", codes.QUEUE_PROPERTIES_ARRAY, "properties", lambda q: q.property_list),
    ("QUEUE_SIZE", codes.QUEUE_SIZE, "uint", _host_queue_has_no_size),
    ("QUEUE_DEVICE_DEFAULT", codes.QUEUE_DEVICE_DEFAULT, "object", lambda q: None),
))
