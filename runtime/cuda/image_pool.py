"""The arrays of a device that no image needs any more: kept with their textures and surfaces for the next
image of the same layout, since CUDA takes hundreds of microseconds to make and to destroy one."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import Generic, Protocol, TypeVar

from ..driver.image_layout import ImageLayout
from ..process import debug_mode
from .memory import OneAfterAnother


class Pooled(Protocol):
    """An image that can be kept."""

    layout: ImageLayout

    def destroy(self) -> None: ...


P = TypeVar("P", bound=Pooled)
# Small arrays take more of the device, and of the driver's time, than their bytes say.
MOST = 1024


class ImagePool(Generic[P]):
    """`limit` is how many bytes may be kept, of MOST images; what was given first goes first."""

    def __init__(self, limit: int):
        self._limit = limit
        self._lock = threading.Lock()
        self._trimming = OneAfterAnother()
        self._resting: dict[tuple[int, ...], deque[P]] = {}  # by the layout's key
        self._order: OrderedDict[P, None] = OrderedDict()
        self.kept = 0

    def take(self, layout: ImageLayout) -> P | None:
        with self._lock:
            resting = self._resting.get(layout.key)
            if not resting:
                return None
            image = resting.pop()
            del self._order[image]
            self._has_left(image)
            return image

    def give(self, image: P) -> None:
        """The pool's from now on: no command uses it."""
        leaving = []
        with self._lock:
            self._resting.setdefault(image.layout.key, deque()).append(image)
            self._order[image] = None
            self.kept += image.layout.bytes
            while self.kept > self._limit or len(self._order) > MOST or (debug_mode.active() and self._order):
                leaving.append(self._oldest_out())
        for each in leaving:
            each.destroy()

    def trim(self) -> bool:
        """Gives back to CUDA what is kept: whether there may be more room than before."""
        with self._trimming.turn() as has_waited:
            with self._lock:
                leaving, self._order, self._resting, self.kept = self._order, OrderedDict(), {}, 0
            for each in leaving:
                each.destroy()
        return has_waited or bool(leaving)

    def _oldest_out(self) -> P:
        image, _ = self._order.popitem(last=False)
        self._resting[image.layout.key].popleft()  # The oldest of all is the oldest of its layout.
        self._has_left(image)
        return image

    def _has_left(self, image: P) -> None:
        if not self._resting[image.layout.key]:
            del self._resting[image.layout.key]
        self.kept -= image.layout.bytes
