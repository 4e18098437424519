"""Images on CUDA: arrays, which textures read and surfaces write, or a buffer's memory.

Textures are made when the image is first given to a kernel that may sample it, one for each state of a sampler, and kept with
the image: a kernel's argument has them all, since samplers may stand in the program's text.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..driver import ImageLayout, Linear
from ..image_argument import TEXTURE_STATES, image_argument
from ..image_formats import ImageFormat, has_textures
from .arrays import Arrays

if TYPE_CHECKING:
    from .device import CudaDevice


class CudaImage:
    def __init__(self, device: CudaDevice, layout: ImageLayout, memory: Linear | None):
        self.layout = layout
        self._device = device
        self._arrays = Arrays(device.cuda)
        self._memory = memory
        self._arguments: dict[tuple[ImageFormat, bool], bytes] = {}
        self._textures: list[int] = []
        self._surfaces: list[int] = []
        self._array = 0
        device.enter()
        if memory is None:
            self._array = self._arrays.create(layout.format, layout.dimensions, (layout.width, layout.height, layout.depth),
                                              layout.layers, layout.levels)

    def linear(self, level: int) -> Linear | None:
        return self._memory

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """Each level's array."""
        if self.layout.levels == 1:
            return (self._array,)
        return tuple(self._arrays.level(self._array, level) for level in range(self.layout.levels))

    def argument(self, view: ImageFormat, sampled: bool) -> bytes:
        known = self._arguments.get((view, sampled))
        if known is None:
            self._device.enter()
            textures = self._make_textures(view) if sampled and has_textures(view) else []
            surface = self._surface() if self._memory is None else 0
            known = self._arguments[view, sampled] = image_argument(self.layout, view, self._memory, textures, surface)
        return known

    def _surface(self) -> int:
        if not self._surfaces:
            self._surfaces = [self._arrays.surface(level) for level in self.levels]
        return self._surfaces[0]

    def _make_textures(self, view: ImageFormat) -> list[int]:
        """In the argument's order; none where memory does not lie as textures need it."""
        layout, memory, made = self.layout, self._memory, []
        if memory is not None and not (layout.dimensions == 2 and self._device.holds_textures(memory)):
            return []
        for state in TEXTURE_STATES:
            if memory is None:
                made.append(self._arrays.array_texture(self._array, layout.levels, view, state))
            else:
                made.append(self._arrays.memory_texture(memory.address, memory.row_pitch, (layout.width, layout.height), view, state))
        self._textures += made
        return made

    def close(self) -> None:
        if self._device.cuda.ended:
            return
        self._device.enter()
        for texture in self._textures:
            self._arrays.destroy_texture(texture)
        for surface in self._surfaces:
            self._arrays.destroy_surface(surface)
        array, self._array = self._array, 0
        self._textures, self._surfaces, self._arguments = [], [], {}
        if array:
            self._arrays.destroy(array, self.layout.levels)
