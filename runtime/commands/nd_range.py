"""Running kernels (5.10): the checks, the choice of a work-group size, and the hot path.

A launch with the same queue, kernel and sizes as before takes a *plan*: a callable with everything decided, made by the driver.
What a plan depends on cannot change behind its back: arguments are written in place, and a change of local memory drops the
plans.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from ..devices.queries import max_image_args, max_samplers
from ..driver.interface import DriverError, Function, Triple
from ..kernel import work_size
from ..kernel.kernel import Kernel
from ..process import debug_mode
from ..queue.event import Event
from ..queue.queue import CommandQueue
from ..spec import codes
from ..spec.errors import CLError

ROUTINE = "clEnqueueNDRangeKernel"
MAX_PLANS = 256
SIZE_MAX = 2**64 - 1

Sizes = Sequence[int]


def enqueue_nd_range_kernel(queue: CommandQueue, kernel: Kernel, work_dim: int, global_offset: Sizes | None,
                            global_size: Sizes | None, local_size: Sizes | None, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueNDRangeKernel (5.10). Offset and sizes have one number of work-items for each of the `work_dim` dimensions, 1 to 3; a
    local size of None is chosen here. Quickest with tuples of ints."""
    try:
        plan = kernel.plans[queue.serial, work_dim, global_size, local_size, global_offset]
    except (KeyError, TypeError, AttributeError):
        plan = _plan(queue, kernel, work_dim, global_offset, global_size, local_size)
    if queue.deliberate or (wait_for and not queue.orders(wait_for)):
        return _submit(queue, kernel, work_dim, global_offset, global_size, local_size, wait_for, plan)
    # From here on this is `queue.submit` without wait list, profiling and held commands.
    try:
        plan()
    except DriverError as error:
        raise CLError(ROUTINE, error.status, str(error)) from error
    lane = queue.lane
    lane.busy = True
    position = lane.next_position()
    if position >= lane.mark_at:
        lane.mark_ahead(position)
    return queue.event_type(queue, codes.COMMAND_NDRANGE_KERNEL, position)


def _submit(queue: CommandQueue, kernel: Kernel, work_dim: int, global_offset: Sizes | None, global_size: Sizes | None,
            local_size: Sizes | None, wait_for: Sequence[Event], plan: Callable[[], None]) -> Event:
    """The launch through `queue.submit`. The plan is for the queue's first stream."""

    def run(stream: Any) -> None:
        if stream is queue.stream:
            plan()
        else:
            _plan(queue, kernel, work_dim, global_offset, global_size, local_size, stream)()

    def freeze() -> Callable[[Any], None]:
        return _frozen(queue, kernel, work_dim, global_offset, global_size, local_size)

    if debug_mode.active():
        inner, inner_freeze = run, freeze
        watched = functools.partial(debug_mode.watched, queue.device, kernel, global_offset, global_size or (0,), local_size)
        return queue.submit(ROUTINE, codes.COMMAND_NDRANGE_KERNEL, watched(inner), wait_for, freeze=lambda: watched(inner_freeze()),
                            label=kernel.name)
    return queue.submit(ROUTINE, codes.COMMAND_NDRANGE_KERNEL, run, wait_for, freeze=freeze, label=kernel.name)


def enqueue_task(queue: CommandQueue, kernel: Kernel, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueTask: "equivalent to calling clEnqueueNDRangeKernel with work_dim set to 1, global_work_offset set to NULL,
    global_work_size[0] set to 1, and local_work_size[0] set to 1"."""
    try:
        event = enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,), wait_for)
    except CLError as error:
        raise CLError("clEnqueueTask", error.status, error.reason) from None
    event.command_type = codes.COMMAND_TASK
    return event


