"""What the library's own way of setting arguments and launching kernels asks (driver/launches.c): which arguments are plain memory, how
it may launch in a queue, and what became of a launch that failed. Python makes each launch once; the library makes it again."""

from __future__ import annotations

import ctypes
import struct

from ..runtime.commands import nd_range
from ..runtime.driver.reported import cl_error
from ..runtime.kernel.kernel import Kernel
from ..runtime.kernel.nd_range import NDRange
from ..runtime.queue.device_queue import DeviceQueue
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue

Sizes = tuple[int, ...] | None

# struct place and struct launch of driver/objects.h and driver/launches.c.
_PLACE = struct.Struct("<IIQ8x")
_WORDS = 13
_LAUNCH = struct.Struct(f"<{4 + _WORDS}Q")
_KINDS = {"grid": 1, "range": 2}
_BY_PYTHON = bytes(_LAUNCH.size)


def places_of(kernel: Kernel) -> bytes:
    """The address of `Kernel.plans_dropped`, and for each argument where the library itself may set it, once it has been set."""
    places = b"".join(_PLACE.pack(*place) for place in kernel.arguments.plain_places())
    return struct.pack("<Q", ctypes.addressof(kernel.plans_dropped)) + places


def native_of(queue: CommandQueue | DeviceQueue) -> bytes:
    """The address of `QueueStream.native`, the queue's serial, and whether clFlush has anything to do. Nothing is launched in a queue on
    the device, which Python says."""
    if isinstance(queue, DeviceQueue):
        return struct.pack("<3Q", 0, queue.serial, True)
    timeline = queue.timeline
    return struct.pack("<3Q", timeline.open_to_native_code(), queue.serial, not timeline.stream.immediate)


def launch_of(queue: CommandQueue, kernel: Kernel, work_dim: int, offset: Sizes, size: Sizes, local: Sizes) -> bytes:
    """A launch that Python has made, as struct launch."""
    found = nd_range.native_launch(queue, kernel, NDRange(work_dim, offset, size, local))
    if found is None:
        return _BY_PYTHON
    words = (*found.words, *[0] * (_WORDS - len(found.words)))
    return _LAUNCH.pack(_KINDS[found.kind], found.address, found.current, found.context, *words)


def fault_of(queue: CommandQueue, kernel: Kernel, work_dim: int, offset: Sizes, size: Sizes, local: Sizes) -> None:
    """Raises what the launch that has just failed on this thread failed of."""
    found = nd_range.native_launch(queue, kernel, NDRange(work_dim, offset, size, local))
    assert found is not None and found.fault is not None
    raise cl_error(nd_range.ROUTINE, found.fault())


def event_of(queue: CommandQueue, number: int) -> Event:
    """The event of the library's launch of this number in the queue."""
    timeline = queue.timeline
    return queue.event_type(queue, nd_range.COMMAND, timeline, timeline.position_of_native_launch(number))
