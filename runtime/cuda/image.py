"""Images on CUDA: arrays, which textures read and surfaces write, or a buffer's memory.

Textures are made when the image is first given to a kernel that may sample it, one for each state of a
sampler, and kept with the image: a kernel's argument has them all, since samplers may stand in the program's
text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from ..driver.image_argument import image_argument
from ..driver.image_formats import ImageFormat
from ..driver.image_layout import ImageLayout
from ..driver.interface import Linear
from .arrays import Arrays
from .context import CudaContext
from .image_pool import ImagePool


class ImageDevice(Protocol):
    """What images ask of their device."""

    @property
    def context(self) -> CudaContext: ...
    @property
    def images(self) -> ImagePool[CudaImage]: ...

    def allocate(self, size: int) -> int: ...
    def allocate_host(self, size: int) -> int: ...
    def free(self, address: int) -> None: ...
    def copy_now(self, address: int, data: bytes) -> None: ...
    def holds_textures(self, memory: Linear) -> bool: ...


class CudaImage:
    """In an array of its own, in `memory`, or in `array`, which is another API's and stays."""

    def __init__(self, device: ImageDevice, layout: ImageLayout, memory: Linear | None, array: int = 0):
        self.layout = layout
        self._device = device
        self._arrays = Arrays(device.context.cuda)
        self._memory = memory
        self._arguments: dict[tuple[ImageFormat, bool], bytes] = {}
        self._textures: list[int] = []
        self._tables: list[int] = []
        self._array = array
        self._owns_array = memory is None and not array
        device.context.enter()
        if self._owns_array:
            self._array = self._arrays.create(layout.format, layout.dimensions, (layout.width, layout.height, layout.depth),
                                              layout.layers, layout.levels)

    @classmethod
    def adopted(cls, device: ImageDevice, layout: ImageLayout, array: int, surface: int, textures: Sequence[int]) -> CudaImage:
        """In an array that was made for it elsewhere, with textures, and a surface if that is not 0."""
        image = cls(device, layout, None, array)
        image._owns_array = True
        image._textures += textures
        if surface:
            vars(image)["surfaces"] = (surface,)
        return image

    def linear(self, level: int) -> Linear | None:
        return self._memory

    @property
    def array(self) -> int:
        return self._array if self.layout.levels == 1 else 0

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """Each level's array."""
        if self.layout.levels == 1:
            return (self._array,)
        return tuple(self._arrays.level(self._array, level) for level in range(self.layout.levels))

    def argument(self, view: ImageFormat, sampled: bool) -> bytes:
        known = self._arguments.get((view, sampled))
        if known is None:
            self._device.context.enter()
            textures = self._textures_of(view) if sampled and self._has_textures else []
            surface = self.surfaces[0] if self._memory is None else 0
            known = self._arguments[view, sampled] = image_argument(self.layout, view, self._memory, textures, surface,
                                                                    self._level_arguments(view))
        return known

    @cached_property
    def surfaces(self) -> tuple[int, ...]:
        """Each level's surface."""
        return tuple(map(self._arrays.surface, self.levels))

    @cached_property
    def _has_textures(self) -> bool:
        """Memory has them only for 2D images that are no array, and where it lies as they need it."""
        is_plane = self.layout.dimensions == 2 and not self.layout.layers
        return self._memory is None or (is_plane and self._device.holds_textures(self._memory))

    def _textures_of(self, view: ImageFormat) -> list[int]:
        layout, memory = self.layout, self._memory
        if memory is None:
            return self._arrays.array_textures(self._array, layout.levels, view, self._textures)
        size = layout.width, layout.height
        return self._arrays.memory_textures(memory.address, memory.row_pitch, size, view, self._textures)

    def _level_arguments(self, view: ImageFormat) -> int:
        """The address of a mipmapped image's levels in the device's memory, each as an argument of its own;
        else 0."""
        if self.layout.levels == 1:
            return 0
        arguments = b"".join(image_argument(self.layout.level(i), view, surface=surface) for i, surface in enumerate(self.surfaces))
        address = self._device.allocate(len(arguments))
        self._tables.append(address)
        self._device.copy_now(address, arguments)
        return address

    def close(self) -> None:
        if self._owns_array:
            self._device.images.give(self)
        else:
            self.destroy()

    def destroy(self) -> None:
        if not self._device.context.cuda.ended:
            with self._device.context.entered():
                self._destroy()

    def _destroy(self) -> None:
        for texture in self._textures:
            self._arrays.destroy_texture(texture)
        if "surfaces" in self.__dict__:
            for surface in self.surfaces:
                self._arrays.destroy_surface(surface)
        for address in self._tables:
            self._device.free(address)
        if self._owns_array:
            self._arrays.destroy(self._array, self.layout.levels)
