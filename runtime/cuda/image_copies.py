"""What a stream does with images' elements: copies between them and memory, and fills. Each function is told of the stream, whose
context is current."""

from __future__ import annotations

import ctypes
import math
from typing import Protocol

from ..driver.interface import CopyKind, ImagePart, Linear, Triple
from .arrays import Copy
from .box_writes import BoxWriter
from .copy_sizes import DIRECT
from .regions import copy_end, moved, parts, whole_rows
from .scratch import Scratch, ScratchStream

# Rows pass through device memory of at most this size.
ROWS_SCRATCH = 16 << 20


class ImageStream(ScratchStream, Protocol):
    scratch: Scratch
    box_writer: BoxWriter | None

    def is_pageable(self, host: int, size: int) -> bool: ...
    def copy(self, kind: CopyKind, destination: int, source: int, size: int) -> bool: ...
    def fill(self, destination: int, pattern: bytes, size: int) -> None: ...
    def record(self, event: int) -> None: ...


def copy(stream: ImageStream, kind: CopyKind, destination: Linear | ImagePart, source: Linear | ImagePart, region: Triple) -> None:
    """As `Stream.copy_image`."""
    if kind == "host_to_device" and isinstance(source, Linear) and _was_written_in_c(stream, destination, source, region):
        with stream.scratch.lock:  # The next one may be waited for in C.
            stream.scratch.lend_staging(stream, source.span(region))
        return
    host = source if kind == "host_to_device" else destination
    if kind == "device_to_device" or not isinstance(host, Linear) or not _goes_through_scratch(stream, kind, host, region):
        _copy_3d(stream, kind, destination, source, region)
        return
    with stream.scratch.lock:
        if kind != "host_to_device" or not _written_by_slot(stream, destination, host, region):
            _copy_by_scratch(stream, kind, destination, source, host, region)
        stream.scratch.lend_for_image(stream, host.span(region))


def _was_written_in_c(stream: ImageStream, image: Linear | ImagePart, rows: Linear, region: Triple) -> bool:
    return (stream.box_writer is not None and stream.capture is None and isinstance(image, ImagePart)
            and rows.span(region) <= DIRECT and stream.box_writer.write(image, rows, region))


def _written_by_slot(stream: ImageStream, image: Linear | ImagePart, rows: Linear, region: Triple) -> bool:
    """Whether the rows went by page-locked memory, in one copy. Little CUDA reads sooner. Nobody waits for what uses the memory
    still, which may be another stream's."""
    size = rows.span(region)
    if size <= DIRECT or stream.capture is not None:
        return False
    with stream.staging.slot(size, waits=False) as slot:
        if slot is None:
            return False
        ctypes.memmove(slot.address, rows.address, size)
        _copy_3d(stream, "host_to_device", image, rows._replace(address=slot.address), region)
        stream.record(slot.event)
    return True


def _copy_by_scratch(stream: ImageStream, kind: CopyKind, destination: Linear | ImagePart, source: Linear | ImagePart, host: Linear,
                     region: Triple) -> None:
    for offset, size in parts(host, region, ROWS_SCRATCH):
        rows = host.at(offset)
        length = rows.span(size)
        scratch = rows._replace(address=stream.scratch.of(stream, length))
        if kind == "host_to_device":
            stream.copy(kind, scratch.address, rows.address, length)
            _copy_3d(stream, "device_to_device", moved(destination, offset), scratch, size)
        else:
            _copy_3d(stream, "device_to_device", scratch, moved(source, offset), size)
            stream.copy(kind, rows.address, scratch.address, length)


def _goes_through_scratch(stream: ImageStream, kind: CopyKind, host: Linear, region: Triple) -> bool:
    """CUDA is slow between pageable memory and arrays. What lies between the rows goes along, and must
    not come back."""
    width, rows, planes = region
    gaps = (rows > 1 and host.row_pitch > width) or (planes > 1 and host.slice_pitch > width * rows)
    wasteful = host.span(region) > 2 * width * rows * planes
    return not (gaps and (wasteful or kind == "device_to_host")) and stream.is_pageable(host.address, host.span(region))


def _copy_3d(stream: ImageStream, kind: CopyKind, destination: Linear | ImagePart, source: Linear | ImagePart, region: Triple) -> None:
    for target, origin, part in whole_rows(destination, source, region):
        parameters = Copy(**copy_end("source", origin, kind == "host_to_device"),
                          **copy_end("target", target, kind == "device_to_host"),
                          width=part[0], height=part[1], depth=part[2])
        stream.cuda.driver_call("cuMemcpy3DAsync_v2", ctypes.byref(parameters), ctypes.c_void_p(stream.handle))


def fill(stream: ImageStream, destination: ImagePart, element: bytes, region: Triple) -> None:
    """As `Stream.fill_image`. Arrays have no memset: the region is copied from filled memory, part by part."""
    width, rows, _ = region
    tight = Linear(0, width, width * rows)
    pieces = list(parts(tight, region, ROWS_SCRATCH))
    largest = tight.span(pieces[0][1])
    with stream.scratch.lock:
        filled = tight._replace(address=stream.scratch.of(stream, largest))
        stream.fill(filled.address, element, largest)
        for offset, size in pieces:
            _copy_3d(stream, "device_to_device", moved(destination, offset), filled, size)
        stream.scratch.lend(stream, math.prod(region))
