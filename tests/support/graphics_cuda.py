"""CUDA's graphics interop in memory, over the real OpenGL of the machine: what is mapped has OpenGL's contents, what is unmapped goes
back. Each mapping has another address or another array, and nothing is left where the last one was.

`ImaginedArrays` are CUDA's arrays, as far as copies see them.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

from cl2cuda.runtime.cuda.arrays import Copy
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.graphics import CudaGraphics

from .fake_cuda import FakeCuda
from .gl import FORMATS, GL

BYTES = {1: 1, 2: 2, 3: 4, 8: 1, 9: 2, 10: 4, 0x10: 2, 0x20: 4}  # of CUarray_format
INVALID_HANDLE, NOT_MAPPED, ALREADY_MAPPED, INVALID_CONTEXT = 400, 211, 208, 219


def block_of(size: int) -> Any:
    return (ctypes.c_ubyte * size)(*b"\xcd" * min(size, 64))


class Array:
    def __init__(self, width: int, rows: int, planes: int):
        self.width, self.rows, self.planes = width, rows, planes
        self.block = block_of(width * rows * planes)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.block)


class ImaginedArrays:
    """cuArray3DCreate and its like; a handle is a number."""

    def __init__(self) -> None:
        self.arrays: dict[int, Array] = {}
        self.handles = 5000

    def new(self, array: Array) -> int:
        self.handles += 1
        self.arrays[self.handles] = array
        return self.handles

    def functions(self) -> dict[str, Any]:
        def create(handle: Any, descriptor: Any) -> int:
            d = descriptor._obj
            handle._obj.value = self.new(Array(d.width * BYTES[d.format] * d.channels, max(1, d.height), max(1, d.depth)))
            return 0

        def destroy(handle: Any) -> int:
            del self.arrays[handle.value]
            return 0

        def copy(parameters: Any, stream: Any) -> int:
            p = parameters._obj
            for z in range(p.depth):
                for y in range(p.height):
                    ctypes.memmove(self._place(p, "target", y, z, p.width), self._place(p, "source", y, z, p.width), p.width)
            return 0

        return {"cuArray3DCreate_v2": create, "cuArrayDestroy": destroy, "cuMemcpy3DAsync_v2": copy}

    def _place(self, p: Copy, end: str, y: int, z: int, width: int) -> int:
        def of(word: str) -> int:
            return int(getattr(p, f"{end}_{word}"))

        kind = of("memory") & 0xFFFFFFFF  # C leaves the other half of the word as it is.
        if kind == 3:
            array = self.arrays[of("array")]
            assert of("x") + width <= array.width and of("y") + y < array.rows and of("z") + z < array.planes
            return array.address + ((of("z") + z) * array.rows + of("y") + y) * array.width + of("x")
        start = of("host") if kind == 1 else of("device")
        return start + (z * of("height") + y) * of("pitch")


class Resource:
    """A registered object of OpenGL's."""

    def __init__(self, kind: str, name: int, target: int, flags: int):
        self.kind, self.name, self.target, self.flags = kind, name, target, flags
        self.mapped = False
        self.block: Any = None
        self.arrays: dict[tuple[int, int], int] = {}


