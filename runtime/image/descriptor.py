"""cl_image_desc (5.3.1.2): type and sizes of an image to be made, and the rules for them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...builtins.extensions import EXTENSIONS
from ..driver.image_formats import ImageFormat
from ..driver.image_layout import ImageLayout
from ..driver.interface import Linear
from ..driver.properties import ImageLimits
from ..process import host_memory
from ..spec import codes
from ..spec.errors import CLError
from .formats import IMAGE_TYPES

ROUTINE = "clCreateImage"
MOST_KNOWN = 4096  # layouts


class Shape(NamedTuple):
    """What a type of images is: dimensions of one image, whether there are several, how many numbers name an element."""

    dimensions: int
    array: bool
    coordinates: int


SHAPES = {
    codes.MEM_OBJECT_IMAGE1D: Shape(1, False, 1), codes.MEM_OBJECT_IMAGE1D_BUFFER: Shape(1, False, 1),
    codes.MEM_OBJECT_IMAGE1D_ARRAY: Shape(1, True, 2), codes.MEM_OBJECT_IMAGE2D: Shape(2, False, 2),
    codes.MEM_OBJECT_IMAGE2D_ARRAY: Shape(2, True, 3), codes.MEM_OBJECT_IMAGE3D: Shape(3, False, 3),
}


class ImageDescriptor(NamedTuple):
    """Sizes are elements, pitches bytes; what the type of image does not have is ignored. `mem_object` is a Buffer or an Image."""

    image_type: int
    width: int = 0
    height: int = 0
    depth: int = 0
    array_size: int = 0
    row_pitch: int = 0
    slice_pitch: int = 0
    num_mip_levels: int = 0
    num_samples: int = 0
    mem_object: Any = None


_known: dict[tuple[object, ...], ImageLayout] = {}


def layout_of(descriptor: ImageDescriptor, image_format: ImageFormat) -> ImageLayout:
    """The layout, with CL_INVALID_IMAGE_DESCRIPTOR for sizes and levels that no image has. The same one for equal images, as far as a
    table of them goes."""
    form = (descriptor.image_type, descriptor.width, descriptor.height, descriptor.depth, descriptor.array_size, descriptor.num_mip_levels,
            descriptor.num_samples, descriptor.mem_object is None, image_format.order.code, image_format.type.code)
    layout = _known.get(form)
    if layout is None:
        layout = _new_layout(descriptor, image_format)
        if len(_known) < MOST_KNOWN:
            _known[form] = layout
    return layout


def _new_layout(descriptor: ImageDescriptor, image_format: ImageFormat) -> ImageLayout:
    if descriptor.image_type not in IMAGE_TYPES:
        raise _invalid(f"{descriptor.image_type:#x} is not an image type")
    shape = SHAPES[descriptor.image_type]
    sizes = (descriptor.width, descriptor.height, descriptor.depth)[: shape.dimensions]
    if min(sizes) < 1 or (shape.array and descriptor.array_size < 1):
        raise _invalid(f"an image has at least one element: {sizes}" + f", {descriptor.array_size} images" * shape.array)
    if descriptor.num_samples:
        raise _invalid("num_samples must be 0")
    _check_levels(descriptor, image_format, max(sizes))
    padded = (*sizes, 1, 1)
    return ImageLayout(shape.dimensions, image_format, padded[0], padded[1], padded[2],
                       descriptor.array_size if shape.array else 0, max(1, descriptor.num_mip_levels))


def _check_levels(descriptor: ImageDescriptor, image_format: ImageFormat, largest: int) -> None:
    """"num_mip_levels must be 0 [...] unless the cl_khr_mipmap_image extension is supported"; 0 and 1 are the same."""
    levels = descriptor.num_mip_levels
    if levels <= 1:
        return
    if not EXTENSIONS["cl_khr_mipmap_image"].offered:
        raise _invalid(f"{levels} mipmap levels: cl_khr_mipmap_image is not supported")
    if descriptor.image_type == codes.MEM_OBJECT_IMAGE1D_BUFFER or descriptor.mem_object is not None or image_format.is_depth:
        raise _invalid("images made from other memory objects and depth images have one mipmap level")
    if levels > largest.bit_length():
        raise _invalid(f"{levels} mipmap levels: the size {largest} is halved to 1 after {largest.bit_length()}")


def largest_sizes(image_type: int, limits: ImageLimits) -> tuple[int, int, int, int]:
    """The largest width, height, depth and number of images in an array; 0 for what images of the type do not have."""
    if image_type == codes.MEM_OBJECT_IMAGE1D_BUFFER:
        return limits.buffer, 0, 0, 0
    shape = SHAPES[image_type]
    width, height, depth = limits.volume if shape.dimensions == 3 else (*limits.plane, 0)
    return width, height if shape.dimensions > 1 else 0, depth, limits.layers if shape.array else 0


def fits(layout: ImageLayout, image_type: int, limits: ImageLimits) -> bool:
    """In a layout the sizes that the type does not have are 1, and the number of images 0."""
    width, height, depth, layers = largest_sizes(image_type, limits)
    return layout.width <= width and layout.height <= (height or 1) and layout.depth <= (depth or 1) and layout.layers <= layers


def host_rows(descriptor: ImageDescriptor, layout: ImageLayout, host: Any) -> Linear:
    """Where the rows of the host's memory are: the pitches are checked, and that the memory holds them (table 23)."""
    tight = layout.tight(0)
    row = descriptor.row_pitch or tight.row_pitch
    if row < tight.row_pitch or row % layout.format.element_size:
        raise _invalid(f"the row pitch {row} is less than a row's {tight.row_pitch} bytes, or no multiple of an element's")
    slice_ = row * layout.height
    if layout.dimensions == 3 or layout.layers:
        slice_ = descriptor.slice_pitch or slice_
        if slice_ < row * layout.height or slice_ % row:
            raise _invalid(f"the slice pitch {slice_} is less than {layout.height} rows of {row} bytes, or no multiple of a row's")
    address, size = host_memory.extent(ROUTINE, host)
    found = Linear(address, row, slice_)
    # The last row may end with its last element, as the last row of an array that is part of another one does.
    needed = found.span((tight.row_pitch, layout.height, layout.size()[2]))
    if size < needed:
        raise CLError(ROUTINE, "INVALID_HOST_PTR", f"the host memory has {size} bytes, the image takes {needed}")
    return found


