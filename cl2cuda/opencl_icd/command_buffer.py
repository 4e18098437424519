"""Command-buffers (5.17, cl_khr_command_buffer, cl_khr_command_buffer_mutable_dispatch)."""

from __future__ import annotations

import struct
from typing import Any

from ..runtime.command_buffer import command_buffer as command_buffers
from ..runtime.command_buffer import mutable_dispatch, recording
from ..runtime.command_buffer.command import QUERIES as command_queries
from ..runtime.command_buffer.command import Command
from ..runtime.command_buffer.command_buffer import CommandBuffer
from ..runtime.kernel.kernel import Kernel
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec.errors import CLError
from . import application
from .application import Sizes, triple
from .handles import belonging_handle, hold
from .image import color_bytes
from .kernel import argument, exec_info
from .memory import pattern_bytes
from .packing import info

Waits = tuple[Event, ...]
Queue = CommandQueue | None

UPDATE = "clUpdateMutableCommandsKHR"
DISPATCH_CONFIG = 0  # CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR
_CONFIG = struct.Struct("<Q4I6Q")
_ARGUMENT = struct.Struct("<I4xQQ")


def clCreateCommandBufferKHR(queues: tuple[CommandQueue, ...] | None, properties: int) -> CommandBuffer:
    made = CommandBuffer(queues or (), application.properties(properties))
    hold((made.queue,), made)
    return application.remember(made, properties)


def clFinalizeCommandBufferKHR(command_buffer: CommandBuffer) -> None:
    command_buffer.finalize()


def clEnqueueCommandBufferKHR(queues: tuple[CommandQueue, ...] | None, command_buffer: CommandBuffer, waits: Waits) -> Event:
    return command_buffer.enqueue(queues, waits)


def clGetCommandBufferInfoKHR(command_buffer: CommandBuffer, param: int) -> bytes:
    command_buffer.check("clGetCommandBufferInfoKHR")
    return info(command_buffers.QUERIES, command_buffer, param)


def _after(routine: str, count: int, address: int) -> tuple[int, ...]:
    """"CL_INVALID_SYNC_POINT_WAIT_LIST_KHR if sync_point_wait_list is NULL and num_sync_points_in_wait_list is > 0, or [the other way
    round]"."""
    if bool(count) != bool(address):
        raise CLError(routine, "INVALID_SYNC_POINT_WAIT_LIST_KHR", f"{count} sync points are given by the address {address:#x}")
    return struct.unpack(f"<{count}I", application.read(address, 4 * count)) if count else ()


def _given(routine: str, properties: int, queue: Queue, count: int, points: int, mutable: int = 0) -> dict[str, Any]:
    """What all recording functions take alike. All but that for kernels refuse to give handles: "CL_INVALID_VALUE if mutable_handle is
    not NULL"."""
    if mutable:
        raise CLError(routine, "INVALID_VALUE", "only kernel commands have handles: mutable_handle must be NULL")
    return {"sync_points": _after(routine, count, points), "properties": application.properties(properties), "queue": queue}


def _recorded(command: Command, sync_point: int, *attached: Any) -> None:
    """"A command-buffer object should increment the reference count of attached OpenCL objects such as queues, buffers, images, and kernels
    referenced in commands recorded to the command-buffer. [...] On destruction of the command-buffer it should decrement these reference
    counts": here each command does. It "does not update the reference count of objects set as arguments on kernels"."""
    hold(attached, command.command_buffer)
    application.put_uint(sync_point, command.sync_point)


def clCommandBarrierWithWaitListKHR(command_buffer: CommandBuffer, queue: Queue, properties: int, count: int, points: int, point: int,
                                    mutable: int) -> None:
    given = _given("clCommandBarrierWithWaitListKHR", properties, queue, count, points, mutable)
    _recorded(recording.barrier(command_buffer, **given), point)


def clCommandCopyBufferKHR(command_buffer: CommandBuffer, queue: Queue, properties: int, source: Any, target: Any, source_offset: int,
                           target_offset: int, size: int, count: int, points: int, point: int, mutable: int) -> None:
    given = _given("clCommandCopyBufferKHR", properties, queue, count, points, mutable)
    _recorded(recording.copy_buffer(command_buffer, source, target, source_offset, target_offset, size, **given), point, source, target)


