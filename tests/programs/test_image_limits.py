"""What a device's queries promise of images, tried as far as they promise: the largest of each side, and as many as a kernel may have."""

from __future__ import annotations

import numpy as np
import pytest
from support.fails import fails
from support.image_model import Format
from support.image_objects import IMAGE1D, IMAGE1D_ARRAY, IMAGE1D_BUFFER, IMAGE2D, IMAGE2D_ARRAY, IMAGE3D, RGBA8, Images, region_of

from cl2cuda.runtime.commands.image import enqueue_fill_image
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.sampler import Sampler
from cl2cuda.runtime.spec import codes


def fact(device, name: str):
    return device.get_info(getattr(codes, f"DEVICE_{name}"))


R8 = Format("R", "UNSIGNED_INT8")
# The type, the array's sides (the last is the width), and what bounds each.
SIDES = [
    (IMAGE1D, ("IMAGE2D_MAX_WIDTH",)), (IMAGE1D_BUFFER, ("IMAGE_MAX_BUFFER_SIZE",)),
    (IMAGE1D_ARRAY, ("IMAGE_MAX_ARRAY_SIZE", "IMAGE2D_MAX_WIDTH")), (IMAGE2D, ("IMAGE2D_MAX_HEIGHT", "IMAGE2D_MAX_WIDTH")),
    (IMAGE2D_ARRAY, ("IMAGE_MAX_ARRAY_SIZE", "IMAGE2D_MAX_HEIGHT", "IMAGE2D_MAX_WIDTH")),
    (IMAGE3D, ("IMAGE3D_MAX_DEPTH", "IMAGE3D_MAX_HEIGHT", "IMAGE3D_MAX_WIDTH")),
]


@pytest.mark.parametrize(("image_type", "side"), [pytest.param(image_type, side, id=f"{sides[side]}-{len(sides)}-{image_type:#x}")
                                                  for image_type, sides in SIDES for side in range(len(sides))])
def test_images(real_device, image_type, side):
    """The last element of an image of the largest side is filled and read; one of a side that is longer by one is refused."""
    images, sides = Images(real_device), dict(SIDES)[image_type]
    most = fact(real_device, sides[side])

    def shape(long: int) -> tuple[int, ...]:
        return tuple(long if each == side else 1 for each in range(len(sides)))

    image = images.create(image_type, R8, shape(most))
    last = tuple(each - 1 for each in region_of(shape(most)))
    enqueue_fill_image(images.queue, image, np.array([93, 0, 0, 0], np.uint32), last, (1, 1, 1))
    assert images.read(image, np.zeros((1,) * len(sides) + (1,), np.uint8), last).item() == 93
    fails("INVALID_IMAGE_SIZE", images.create, image_type, R8, shape(most + 1))


def test_images_over_buffers(real_device):
    """Rows as far apart as the alignment says, which begin where memory of the host's may."""
    pitch, base = fact(real_device, "IMAGE_PITCH_ALIGNMENT") * 4, fact(real_device, "IMAGE_BASE_ADDRESS_ALIGNMENT") * 4
    images = Images(real_device)
    row = -(-20 // pitch) * pitch  # five elements
    memory = np.zeros(4 * row + base, np.uint8)
    at = -memory.ctypes.data % base
    host = memory[at : at + 4 * row]
    host[:] = np.arange(4 * row)
    over = images.create(IMAGE2D, RGBA8, (4, 5), mem_object=Buffer(images.context, codes.MEM_USE_HOST_PTR, host.nbytes, host), row_pitch=row)
    found = images.read(over, np.zeros((4, 5, 4), np.uint8))
    assert found.reshape(4, 20).tolist() == host.reshape(4, row)[:, :20].tolist()
    buffer = Buffer(images.context, 0, 8 * row)
    fails("INVALID_IMAGE_FORMAT_DESCRIPTOR", images.create, IMAGE2D, RGBA8, (4, 5), mem_object=buffer, row_pitch=row + 2)


@pytest.mark.parametrize("access", ["write_only", "read_write"])
def test_images_that_a_kernel_writes(real_device, access):
    """As many as there may be, and one more is refused (tests/programs/test_images_in_kernels.py has those that are read)."""
    images = Images(real_device)
    most = fact(real_device, "MAX_WRITE_IMAGE_ARGS" if access == "write_only" else "MAX_READ_WRITE_IMAGE_ARGS")

    def kernel(count: int) -> Kernel:
        parameters = ", ".join(f"{access} image1d_t a{i}" for i in range(count))
        return images.kernel(f"kernel void f({parameters}) {{ {''.join(f'write_imageui(a{i}, {i}, (uint4)({i + 1}));' for i in range(count))} }}")

    image = images.create(IMAGE1D, R8, (most + 1,))
    images.run(kernel(most), (1,), *[image] * most)
    assert images.read(image, np.zeros((most + 1, 1), np.uint8))[:most, 0].tolist() == [(i + 1) % 256 for i in range(most)]
    fails("OUT_OF_RESOURCES", images.run, kernel(most + 1), (1,), *[image] * (most + 1))


def test_samplers(real_device):
    images, most = Images(real_device), fact(real_device, "MAX_SAMPLERS")
    samplers = [Sampler(images.context, (codes.SAMPLER_NORMALIZED_COORDS, i % 2)) for i in range(most)]
    body = "".join(f"out[{i}] = read_imageui(image, s{i}, 0.75f).x;" for i in range(most))
    kernel = images.kernel(f"""kernel void f(read_only image1d_t image, {", ".join(f"sampler_t s{i}" for i in range(most))}, global uint *out) {{
        {body} }}""")
    image, out = images.create(IMAGE1D, R8, (4,), codes.MEM_COPY_HOST_PTR, np.array([3, 5, 7, 9], np.uint8)), np.zeros(most, np.uint32)
    images.run(kernel, (1,), image, *samplers, out)
    assert out.tolist() == [9 if i % 2 else 3 for i in range(most)]
