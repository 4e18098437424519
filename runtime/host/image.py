"""Images of the host device: plain memory, which kernels read by the formulas of the specification."""

from __future__ import annotations

import ctypes
from typing import Protocol

from ..driver.image_argument import image_argument
from ..driver.image_formats import ImageFormat
from ..driver.image_layout import ImageLayout
from ..driver.interface import Linear


class Memory(Protocol):
    """What an image asks of its device."""

    def allocate(self, size: int) -> int: ...
    def free(self, address: int) -> None: ...


class HostImage:
    """Its levels lie one after the other without gaps; with `memory`, the one level is there."""

    array = 0

    def __init__(self, device: Memory, layout: ImageLayout, memory: Linear | None):
        self.layout = layout
        self._device = device
        self._levels: dict[ImageFormat, ctypes.Array[ctypes.c_char]] = {}
        self._own = 0 if memory else device.allocate(layout.bytes_before(layout.levels))
        self._memory = memory or layout.tight(self._own)

    def linear(self, level: int) -> Linear:
        if level == 0:
            return self._memory
        return self.layout.tight(self._own + self.layout.bytes_before(level), level)

    def argument(self, view: ImageFormat, sampled: bool) -> bytes:
        if self.layout.levels == 1:
            return image_argument(self.layout, view, self._memory)
        if view not in self._levels:
            levels = (image_argument(self.layout.level(i), view, self.linear(i)) for i in range(self.layout.levels))
            self._levels[view] = ctypes.create_string_buffer(b"".join(levels))
        return image_argument(self.layout, view, self._memory, levels=ctypes.addressof(self._levels[view]))

    def close(self) -> None:
        own, self._own = self._own, 0
        if own:
            self._device.free(own)
