"""What every enqueued command refuses alike (chapter 5): strangers in its arguments, failed or foreign events, bad regions.

A new command is one row of `COMMANDS`; entry_points/table.py lists the errors that it owes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from fake_driver import FakeDevice

from cl2cuda.runtime import codes, commands, mapping, rect
from cl2cuda.runtime import platform as platforms
from cl2cuda.runtime.buffer import Buffer
from cl2cuda.runtime.context import Context
from cl2cuda.runtime.device import Device
from cl2cuda.runtime.errors import CLError
from cl2cuda.runtime.event import Event, UserEvent
from cl2cuda.runtime.queue import CommandQueue

SIZE = 4096


class Place(NamedTuple):
    """Where a command is enqueued, and on what."""

    queue: CommandQueue
    buffer: Buffer


class Command(NamedTuple):
    """call(queue, buffer, wait_for) is right; `wrong` are calls of (queue, buffer) that are refused, by their error;
    blocking(queue, buffer, wait_for) waits for its end."""

    call: Callable[[Any, Any, Any], Any]
    wrong: tuple[tuple[str, Callable[[Any, Any], Any]], ...] = ()
    blocking: Callable[[Any, Any, Any], Any] | None = None


TIGHT = (0, 0)
ORIGIN = (0, 0, 0)
BOX = (16, 4, 2)


def _other(buffer: Buffer) -> Buffer:
    return Buffer(buffer.context, 0, SIZE)


def _flagged(buffer: Buffer, flags: int) -> Buffer:
    return Buffer(buffer.context, flags, SIZE)


def _rect_regions(enqueue: Callable[..., Any]) -> tuple[tuple[str, Callable[[Any, Any], Any]], ...]:
    """What the three rectangle commands refuse of origins, regions and pitches; enqueue(q, b, origin, region, pitches)."""
    return (
        ("INVALID_VALUE", lambda q, b: enqueue(q, b, (SIZE - 8, 0, 0), BOX, TIGHT)),
        ("INVALID_VALUE", lambda q, b: enqueue(q, b, ORIGIN, (0, 1, 1), TIGHT)),
        ("INVALID_VALUE", lambda q, b: enqueue(q, b, ORIGIN, (16, 0, 1), TIGHT)),
        ("INVALID_VALUE", lambda q, b: enqueue(q, b, ORIGIN, (16, 1, 0), TIGHT)),
        ("INVALID_VALUE", lambda q, b: enqueue(q, b, ORIGIN, BOX, (15, 0))),
        ("INVALID_VALUE", lambda q, b: enqueue(q, b, ORIGIN, BOX, (16, 63))),
        ("INVALID_VALUE", lambda q, b: enqueue(q, b, ORIGIN, BOX, (16, 72))),
    )


COMMANDS: dict[str, Command] = {
    "clEnqueueReadBuffer": Command(
        lambda q, b, w: commands.enqueue_read_buffer(q, b, False, 0, bytearray(16), w),
        (
            ("INVALID_VALUE", lambda q, b: commands.enqueue_read_buffer(q, b, True, SIZE - 8, bytearray(16))),
            ("INVALID_VALUE", lambda q, b: commands.enqueue_read_buffer(q, b, True, -1, bytearray(16))),
            ("INVALID_VALUE", lambda q, b: commands.enqueue_read_buffer(q, b, True, 0, bytearray(0))),
            ("INVALID_OPERATION", lambda q, b: commands.enqueue_read_buffer(
                q, _flagged(b, codes.MEM_HOST_WRITE_ONLY), True, 0, bytearray(16))),
            ("INVALID_OPERATION", lambda q, b: commands.enqueue_read_buffer(
                q, _flagged(b, codes.MEM_HOST_NO_ACCESS), True, 0, bytearray(16))),
        ),
        lambda q, b, w: commands.enqueue_read_buffer(q, b, True, 0, bytearray(16), w),
    ),
    "clEnqueueWriteBuffer": Command(
        lambda q, b, w: commands.enqueue_write_buffer(q, b, False, 0, bytes(16), w),
        (
            ("INVALID_VALUE", lambda q, b: commands.enqueue_write_buffer(q, b, True, SIZE - 8, bytes(16))),
            ("INVALID_VALUE", lambda q, b: commands.enqueue_write_buffer(q, b, True, -1, bytes(16))),
            ("INVALID_VALUE", lambda q, b: commands.enqueue_write_buffer(q, b, True, 0, b"")),
            ("INVALID_OPERATION", lambda q, b: commands.enqueue_write_buffer(
                q, _flagged(b, codes.MEM_HOST_READ_ONLY), True, 0, bytes(16))),
            ("INVALID_OPERATION", lambda q, b: commands.enqueue_write_buffer(
                q, _flagged(b, codes.MEM_HOST_NO_ACCESS), True, 0, bytes(16))),
        ),
        lambda q, b, w: commands.enqueue_write_buffer(q, b, True, 0, bytes(16), w),
    ),
    "clEnqueueReadBufferRect": Command(
        lambda q, b, w: rect.enqueue_read_buffer_rect(q, b, False, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytearray(SIZE), w),
        (
            *_rect_regions(lambda q, b, origin, region, pitches: rect.enqueue_read_buffer_rect(
                q, b, True, origin, ORIGIN, region, pitches, TIGHT, bytearray(SIZE))),
            *_rect_regions(lambda q, b, origin, region, pitches: rect.enqueue_read_buffer_rect(
                q, b, True, ORIGIN, origin, region, TIGHT, pitches, bytearray(SIZE))),
            ("INVALID_OPERATION", lambda q, b: rect.enqueue_read_buffer_rect(
                q, _flagged(b, codes.MEM_HOST_WRITE_ONLY), True, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytearray(SIZE))),
        ),
        lambda q, b, w: rect.enqueue_read_buffer_rect(q, b, True, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytearray(SIZE), w),
    ),
    "clEnqueueWriteBufferRect": Command(
        lambda q, b, w: rect.enqueue_write_buffer_rect(q, b, False, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytes(SIZE), w),
        (
            *_rect_regions(lambda q, b, origin, region, pitches: rect.enqueue_write_buffer_rect(
                q, b, True, origin, ORIGIN, region, pitches, TIGHT, bytes(SIZE))),
            *_rect_regions(lambda q, b, origin, region, pitches: rect.enqueue_write_buffer_rect(
                q, b, True, ORIGIN, origin, region, TIGHT, pitches, bytes(SIZE))),
            ("INVALID_OPERATION", lambda q, b: rect.enqueue_write_buffer_rect(
                q, _flagged(b, codes.MEM_HOST_READ_ONLY), True, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytes(SIZE))),
        ),
        lambda q, b, w: rect.enqueue_write_buffer_rect(q, b, True, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytes(SIZE), w),
    ),
    "clEnqueueCopyBuffer": Command(
        lambda q, b, w: commands.enqueue_copy_buffer(q, b, _other(b), 0, 0, 16, w),
        (
            ("INVALID_VALUE", lambda q, b: commands.enqueue_copy_buffer(q, b, _other(b), SIZE - 8, 0, 16)),
            ("INVALID_VALUE", lambda q, b: commands.enqueue_copy_buffer(q, b, _other(b), 0, SIZE - 8, 16)),
            ("INVALID_VALUE", lambda q, b: commands.enqueue_copy_buffer(q, b, _other(b), 0, 0, 0)),
            ("MEM_COPY_OVERLAP", lambda q, b: commands.enqueue_copy_buffer(q, b, b, 0, 8, 16)),
        ),
    ),
    "clEnqueueCopyBufferRect": Command(
        lambda q, b, w: rect.enqueue_copy_buffer_rect(q, b, _other(b), ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, w),
        (
            *_rect_regions(lambda q, b, origin, region, pitches: rect.enqueue_copy_buffer_rect(
                q, b, _other(b), origin, ORIGIN, region, pitches, TIGHT)),
            *_rect_regions(lambda q, b, origin, region, pitches: rect.enqueue_copy_buffer_rect(
                q, b, _other(b), ORIGIN, origin, region, TIGHT, pitches)),
            ("MEM_COPY_OVERLAP", lambda q, b: rect.enqueue_copy_buffer_rect(
                q, b, b, ORIGIN, (8, 0, 0), BOX, (64, 512), (64, 512))),
            # "If src_buffer and dst_buffer are the same buffer object, src_row_pitch must equal dst_row_pitch".
            ("INVALID_VALUE", lambda q, b: rect.enqueue_copy_buffer_rect(
                q, b, b, ORIGIN, (0, 0, 8), BOX, (64, 256), (32, 256))),
        ),
    ),
    "clEnqueueFillBuffer": Command(
        lambda q, b, w: commands.enqueue_fill_buffer(q, b, b"ab", 0, 16, w),
        (
            ("INVALID_VALUE", lambda q, b: commands.enqueue_fill_buffer(q, b, b"ab", SIZE - 8, 16)),
            ("INVALID_VALUE", lambda q, b: commands.enqueue_fill_buffer(q, b, b"", 0, 16)),
            ("INVALID_VALUE", lambda q, b: commands.enqueue_fill_buffer(q, b, b"abc", 0, 12)),
            ("INVALID_VALUE", lambda q, b: commands.enqueue_fill_buffer(q, b, b"ab", 1, 16)),
            ("INVALID_VALUE", lambda q, b: commands.enqueue_fill_buffer(q, b, b"ab", 0, 15)),
        ),
    ),
    "clEnqueueMapBuffer": Command(
        lambda q, b, w: mapping.enqueue_map_buffer(q, b, False, codes.MAP_READ, 0, 16, w),
        (
            ("INVALID_VALUE", lambda q, b: mapping.enqueue_map_buffer(q, b, True, codes.MAP_READ, SIZE - 8, 16)),
            ("INVALID_VALUE", lambda q, b: mapping.enqueue_map_buffer(q, b, True, codes.MAP_READ, 0, 0)),
            ("INVALID_VALUE", lambda q, b: mapping.enqueue_map_buffer(q, b, True, 1 << 20, 0, 16)),
            ("INVALID_VALUE", lambda q, b: mapping.enqueue_map_buffer(
                q, b, True, codes.MAP_READ | codes.MAP_WRITE_INVALIDATE_REGION, 0, 16)),
            ("INVALID_OPERATION", lambda q, b: mapping.enqueue_map_buffer(
                q, _flagged(b, codes.MEM_HOST_WRITE_ONLY), True, codes.MAP_READ, 0, 16)),
            ("INVALID_OPERATION", lambda q, b: mapping.enqueue_map_buffer(
                q, _flagged(b, codes.MEM_HOST_READ_ONLY), True, codes.MAP_WRITE, 0, 16)),
        ),
        lambda q, b, w: mapping.enqueue_map_buffer(q, b, True, codes.MAP_READ, 0, 16, w),
    ),
    "clEnqueueUnmapMemObject": Command(
        lambda q, b, w: mapping.enqueue_unmap(q, b, mapping.enqueue_map_buffer(q, b, True, codes.MAP_READ, 0, 16)[0], w),
        (("INVALID_VALUE", lambda q, b: mapping.enqueue_unmap(q, b, bytearray(16))),),
    ),
    "clEnqueueMigrateMemObjects": Command(
        lambda q, b, w: commands.enqueue_migrate(q, [b], 0, w),
        (
            ("INVALID_VALUE", lambda q, b: commands.enqueue_migrate(q, [], 0)),
            ("INVALID_VALUE", lambda q, b: commands.enqueue_migrate(q, [b], 1 << 20)),
        ),
    ),
    "clEnqueueMarkerWithWaitList": Command(lambda q, b, w: commands.enqueue_marker(q, w)),
    "clEnqueueBarrierWithWaitList": Command(lambda q, b, w: commands.enqueue_barrier(q, w)),
}
WITH_MEMORY = [name for name in COMMANDS if "WaitList" not in name]


@pytest.fixture
def place(device: Device) -> Place:
    context = Context([device])
    return Place(CommandQueue(context, device), Buffer(context, 0, SIZE))


def fails(routine: str, status: str, call: Callable[..., Any], *arguments: Any) -> None:
    with pytest.raises(CLError) as caught:
        call(*arguments)
    assert (caught.value.routine, caught.value.status) == (routine, status)
    assert caught.value.reason


def _first(name: str) -> str:
    """The first routine that a row's call meets: unmapping has to map before."""
    return "clEnqueueMapBuffer" if name == "clEnqueueUnmapMemObject" else name