def clCommandCopyBufferRectKHR(command_buffer: CommandBuffer, queue: Queue, properties: int, source: Any, target: Any,
                               source_origin: Sizes, target_origin: Sizes, region: Sizes, source_row: int, source_slice: int,
                               target_row: int, target_slice: int, count: int, points: int, point: int, mutable: int) -> None:
    routine = "clCommandCopyBufferRectKHR"
    given = _given(routine, properties, queue, count, points, mutable)
    _recorded(recording.copy_buffer_rect(
        command_buffer, source, target, triple(routine, "source origin", source_origin),
        triple(routine, "destination origin", target_origin), triple(routine, "region", region), (source_row, source_slice),
        (target_row, target_slice), **given), point, source, target)


def clCommandFillBufferKHR(command_buffer: CommandBuffer, queue: Queue, properties: int, buffer: Any, pattern: int, pattern_size: int,
                           offset: int, size: int, count: int, points: int, point: int, mutable: int) -> None:
    routine = "clCommandFillBufferKHR"
    given = _given(routine, properties, queue, count, points, mutable)
    _recorded(recording.fill_buffer(command_buffer, buffer, pattern_bytes(routine, pattern, pattern_size), offset, size, **given),
              point, buffer)


def clCommandCopyImageKHR(command_buffer: CommandBuffer, queue: Queue, properties: int, source: Any, target: Any, source_origin: Sizes,
                          target_origin: Sizes, region: Sizes, count: int, points: int, point: int, mutable: int) -> None:
    routine = "clCommandCopyImageKHR"
    given = _given(routine, properties, queue, count, points, mutable)
    _recorded(recording.copy_image(
        command_buffer, source, target, triple(routine, "source origin", source_origin),
        triple(routine, "destination origin", target_origin), triple(routine, "region", region), **given), point, source, target)


def clCommandCopyImageToBufferKHR(command_buffer: CommandBuffer, queue: Queue, properties: int, source: Any, target: Any, origin: Sizes,
                                  region: Sizes, offset: int, count: int, points: int, point: int, mutable: int) -> None:
    routine = "clCommandCopyImageToBufferKHR"
    given = _given(routine, properties, queue, count, points, mutable)
    _recorded(recording.copy_image_to_buffer(command_buffer, source, target, triple(routine, "origin", origin),
                                             triple(routine, "region", region), offset, **given), point, source, target)


def clCommandCopyBufferToImageKHR(command_buffer: CommandBuffer, queue: Queue, properties: int, source: Any, target: Any, offset: int,
                                  origin: Sizes, region: Sizes, count: int, points: int, point: int, mutable: int) -> None:
    routine = "clCommandCopyBufferToImageKHR"
    given = _given(routine, properties, queue, count, points, mutable)
    _recorded(recording.copy_buffer_to_image(command_buffer, source, target, offset, triple(routine, "origin", origin),
                                             triple(routine, "region", region), **given), point, source, target)


def clCommandFillImageKHR(command_buffer: CommandBuffer, queue: Queue, properties: int, image: Any, color: int, origin: Sizes,
                          region: Sizes, count: int, points: int, point: int, mutable: int) -> None:
    routine = "clCommandFillImageKHR"
    given = _given(routine, properties, queue, count, points, mutable)
    _recorded(recording.fill_image(command_buffer, image, color_bytes(routine, image, color), triple(routine, "origin", origin),
                                   triple(routine, "region", region), **given), point, image)


def clCommandSVMMemcpyKHR(command_buffer: CommandBuffer, queue: Queue, properties: int, target: int, source: int, size: int,
                          count: int, points: int, point: int, mutable: int) -> None:
    given = _given("clCommandSVMMemcpyKHR", properties, queue, count, points, mutable)
    _recorded(recording.svm_memcpy(command_buffer, target, source, size, **given), point)


