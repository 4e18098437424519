"""Images that are like one that was checked but for their sizes: of these only the device's limits are looked at again."""

from __future__ import annotations

from typing import NamedTuple

from ..driver.image_formats import ImageFormat
from ..memory import late
from ..spec import codes
from .descriptor import ImageDescriptor, largest_sizes, layout_of
from .image import Image, ImageKind

# The host's memory is more than where first contents are.
_KEPT = codes.MEM_USE_HOST_PTR | codes.MEM_ALLOC_HOST_PTR


class SizedKind(NamedTuple):
    """What such images have in common, in a context of one device, and what they have at most: bytes; width, height, depth and images in an
    array, 0 for what the type does not have; sizes that have come lately; and what code in C makes their arrays by. There is nothing
    more to one of them but first contents, which are copied.

    Code in C knows the fields (struct size_limits of runtime/native/image_sizes.h, and runtime/native/images.c).
    """

    flags: int
    format: ImageFormat
    type: int
    element_size: int
    most_bytes: int
    most: tuple[int, int, int, int]
    lately: set[tuple[int, int, int, int]]
    array_kind: bytes

    def of(self, width: int, height: int, depth: int, layers: int) -> ImageKind:
        """That of sizes within the limits."""
        descriptor = ImageDescriptor(self.type, width, height, depth, layers)
        layout = layout_of(descriptor, self.format)
        return ImageKind(self.flags, self.format, descriptor, layout, self.type, layout.bytes, {}, (width, height, depth, layers),
                         self.array_kind)


def sized_kind(image: Image) -> SizedKind | None:
    """None where more than the sizes would have to be looked at, or an image has its memory at once."""
    context, contents = image.context, image.flags & codes.MEM_COPY_HOST_PTR
    device = context.devices[0]
    limits, is_more = device.properties.images, image.parent is not None or image.layout.levels > 1 or image.flags & _KEPT
    if limits is None or not context.one_device or is_more or (contents and device.host_addressable):
        return None
    return SizedKind(image.flags, image.format, image.type, image.format.element_size, late.LARGEST, largest_sizes(image.type, limits),
                     set(), image.native_kind())
