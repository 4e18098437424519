"""Launches of programs in Python, in C and by Python's own steps, on the devices there are."""

from __future__ import annotations

import os

import numpy as np

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from cl2cuda import pyopencl as cl

IN_C = cl.enqueue_nd_range_kernel
SOURCE = """
kernel void add(global uint *x, uint by) { x[get_global_id(0)] += by; }
kernel void room(global uint *x, local uint *mine) { mine[get_local_id(0)] = 5; x[get_global_id(0)] += mine[get_local_id(0)]; }
kernel void out(global uint *x, ulong far) { x[far] = 1; }
"""
DEVICES = [each for each in cl.get_platforms()[0].get_devices() if "remote" not in each.name]


def in_python(*arguments, **named):
    return IN_C.__self__[0](*arguments, **named)


class Launches:
    """A queue, and a kernel that has been launched, so that its plan is there; or as it is on an imagined CUDA whose launches are
    functions of a C library."""

    def __init__(self, device, **properties):
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context, **properties)
        self.program = cl.Program(self.context, SOURCE).build()
        self.x = cl.Buffer(self.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(64, np.uint32))
        self.kernel = cl.Kernel(self.program, "add")
        self.kernel.set_args(self.x, np.uint32(1))
        in_python(self.queue, self.kernel, (64,), (16,))
        self.expected = 1

    def run(self, enqueue=IN_C, *more, **named):
        self.expected += 1
        return enqueue(self.queue, self.kernel, (64,), (16,), *more, **named)

    def check(self):
        found = np.zeros(64, np.uint32)
        cl.enqueue_copy(self.queue, found, self.x)
        assert (found == self.expected).all()
