"""Mapping images into host memory (5.3.7). Unmapping is every memory object's: `mapping.enqueue_unmap`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..driver.interface import DriverError, Stream
from ..driver.reported import cl_error
from ..image.image import Image
from ..image.region import region_of
from ..memory.directory import READ
from ..memory.mapping import all_listed, list_region
from ..process import host_memory
from ..queue.command import ISSUED, Outcome
from ..queue.event import Event
from ..queue.target import CommandTarget
from ..spec import codes
from .image import check_image
from .map import check_flags, check_overlap


class MappedImage(NamedTuple):
    """What clEnqueueMapImage returns; `slice_pitch` is 0 for an image of one plane."""

    view: memoryview
    row_pitch: int
    slice_pitch: int
    event: Event


def enqueue_map_image(queue: CommandTarget, image: Image, blocking: bool, flags: int, origin: Sequence[int], region: Sequence[int],
                      wait_for: Sequence[Event] = ()) -> MappedImage:
    """clEnqueueMapImage (5.3.7): a writable view of the region's rows (pixels), to be used once the event is complete."""
    routine = "clEnqueueMapImage"
    check_image(routine, queue, image)
    check_flags(routine, image, flags)
    part = region_of(routine, image, origin, region)
    elements = image.elements
    try:
        rows = image.host_side(part)
    except DriverError as error:
        raise cl_error(routine, error, "MAP_FAILURE") from error
    mapping = image.mapping(part, rows, flags)
    check_overlap(routine, mapping, all_listed(image.mappings))
    place, size = image.at(part, READ), part.bytes_of(image.format)

    # WRITE_INVALIDATE_REGION: "the contents of the region being mapped are to be discarded".
    copies = mapping.copy and not flags & codes.MAP_WRITE_INVALIDATE_REGION

    def run(stream: Stream) -> Outcome:
        if copies:
            stream.copy_image("device_to_host", rows, place(queue.device, stream), size)
        return ISSUED

    event = queue.submit(routine, codes.COMMAND_MAP_IMAGE, run, wait_for, blocking=blocking, keep=elements,
                         size=math.prod(size) if copies else 0)
    list_region(image.mappings, image.listed_at(rows.address), mapping)
    return MappedImage(host_memory.view(rows.address, rows.span(size), elements), rows.row_pitch,
                       rows.slice_pitch if image.slice_pitch else 0, event)
