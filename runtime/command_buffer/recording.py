"""Recording commands to a command-buffer (5.17.5): one function for each clCommand* routine.

Each is the clEnqueue* function of the same command, given the command-buffer's recorder as its queue: so what a command is,
and what is wrong with it, is said once. A command's sync point is its place in the command-buffer, counted from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..commands import buffer as buffer_commands
from ..commands import buffer_rect, nd_range
from ..commands import image as image_commands
from ..commands import svm as svm_commands
from ..image.image import Image
from ..kernel.kernel import Kernel
from ..kernel.nd_range import NDRange, Sizes
from ..memory.buffer import Buffer
from ..memory.memory_object import MemoryObject
from ..queue.command import Run
from ..spec import codes
from ..spec.errors import CLError
from .command import Command, Dispatch, Properties
from .command_buffer import CommandBuffer
from .recorder import Recorder


def barrier(command_buffer: CommandBuffer, sync_points: Sequence[int] = (), **more: Any) -> Command:
    """clCommandBarrierWithWaitListKHR: what comes after it waits for `sync_points`, or for all before."""
    return _record("clCommandBarrierWithWaitListKHR", command_buffer, sync_points,
                   lambda recorder: buffer_commands.enqueue_barrier(recorder), **more)


def copy_buffer(command_buffer: CommandBuffer, source: Buffer, destination: Buffer, source_offset: int, destination_offset: int,
                size: int, sync_points: Sequence[int] = (), **more: Any) -> Command:
    """clCommandCopyBufferKHR, with the arguments of `enqueue_copy_buffer`."""
    return _record("clCommandCopyBufferKHR", command_buffer, sync_points, lambda recorder: buffer_commands.enqueue_copy_buffer(
        recorder, source, destination, source_offset, destination_offset, size), keep=(source, destination), **more)


def copy_buffer_rect(command_buffer: CommandBuffer, source: Buffer, destination: Buffer, source_origin: Sizes,
                     destination_origin: Sizes, region: Sizes, source_pitches: Sizes, destination_pitches: Sizes,
                     sync_points: Sequence[int] = (), **more: Any) -> Command:
    """clCommandCopyBufferRectKHR, with the arguments of `enqueue_copy_buffer_rect`."""
    return _record("clCommandCopyBufferRectKHR", command_buffer, sync_points, lambda recorder: buffer_rect.enqueue_copy_buffer_rect(
        recorder, source, destination, source_origin, destination_origin, region, source_pitches, destination_pitches),
        keep=(source, destination), **more)


def fill_buffer(command_buffer: CommandBuffer, buffer: Buffer, pattern: bytes, offset: int, size: int,
                sync_points: Sequence[int] = (), **more: Any) -> Command:
    """clCommandFillBufferKHR, with the arguments of `enqueue_fill_buffer`."""
    return _record("clCommandFillBufferKHR", command_buffer, sync_points, lambda recorder: buffer_commands.enqueue_fill_buffer(
        recorder, buffer, pattern, offset, size), keep=(buffer,), **more)


def copy_image(command_buffer: CommandBuffer, source: Image, destination: Image, source_origin: Sizes, destination_origin: Sizes,
               region: Sizes, sync_points: Sequence[int] = (), **more: Any) -> Command:
    """clCommandCopyImageKHR, with the arguments of `enqueue_copy_image`."""
    return _record("clCommandCopyImageKHR", command_buffer, sync_points, lambda recorder: image_commands.enqueue_copy_image(
        recorder, source, destination, source_origin, destination_origin, region), keep=(source, destination), **more)


def copy_image_to_buffer(command_buffer: CommandBuffer, source: Image, destination: Buffer, source_origin: Sizes, region: Sizes,
                         destination_offset: int, sync_points: Sequence[int] = (), **more: Any) -> Command:
    """clCommandCopyImageToBufferKHR, with the arguments of `enqueue_copy_image_to_buffer`."""
    return _record("clCommandCopyImageToBufferKHR", command_buffer, sync_points,
                   lambda recorder: image_commands.enqueue_copy_image_to_buffer(
                       recorder, source, destination, source_origin, region, destination_offset),
                   keep=(source, destination), **more)


def copy_buffer_to_image(command_buffer: CommandBuffer, source: Buffer, destination: Image, source_offset: int,
                         destination_origin: Sizes, region: Sizes, sync_points: Sequence[int] = (), **more: Any) -> Command:
    """clCommandCopyBufferToImageKHR, with the arguments of `enqueue_copy_buffer_to_image`."""
    return _record("clCommandCopyBufferToImageKHR", command_buffer, sync_points,
                   lambda recorder: image_commands.enqueue_copy_buffer_to_image(
                       recorder, source, destination, source_offset, destination_origin, region),
                   keep=(source, destination), **more)


def fill_image(command_buffer: CommandBuffer, image: Image, color: Any, origin: Sizes, region: Sizes,
               sync_points: Sequence[int] = (), **more: Any) -> Command:
    """clCommandFillImageKHR, with the arguments of `enqueue_fill_image`."""
    return _record("clCommandFillImageKHR", command_buffer, sync_points, lambda recorder: image_commands.enqueue_fill_image(
        recorder, image, color, origin, region), keep=(image,), **more)


def svm_memcpy(command_buffer: CommandBuffer, destination: int, source: int, size: int, sync_points: Sequence[int] = (),
               **more: Any) -> Command:
    """clCommandSVMMemcpyKHR: host memory outside clSVMAlloc's only where the device reaches it."""

    def enqueue(recorder: Recorder) -> None:
        for address in (destination, source):
            if address:
                svm_commands.check_usable("clCommandSVMMemcpyKHR", recorder, address)
        svm_commands.enqueue_svm_memcpy(recorder, False, destination, source, size)

    return _record("clCommandSVMMemcpyKHR", command_buffer, sync_points, enqueue, **more)


