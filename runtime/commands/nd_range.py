"""Running kernels (5.10): the ways that a launch may go, and the hot path. What can be wrong is `launch_checks`'.

A launch with the same queue, kernel and sizes as before takes a *plan*: a callable with everything decided, made by the driver.
What a plan depends on cannot change behind its back: arguments are written in place, and a change of local memory drops the
plans.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence

from ..driver.device import NativeLaunch
from ..driver.interface import DriverError, Fence, Stream
from ..driver.reported import cl_error, reported
from ..kernel import watch
from ..kernel.argument_values import ArgumentValues
from ..kernel.arguments import ArgumentBlock
from ..kernel.kernel import Kernel
from ..kernel.launch import Launch, Plan, argument_bytes
from ..kernel.nd_range import NDRange, Sizes
from ..native import library as native
from ..process import debug_mode
from ..process.trace import Facts
from ..queue.command import ENDED, ISSUED, Command, Outcome, Run, TimedRun
from ..queue.event import Event
from ..queue.stream_timeline import timeline_of
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError
from .launch_checks import (
    ROUTINE,
    check_again,
    checked,
    checked_before,
    checked_sizes,
    dividing,
    is_uniform,
    limits_of_launches,
    work_group,
)

COMMAND = codes.COMMAND_NDRANGE_KERNEL
MAX_PLANS = 256


def enqueue_nd_range_kernel(queue: CommandTarget, kernel: Kernel, work_dim: int, global_offset: Sizes | None,
                            global_size: Sizes | None, local_size: Sizes | None, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueNDRangeKernel (5.10). Offset and sizes have one number of work-items for each of the `work_dim` dimensions, 1 to 3; a
    local size of None is chosen here. Quickest with tuples of ints."""
    try:
        plan = kernel.plans[queue.serial, work_dim, global_size, local_size, global_offset]
    except (KeyError, TypeError, AttributeError):
        if isinstance(kernel, Kernel) and kernel.info.enqueues:
            return _enqueue_parent(queue, kernel, NDRange(work_dim, global_offset, global_size, local_size), wait_for)
        if _runs_beside(queue, kernel):
            return _enqueue_beside(queue, kernel, NDRange(work_dim, global_offset, global_size, local_size), wait_for)
        plan = _plan(queue, kernel, NDRange(work_dim, global_offset, global_size, local_size))
    if queue.needs_full_submit or (wait_for and not queue.keeps_order_of(wait_for)):
        if queue.needs_full_submit:
            made = None if wait_for else _timed(queue, plan)
        else:
            made = _held(queue, kernel, NDRange(work_dim, global_offset, global_size, local_size), wait_for, plan)
        return made or _submit(queue, kernel, NDRange(work_dim, global_offset, global_size, local_size), wait_for, plan)
    # What is left of `queue.submit` without a wait list: no frame and no closure that the hot path can do without.
    try:
        plan()
    except BaseException as error:
        queue.not_issued(queue.timeline)
        if isinstance(error, DriverError):
            raise cl_error(ROUTINE, error) from error
        raise
    return queue.issued(COMMAND, queue.timeline)


def _timed(queue: CommandTarget, plan: Plan) -> Event | None:
    """The launch in a queue whose commands are plain but for their times, as `_PlannedLaunch` times it; None where it was not made."""
    queued, timeline = time.perf_counter_ns(), queue.timeline
    if not queue.is_plain_but_for_times:
        return None
    if timeline.has_native:
        timeline.note_native_commands()
    with reported(ROUTINE):
        fences = _launched_between_fences(plan, timeline.stream)
    if fences is None:
        return None
    event = queue.issued(COMMAND, timeline)
    event.times, event.fence = (queued, queued, fences[0]), fences[1]
    return event


def _launched_between_fences(plan: Plan, stream: Stream) -> tuple[Fence, Fence] | None:
    """The fences, which tell times, where the driver can launch between two as one, and has."""
    timed = getattr(plan, "timed", None)  # of what native code has made (native/library.py)
    if timed is None or (unrecorded := stream.timed_fences()) is None:
        return None
    begun, ended, *events = unrecorded
    return (begun, ended) if timed(*events) else None


def _held(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, wait_for: Sequence[Event], plan: Plan) -> Event | None:
    """The launch behind a user event that is not set, in a queue whose commands are plain, where the plan's own launch can be told the
    arguments of now; else None."""
    event = queue.gate_ahead(wait_for)
    if event is None:
        return None
    _, again = _launch_again(queue, kernel, nd_range, plan)
    if again is None:
        return None
    command = Command(ROUTINE, queue.event_type(queue, COMMAND, queue.timeline, 0), lambda stream: again() or ISSUED, tuple(wait_for), None,
                      kernel.name)
    return queue.hold(command, [event])


