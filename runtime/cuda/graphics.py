"""Sharing with OpenGL through CUDA's graphics interop, all of whose calls want a context of OpenGL that is current: the application's,
if it is so on the calling thread, for mappings, which CUDA then puts in order with what that context is given; for all else the share
group's, on its thread.

Buffers, and images of what CUDA registers, are OpenGL's own memory. The other formats and targets, which cuGraphicsGLRegisterImage
does not take, pass through a pixel buffer on the device, which it does take.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from typing import Protocol

from ..driver.image_layout import ImageLayout
from ..driver.interface import DriverError, ImagePart, Linear, Stream
from ..driver.reported import graphics_errors
from ..opengl import calls as gl
from ..opengl import transfer
from ..opengl.objects import GlBuffer, GlImage
from ..opengl.share_group import ShareGroup
from .api import Cuda, prototype
from .context import CudaContext
from .image import CudaImage, ImageDevice

READ_ONLY, SURFACE_LOAD_STORE = 1, 4  # CU_GRAPHICS_REGISTER_FLAGS_*
ALL_DEVICES, MOST_DEVICES = 1, 64  # CU_GL_DEVICE_LIST_ALL

# Of an array texture CUDA gives each layer as an array of its own, which no image is.
_REGISTERED_TARGETS = (gl.TEXTURE_2D, gl.TEXTURE_RECTANGLE, gl.TEXTURE_3D, *gl.TEXTURE_CUBE_MAP_FACES, gl.RENDERBUFFER)


class Calls:
    """The driver's calls, which CuPy lacks."""

    def __init__(self, cuda: Cuda, library: ctypes.CDLL):
        self.cuda = cuda
        pointer, number = ctypes.c_void_p, ctypes.c_uint
        self.register_buffer = prototype(library, "cuGraphicsGLRegisterBuffer", pointer, number, number)
        self.register_image = prototype(library, "cuGraphicsGLRegisterImage", pointer, number, number, number)
        self.unregister = prototype(library, "cuGraphicsUnregisterResource", pointer)
        self.map = prototype(library, "cuGraphicsMapResources", number, pointer, pointer)
        self.unmap = prototype(library, "cuGraphicsUnmapResources", number, pointer, pointer)
        self.mapped_pointer = prototype(library, "cuGraphicsResourceGetMappedPointer_v2", pointer, pointer, pointer)
        self.mapped_array = prototype(library, "cuGraphicsSubResourceGetMappedArray", pointer, pointer, number, number)
        self.devices = prototype(library, "cuGLGetDevices_v2", pointer, pointer, number, number)

    def check(self, status: int) -> None:
        if status:
            self.cuda.call(self.cuda.driver.check_status, status)


class GraphicsDevice(ImageDevice, Protocol):
    """What sharing asks of its device."""

    ordinal: int
    cuda: Cuda

    @property
    def context(self) -> CudaContext: ...
    def create_image(self, layout: ImageLayout, memory: Linear | None = None) -> CudaImage: ...


class CudaGraphics:
    def __init__(self, device: GraphicsDevice):
        self._device = device
        assert device.cuda.library is not None, "without NVIDIA's driver there is nothing to share"
        self._calls = Calls(device.cuda, device.cuda.library)

    def refusal(self, group: ShareGroup) -> str:
        return "" if self.renders(group) else "its commands run on another device, or in another implementation than NVIDIA's"

    def renders(self, group: ShareGroup) -> bool:
        found, count = (ctypes.c_int * MOST_DEVICES)(), ctypes.c_uint()

        def ask() -> int:
            self._device.context.enter()
            return self._calls.devices(ctypes.byref(count), found, MOST_DEVICES, ALL_DEVICES)

        return group.run(ask) == 0 and self._device.ordinal in found[: count.value]

    def buffer(self, group: ShareGroup, source: GlBuffer, written: bool) -> RegisteredBuffer:
        return RegisteredBuffer(Registered(self._device, self._calls, group), source, written)

    def image(self, group: ShareGroup, source: GlImage, layout: ImageLayout, written: bool) -> RegisteredImage | ThroughPixelBuffer:
        registered = Registered(self._device, self._calls, group)
        if source.format.registers and source.target in _REGISTERED_TARGETS and not source.sibling:
            with contextlib.suppress(DriverError):  # There are textures that CUDA does not take for reasons of its own.
                return RegisteredImage(registered, source, layout)
        return ThroughPixelBuffer(registered, source, layout, written)


