"""Draws a valley of the Mandelbrot set (mandelbrot.cl) and writes it as a PNG picture.

usage: python mandelbrot.py [mandelbrot.png]
"""

import sys
from pathlib import Path

import numpy as np
import pyopencl as cl

from png import write_png

COLUMNS, ROWS = 1200, 800
CENTRE = np.array([-0.7457, 0.1137], dtype=np.float32)
WIDTH = np.float32(0.0085)
LIMIT = 1000
SAMPLES = 2  # in each direction, for smooth edges
CHECKED = slice(None, None, 16)  # of the columns and rows

output = sys.argv[1] if len(sys.argv) > 1 else "mandelbrot.png"

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
program = cl.Program(context, Path(__file__).with_suffix(".cl").read_text()).build()

picture = np.empty((ROWS, COLUMNS, 4), dtype=np.uint8)
buffer = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, picture.nbytes)
event = program.mandelbrot(queue, (COLUMNS, ROWS), None, buffer, CENTRE, WIDTH, np.int32(LIMIT), np.int32(SAMPLES))
cl.enqueue_copy(queue, picture, buffer)
milliseconds = (event.profile.end - event.profile.start) / 1e6


def numpy_colours(c):
    """What colour_of in mandelbrot.cl computes, for an array of complex numbers; and how far each is from the set."""
    z, slope, steps = np.zeros_like(c), np.zeros_like(c), np.zeros(c.shape, dtype=int)
    going = np.arange(c.size)
    for _ in range(LIMIT):
        going = going[np.abs(z[going]) < 100]
        slope[going] = 2 * z[going] * slope[going] + 1
        z[going] = z[going] ** 2 + c[going]
        steps[going] += 1
    inside = steps == LIMIT
    z[inside], slope[inside] = 10, 1e30
    smooth_steps = steps - np.log2(np.log2(np.abs(z)))
    distance = np.abs(z) * np.log(np.abs(z)) / np.abs(slope)
    normal = z * slope.conj() / np.abs(z * slope)
    shade = np.clip(((normal.real + normal.imag) * np.sqrt(0.5) + 1.6) / 2.6, 0, 1)
    t = 0.4 * np.sqrt(0.05 * smooth_steps)[:, None] + np.array([0.0, 0.1, 0.2])
    colours = (0.5 + 0.5 * np.cos(2 * np.pi * t + 3.2)) * shade[:, None]
    return colours, distance


x, y = np.meshgrid(np.arange(COLUMNS)[CHECKED], np.arange(ROWS)[CHECKED])
mean = np.zeros((*x.shape, 3))
calm = np.full(x.shape, True)
for j in range(SAMPLES):
    for i in range(SAMPLES):
        offset = x + (i + 0.5) / SAMPLES - COLUMNS / 2 + 1j * (ROWS / 2 - y - (j + 0.5) / SAMPLES)
        colours, distance = numpy_colours((complex(*CENTRE) + WIDTH / COLUMNS * offset).ravel())
        mean += colours.reshape(mean.shape) / SAMPLES**2
        calm &= distance.reshape(calm.shape) > WIDTH / COLUMNS

# Within a pixel of the set the last bit of a float decides how long a point takes to escape: those pixels may differ.
error = np.abs(picture[CHECKED, CHECKED, :3] - 255 * np.sqrt(mean))[calm]
if error.max() > 3:
    sys.exit(f"mandelbrot: {np.mean(error.max(axis=1) > 3):.1%} of the pixels differ from NumPy's")

write_png(output, picture)
print(f"mandelbrot: {COLUMNS} x {ROWS} pixels on {context.devices[0].name} in {milliseconds:.0f} ms, as NumPy sees them: {output}")
