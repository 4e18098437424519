"""Two kernels and a copy that know nothing of each other, in an out-of-order queue: devices run them side by side.

`python overlap.py 8` has the kernels run eight times as long.
"""

import sys

import numpy as np
import pyopencl as cl

SOURCE = """
// The remainders of repeated squaring: much to compute, little to store.
__kernel void squares(__global uint *x, uint steps) {
    uint value = x[get_global_id(0)];
    for (uint i = 0; i < steps; i++) value = value * value + 1u;
    x[get_global_id(0)] = value;
}
__kernel void triples(__global uint *x, uint steps) {
    uint value = x[get_global_id(0)];
    for (uint i = 0; i < steps; i++) value = value * 3u + (value >> 7);
    x[get_global_id(0)] = value;
}
"""

context = cl.create_some_context(interactive=False)
flags = cl.command_queue_properties
queue = cl.CommandQueue(context, properties=flags.OUT_OF_ORDER_EXEC_MODE_ENABLE | flags.PROFILING_ENABLE)
program = cl.Program(context, SOURCE).build()
kernels = [cl.Kernel(program, name) for name in ("squares", "triples")]

gpu = context.devices[0].type & cl.device_type.GPU
steps, megabytes = (300_000, 64) if gpu else (2_000, 16)
steps *= int(sys.argv[1]) if len(sys.argv) > 1 else 1
start = np.arange(4096, dtype=np.uint32)
memory = cl.mem_flags
buffers = [cl.Buffer(context, memory.READ_WRITE | memory.COPY_HOST_PTR, hostbuf=start) for _ in kernels]

# Page-locked memory, as mapping gives it: the copy goes on while the program does something else.
staging = cl.Buffer(context, memory.READ_WRITE | memory.ALLOC_HOST_PTR, megabytes << 20)
source, _ = cl.enqueue_map_buffer(queue, staging, cl.map_flags.WRITE, 0, (megabytes << 18,), np.uint32)
source[:] = np.arange(source.size, dtype=np.uint32)
target = cl.Buffer(context, memory.READ_WRITE, source.nbytes)

for kernel, buffer in zip(kernels, buffers, strict=True):
    kernel(queue, start.shape, (64,), buffer, np.uint32(0)).wait()
events = [kernel(queue, start.shape, (64,), buffer, np.uint32(steps)) for kernel, buffer in zip(kernels, buffers, strict=True)]
events.append(cl.enqueue_copy(queue, target, source, is_blocking=False))
cl.wait_for_events(events)

found = [np.empty_like(start) for _ in kernels]
for array, buffer in zip(found, buffers, strict=True):
    cl.enqueue_copy(queue, array, buffer)
copied = np.empty_like(source)
cl.enqueue_copy(queue, copied, target)

for index in (1, 100, 4095):
    square = triple = index
    for _ in range(steps):
        square = (square * square + 1) & 0xFFFFFFFF
        triple = (triple * 3 + (triple >> 7)) & 0xFFFFFFFF
    if (found[0][index], found[1][index]) != (square, triple):
        sys.exit("overlap: the results differ from Python's")
if not np.array_equal(copied, source):
    sys.exit("overlap: the copy differs from its source")
begin = min(event.profile.start for event in events)
print("overlap: two kernels and a copy gave what they have to")
for name, event in zip(("squares", "triples", "copy"), events, strict=True):
    print(f"  {name:8}{(event.profile.start - begin) * 1e-6:9.3f} ms to {(event.profile.end - begin) * 1e-6:9.3f} ms")