def svm_fill(command_buffer: CommandBuffer, address: int, pattern: bytes, size: int, sync_points: Sequence[int] = (),
             **more: Any) -> Command:
    """clCommandSVMMemFillKHR, with the arguments of `enqueue_svm_fill`."""
    return _record("clCommandSVMMemFillKHR", command_buffer, sync_points, lambda recorder: svm_commands.enqueue_svm_fill(
        recorder, address, pattern, size), **more)


def nd_range_kernel(command_buffer: CommandBuffer, kernel: Kernel, work_dim: int, global_offset: Sizes | None,
                    global_size: Sizes | None, local_size: Sizes | None, sync_points: Sequence[int] = (), *,
                    properties: Properties = (), queue: Any = None) -> Command:
    """clCommandNDRangeKernelKHR, with the arguments of `enqueue_nd_range_kernel`. The kernel's arguments of now are recorded; in a
    mutable command-buffer updates may set those that are missing, if `properties` name MUTABLE_DISPATCH_ARGUMENTS_KHR."""
    routine = "clCommandNDRangeKernelKHR"
    _check_open(routine, command_buffer, queue)
    fields, waits = _updatable_fields(routine, command_buffer, properties, local_size)
    if not isinstance(kernel, Kernel) or kernel.released:
        raise CLError(routine, "INVALID_KERNEL", f"{kernel!r} is not a kernel, or has been released")
    own = kernel.clone() if command_buffer.mutable else kernel
    dispatch = Dispatch(kernel, own, NDRange(work_dim, global_offset, global_size, local_size), fields, waits)
    return _record(routine, command_buffer, sync_points, lambda recorder: enqueue_dispatch(recorder, dispatch),
                   known=properties, dispatch=dispatch)


def enqueue_dispatch(recorder: Recorder, dispatch: Dispatch) -> None:
    if dispatch.waits and dispatch.own.arguments.unset:
        nd_range.check_without_arguments(recorder, dispatch.own, dispatch.nd_range)
        recorder.postpone(codes.COMMAND_NDRANGE_KERNEL)
    else:
        nd_range.enqueue_nd_range_kernel(recorder, dispatch.own, *dispatch.nd_range)


def _record(routine: str, command_buffer: CommandBuffer, sync_points: Sequence[int], enqueue: Callable[[Recorder], Any], *,
            queue: Any = None, properties: Properties = (), known: Properties = (), dispatch: Dispatch | None = None,
            keep: Sequence[MemoryObject] = ()) -> Command:
    """`known` are properties that the routine has checked. "A command-buffer object should increment the reference count of
    attached OpenCL objects": `keep` are memory objects, whose lives the command shares."""
    _check_open(routine, command_buffer, queue)
    if properties:
        # "The cl_khr_command_buffer extension does not define any properties"
        raise CLError(routine, "INVALID_VALUE", f"the property {properties[0][0]:#x} is not supported")
    with command_buffer.recording:
        kind, run = _noted(routine, command_buffer, sync_points, enqueue)
        recorded = command_buffer.commands
        command = Command(command_buffer, kind, len(recorded) + 1, run, _after(command_buffer, kind, sync_points), tuple(known), dispatch,
                          tuple(memory.life for memory in keep))
        recorded.append(command)
    return command


