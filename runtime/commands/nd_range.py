"""Running kernels (5.10): the checks, the choice of a work-group size, and the hot path.

A launch with the same queue, kernel and sizes as before takes a *plan*: a callable with everything decided, made by the driver.
What a plan depends on cannot change behind its back: arguments are written in place, and a change of local memory drops the
plans.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Sequence
from operator import index

from ..devices.queries import max_image_args, max_samplers
from ..driver.device import Function, NativeLaunch
from ..driver.interface import DriverError, Fence, Stream, Triple
from ..driver.reported import cl_error, reported
from ..kernel import watch, work_size
from ..kernel.argument_values import ArgumentValues
from ..kernel.arguments import ArgumentBlock
from ..kernel.kernel import SIZE_MAX, Kernel
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

ROUTINE, COMMAND = "clEnqueueNDRangeKernel", codes.COMMAND_NDRANGE_KERNEL
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
    from .child_kernels import run_family

    launch, device = _checked(queue, kernel, nd_range), queue.device
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

    event = queue.submit(ROUTINE, COMMAND, run_with(kernel.arguments), wait_for, offload=beside,
                         freeze=lambda: run_with(kernel.arguments.snapshot()), label=kernel.name)
    event.own_end = ended
    return event


def _runs_beside(queue: CommandTarget, kernel: Kernel) -> bool:
    """Whether the kernel may wait for what the host does once it has enqueued it, and would run in the caller's thread."""
    return isinstance(kernel, Kernel) and kernel.info.waits and isinstance(queue, CommandTarget) and not queue.records and (
        queue.size is None and queue.stream.immediate)


def _enqueue_beside(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, wait_for: Sequence[Event]) -> Event:
    """A launch in a thread of the queue's own. It has no plan, which would be called in the caller's."""
    launch, device = _checked(queue, kernel, nd_range), queue.device
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
    _checked(queue, kernel, nd_range, arguments_set=False)
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
        function, size, _ = _checked_sizes(queue, kernel, NDRange(work_dim, global_offset, global_size, None))
        if 0 in size:
            # "CL_INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or if any of the values specified in global_work_size are 0."
            raise CLError(ROUTINE, "INVALID_GLOBAL_WORK_SIZE", f"the global size {global_size!r} has nothing to run")
        return _group(queue, kernel, function, work_dim, size, None)[:work_dim]
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
    """Checks everything that can be wrong, and makes and remembers the plan: for the queue's first stream, or for another."""
    sizes = nd_range.in_tuples()
    key = (stream or queue.serial, sizes.work_dim, sizes.global_size, sizes.local_size, sizes.global_offset)
    if stream is not None and key in kernel.plans:
        return kernel.plans[key]
    launch = _checked(queue, kernel, nd_range) if stream is None else _checked_before(queue, kernel, nd_range)
    try:
        plan = launch.plan(stream or queue.stream, kernel.arguments.parameters) if launch else _nothing
    except DriverError as error:
        raise cl_error(ROUTINE, error) from error
    if not kernel.context.fixed_addresses:
        plan = _after_acquiring(kernel, queue, stream or queue.stream, plan, launch)
    elif (for_images := getattr(plan, "now", None)) is not None:
        plan = for_images()  # Images that ask for another one drop the plans.
    if len(kernel.plans) >= MAX_PLANS:
        kernel.drop_plans()
    kernel.plans[key] = plan
    kernel.checked_launches[queue.serial, sizes] = launch
    return plan


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
    launch, first, calls = _checked_before(queue, kernel, nd_range), queue.timeline.stream, native.calls()
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
    launch, arguments = _checked_before(queue, kernel, nd_range), kernel.arguments.with_values(values)

    def run(stream: Stream) -> Outcome:
        if launch is not None:
            launch.plan(stream, arguments.parameters)()
        return ISSUED

    return queue.submit(ROUTINE, COMMAND, run, wait_for, freeze=lambda: run, label=kernel.name)


def _checked(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, *, arguments_set: bool = True) -> Launch | None:
    """None if there is nothing to run."""
    work_dim = nd_range.work_dim
    function, size, offset = _checked_sizes(queue, kernel, nd_range, arguments_set=arguments_set)
    _check_images(queue, kernel)
    if 0 in size:
        return None
    group = _group(queue, kernel, function, work_dim, size, nd_range.local_size)
    _check_local_memory(queue, kernel, function)
    return Launch(function, work_dim, size, group, offset, kernel.arguments.dynamic_local)


