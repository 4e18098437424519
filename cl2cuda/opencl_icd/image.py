"""Images (5.3)."""

from __future__ import annotations

import struct
from typing import Any

from ..runtime.commands import image as commands
from ..runtime.commands import image_map
from ..runtime.commands.map import check_flags
from ..runtime.context.context import Context
from ..runtime.image import image as images
from ..runtime.image.descriptor import ImageDescriptor
from ..runtime.image.formats import supported_image_formats
from ..runtime.process import host_memory
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from . import application
from .application import BOUNDLESS, Sizes, host, triple
from .packing import info, packed
from .plain import compiled, natively

Waits = tuple[Event, ...]

ROUTINE = "clCreateImage"
_FORMAT = struct.Struct("<II")
_DESCRIPTOR = struct.Struct("<I4x6QIIQ")


def clCreateImage(context: Context, flags: int, image_format: int, descriptor: int, address: int) -> images.Image:
    return images.Image(context, flags, _format(image_format), _descriptor(descriptor), _host(address))


def clCreateImageWithProperties(context: Context, properties: int, flags: int, image_format: int, descriptor: int,
                                address: int) -> images.Image:
    if application.properties(properties):
        # "CL_INVALID_PROPERTY if a property name in properties is not a supported property name"
        raise CLError("clCreateImageWithProperties", "INVALID_PROPERTY", "images have no properties")
    return application.remember(clCreateImage(context, flags, image_format, descriptor, address), properties)


def clCreateImage2D(context: Context, flags: int, image_format: int, width: int, height: int, row_pitch: int,
                    address: int) -> images.Image:
    return _of_version_1_1(context, flags, image_format, ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, width, height, row_pitch=row_pitch),
                           address)


def clCreateImage3D(context: Context, flags: int, image_format: int, width: int, height: int, depth: int, row_pitch: int,
                    slice_pitch: int, address: int) -> images.Image:
    if depth <= 1:
        raise CLError("clCreateImage3D", "INVALID_IMAGE_SIZE", f"a 3D image has a depth of more than {depth}")
    return _of_version_1_1(context, flags, image_format, ImageDescriptor(
        codes.MEM_OBJECT_IMAGE3D, width, height, depth, row_pitch=row_pitch, slice_pitch=slice_pitch), address)


def _of_version_1_1(context: Context, flags: int, image_format: int, descriptor: ImageDescriptor, address: int) -> images.Image:
    """Without a descriptor, what is wrong with the sizes is CL_INVALID_IMAGE_SIZE."""
    try:
        return images.Image(context, flags, _format(image_format), descriptor, _host(address))
    except CLError as error:
        if error.status == "INVALID_IMAGE_DESCRIPTOR":
            raise CLError(error.routine, "INVALID_IMAGE_SIZE", error.reason) from None
        raise


def _format(address: int) -> tuple[int, int]:
    """cl_image_format."""
    if not address:
        raise CLError(ROUTINE, "INVALID_IMAGE_FORMAT_DESCRIPTOR", "the image format is NULL")
    order, type_ = _FORMAT.unpack(application.read(address, _FORMAT.size))
    return order, type_


def _descriptor(address: int) -> ImageDescriptor:
    """cl_image_desc."""
    if not address:
        raise CLError(ROUTINE, "INVALID_IMAGE_DESCRIPTOR", "the image descriptor is NULL")
    (type_, width, height, depth, layers, row_pitch, slice_pitch, levels, samples, memory) = _DESCRIPTOR.unpack(
        application.read(address, _DESCRIPTOR.size))
    if memory:  # Its maps are to be known of those of the image, and the other way round.
        application.note_image_of(memory)
    core = application.core(memory, "M") if memory else None
    if memory and core is None:
        raise CLError(ROUTINE, "INVALID_IMAGE_DESCRIPTOR", "the descriptor's memory object is none")
    return ImageDescriptor(type_, width, height, depth, layers, row_pitch, slice_pitch, levels, samples, core)


def _host(address: int) -> memoryview | None:
    return application.view(address, BOUNDLESS) if address else None


def clGetSupportedImageFormats(context: Context, flags: int, type_: int, room: int, address: int, count: int) -> None:
    routine = "clGetSupportedImageFormats"
    if address and not room:
        raise CLError(routine, "INVALID_VALUE", "there is an array, but the number of its entries is 0")
    found = supported_image_formats(context, flags, type_)
    if address:
        application.write(address, b"".join(_FORMAT.pack(one.order.code, one.type.code) for one in found[:room]))
    application.put_uint(count, len(found))


def clGetImageRequirementsInfoEXT(context: Context, properties: int, flags: int, image_format: int, descriptor: int, param: int) -> bytes:
    from ..runtime.image import requirements  # which few programs ask

    if application.properties(properties):
        # "CL_INVALID_PROPERTY if a property name in properties is not a supported property name"
        raise CLError(requirements.ROUTINE, "INVALID_PROPERTY", "images have no properties")
    found = requirements.image_requirements(context, param, flags, _format(image_format) if image_format else None,
                                            _descriptor(descriptor) if descriptor else None)
    return packed(requirements.QUERIES.by_code[param].type, found)


def clGetImageInfo(image: Any, param: int) -> bytes:
    if not isinstance(image, images.Image):
        raise CLError("clGetImageInfo", "INVALID_MEM_OBJECT", "the memory object is no image")
    return info(images.IMAGE_QUERIES, image, param)


def clEnqueueReadImage(queue: CommandQueue, image: Any, blocking: int, origin: Sizes, region: Sizes, row_pitch: int, slice_pitch: int,
                       address: int, waits: Waits) -> Event:
    return _read_image(queue, image, origin, region, host("clEnqueueReadImage", address, BOUNDLESS), row_pitch, slice_pitch, waits,
                       bool(blocking))


