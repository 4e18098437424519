"""Blurs a photograph and finds its edges (blur_sobel.cl); writes the three pictures side by side as PNG.

usage: python blur_sobel.py [blur_sobel.png]
"""

import sys
from pathlib import Path

import numpy as np
import pyopencl as cl

from png import write_png

try:
    from skimage.data import astronaut  # a photograph by NASA, in the public domain
except ImportError:
    sys.exit("blur_sobel: the photograph comes with scikit-image; get it with: pip install scikit-image")

output = sys.argv[1] if len(sys.argv) > 1 else "blur_sobel.png"

photograph = astronaut()
rows, columns = photograph.shape[:2]
photograph = np.dstack([photograph, np.full((rows, columns), 255, dtype=np.uint8)])
blurred, edges = np.empty_like(photograph), np.empty_like(photograph)

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, Path(__file__).with_suffix(".cl").read_text()).build()

flags = cl.mem_flags
photograph_buffer = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=photograph)
blurred_buffer = cl.Buffer(context, flags.READ_WRITE, photograph.nbytes)
edges_buffer = cl.Buffer(context, flags.WRITE_ONLY, photograph.nbytes)

program.blur(queue, (columns, rows), None, photograph_buffer, blurred_buffer)
program.sobel(queue, (columns, rows), None, blurred_buffer, edges_buffer)
cl.enqueue_copy(queue, blurred, blurred_buffer)
cl.enqueue_copy(queue, edges, edges_buffer)


def correlate(picture, weights):
    """The weighted sum of each pixel's neighbours; picture is (rows, columns, ...)."""
    reach = len(weights) // 2
    padded = np.pad(picture.astype(float), [(reach, reach)] * 2 + [(0, 0)] * (picture.ndim - 2), mode="edge")
    return sum(weight * padded[y:y + rows, x:x + columns] for (y, x), weight in np.ndenumerate(weights))


binomial = np.array([1, 4, 6, 4, 1]) / 16
expected_blurred = correlate(photograph, np.outer(binomial, binomial))
grey = blurred[:, :, :3] @ np.array([0.2126, 0.7152, 0.0722])
across = np.outer([1, 2, 1], [-1, 0, 1])
expected_edges = np.minimum(np.hypot(correlate(grey, across), correlate(grey, across.T)), 255)

# Rounding to whole numbers: a half either way, and a little for single precision.
if np.abs(blurred - expected_blurred).max() > 0.51:
    sys.exit("blur_sobel: the blurred picture differs from NumPy's")
if np.abs(edges[:, :, 0] - expected_edges).max() > 0.51:
    sys.exit("blur_sobel: the edges differ from NumPy's")

write_png(output, np.hstack([photograph, blurred, edges]))
print(f"blur_sobel: a photograph of {columns} x {rows} pixels, blurred, and its edges equal NumPy's: {output}")