class ImaginedGraphics(ImaginedArrays):
    """`devices` are those that the current context of OpenGL runs on."""

    def __init__(self) -> None:
        super().__init__()
        self.resources: dict[int, Resource] = {}
        self.devices = [0]
        self.takes_images = True
        self.kept: list[Any] = []  # Blocks that were unmapped: nothing new is at their addresses.

    def library(self) -> Any:
        functions = {**self.functions(), "cuGraphicsGLRegisterBuffer": self._register_buffer,
                     "cuGraphicsGLRegisterImage": self._register_image, "cuGraphicsUnregisterResource": self._unregister,
                     "cuGraphicsMapResources": self._map, "cuGraphicsUnmapResources": self._unmap,
                     "cuGraphicsResourceGetMappedPointer_v2": self._pointer, "cuGraphicsSubResourceGetMappedArray": self._array,
                     "cuGLGetDevices_v2": self._gl_devices}
        return SimpleNamespace(**{name: _plain(function) for name, function in functions.items()})

    def _registered(self, handle: Any, resource: Resource) -> int:
        if not GL.glGetString(GL.GL_VERSION):
            return INVALID_CONTEXT
        self.handles += 1
        self.resources[self.handles] = resource
        handle._obj.value = self.handles
        return 0

    def _register_buffer(self, handle: Any, name: int, flags: int) -> int:
        assert flags in (0, 1) and GL.glIsBuffer(name)
        return self._registered(handle, Resource("buffer", name, GL.GL_ARRAY_BUFFER, flags))

    def _register_image(self, handle: Any, name: int, target: int, flags: int) -> int:
        assert flags == 4
        assert target in (GL.GL_TEXTURE_2D, GL.GL_TEXTURE_RECTANGLE, GL.GL_TEXTURE_CUBE_MAP, GL.GL_TEXTURE_3D, GL.GL_RENDERBUFFER)
        return self._registered(handle, Resource("image", name, target, flags)) if self.takes_images else INVALID_HANDLE

    def _unregister(self, handle: Any) -> int:
        assert not self.resources.pop(handle.value).mapped
        return 0

    def _map(self, count: int, handles: Any, stream: int) -> int:
        resource = self.resources[handles._obj.value]
        if resource.mapped:
            return ALREADY_MAPPED
        resource.mapped = True
        if resource.kind == "buffer":
            GL.glBindBuffer(resource.target, resource.name)
            contents = GL.glGetBufferSubData(resource.target, 0, GL.glGetBufferParameteriv(resource.target, GL.GL_BUFFER_SIZE))
            resource.block = (ctypes.c_ubyte * len(contents)).from_buffer_copy(bytes(contents))
        return 0

    def _unmap(self, count: int, handles: Any, stream: int) -> int:
        resource = self.resources[handles._obj.value]
        if not resource.mapped:
            return NOT_MAPPED
        resource.mapped = False
        if resource.kind == "buffer":
            if not resource.flags:
                GL.glBindBuffer(resource.target, resource.name)
                GL.glBufferSubData(resource.target, 0, len(resource.block), bytes(resource.block))
            ctypes.memset(resource.block, 0xEE, len(resource.block))
            self.kept.append(resource.block)
        for (face, level), handle in resource.arrays.items():
            array = self.arrays.pop(handle)
            self._transfer(resource, face, level, array, write=True)
            ctypes.memset(array.block, 0xEE, len(array.block))
            self.kept.append(array.block)
        resource.arrays = {}
        return 0

    def _pointer(self, address: Any, size: Any, handle: Any) -> int:
        resource = self.resources[handle.value]
        if not resource.mapped or resource.kind != "buffer":
            return NOT_MAPPED
        address._obj.value, size._obj.value = ctypes.addressof(resource.block), len(resource.block)
        return 0

    def _array(self, array: Any, handle: Any, face: int, level: int) -> int:
        resource = self.resources[handle.value]
        if not resource.mapped or resource.kind != "image":
            return NOT_MAPPED
        sides, format_ = self._described(resource, face, level)
        width = sides[0] * format_.dtype.itemsize * format_.channels
        made = Array(width, sides[1], sides[2])
        resource.arrays[face, level] = array._obj.value = self.new(made)
        self._transfer(resource, face, level, made, write=False)
        return 0

    def _face(self, resource: Resource, face: int) -> int:
        return GL.GL_TEXTURE_CUBE_MAP_POSITIVE_X + face if resource.target == GL.GL_TEXTURE_CUBE_MAP else resource.target

    def _described(self, resource: Resource, face: int, level: int) -> tuple[tuple[int, ...], Any]:
        if resource.target == GL.GL_RENDERBUFFER:
            GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, resource.name)
            width, height, number = (GL.glGetRenderbufferParameteriv(GL.GL_RENDERBUFFER, each) for each in (
                GL.GL_RENDERBUFFER_WIDTH, GL.GL_RENDERBUFFER_HEIGHT, GL.GL_RENDERBUFFER_INTERNAL_FORMAT))
            sides = (width, height, 1)
        else:
            GL.glBindTexture(resource.target, resource.name)
            target = self._face(resource, face)
            *sides, number = (GL.glGetTexLevelParameteriv(target, level, each) for each in (
                GL.GL_TEXTURE_WIDTH, GL.GL_TEXTURE_HEIGHT, GL.GL_TEXTURE_DEPTH, GL.GL_TEXTURE_INTERNAL_FORMAT))
        return tuple(max(1, int(side)) for side in sides), next(each for each in FORMATS.values() if each.number(each.name) == number)

    def _transfer(self, resource: Resource, face: int, level: int, array: Array, write: bool) -> None:
        sides, format_ = self._described(resource, face, level)
        pixels = format_.number(format_.pixel_format), format_.number(format_.pixel_type)
        name, target, address = resource.name, resource.target, ctypes.c_void_p(array.address)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
        if target == GL.GL_RENDERBUFFER:
            name, target = int(GL.glGenTextures(1)), GL.GL_TEXTURE_2D
            GL.glBindTexture(target, name)
            GL.glTexStorage2D(target, 1, format_.number(format_.name), *sides[:2])
            if not write:
                GL.glCopyImageSubData(resource.name, GL.GL_RENDERBUFFER, 0, 0, 0, 0, name, target, 0, 0, 0, 0, *sides)
        get, put_2d, put_3d = _raw()
        if write:
            # A cube map's face by its own target: by glTextureSubImage3D, NVIDIA's OpenGL does not write all of them.
            GL.glBindTexture(target, name)
            put, size = (put_3d, sides) if target == GL.GL_TEXTURE_3D else (put_2d, sides[:2])
            put(self._face(resource, face) if name == resource.name else target, level, *(0,) * len(size), *size, *pixels, address)
        else:
            plane = face if target == GL.GL_TEXTURE_CUBE_MAP else 0
            get(name, level, 0, 0, plane, *sides, *pixels, len(array.block), address)
        if resource.target == GL.GL_RENDERBUFFER:
            if write:
                GL.glCopyImageSubData(name, target, 0, 0, 0, 0, resource.name, GL.GL_RENDERBUFFER, 0, 0, 0, 0, *sides)
            GL.glDeleteTextures(1, [name])

    def _gl_devices(self, count: Any, devices: Any, room: int, which: int) -> int:
        count._obj.value = len(self.devices)
        for place, device in enumerate(self.devices):
            devices[place] = device
        return 0 if self.devices else INVALID_CONTEXT