def _checked_before(queue: CommandTarget, kernel: Kernel, nd_range: NDRange) -> Launch | None:
    """As `_checked`. What the plan for the queue's first stream was checked for need not be checked again: what it depends on drops it.
    (In a context of several devices sub-buffers may have come that are not where each device can have them.)"""
    if kernel.context.fixed_addresses:
        plain = type(nd_range.global_size) is type(nd_range.local_size) is tuple and nd_range.global_offset is None
        sizes = nd_range if plain else nd_range.in_tuples()
        try:
            return kernel.checked_launches[queue.serial, sizes]
        except KeyError:
            pass
    return _checked(queue, kernel, nd_range)


def _checked_sizes(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, *,
                   arguments_set: bool = True) -> tuple[Function, Triple, Triple]:
    """The loaded kernel, the global size and the offset."""
    _check_objects(queue, kernel)
    if arguments_set:
        _check_arguments(queue, kernel)
    work_dim, global_offset, global_size, _ = nd_range
    if not 1 <= work_dim <= 3:
        raise CLError(ROUTINE, "INVALID_WORK_DIMENSION", f"{work_dim} is not 1, 2 or 3")
    # "If global_work_size is NULL, or the value in any passed dimension is 0 then the kernel command will trivially succeed"
    size = (0, 0, 0) if global_size is None else _triple(work_dim, global_size, 1, "INVALID_GLOBAL_WORK_SIZE", "global size")
    return kernel.function(ROUTINE, queue.device), size, _offset(kernel, work_dim, global_offset, size) if global_offset else (0, 0, 0)


def _offset(kernel: Kernel, work_dim: int, global_offset: Sizes, size: Triple) -> Triple:
    offset = _triple(work_dim, global_offset, 0, "INVALID_GLOBAL_OFFSET", "global offset")
    if any(s + o > SIZE_MAX for s, o in zip(size, offset, strict=True)):
        raise CLError(ROUTINE, "INVALID_GLOBAL_OFFSET", f"global size {size} plus offset {offset} does not fit into size_t")
    if kernel.info.cuda_code and any(offset):
        raise CLError(ROUTINE, "INVALID_GLOBAL_OFFSET", f"kernel '{kernel.name}' is CUDA code, which counts work-items from 0")
    return offset


def _check_objects(queue: CommandTarget, kernel: Kernel) -> None:
    if not isinstance(queue, CommandTarget) or queue.closed:
        raise CLError(ROUTINE, "INVALID_COMMAND_QUEUE", f"{queue!r} is not a command-queue, or has been released")
    if queue.size is not None:
        raise CLError(ROUTINE, "INVALID_COMMAND_QUEUE", f"{queue!r} is a queue on the device: only kernels enqueue there")
    if not isinstance(kernel, Kernel) or kernel.released:
        raise CLError(ROUTINE, "INVALID_KERNEL", f"{kernel!r} is not a kernel, or has been released")
    if kernel.context is not queue.context:
        raise CLError(ROUTINE, "INVALID_CONTEXT", "command-queue and kernel belong to different contexts")


def _check_arguments(queue: CommandTarget, kernel: Kernel) -> None:
    # "CL_INVALID_OPERATION [...] if system pointers are passed as arguments to a kernel and the device does not support
    # fine-grain system SVM"
    system = queue.device.properties.shared_memory & codes.DEVICE_SVM_FINE_GRAIN_SYSTEM
    if kernel.arguments.system_pointers and not system:
        raise CLError(ROUTINE, "INVALID_OPERATION", f"kernel '{kernel.name}' is given host memory that the device cannot reach")
    if kernel.arguments.unset:
        names = ", ".join(f"{index} '{kernel.info.args[index].name}'" for index in sorted(kernel.arguments.unset))
        raise CLError(ROUTINE, "INVALID_KERNEL_ARGS", f"kernel '{kernel.name}': no value was set for argument {names}")
    kernel.arguments.check_alignment(ROUTINE, queue.device)


