"""Multiplies matrices of half by the device's matrix engines (half_matmul.cl).

    half_matmul.py [SUB_GROUP]      the smallest size of the device's sub-groups: 8 (if nothing is said) or 16
"""

import sys
from pathlib import Path

import numpy as np
import pyopencl as cl

EXTENSION = "cl_intel_subgroup_matrix_multiply_accumulate"
SUB_GROUP = int(sys.argv[1]) if len(sys.argv) > 1 else 8
M, N, K = 256, 512, 384
WORK_GROUP = 64  # work-items: whole sub-groups

rng = np.random.default_rng(3)
a = rng.standard_normal((M, K), dtype=np.float32).astype(np.float16)
b = rng.standard_normal((K, N), dtype=np.float32).astype(np.float16)
c = np.empty((M, N), dtype=np.float32)

context = cl.create_some_context(interactive=False)
if EXTENSION not in context.devices[0].extensions.split():
    sys.exit(f"half_matmul: the device has no {EXTENSION}")
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
program = cl.Program(context, Path(__file__).with_suffix(".cl").read_text()).build(["-cl-std=CL3.0", f"-DSUB_GROUP={SUB_GROUP}"])

flags = cl.mem_flags
a_buffer = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a)
b_buffer = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=b)
c_buffer = cl.Buffer(context, flags.WRITE_ONLY, c.nbytes)

# Each work-item has a column of 8 rows, twice.
event = program.half_matmul(queue, (N // 2, M // 8), (WORK_GROUP, 1), a_buffer, b_buffer, c_buffer, np.int32(N), np.int32(K))
cl.enqueue_copy(queue, c, c_buffer)

if not np.allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-3):
    sys.exit("half_matmul: the product differs from NumPy's")
milliseconds = (event.profile.end - event.profile.start) / 1e6
print(f"half_matmul: {M} x {K} times {K} x {N} in half equals NumPy's product, {milliseconds:.2f} ms, "
      f"{2 * M * N * K / milliseconds / 1e6:.1f} GFLOP/s")
