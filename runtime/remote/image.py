"""Images of a remote device: what the worker has made, by its number."""

from __future__ import annotations

from ..driver.image_formats import ImageFormat
from ..driver.image_layout import ImageLayout
from ..driver.interface import Linear
from . import operations as op
from .facts import from_format, from_layout, to_linear
from .session import Session


class RemoteImage:
    """`number` is the image's among those of the session."""

    array = 0

    def __init__(self, session: Session, device: int, layout: ImageLayout, memory: Linear | None):
        self.layout = layout
        self._session, self._device = session, device
        (self.number, levels), _ = session.call(device, op.IMAGE, from_layout(layout), memory)
        self._levels = [to_linear(level) for level in levels]
        self._arguments: dict[tuple[ImageFormat, bool], bytes] = {}

    def linear(self, level: int) -> Linear | None:
        return self._levels[level]

    def argument(self, view: ImageFormat, sampled: bool) -> bytes:
        known = self._arguments.get((view, sampled))
        if known is None:
            known, _ = self._session.call(self._device, op.ARGUMENT, self.number, from_format(view), sampled)
            self._arguments[view, sampled] = known
        return known

    def close(self) -> None:
        self._session.tell(self._device, op.CLOSE_IMAGE, self.number)
