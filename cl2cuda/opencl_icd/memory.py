"""Buffers, pipes, and what all memory objects have in common (5.2, 5.4, 5.5)."""

from __future__ import annotations

import struct
from typing import Any

from ..runtime.commands import buffer as commands
from ..runtime.commands import buffer_rect, external, map
from ..runtime.context.context import Context
from ..runtime.memory import buffer as buffers
from ..runtime.memory import device_address, memory_object
from ..runtime.memory import pipe as pipes
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from . import application
from .application import BOUNDLESS, Sizes, host, triple
from .packing import info
from .plain import compiled, natively

Waits = tuple[Event, ...]

# Properties of buffers whose values are lists.
_LISTS = (codes.MEM_DEVICE_HANDLE_LIST_KHR,)


def clCreateBuffer(context: Context, flags: int, size: int, host_address: int) -> buffers.Buffer:
    return buffers.create_buffer(context, flags, size, application.view(host_address, size) if host_address else None)


def clCreateBufferWithProperties(context: Context, properties: int, flags: int, size: int, host_address: int) -> buffers.Buffer:
    given = [(name, tuple(application.core(one, "D") for one in value) if name in _LISTS else value)
             for name, value in application.properties(properties, _LISTS)]
    host = application.view(host_address, size) if host_address else None
    made = device_address.create_buffer_with_properties(context, given, flags, size, host)
    return application.remember(made, properties, _LISTS)


# cl_intel_create_buffer_with_properties
clCreateBufferWithPropertiesINTEL = clCreateBufferWithProperties


def clCreateSubBuffer(buffer: Any, flags: int, type_: int, region: int) -> buffers.Buffer:
    routine = "clCreateSubBuffer"
    if not isinstance(buffer, buffers.Buffer):
        raise CLError(routine, "INVALID_MEM_OBJECT", "only a buffer has sub-buffers")
    if type_ != codes.BUFFER_CREATE_TYPE_REGION or not region:
        raise CLError(routine, "INVALID_VALUE", "the region is NULL, or the type is not CL_BUFFER_CREATE_TYPE_REGION")
    origin, size = struct.unpack("<QQ", application.read(region, 16))  # cl_buffer_region
    return buffer.sub_buffer(flags, origin, size)


def clEnqueueReadBuffer(queue: CommandQueue, buffer: Any, blocking: int, offset: int, size: int, address: int, waits: Waits) -> Event:
    return _read(queue, buffer, host("clEnqueueReadBuffer", address, size), offset, waits, bool(blocking))


# The library copies and fills by itself in contexts of one device. Of several, the calls in C of Python's programs look where contents are.


@natively("_enqueue_read_buffer", codes.COMMAND_READ_BUFFER)
def _read(queue: CommandQueue, buffer: Any, target: memoryview, offset: int, waits: Waits, blocking: bool) -> Event:
    return commands.enqueue_read_buffer(queue, buffer, blocking, offset, target, waits)


def clEnqueueWriteBuffer(queue: CommandQueue, buffer: Any, blocking: int, offset: int, size: int, address: int, waits: Waits) -> Event:
    return _write(queue, buffer, host("clEnqueueWriteBuffer", address, size), offset, waits, bool(blocking))


@natively("_enqueue_write_buffer", codes.COMMAND_WRITE_BUFFER)
def _write(queue: CommandQueue, buffer: Any, source: memoryview, offset: int, waits: Waits, blocking: bool) -> Event:
    return commands.enqueue_write_buffer(queue, buffer, blocking, offset, source, waits)


def clEnqueueCopyBuffer(queue: CommandQueue, source: Any, target: Any, source_offset: int, target_offset: int, size: int,
                        waits: Waits) -> Event:
    return _copy(queue, source, target, size, source_offset, target_offset, waits)


@natively("_enqueue_copy_buffer", codes.COMMAND_COPY_BUFFER)
def _copy(queue: CommandQueue, source: Any, target: Any, size: int, source_offset: int, target_offset: int, waits: Waits) -> Event:
    return commands.enqueue_copy_buffer(queue, source, target, source_offset, target_offset, size, waits)


def clEnqueueFillBuffer(queue: CommandQueue, buffer: Any, pattern: int, pattern_size: int, offset: int, size: int,
                        waits: Waits) -> Event:
    return _fill(queue, buffer, pattern_bytes("clEnqueueFillBuffer", pattern, pattern_size), offset, size, waits)


@natively("_enqueue_fill_buffer", codes.COMMAND_FILL_BUFFER)
def _fill(queue: CommandQueue, buffer: Any, pattern: bytes, offset: int, size: int, waits: Waits) -> Event:
    return commands.enqueue_fill_buffer(queue, buffer, pattern, offset, size, waits)


