"""OpenCL kernels on another library's arrays, without a copy: CuPy's on a GPU, NumPy's on the host device."""

import numpy as np
import pyopencl as cl

from cl2cuda import interop

N = 1_000_000
SOURCE = "kernel void halve(global float *a) { a[get_global_id(0)] /= 2; }"

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
if context.devices[0].type == cl.device_type.GPU:
    import cupy as library
else:
    library = np
halve = cl.Program(context, SOURCE).build().halve

# The other library's array in an OpenCL kernel. Its stream need not be waited for: the queue comes after it.
theirs = library.arange(N, dtype=np.float32)
ours = interop.from_dlpack(queue, theirs)
halve(queue, (N,), None, ours.data)

# And back: what OpenCL has computed, seen by the other library, which comes after the queue.
total = float(library.from_dlpack(ours).sum(dtype=np.float64))

expected = float((np.arange(N, dtype=np.float32) / 2).sum(dtype=np.float64))
assert abs(total - expected) <= 1e-6 * expected, (total, expected)
print(f"interop: one array of {N:,} numbers, halved by OpenCL and summed by {library.__name__}: {total:,.0f}, as NumPy says")
