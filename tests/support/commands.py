"""Every enqueued command: how it is called right, and the calls of it that are refused, one row each.

A new command is one row of `COMMANDS`; the table of entry points lists the errors that it owes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands import buffer_rect
from cl2cuda.runtime.commands import map as mapping
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

SIZE = 4096


class Place(NamedTuple):
    """Where a command is enqueued, and on what."""

    queue: CommandQueue
    buffer: Buffer


class Command(NamedTuple):
    """call(queue, buffer, wait_for) is right; `wrong` are calls of (queue, buffer) that are refused, by their error;
    blocking(queue, buffer, wait_for) waits for its end; empty(queue, buffer, wait_for) is right, and of no bytes."""

    call: Callable[[Any, Any, Any], Any]
    wrong: tuple[tuple[str, Callable[[Any, Any], Any]], ...] = ()
    blocking: Callable[[Any, Any, Any], Any] | None = None
    empty: Callable[[Any, Any, Any], Any] | None = None


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
        lambda q, b, w: buffer_commands.enqueue_read_buffer(q, b, False, 0, bytearray(16), w),
        (
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_read_buffer(q, b, True, SIZE - 8, bytearray(16))),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_read_buffer(q, b, True, -1, bytearray(16))),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_read_buffer(q, b, True, SIZE + 1, bytearray(0))),
            ("INVALID_OPERATION", lambda q, b: buffer_commands.enqueue_read_buffer(
                q, _flagged(b, codes.MEM_HOST_WRITE_ONLY), True, 0, bytearray(16))),
            ("INVALID_OPERATION", lambda q, b: buffer_commands.enqueue_read_buffer(
                q, _flagged(b, codes.MEM_HOST_NO_ACCESS), True, 0, bytearray(16))),
        ),
        lambda q, b, w: buffer_commands.enqueue_read_buffer(q, b, True, 0, bytearray(16), w),
        lambda q, b, w: buffer_commands.enqueue_read_buffer(q, b, False, SIZE, bytearray(), w),
    ),
    "clEnqueueWriteBuffer": Command(
        lambda q, b, w: buffer_commands.enqueue_write_buffer(q, b, False, 0, bytes(16), w),
        (
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_write_buffer(q, b, True, SIZE - 8, bytes(16))),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_write_buffer(q, b, True, -1, bytes(16))),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_write_buffer(q, b, True, SIZE + 1, b"")),
            ("INVALID_OPERATION", lambda q, b: buffer_commands.enqueue_write_buffer(
                q, _flagged(b, codes.MEM_HOST_READ_ONLY), True, 0, bytes(16))),
            ("INVALID_OPERATION", lambda q, b: buffer_commands.enqueue_write_buffer(
                q, _flagged(b, codes.MEM_HOST_NO_ACCESS), True, 0, bytes(16))),
        ),
        lambda q, b, w: buffer_commands.enqueue_write_buffer(q, b, True, 0, bytes(16), w),
        lambda q, b, w: buffer_commands.enqueue_write_buffer(q, b, False, SIZE, b"", w),
    ),
    "clEnqueueReadBufferRect": Command(
        lambda q, b, w: buffer_rect.enqueue_read_buffer_rect(q, b, False, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytearray(SIZE), w),
        (
            *_rect_regions(lambda q, b, origin, region, pitches: buffer_rect.enqueue_read_buffer_rect(
                q, b, True, origin, ORIGIN, region, pitches, TIGHT, bytearray(SIZE))),
            *_rect_regions(lambda q, b, origin, region, pitches: buffer_rect.enqueue_read_buffer_rect(
                q, b, True, ORIGIN, origin, region, TIGHT, pitches, bytearray(SIZE))),
            ("INVALID_OPERATION", lambda q, b: buffer_rect.enqueue_read_buffer_rect(
                q, _flagged(b, codes.MEM_HOST_WRITE_ONLY), True, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytearray(SIZE))),
        ),
        lambda q, b, w: buffer_rect.enqueue_read_buffer_rect(q, b, True, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytearray(SIZE), w),
    ),
    "clEnqueueWriteBufferRect": Command(
        lambda q, b, w: buffer_rect.enqueue_write_buffer_rect(q, b, False, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytes(SIZE), w),
        (
            *_rect_regions(lambda q, b, origin, region, pitches: buffer_rect.enqueue_write_buffer_rect(
                q, b, True, origin, ORIGIN, region, pitches, TIGHT, bytes(SIZE))),
            *_rect_regions(lambda q, b, origin, region, pitches: buffer_rect.enqueue_write_buffer_rect(
                q, b, True, ORIGIN, origin, region, TIGHT, pitches, bytes(SIZE))),
            ("INVALID_OPERATION", lambda q, b: buffer_rect.enqueue_write_buffer_rect(
                q, _flagged(b, codes.MEM_HOST_READ_ONLY), True, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytes(SIZE))),
        ),
        lambda q, b, w: buffer_rect.enqueue_write_buffer_rect(q, b, True, ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, bytes(SIZE), w),
    ),
    "clEnqueueCopyBuffer": Command(
        lambda q, b, w: buffer_commands.enqueue_copy_buffer(q, b, _other(b), 0, 0, 16, w),
        (
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_copy_buffer(q, b, _other(b), SIZE - 8, 0, 16)),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_copy_buffer(q, b, _other(b), 0, SIZE - 8, 16)),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_copy_buffer(q, b, _other(b), SIZE + 1, 0, 0)),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_copy_buffer(q, b, _other(b), 0, SIZE + 1, 0)),
            ("MEM_COPY_OVERLAP", lambda q, b: buffer_commands.enqueue_copy_buffer(q, b, b, 0, 8, 16)),
        ),
        empty=lambda q, b, w: buffer_commands.enqueue_copy_buffer(q, b, b, SIZE, SIZE, 0, w),
    ),
    "clEnqueueCopyBufferRect": Command(
        lambda q, b, w: buffer_rect.enqueue_copy_buffer_rect(q, b, _other(b), ORIGIN, ORIGIN, BOX, TIGHT, TIGHT, w),
        (
            *_rect_regions(lambda q, b, origin, region, pitches: buffer_rect.enqueue_copy_buffer_rect(
                q, b, _other(b), origin, ORIGIN, region, pitches, TIGHT)),
            *_rect_regions(lambda q, b, origin, region, pitches: buffer_rect.enqueue_copy_buffer_rect(
                q, b, _other(b), ORIGIN, origin, region, TIGHT, pitches)),
            ("MEM_COPY_OVERLAP", lambda q, b: buffer_rect.enqueue_copy_buffer_rect(
                q, b, b, ORIGIN, (8, 0, 0), BOX, (64, 512), (64, 512))),
            # "If src_buffer and dst_buffer are the same buffer object, src_row_pitch must equal dst_row_pitch".
            ("INVALID_VALUE", lambda q, b: buffer_rect.enqueue_copy_buffer_rect(
                q, b, b, ORIGIN, (0, 0, 8), BOX, (64, 256), (32, 256))),
        ),
    ),
    "clEnqueueFillBuffer": Command(
        lambda q, b, w: buffer_commands.enqueue_fill_buffer(q, b, b"ab", 0, 16, w),
        (
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_fill_buffer(q, b, b"ab", SIZE - 8, 16)),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_fill_buffer(q, b, b"", 0, 16)),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_fill_buffer(q, b, b"abc", 0, 12)),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_fill_buffer(q, b, b"ab", 1, 16)),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_fill_buffer(q, b, b"ab", 0, 15)),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_fill_buffer(q, b, b"ab", SIZE + 2, 0)),
        ),
        empty=lambda q, b, w: buffer_commands.enqueue_fill_buffer(q, b, b"ab", SIZE, 0, w),
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
        lambda q, b, w: buffer_commands.enqueue_migrate(q, [b], 0, w),
        (
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_migrate(q, [], 0)),
            ("INVALID_VALUE", lambda q, b: buffer_commands.enqueue_migrate(q, [b], 1 << 20)),
        ),
    ),
    "clEnqueueMarkerWithWaitList": Command(lambda q, b, w: buffer_commands.enqueue_marker(q, w)),
    "clEnqueueBarrierWithWaitList": Command(lambda q, b, w: buffer_commands.enqueue_barrier(q, w)),
}
WITH_MEMORY = [name for name in COMMANDS if "WaitList" not in name]
EMPTY = [name for name, command in COMMANDS.items() if command.empty]
