"""The command-queue. Every command goes through `submit`: wait list, order, blocking, event and profiling are there.

The one exception is the plain kernel launch (`nd_range.enqueue_nd_range_kernel`), because it is the hot path: of `submit` it takes only
the end, `issued`, which all commands have in common.

The class here is the in-order queue, with one stream; `out_of_order` has the other kind, `deferred` what both do with commands that
have to wait for user events. `create` chooses between them.
"""

from __future__ import annotations

import collections
import functools
import itertools
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ..context.context import Context
from ..devices.device import Device
from ..driver.interface import CommandFailed, DriverError, Fence, Stream
from ..driver.reported import cl_error
from ..native import library as native
from ..process import collecting, debug_mode, ending, nvtx_ranges, trace
from ..process.trace import Facts
from ..spec import codes
from ..spec.errors import CLError
from . import properties as queue_properties
from .command import ENDED, HOST_DONE, ISSUED, NOTHING, Command, Outcome, Run, TimedRun
from .deferred import DeferredCommands
from .event import FAILED_WAIT, Event
from .gate import Gate, Opening
from .properties import ROUTINE, PropertyList
from .queries import QUERIES
from .stream_timeline import NEEDS_PYTHON, TIMES_ONLY, QueueStream

SERIALS = itertools.count(1)
# Memory of the host of so many bytes is let go as soon as a command has ended, not when somebody waits for it.
MUCH = 1 << 20


