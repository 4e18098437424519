"""What an image would need, before it is made: clGetImageRequirementsInfoEXT (cl_ext_image_requirements_info).

Values hold for every device of the context: the largest alignments, the smallest limits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..context.context import Context
from ..driver.image_formats import FORMATS, ImageFormat
from ..driver.image_layout import ImageLayout
from ..driver.properties import ImageLimits
from ..memory.buffer import Buffer
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from .descriptor import SHAPES, ImageDescriptor, fits, largest_sizes, layout_of, rows_in_buffer, wrong_with_pitches
from .formats import IMAGE_TYPES, USAGE, check_usage, find, works
from .image import Image

ROUTINE = "clGetImageRequirementsInfoEXT"
_SIZES = ("width", "height", "depth", "array_size")  # in the order of `largest_sizes`


@dataclass(frozen=True)
class ImageParameters:
    """What the queries ask of. A format or a descriptor that is None stands for every one."""

    limits: Sequence[ImageLimits]
    format: ImageFormat | None
    descriptor: ImageDescriptor | None

    @property
    def largest_element(self) -> int:
        """In bytes."""
        return self.format.element_size if self.format else max(each.element_size for each in FORMATS)


def image_requirements(context: Context, param: int, flags: int = 0, image_format: tuple[int, int] | None = None,
                       descriptor: ImageDescriptor | None = None) -> Any:
    """clGetImageRequirementsInfoEXT: alignments and sizes in bytes, the largest width, height, depth and number of images. "When
    flags is 0 the value returned for the query must be correct for all possible values of flags." INVALID_OPERATION where no device of
    the context has images."""
    limits = [device.properties.images for device in context.devices if device.properties.images]
    if not limits:
        raise CLError(ROUTINE, "INVALID_OPERATION", "no device of the context supports images: ask CL_DEVICE_IMAGE_SUPPORT")
    check_usage(ROUTINE, flags)
    found = None if image_format is None else _format_of(image_format)
    if descriptor is not None:
        _check_type(context, descriptor)
        # The use that every format allows stands for those that a format may not have.
        if found and descriptor.image_type and not works(descriptor.image_type, flags & USAGE or codes.MEM_READ_ONLY, found):
            raise CLError(ROUTINE, "INVALID_IMAGE_FORMAT_DESCRIPTOR", f"there are no images of this type and use in {found}")
    return QUERIES.get(ImageParameters(limits, found, descriptor), param)


def _format_of(image_format: tuple[int, int]) -> ImageFormat:
    """"CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if values specified in image_format are not valid"."""
    try:
        return find(ROUTINE, *image_format)
    except CLError as error:
        raise CLError(ROUTINE, "INVALID_IMAGE_FORMAT_DESCRIPTOR", error.reason) from None


def _check_type(context: Context, descriptor: ImageDescriptor) -> None:
    type_, memory = descriptor.image_type, descriptor.mem_object
    if type_ and type_ not in IMAGE_TYPES:
        raise _invalid(f"{type_:#x} is not an image type")
    if memory is None:
        return
    if not isinstance(memory, (Buffer, Image)) or memory.context is not context:
        raise _invalid("mem_object is not a buffer or image of the context")
    if isinstance(memory, Image) and type_ != codes.MEM_OBJECT_IMAGE2D:
        raise _invalid("only a 2D image can be made from an image")


def _layout(parameters: ImageParameters, descriptor: ImageDescriptor) -> ImageLayout:
    """The layout, of sizes that every device has."""
    try:
        layout = layout_of(descriptor, parameters.format or FORMATS[0])
    except CLError as error:
        raise _invalid(error.reason) from None
    if not all(fits(layout, descriptor.image_type, each) for each in parameters.limits):
        raise _invalid(f"{layout.size()} elements are more than an image may have")
    return layout


def _base_alignment(parameters: ImageParameters) -> int:
    if parameters.descriptor is not None:
        _layout(parameters, parameters.descriptor)
    return max(each.base_align for each in parameters.limits)


def _pitch_alignment(parameters: ImageParameters) -> int:
    """Of rows and of planes, as `wrong_with_pitches` has it. CL_DEVICE_IMAGE_PITCH_ALIGNMENT says which rows textures read."""
    if parameters.descriptor is not None:
        _layout(parameters, parameters.descriptor)
    return parameters.largest_element


def _size(parameters: ImageParameters) -> int:
    """"Both image_format and image_desc must be non-NULL, otherwise CL_INVALID_VALUE is returned.\""""
    descriptor = parameters.descriptor
    if parameters.format is None or descriptor is None:
        raise CLError(ROUTINE, "INVALID_VALUE", "the size of an image is asked with its format and its descriptor")
    layout = _layout(parameters, descriptor)
    rows = rows_in_buffer(descriptor, layout)
    wrong = wrong_with_pitches(rows, layout)
    if wrong:
        raise _invalid(wrong)
    return layout.bytes if layout.levels > 1 else rows.slice_pitch * layout.size()[2]


