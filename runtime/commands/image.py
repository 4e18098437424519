"""Commands on images: read, write, copy (5.3.4), fill (5.3.5), copies between images and buffers (5.3.6)."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from ..driver.image_colors import element_of
from ..driver.image_formats import ImageFormat
from ..driver.interface import Linear, Stream, Triple
from ..image.elements import BufferElements
from ..image.image import Image
from ..image.region import Region, host_rows, region_of
from ..memory.buffer import Buffer
from ..memory.directory import OVERWRITE, READ, WRITE
from ..native import library as native
from ..process import host_memory
from ..queue.command import ISSUED, Outcome
from ..queue.event import Event
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError
from .buffer import check, check_host_access, check_may_change, check_memory


def enqueue_read_image(queue: CommandTarget, image: Image, blocking: bool, origin: Sequence[int], region: Sequence[int],
                       row_pitch: int, slice_pitch: int, host: Any, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueReadImage (5.3.4). Origin and region are triples of pixels; the pitches are the host's, in bytes, 0 for tight."""
    routine = "clEnqueueReadImage"
    check_image(routine, queue, image)
    check_host_access(routine, image, codes.MEM_HOST_WRITE_ONLY)
    part = region_of(routine, image, origin, region)
    target = host_rows(routine, image, part, row_pitch, slice_pitch, *host_memory.extent(routine, host, writable=True))

    place, size = image.at(part, READ), part.bytes_of(image.format)

    def run(stream: Stream) -> Outcome:
        stream.copy_image("device_to_host", target, place(queue.device, stream), size)
        return ISSUED

    offload = not blocking and queue.blocks_caller("device_to_host", target.address, target.span(size), wait_for)
    return queue.submit(routine, codes.COMMAND_READ_IMAGE, run, wait_for, blocking=blocking, keep=None if blocking else host,
                        offload=offload, size=math.prod(size))


