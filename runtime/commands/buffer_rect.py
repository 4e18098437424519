"""Rectangular copies (5.2.2): read, write and copy of 2D and 3D regions of buffers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..driver.interface import Stream, Triple
from ..memory.buffer import Buffer
from ..memory.directory import OVERWRITE, READ, WRITE, Access
from ..process import host_memory
from ..queue.command import ISSUED, Outcome
from ..queue.event import Event
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError
from .buffer import check, check_host_access, check_may_change


class Layout(NamedTuple):
    """A region's rows in linear memory: where its first byte is, how far apart rows and slices are, where it ends."""

    start: int
    row_pitch: int
    slice_pitch: int
    end: int

    @property
    def pitches(self) -> tuple[int, int]:
        return self.row_pitch, self.slice_pitch

    def written(self, region: Triple) -> Access:
        """What writing the region does with the bytes from its first to its last."""
        return OVERWRITE if math.prod(region) == self.end - self.start else WRITE


def layout(routine: str, side: str, origin: Sequence[int], region: Triple, pitches: Sequence[int]) -> Layout:
    """"If row_pitch is 0, row_pitch is computed as region[0]. If slice_pitch is 0, it is computed as region[1] x row_pitch."""
    x, y, z = _triple(routine, f"{side} origin", origin, 0)
    row, slice_ = pitches
    if row and row < region[0]:
        raise CLError(routine, "INVALID_VALUE", f"the {side} row pitch {row} is less than the region's {region[0]} bytes")
    row = row or region[0]
    if slice_ and (slice_ < region[1] * row or slice_ % row):
        raise CLError(routine, "INVALID_VALUE",
                      f"the {side} slice pitch {slice_} is less than {region[1]} rows of {row} bytes, or no multiple of them")
    slice_ = slice_ or region[1] * row
    start = z * slice_ + y * row + x
    return Layout(start, row, slice_, start + (region[2] - 1) * slice_ + (region[1] - 1) * row + region[0])