@native.know_slots
class CommandQueue(DeferredCommands):
    """cl_command_queue in order. `properties` is the bit field of clCreateCommandQueue, or the (name, value) pairs of
    clCreateCommandQueueWithProperties.

    keeps_order   a command comes after all that were enqueued before it
    more_of_all   for `note_kind`: what a subclass has beside

    Code in C makes plain queues, and lets them go (runtime/native/queues.c).
    """

    # In slots, which code in C reads where they lie, and a queue is made and dropped sooner with.
    __slots__ = ("_deferred", "_issuing", "_last_deferred", "_lock", "_offloaded", "_resting", "closed", "context", "device", "event_type",
                 "hints", "native_target", "needs_full_submit", "profiling", "properties", "property_list", "ranges", "recorder", "serial",
                 "timed", "timeline")
    keeps_order = holds_back = True
    more_of_all: tuple[str, ...] = ()

    def __init__(self, context: Context, device: Device, properties: int | PropertyList = 0):
        if not isinstance(context, Context):
            raise CLError(ROUTINE, "INVALID_CONTEXT", f"{context!r} is not a context")
        if device not in context.devices:
            raise CLError(ROUTINE, "INVALID_DEVICE", f"{device!r} is not a device of the context")
        bits, given, hints, _ = queue_properties.checked(properties)
        assert self.keeps_order != bool(bits & codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), "create_command_queue chooses the class"
        super().__init__()
        # First what every launch looks at, side by side in memory.
        self.serial = next(SERIALS)
        self.needs_full_submit = False
        self.event_type = Event
        self.context = context
        self.device = device
        self.properties = bits
        self.property_list = given
        self.hints = hints
        self.profiling = bool(bits & codes.QUEUE_PROFILING_ENABLE)
        self.recorder = trace.current()
        self.timed = self.profiling or self.recorder is not None
        self.ranges = nvtx_ranges.domain(f"{device.properties.name}, queue {self.serial}") if nvtx_ranges.wanted() else None
        self._issuing = None if context.fixed_addresses else context.issuing
        # Timelines of queues that have gone. One that is to be found by its stream is of one context alone.
        self._resting = device.resting.setdefault(hints, []) if context.fixed_addresses else None
        self.timeline = self._open_stream()
        self.closed = False  # From here on there is something to be let go.
        self.native_target = self._native_target(self.timeline)
        self._update_needs_full_submit()
        context.add_queue(self)

    def _open_stream(self) -> QueueStream:
        resting = self._resting
        try:
            if resting:
                return resting.pop().reopened()
        except IndexError:  # Another thread was quicker.
            pass
        try:
            return QueueStream(self.device.driver_device.open_stream(self.hints), to_be_found=not self.context.fixed_addresses)
        except DriverError as error:
            raise cl_error(ROUTINE, error) from error

    def _native_target(self, timeline: QueueStream) -> object:
        """A stream of the queue as code in C knows it."""
        calls = native.calls()
        if calls is None or timeline.fails_apart:
            return None
        shares = self.context.has_residents and self.keeps_order
        return calls.target(self.serial, self.event_type, timeline, timeline.next_position, timeline.native_address,
                            timeline.native_stream if shares or self.context.fixed_addresses else None, not self.keeps_order,
                            self.device if shares else None)

    @property
    def timelines(self) -> Sequence[QueueStream]:
        return (self.timeline,)

    # Submitting.

    def submit(self, routine: str, command_type: int, run: Run, wait_for: Sequence[Event] = (), *, blocking: bool = False,
               keep: Any = None, freeze: Callable[[], Run] | None = None, offload: bool = False, label: str = "",
               size: int = 0, facts: Callable[[], Facts] | None = None) -> Event:
        """Gives a command to the stream, or defers it while it waits for a user event.

        run(stream) issues the work. `keep` must live until the command is done with it. `freeze` returns a `run` that does not look
        at anything the application may change later (a kernel's arguments); it is called for commands that are deferred. `offload`
        says that `run` would block the calling thread for longer than issuing work takes: unless the caller wants to wait anyway,
        another thread runs it. `label` is what people should read of the command, beside its kind; `size` the bytes that it moves;
        `facts`, called where there is a trace, what that is to tell of it beside.
        """
        if self.closed:
            raise CLError(routine, "INVALID_COMMAND_QUEUE", "the command-queue has been released")
        if wait_for:
            wait_for = self._checked(routine, wait_for)
        timeline = self.timeline
        try:
            if self.needs_full_submit or (offload and not blocking) or (wait_for and not self._all_issued(wait_for)):
                command = Command(routine, self.event_type(self, command_type, timeline, 0), run, wait_for, keep, label,
                                  self._is_offloaded(offload, blocking))
                if self.timed:
                    command.queued = time.perf_counter_ns()
                if self.recorder is not None and (size or facts is not None):
                    command.facts = {"bytes": size} if facts is None else facts()
                return self._submit_fully(command, blocking, freeze)
            if timeline.has_native:
                timeline.note_native_commands()
            before = timeline.next_position()
            try:
                for other in wait_for:
                    if other.timeline is not timeline:
                        self._come_after(timeline, other)
                if self._issuing is None:
                    outcome = run(timeline.stream)
                    event = self.issued(command_type, timeline, outcome, before)
                else:
                    with self._issuing:
                        outcome = run(timeline.stream)
                        event = self.issued(command_type, timeline, outcome, before)
            except BaseException as error:
                self._not_given(timeline, before, error)
                raise
            if outcome is ISSUED and keep is not None:
                self._host_in_use(timeline, event, keep, blocking, size)
            elif blocking and (outcome is ISSUED or outcome is HOST_DONE):
                timeline.synchronize_to(event.position)  # as `_host_in_use` does
            return event
        except DriverError as error:
            raise cl_error(routine, error) from error

    def _submit_fully(self, command: Command, blocking: bool, freeze: Callable[[], Run] | None) -> Event:
        """The rest of `submit` for what may be deferred, or is timed."""
        gates, event = self._enter(command), command.event
        if isinstance(event.gate, Gate):
            # Where commands run in the calling thread, that must not be the thread that opens the gate.
            command.offloaded = command.offloaded or self.stream.immediate
            self._defer(command, event.gate, gates, freeze)
        elif command.wait_for and any(each.error for each in command.wait_for):
            event.gate = Gate(codes.QUEUED)
            event.gate.open(FAILED_WAIT)
        else:
            self._issue_command(command, blocking)
        if blocking and event.gate is not None:
            try:
                event.wait()
            except CLError as error:
                raise CLError(command.routine, error.status, error.reason) from error
        return event

    def completed_at_once(self, routine: str, command_type: int, wait_for: Sequence[Event], blocking: bool = False) -> Event | None:
        if wait_for or self.needs_full_submit:
            return None
        timeline = self.timeline
        try:
            idle = timeline.idle
        except DriverError:
            return None  # as `submit` will say
        if not idle:
            if not blocking:
                return None
            try:
                timeline.synchronize_to(timeline.next_position())
            except DriverError as error:
                raise cl_error(routine, error) from error
        return self.event_type(self, command_type, timeline, timeline.reached)

    def _begins_at_once(self) -> bool:
        return self.keeps_order and not self._deferred and self._issuing is None and self.timeline.stream.idle()

    def _all_issued(self, wait_for: Sequence[Event]) -> bool:
        """All are with drivers that this queue's can wait for, and none has failed."""
        driver_name = self.device.driver_name
        for event in wait_for:
            gate, queue = event.gate, event.queue
            if gate is not None and gate.status:
                return False
            if queue is not None and ((queue is not self and queue.device.driver_name != driver_name)
                                      or (event.timeline.any_failed and event.error)):
                return False
        return True

    def _is_offloaded(self, offload: bool, blocking: bool) -> bool:
        return offload and not blocking

    def _enter(self, command: Command) -> list[Opening]:
        """Finds the command's place among the deferred ones; it gets a gate if it is one of them. Returns what defers it."""
        gates = self._shut_gates(command.wait_for) if command.wait_for else []
        if gates or command.offloaded or self._deferred:
            self._hold_back(command, gates)
        return gates

    def _hold_back(self, command: Command, gates: list[Opening]) -> None:
        with self._lock:
            last = self._last_deferred
            if last is not None and last.gate is not None and last.gate.shut:
                gates.append(last.gate)
            if gates or command.offloaded:
                self._note_deferred(command.event, gates)
                self._last_deferred = command.event

    def hold(self, command: Command, gates: list[Opening]) -> Event:
        event = command.event
        self._hold_back(command, gates)
        assert isinstance(event.gate, Gate)
        self._defer(command, event.gate, gates, None)
        return event

    def _update_needs_full_submit(self) -> None:
        self.timeline.native[NEEDS_PYTHON] = needs = self._what_needs_python()
        self.needs_full_submit = bool(needs)

    @property
    def is_plain_but_for_times(self) -> bool:  # type: ignore[override]
        return self.keeps_order and self.timeline.native[NEEDS_PYTHON] == TIMES_ONLY

    def _what_needs_python(self) -> int:
        """What native code is to be told by NEEDS_PYTHON."""
        if self.recorder is not None or self.ranges is not None or debug_mode.active() or self.closed or self._deferred:
            return 1
        return TIMES_ONLY if self.timed else 0

    def keeps_order_of(self, wait_for: Sequence[Event]) -> bool:
        if self.timeline.any_failed:
            return False  # What waits for the one that has failed is not to run.
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
            queue = event.queue
            if queue is not self and (event.context if queue is None else queue.context) is not self.context:
                raise CLError(routine, "INVALID_CONTEXT", "an event of the wait list belongs to another context")
            if event.taken_by is not None and routine not in event.taken_by:
                raise CLError(routine, "INVALID_EVENT", "only commands that acquire or release shared objects wait for this event")
        return tuple(wait_for)

    # Issuing.

    def _timeline_for(self, command: Command) -> QueueStream:
        return self.timeline

    def _issue_command(self, command: Command, blocking: bool = False) -> None:
        """Gives a command to a stream that was deferred until now, or is timed."""
        timeline = self._timeline_for(command)
        event, stream = command.event, timeline.stream
        if timeline.has_native:
            timeline.note_native_commands()
        before = timeline.next_position()
        try:
            for other in command.wait_for:
                if other.queue is not None and other.timeline is not timeline:
                    self._come_after(timeline, other)
            fences, may_be_one = None, self._issuing is None and self.ranges is None
            if self.timed:
                submitted = begun = time.perf_counter_ns()
                fences = command.run.between_fences(stream) if isinstance(command.run, TimedRun) and may_be_one else None
                event.times = (command.queued, submitted, fences[0] if fences else stream.fence(True))
                if self.recorder is not None and not fences:
                    begun = time.perf_counter_ns()
            if fences:
                outcome = ISSUED
                self.issued(event.command_type, timeline, outcome, before, event)
            elif self._issuing is None:
                outcome = self._run(command, timeline, before)
            else:
                with self._issuing:
                    outcome = self._run(command, timeline, before)
        except BaseException as error:
            self._not_given(timeline, before, error)
            raise
        if event.times is not None:
            given = time.perf_counter_ns() if self.recorder is not None else 0
            event.fence = fences[1] if fences else stream.fence(True)
            timeline.note_end(event.fence)
            if self.recorder is not None:
                self.recorder.spent(begun - event.times[1] + time.perf_counter_ns() - given)
                place = trace.Place(self.device, self.device.facts, self.serial, not self.keeps_order, stream)
                self.recorder.command(place, event.command_type, command.label, command.facts or {}, event.times, event.fence)
        if (outcome is ISSUED and (blocking or command.keep is not None)) or (outcome is HOST_DONE and blocking):
            self._host_in_use(timeline, event, command.keep, blocking, MUCH)

    def _not_given(self, timeline: QueueStream, before: int, error: BaseException) -> None:
        self.not_issued(timeline)
        if isinstance(error, CommandFailed):  # of those before, which this one waited for
            timeline.note_failure(before, error)

    def _run(self, command: Command, timeline: QueueStream, before: int) -> Outcome:
        outcome = command.run(timeline.stream) if self.ranges is None else self._run_in_range(self.ranges, command, timeline.stream)
        if outcome is NOTHING and self._has_ended(command, timeline, before):
            outcome = ENDED
        self.issued(command.event.command_type, timeline, outcome, before, command.event)
        return outcome

    def _has_ended(self, command: Command, timeline: QueueStream, before: int) -> bool:
        """Whether what gives nothing to the stream has ended: nothing runs there, and it waits for no other stream."""
        if before != timeline.reached + 1 or self.timed:
            return False
        return not [each for each in command.wait_for if each.queue is not None and each.timeline is not timeline]

    def _run_in_range(self, ranges: nvtx_ranges.Domain, command: Command, stream: Stream) -> Outcome:
        kind = trace.kind_of(command.event.command_type)
        with ranges.range(command.label or kind, kind):
            return command.run(stream)

    def _host_in_use(self, timeline: QueueStream, event: Event, keep: Any, blocking: bool, size: int) -> None:
        """The stream uses the host's memory: it is kept until the command has ended, which a blocking call waits for."""
        if not blocking:
            # A fence takes longer to make than a small copy.
            timeline.keep(event.position, event.end_fence() if size >= MUCH else event.fence, keep)
            return
        try:
            # The stream is at its end now, which is quicker to wait for than a fence.
            timeline.synchronize_to(event.position)
        except BaseException:  # A wait may be interrupted, and the command goes on.
            if keep is not None:
                timeline.keep(event.position, event.fence, keep)
            raise

    def _come_after(self, timeline: QueueStream, event: Event) -> None:
        """Later commands of the stream wait for the event; the stream's own order does it for events of its own."""
        if event.queue is None or event.timeline is timeline:
            return
        if event.position > event.timeline.reached:
            timeline.stream.after(event.end_fence())
        elif event.timeline.any_failed and event.error:  # Another thread has come to know it just now.
            raise DriverError(f"a command that it waits for has failed: {event.error}", "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST")

    def end_fences(self) -> list[Fence]:
        """Fences that are all reached when every command given to a driver so far has ended."""
        timeline = self.timeline
        return [] if timeline.idle else [timeline.current_fence()]

    def come_after(self, fences: Sequence[Fence]) -> None:
        """Before the first command: all come after the fences."""
        for fence in fences:
            self.timeline.stream.after(fence, even_failed=True)

    def write_in_order(self, write: Callable[[Stream], bool], kept: object = None) -> None:
        """Has memory written from the host's, after the commands that the driver has been given and before those to come. `write` says
        whether the host's is free then; where it is not it is waited for, or `kept` until that has ended."""
        timeline = self.timeline
        host_is_free = write(timeline.stream)
        position = self.issued(codes.COMMAND_WRITE_BUFFER, timeline).position
        if not host_is_free:
            if kept is None:
                timeline.synchronize()
            else:
                timeline.keep(position, None, kept)

    @property
    def idle(self) -> bool:
        """No command can be running."""
        return not self._deferred and self.timeline.idle

    # The queue as a whole.

    def flush(self) -> None:
        """clFlush."""
        if self.closed:
            raise CLError("clFlush", "INVALID_COMMAND_QUEUE", "the command-queue has been released")
        try:
            for timeline in self.timelines:
                timeline.flush()
        except DriverError as error:
            raise cl_error("clFlush", error) from error

    def finish(self) -> None:
        """clFinish: returns when every command has ended."""
        if self._deferred:
            self.help_out()
            with self._lock:
                deferred = list(self._deferred)
            for event in deferred:
                if event.gate is not None:
                    event.gate.wait_until_open()
        if self.closed:
            raise CLError("clFinish", "INVALID_COMMAND_QUEUE", "the command-queue has been released")
        try:
            self.settle()
        except DriverError as error:
            raise cl_error("clFinish", error) from error
        self.context.reclaim()

    _finish_in_python = finish  # what the compiled one leaves (runtime/native/waits.c)

    @property
    def settled(self) -> bool:
        """`finish` would do no more now than wait for the stream, as native code can."""
        timeline = self.timeline
        return timeline.keeps_nothing and not self.context.has_retired and timeline.stream.native() is not None

    def settle(self) -> None:
        """Waits for all that was given to a driver."""
        for timeline in self.timelines:
            timeline.synchronize()

    def get_info(self, param: int) -> Any:
        """clGetCommandQueueInfo (5.1)."""
        return QUERIES.get(self, param)

    def release(self) -> None:
        """clReleaseCommandQueue. The commands go on, also those that are deferred; host memory that they use is waited for."""
        self._release(None)

    def _release(self, resting: list[QueueStream] | None) -> None:
        with self._lock:
            if not self.closed and self._leave_ends():
                resting = None
            closed, self.closed = self.closed, True
            self.needs_full_submit = True
            self.timeline.native[NEEDS_PYTHON] = 1
            deferred = bool(self._deferred)
        if not closed and not deferred:
            self._close_streams(resting)

    def _leave_ends(self) -> bool:
        ends = [end for timeline in self.timelines if (end := timeline.end()) is not None]
        for end in ends:
            self.context.leave_fence(end)
        return bool(ends)

    def _close_streams(self, resting: list[QueueStream] | None = None) -> None:
        for timeline in self.timelines:
            if collecting.is_under_way_here() and not timeline.keeps_nothing:  # Its thread may have what the commands wait for.
                self.context.retire(None, functools.partial(_let_go, timeline.leave_kept()))
            timeline.close(resting)

    def __del__(self, is_ending: Callable[[], bool] = ending.has_begun) -> None:
        try:
            closed = self.closed
        except AttributeError:  # It never had a stream.
            return
        # At interpreter exit the driver goes, too, and maybe has gone already.
        if not closed and not is_ending():
            self._release(self._resting)  # Nobody has an event of a timeline that goes to another queue.

    _let_go_in_python = __del__


