"""Memory and streams of other libraries in the same process: buffers over their memory, queues in their streams, and the order
between their work and ours.

A library says where its memory is by protocols that the faces read (DLPack, `__cuda_array_interface__`); here are addresses and
stream handles only.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..context.context import Context
from ..devices.device import Device
from ..memory.buffer import Buffer, Storage
from ..queue.event import Event
from ..queue.queue import CommandQueue
from ..queue.stream_timeline import Lane
from ..spec.errors import CLError
from . import buffer as buffer_commands


class ForeignStorage(Storage):
    """Memory on the device that it belongs to, where it stays. `owner` lives until no command can use the memory any more."""

    def __init__(self, context: Context, size: int, device: Device, address: int, owner: Any = None):
        self.given, self.home, self.owner = address, device, owner
        super().__init__(context, size)
        self.device = device

    def _allocate(self, device: Device) -> int:
        return self.given

    def move_to(self, device: Device) -> int:
        if device is not self.home:
            raise CLError("clEnqueueMigrateMemObjects", "INVALID_OPERATION", f"memory that is not OpenCL's cannot leave {self.home!r}")
        return self.given

    def _free(self, device: Device, address: int) -> None:
        self.context.retire(self.home, functools.partial(_let_go, self.owner))


def _let_go(owner: Any) -> None:
    """Nothing to do: what was kept for this call goes after it."""


def buffer_over(context: Context, flags: int, device: Device, address: int, size: int, owner: Any) -> Buffer:
    """A buffer whose contents are `size` bytes at an address of the device. Raises CLError: INVALID_VALUE, INVALID_BUFFER_SIZE."""
    return Buffer.over(context, flags, size, lambda: ForeignStorage(context, size, device, address, owner))


class ForeignQueue(CommandQueue):
    """An in-order queue whose commands go into a stream that is not ours; `owner` keeps the stream alive.

    What others put into the stream and our commands run in the order in which they were put there.
    """

    def __new__(cls, context: Context, device: Device, handle: int, owner: Any) -> ForeignQueue:
        return object.__new__(cls)

    def __init__(self, context: Context, device: Device, handle: int, owner: Any):
        self._handle, self.owner = handle, owner
        super().__init__(context, device)

    def _open_lane(self) -> Lane:
        return Lane(borrowed(self.device, self._handle))

    def ended_at_once(self, command_type: int, wait_for: Sequence[Event]) -> Event | None:
        return None  # What others put into the stream comes before it.


def borrowed(device: Device, handle: int) -> Any:
    """A driver's stream object for a stream that is somebody else's. CLError INVALID_OPERATION where there are no streams."""
    borrow = getattr(device.driver_device, "borrow_stream", None)
    if borrow is None:
        raise CLError("clCreateCommandQueueWithProperties", "INVALID_OPERATION", f"{device!r} has no CUDA streams")
    return borrow(handle)


def let_stream_wait(context: Context, device: Device, stream: Any) -> None:
    """What the stream gets from now on comes after all that the device's queues in the context have been given until now.

    Commands that a queue holds back are waited for until the device has them: where a user event holds them, until it is set.
    """
    for queue in context.queues(device):
        if queue.holds_commands:
            gate = buffer_commands.enqueue_marker(queue).gate
            if gate is not None:
                gate.wait()
        for lane in queue.lanes:
            if lane.stream is not stream and not lane.idle:
                stream.after(lane.current_mark())


def wait_for_stream(queue: CommandQueue, stream: Any) -> None:
    """What the queue gets from now on comes after all that the stream has been given until now."""
    mark = stream.mark(False)
    lanes = tuple(queue.lanes)
    if len(lanes) == 1 and not queue.holds_commands:
        lanes[0].stream.after(mark)
    else:
        mark.wait()


def settle(context: Context, device: Device) -> None:
    """Waits for all that the device's queues in the context have been given, held back or not."""
    for queue in context.queues(device):
        buffer_commands.enqueue_marker(queue).wait()