class _PlannedLaunch(TimedRun):
    """A launch by the plan for a stream, which lives as long as this."""

    def __init__(self, plan_for: Callable[[Stream], Plan]):
        self._plan_for = plan_for

    def __call__(self, stream: Stream) -> Outcome:
        self._plan_for(stream)()
        return ISSUED

    def between_fences(self, stream: Stream) -> tuple[Fence, Fence] | None:
        return _launched_between_fences(self._plan_for(stream), stream)


def prepare(queue: CommandTarget, kernel: Kernel, global_size: Sizes, local_size: Sizes | None) -> None:
    """Makes the plan for native code that is about to launch a kernel whose sizes are tuples, where there is none."""
    planned = (queue.serial, len(global_size), global_size, local_size, None) in kernel.plans
    if not planned and not kernel.info.enqueues and not _runs_beside(queue, kernel):
        _plan(queue, kernel, NDRange(len(global_size), None, global_size, local_size))


def _submit(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, wait_for: Sequence[Event], plan: Plan) -> Event:
    """The launch through `queue.submit`. The plan is for the queue's first stream."""

    run = _PlannedLaunch(lambda stream: plan if stream is queue.timeline.stream else _plan(queue, kernel, nd_range, stream))

    def freeze() -> Run:
        return _frozen(queue, kernel, nd_range, plan)

    def facts() -> Facts:
        launch = kernel.checked_launches.get((queue.serial, nd_range.in_tuples()))
        return {**launch.facts, "argument_bytes": argument_bytes(kernel.arguments)} if launch else {}

    if debug_mode.active():
        inner, inner_freeze = run, freeze
        watched = functools.partial(watch.watched, queue.device, kernel, nd_range.global_offset, nd_range.global_size or (0,),
                                    nd_range.local_size)
        return queue.submit(ROUTINE, COMMAND, watched(inner), wait_for, freeze=lambda: watched(inner_freeze()),
                            label=kernel.name, facts=facts)
    return queue.submit(ROUTINE, COMMAND, run, wait_for, freeze=freeze, label=kernel.name, facts=facts)


def _enqueue_parent(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, wait_for: Sequence[Event]) -> Event:
    """A kernel that enqueues others (6.15.19): its command ends when they have. Where launches return before they have ended, or one of
    them may wait for the host, another thread than the caller's sees to them."""
    from ..queue.device_memory import memory_of  # Few programs have such kernels.
    from .child_kernels import ChildFailed, run_family

    launch, device = checked(queue, kernel, nd_range), queue.device
    if queue.records:
        raise _unrecordable(kernel)
    with reported(ROUTINE):
        memory = memory_of(kernel.context, device)
    binary, functions = kernel.program.binary_for(ROUTINE, device), kernel.program.blocks(ROUTINE, device)
    beside = not queue.stream.immediate or kernel.info.waits or any(block.waits for block in binary.blocks)
    ended: list[Fence] = []

    def run_with(arguments: ArgumentValues) -> Run:
        def run(stream: Stream) -> Outcome:
            if launch is None:
                return ISSUED
            if not kernel.context.fixed_addresses:
                arguments.acquire(device, stream)
            arguments.tell(memory.address)
            note_end = (lambda: ended.append(stream.fence(True))) if queue.profiling else _nothing
            run_family(memory, binary, functions, stream, launch.plan(stream, arguments.parameters), note_end)
            return ENDED

        if not debug_mode.active():
            return run
        return watch.watched(device, kernel, nd_range.global_offset, nd_range.global_size or (0,), nd_range.local_size, run)

    failed: list[ChildFailed] = []

    def run_here(stream: Stream) -> Outcome:
        """In the caller's thread: the call itself is well, and what became of the children its event says."""
        try:
            return run_with(kernel.arguments)(stream)
        except ChildFailed as error:
            failed.append(error)
            return ENDED

    event = queue.submit(ROUTINE, COMMAND, run_here, wait_for, offload=beside,
                         freeze=lambda: run_with(kernel.arguments.snapshot()), label=kernel.name)
    if failed:
        queue.terminated(event, failed[0])
    event.own_end = ended
    return event


def _runs_beside(queue: CommandTarget, kernel: Kernel) -> bool:
    """Whether the kernel may wait for what the host does once it has enqueued it, and would run in the caller's thread."""
    return isinstance(kernel, Kernel) and kernel.info.waits and isinstance(queue, CommandTarget) and not queue.records and (
        queue.size is None and queue.stream.immediate)