def _noted(routine: str, command_buffer: CommandBuffer, sync_points: Sequence[int],
           enqueue: Callable[[Recorder], Any]) -> tuple[int, Run | None]:
    """The command's type, and what issues it."""
    for point in sync_points:
        if not 1 <= point <= len(command_buffer.commands):
            raise CLError(routine, "INVALID_SYNC_POINT_WAIT_LIST_KHR", f"{point} is not a sync point of this command-buffer")
    try:
        enqueue(command_buffer.recorder)
    except CLError as error:
        raise CLError(routine, error.status, error.reason) from error
    return command_buffer.recorder.take()


def _check_open(routine: str, command_buffer: CommandBuffer, queue: Any) -> None:
    if not isinstance(command_buffer, CommandBuffer):
        raise CLError(routine, "INVALID_COMMAND_BUFFER_KHR", f"{command_buffer!r} is not a command-buffer")
    command_buffer.check(routine)
    # "CL_INVALID_COMMAND_QUEUE if command_queue is not NULL" without cl_khr_command_buffer_multi_device
    if queue is not None:
        raise CLError(routine, "INVALID_COMMAND_QUEUE", "the command-queue must be NULL: a command-buffer has only one")
    # "CL_INVALID_OPERATION if command_buffer has been finalized"
    if command_buffer.state != codes.COMMAND_BUFFER_STATE_RECORDING_KHR:
        raise CLError(routine, "INVALID_OPERATION", "the command-buffer has been finalized")


def _after(command_buffer: CommandBuffer, kind: int, sync_points: Sequence[int]) -> tuple[int, ...]:
    """What the command comes after: its sync points, and in an in-order command-buffer the one before it. In an out-of-order
    one, a barrier without sync points comes after everything, and all that follows comes after the last barrier."""
    recorded = command_buffer.commands
    after = {point - 1 for point in sync_points}
    if command_buffer.in_order:
        after |= {len(recorded) - 1} - {-1}
    elif kind == codes.COMMAND_BARRIER and not sync_points:
        after = set(range(len(recorded)))
    else:
        barriers = [command.sync_point - 1 for command in recorded if command.type == codes.COMMAND_BARRIER]
        after |= set(barriers[-1:])
    return tuple(sorted(after))


def _updatable_fields(routine: str, command_buffer: CommandBuffer, properties: Properties,
                      local_size: Sizes | None) -> tuple[int, bool]:
    """The fields that updates may change, and whether arguments may be missing until then. "If CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR is
    not specified then it defaults to the value returned by the CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR device query": all fields."""
    values = dict(properties)
    if len(values) != len(properties):
        raise CLError(routine, "INVALID_VALUE", "a property is given twice")
    named = values.pop(codes.MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, None)
    fields = codes.MUTABLE_DISPATCH_ALL_FIELDS if named is None else named
    asserts = values.pop(codes.MUTABLE_DISPATCH_ASSERTS_KHR, 0)
    if values or fields & ~codes.MUTABLE_DISPATCH_ALL_FIELDS or asserts & ~codes.MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR:
        raise CLError(routine, "INVALID_VALUE", f"{tuple(properties)} are not properties of a kernel command")
    # "CL_INVALID_VALUE if command_buffer was created with the CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR property with
    # CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR and local_work_size is NULL, or if properties includes [it]"
    if (asserts | command_buffer.asserts) and local_size is None:
        raise CLError(routine, "INVALID_VALUE", "the number of work-groups is asserted not to grow: there must be a local size")
    # "CL_INVALID_KERNEL_ARGS if the kernel argument values have not been specified and the CL_MUTABLE_DISPATCH_ARGUMENTS_KHR flag was
    # not set in the properties parameter"; and a command-buffer that waits for them is "a valid state only for mutable command buffers".
    return fields, command_buffer.mutable and bool((named or 0) & codes.MUTABLE_DISPATCH_ARGUMENTS_KHR)
