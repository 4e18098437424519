"""Reduces arrays to one value with kernels that PyOpenCL writes: pyopencl.reduction.ReductionKernel."""

import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.reduction import ReductionKernel

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)

sum_of_squares = ReductionKernel(
    context, np.float32, neutral="0", reduce_expr="a + b",
    map_expr="(x[i] - y[i]) * (x[i] - y[i])", arguments="__global const float *x, __global const float *y")
largest = ReductionKernel(
    context, np.int32, neutral="INT_MIN", reduce_expr="max(a, b)",
    map_expr="v[i]", arguments="__global const int *v")

rng = np.random.default_rng(6)
x = rng.random(400_000, dtype=np.float32)
y = rng.random(400_000, dtype=np.float32)
v = rng.integers(-1_000_000_000, 1_000_000_000, 300_001, dtype=np.int32)

distance = np.sqrt(sum_of_squares(cl_array.to_device(queue, x), cl_array.to_device(queue, y)).get())
top = largest(cl_array.to_device(queue, v)).get()

expected = np.linalg.norm(x.astype(np.float64) - y)
if not np.isclose(distance, expected, rtol=1e-5) or top != v.max():
    sys.exit(f"reduction: {distance} and {top}, but NumPy says {expected} and {v.max()}")
print(f"reduction: the distance {distance:.3f} and the maximum {top:,} agree with NumPy's")
