"""Adds two vectors: the smallest complete PyOpenCL program."""

import sys

import numpy as np
import pyopencl as cl

KERNEL = """
__kernel void add(__global const float *a, __global const float *b, __global float *sum)
{
    int i = get_global_id(0);
    sum[i] = a[i] + b[i];
}
"""

rng = np.random.default_rng(1)
a = rng.random(1_000_000, dtype=np.float32)
b = rng.random(1_000_000, dtype=np.float32)

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, KERNEL).build()

flags = cl.mem_flags
a_buffer = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a)
b_buffer = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=b)
sum_buffer = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)

program.add(queue, a.shape, None, a_buffer, b_buffer, sum_buffer)

result = np.empty_like(a)
cl.enqueue_copy(queue, result, sum_buffer)

if not np.array_equal(result, a + b):
    sys.exit("vector_add: the sums differ from NumPy's")
print(f"vector_add: {a.size:,} sums on {context.devices[0].name} equal NumPy's")