def failed_event(context: Context) -> Event:
    event = UserEvent(context)
    event.set_status(-1)
    return event


@pytest.mark.parametrize("name", COMMANDS)
def test_the_right_call_gives_an_event(name, place):
    result = COMMANDS[name].call(place.queue, place.buffer, ())
    event = result[1] if isinstance(result, tuple) else result
    event.wait()
    assert event.get_info(codes.EVENT_COMMAND_EXECUTION_STATUS) == codes.COMPLETE
    assert event.get_info(codes.EVENT_COMMAND_QUEUE) is place.queue
    assert event.get_info(codes.EVENT_CONTEXT) is place.queue.context


@pytest.mark.parametrize("name", COMMANDS)
def test_wait_list_of_what_is_no_event(name, place):
    fails(name, "INVALID_EVENT_WAIT_LIST", COMMANDS[name].call, place.queue, place.buffer, [None])


@pytest.mark.parametrize("name", COMMANDS)
def test_wait_list_with_an_event_of_another_context(name, place):
    stranger = UserEvent(Context(place.queue.context.devices))
    fails(name, "INVALID_CONTEXT", COMMANDS[name].call, place.queue, place.buffer, [stranger])
    stranger.set_status(0)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_released_or_missing_queue(name, place):
    released = CommandQueue(place.queue.context, place.queue.device)
    released.release()
    for queue in (None, released):
        fails(_first(name), "INVALID_COMMAND_QUEUE", COMMANDS[name].call, queue, place.buffer, ())


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_memory_of_another_context(name, place):
    stranger = Buffer(Context(place.queue.context.devices), 0, SIZE)
    fails(_first(name), "INVALID_CONTEXT", COMMANDS[name].call, place.queue, stranger, ())


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_released_memory(name, place):
    place.buffer.release()
    fails(_first(name), "INVALID_MEM_OBJECT", COMMANDS[name].call, place.queue, place.buffer, ())


