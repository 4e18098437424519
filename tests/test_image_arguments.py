"""Images and samplers as arguments of kernels: what clSetKernelArg refuses (5.9.2, table 30)."""

import pytest
from image_model import Format
from image_objects import ALL_TYPES, IMAGE1D_BUFFER, IMAGE2D, NAMES, RGBA8, Images
from test_buffer import fails

from cl2cuda.runtime import codes, platform
from cl2cuda.runtime.buffer import Buffer
from cl2cuda.runtime.device import Device
from cl2cuda.runtime.kernel import Kernel, LocalMemory
from cl2cuda.runtime.program import Program
from cl2cuda.runtime.sampler import Sampler

SOURCE = """typedef read_only image3d_t volume;
kernel void access(read_only image2d_t r, write_only image2d_t w, read_write image2d_t rw) { write_imagef(w, (int2)(0), read_imagef(r, (int2)(0))); }
kernel void depth(read_only image2d_depth_t d) { read_imagef(d, (int2)(0)); }
kernel void sampled(sampler_t s, read_only image2d_t r) { read_imagef(r, s, (float2)(0)); }
kernel void named(volume v) { read_imagef(v, (int4)(0)); }
""" + "".join(f"kernel void k_{name}(read_only {name} a) {{ get_image_width(a); }}\n" for name in NAMES.values())


@pytest.fixture
def program():
    images = Images(Device(platform.platforms()[0], "host", platform.load_driver("host").devices()[0]))
    built = Program(images.context, SOURCE)
    built.build("-cl-std=CL3.0")
    return images, built


def test_access_qualifiers_and_flags(program):
    images, built = program
    kernel = Kernel(built, "access")
    takes = {"r": (0, codes.MEM_READ_ONLY), "w": (0, codes.MEM_WRITE_ONLY), "rw": (0,)}
    for index, allowed in enumerate(takes.values()):
        for flags in (0, codes.MEM_READ_ONLY, codes.MEM_WRITE_ONLY):
            image = images.create(flags=flags)
            if flags in allowed:
                kernel.set_arg(index, image)
            else:
                fails("INVALID_ARG_VALUE", kernel.set_arg, index, image)


@pytest.mark.parametrize("image_type", ALL_TYPES, ids=NAMES.get)
def test_types(program, image_type):
    images, built = program
    image = images.create(image_type)
    for name in NAMES.values():
        kernel = Kernel(built, f"k_{name}")
        if name == NAMES[image_type]:
            kernel.set_arg(0, image)
        else:
            fails("INVALID_ARG_VALUE", kernel.set_arg, 0, image)
    if NAMES[image_type] == "image3d_t":
        Kernel(built, "named").set_arg(0, image)


def test_depth_images_take_depth_images(program):
    images, built = program
    kernel = Kernel(built, "depth")
    kernel.set_arg(0, images.create(IMAGE2D, Format("DEPTH", "FLOAT")))
    fails("INVALID_MEM_OBJECT", kernel.set_arg, 0, images.create(IMAGE2D, Format("R", "FLOAT")))


def test_values_that_are_no_images(program):
    images, built = program
    kernel = Kernel(built, "access")
    gone = images.create()
    gone.release()
    for status, value in (("INVALID_ARG_VALUE", None), ("INVALID_ARG_VALUE", b"12345678"), ("INVALID_ARG_VALUE", LocalMemory(8)),
                          ("INVALID_ARG_VALUE", Buffer(images.context, 0, 16)), ("INVALID_MEM_OBJECT", gone),
                          ("INVALID_MEM_OBJECT", Images(images.queue.device).create())):
        fails(status, kernel.set_arg, 0, value)
    fails("INVALID_ARG_VALUE", Kernel(built, "k_image1d_buffer_t").set_arg, 0, images.create(IMAGE1D_BUFFER).parent)


def test_values_that_are_no_samplers(program):
    images, built = program
    kernel = Kernel(built, "sampled")
    gone = Sampler(images.context)
    kernel.set_arg(0, gone)
    gone.release()
    for value in (None, b"1234", images.create(), gone, Sampler(Images(images.queue.device).context)):
        fails("INVALID_SAMPLER", kernel.set_arg, 0, value)


def test_an_image_is_no_buffer(program):
    images, _ = program
    kernel = images.kernel("kernel void f(global float *a) { *a = 1; }")
    fails("INVALID_ARG_VALUE", kernel.set_arg, 0, images.create(IMAGE2D, RGBA8))
