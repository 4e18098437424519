"""Images and samplers as arguments of kernels: what clSetKernelArg refuses (5.9.2, table 30)."""

from dataclasses import replace

import numpy as np
import pytest
from support.fails import fails
from support.image_model import Format
from support.image_objects import ALL_TYPES, IMAGE1D_BUFFER, IMAGE2D, NAMES, RGBA8, Images

from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.host.device import HostDevice
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.sampler import Sampler, create_sampler
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

SOURCE = """typedef read_only image3d_t volume;
kernel void access(read_only image2d_t r, write_only image2d_t w, read_write image2d_t rw) { write_imagef(w, (int2)(0), read_imagef(r, (int2)(0))); }
kernel void depth(read_only image2d_depth_t d) { read_imagef(d, (int2)(0)); }
kernel void sampled(sampler_t s, read_only image2d_t r) { read_imagef(r, s, (float2)(0)); }
kernel void named(volume v) { read_imagef(v, (int4)(0)); }
""" + "".join(f"kernel void k_{name}(read_only {name} a) {{ get_image_width(a); }}\n" for name in NAMES.values())


@pytest.fixture
def program():
    images = Images(Device(platforms.platforms()[0], "host", platforms.load_driver("host").devices()[0]))
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
                          ("INVALID_MEM_OBJECT", Buffer(images.context, 0, 16)), ("INVALID_MEM_OBJECT", gone),
                          ("INVALID_MEM_OBJECT", Images(images.queue.device).create())):
        fails(status, kernel.set_arg, 0, value)
    fails("INVALID_MEM_OBJECT", Kernel(built, "k_image1d_buffer_t").set_arg, 0, images.create(IMAGE1D_BUFFER).parent)


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
    fails("INVALID_MEM_OBJECT", kernel.set_arg, 0, images.create(IMAGE2D, RGBA8))


def two_host_devices(**changes):
    """Images in a context of two devices, the second with other properties, and a queue of the second."""
    drivers = [HostDevice(), HostDevice()]
    drivers[1].properties = replace(drivers[1].properties, **changes)
    images = Images(*(Device(platforms.platforms()[0], "host", driver) for driver in drivers))
    return images, CommandQueue(images.context, images.context.devices[1])


COPY = """kernel void copy(read_only image2d_t a, write_only image2d_t b, sampler_t s) {
    int2 p = (int2)(get_global_id(0), get_global_id(1)); write_imagef(b, p, read_imagef(a, s, p)); }"""


def test_images_move_to_the_device_of_the_launch():
    images, there = two_host_devices()
    kernel = images.kernel(COPY)
    image, elements = images.filled(IMAGE2D, RGBA8)
    target = images.create()
    for index, value in enumerate((image, target, create_sampler(images.context, False, codes.ADDRESS_CLAMP, codes.FILTER_NEAREST))):
        kernel.set_arg(index, value)
    gate = UserEvent(images.context)
    for queue, wait in ((images.queue, ()), (there, ()), (there, (gate,))):
        images.write(target, np.zeros_like(elements))
        enqueue_nd_range_kernel(queue, kernel, 2, None, (13, 6), None, wait)
        if wait:
            gate.set_status(0)
        queue.finish()
        assert target.elements.device is queue.device
        np.testing.assert_array_equal(images.read(target, elements), elements)


def test_launches_where_the_image_cannot_be():
    for changes, status in ((dict(images=replace(HostDevice().properties.images, plane=(8, 8))), "INVALID_IMAGE_SIZE"),
                            (dict(images=None), "OUT_OF_RESOURCES")):
        images, there = two_host_devices(**changes)
        kernel = images.kernel(COPY)
        arguments = images.create(), images.create(), create_sampler(images.context, False, codes.ADDRESS_CLAMP, codes.FILTER_NEAREST)
        for index, value in enumerate(arguments):
            kernel.set_arg(index, value)
        fails(status, enqueue_nd_range_kernel, there, kernel, 2, None, (13, 6), None)