class Registered:
    """An object of OpenGL that CUDA knows. All but `run`, `run_ordered` and `close` is called inside one of the first two."""

    def __init__(self, device: GraphicsDevice, calls: Calls, group: ShareGroup):
        self.device, self.calls, self.group = device, calls, group
        self._resource = ctypes.c_void_p()
        self._stream: int | None = None  # while it is mapped

    def run(self, function: Callable[[], None]) -> None:
        """On the group's thread, with CUDA's context current there too."""
        with graphics_errors():
            self.group.run(lambda: self._with_cuda(function))

    def run_ordered(self, function: Callable[[], None]) -> None:
        """Where the application's context is current, on the calling thread: what it was given before comes before a mapping, and
        what it is given later after an unmapping. Elsewhere as `run`."""
        if self.group.calling_thread_has_shared():
            self._with_cuda(function)
        else:
            self.run(function)

    def _with_cuda(self, function: Callable[[], None]) -> None:
        self.device.context.enter()
        function()

    def register_buffer(self, name: int, flags: int) -> None:
        self.calls.check(self.calls.register_buffer(ctypes.byref(self._resource), name, flags))

    def register_image(self, source: GlImage) -> None:
        self.calls.check(self.calls.register_image(ctypes.byref(self._resource), source.name, source.binding_target, SURFACE_LOAD_STORE))

    def map(self, stream: Stream) -> None:
        self.calls.check(self.calls.map(1, ctypes.byref(self._resource), stream.handle))
        self._stream = stream.handle

    def unmap(self, stream: Stream) -> None:
        self._stream = None
        self.calls.check(self.calls.unmap(1, ctypes.byref(self._resource), stream.handle))

    def pointer(self) -> int:
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self.calls.check(self.calls.mapped_pointer(ctypes.byref(address), ctypes.byref(size), self._resource))
        return address.value

    def array(self, face: int, level: int) -> int:
        array = ctypes.c_uint64()
        self.calls.check(self.calls.mapped_array(ctypes.byref(array), self._resource, face, level))
        return array.value

    def close(self) -> None:
        """OpenGL's context, and the registration with it, may have ended already."""
        if not self.device.cuda.ended and self._resource.value:
            with contextlib.suppress(DriverError):
                self.run(self._unregister)

    def _unregister(self) -> None:
        if self._stream is not None:
            self.calls.unmap(1, ctypes.byref(self._resource), self._stream)
        self.calls.check(self.calls.unregister(self._resource))


class RegisteredBuffer:
    memory = None
    ordered = True

    def __init__(self, registered: Registered, source: GlBuffer, written: bool):
        self._registered = registered
        self._address = 0
        registered.run(lambda: registered.register_buffer(source.name, 0 if written else READ_ONLY))

    def acquire(self, stream: Stream) -> int:
        self._registered.run_ordered(lambda: self._map(stream))
        return self._address

    def _map(self, stream: Stream) -> None:
        self._registered.map(stream)
        self._address = self._registered.pointer()

    def release(self, stream: Stream) -> None:
        self._registered.run_ordered(lambda: self._registered.unmap(stream))

    def close(self) -> None:
        self._registered.close()


class RegisteredImage:
    """Each mapping may have another array, and textures of its own."""

    memory = None
    ordered = True

    def __init__(self, registered: Registered, source: GlImage, layout: ImageLayout):
        self._registered, self._source, self._layout = registered, source, layout
        self._array = 0
        self._image: CudaImage | None = None
        registered.run(lambda: registered.register_image(source))

    def acquire(self, stream: Stream) -> CudaImage:
        self._registered.run_ordered(lambda: self._map(stream))
        self._image = CudaImage(self._registered.device, self._layout, None, self._array)
        return self._image

    def _map(self, stream: Stream) -> None:
        self._registered.map(stream)
        self._array = self._registered.array(self._source.face, self._source.level)

    def release(self, stream: Stream) -> Callable[[], None] | None:
        image, self._image = self._image, None
        self._registered.run_ordered(lambda: self._registered.unmap(stream))
        return None if image is None else image.close

    def close(self) -> None:
        if self._image is not None:
            self._image.close()
        self._registered.close()


class ThroughPixelBuffer:
    """An image of CUDA's own; OpenGL moves pixels between its object and a pixel buffer, CUDA between that and the image."""

    ordered = False  # What moves pixels in OpenGL must not use the application's context: that has bindings and modes of its own.

    def __init__(self, registered: Registered, source: GlImage, layout: ImageLayout, written: bool):
        self._registered, self._source, self._written = registered, source, written
        self._size = layout.bytes_before(1)
        width, rows, planes = layout.size()
        self._region = width * layout.format.element_size, rows, planes
        self._name = 0
        self.memory = registered.device.create_image(layout)
        try:
            registered.run(self._make)
        except DriverError:
            self.memory.close()
            raise

    def _make(self) -> None:
        self._name = transfer.new_pixel_buffer(self._registered.group.gl, self._size)
        self._registered.register_buffer(self._name, 0)

    def acquire(self, stream: Stream) -> CudaImage:
        self._registered.run(lambda: self._fetch(stream))
        return self.memory

    def _fetch(self, stream: Stream) -> None:
        transfer.into_pixel_buffer(self._registered.group.gl, self._source, self._name, self._size)
        self._copy(stream, to_image=True)

    def release(self, stream: Stream) -> None:
        if self._written:
            self._registered.run(lambda: self._bring(stream))

    def _bring(self, stream: Stream) -> None:
        self._copy(stream, to_image=False)
        transfer.from_pixel_buffer(self._registered.group.gl, self._source, self._name)
        if self._source.sibling:
            self._registered.group.gl.Finish()  # Whoever knows the EGLImage knows nothing of the group's context.

    def _copy(self, stream: Stream, to_image: bool) -> None:
        self._registered.map(stream)
        pixels, image = self.memory.layout.tight(self._registered.pointer()), ImagePart(self.memory, 0, (0, 0, 0))
        stream.copy_image("device_to_device", image if to_image else pixels, pixels if to_image else image, self._region)
        self._registered.unmap(stream)

    def close(self) -> None:
        self._registered.close()
        if not self._registered.device.cuda.ended:
            with contextlib.suppress(DriverError):
                self._registered.run(lambda: self._registered.group.gl.delete_name("DeleteBuffers", self._name))
        self.memory.close()