def pattern_bytes(routine: str, pattern: int, size: int) -> bytes:
    """"CL_INVALID_VALUE if pattern is NULL or if pattern_size is 0 or if pattern_size is not one of { 1, 2, 4, ..., 128 }"."""
    if not pattern or size not in commands.PATTERN_SIZES:
        raise CLError(routine, "INVALID_VALUE", f"there is no pattern, or it has {size} bytes")
    return application.read(pattern, size)


def clEnqueueReadBufferRect(queue: CommandQueue, buffer: Any, blocking: int, buffer_origin: Sizes, host_origin: Sizes, region: Sizes,
                            buffer_row: int, buffer_slice: int, host_row: int, host_slice: int, address: int, waits: Waits) -> Event:
    routine = "clEnqueueReadBufferRect"
    return buffer_rect.enqueue_read_buffer_rect(
        queue, buffer, bool(blocking), triple(routine, "buffer origin", buffer_origin), triple(routine, "host origin", host_origin),
        triple(routine, "region", region), (buffer_row, buffer_slice), (host_row, host_slice), host(routine, address, BOUNDLESS), waits)


def clEnqueueWriteBufferRect(queue: CommandQueue, buffer: Any, blocking: int, buffer_origin: Sizes, host_origin: Sizes, region: Sizes,
                             buffer_row: int, buffer_slice: int, host_row: int, host_slice: int, address: int, waits: Waits) -> Event:
    routine = "clEnqueueWriteBufferRect"
    return buffer_rect.enqueue_write_buffer_rect(
        queue, buffer, bool(blocking), triple(routine, "buffer origin", buffer_origin), triple(routine, "host origin", host_origin),
        triple(routine, "region", region), (buffer_row, buffer_slice), (host_row, host_slice), host(routine, address, BOUNDLESS), waits)


def clEnqueueCopyBufferRect(queue: CommandQueue, source: Any, target: Any, source_origin: Sizes, target_origin: Sizes, region: Sizes,
                            source_row: int, source_slice: int, target_row: int, target_slice: int, waits: Waits) -> Event:
    routine = "clEnqueueCopyBufferRect"
    return buffer_rect.enqueue_copy_buffer_rect(
        queue, source, target, triple(routine, "source origin", source_origin), triple(routine, "destination origin", target_origin),
        triple(routine, "region", region), (source_row, source_slice), (target_row, target_slice), waits)


def clEnqueueMapBuffer(queue: CommandQueue, buffer: Any, blocking: int, flags: int, offset: int, size: int,
                       waits: Waits) -> tuple[int, Event]:
    return _map_buffer(queue, buffer, flags, offset, size, waits, bool(blocking))


@compiled(lambda calls, function: calls.plain_mapper(function, codes.COMMAND_MAP_BUFFER, __name__))
def _map_buffer(queue: CommandQueue, buffer: Any, flags: int, offset: int, size: int, waits: Waits, blocking: bool) -> tuple[int, Event]:
    address, _, event = map.map_buffer(queue, buffer, blocking, flags, offset, size, waits)
    return address, event


@compiled(lambda calls, function: calls.plain_unmapper(function, codes.COMMAND_UNMAP_MEM_OBJECT, __name__))
def clEnqueueUnmapMemObject(queue: CommandQueue, memory: Any, address: int, waits: Waits) -> Event:
    return map.enqueue_unmap(queue, memory, address, waits)


def clEnqueueMigrateMemObjects(queue: CommandQueue, objects: Any, flags: int, waits: Waits) -> Event:
    return commands.enqueue_migrate(queue, objects or (), flags, waits)


def clEnqueueAcquireExternalMemObjectsKHR(queue: CommandQueue, objects: Any, waits: Waits) -> Event:
    return external.enqueue_acquire_external_mem_objects(queue, objects, waits)


def clEnqueueReleaseExternalMemObjectsKHR(queue: CommandQueue, objects: Any, waits: Waits) -> Event:
    return external.enqueue_release_external_mem_objects(queue, objects, waits)


def clGetMemObjectInfo(memory: Any, param: int) -> bytes:
    return info(memory_object.QUERIES, memory, param)


def clSetMemObjectDestructorCallback(address: int, notify: int, user_data: int) -> None:
    if not notify:
        raise CLError("clSetMemObjectDestructorCallback", "INVALID_VALUE", "the callback is NULL")
    application.core(address, "M").set_destructor_callback(lambda: application.call(notify, address, user_data, 0, 0))


def clCreatePipe(context: Context, flags: int, packet_size: int, max_packets: int, properties: int) -> pipes.Pipe:
    if properties:
        # "Currently, in all OpenCL versions, properties must be NULL."
        raise CLError("clCreatePipe", "INVALID_VALUE", "pipes have no properties: the list must be NULL")
    return pipes.Pipe(context, flags, packet_size, max_packets)


def clGetPipeInfo(memory: Any, param: int) -> bytes:
    if not isinstance(memory, pipes.Pipe):
        raise CLError("clGetPipeInfo", "INVALID_MEM_OBJECT", "the memory object is no pipe")
    return info(pipes.QUERIES, memory, param)
