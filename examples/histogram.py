"""Counts byte values with atomics in local memory (histogram.cl)."""

import sys
from pathlib import Path

import numpy as np
import pyopencl as cl

rng = np.random.default_rng(4)
data = np.clip(rng.normal(128, 30, 5_000_000), 0, 255).astype(np.uint8)
counts = np.zeros(256, dtype=np.uint32)

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, Path(__file__).with_suffix(".cl").read_text()).build()

flags = cl.mem_flags
data_buffer = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=data)
counts_buffer = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=counts)

program.histogram(queue, (256 * 64,), (64,), data_buffer, np.uint32(data.size), counts_buffer)
cl.enqueue_copy(queue, counts, counts_buffer)

if not np.array_equal(counts, np.bincount(data, minlength=256)):
    sys.exit("histogram: the counts differ from NumPy's")
bars = "".join(" ▁▂▃▄▅▆▇█"[round(8 * n / counts.max())] for n in counts[::4])
print(f"histogram: the counts of {data.size:,} bytes equal NumPy's\n{bars}")
