"""Multiplies two matrices, tile by tile in local memory (matmul.cl)."""

import sys
from pathlib import Path

import numpy as np
import pyopencl as cl

TILE = 16
M, N, K = 500, 400, 300  # no multiples of the tile, so the edges are tested too

rng = np.random.default_rng(2)
a = rng.standard_normal((M, K), dtype=np.float32)
b = rng.standard_normal((K, N), dtype=np.float32)
c = np.empty((M, N), dtype=np.float32)

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
program = cl.Program(context, Path(__file__).with_suffix(".cl").read_text()).build()

flags = cl.mem_flags
a_buffer = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a)
b_buffer = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=b)
c_buffer = cl.Buffer(context, flags.WRITE_ONLY, c.nbytes)


def round_up(size):
    return (size + TILE - 1) // TILE * TILE


event = program.matmul(queue, (round_up(N), round_up(M)), (TILE, TILE),
                       a_buffer, b_buffer, c_buffer, np.int32(M), np.int32(N), np.int32(K))
cl.enqueue_copy(queue, c, c_buffer)

if not np.allclose(c, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-3):
    sys.exit("matmul: the product differs from NumPy's")
milliseconds = (event.profile.end - event.profile.start) / 1e6
print(f"matmul: {M} x {K} times {K} x {N} equals NumPy's product, {milliseconds:.2f} ms, "
      f"{2 * M * N * K / milliseconds / 1e6:.1f} GFLOP/s")