@pytest.mark.parametrize(("name", "number"), [(name, n) for name, command in COMMANDS.items() for n in range(len(command.wrong))])
def test_wrong_regions_patterns_and_flags(name, number, place):
    status, call = COMMANDS[name].wrong[number]
    fails(name, status, call, place.queue, place.buffer)


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if command.blocking])
def test_a_blocking_command_says_that_what_it_waited_for_failed(name, place):
    blocking = COMMANDS[name].blocking
    assert blocking
    fails(name, "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", blocking, place.queue, place.buffer,
          [failed_event(place.queue.context)])


@pytest.mark.parametrize("name", COMMANDS)
def test_what_waits_for_a_failed_event_is_terminated(name, place):
    result = COMMANDS[name].call(place.queue, place.buffer, [failed_event(place.queue.context)])
    event = result[1] if isinstance(result, tuple) else result
    fails("clWaitForEvents", "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", event.wait)
    assert event.status < 0


def two_devices(**changes: Any) -> tuple[Context, Device, Device]:
    platform = platforms.Platform()
    first, second = Device(platform, "fake", FakeDevice()), Device(platform, "fake", FakeDevice(**changes))
    return Context([first, second]), first, second


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_a_sub_buffer_that_one_device_aligns_and_another_does_not(name):
    context, _, second = two_devices(base_address_align=512)
    part = Buffer(context, 0, 2 * SIZE).sub_buffer(0, 256, SIZE)
    fails(_first(name), "MISALIGNED_SUB_BUFFER_OFFSET", COMMANDS[name].call, CommandQueue(context, second), part, ())


@pytest.mark.parametrize("name", [n for n in WITH_MEMORY if n != "clEnqueueUnmapMemObject"])
def test_memory_that_another_device_has_no_room_for(name):
    context, _, second = two_devices(global_memory=SIZE - 1)
    buffer = Buffer(context, 0, SIZE)
    fails(name, "MEM_OBJECT_ALLOCATION_FAILURE", COMMANDS[name].call, CommandQueue(context, second), buffer, ())
