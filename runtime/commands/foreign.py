"""Streams of other libraries in the same process: queues in their streams, and the order between their work and ours.

Which stream a library uses it says by protocols that the faces read (DLPack, `__cuda_array_interface__`); here are stream handles only.
Memory of theirs is `memory/foreign.py`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..context.context import Context
from ..devices.device import Device
from ..driver.interface import Stream
from ..queue.command import Command
from ..queue.event import Event
from ..queue.queue import CommandQueue
from ..queue.stream_timeline import QueueStream
from ..spec.errors import CLError
from . import buffer as buffer_commands


class ForeignQueue(CommandQueue):
    """An in-order queue whose commands go into a stream that is not ours; `owner` keeps the stream alive.

    What others put into the stream and our commands run in the order in which they were put there.
    """

    def __init__(self, context: Context, device: Device, handle: int, owner: Any):
        self._handle, self.owner = handle, owner
        super().__init__(context, device)

    def _open_stream(self) -> QueueStream:
        return QueueStream(borrowed(self.device, self._handle))

    def completed_at_once(self, routine: str, command_type: int, wait_for: Sequence[Event], blocking: bool = False) -> Event | None:
        return None  # What others put into the stream comes before it.

    def _has_ended(self, command: Command, timeline: QueueStream, before: int) -> bool:
        return False  # likewise


def borrowed(device: Device, handle: int) -> Stream:
    """A driver's stream object for a stream that is somebody else's. CLError INVALID_OPERATION where there are no streams."""
    borrow = device.driver_device.borrow_stream
    if borrow is None:
        raise CLError("clCreateCommandQueueWithProperties", "INVALID_OPERATION", f"{device!r} has no CUDA streams")
    return borrow(handle)


def let_stream_wait(context: Context, device: Device, stream: Stream) -> None:
    """What the stream gets from now on comes after all that the device's queues in the context have been given until now.

    Commands that a queue defers are waited for until the device has them: where a user event holds them, until it is set.
    """
    for queue in _queues(context, device):
        if queue.has_deferred:
            gate = buffer_commands.enqueue_marker(queue).gate
            if gate is not None:
                gate.wait_until_open()
        for timeline in queue.timelines:
            if timeline.stream is not stream and not timeline.idle:
                stream.after(timeline.current_fence())


def wait_for_stream(queue: CommandQueue, stream: Stream) -> None:
    """What the queue gets from now on comes after all that the stream has been given until now."""
    fence = stream.fence(False)
    timelines = queue.timelines
    if len(timelines) == 1 and not queue.has_deferred:
        timelines[0].stream.after(fence)
    else:
        fence.wait()


def settle(context: Context, device: Device) -> None:
    """Waits for all that the device's queues in the context have been given, deferred or not."""
    for queue in _queues(context, device):
        buffer_commands.enqueue_marker(queue).wait()


def _queues(context: Context, device: Device) -> list[CommandQueue]:
    return [queue for queue in context.queues(device) if isinstance(queue, CommandQueue)]