def enqueue_write_image(queue: CommandTarget, image: Image, blocking: bool, origin: Sequence[int], region: Sequence[int],
                        row_pitch: int, slice_pitch: int, host: Any, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueWriteImage (5.3.4), with the arguments of `enqueue_read_image`."""
    routine = "clEnqueueWriteImage"
    check_image(routine, queue, image)
    check_host_access(routine, image, codes.MEM_HOST_READ_ONLY)
    part = region_of(routine, image, origin, region)
    source = host_rows(routine, image, part, row_pitch, slice_pitch, *host_memory.extent(routine, host))

    place, size = image.at(part, WRITE), part.bytes_of(image.format)

    def run(stream: Stream) -> Outcome:
        stream.copy_image("host_to_device", place(queue.device, stream), source, size)
        return ISSUED

    offload = not blocking and queue.blocks_caller("host_to_device", source.address, source.span(size), wait_for)
    return queue.submit(routine, codes.COMMAND_WRITE_IMAGE, run, wait_for, blocking=blocking, keep=None if blocking else host,
                        offload=offload, size=math.prod(size))


def enqueue_copy_image(queue: CommandTarget, source: Image, destination: Image, source_origin: Sequence[int],
                       destination_origin: Sequence[int], region: Sequence[int], wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueCopyImage (5.3.4), of one format. Origins and region are triples of pixels."""
    routine = "clEnqueueCopyImage"
    check_image(routine, queue, source, destination)
    check_may_change(routine, destination)
    if source.format != destination.format:
        raise CLError(routine, "IMAGE_FORMAT_MISMATCH", f"{source.format} cannot be copied to {destination.format}")
    there = region_of(routine, source, source_origin, region)
    here = region_of(routine, destination, destination_origin, region)
    if source.elements is destination.elements and there.overlaps(here):
        raise CLError(routine, "MEM_COPY_OVERLAP", "source and destination overlap in one image")

    pieces = [(destination.at(to, WRITE), source.at(of, READ), of.bytes_of(source.format)) for of, to in _pieces(there, here)]

    def run(stream: Stream) -> Outcome:
        for to, of, size in pieces:
            stream.copy_image("device_to_device", to(queue.device, stream), of(queue.device, stream), size)
        return ISSUED

    return queue.submit(routine, codes.COMMAND_COPY_IMAGE, run, wait_for, size=sum(math.prod(size) for *_, size in pieces))


def _pieces(there: Region, here: Region) -> list[tuple[Region, Region]]:
    """"It is possible to copy subregions between any combinations of source and destination types, provided that the dimensions
    of the subregions are the same": what one counts as rows another may count as planes. Then each row goes by itself."""
    if there.size == here.size:
        return [(there, here)]
    return list(zip(_rows(there), _rows(here), strict=True))


def _rows(region: Region) -> list[Region]:
    (x, y, z), (width, rows, planes) = region.offset, region.size
    return [Region(region.level, (x, y + row, z + plane), (width, 1, 1)) for plane in range(planes) for row in range(rows)]


@functools.lru_cache(64)
def _element_of(image_format: ImageFormat, color: bytes) -> bytes:
    return element_of("clEnqueueFillImage", image_format, color)


native.know("element_of", _element_of)


def enqueue_fill_image(queue: CommandTarget, image: Image, color: Any, origin: Sequence[int], region: Sequence[int],
                       wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueFillImage (5.3.5). `color` offers the bytes of four floats, ints or unsigned ints by the format's type; of a depth image,
    of one float."""
    routine = "clEnqueueFillImage"
    check_image(routine, queue, image)
    check_may_change(routine, image)
    part = region_of(routine, image, origin, region)
    element = _element_of(image.format, memoryview(color).tobytes())

    place, size = image.at(part, WRITE), part.bytes_of(image.format)

    def run(stream: Stream) -> Outcome:
        stream.fill_image(place(queue.device, stream), element, size)
        return ISSUED

    return queue.submit(routine, codes.COMMAND_FILL_IMAGE, run, wait_for, size=math.prod(size))


def enqueue_copy_image_to_buffer(queue: CommandTarget, source: Image, destination: Buffer, source_origin: Sequence[int],
                                 region: Sequence[int], destination_offset: int, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueCopyImageToBuffer (5.3.6): the region's pixels, tight, from byte `destination_offset` of the buffer on."""
    routine = "clEnqueueCopyImageToBuffer"
    part = _checked_pair(routine, queue, source, destination, source_origin, region, destination_offset)
    check_may_change(routine, destination)

    size = part.bytes_of(source.format)
    place, target = source.at(part, READ), destination.place(OVERWRITE, destination_offset, math.prod(size))

    def run(stream: Stream) -> Outcome:
        stream.copy_image("device_to_device", _tight(target(queue.device, stream), size), place(queue.device, stream), size)
        return ISSUED

    return queue.submit(routine, codes.COMMAND_COPY_IMAGE_TO_BUFFER, run, wait_for, size=math.prod(size))


def enqueue_copy_buffer_to_image(queue: CommandTarget, source: Buffer, destination: Image, source_offset: int,
                                 destination_origin: Sequence[int], region: Sequence[int], wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueCopyBufferToImage (5.3.6): the region's pixels, tight, from byte `source_offset` of the buffer on."""
    routine = "clEnqueueCopyBufferToImage"
    part = _checked_pair(routine, queue, destination, source, destination_origin, region, source_offset)
    check_may_change(routine, destination)

    size = part.bytes_of(destination.format)
    place, origin = destination.at(part, WRITE), source.place(READ, source_offset, math.prod(size))

    def run(stream: Stream) -> Outcome:
        stream.copy_image("device_to_device", place(queue.device, stream), _tight(origin(queue.device, stream), size), size)
        return ISSUED

    return queue.submit(routine, codes.COMMAND_COPY_BUFFER_TO_IMAGE, run, wait_for, size=math.prod(size))


def _checked_pair(routine: str, queue: CommandTarget, image: Image, buffer: Buffer, origin: Sequence[int], region: Sequence[int],
                  offset: int) -> Region:
    check_image(routine, queue, image)
    check(routine, queue, buffer)
    # "[...] or if src_image is a 1D image buffer object created from dst_buffer"
    elements = image.elements
    if isinstance(elements, BufferElements) and image.type == codes.MEM_OBJECT_IMAGE1D_BUFFER and elements.buffer_storage is buffer.storage:
        raise CLError(routine, "INVALID_MEM_OBJECT", "the image was made from the buffer")
    part = region_of(routine, image, origin, region)
    size = math.prod(part.bytes_of(image.format))
    if offset < 0 or offset + size > buffer.size:
        raise CLError(routine, "INVALID_VALUE", f"bytes {offset} to {offset + size} lie outside the buffer of {buffer.size}")
    return part


def _tight(address: int, size: Triple) -> Linear:
    width, rows, _ = size
    return Linear(address, width, width * rows)


def check_image(routine: str, queue: CommandTarget, *images: Image) -> None:
    """Queue and images are what they should be, alive, of one context; the queue's device can have such images."""
    check_memory(routine, queue, *images, kind=Image)
    # "Depth image objects with an image channel order of CL_DEPTH_STENCIL cannot be used as arguments to clEnqueueReadImage, [...]. Such
    # use will return a CL_INVALID_OPERATION error." (5.3.13.1)
    if any(image.format.has_stencil for image in images):
        raise CLError(routine, "INVALID_OPERATION", "images with a stencil, CL_DEPTH_STENCIL, are for kernels only")