def clCommandSVMMemFillKHR(command_buffer: CommandBuffer, queue: Queue, properties: int, address: int, pattern: int,
                           pattern_size: int, size: int, count: int, points: int, point: int, mutable: int) -> None:
    routine = "clCommandSVMMemFillKHR"
    given = _given(routine, properties, queue, count, points, mutable)
    _recorded(recording.svm_fill(command_buffer, address, pattern_bytes(routine, pattern, pattern_size), size, **given), point)


def clCommandNDRangeKernelKHR(command_buffer: CommandBuffer, queue: Queue, properties: int, kernel: Kernel, work_dim: int,
                              offset: Sizes, size: Sizes, local: Sizes, count: int, points: int, point: int, mutable: int) -> None:
    given = _given("clCommandNDRangeKernelKHR", properties, queue, count, points)
    command = recording.nd_range_kernel(command_buffer, kernel, work_dim, offset, size, local, **given)
    _recorded(application.remember(command, properties), point, kernel)
    if mutable:
        # "The lifetime of this handle is tied to the parent command-buffer, such that freeing the command-buffer will also free this
        # handle."
        application.put_words(mutable, (belonging_handle(command, command_buffer),))


def clGetMutableCommandInfoKHR(command: Command, param: int) -> bytes:
    command.command_buffer.check("clGetMutableCommandInfoKHR")
    current = command.command_buffer.commands[command.sync_point - 1]
    return info(command_queries, current, param, owner=command)


def clUpdateMutableCommandsKHR(command_buffer: CommandBuffer, count: int, types: int, configs: int) -> None:
    # "CL_INVALID_VALUE if num_configs is > 0 and config_types or configs is NULL, or [it] is 0 and [they] are not"
    if bool(count) != bool(types) or bool(count) != bool(configs):
        raise CLError(UPDATE, "INVALID_VALUE", f"{count} configurations do not go with their arrays")
    kinds = struct.unpack(f"<{count}I", application.read(types, 4 * count)) if count else ()
    places = application.words(configs, count) if count else ()
    if any(kind != DISPATCH_CONFIG for kind in kinds) or 0 in places:
        raise CLError(UPDATE, "INVALID_VALUE", "a configuration is of an unknown type, or NULL")
    mutable_dispatch.update_mutable_commands(command_buffer, [_config(place) for place in places])


def _config(address: int) -> mutable_dispatch.DispatchConfig:
    """cl_mutable_dispatch_config_khr."""
    (handle, arguments, svm, infos, work_dim, argument_list, svm_list, info_list, offset, size, local) = _CONFIG.unpack(
        application.read(address, _CONFIG.size))
    command = application.core(handle, "U")
    if command is None or command.dispatch is None:
        raise CLError(UPDATE, "INVALID_MUTABLE_COMMAND_KHR", f"{handle:#x} is no kernel command")
    for number, array in ((arguments, argument_list), (svm, svm_list), (infos, info_list)):
        if bool(number) != bool(array):
            raise CLError(UPDATE, "INVALID_VALUE", f"{number} entries do not go with the array at {array:#x}")
    dispatch = command.dispatch
    dimensions = work_dim if 0 < work_dim <= 3 else dispatch.nd_range.work_dim
    kernel = dispatch.kernel
    values = {}
    for index, value_size, value in _entries(argument_list, arguments):
        if index >= kernel.num_args:
            raise CLError(UPDATE, "INVALID_ARG_INDEX", f"kernel '{kernel.name}' has {kernel.num_args} arguments")
        values[index] = argument(UPDATE, kernel, index, value_size, value)
    return mutable_dispatch.DispatchConfig(
        command, values, {index: value for index, _, value in _entries(svm_list, svm)},
        {param: exec_info(UPDATE, param, value_size, value) for param, value_size, value in _entries(info_list, infos)},
        work_dim, application.sizes(offset, dimensions), application.sizes(size, dimensions), application.sizes(local, dimensions))


def _entries(address: int, count: int) -> list[tuple[int, int, int]]:
    """cl_mutable_dispatch_arg_khr and cl_mutable_dispatch_exec_info_khr, which are alike: (number, size, value's address)."""
    return list(_ARGUMENT.iter_unpack(application.read(address, _ARGUMENT.size * count))) if count else []
