"""Draws the Mandelbrot set square by square (mariani_silver.cl), where kernels launch kernels and where the host does.

usage: python mariani_silver.py [mariani_silver.png]
"""

import sys
import time
from pathlib import Path

import numpy as np
import pyopencl as cl

from png import write_png

COLUMNS, ROWS, SIDE, GROUP = 1536, 1024, 128, 64
LIMIT = 1000
CHECKED = slice(None, None, 16)  # of the columns and rows

output = sys.argv[1] if len(sys.argv) > 1 else "mariani_silver.png"

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
properties = cl.command_queue_properties
on_device = properties.ON_DEVICE | properties.ON_DEVICE_DEFAULT | properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
for_kernels = cl.CommandQueue(context, properties=[cl.queue_properties.PROPERTIES, on_device, cl.queue_properties.SIZE, 1 << 20])
program = cl.Program(context, Path(__file__).with_suffix(".cl").read_text()).build(["-cl-std=CL3.0"])
launching, listing = cl.Kernel(program, "by_device"), cl.Kernel(program, "by_host")

view = np.zeros((), dtype=[("corner", np.float32, 2), ("step", np.float32), ("limit", np.int32)])
view["corner"], view["step"], view["limit"] = (-2.25, -1.1640625), 3.5 / COLUMNS, LIMIT
times = cl.Buffer(context, cl.mem_flags.READ_WRITE, COLUMNS * ROWS * 4)
lists = [cl.Buffer(context, cl.mem_flags.READ_WRITE, (COLUMNS * ROWS // 64 + 1) * 8) for _ in range(2)]
squares = COLUMNS // SIDE * (ROWS // SIDE)


def by_device():
    launching(queue, (squares * GROUP,), (GROUP,), times, np.int32(COLUMNS), view, np.int32(SIDE))


def by_host():
    y, x = np.mgrid[0:ROWS:SIDE, 0:COLUMNS:SIDE]
    first = np.concatenate([[[squares, 0]], np.stack([x.ravel(), y.ravel()], axis=1)]).astype(np.int32)
    cl.enqueue_copy(queue, lists[0], first)
    count, side, (now, then) = np.array([squares, 0], np.int32), SIDE, lists
    while count[0]:
        cl.enqueue_fill_buffer(queue, then, np.int32(0), 0, 8)
        listing(queue, (int(count[0]) * GROUP,), (GROUP,), times, np.int32(COLUMNS), view, np.int32(side), now, then)
        cl.enqueue_copy(queue, count, then)
        now, then, side = then, now, side // 2


def picture_of(draw):
    """What it draws, and the milliseconds of its second run."""
    cl.enqueue_fill_buffer(queue, times, np.int32(-1), 0, COLUMNS * ROWS * 4)
    draw()
    queue.finish()
    start = time.perf_counter()
    draw()
    queue.finish()
    milliseconds = (time.perf_counter() - start) * 1e3
    found = np.empty((ROWS, COLUMNS), np.int32)
    cl.enqueue_copy(queue, found, times)
    return found, milliseconds


device, device_ms = picture_of(by_device)
host, host_ms = picture_of(by_host)
if not np.array_equal(device, host):
    sys.exit(f"mariani_silver: {np.mean(device != host):.1%} of the pixels differ between the two ways")

# As NumPy sees them, pixel by pixel. The last bit of a float decides how long a point near the set takes to escape, and a square may
# hold what its border does not show.
y, x = np.mgrid[0:ROWS, 0:COLUMNS][:, CHECKED, CHECKED].astype(np.float32)
step = view["step"]
cx, cy = view["corner"][0] + step * x, view["corner"][1] + step * y
zx, zy, expected, going = cx.copy(), cy.copy(), np.zeros(cx.shape, np.int32), np.full(cx.shape, True)
for _ in range(LIMIT):
    going &= zx * zx + zy * zy < 4
    expected += going
    zx, zy = np.where(going, zx * zx - zy * zy + cx, zx), np.where(going, 2 * zx * zy + cy, zy)
wrong = np.mean(device[CHECKED, CHECKED] != expected)
if wrong > 0.02:
    sys.exit(f"mariani_silver: {wrong:.1%} of the pixels differ from NumPy's")

phase = 0.6 * np.log2(1.0 + device)[..., None] + np.array([0.0, 0.5, 1.0])
colours = np.where(device[..., None] == LIMIT, 0, 255 * (0.5 + 0.5 * np.cos(2 + phase)))
write_png(output, np.dstack([colours, np.full_like(device, 255)]).astype(np.uint8))
print(f"mariani_silver: {COLUMNS} x {ROWS} pixels on {context.devices[0].name}, launched by kernels in {device_ms:.1f} ms, by the host in "
      f"{host_ms:.1f} ms, as NumPy sees them: {output}")
