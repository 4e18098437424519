"""Prefix sums with kernels that PyOpenCL writes: pyopencl.scan, also to pick elements out of an array."""

import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.scan import GenericScanKernel, InclusiveScanKernel

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)

rng = np.random.default_rng(7)
values = rng.integers(0, 100, 500_003, dtype=np.int32)

prefix_sum = InclusiveScanKernel(context, np.int32, "a + b", neutral="0")
sums = cl_array.to_device(queue, values)
prefix_sum(sums)

# Each element that passes the test learns from a running count where it goes.
pick_large = GenericScanKernel(
    context, np.int32,
    arguments="__global const int *values, __global int *picked, __global int *count",
    input_expr="values[i] > 90 ? 1 : 0",
    scan_expr="a + b", neutral="0",
    output_statement="""
        if (item != prev_item) picked[item - 1] = values[i];
        if (i + 1 == N) *count = item;
        """)
picked = cl_array.empty(queue, values.shape, np.int32)
count = cl_array.zeros(queue, (), np.int32)
pick_large(cl_array.to_device(queue, values), picked, count)
n = int(count.get())

if not np.array_equal(sums.get(), np.cumsum(values, dtype=np.int32)):
    sys.exit("scan: the prefix sums differ from NumPy's")
if not np.array_equal(picked.get()[:n], values[values > 90]):
    sys.exit("scan: the picked elements differ from NumPy's")
print(f"scan: {values.size:,} prefix sums and the {n:,} picked elements equal NumPy's")