def _enqueue_beside(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, wait_for: Sequence[Event]) -> Event:
    """A launch in a thread of the queue's own. It has no plan, which would be called in the caller's."""
    launch, device = checked(queue, kernel, nd_range), queue.device
    run = _with_arguments(queue, kernel, launch)
    if debug_mode.active():
        run = watch.watched(device, kernel, nd_range.global_offset, nd_range.global_size or (0,), nd_range.local_size, run)

    def facts() -> Facts:
        return {**launch.facts, "argument_bytes": argument_bytes(kernel.arguments)} if launch else {}

    return queue.submit(ROUTINE, COMMAND, run, wait_for, offload=True, label=kernel.name, facts=facts)


def _unrecordable(kernel: Kernel) -> CLError:
    """"CL_INVALID_OPERATION if the device associated with command_queue does not support
    CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR and kernel contains a kernel-enqueue call."""
    return CLError(ROUTINE, "INVALID_OPERATION", f"kernel '{kernel.name}' enqueues others, which cannot be recorded")


def check_without_arguments(queue: CommandTarget, kernel: Kernel, nd_range: NDRange) -> None:
    """What can be wrong with a launch whatever its arguments will be: for one that is recorded before they are all set."""
    checked(queue, kernel, nd_range, arguments_set=False)
    if kernel.info.enqueues:
        raise _unrecordable(kernel)


def enqueue_task(queue: CommandTarget, kernel: Kernel, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueTask: "equivalent to calling clEnqueueNDRangeKernel with work_dim set to 1, global_work_offset set to NULL,
    global_work_size[0] set to 1, and local_work_size[0] set to 1"."""
    try:
        event = enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,), wait_for)
    except CLError as error:
        raise CLError("clEnqueueTask", error.status, error.reason) from None
    event.command_type = codes.COMMAND_TASK
    return event


def suggested_local_work_size(queue: CommandTarget, kernel: Kernel, work_dim: int, global_offset: Sizes | None,
                              global_size: Sizes | None) -> tuple[int, ...]:
    """clGetKernelSuggestedLocalWorkSizeKHR (5.9.4): the local size that a launch without one would choose."""
    try:
        function, size, offset = checked_sizes(queue, kernel, NDRange(work_dim, global_offset, global_size, None))
        if 0 in size:
            # "CL_INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or if any of the values specified in global_work_size are 0."
            raise CLError(ROUTINE, "INVALID_GLOBAL_WORK_SIZE", f"the global size {global_size!r} has nothing to run")
        # It may be given then: where groups have to divide the size, it does, though a launch without a size may have another one.
        group = work_group(queue, kernel, function, work_dim, size, None, may_round=not any(offset))
        if is_uniform(queue.device, kernel) and any(items % each for items, each in zip(size, group, strict=True)):
            group = dividing(queue.device, function, work_dim, size)
        return group[:work_dim]
    except CLError as error:
        raise CLError("clGetKernelSuggestedLocalWorkSizeKHR", error.status, error.reason) from None


def native_launch(queue: CommandTarget, kernel: Kernel, nd_range: NDRange) -> NativeLaunch | None:
    """A launch that has a plan, for native code: in this queue, where nothing but the plan is to be called (`QueueStream.native`),
    and until plans are dropped (`Kernel.plans_number`). None where Python has to look at each launch."""
    launch = kernel.checked_launches.get((queue.serial, nd_range.in_tuples()))
    if launch is None or not kernel.context.fixed_addresses:
        return None
    return launch.native(queue.stream, kernel.arguments.parameters)


def _plan(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, stream: Stream | None = None) -> Plan:
    """Checks everything that can be wrong, and makes and remembers the plan: for the queue's first stream, or for another. A queue that is
    new has the plans of the one that had its stream before it."""
    sizes, where = nd_range.in_tuples(), stream or queue.stream
    shared = (where, queue.device, sizes)
    plan = kernel.plans.get(shared)
    if plan is not None and stream is not None:
        return plan
    if plan is None:
        launch = checked(queue, kernel, nd_range) if stream is None else checked_before(queue, kernel, nd_range)
        plan = _plan_of(launch, queue, kernel, where)
        if kernel.context.fixed_addresses and (kernel.launch_limits is None or (launch and launch.function.rounds)):
            kernel.launch_limits = limits_of_launches(queue.device, kernel)
    else:
        check_again(queue, kernel)
        launch = kernel.checked_launches[shared]
    if len(kernel.plans) >= MAX_PLANS:
        kernel.drop_plans()
    if stream is None:
        kernel.plans[queue.serial, sizes.work_dim, sizes.global_size, sizes.local_size, sizes.global_offset] = plan
        timeline = queue.timeline if queue.keeps_order else None
        kernel.last_planned = queue.serial, timeline, sizes.global_size, sizes.local_size, sizes.global_offset, plan
    if stream is not None or kernel.context.fixed_addresses:
        kernel.plans[shared] = plan
        kernel.checked_launches[shared] = launch
    kernel.checked_launches[queue.serial, sizes] = launch
    return plan