@natively("_enqueue_read_image", codes.COMMAND_READ_IMAGE)
def _read_image(queue: CommandQueue, image: Any, origin: Sizes, region: Sizes, target: memoryview, row_pitch: int, slice_pitch: int,
                waits: Waits, blocking: bool) -> Event:
    routine = "clEnqueueReadImage"
    return commands.enqueue_read_image(queue, image, blocking, triple(routine, "origin", origin), triple(routine, "region", region),
                                       row_pitch, slice_pitch, target, waits)


def clEnqueueWriteImage(queue: CommandQueue, image: Any, blocking: int, origin: Sizes, region: Sizes, row_pitch: int, slice_pitch: int,
                        address: int, waits: Waits) -> Event:
    return _write_image(queue, image, origin, region, host("clEnqueueWriteImage", address, BOUNDLESS), row_pitch, slice_pitch, waits,
                        bool(blocking))


@natively("_enqueue_write_image", codes.COMMAND_WRITE_IMAGE)
def _write_image(queue: CommandQueue, image: Any, origin: Sizes, region: Sizes, source: memoryview, row_pitch: int, slice_pitch: int,
                 waits: Waits, blocking: bool) -> Event:
    routine = "clEnqueueWriteImage"
    return commands.enqueue_write_image(queue, image, blocking, triple(routine, "origin", origin), triple(routine, "region", region),
                                        row_pitch, slice_pitch, source, waits)


@natively("_enqueue_copy_image", codes.COMMAND_COPY_IMAGE)
def clEnqueueCopyImage(queue: CommandQueue, source: Any, target: Any, source_origin: Sizes, target_origin: Sizes, region: Sizes,
                       waits: Waits) -> Event:
    routine = "clEnqueueCopyImage"
    return commands.enqueue_copy_image(queue, source, target, triple(routine, "source origin", source_origin),
                                       triple(routine, "destination origin", target_origin), triple(routine, "region", region), waits)


def clEnqueueFillImage(queue: CommandQueue, image: Any, color: int, origin: Sizes, region: Sizes, waits: Waits) -> Event:
    return _fill_image(queue, image, color_bytes("clEnqueueFillImage", image, color), origin, region, waits)


@natively("enqueue_fill_image", codes.COMMAND_FILL_IMAGE)
def _fill_image(queue: CommandQueue, image: Any, color: bytes, origin: Sizes, region: Sizes, waits: Waits) -> Event:
    routine = "clEnqueueFillImage"
    return commands.enqueue_fill_image(queue, image, color, triple(routine, "origin", origin), triple(routine, "region", region), waits)


def color_bytes(routine: str, image: Any, color: int) -> bytes:
    """Four numbers, of a depth image one."""
    if not color:
        raise CLError(routine, "INVALID_VALUE", "the fill color is NULL")
    return application.read(color, 4 if isinstance(image, images.Image) and image.format.is_depth else 16)


@natively("_enqueue_copy_image_to_buffer", codes.COMMAND_COPY_IMAGE_TO_BUFFER)
def clEnqueueCopyImageToBuffer(queue: CommandQueue, source: Any, target: Any, origin: Sizes, region: Sizes, offset: int,
                               waits: Waits) -> Event:
    routine = "clEnqueueCopyImageToBuffer"
    return commands.enqueue_copy_image_to_buffer(queue, source, target, triple(routine, "origin", origin),
                                                 triple(routine, "region", region), offset, waits)


@natively("_enqueue_copy_buffer_to_image", codes.COMMAND_COPY_BUFFER_TO_IMAGE)
def clEnqueueCopyBufferToImage(queue: CommandQueue, source: Any, target: Any, offset: int, origin: Sizes, region: Sizes,
                               waits: Waits) -> Event:
    routine = "clEnqueueCopyBufferToImage"
    return commands.enqueue_copy_buffer_to_image(queue, source, target, offset, triple(routine, "origin", origin),
                                                 triple(routine, "region", region), waits)


def clEnqueueMapImage(queue: CommandQueue, image: Any, blocking: int, flags: int, origin: Sizes, region: Sizes, row_pitch: int,
                      slice_pitch: int, waits: Waits) -> tuple[int, Event]:
    routine = "clEnqueueMapImage"
    if isinstance(image, images.Image):
        check_flags(routine, image, flags)  # Khronos' tests of immutable images give no places for pitches.
    if not row_pitch:
        raise CLError(routine, "INVALID_VALUE", "the place for the row pitch is NULL")
    if isinstance(image, images.Image) and image.slice_pitch and not slice_pitch:
        # "For a 3D image, 1D image array, and 2D image array [...] image_slice_pitch must be a non-NULL value"
        raise CLError(routine, "INVALID_VALUE", "the place for the slice pitch is NULL")
    address, event, *pitches = _map_image(queue, image, flags, triple(routine, "origin", origin), triple(routine, "region", region), waits,
                                          bool(blocking))
    for place, pitch in zip((row_pitch, slice_pitch), pitches, strict=True):
        application.put_words(place, (pitch,))
    return address, event


@compiled(lambda calls, function: calls.plain_image_mapper(function, codes.COMMAND_MAP_IMAGE, __name__))
def _map_image(queue: CommandQueue, image: Any, flags: int, origin: tuple[int, ...], region: tuple[int, ...], waits: Waits,
               blocking: bool) -> tuple[int, Event, int, int]:
    mapped = image_map.enqueue_map_image(queue, image, blocking, flags, origin, region, waits)
    return host_memory.extent("clEnqueueMapImage", mapped.view)[0], mapped.event, mapped.row_pitch, mapped.slice_pitch
