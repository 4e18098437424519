"""Turns a picture by 30 degrees with images and a sampler (rotate.cl); writes both pictures side by side as PNG.

usage: python rotate.py [rotate.png]
"""

import sys
from pathlib import Path

import numpy as np
import pyopencl as cl

from png import write_png

output = sys.argv[1] if len(sys.argv) > 1 else "rotate.png"
angle = np.float32(np.radians(30))
size = 512

# Rings around two centres, in red and green, and bars in blue.
y, x = np.mgrid[0:size, 0:size] / size
waves = [np.hypot(x - 0.3, y - 0.4) * 40, np.hypot(x - 0.8, y - 0.7) * 30, x * 25]
picture = np.dstack([*(127.5 + 127.5 * np.sin(wave) for wave in waves), np.full((size, size), 255)]).astype(np.uint8)

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, Path(__file__).with_suffix(".cl").read_text()).build()

flags = cl.mem_flags
rgba = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
create_image = getattr(cl, "create_image", cl.Image)  # PyOpenCL before 2024.3 has the class alone
source = create_image(context, flags.READ_ONLY | flags.COPY_HOST_PTR, rgba, shape=(size, size), hostbuf=picture)
target = create_image(context, flags.WRITE_ONLY, rgba, shape=(size, size))

program.rotate_picture(queue, (size, size), None, source, target, angle)
rotated = np.empty_like(picture)
cl.enqueue_copy(queue, rotated, target, origin=(0, 0), region=(size, size))


def interpolated(picture, x, y):
    """The weighted mean of the four pixels around each place; zeros outside."""
    padded = np.pad(picture.astype(float), [(2, 2), (2, 2), (0, 0)])
    left, top = np.floor(x - 0.5).astype(int), np.floor(y - 0.5).astype(int)
    right_share, lower_share = (x - 0.5 - left)[..., None], (y - 0.5 - top)[..., None]

    def pixel(row, column):
        return padded[np.clip(row + 2, 0, size + 3), np.clip(column + 2, 0, size + 3)]

    upper = (1 - right_share) * pixel(top, left) + right_share * pixel(top, left + 1)
    lower = (1 - right_share) * pixel(top + 1, left) + right_share * pixel(top + 1, left + 1)
    return (1 - lower_share) * upper + lower_share * lower


dy, dx = np.mgrid[0:size, 0:size] + 0.5 - size / 2
c, s = np.cos(angle), np.sin(angle)
expected = interpolated(picture, c * dx + s * dy + size / 2, c * dy - s * dx + size / 2)

# Graphics hardware weighs pixels in steps of 1/256: two of 255 at the picture's edge, less inside.
if np.abs(rotated - expected).max() > 2:
    sys.exit("rotate: the picture differs from NumPy's")

write_png(output, np.hstack([picture, rotated]))
print(f"rotate: a picture of {size} x {size} pixels, turned by 30 degrees, is where NumPy turns it: {output}")
