"""A whole process of the benchmark, which the benchmark times: what a person waits for who starts a small program.

usage: python whole.py PLATFORM SALT
"""

import sys

import numpy as np
import pyopencl as cl

platform, salt = sys.argv[1:]
device = next(device for each in cl.get_platforms() if platform in each.name for device in each.get_devices())
context = cl.Context([device])
queue = cl.CommandQueue(context)
program = cl.Program(context, f"__kernel void add(__global float *x) {{ x[get_global_id(0)] += {salt}.0f; }}").build()
x = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.arange(64, dtype=np.float32))
cl.Kernel(program, "add")(queue, (64,), None, x)
found = np.empty(64, np.float32)
cl.enqueue_copy(queue, found, x)
if not np.array_equal(found, np.arange(64, dtype=np.float32) + int(salt)):
    raise SystemExit(f"wrong result: {found}")