def _raw() -> tuple[Any, Any, Any]:
    """PyOpenGL's own forms know not all types."""
    from OpenGL.raw.GL.VERSION import GL_1_1, GL_1_2, GL_4_5

    return GL_4_5.glGetTextureSubImage, GL_1_1.glTexSubImage2D, GL_1_2.glTexSubImage3D


def _plain(function: Any) -> Any:
    """A function that takes attributes, as ctypes' own do."""

    def call(*arguments: Any) -> int:
        status: int = function(*arguments)
        return status

    return call


def device() -> CudaDevice:
    cuda = FakeCuda()
    cuda.driver.check_status = cuda.runtime.check_status
    cuda.runtime.mallocAsync = lambda size, stream: cuda.runtime.malloc(size)
    cuda.runtime.freeAsync = lambda address, stream: cuda.runtime.free(address)
    plain = cuda.runtime.deviceGetAttribute
    # Images of up to 1024 elements in each direction.
    cuda.runtime.deviceGetAttribute = lambda number, ordinal: max(plain(number, ordinal), 1024) if number not in (75, 76) else plain(number, 0)
    made = CudaDevice(cuda, 0)
    _ = made.properties, made.memory, made.images  # asked of a CUDA without the calls that are imagined below
    imagined = ImaginedGraphics()
    cuda.library = cuda._library = imagined.library()
    cuda.stream_addresses = cuda.staging_addresses = None  # It has nothing but what graphics needs.
    made.__dict__["graphics"] = CudaGraphics(made)
    made.__dict__["imagined"] = imagined
    return made
