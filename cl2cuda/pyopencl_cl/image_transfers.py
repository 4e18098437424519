"""Reads, writes, copies and fills of images, and mapping. Origins and regions are (x, y, z), shorter ones are filled up."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..runtime.native import library as native
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from .constants import MODULE
from .errors import guarded, host_error, make_error
from .event import Event, NannyEvent, event_of, nanny_of, natively
from .handles import core_of, cores
from .image import Image
from .integers import cl_bitfield, size_t
from .later import image_commands, image_map
from .memory import MemoryObjectHolder, array_over, host_address, sides_of
from .queue import CommandQueue
from .transfers import MemoryMap, Sizes, WaitList, origin_of, region_of


@natively(NannyEvent, codes.COMMAND_READ_IMAGE)
def _enqueue_read_image(queue: CommandQueue, mem: Image, origin: Sizes, region: Sizes, hostbuf: Any, row_pitch: int = 0,
                        slice_pitch: int = 0, wait_for: WaitList = None, is_blocking: bool = True) -> NannyEvent:
    try:
        return nanny_of(image_commands.enqueue_read_image(queue._core, mem._core, is_blocking, origin_of(origin), region_of(region),
                                                          size_t(row_pitch, "row_pitch"), size_t(slice_pitch, "slice_pitch"), hostbuf,
                                                          cores(wait_for)), None if is_blocking else hostbuf)
    except CLError as failure:
        raise host_error(failure) from None
    except AttributeError:
        core_of(queue, CommandQueue, "queue")
        raise


@natively(NannyEvent, codes.COMMAND_WRITE_IMAGE)
def _enqueue_write_image(queue: CommandQueue, mem: Image, origin: Sizes, region: Sizes, hostbuf: Any, row_pitch: int = 0,
                         slice_pitch: int = 0, wait_for: WaitList = None, is_blocking: bool = True) -> NannyEvent:
    try:
        return nanny_of(image_commands.enqueue_write_image(queue._core, mem._core, is_blocking, origin_of(origin), region_of(region),
                                                           size_t(row_pitch, "row_pitch"), size_t(slice_pitch, "slice_pitch"), hostbuf,
                                                           cores(wait_for)), None if is_blocking else hostbuf)
    except CLError as failure:
        raise host_error(failure) from None
    except AttributeError:
        core_of(queue, CommandQueue, "queue")
        raise


@natively(Event, codes.COMMAND_COPY_IMAGE)
@guarded
def _enqueue_copy_image(queue: CommandQueue, src: MemoryObjectHolder, dest: MemoryObjectHolder, src_origin: Sizes,
                        dest_origin: Sizes, region: Sizes, wait_for: WaitList = None) -> Event:
    return event_of(image_commands.enqueue_copy_image(queue._core, src._core, dest._core, origin_of(src_origin),
                                                      origin_of(dest_origin), region_of(region), cores(wait_for)))


@natively(Event, codes.COMMAND_COPY_IMAGE_TO_BUFFER)
@guarded
def _enqueue_copy_image_to_buffer(queue: CommandQueue, src: MemoryObjectHolder, dest: MemoryObjectHolder, origin: Sizes,
                                  region: Sizes, offset: int, wait_for: WaitList = None) -> Event:
    return event_of(image_commands.enqueue_copy_image_to_buffer(queue._core, src._core, dest._core, origin_of(origin),
                                                                region_of(region), size_t(offset, "offset"), cores(wait_for)))


@natively(Event, codes.COMMAND_COPY_BUFFER_TO_IMAGE)
@guarded
def _enqueue_copy_buffer_to_image(queue: CommandQueue, src: MemoryObjectHolder, dest: MemoryObjectHolder, offset: int,
                                  origin: Sizes, region: Sizes, wait_for: WaitList = None) -> Event:
    return event_of(image_commands.enqueue_copy_buffer_to_image(queue._core, src._core, dest._core, size_t(offset, "offset"),
                                                                origin_of(origin), region_of(region), cores(wait_for)))


@natively(Event, codes.COMMAND_FILL_IMAGE)
@guarded
def enqueue_fill_image(queue: CommandQueue, mem: MemoryObjectHolder, color: Any, origin: Sizes, region: Sizes,
                       wait_for: WaitList = None) -> Event:
    """`color` is an array of four float32, int32 or uint32, as the image's kernels read it."""
    return event_of(image_commands.enqueue_fill_image(queue._core, mem._core, color, origin_of(origin), region_of(region),
                                                      cores(wait_for)))


@guarded
def enqueue_map_image(queue: CommandQueue, img: MemoryObjectHolder, flags: int, origin: Sizes, region: Sizes,
                      shape: int | Iterable[int], dtype: Any, order: str = "C", strides: Iterable[int] | None = None,
                      wait_for: WaitList = None, is_blocking: bool = True) -> tuple[np.ndarray, Event, int, int]:
    """(array over the region's rows, event, row pitch, slice pitch); the array's `base` is a MemoryMap. `strides` are the caller's
    to take from the pitches, which are those of the whole image."""
    mapped, row_pitch, slice_pitch, event = image_map.enqueue_map_image(queue._core, img._core, is_blocking,
                                                                            cl_bitfield(flags, "flags"), origin_of(origin),
                                                                            region_of(region), cores(wait_for))
    address, dtype, sides = host_address(mapped), np.dtype(dtype), sides_of(shape)
    if strides is None and dtype.itemsize * math.prod(sides) > mapped.nbytes:
        raise make_error("enqueue_map_image", "INVALID_VALUE", "the array is larger than the mapped region")
    array = array_over(MemoryMap(queue, img, address, mapped), address, sides, dtype, order, strides)
    return array, event_of(event), row_pitch, slice_pitch


_calls = native.calls()
if _calls is not None:
    enqueue_map_image = _calls.image_mapper(enqueue_map_image, Event, codes.COMMAND_MAP_IMAGE, (MemoryMap, np.dtype, np.asarray), MODULE)