def _plan_of(launch: Launch | None, queue: CommandTarget, kernel: Kernel, stream: Stream) -> Plan:
    try:
        plan = launch.plan(stream, kernel.arguments.parameters) if launch else _nothing
    except DriverError as error:
        raise cl_error(ROUTINE, error) from error
    if not kernel.context.fixed_addresses:
        return _after_acquiring(kernel, queue, stream, plan, launch)
    for_images = getattr(plan, "now", None)
    return plan if for_images is None else for_images()  # Images that ask for another one drop the plans.


def _nothing() -> None:
    """"If the value in any passed dimension is 0 then the kernel command will trivially succeed"."""


def _after_acquiring(kernel: Kernel, queue: CommandTarget, stream: Stream, plan: Plan, launch: Launch | None) -> Plan:
    """The plan of a context of several devices."""
    device, issuing, timeline = queue.device, queue.context.issuing, None if stream.immediate else timeline_of(stream)
    arguments = kernel.arguments

    def run() -> None:  # It does not know the kernel, which has it.
        arguments.check_alignment(ROUTINE, device)  # the arguments may have changed since the plan was made
        with issuing:
            arguments.acquire(device, stream)
            plan()
            if timeline is not None:
                timeline.note_given()

    calls = native.calls()
    if calls is None or launch is None or not kernel.context.has_residents:
        return run
    return _where_resident(calls, arguments, launch, stream, run, plan) or run


def _where_resident(calls: native.Calls, arguments: ArgumentBlock, launch: Launch, stream: Stream, run: Plan, plan: Plan) -> Plan | None:
    """The plan for code in C, which launches where all memory is resident (memory/resident.py), elsewhere by `run`. It has values of its
    own, since those of now are for all queues. None where it would be Python's always."""
    parts = arguments.pointers()
    if parts is None:
        return None
    own = arguments.without_values()
    _, _, values, size = own.native_parameters
    try:
        made = launch.plan(stream, own.parameters)
    except DriverError:
        return None
    return calls.resident_launch(made, run, plan, arguments.buffers, own, (values, arguments.native_parameters[2], size),
                                 tuple([(index, values + offset, writes) for index, offset, writes in parts]))


def _launch_again(queue: CommandTarget, kernel: Kernel, nd_range: NDRange,
                  plan: Plan) -> tuple[Launch | None, native.FrozenLaunch | None]:
    """The launch, and in C that of the queue's first stream with the arguments of now."""
    launch, first, calls = checked_before(queue, kernel, nd_range), queue.timeline.stream, native.calls()
    if calls is None or launch is None:
        return launch, None

    def failed(status: int, parameters: int) -> None:
        launch.plan(first, parameters)()  # What fails fails not in this thread, or not at all: the driver says it.

    return launch, calls.frozen_launch(plan, kernel.arguments.native_parameters, failed)


def _frozen(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, plan: Plan) -> Run:
    """The launch with the arguments of now, for later: as the plan for the queue's first stream launches, where that can be told other
    arguments."""
    (launch, again), first = _launch_again(queue, kernel, nd_range, plan), queue.timeline.stream
    if again is not None and launch is not None:
        return _PlannedLaunch(lambda stream: again if stream is first else launch.plan(stream, again.parameters()))
    return _with_arguments(queue, kernel, launch)


def _with_arguments(queue: CommandTarget, kernel: Kernel, launch: Launch | None) -> Run:
    """The launch with the arguments of now, for later."""
    arguments = kernel.arguments.snapshot()

    def run(stream: Stream) -> Outcome:
        if launch:
            if not kernel.context.fixed_addresses:
                arguments.acquire(queue.device, stream)
            launch.plan(stream, arguments.parameters)()
        return ISSUED

    return run


def hold_with(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, wait_for: Sequence[Event], values: bytes) -> Event:
    """A launch that native code has held back, with the arguments' values of then."""
    launch, arguments = checked_before(queue, kernel, nd_range), kernel.arguments.with_values(values)

    def run(stream: Stream) -> Outcome:
        if launch is not None:
            launch.plan(stream, arguments.parameters)()
        return ISSUED

    return queue.submit(ROUTINE, COMMAND, run, wait_for, freeze=lambda: run, label=kernel.name)