def _check_images(queue: CommandTarget, kernel: Kernel) -> None:
    """CL_OUT_OF_RESOURCES "if the number of read-only image args used in kernel exceed the CL_DEVICE_MAX_READ_IMAGE_ARGS value for
    device or the number of write-only and read-write image args [...] exceed the CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS value for
    device or the number of samplers used in kernel exceed CL_DEVICE_MAX_SAMPLERS for device"."""
    reads, writes, samplers = kernel.images_and_samplers
    if not (reads or writes or samplers):
        return
    limit = max_image_args(queue.device)
    if max(writes, reads) > limit or samplers > max_samplers(queue.device):
        raise CLError(ROUTINE, "OUT_OF_RESOURCES",
                      f"kernel '{kernel.name}' reads {reads} and writes {writes} images by {samplers} samplers: "
                      f"the device takes {limit}, {limit} and {max_samplers(queue.device)}")


def _group(queue: CommandTarget, kernel: Kernel, function: Function, work_dim: int, size: Triple,
           local_size: Sizes | None) -> Triple:
    """The work-group size: the given one, the required one, or a chosen one; checked."""
    required = kernel.info.reqd_work_group_size
    uniform = kernel.info.cuda_code or kernel.program.binary_for(ROUTINE, queue.device).uniform
    if local_size is None:
        group = required or _chosen(queue, kernel, function, work_dim, size, uniform)
    else:
        group = _triple(work_dim, local_size, 1, "INVALID_WORK_GROUP_SIZE", "local size")
        if 0 in group:
            raise CLError(ROUTINE, "INVALID_WORK_GROUP_SIZE", f"the local size {tuple(local_size)} has a 0")
        if required and group != required:
            raise CLError(ROUTINE, "INVALID_WORK_GROUP_SIZE",
                          f"kernel '{kernel.name}' requires work-groups of {required}, the local size is {tuple(local_size)}")
    (x, y, z), limits = group, queue.device.properties.max_work_item_sizes
    if x > limits[0] or y > limits[1] or z > limits[2]:
        raise CLError(ROUTINE, "INVALID_WORK_ITEM_SIZE", f"the local size {group} exceeds CL_DEVICE_MAX_WORK_ITEM_SIZES, {limits}")
    if x * y * z > function.max_work_group_size:
        raise CLError(ROUTINE, "INVALID_WORK_GROUP_SIZE",
                      f"a work-group of {math.prod(group)} exceeds kernel '{kernel.name}'s limit, {function.max_work_group_size}")
    explicit = local_size is not None or required is not None
    if uniform and explicit and (size[0] % x or size[1] % y or size[2] % z):
        raise CLError(ROUTINE, "INVALID_WORK_GROUP_SIZE",
                      f"the local size {group[:work_dim]} does not divide the global size {size[:work_dim]} "
                      + ("(kernels of CUDA code have none that are smaller)" if kernel.info.cuda_code
                         else "(only programs built with -cl-std=CL2.0 or later may do that)"))
    return group


def _chosen(queue: CommandTarget, kernel: Kernel, function: Function, work_dim: int, size: Triple, uniform: bool) -> Triple:
    """A size of our own. It is uniform where "the OpenCL runtime must choose a uniform work-group size", unless no work-item
    can tell the difference: then a size without good divisors, such as a prime, need not run in groups of one."""
    properties = queue.device.properties
    limit = function.max_work_group_size
    group = work_size.choose(size, work_dim, limit, properties.max_work_item_sizes,
                             warp=properties.sub_group_size, gpu=properties.is_gpu)
    few = math.prod(group) < min(properties.sub_group_size, math.prod(size))
    observed = kernel.info.cuda_code or kernel.program.binary_for(ROUTINE, queue.device).observes_groups
    unseen = not observed and not kernel.info.uses_local_memory
    if few and properties.is_gpu and (unseen or not uniform):
        return work_size.uneven(size, work_dim, limit, properties.max_work_item_sizes)
    return group


def _check_local_memory(queue: CommandTarget, kernel: Kernel, function: Function) -> None:
    need = kernel.local_memory(function)
    have = queue.device.properties.local_memory
    if need > have:
        raise CLError(ROUTINE, "OUT_OF_RESOURCES",
                      f"kernel '{kernel.name}' needs {need} bytes of local memory, the device has {have} for a work-group")


def _triple(work_dim: int, sizes: Sizes | None, missing: int, status: str, what: str) -> Triple:
    if sizes is None or len(sizes) != work_dim:
        raise CLError(ROUTINE, status, f"the {what} {sizes!r} does not have {work_dim} dimensions")
    values = [index(size) for size in sizes]
    if min(values) < 0 or max(values) > SIZE_MAX:
        raise CLError(ROUTINE, status, f"the {what} {tuple(values)} does not fit into size_t")
    values += [missing] * (3 - work_dim)
    return values[0], values[1], values[2]