def _let_go(kept: object) -> None:
    """When it is called, no command uses what was kept."""


# The attributes of a queue that others of its context and its properties have, too, and code in C gives them (runtime/native/queues.c).
_OF_ALL = ("_issuing", "_last_deferred", "_resting", "device", "event_type", "hints", "needs_full_submit", "profiling", "properties",
           "property_list", "ranges", "recorder", "timed")


def note_kind(queue: CommandQueue) -> None:
    """Of a new queue of a bit field the context knows from now on what code in C makes others of, if that is all there is to it: the class,
    the timelines at rest, the word NEEDS_PYTHON, whether code in C knows its streams and whether they are of a queue that is out of order,
    and the attributes."""
    if (queue.context.fixed_addresses and not queue.timeline.fails_apart and queue.recorder is None and queue.ranges is None
            and not debug_mode.active()):
        queue.context.queue_kinds[queue.properties] = (
            type(queue), queue._resting, queue.timeline.native[NEEDS_PYTHON], queue.native_target is not None, not queue.keeps_order,
            tuple((name, getattr(queue, name)) for name in (*_OF_ALL, *queue.more_of_all)))


_calls = native.calls()
if _calls is not None:
    native.know("queue_parts", (SERIALS.__next__, set, collections.deque, threading.Lock, trace, debug_mode, ending.has_begun))
    CommandQueue.__del__ = _calls.queue_dropper(CommandQueue)  # type: ignore[method-assign]