def rows_in_buffer(descriptor: ImageDescriptor, layout: ImageLayout) -> Linear:
    """Where rows and planes are in the buffer that an image is made from, counted from its start: by the descriptor's pitches, and without
    gaps where it has none."""
    row = descriptor.row_pitch or layout.tight(0).row_pitch
    has_planes = layout.dimensions == 3 or layout.layers > 0
    return Linear(0, row, (descriptor.slice_pitch if has_planes else 0) or row * layout.height)


def wrong_with_pitches(rows: Linear, layout: ImageLayout) -> str:
    """What makes them no pitches of such an image in a buffer; "" where nothing does. An element's size is all the alignment that rows need
    (CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT): where textures cannot be, kernels compute what they read."""
    tight, element = layout.tight(0).row_pitch, layout.format.element_size
    if rows.row_pitch < tight or rows.row_pitch % element:
        return f"the row pitch {rows.row_pitch} is less than a row's {tight} bytes, or no multiple of an element's {element}"
    if rows.slice_pitch < rows.row_pitch * layout.height or rows.slice_pitch % rows.row_pitch:
        return f"the slice pitch {rows.slice_pitch} is less than {layout.height} rows of {rows.row_pitch} bytes, or no multiple of a row's"
    return ""


def no_pitches(descriptor: ImageDescriptor) -> None:
    """"The image_row_pitch must be zero if host_ptr is NULL [...] and the image is not a 2D image created from a buffer"."""
    if descriptor.row_pitch or descriptor.slice_pitch:
        raise _invalid("row and slice pitch describe host memory, and there is none")


def _invalid(reason: str) -> CLError:
    return CLError(ROUTINE, "INVALID_IMAGE_DESCRIPTOR", reason)