def _largest(member: str, types: Sequence[int]) -> Callable[[ImageParameters], int]:
    """The largest value of a descriptor's member, which images of these types have. "The value of all other members, except mem_object
    may be 0 to require that the value returned be supported for all possible values of the members that are set to 0."""
    place = _SIZES.index(member)

    def value(parameters: ImageParameters) -> int:
        descriptor = parameters.descriptor
        type_ = descriptor.image_type if descriptor else 0
        # "image_type must be either 0 or [...], otherwise CL_INVALID_IMAGE_DESCRIPTOR is returned."
        if type_ and type_ not in types:
            raise _invalid(f"images of the type {type_:#x} have no {member}")
        largest = min(largest_sizes(each, limits)[place] for limits in parameters.limits for each in ((type_,) if type_ else types))
        if descriptor is None:
            return largest
        least = {name: getattr(descriptor, name) or 1 for name in _SIZES}
        _layout(parameters, descriptor._replace(**{**least, member: 1}, image_type=type_ or types[0]))
        return min(largest, _room(parameters, descriptor, member))

    return value


def _room(parameters: ImageParameters, descriptor: ImageDescriptor, member: str) -> int:
    """So much of it is in the memory object that the image is to be made from."""
    memory, element = descriptor.mem_object, parameters.largest_element
    if isinstance(memory, Image):
        return int(getattr(memory.layout, member))
    if memory is None:
        return 1 << 32
    row = descriptor.row_pitch or (descriptor.width or 1) * element
    plane = descriptor.slice_pitch or row * (descriptor.height or 1)
    if member == "width":
        rows = (descriptor.height or 1) * (descriptor.depth or 1) * (descriptor.array_size or 1)
        return int(descriptor.row_pitch or memory.size // rows) // element
    if member == "height":
        return int((descriptor.slice_pitch or memory.size // ((descriptor.depth or 1) * (descriptor.array_size or 1))) // row)
    return int(memory.size // plane)


def _invalid(reason: str) -> CLError:
    return CLError(ROUTINE, "INVALID_IMAGE_DESCRIPTOR", reason)


_PLANES = tuple(type_ for type_ in IMAGE_TYPES if SHAPES[type_].dimensions > 1)
_ARRAYS = tuple(type_ for type_ in IMAGE_TYPES if SHAPES[type_].array)

QUERIES = QueryTable[ImageParameters](ROUTINE, (
    ("IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT", "size_t", _base_alignment),
    ("IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT", "size_t", _pitch_alignment),
    ("IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT", "size_t", _pitch_alignment),
    ("IMAGE_REQUIREMENTS_SIZE_EXT", "size_t", _size),
    ("IMAGE_REQUIREMENTS_MAX_WIDTH_EXT", "uint", _largest("width", IMAGE_TYPES)),
    ("IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT", "uint", _largest("height", _PLANES)),
    ("IMAGE_REQUIREMENTS_MAX_DEPTH_EXT", "uint", _largest("depth", (codes.MEM_OBJECT_IMAGE3D,))),
    ("IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT", "uint", _largest("array_size", _ARRAYS)),
))
