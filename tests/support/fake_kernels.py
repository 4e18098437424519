"""Kernels of the fake driver: made of their facts and a Python function, and launched."""

from __future__ import annotations

from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.program.program import Program


def make(fake, info, body=lambda parameters, sizes: None, options=""):
    fake.kernels[:] = [info]
    fake.driver.bodies[info.name] = body
    program = Program(fake.context, info.name + options)
    program.build(options)
    return Kernel(program, info.name)


def launch(fake, kernel, size=(8,), **more):
    return enqueue_nd_range_kernel(fake.queue, kernel, len(size), None, size, more.pop("local", None), **more)
