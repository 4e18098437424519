"""What tests of shared virtual memory in C share: the functions in C and Python's own, and a queue with memory of every kind. Which devices there
are is found here: its tests say first which."""

from __future__ import annotations

import numpy as np

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import svm
from cl2cuda.runtime.native import library

FLAGS = cl.mem_flags
SIZE = 4096
NAMES = ("_enqueue_svm_memcpy", "_enqueue_svm_memfill", "_enqueue_svm_map", "_enqueue_svm_unmap", "_enqueue_svm_migrate_mem")
COPY, FILL, MAPPED, UNMAPPED, MIGRATED = (getattr(svm, name) for name in NAMES)
# Python's own steps, behind the functions in C.
IN_PYTHON = {name: getattr(svm, name).__self__[1] for name in NAMES} if library.calls() is not None else {}
SOURCE = "kernel void f(global int *a, global const int *b, int n) { a[get_global_id(0)] = b[get_global_id(0)] + n; }"


def ways(name):
    """The function in C, and Python's."""
    return getattr(svm, name), IN_PYTHON[name]


def allocation(context, size=SIZE, flags=FLAGS.READ_WRITE):
    return cl.SVMAllocation(context, size, 0, flags)


def numbers(memory):
    return memory.buf.view(np.int32)


class Bench:
    """A queue and memory of every kind that the face has, with numbers in the first."""

    def __init__(self, context):
        self.context, self.queue = context, cl.CommandQueue(context)
        self.a, self.b = allocation(context), allocation(context)
        self.pool = svm.SVMPool(svm.SVMAllocator(context))
        self.block = self.pool(SIZE)
        self.host = cl.SVM(np.zeros(SIZE // 4, np.int32))
        self.inside = cl.SVM(self.a.buf[64:128])
        self.fill()

    def fill(self):
        self.queue.finish()
        numbers(self.a)[:] = np.arange(SIZE // 4)
        for each in (self.b, self.block):
            numbers(each)[:] = 0
        self.host.mem[:] = 0

    def contents(self):
        self.queue.finish()
        return [numbers(each).tolist() for each in (self.a, self.b, self.block)] + [self.host.mem.tolist()]

    def kernel(self):
        made = cl.Kernel(cl.Program(self.context, SOURCE).build(), "f")
        made.set_args(self.a, self.b, np.int32(1))
        return made