def enqueue_read_buffer_rect(queue: CommandTarget, buffer: Buffer, blocking: bool, buffer_origin: Sequence[int],
                             host_origin: Sequence[int], region: Sequence[int], buffer_pitches: Sequence[int],
                             host_pitches: Sequence[int], host: Any, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueReadBufferRect (5.2.2). Origins and region are triples (bytes, rows, slices); pitches are (row, slice), 0 for tight."""
    routine = "clEnqueueReadBufferRect"
    check(routine, queue, buffer)
    check_host_access(routine, buffer, codes.MEM_HOST_WRITE_ONLY)
    size, device, target = _host_rect(routine, buffer, buffer_origin, host_origin, region, buffer_pitches, host_pitches,
                                      host, True)

    place = buffer.place(READ, device.start, device.end - device.start)

    def run(stream: Stream) -> Outcome:
        stream.copy_rect("device_to_host", target.start, target.pitches, place(queue.device, stream), device.pitches, size)
        return ISSUED

    offload = not blocking and queue.blocks_caller("device_to_host", target.start, target.end, wait_for)
    return queue.submit(routine, codes.COMMAND_READ_BUFFER_RECT, run, wait_for, blocking=blocking, keep=None if blocking else host,
                        offload=offload, size=math.prod(size))


def enqueue_write_buffer_rect(queue: CommandTarget, buffer: Buffer, blocking: bool, buffer_origin: Sequence[int],
                              host_origin: Sequence[int], region: Sequence[int], buffer_pitches: Sequence[int],
                              host_pitches: Sequence[int], host: Any, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueWriteBufferRect (5.2.2), with the arguments of `enqueue_read_buffer_rect`."""
    routine = "clEnqueueWriteBufferRect"
    check(routine, queue, buffer)
    check_host_access(routine, buffer, codes.MEM_HOST_READ_ONLY)
    size, device, source = _host_rect(routine, buffer, buffer_origin, host_origin, region, buffer_pitches, host_pitches,
                                      host, False)

    place = buffer.place(device.written(size), device.start, device.end - device.start)

    def run(stream: Stream) -> Outcome:
        stream.copy_rect("host_to_device", place(queue.device, stream), device.pitches, source.start, source.pitches, size)
        return ISSUED

    offload = not blocking and queue.blocks_caller("host_to_device", source.start, source.end, wait_for)
    return queue.submit(routine, codes.COMMAND_WRITE_BUFFER_RECT, run, wait_for, blocking=blocking, keep=None if blocking else host,
                        offload=offload, size=math.prod(size))


def enqueue_copy_buffer_rect(queue: CommandTarget, source: Buffer, destination: Buffer, source_origin: Sequence[int],
                             destination_origin: Sequence[int], region: Sequence[int], source_pitches: Sequence[int],
                             destination_pitches: Sequence[int], wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueCopyBufferRect (5.2.2). Origins and region are triples (bytes, rows, slices); pitches are (row, slice), 0 for tight."""
    routine = "clEnqueueCopyBufferRect"
    check(routine, queue, source, destination)
    check_may_change(routine, destination)
    size = _region(routine, region)
    there = layout(routine, "source", source_origin, size, source_pitches)
    here = layout(routine, "destination", destination_origin, size, destination_pitches)
    _check_inside(routine, "source buffer", there, source.size)
    _check_inside(routine, "destination buffer", here, destination.size)
    if source is destination and there.pitches != here.pitches:
        raise CLError(routine, "INVALID_VALUE", "within one buffer, source and destination need the same pitches")
    if source.storage is destination.storage and _overlap(there, here, source.offset, destination.offset, size):
        raise CLError(routine, "MEM_COPY_OVERLAP", "source and destination overlap in one buffer")

    goal = destination.place(here.written(size), here.start, here.end - here.start)
    origin = source.nearest(there.start, there.end - there.start)

    def run(stream: Stream) -> Outcome:
        device = queue.device
        place, address = origin(device, stream)
        target = goal(device, stream)
        peers = device.peer_copies(place) if place is not device else None
        if peers is None:
            stream.copy_rect("device_to_device", target, here.pitches, address, there.pitches, size)
        else:
            peers.copy_rect(stream, device.driver_device, target, here.pitches, place.driver_device, address, there.pitches, size)
        return ISSUED

    return queue.submit(routine, codes.COMMAND_COPY_BUFFER_RECT, run, wait_for, size=math.prod(size))


def _host_rect(routine: str, buffer: Buffer, buffer_origin: Sequence[int], host_origin: Sequence[int], region: Sequence[int],
               buffer_pitches: Sequence[int], host_pitches: Sequence[int], host: Any,
               writable: bool) -> tuple[Triple, Layout, Layout]:
    """Region, layout in the buffer, and layout in host memory with its start as an address."""
    size = _region(routine, region)
    device = layout(routine, "buffer", buffer_origin, size, buffer_pitches)
    there = layout(routine, "host", host_origin, size, host_pitches)
    address, extent = host_memory.extent(routine, host, writable=writable)
    _check_inside(routine, "buffer", device, buffer.size)
    _check_inside(routine, "host memory", there, extent)
    return size, device, Layout(address + there.start, there.row_pitch, there.slice_pitch, there.end)


def _overlap(there: Layout, here: Layout, there_offset: int, here_offset: int, region: Triple) -> bool:
    """Appendix D, "Checking for Memory Copy Overlap", for equal pitches; by the whole extents for different ones."""
    a, b = there.start + there_offset, here.start + here_offset
    if a + there.end - there.start <= b or b + here.end - here.start <= a:
        return False
    if there.pitches != here.pitches:
        return True
    row, slice_ = there.pitches
    slice_size = (region[1] - 1) * row + region[0]
    return not (_fit(a % row, b % row, region[0], row) or _fit(a % slice_, b % slice_, slice_size, slice_))


def _fit(a: int, b: int, size: int, pitch: int) -> bool:
    """Two pieces of the size lie beside each other within the pitch."""
    return (a + size <= b and b + size <= a + pitch) or (b + size <= a and a + size <= b + pitch)


def _region(routine: str, region: Sequence[int]) -> Triple:
    size = _triple(routine, "region", region, 1)
    if min(size) <= 0:
        raise CLError(routine, "INVALID_VALUE", f"the region {size} is empty")
    return size


def _triple(routine: str, what: str, values: Sequence[int], missing: int) -> Triple:
    padded = (*values, *(missing,) * (3 - len(values)))
    if len(padded) != 3 or min(padded) < 0:
        raise CLError(routine, "INVALID_VALUE", f"the {what} {tuple(values)} is not a triple of sizes")
    return padded


def _check_inside(routine: str, what: str, rect: Layout, size: int) -> None:
    if rect.end > size:
        raise CLError(routine, "INVALID_VALUE", f"the region ends at byte {rect.end} of the {what}, which has {size}")
