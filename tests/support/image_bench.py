"""What commands on images are tried with: PyOpenCL's own functions for them, and images of one context."""

from __future__ import annotations

import numpy as np

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import image_transfers
from cl2cuda.runtime.native import library

FLAGS, ORDER, TYPE = cl.mem_flags, cl.channel_order, cl.channel_type
READ, WRITE, COPY, TO_BUFFER, FROM_BUFFER = (
    getattr(image_transfers, f"_enqueue_{name}") for name in ("read_image", "write_image", "copy_image", "copy_image_to_buffer",
                                                              "copy_buffer_to_image"))
FILL = image_transfers.enqueue_fill_image


class Bench:
    """A context with a queue and a buffer."""

    def __init__(self, context):
        self.context = context
        self.queue = cl.CommandQueue(context)
        self.buffer = cl.Buffer(context, FLAGS.READ_WRITE, 1 << 16)

    def prepare(self):
        """Gets scratch memory for commands in C, on the device and the host, since Python then has needed some."""
        image, data = self.image((64, 64)), np.zeros((64, 64, 4), np.uint8)
        WRITE(self.queue, image, (0, 0, 0), (64, 64, 1), data)
        READ(self.queue, image, (0, 0, 0), (64, 64, 1), data)

    def image(self, shape=(8, 6), order=ORDER.RGBA, type_=TYPE.UNSIGNED_INT8, flags=FLAGS.READ_WRITE, is_array=False):
        return cl.create_image(self.context, flags, cl.ImageFormat(order, type_), shape, is_array=is_array)

    def used(self, *words, **named):
        """One that a command has used, which was Python's."""
        image = self.image(*words, **named)
        FILL(self.queue, image, np.zeros(4, np.uint32), (0, 0, 0), (1, 1, 1))
        return image

    def contents(self, image, shape, type_=np.uint8):
        """By Python's own steps."""
        found = np.zeros(shape, type_)
        region = (*image.shape, 1, 1)[:3]
        READ.__self__[1](self.queue, image, (0, 0, 0), region, found) if library.calls() else READ(self.queue, image, (0, 0, 0), region, found)
        return found


def numbers(*shape, seed=1):
    """Bytes that are no zeros, at random."""
    return np.random.default_rng(seed).integers(1, 200, shape).astype(np.uint8)
