"""Takes the commands that the library holds back behind user events, but launches (driver/held_commands.c), as if Python had held them
back itself. The events that each waits for are those that its queue's order does not see to: a user event, and commands of other queues."""

from __future__ import annotations

from ..runtime.commands import buffer as commands
from ..runtime.memory.buffer import Buffer
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec import codes
from . import application


def hold_read(queue: CommandQueue, waits: tuple[Event, ...], buffer: Buffer, offset: int, address: int, size: int) -> Event:
    return commands.enqueue_read_buffer(queue, buffer, False, offset, application.view(address, size), waits)


def hold_write(queue: CommandQueue, waits: tuple[Event, ...], buffer: Buffer, offset: int, address: int, size: int) -> Event:
    return commands.enqueue_write_buffer(queue, buffer, False, offset, application.view(address, size), waits)


def hold_copy(queue: CommandQueue, waits: tuple[Event, ...], source: Buffer, target: Buffer, source_offset: int, target_offset: int,
              size: int) -> Event:
    return commands.enqueue_copy_buffer(queue, source, target, source_offset, target_offset, size, waits)


def hold_fill(queue: CommandQueue, waits: tuple[Event, ...], buffer: Buffer, offset: int, pattern: int, width: int, size: int) -> Event:
    return commands.enqueue_fill_buffer(queue, buffer, application.read(pattern, width), offset, size, waits)


def hold_place(queue: CommandQueue, waits: tuple[Event, ...], command: int) -> Event:
    """A marker or a barrier."""
    return (commands.enqueue_marker if command == codes.COMMAND_MARKER else commands.enqueue_barrier)(queue, waits)