def suggested_local_work_size(queue: CommandQueue, kernel: Kernel, work_dim: int, global_offset: Sizes | None,
                              global_size: Sizes | None) -> tuple[int, ...]:
    """clGetKernelSuggestedLocalWorkSizeKHR (5.9.4): the local size that a launch without one would choose."""
    try:
        function, size, _ = _checked_sizes(queue, kernel, work_dim, global_offset, global_size)
        if 0 in size:
            # "CL_INVALID_GLOBAL_WORK_SIZE if global_work_size is NULL or if any of the values specified in global_work_size are 0."
            raise CLError(ROUTINE, "INVALID_GLOBAL_WORK_SIZE", f"the global size {global_size!r} has nothing to run")
        return _group(queue, kernel, function, work_dim, size, None)[:work_dim]
    except CLError as error:
        raise CLError("clGetKernelSuggestedLocalWorkSizeKHR", error.status, error.reason) from None


def _plan(queue: CommandQueue, kernel: Kernel, work_dim: int, global_offset: Sizes | None, global_size: Sizes | None,
          local_size: Sizes | None, stream: Any = None) -> Callable[[], None]:
    """Checks everything that can be wrong, and makes and remembers the plan: for the queue's first stream, or for another."""
    key = (stream or queue.serial, work_dim, _tuple(global_size), _tuple(local_size), _tuple(global_offset))
    if stream is not None and key in kernel.plans:
        return kernel.plans[key]
    launch = _checked(queue, kernel, work_dim, global_offset, global_size, local_size)
    try:
        plan = launch(stream or queue.stream, kernel.arguments.parameters) if launch else _nothing
    except DriverError as error:
        raise CLError(ROUTINE, error.status, str(error)) from error
    if not kernel.context.one_device:
        plan = _after_moving(kernel, queue, plan)
    if len(kernel.plans) >= MAX_PLANS:
        kernel.plans.clear()
    kernel.plans[key] = plan
    return plan


def _nothing() -> None:
    """"If the value in any passed dimension is 0 then the kernel command will trivially succeed"."""


