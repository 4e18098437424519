"""Computes with whole arrays on the device, as with NumPy: pyopencl.array and pyopencl.clmath."""

import sys

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.clmath as clmath

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)

rng = np.random.default_rng(5)
x = rng.uniform(-1, 1, 100_000).astype(np.float32)
y = rng.uniform(1, 2, 100_000).astype(np.float32)
x_dev = cl_array.to_device(queue, x)
y_dev = cl_array.to_device(queue, y)

failures = []


def check(name, found, expected):
    found = found.get() if isinstance(found, cl_array.Array) else found
    if found.dtype != expected.dtype or not np.allclose(found, expected, rtol=1e-5, atol=1e-6):
        failures.append(name)


check("linear combination", 2 * x_dev + 3 * y_dev - 1, 2 * x + 3 * y - 1)
check("quotient", x_dev / y_dev, x / y)
check("power", y_dev**2.5, y**np.float32(2.5))
check("functions", clmath.sin(x_dev) * clmath.exp(-(y_dev**2)), np.sin(x) * np.exp(-(y**2)))
check("comparison", (x_dev > 0).astype(np.int32), (x > 0).astype(np.int32))
check("choice", cl_array.if_positive(x_dev, x_dev, y_dev), np.where(x > 0, x, y))
check("slice", x_dev[1000:2000] + 1, x[1000:2000] + 1)
check("conversion", (100 * x_dev).astype(np.int32), (100 * x).astype(np.int32))
check("integers", cl_array.arange(queue, 1000, dtype=np.int32) & 12, np.arange(1000, dtype=np.int32) & 12)
check("dot product", cl_array.dot(x_dev, y_dev) / x.size, np.float32(np.dot(x.astype(float), y) / x.size))
check("maximum", cl_array.max(x_dev), x.max())

x_dev *= 2
x_dev += y_dev
check("in place", x_dev, x * 2 + y)

if failures:
    sys.exit(f"array_arithmetic: these differ from NumPy: {', '.join(failures)}")
print(f"array_arithmetic: 12 computations on {x.size:,} elements agree with NumPy")
