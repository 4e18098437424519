"""What tests of images share: a context and queue, images of every type by NumPy arrays, and reading them back.

An array has the image's rows as its last axis but one, (planes, rows, elements, channels) without the axes that the type lacks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from support.image_model import CLAMP, CLAMP_TO_EDGE, MIRRORED_REPEAT, REPEAT, Format

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.image import enqueue_read_image, enqueue_write_image
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

IMAGE1D, IMAGE1D_BUFFER, IMAGE1D_ARRAY = codes.MEM_OBJECT_IMAGE1D, codes.MEM_OBJECT_IMAGE1D_BUFFER, codes.MEM_OBJECT_IMAGE1D_ARRAY
IMAGE2D, IMAGE2D_ARRAY, IMAGE3D = codes.MEM_OBJECT_IMAGE2D, codes.MEM_OBJECT_IMAGE2D_ARRAY, codes.MEM_OBJECT_IMAGE3D
# The names in OpenCL C, and the sizes that tests give images of each type.
NAMES = {IMAGE1D: "image1d_t", IMAGE1D_BUFFER: "image1d_buffer_t", IMAGE1D_ARRAY: "image1d_array_t", IMAGE2D: "image2d_t",
         IMAGE2D_ARRAY: "image2d_array_t", IMAGE3D: "image3d_t"}
SHAPES = {IMAGE1D: (13,), IMAGE1D_BUFFER: (13,), IMAGE1D_ARRAY: (4, 13), IMAGE2D: (6, 13), IMAGE2D_ARRAY: (3, 6, 13), IMAGE3D: (5, 6, 13)}
ALL_TYPES = list(SHAPES)
# By the addressing modes of `image_model`, which are those of `sampler_t`.
ADDRESS = {CLAMP_TO_EDGE: codes.ADDRESS_CLAMP_TO_EDGE, CLAMP: codes.ADDRESS_CLAMP, REPEAT: codes.ADDRESS_REPEAT,
           MIRRORED_REPEAT: codes.ADDRESS_MIRRORED_REPEAT}
RGBA8, R32F, RGBA32F = Format("RGBA", "UNORM_INT8"), Format("R", "FLOAT"), Format("RGBA", "FLOAT")


def descriptor(image_type: int, shape: tuple[int, ...], **more: Any) -> ImageDescriptor:
    layers = {}
    if image_type in (IMAGE1D_ARRAY, IMAGE2D_ARRAY):
        layers, shape = {"array_size": shape[0]}, shape[1:]
    width, height, depth = (*shape[::-1], 0, 0)[:3]
    return ImageDescriptor(image_type, width, height, depth, **layers, **more)


def region_of(shape: tuple[int, ...]) -> tuple[int, int, int]:
    x, y, z = (*shape[::-1], 1, 1)[:3]
    return x, y, z


class Images:
    def __init__(self, *devices: Device):
        self.context = Context(devices)
        self.queue = CommandQueue(self.context, devices[0])
        self.rng = np.random.default_rng(5)

    def create(self, image_type: int = IMAGE2D, format: Format = RGBA8, shape: tuple[int, ...] | None = None, flags: int = 0,
               host: Any = None, **more: Any) -> Image:
        """A 1D image buffer gets a buffer of its own."""
        shape = shape or SHAPES[image_type]
        if image_type == IMAGE1D_BUFFER and "mem_object" not in more:
            more["mem_object"] = Buffer(self.context, flags, shape[0] * format.element.itemsize)
            flags = 0
        return Image(self.context, flags, format.codes, descriptor(image_type, shape, **more), host)

    def random(self, format: Format, shape: tuple[int, ...]) -> np.ndarray:
        """Every bit used, but of floats: those of moderate size."""
        base = format.element.base
        if base.kind == "f":
            return self.rng.uniform(-4, 4, (*shape, *format.element.shape)).astype(base)
        return self.rng.integers(0, 256, (*shape, format.element.itemsize), np.uint8).view(base)

    def filled(self, image_type: int = IMAGE2D, format: Format = RGBA8, flags: int = 0, **more: Any) -> tuple[Image, np.ndarray]:
        """An image and its elements."""
        elements = self.random(format, more.get("shape") or SHAPES[image_type])
        image = self.create(image_type, format, flags=flags, **more)
        self.write(image, elements)
        return image, elements

    def write(self, image: Image, elements: np.ndarray, origin: tuple[int, ...] = (0, 0, 0)) -> None:
        enqueue_write_image(self.queue, image, True, origin, region_of(elements.shape[:-1]), 0, 0, np.ascontiguousarray(elements))

    def read(self, image: Image, like: np.ndarray, origin: tuple[int, ...] = (0, 0, 0)) -> np.ndarray:
        found = np.zeros(like.shape, like.dtype)
        enqueue_read_image(self.queue, image, True, origin, region_of(like.shape[:-1]), 0, 0, found)
        return found

    def kernel(self, source: str, name: str | None = None, options: str = "-cl-std=CL3.0") -> Kernel:
        program = Program(self.context, source)
        program.build(options)
        return Kernel(program, name or program.kernel_names[0])

    def run(self, kernel: Kernel, size: tuple[int, ...], *values: Any) -> None:
        """Arrays are read and written through buffers."""
        buffers = []
        for index, value in enumerate(values):
            if isinstance(value, np.ndarray) and value.ndim:
                buffers.append((Buffer(self.context, codes.MEM_COPY_HOST_PTR, value.nbytes, value), value))
                kernel.set_arg(index, buffers[-1][0])
            else:
                kernel.set_arg(index, value)
        enqueue_nd_range_kernel(self.queue, kernel, len(size), None, size, None)
        for buffer, array in buffers:
            enqueue_read_buffer(self.queue, buffer, True, 0, array)
        self.queue.finish()
