"""The arrays of a device that no image needs any more: kept with their textures and surfaces for the next
image of the same layout, since CUDA takes hundreds of microseconds to make and to destroy one."""

from __future__ import annotations

import threading
from collections import deque
from typing import Generic, Protocol, TypeVar

from ..driver.interface import ImageLayout
from ..process import debug_mode


class Pooled(Protocol):
    """An image that can be kept."""

    layout: ImageLayout

    def destroy(self) -> None: ...


P = TypeVar("P", bound=Pooled)


class ImagePool(Generic[P]):
    """`limit` is how many bytes may be kept; what was given first goes first."""

    def __init__(self, limit: int):
        self._limit = limit
        self._lock = threading.Lock()
        self._resting: dict[ImageLayout, list[P]] = {}
        self._order: deque[P] = deque()
        self.kept = 0

    def take(self, layout: ImageLayout) -> P | None:
        with self._lock:
            resting = self._resting.get(layout)
            return self._out(resting[-1]) if resting else None

    def give(self, image: P) -> None:
        """The pool's from now on: no command uses it."""
        leaving = []
        with self._lock:
            self._resting.setdefault(image.layout, []).append(image)
            self._order.append(image)
            self.kept += image.layout.bytes_before(image.layout.levels)
            while self.kept > self._limit or (debug_mode.active() and self._order):
                leaving.append(self._out(self._order[0]))
        for each in leaving:
            each.destroy()

    def trim(self) -> bool:
        """Gives back to CUDA what is kept; whether that was anything."""
        with self._lock:
            leaving, self._order, self._resting, self.kept = self._order, deque(), {}, 0
        for each in leaving:
            each.destroy()
        return bool(leaving)

    def _out(self, image: P) -> P:
        self._order.remove(image)
        resting = self._resting[image.layout]
        resting.remove(image)
        if not resting:
            del self._resting[image.layout]
        self.kept -= image.layout.bytes_before(image.layout.levels)
        return image
