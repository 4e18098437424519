"""What can be wrong with a launch (5.10), and the size of its work-groups."""

from __future__ import annotations

import math
import struct
from operator import index

from ..devices.device import Device
from ..devices.queries import max_image_args, max_samplers
from ..driver.device import Function
from ..driver.interface import Triple
from ..kernel import work_size
from ..kernel.kernel import SIZE_MAX, Kernel
from ..kernel.launch import Launch
from ..kernel.nd_range import NDRange, Sizes
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError

ROUTINE = "clEnqueueNDRangeKernel"

_LIMITS = struct.Struct("<2Q12I")
SIZE_OF_LIMITS = _LIMITS.size


def checked(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, *, arguments_set: bool = True) -> Launch | None:
    """None if there is nothing to run."""
    work_dim = nd_range.work_dim
    function, size, offset = checked_sizes(queue, kernel, nd_range, arguments_set=arguments_set)
    _check_images(queue, kernel)
    if 0 in size:
        return None
    group = work_group(queue, kernel, function, work_dim, size, nd_range.local_size, may_round=not any(offset))
    _check_local_memory(queue, kernel, function)
    return Launch(function, work_dim, size, group, offset, kernel.arguments.dynamic_local)


def checked_before(queue: CommandTarget, kernel: Kernel, nd_range: NDRange) -> Launch | None:
    """As `checked`. What the plan for the queue's first stream was checked for need not be checked again: what it depends on drops it.
    (In a context of several devices sub-buffers may have come that are not where each device can have them.)"""
    if kernel.context.fixed_addresses:
        plain = type(nd_range.global_size) is type(nd_range.local_size) is tuple and nd_range.global_offset is None
        sizes = nd_range if plain else nd_range.in_tuples()
        try:
            return kernel.checked_launches[queue.serial, sizes]
        except KeyError:
            pass
    return checked(queue, kernel, nd_range)


def check_again(queue: CommandTarget, kernel: Kernel) -> None:
    """Of a launch that was checked for another queue of the device: what it does not depend on."""
    _check_objects(queue, kernel)
    _check_arguments(queue, kernel)


def checked_sizes(queue: CommandTarget, kernel: Kernel, nd_range: NDRange, *,
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


def work_group(queue: CommandTarget, kernel: Kernel, function: Function, work_dim: int, size: Triple, local_size: Sizes | None, *,
               may_round: bool) -> Triple:
    """The work-group size: the given one, the required one, or a chosen one; checked. `may_round` says whether a launch is like others
    where `Function.rounds` does."""
    required = kernel.info.reqd_work_group_size
    uniform = is_uniform(queue.device, kernel)
    if local_size is None:
        group = required or _chosen(queue, kernel, function, work_dim, size, uniform, may_round)
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


def _chosen(queue: CommandTarget, kernel: Kernel, function: Function, work_dim: int, size: Triple, uniform: bool,
            may_round: bool) -> Triple:
    """A size of our own. It is uniform where "the OpenCL runtime must choose a uniform work-group size", unless no work-item
    can tell the difference: then a size without good divisors, such as a prime, need not run in groups of one. Native code chooses the same
    (`choose_group` of runtime/native/group_size.h)."""
    properties, limit = queue.device.properties, function.max_work_group_size
    group = dividing(queue.device, function, work_dim, size)
    few = math.prod(group) < min(properties.sub_group_size, math.prod(size))
    if not (few and properties.is_gpu and (_unseen(kernel) or not uniform)):
        return group
    if function.rounds and may_round:
        rounded = work_size.rounded(size, work_dim, limit, properties.sub_group_size)
        if work_size.is_better(rounded, group, size, properties.sub_group_size):
            return rounded
    return work_size.uneven(size, work_dim, limit, properties.max_work_item_sizes)


def dividing(device: Device, function: Function, work_dim: int, size: Triple) -> Triple:
    """The best size of groups that divide the global size."""
    properties = device.properties
    return work_size.choose(size, work_dim, function.max_work_group_size, properties.max_work_item_sizes,
                            warp=properties.sub_group_size, gpu=properties.is_gpu)


def is_uniform(device: Device, kernel: Kernel) -> bool:
    """Whether the application's groups have to divide the global size."""
    return kernel.info.cuda_code or kernel.program.binary_for(ROUTINE, device).uniform


def limits_of_launches(device: Device, kernel: Kernel) -> bytes:
    """What native code goes by where a size comes for the first time (struct launch_limits of runtime/native/group_size.h)."""
    if kernel.info.cuda_code:
        return bytes(SIZE_OF_LIMITS)
    properties, uniform, function = device.properties, is_uniform(device, kernel), kernel.function(ROUTINE, device)
    local_memory = min(function.max_plain_dynamic_local, properties.local_memory - function.local_size)
    return _LIMITS.pack(*function.handles_by_surplus, function.max_work_group_size, properties.sub_group_size, properties.is_gpu,
                        _unseen(kernel) or not uniform, uniform, *properties.max_work_item_sizes,
                        *kernel.info.reqd_work_group_size or (0, 0, 0), max(0, local_memory))


def _unseen(kernel: Kernel) -> bool:
    """Whether no work-item can tell in which group it is."""
    return not kernel.info.cuda_code and not kernel.info.observes_groups


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
