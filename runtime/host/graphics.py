"""Sharing with OpenGL by copies: what is acquired comes from OpenGL into memory of the host, what is released goes back. So any
implementation of OpenGL shares with the host device, wherever it renders."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from ..driver.image_layout import ImageLayout
from ..driver.interface import Linear, Stream
from ..driver.reported import graphics_errors
from ..opengl import transfer
from ..opengl.objects import GlBuffer, GlImage
from ..opengl.share_group import ShareGroup
from .image import HostImage

Contents = TypeVar("Contents", int, HostImage)


class Memory(Protocol):
    """What shared objects ask of their device."""

    def allocate(self, size: int) -> int: ...
    def free(self, address: int) -> None: ...
    def create_image(self, layout: ImageLayout, memory: Linear | None = None) -> HostImage: ...


class HostGraphics:
    def __init__(self, device: Memory):
        self._device = device

    def refusal(self, group: ShareGroup) -> str:
        return ""

    def renders(self, group: ShareGroup) -> bool:
        """It may be software that renders, or a GPU that no device stands for; copies reach either."""
        return True

    def buffer(self, group: ShareGroup, source: GlBuffer, written: bool) -> CopiedBuffer:
        return CopiedBuffer(self._device, group, source, written)

    def image(self, group: ShareGroup, source: GlImage, layout: ImageLayout, written: bool) -> CopiedImage:
        return CopiedImage(self._device, group, source, layout, written)


class Copied(Generic[Contents]):
    """Contents that OpenGL has, and `memory` that they are copied to and from."""

    ordered = False
    memory: Contents

    def __init__(self, group: ShareGroup, written: bool):
        self._group, self._written = group, written

    def acquire(self, stream: Stream) -> Contents:
        with graphics_errors():
            self._group.run(self._read)
        return self.memory

    def release(self, stream: Stream) -> None:
        if self._written:
            with graphics_errors():
                self._group.run(self._write_and_finish)

    def _write_and_finish(self) -> None:
        self._write()
        self._group.gl.Finish()

    def _read(self) -> None:
        raise NotImplementedError

    def _write(self) -> None:
        raise NotImplementedError


class CopiedBuffer(Copied[int]):
    def __init__(self, device: Memory, group: ShareGroup, source: GlBuffer, written: bool):
        super().__init__(group, written)
        self._device, self._source = device, source
        self.memory = device.allocate(source.size)

    def _read(self) -> None:
        transfer.read_buffer(self._group.gl, self._source, self.memory)

    def _write(self) -> None:
        transfer.write_buffer(self._group.gl, self._source, self.memory)

    def close(self) -> None:
        self._device.free(self.memory)


class CopiedImage(Copied[HostImage]):
    def __init__(self, device: Memory, group: ShareGroup, source: GlImage, layout: ImageLayout, written: bool):
        super().__init__(group, written)
        self._source = source
        self.memory = device.create_image(layout)
        self._address = self.memory.linear(0).address
        self._size = layout.bytes_before(1)

    def _read(self) -> None:
        transfer.read_image(self._group.gl, self._source, self._address, self._size)

    def _write(self) -> None:
        transfer.write_image(self._group.gl, self._source, self._address)

    def close(self) -> None:
        self.memory.close()
