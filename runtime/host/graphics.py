"""Sharing with OpenGL by copies: what is acquired comes from OpenGL into memory of the host, what is released goes back. So any
implementation of OpenGL shares with the host device, wherever it renders."""

from __future__ import annotations

from typing import Protocol

from ..driver.interface import ImageLayout, Linear, Stream
from ..driver.reported import graphics_errors
from ..opengl import transfer
from ..opengl.objects import GlBuffer, GlImage
from ..opengl.share_group import ShareGroup
from .image import HostImage


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


class CopiedBuffer:
    def __init__(self, device: Memory, group: ShareGroup, source: GlBuffer, written: bool):
        self._device, self._group, self._source, self._written = device, group, source, written
        self.memory = device.allocate(source.size)

    def acquire(self, stream: Stream) -> int:
        with graphics_errors():
            self._group.run(lambda: transfer.read_buffer(self._group.gl, self._source, self.memory))
        return self.memory

    def release(self, stream: Stream) -> None:
        if self._written:
            with graphics_errors():
                self._group.run(self._write)

    def _write(self) -> None:
        transfer.write_buffer(self._group.gl, self._source, self.memory)
        self._group.gl.Finish()

    def close(self) -> None:
        self._device.free(self.memory)


class CopiedImage:
    def __init__(self, device: Memory, group: ShareGroup, source: GlImage, layout: ImageLayout, written: bool):
        self._group, self._source, self._written = group, source, written
        self.memory = device.create_image(layout)
        self._address = self.memory.linear(0).address
        self._size = layout.bytes_before(1)

    def acquire(self, stream: Stream) -> HostImage:
        with graphics_errors():
            self._group.run(lambda: transfer.read_image(self._group.gl, self._source, self._address, self._size))
        return self.memory

    def release(self, stream: Stream) -> None:
        if self._written:
            with graphics_errors():
                self._group.run(self._write)

    def _write(self) -> None:
        transfer.write_image(self._group.gl, self._source, self._address)
        self._group.gl.Finish()

    def close(self) -> None:
        self.memory.close()