def _after_moving(kernel: Kernel, queue: CommandQueue, plan: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        kernel.arguments.check_alignment(ROUTINE, queue.device)  # the arguments may have changed since the plan was made
        kernel.arguments.move_to(queue.device)
        plan()

    return run


def _frozen(queue: CommandQueue, kernel: Kernel, work_dim: int, global_offset: Sizes | None, global_size: Sizes | None,
            local_size: Sizes | None) -> Callable[[Any], None]:
    """The launch with the arguments of now, for later."""
    launch = _checked(queue, kernel, work_dim, global_offset, global_size, local_size)
    arguments = kernel.arguments.snapshot()

    def run(stream: Any) -> None:
        if launch:
            if not kernel.context.one_device:
                arguments.move_to(queue.device)
            launch(stream, arguments.parameters)()

    return run


def _tuple(sizes: Sizes | None) -> tuple[int, ...] | None:
    return None if sizes is None else tuple(int(size) for size in sizes)


def _checked(queue: CommandQueue, kernel: Kernel, work_dim: int, global_offset: Sizes | None, global_size: Sizes | None,
             local_size: Sizes | None) -> Callable[[Any, int], Callable[[], None]] | None:
    """From a stream and the address of the parameters to the plan; None if there is nothing to run."""
    function, size, offset = _checked_sizes(queue, kernel, work_dim, global_offset, global_size)
    _check_images(queue, kernel)
    if 0 in size:
        return None
    group = _group(queue, kernel, function, work_dim, size, local_size)
    _check_local_memory(queue, kernel, function)
    dynamic = kernel.arguments.dynamic_local
    prepare = getattr(function, "prepare", None)
    if prepare is not None:
        return lambda stream, parameters: prepare(stream, work_dim, size, group, offset, dynamic, parameters)
    return lambda stream, parameters: functools.partial(function.launch, stream, work_dim, size, group, offset, dynamic, parameters)


def _checked_sizes(queue: CommandQueue, kernel: Kernel, work_dim: int, global_offset: Sizes | None,
                   global_size: Sizes | None) -> tuple[Function, Triple, Triple]:
    """The loaded kernel, the global size and the offset."""
    _check_objects(queue, kernel)
    if not 1 <= work_dim <= 3:
        raise CLError(ROUTINE, "INVALID_WORK_DIMENSION", f"{work_dim} is not 1, 2 or 3")
    # "If global_work_size is NULL, or the value in any passed dimension is 0 then the kernel command will trivially succeed"
    size = (0, 0, 0) if global_size is None else _triple(work_dim, global_size, 1, "INVALID_GLOBAL_WORK_SIZE", "global size")
    offset = _triple(work_dim, global_offset or (0,) * work_dim, 0, "INVALID_GLOBAL_OFFSET", "global offset")
    if any(s + o > SIZE_MAX for s, o in zip(size, offset, strict=True)):
        raise CLError(ROUTINE, "INVALID_GLOBAL_OFFSET", f"global size {size} plus offset {offset} does not fit into size_t")
    if kernel.info.foreign and any(offset):
        raise CLError(ROUTINE, "INVALID_GLOBAL_OFFSET", f"kernel '{kernel.name}' is CUDA code, which counts work-items from 0")
    return kernel.function(ROUTINE, queue.device), size, offset


def _check_objects(queue: CommandQueue, kernel: Kernel) -> None:
    if not isinstance(queue, CommandQueue) or queue.closed:
        raise CLError(ROUTINE, "INVALID_COMMAND_QUEUE", f"{queue!r} is not a command-queue, or has been released")
    if not isinstance(kernel, Kernel) or kernel.released:
        raise CLError(ROUTINE, "INVALID_KERNEL", f"{kernel!r} is not a kernel, or has been released")
    if kernel.context is not queue.context:
        raise CLError(ROUTINE, "INVALID_CONTEXT", "command-queue and kernel belong to different contexts")
    # "CL_INVALID_OPERATION [...] if system pointers are passed as arguments to a kernel and the device does not support
    # fine-grain system SVM"
    system = queue.device.properties.shared_memory & codes.DEVICE_SVM_FINE_GRAIN_SYSTEM
    if kernel.arguments.system_pointers and not system:
        raise CLError(ROUTINE, "INVALID_OPERATION", f"kernel '{kernel.name}' is given host memory that the device cannot reach")
    if kernel.arguments.unset:
        names = ", ".join(f"{index} '{kernel.info.args[index].name}'" for index in sorted(kernel.arguments.unset))
        raise CLError(ROUTINE, "INVALID_KERNEL_ARGS", f"kernel '{kernel.name}': no value was set for argument {names}")
    kernel.arguments.check_alignment(ROUTINE, queue.device)


def _check_images(queue: CommandQueue, kernel: Kernel) -> None:
    """CL_OUT_OF_RESOURCES "if the number of read-only image args used in kernel exceed the CL_DEVICE_MAX_READ_IMAGE_ARGS value for
    device or the number of write-only and read-write image args [...] exceed the CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS value for
    device or the number of samplers used in kernel exceed CL_DEVICE_MAX_SAMPLERS for device"."""
    images = [arg.access_qualifier in ("write_only", "read_write") for arg in kernel.info.args if arg.kind == "image"]
    samplers = sum(arg.kind == "sampler" for arg in kernel.info.args)
    if not images and not samplers:
        return
    writes, limit = sum(images), max_image_args(queue.device)
    if max(writes, len(images) - writes) > limit or samplers > max_samplers(queue.device):
        raise CLError(ROUTINE, "OUT_OF_RESOURCES",
                      f"kernel '{kernel.name}' reads {len(images) - writes} and writes {writes} images by {samplers} samplers: "
                      f"the device takes {limit}, {limit} and {max_samplers(queue.device)}")


def _group(queue: CommandQueue, kernel: Kernel, function: Function, work_dim: int, size: Triple,
           local_size: Sizes | None) -> Triple:
    """The work-group size: the given one, the required one, or a chosen one; checked."""
    required = kernel.info.reqd_work_group_size
    uniform = kernel.info.foreign or kernel.program.binary_for(ROUTINE, queue.device).uniform
    if local_size is None:
        group = required or _chosen(queue, kernel, function, work_dim, size, uniform)
    else:
        group = _triple(work_dim, local_size, 1, "INVALID_WORK_GROUP_SIZE", "local size")
        if 0 in group:
            raise CLError(ROUTINE, "INVALID_WORK_GROUP_SIZE", f"the local size {tuple(local_size)} has a 0")
        if required and group != required:
            raise CLError(ROUTINE, "INVALID_WORK_GROUP_SIZE",
                          f"kernel '{kernel.name}' requires work-groups of {required}, the local size is {tuple(local_size)}")
    limits = queue.device.properties.max_work_item_sizes
    if any(g > limit for g, limit in zip(group, limits, strict=True)):
        raise CLError(ROUTINE, "INVALID_WORK_ITEM_SIZE", f"the local size {group} exceeds CL_DEVICE_MAX_WORK_ITEM_SIZES, {limits}")
    if math.prod(group) > function.max_work_group_size:
        raise CLError(ROUTINE, "INVALID_WORK_GROUP_SIZE",
                      f"a work-group of {math.prod(group)} exceeds kernel '{kernel.name}'s limit, {function.max_work_group_size}")
    explicit = local_size is not None or required is not None
    if uniform and explicit and any(s % g for s, g in zip(size, group, strict=True)):
        raise CLError(ROUTINE, "INVALID_WORK_GROUP_SIZE",
                      f"the local size {group[:work_dim]} does not divide the global size {size[:work_dim]} "
                      + ("(kernels of CUDA code have none that are smaller)" if kernel.info.foreign
                         else "(only programs built with -cl-std=CL2.0 or later may do that)"))
    return group


def _chosen(queue: CommandQueue, kernel: Kernel, function: Function, work_dim: int, size: Triple, uniform: bool) -> Triple:
    """A size of our own. It is uniform where "the OpenCL runtime must choose a uniform work-group size", unless no work-item
    can tell the difference: then a size without good divisors, such as a prime, need not run in groups of one."""
    properties = queue.device.properties
    limit = function.max_work_group_size
    group = work_size.choose(size, work_dim, limit, properties.max_work_item_sizes,
                             warp=properties.sub_group_size, gpu=properties.is_gpu)
    few = math.prod(group) < min(properties.sub_group_size, math.prod(size))
    observed = kernel.info.foreign or kernel.program.binary_for(ROUTINE, queue.device).observes_groups
    unseen = not observed and not kernel.info.uses_local_memory
    if few and properties.is_gpu and (unseen or not uniform):
        return work_size.uneven(size, work_dim, limit, properties.max_work_item_sizes)
    return group


def _check_local_memory(queue: CommandQueue, kernel: Kernel, function: Function) -> None:
    need = kernel.local_memory(function)
    have = queue.device.properties.local_memory
    if need > have:
        raise CLError(ROUTINE, "OUT_OF_RESOURCES",
                      f"kernel '{kernel.name}' needs {need} bytes of local memory, the device has {have} for a work-group")


def _triple(work_dim: int, sizes: Sizes | None, missing: int, status: str, what: str) -> Triple:
    if sizes is None or len(sizes) != work_dim:
        raise CLError(ROUTINE, status, f"the {what} {sizes!r} does not have {work_dim} dimensions")
    values = [int(size) for size in sizes]
    if any(not 0 <= value <= SIZE_MAX for value in values):
        raise CLError(ROUTINE, status, f"the {what} {tuple(values)} does not fit into size_t")
    values += [missing] * (3 - work_dim)
    return values[0], values[1], values[2]
