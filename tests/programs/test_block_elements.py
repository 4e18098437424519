"""Block reads and writes of images (cl_intel_subgroups) on each real device: bytes as they are, from any byte on, with the extension's
bounds; of images made by hand, and of the runtime's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from support.image_kernels import elements_of, make, run
from support.image_model import Format
from support.image_objects import IMAGE2D, RGBA8, Images

WIDTH, HEIGHT = 21, 7
FORMATS = [Format("RGBA", "UNORM_INT8"), Format("R", "UNSIGNED_INT8"), Format("RG", "SIGNED_INT8"), Format("R", "UNSIGNED_INT32")]
PARTS = {"": "uint", "_us": "ushort", "_uc": "uchar", "_ul": "ulong"}
DTYPES = {"uint": np.uint32, "ushort": np.uint16, "uchar": np.uint8, "ulong": np.uint64}
COORDS = np.array([(0, 0), (8, 2), (-16, -2), (40, 5), (64, 1), (3, 1), (400, 9)], np.int32)


def image_of(device, format: Format):
    """An image and its rows of bytes."""
    elements = np.random.default_rng(5).integers(0, 256, (HEIGHT, WIDTH * format.element.itemsize), np.uint8)
    return make(device, "image2d_t", format, elements.view(format.element.base).reshape(HEIGHT, WIDTH, -1)), elements


def lanes(coords: np.ndarray, size: int, part: int) -> Iterator[tuple[int, int, int, int, int]]:
    """Which coordinates, lane and row of the block, and the byte and the row of the image that they mean."""
    for k, (x, y) in enumerate(coords):
        for lane in range(size):
            for row in range(4):
                yield k, lane, row, x + lane * part, y + row


@pytest.mark.parametrize("size", [8, 16, 32])
@pytest.mark.parametrize("suffix", PARTS)
def test_reads(real_device, suffix, size):
    element = PARTS[suffix]
    dtype = np.dtype(DTYPES[element])
    source = f"""__attribute__((intel_reqd_sub_group_size({size})))
    kernel void f(read_only image2d_t image, global int2 *coords, global {element}4 *out) {{
        for (int k = 0; k < {len(COORDS)}; k++)
            out[k * {size} + get_global_id(0)] = intel_sub_group_block_read{suffix}4(image, coords[k]);
    }}"""
    for format in FORMATS:
        image, rows = image_of(real_device, format)
        out = np.zeros((len(COORDS), size, 4), dtype)
        run(real_device, source, size, image, COORDS.copy(), out, local=size)
        edge = (rows.shape[1] - 1) // dtype.itemsize * dtype.itemsize
        padded = np.pad(rows, ((0, 0), (0, dtype.itemsize)))
        for k, lane, row, x, y in lanes(COORDS, size, dtype.itemsize):
            x, y = min(max(x, 0), edge), min(max(y, 0), HEIGHT - 1)
            assert out[k, lane, row] == padded[y, x : x + dtype.itemsize].copy().view(dtype)[0], (format, k, lane, row)


@pytest.mark.parametrize("size", [8, 16, 32])
@pytest.mark.parametrize("suffix", PARTS)
def test_writes(real_device, suffix, size):
    element = PARTS[suffix]
    dtype = np.dtype(DTYPES[element])
    coords = COORDS[COORDS[:, 0] % 8 == 0]
    source = f"""__attribute__((intel_reqd_sub_group_size({size})))
    kernel void f(write_only image2d_t image, global int2 *coords, global {element}4 *data) {{
        for (int k = 0; k < {len(coords)}; k++) {{
            intel_sub_group_block_write{suffix}4(image, coords[k], data[k * {size} + get_global_id(0)]);
            barrier(CLK_GLOBAL_MEM_FENCE);
        }}
    }}"""
    for format in FORMATS:
        image, rows = image_of(real_device, format)
        data = np.random.default_rng(size).integers(0, 256, (len(coords), size, 4 * dtype.itemsize), np.uint8).view(dtype)
        run(real_device, source, size, image, coords.copy(), data.copy(), local=size)
        for k, lane, row, x, y in lanes(coords, size, dtype.itemsize):
            if 0 <= x < rows.shape[1] and 0 <= y < HEIGHT:
                inside = rows[y, x : x + dtype.itemsize]
                inside[:] = data[k, lane, row : row + 1].view(np.uint8)[: len(inside)]
        assert (np.ascontiguousarray(elements_of(image)).view(np.uint8).reshape(HEIGHT, -1) == rows).all(), format


def test_images_of_the_runtime(real_device):
    """A copy in blocks of 16 elements by 8 rows, which reach over the edges."""
    images = Images(real_device)
    kernel = images.kernel("""__attribute__((intel_reqd_sub_group_size(16), reqd_work_group_size(16, 1, 1)))
    kernel void f(read_only image2d_t in, write_only image2d_t out) {
        int2 at = (int2)(64 * get_group_id(0), 8 * get_group_id(1));
        intel_sub_group_block_write8(out, at, intel_sub_group_block_read8(in, at));
    }""")
    shape = (21, 45)
    source, elements = images.filled(IMAGE2D, RGBA8, shape=shape)
    target = images.create(IMAGE2D, RGBA8, shape=shape)
    images.run(kernel, (48, 3), source, target)
    assert (images.read(target, elements) == elements).all()
