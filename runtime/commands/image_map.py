"""Mapping images into host memory (5.3.7). Unmapping is every memory object's: `mapping.enqueue_unmap`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..driver.interface import DriverError, Linear
from ..image.image import Image
from ..image.region import Region, region_of
from ..process import host_memory
from ..queue.event import Event
from ..queue.queue import CommandQueue
from ..spec import codes
from ..spec.errors import CLError
from .image import check_image
from .map import WRITES, check_flags, check_overlap


@dataclass(frozen=True)
class ImageMapping:
    """A mapped region; `rows` are its rows in host memory, `copy` says that they are a copy."""

    region: Region
    rows: Linear
    flags: int
    copy: bool

    @property
    def writes(self) -> bool:
        return bool(self.flags & WRITES)

    def overlaps(self, other: ImageMapping) -> bool:
        return self.region.overlaps(other.region)


class MappedImage(NamedTuple):
    """What clEnqueueMapImage returns; `slice_pitch` is 0 for an image of one plane."""

    view: memoryview
    row_pitch: int
    slice_pitch: int
    event: Event


def enqueue_map_image(queue: CommandQueue, image: Image, blocking: bool, flags: int, origin: Sequence[int], region: Sequence[int],
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
        raise CLError(routine, "MAP_FAILURE", str(error)) from error
    mapping = ImageMapping(part, rows, flags, elements.copies)
    check_overlap(routine, mapping, [one for group in image.mappings.values() for one in group])
    place, size = image.at(part), part.bytes_of(image.format)

    def run(stream: Any) -> None:
        # WRITE_INVALIDATE_REGION: "the contents of the region being mapped are to be discarded".
        if mapping.copy and not flags & codes.MAP_WRITE_INVALIDATE_REGION:
            stream.copy_image("device_to_host", rows, place(queue.device), size)

    event = queue.submit(routine, codes.COMMAND_MAP_IMAGE, run, wait_for, blocking=blocking, keep=elements)
    image.mappings.setdefault(rows.address, []).append(mapping)
    return MappedImage(host_memory.view(rows.address, rows.span(size), elements), rows.row_pitch,
                       rows.slice_pitch if image.slice_pitch else 0, event)
